// Memory that other processes can map, as a memfd. It is sealed: a peer that shrank it would end every process that
// looks at it (SIGBUS).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/fd.h"

namespace etzel::icd {

/// `name` shows in /proc. \returns no descriptor when the system refuses.
Fd createSharedMemory(const char* name, size_t bytes);

/// Whether the system makes such memory at all, which filters of system calls may refuse. Asked once.
bool systemSharesMemory();

/// Whether `fd` is of at least that many bytes, which no peer can take away.
bool isSharedMemory(int fd, uint64_t bytes);

/// \returns null when the system refuses.
std::byte* mapSharedMemory(int fd, size_t bytes);

}  // namespace etzel::icd
