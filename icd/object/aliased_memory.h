// Pages that are mapped more than once: what sparse resources stand on. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace etzel::icd {

/// Bytes of a page of the host: the least that can be mapped.
uint64_t hostPageBytes();

/// Whether the system maps memory again, which filters of system calls may refuse. Asked once.
bool systemAliasesMemory();

/// Maps nothing to `bytes` at `at` (null: anywhere): zeros, until somebody writes there. \returns null when refused
std::byte* mapNothing(std::byte* at, uint64_t bytes);

/// Maps `bytes` of memory that is mapped as shared to `at` as well. \returns whether the system did
bool mapAgain(std::byte* memory, uint64_t bytes, std::byte* at);

}  // namespace etzel::icd
