// The whole way of one invocation, line by line, with the variables that each line changed.
#pragma once

#include "compiler/debug/run.h"

namespace etzel::debugger {

struct TracedLine {
  StackFrame frame;  ///< where it is; without a position where the module has no lines
  size_t depth = 0;  ///< calls around it
  struct Change {
    uint32_t variable;
    Value value;
  };
  std::vector<Change> changes;
};

/// Traces one lane of a warp, across its barriers. Modules without line information are traced instruction by
/// instruction, as far as instructions change values.
class Tracer {
 public:
  using Sink = std::function<void(const TracedLine&)>;
  Tracer(const DebugProgram& program, uint32_t lane, Sink sink);

  /// Runs the warp to its end or to its next barrier; every line that the lane has run goes to the sink.
  abi::WarpStatus run(const interp::Code& code, abi::Warp* warp);

  /// Values of the stage's inputs once the program's beginning has run, which the first line's sink call tells.
  std::vector<TracedLine::Change> inputs(const abi::Warp& warp) const;

 private:
  void report(const WarpRun& run, StackFrame frame, size_t depth);

  const DebugProgram& program_;
  uint32_t lane_;
  Sink sink_;
  bool hasLines_ = false;
  RunState state_;
  std::vector<Value> last_;  ///< by variable, as told last
};

/// {"line":12,"file":"a.frag","function":"main","depth":1,"text":"…","changed":[{"name","type","value","shown"}…]}
std::string toJson(const DebugProgram& program, const TracedLine& line);
/// [{"name":"uv","type":"vec2","value":[0.5,1],"shown":"(0.5, 1)"}…]
std::string toJson(const DebugProgram& program, const std::vector<TracedLine::Change>& changes);

}  // namespace etzel::debugger
