// The pages of device memory, but for those that the application brings. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace etzel::icd {

struct DeviceMemory;

size_t roundToPages(uint64_t bytes);

/// Anonymous pages of the process, zeros. Large allocations are mapped lazily, so memory that is never touched costs
/// nothing. Memory for sparse resources is mapped as shared, which lets it be mapped again (sparse_range.h). \param at
/// of memory that is placed: its address, 0 for a new one \returns null when the system has none
std::byte* allocatePages(const DeviceMemory& m, uint64_t at);

/// Gives back `m.data`, which allocatePages() returned, or a mapping of m.fd.
void freePages(const DeviceMemory& m);

/// Tells that of bytes [at, at + bytes) of memory most are going to be written, as of images: where they fill huge
/// pages (runtime/base/huge_pages.h), they lie in some. Buffers are often larger than what is used of them.
void expectWrites(const DeviceMemory& m, uint64_t at, uint64_t bytes);

/// Bytes of pages that somebody has written to ("Device Memory", vkGetDeviceMemoryCommitment).
uint64_t residentBytes(const DeviceMemory& m);

}  // namespace etzel::icd
