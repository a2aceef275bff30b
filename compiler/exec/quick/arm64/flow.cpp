// The frame around quick code, calls of handlers, and control flow as control_handlers.cpp says it.
#include "compiler/exec/quick/arm64/generator.h"

namespace etzel::quick::arm64 {
namespace {

// Registers that calls don't preserve.
constexpr Gpr kZeroes = 8, kLanes = 9, kScopes = 10, kOther = 11;
constexpr uint32_t kSavedBytes = 80;

}  // namespace

Assembled generate(const isa::Program& program, const Layout& layout) { return Generator(program, layout).run(); }

Assembled Generator::run() {
  for (uint32_t i = 0; i < kWarpLanes; ++i) a.word(1u << i);
  firstLabel_ = a.newLabels(static_cast<uint32_t>(code_.ops.size()));
  leave_ = a.newLabels(1), dispatch_ = a.newLabels(1);
  prologue();
  for (uint32_t i = 0; i < code_.ops.size(); ++i) {
    a.bind(firstLabel_ + i);
    const Op& op = code_.ops[i];
    const uint32_t inst = code_.instOf[i];
    const bool second = i > 0 && code_.instOf[i - 1] == inst;  // what the decoder adds to an instruction
    const bool known = inst < program_.code.size() && !second;
    if (i == 0 || entered(i)) forget();
    needed_ = 0;
    if (known && (value(op, program_.code[inst]) || flow(op, i, program_.code[inst]))) continue;
    if (second && isa::isExtension(program_.code[inst].op))
      copy(op, program_.code[inst].masked);
    else
      call(op, !known || mayJump(program_.code[inst]));
  }
  epilogue();
  a.resolve();
  Assembled code;
  code.enter = enter_;
  for (uint32_t i = 0; i < code_.ops.size(); ++i) code.ops.push_back(a.addressOf(firstLabel_ + i));
  code.bytes = std::move(a.bytes);
  return code;
}

bool Generator::entered(uint32_t i) const {
  if (code_.usesBase) return true;
  const uint32_t inst = code_.instOf[i];
  if (inst >= program_.code.size()) return true;
  const Opcode op = program_.code[inst].op, last = program_.code[code_.instOf[i - 1]].op;
  return op == Opcode::Else || isa::closesScope(op) || last == Opcode::Loop || last == Opcode::Barrier;
}

void Generator::prologue() {
  enter_ = a.here();
  a.makeRoom(kSavedBytes);
  a.saveTwo(29, kLink, 0);
  for (Gpr r = kFrame; r < kLaneBits; r += 2) a.saveTwo(r, r + 1, 16 + 8u * (r - kFrame));
  a.saveTwo(kLaneBits, kZero, 64);
  a.move64(kFrame, 0);
  for (uint32_t h = 0; h + 1 < kHomes; ++h)
    a.load64(static_cast<Gpr>(kFirstBank + h), inFrame(offsetof(Frame, base) + h * sizeof(std::byte*)));
  a.codeAddress(kLaneBits, 0);
  a.jumpReg(1);
  // Where a handler says that another instruction comes next: x0 is its Op, null to leave. A table in front of
  // nothing but ourselves would need relocating, so C++ looks the address up.
  a.bind(dispatch_);
  a.jumpIfZero(leave_, 0);
  a.set(1, reinterpret_cast<uint64_t>(&layout_));
  a.set(kScratch, reinterpret_cast<uint64_t>(&addressOf));
  a.callReg(kScratch);
  a.jumpReg(0);
}
void Generator::epilogue() {
  a.bind(leave_);
  a.restoreTwo(kLaneBits, kZero, 64);
  for (Gpr r = kFrame; r < kLaneBits; r += 2) a.restoreTwo(r, r + 1, 16 + 8u * (r - kFrame));
  a.restoreTwo(29, kLink, 0);
  a.takeBack(kSavedBytes);
  a.ret();
}

void Generator::call(const Op& op, bool jumps) {
  forget();
  a.set(0, reinterpret_cast<uint64_t>(&op));
  a.move64(1, kFrame);
  a.set(kScratch, reinterpret_cast<uint64_t>(op.handler));
  a.callReg(kScratch);
  if (jumps) a.jump(dispatch_);
}

uint32_t Generator::labelAt(uint32_t i, int32_t distance) const {
  return firstLabel_ + static_cast<uint32_t>(static_cast<int32_t>(i) + distance);
}
Mem Generator::entryOf(uint32_t slot, uint32_t part) {
  constexpr uint32_t kReach = 4095;  // of the offset of a byte
  const Mem entry{kScopes, slot * static_cast<uint32_t>(sizeof(MaskEntry)) + part};
  if (entry.offset <= kReach) return entry;
  a.addAddress(kScratch, kScopes, entry.offset);
  return {kScratch, 0};
}
void Generator::zeroLanes(Location l) {
  const Pair x = in(l);
  a.both(kCmeqZero, 0, x);
  a.load(1, {kLaneBits, 0});
  a.both(kAnd, 0, 0, 1);
  a.one(kOrr, 0, 0, 1);  // registers 0 and 1: the pair's halves
  a.sumOfLanes(kZeroes, 0);
}
void Generator::leaveScopes(uint32_t first, uint32_t depth) {
  for (uint32_t s = first; s < depth; ++s) {
    a.loadByte(kOther, entryOf(s));
    a.andNot32(kOther, kOther, kLanes);
    a.store8(entryOf(s), kOther);
  }
}
void Generator::setExec(uint32_t i, const Op& op) {
  a.store32(kExec, kLanes);
  a.jumpIfZero32(labelAt(i, op.jump), kLanes);
}

void Generator::endLoop(const Op& op, uint32_t i) {
  const uint32_t head = labelAt(i, static_cast<int32_t>(op.imm));
  a.load32(kLanes, kExec);
  a.jumpIfZero32(labelAt(i, op.jump), kLanes);
  a.load64(kOther, inFrame(offsetof(Frame, warp)));
  a.load64(kOther, {kOther, offsetof(abi::Warp, context)});
  a.load64(kOther, {kOther, offsetof(abi::DispatchContext, cancel)});
  a.jumpIfZero(head, kOther);
  a.load32(kOther, {kOther, 0});
  a.jumpIfZero32(head, kOther);
  a.set(kOther, static_cast<uint64_t>(abi::WarpStatus::Cancelled));
  a.store32(kStatus, kOther);
  a.jump(leave_);
}

bool Generator::flow(const Op& op, uint32_t i, const Inst& inst) {
  switch (inst.op) {
    case Opcode::If:
      zeroLanes(op.src[0]);
      a.load32(kLanes, kExec);
      a.load64(kScopes, kStack);
      a.and32(kZeroes, kZeroes, kLanes);
      a.store8(entryOf(op.slot), kLanes);
      a.store8(entryOf(op.slot, 1), kZeroes);
      a.xor32(kLanes, kLanes, kZeroes);
      setExec(i, op);
      return true;
    case Opcode::Else:
      a.load64(kScopes, kStack);
      a.loadByte(kLanes, entryOf(op.slot, 1));
      a.store8(entryOf(op.slot, 1), kZero);
      setExec(i, op);
      return true;
    case Opcode::EndIf:
    case Opcode::EndBlock:
      a.load64(kScopes, kStack);
      a.loadByte(kLanes, entryOf(op.slot));
      setExec(i, op);
      return true;
    case Opcode::Block:
      a.load64(kScopes, kStack);
      a.load32(kLanes, kExec);
      a.store16(entryOf(op.slot), kLanes);  // lanes and `other`, which is 0
      return true;
    case Opcode::Loop: return true;
    case Opcode::EndLoop: endLoop(op, i); return true;
    case Opcode::Br:
    case Opcode::Ret:
      a.load64(kScopes, kStack);
      a.load32(kLanes, kExec);
      leaveScopes(inst.op == Opcode::Br ? op.slot + 1u : 0u, op.depth);
      a.store32(kExec, kZero);
      a.jump(labelAt(i, op.jump));
      return true;
    case Opcode::BrC:
      zeroLanes(op.src[0]);
      a.load32(kLanes, kExec);
      a.and32(kZeroes, kZeroes, kLanes);  // those that stay
      a.xor32(kLanes, kLanes, kZeroes);
      a.jumpIfZero32(labelAt(i, 1), kLanes);
      a.load64(kScopes, kStack);
      leaveScopes(op.slot + 1u, op.depth);
      a.move64(kLanes, kZeroes);
      setExec(i, op);
      return true;
    default: return false;
  }
}

}  // namespace etzel::quick::arm64
