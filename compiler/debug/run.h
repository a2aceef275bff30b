// A warp that is being debugged: stepping by instruction and by source line, breakpoints, values. It runs the debug
// compile in the interpreter, and looks through the eyes of one lane; the others run along. One thread at a time.
#pragma once

#include <functional>

#include "compiler/debug/value.h"
#include "compiler/exec/interp/stepper.h"

namespace etzel::debugger {

/// How far a step by line goes.
enum class Step : uint8_t {
  Into,  ///< to the next line, also of a function that is called
  Over,  ///< to the next line of this function, or of its caller
  Out,   ///< to the caller
};

class WarpRun;

struct Breakpoint {
  uint32_t file = 0, line = 0;
  std::function<bool(const WarpRun&)> condition;  ///< none: always
};

/// What a warp keeps of its run across barriers.
struct RunState {
  WrittenWords written;
};

class WarpRun {
 public:
  /// Stops before the first instruction, or behind the barrier where the warp waits. `code` is decoded from the
  /// program; the warp has its registers, scratch memory and state. All outlive the run.
  WarpRun(const DebugProgram& program, const interp::Code& code, abi::Warp* warp, uint32_t lane, RunState& state);

  const DebugProgram& program() const { return program_; }
  const abi::Warp& warp() const { return stepper_.warp(); }
  uint32_t lane() const { return lane_; }
  void selectLane(uint32_t lane) { lane_ = lane; }

  /// The warp ended, waits at a barrier or was cancelled (status()).
  bool left() const { return stepper_.left(); }
  abi::WarpStatus status() const { return stepper_.status(); }
  uint32_t instruction() const { return stepper_.instruction(); }
  LaneMask active() const { return stepper_.active(); }
  bool laneRuns() const { return active() >> lane_ & 1; }

  void stepInstruction();
  /// To a line that the lane runs. False: the warp left before.
  bool stepLine(Step how);
  /// To the first breakpoint whose condition holds, at a place where a line begins for the lane; its index, or -1 where
  /// the warp left before.
  int resume(std::span<const Breakpoint> breakpoints);
  /// Runs until the warp leaves.
  abi::WarpStatus finish();

  std::vector<StackFrame> callStack() const { return program_.callStack(instruction()); }
  Value value(uint32_t variable) const { return readVariable(program_, warp(), lane_, variable, &state_.written); }
  /// The variable of that name in scope in a frame of the call stack; kNone without one.
  uint32_t find(std::string_view name, size_t frame = 0) const;

 private:
  /// Where the lane stands: lines of one call are the same place.
  struct Place {
    uint32_t frame = 0, inlinedAt = 0, instruction = 0;
    Position position;
    size_t depth = 0;
    bool sameLine(const Place& o) const {
      return frame == o.frame && inlinedAt == o.inlinedAt && position.file == o.position.file &&
             position.line == o.position.line;
    }
  };
  Place place() const;
  /// Steps until the lane is at a known line that begins: another than `from`'s, or the same once more.
  bool nextLine(Place& from);

  const DebugProgram& program_;
  interp::Stepper stepper_;
  uint32_t lane_;
  RunState& state_;
};

}  // namespace etzel::debugger
