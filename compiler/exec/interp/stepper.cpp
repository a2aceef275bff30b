#include "compiler/exec/interp/stepper.h"

#include <bit>
#include <cstddef>

#include "compiler/exec/interp/execute.h"
#include "runtime/base/assert.h"
#include "runtime/base/live_memory.h"

namespace etzel::interp {

struct Stepper::State {
  const Code* code;
  const Op* op = nullptr;  ///< null: the warp has left
  Frame frame;
  BaseState localBase;
  MaskEntry stack[isa::kMaxControlDepth];  ///< last: only as many are used as the program nests

  uint32_t index() const { return op ? code->instOf[static_cast<size_t>(op - code->ops.data())] : code->instCount; }
};

namespace {

/// Addresses below are never mapped (as the handlers of global memory have it).
constexpr uint64_t kFirstAddress = 65536;

/// Where a lane's accesses of one instruction begin: the bytes of a range, or an address.
struct Place {
  std::byte* data = nullptr;
  uint64_t size = 0, offset = 0;
  bool checked = true;
};

uint32_t wordOf(Frame& f, Location l, uint32_t lane) { return f.words(l)->lane[lane]; }

/// Words of the records that a control program writes.
Place recordPlace(const Op& op, Frame& f, uint32_t lane) {
  const abi::Warp& w = *f.warp;
  const uint64_t word = uint64_t(wordOf(f, op.src[1], lane)) + op.imm;
  uint32_t* record = nullptr;
  uint32_t words = abi::kRecordWords;
  if (static_cast<isa::Space>(op.sub) == isa::Space::Patch) {
    record = w.patchRecord[lane];
  } else if (const uint32_t vertex = wordOf(f, op.src[0], lane);
             w.outRecords[lane] && vertex < f.code->outputVertices) {
    record = w.outRecords[lane] + uint64_t(vertex) * w.outRecordStride;
    words = w.outRecordStride;
  }
  return {reinterpret_cast<std::byte*>(record), record ? words * 4 : 0, word * 4};
}

Place placeOf(const Op& op, Frame& f, uint32_t lane) {
  const uint64_t offset = uint64_t(wordOf(f, op.src[1], lane)) + op.imm;
  switch (static_cast<isa::Space>(op.sub)) {
    case isa::Space::Buffer: {
      const Range range = bufferRange(*f.warp->context, wordOf(f, op.src[0], lane));
      return {range.data, range.data ? range.size : 0, offset};
    }
    case isa::Space::WideBuffer: {
      const Range range = wideBufferRange(*f.warp->context, f.words(op.src[0]), lane);
      return {range.data, range.size, offset};
    }
    case isa::Space::Shared: return {f.warp->shared, f.warp->shared ? f.code->sharedBytes : 0u, offset};
    case isa::Space::Global: {
      const LaneWords* address = f.words(op.src[0]);
      const uint64_t base = address[0].lane[lane] | static_cast<uint64_t>(address[1].lane[lane]) << 32;
      return {base < kFirstAddress ? nullptr : reinterpret_cast<std::byte*>(base), 0, offset, false};
    }
    default: return recordPlace(op, f, lane);
  }
}

/// Whether an address may be looked at; unchecked unless addresses are (runtime/base/live_memory.h).
bool isLive(const std::byte* at, uint32_t bytes) {
  return !checksAddresses() || isLiveMemory(reinterpret_cast<uintptr_t>(at), bytes);
}

bool isOutside(isa::Space space) { return isa::spaceInfo(space).access == isa::SpaceInfo::Access::Atomic; }

}  // namespace

Stepper::Stepper(const Code& code, abi::Warp* warp) : state_(std::make_unique<State>()) {
  state_->code = &code;
  state_->frame.warp = warp;
  enterAgain();
}

void Stepper::enterAgain() {
  State& s = *state_;
  abi::Warp* const warp = s.frame.warp;
  const Op* first = enter(s.frame, *s.code, warp, s.stack, &s.localBase);
  if (warp->active) s.op = first;
}

void Stepper::forEachAccess(const isa::Inst& inst, const std::function<void(const Access&)>& see) const {
  const Op& op = *state_->op;
  Frame& f = state_->frame;
  const isa::Opcode code = inst.op;
  if ((code != isa::Opcode::Ld && code != isa::Opcode::St && code != isa::Opcode::Atom) ||
      !isOutside(static_cast<isa::Space>(op.sub)))
    return;
  const bool records =
      op.sub == static_cast<uint8_t>(isa::Space::OutRecord) || op.sub == static_cast<uint8_t>(isa::Space::Patch);
  const bool atomic = code == isa::Opcode::Atom;
  const bool writes = code != isa::Opcode::Ld;
  // Records are words, whatever the type; helper invocations write nothing.
  const uint32_t bytes = records ? 4 : isa::typeBytes(op.type);
  const uint32_t count = atomic ? 1 : records ? op.count * isa::typeWords(op.type) : op.count;
  for (LaneMask left = writes ? f.exec & ~f.warp->helper : f.exec; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const Place p = placeOf(op, f, lane);
    for (uint32_t e = 0; e < count; ++e) {
      const uint64_t at = p.offset + uint64_t(e) * bytes;
      const bool inside = p.data && (p.checked ? at + bytes <= p.size : isLive(p.data + at, bytes));
      see({lane, inside ? p.data + at : nullptr, bytes, writes});
    }
  }
}

std::span<std::byte> Stepper::control() {
  State& s = *state_;
  const size_t bytes = offsetof(State, stack) + s.code->maxDepth * sizeof(MaskEntry);
  return {reinterpret_cast<std::byte*>(&s), bytes};
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

namespace {
/// All nulls for the null descriptor.
abi::ImageDescriptor imageDescriptor(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const std::byte* const slot = resolve(context, handle);
  abi::ImageDescriptor d;
  if (slot) std::memcpy(&d, slot, sizeof d);
  return d;
}
}  // namespace

const tex::ImageView* imageOf(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  return imageDescriptor(context, handle).view;
}

const tex::Sampler* samplerOf(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  return imageDescriptor(context, handle).sampler;
}

std::span<std::byte> bufferBytes(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const Range range = bufferRange(context, handle);
  return {range.data, range.data ? range.size : 0};
}

}  // namespace etzel::interp
