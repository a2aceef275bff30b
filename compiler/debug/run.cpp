#include "compiler/debug/run.h"

#include "compiler/isa/info.h"

namespace etzel::debugger {

WarpRun::WarpRun(const DebugProgram& program, const interp::Code& code, abi::Warp* warp, uint32_t lane, RunState& state)
    : program_(program), stepper_(code, warp), lane_(lane), state_(state) {
  state_.written.lanes.resize(program.record.homeBytes / 4);
}

void WarpRun::stepInstruction() {
  const isa::Inst& inst = program_.program.code[instruction()];
  // Homes are written by stores to constant places; nothing else reaches them.
  if (inst.op == isa::Opcode::St && static_cast<isa::Space>(inst.sub) == isa::Space::Scratch &&
      !inst.src[1].present() && inst.imm >= program_.record.homeBase) {
    const uint32_t first = (inst.imm - program_.record.homeBase) / 4;
    for (uint32_t w = first; w < first + inst.count && w < state_.written.lanes.size(); ++w)
      state_.written.lanes[w] |= static_cast<uint8_t>(active());
  }
  stepper_.step();
}

WarpRun::Place WarpRun::place() const {
  Place p;
  p.instruction = instruction();
  const std::vector<StackFrame> stack = callStack();
  p.depth = stack.size();
  if (!stack.empty()) p.frame = stack[0].frame, p.inlinedAt = stack[0].inlinedAt, p.position = stack[0].position;
  return p;
}

bool WarpRun::nextLine(Place& from) {
  while (!left()) {
    const uint32_t before = instruction();
    stepInstruction();
    if (left() || !laneRuns() || !program_.positionOf(instruction()).known()) continue;
    Place now = place();
    // A loop that stands in one line goes round. Where its head and its end are one line, that is one stop.
    const bool again = instruction() <= before && instruction() >= from.instruction;
    if (now.sameLine(from) && !again) continue;
    from = now;
    return true;
  }
  return false;
}

bool WarpRun::stepLine(Step how) {
  const Place start = place();
  const bool somewhere = start.position.known();
  for (Place at = start; nextLine(at);) {
    if (how == Step::Into || !somewhere) return true;
    if (how == Step::Over ? at.depth <= start.depth : at.depth < start.depth) {
      // Back from a call in the middle of the line that called.
      if (how == Step::Over && at.sameLine(start) && at.instruction > start.instruction) continue;
      return true;
    }
  }
  return false;
}

int WarpRun::resume(std::span<const Breakpoint> breakpoints) {
  for (Place at = place(); nextLine(at);)
    for (size_t i = 0; i < breakpoints.size(); ++i) {
      const Breakpoint& b = breakpoints[i];
      if (b.file == at.position.file && b.line == at.position.line && (!b.condition || b.condition(*this)))
        return static_cast<int>(i);
    }
  return -1;
}

abi::WarpStatus WarpRun::finish() {
  while (!left()) stepInstruction();
  return status();
}

uint32_t WarpRun::find(std::string_view name, size_t frame) const {
  const std::vector<StackFrame> stack = callStack();
  if (frame >= stack.size()) return kNone;
  for (uint32_t v : program_.variablesIn(stack[frame]))
    if (program_.variables[v].name == name) return v;
  return kNone;
}

}  // namespace etzel::debugger
