#include "compiler/exec/interp/stepper.h"

#include "compiler/exec/interp/execute.h"
#include "runtime/base/assert.h"

namespace etzel::interp {

struct Stepper::State {
  const Code* code;
  const Op* op = nullptr;  ///< null: the warp has left
  MaskEntry stack[isa::kMaxControlDepth];
  BaseState localBase;
  Frame frame;

  uint32_t index() const { return op ? code->instOf[static_cast<size_t>(op - code->ops.data())] : code->instCount; }
};

Stepper::Stepper(const Code& code, abi::Warp* warp) : state_(std::make_unique<State>()) {
  state_->code = &code;
  const Op* first = enter(state_->frame, code, warp, state_->stack, &state_->localBase);
  if (warp->active) state_->op = first;
}
Stepper::~Stepper() = default;
Stepper::Stepper(Stepper&&) noexcept = default;

bool Stepper::left() const { return !state_->op; }
abi::WarpStatus Stepper::status() const { return state_->frame.status; }
uint32_t Stepper::instruction() const { return state_->index(); }
LaneMask Stepper::active() const { return state_->frame.exec; }
abi::Warp& Stepper::warp() const { return *state_->frame.warp; }

void Stepper::step() {
  ETZEL_ASSERT(!left());
  State& s = *state_;
  const uint32_t index = s.index();
  // An instruction may be several Ops, one behind the other.
  const Op* before;
  do {
    before = s.op;
    s.op = s.op->handler(s.op, s.frame);
  } while (s.op == before + 1 && s.index() == index);
  // The Op behind the last instruction only ends the warp.
  if (s.op && s.index() == s.code->instCount) s.op = s.op->handler(s.op, s.frame);
}

std::span<std::byte> bufferBytes(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const Range range = bufferRange(context, handle);
  return {range.data, range.data ? range.size : 0};
}

}  // namespace etzel::interp
