// The frame around quick code, calls of handlers, and control flow as control_handlers.cpp says it.
#include "compiler/exec/quick/x64/generator.h"

namespace etzel::quick::x64 {

Assembled generate(const isa::Program& program, const Layout& layout) { return Generator(program, layout).run(); }

Assembled Generator::run() {
  for (uint32_t v : {0x80000000u, 0x7FFFFFFFu, 0u, 31u, ~0u, 0x3F800000u})
    for (uint32_t i = 0; i < kWarpLanes; ++i) a.word(v ? v : 1u << i);
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
    if (known && value(op, program_.code[inst])) continue;
    if (known && flow(op, i, program_.code[inst])) continue;
    if (second && isa::isExtension(program_.code[inst].op)) {
      copy(op, program_.code[inst].masked);
      continue;
    }
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

/// Whether something else than the Op before leads to Op `i`: lanes meet again there, a loop or a barrier goes on.
bool Generator::entered(uint32_t i) const {
  if (code_.usesBase) return true;
  const auto joins = [&](uint32_t at) {
    const uint32_t inst = code_.instOf[at];
    if (inst >= program_.code.size()) return true;
    const Opcode op = program_.code[inst].op;
    return op == Opcode::Else || isa::closesScope(op);
  };
  const uint32_t before = code_.instOf[i - 1];
  const Opcode last = program_.code[before].op;
  return joins(i) || last == Opcode::Loop || last == Opcode::Barrier;
}

void Generator::prologue() {
  enter_ = a.here();
  for (uint8_t r : {kRbx, kRbp, kR12, kR13, kR14, kR15}) a.push(r);
  a.moveStack(-8);
  a.move64(kFrame, kRdi);
  for (uint32_t h = 0; h + 1 < kHomes; ++h)
    a.load64(kBankBase[h], inFrame(offsetof(Frame, base) + h * sizeof(std::byte*)));
  a.jumpReg(kRsi);
  // Where a handler says that another instruction comes next: rax is its Op, null to leave. A table in front of
  // nothing but ourselves would need relocating, so C++ looks the address up.
  a.bind(dispatch_);
  a.test64(kRax, kRax);
  a.jumpIfZero(leave_);
  a.move64(kRdi, kRax);
  a.set64(kRsi, reinterpret_cast<uint64_t>(&layout_));
  a.set64(kRax, reinterpret_cast<uint64_t>(&addressOf));
  a.callReg(kRax);
  a.jumpReg(kRax);
}
void Generator::epilogue() {
  a.bind(leave_);
  a.zeroUpper();
  a.moveStack(8);
  for (uint8_t r : {kR15, kR14, kR13, kR12, kRbp, kRbx}) a.pop(r);
  a.ret();
}

// --- Control flow, as control_handlers.cpp says it
uint32_t Generator::labelAt(uint32_t i, int32_t distance) const {
  return firstLabel_ + static_cast<uint32_t>(static_cast<int32_t>(i) + distance);
}
Mem Generator::entryOf(uint32_t slot, uint32_t part) {
  return {kRdx, static_cast<int32_t>(slot * sizeof(MaskEntry) + part)};
}
/// eax = lanes whose word is 0.
void Generator::zeroLanes(Location l) {
  const uint8_t x = in(l);
  a.vex(kVpxor, 0, 0, uint8_t{0});
  a.vex(kVpcmpeqd, 0, 0, x);
  a.vex(kVmovmskps, kRax, 0, uint8_t{0});
}
/// The lanes that cl lacks are gone from the open scopes.
void Generator::keepInScopes(uint32_t first, uint32_t depth) {
  for (uint32_t s = first; s < depth; ++s) a.and8(entryOf(s), kRcx);
}
/// exec = ecx; goes to where lanes may meet again when it is empty.
void Generator::setExec(uint32_t i, const Op& op) {
  a.store32(kExec, kRcx);
  a.test32(kRcx, kRcx);
  a.jumpIfZero(labelAt(i, op.jump));
}

bool Generator::flow(const Op& op, uint32_t i, const Inst& inst) {
  switch (inst.op) {
    case Opcode::If:
      zeroLanes(op.src[0]);
      a.load32(kRcx, kExec);
      a.load64(kRdx, kStack);
      a.and32(kRax, kRcx);
      a.store8(entryOf(op.slot), kRcx);
      a.store8(entryOf(op.slot, 1), kRax);
      a.xor32(kRcx, kRax);
      setExec(i, op);
      return true;
    case Opcode::Else:
      a.load64(kRdx, kStack);
      a.loadByte(kRcx, entryOf(op.slot, 1));
      a.store8(entryOf(op.slot, 1), int8_t{0});
      setExec(i, op);
      return true;
    case Opcode::EndIf:
    case Opcode::EndBlock:
      a.load64(kRdx, kStack);
      a.loadByte(kRcx, entryOf(op.slot));
      setExec(i, op);
      return true;
    case Opcode::Block:
      a.load64(kRdx, kStack);
      a.load32(kRcx, kExec);
      a.store16(entryOf(op.slot), kRcx);  // lanes and `other`, which is 0
      return true;
    case Opcode::Loop: return true;
    case Opcode::EndLoop: {
      const uint32_t head = labelAt(i, static_cast<int32_t>(op.imm));
      a.load32(kRcx, kExec);
      a.test32(kRcx, kRcx);
      a.jumpIfZero(labelAt(i, op.jump));
      a.load64(kRax, inFrame(offsetof(Frame, warp)));
      a.load64(kRax, {kRax, offsetof(abi::Warp, context)});
      a.load64(kRax, {kRax, offsetof(abi::DispatchContext, cancel)});
      a.test64(kRax, kRax);
      a.jumpIfZero(head);
      a.compare32(Mem{kRax, 0}, 0);
      a.jumpIfZero(head);
      a.store32(kStatus, static_cast<uint32_t>(abi::WarpStatus::Cancelled));
      a.jump(leave_);
      return true;
    }
    case Opcode::Br:
    case Opcode::Ret:
      a.load64(kRdx, kStack);
      a.load32(kRcx, kExec);
      a.not32(kRcx);
      keepInScopes(inst.op == Opcode::Br ? op.slot + 1u : 0u, op.depth);
      a.store32(kExec, uint32_t{0});
      a.jump(labelAt(i, op.jump));
      return true;
    case Opcode::BrC:
      zeroLanes(op.src[0]);
      a.load32(kRcx, kExec);
      a.and32(kRax, kRcx);  // those that stay
      a.compare32(kRax, kRcx);
      a.jumpIfZero(labelAt(i, 1));
      a.load64(kRdx, kStack);
      a.xor32(kRcx, kRax);
      a.not32(kRcx);
      keepInScopes(op.slot + 1u, op.depth);
      a.move64(kRcx, kRax);
      setExec(i, op);
      return true;
    default: return false;
  }
}

}  // namespace etzel::quick::x64
