// Memory that code is put into at run time. Some systems refuse that: SELinux without execmem, services with systemd's
// MemoryDenyWriteExecute, filters of system calls. Shaders are interpreted then. Any thread.
#pragma once

#include <cstddef>

namespace etzel {

/// Lets pages of anonymous memory be run, and no longer be written. False: they stay as they are; the first time that
/// the system refuses, rather than having no memory, a warning says what it means.
bool makeExecutable(void* pages, size_t bytes);

/// Whether the system has refused: no need to make more code.
bool isCodeRefused();

}  // namespace etzel
