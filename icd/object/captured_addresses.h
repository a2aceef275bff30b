// Addresses that memory can have again when what an application does is replayed ("bufferDeviceAddressCaptureReplay").
// A device address is a host pointer, so the same place must be free in another process: such memory is mapped where
// nobody maps anything of his own accord, far from what the system places at random. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace etzel::icd {

/// Maps `bytes`, whole pages, with the protection and flags of mmap(2) for reading and writing.
/// \param at  where; 0: wherever a replay will find room. Of that it is certain where the system has room for it at all
/// \returns null when there is something at `at` already, or no memory
std::byte* mapForReplay(uint64_t at, uint64_t bytes, int flags, int fd);

}  // namespace etzel::icd
