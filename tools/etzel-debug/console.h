// The debugger in a terminal, in the manner of gdb: commands come from standard input, one a line. It is an editor to
// the adapter, which runs in a thread of its own, so both ways into a shader are the same.
#pragma once

#include <string>
#include <vector>

namespace etzel_debug {

/// Debugs a program. `stop`: which invocations, "pixel=3,4" and the like (docs/debugging.md). \returns the exit status
int runConsole(const std::vector<std::string>& program, const std::vector<std::string>& stop);

}  // namespace etzel_debug
