// What instructions do beside giving a result: barriers, emitted vertices, discards that go on, clocks.
#include "compiler/lower/instructions.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using O = spv::Op;
using isa::Type;

void lowerControlBarrier(Lowerer& l, const spirv::Instruction& inst) {
  uint32_t scope = static_cast<uint32_t>(spv::Scope::Workgroup);
  l.constantU32(inst.operand(0), &scope);
  // The lanes of a subgroup run in step; only wider barriers wait.
  l.b.control(Opcode::MemBar);
  if (scope != static_cast<uint32_t>(spv::Scope::Subgroup) && !mutated(Mutant::Barrier)) l.b.control(Opcode::Barrier);
}

void lowerMemoryBarrier(Lowerer& l, const spirv::Instruction& inst) { l.b.control(Opcode::MemBar); }

void lowerEmitVertex(Lowerer& l, const spirv::Instruction& inst) { l.b.control(Opcode::Emit, {}, 0); }

void lowerEndPrimitive(Lowerer& l, const spirv::Instruction& inst) {
  if (mutated(Mutant::GeometryCut)) return;
  l.b.control(Opcode::Cut, {}, 0);
}

void lowerEmitStreamVertex(Lowerer& l, const spirv::Instruction& inst) {
  l.b.control(Opcode::Emit, {}, l.constantOr(inst.operand(0), 0));
}

void lowerEndStreamPrimitive(Lowerer& l, const spirv::Instruction& inst) {
  l.b.control(Opcode::Cut, {}, l.constantOr(inst.operand(0), 0));
}

void lowerDemote(Lowerer& l, const spirv::Instruction& inst) {
  l.info().discards = true;
  l.b.control(Opcode::Demote);
}

void lowerIsHelper(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, l.b.value(Opcode::Helper, Type::I32));
}

/// Fragments of one pixel run one after the other already, and what is assumed to be true is not looked at.
void lowerNothing(Lowerer&, const spirv::Instruction&) {}

void lowerReadClock(Lowerer& l, const spirv::Instruction& inst) {
  const Operand ticks = l.b.value(Opcode::Clock, Type::I32);
  l.setResult(inst,
              l.type(inst.type).kind == TypeKind::Vector ? Lowerer::split(ticks, 2) : std::vector<Operand>{ticks});
}

}  // namespace

void addEffects(LoweringTable& table) {
  table.add({
      {O::OpControlBarrier, lowerControlBarrier},
      {O::OpMemoryBarrier, lowerMemoryBarrier},
      {O::OpEmitVertex, lowerEmitVertex},
      {O::OpEndPrimitive, lowerEndPrimitive},
      {O::OpEmitStreamVertex, lowerEmitStreamVertex},
      {O::OpEndStreamPrimitive, lowerEndStreamPrimitive},
      {O::OpDemoteToHelperInvocation, lowerDemote},
      {O::OpIsHelperInvocationEXT, lowerIsHelper},
      {O::OpBeginInvocationInterlockEXT, lowerNothing},
      {O::OpEndInvocationInterlockEXT, lowerNothing},
      {O::OpAssumeTrueKHR, lowerNothing},
      {O::OpReadClockKHR, lowerReadClock},
  });
}

}  // namespace etzel::lower
