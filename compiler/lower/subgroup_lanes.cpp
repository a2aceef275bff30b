#include "compiler/lower/subgroup_lanes.h"

#include <bit>

namespace etzel::lower {

using abi::SysValue;

namespace {

Operand i32(Lowerer& l, Opcode op, Operand a, uint32_t b) { return l.b.value(op, isa::Type::I32, a, l.imm(b)); }
/// The first lane of one's own subgroup.
Operand firstLane(Lowerer& l) { return i32(l, Opcode::And, laneOfWarp(l), kWarpLanes - subgroupSize(l)); }

}  // namespace

Operand laneOfSubgroup(Lowerer& l) {
  return isHalfWarp(l) ? i32(l, Opcode::And, laneOfWarp(l), subgroupSize(l) - 1) : laneOfWarp(l);
}

Operand laneOfOwnSubgroup(Lowerer& l, Operand i) {
  if (!isHalfWarp(l)) return i;
  return l.b.value(Opcode::Or, isa::Type::I32, i32(l, Opcode::And, i, subgroupSize(l) - 1), firstLane(l));
}

Operand bitsOfOwnSubgroup(Lowerer& l, Operand bitsOfWarp) {
  if (!isHalfWarp(l)) return bitsOfWarp;
  const Operand shifted = l.b.value(Opcode::Shr, isa::Type::I32, bitsOfWarp, firstLane(l));
  return i32(l, Opcode::And, shifted, (1u << subgroupSize(l)) - 1);
}

Operand subgroupId(Lowerer& l) {
  if (!isHalfWarp(l)) return l.sys(SysValue::SubgroupId);
  // Invocations are lanes in the order of their indices (runtime/task/dispatch.h).
  return i32(l, Opcode::Shr, l.sys(SysValue::LocalIndex), uint32_t(std::countr_zero(subgroupSize(l))));
}

Operand subgroupCount(Lowerer& l) {
  const auto& size = l.module.localSize;
  return l.imm(divideUp(size[0] * size[1] * size[2], isHalfWarp(l) ? subgroupSize(l) : kWarpLanes));
}

}  // namespace etzel::lower
