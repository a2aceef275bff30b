// The debugger in a terminal, in the manner of gdb: commands come from standard input, one a line. It is an editor to
// the adapter, which runs in a thread of its own, so both ways into a shader are the same.
#pragma once

#include <string>
#include <vector>

namespace etzel_debug {

/// What is debugged: a program to start, or one that waits or runs already.
struct Debuggee {
  std::vector<std::string> program;  ///< with its arguments
  std::string address;               ///< where there is no program: "unix:/tmp/app", "port:7000"
};

/// Debugs it. `stop`: which invocations, "pixel=3,4" and the like (docs/debugging.md). \returns the exit status
int runConsole(const Debuggee& debuggee, const std::vector<std::string>& stop);

}  // namespace etzel_debug
