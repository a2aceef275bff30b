// Operands and results of ATTILA's base instructions (docs/isa.md, Base encoding): banks, relative addressing,
// swizzles, modifiers; masks, saturation, guards. Private to this folder.
#pragma once

#include <algorithm>
#include <bit>

#include "compiler/exec/interp/frame.h"

namespace etzel::interp::base {

using isa::Bank;
using isa::BaseFields;
using isa::Inst;

/// A register of a warp.
struct Vec4 {
  LaneWords c[4];
  float get(uint32_t component, uint32_t lane) const { return std::bit_cast<float>(c[component].lane[lane]); }
  void put(uint32_t component, uint32_t lane, float v) { c[component].lane[lane] = std::bit_cast<uint32_t>(v); }
};

/// The active lanes that the guard lets through.
inline LaneMask guardLanes(const Inst& inst, const Frame& f) {
  if (!inst.predicated) return f.exec;
  const LaneMask p = f.baseState->predicate[inst.predicate];
  return f.exec & (inst.invertPredicate ? ~p : p);
}

// Fragments: i0 is the window position, i1.. the interpolated locations 0.. ("Fragment conventions").
inline uint32_t fragmentInput(const Frame& f, uint32_t reg, uint32_t component, uint32_t lane) {
  using abi::SysValue;
  const LaneWords* sys = f.warp->sys;
  if (reg == 0) return sys[static_cast<uint32_t>(SysValue::FragCoordX) + component].lane[lane];
  if (!f.warp->primitive || reg > abi::kMaxLocations) return 0;
  const abi::PrimitiveSetup& p = *f.warp->primitive;
  const float x = std::bit_cast<float>(sys[static_cast<uint32_t>(SysValue::PosX)].lane[lane]) - p.x0;
  const float y = std::bit_cast<float>(sys[static_cast<uint32_t>(SysValue::PosY)].lane[lane]) - p.y0;
  const float l1 = x * p.l1dx + y * p.l1dy, l2 = x * p.l2dx + y * p.l2dy;
  const float w = p.w[0] + l1 * (p.w[1] - p.w[0]) + l2 * (p.w[2] - p.w[0]);
  const float i = l1 * p.w[1] / w, j = l2 * p.w[2] / w;
  const uint32_t at = abi::locationWord(reg - 1, component);
  float a[3];
  for (uint32_t v = 0; v < 3; ++v) a[v] = std::bit_cast<float>(p.record[v][at]);
  return std::bit_cast<uint32_t>(a[0] + i * (a[1] - a[0]) + j * (a[2] - a[0]));
}

inline uint32_t rawWord(const Inst& inst, Frame& f, uint32_t operand, uint32_t component, uint32_t lane) {
  const BaseFields& b = inst.base;
  const uint32_t reg = b.reg[operand];
  switch (b.bank[operand]) {
    case Bank::In:
      if (f.code->stage == abi::Stage::Fragment) return fragmentInput(f, reg, component, lane);
      return f.warp->in ? f.warp->in[4 * reg + component].lane[lane] : 0;
    case Bank::Temp: return f.warp->registers[4 * reg + component].lane[lane];
    case Bank::Addr: return f.baseState->address[4 * reg + component].lane[lane];
    case Bank::Imm: return inst.imm;
    case Bank::Param:
    case Bank::Param2: {
      int64_t index = reg + (b.bank[operand] == Bank::Param2 ? 256 : 0);
      if (b.relative)
        index +=
            static_cast<int64_t>(static_cast<int32_t>(f.baseState->address[4 * b.relReg + b.relComponent].lane[lane])) +
            b.relOffset;
      if (index < 0 || index * 4 + component >= f.code->paramWords) return 0;
      return f.code->constants[static_cast<size_t>(index) * 4 + component].lane[lane];
    }
    default: return 0;
  }
}

inline uint32_t modify(const Inst& inst, uint32_t operand, uint32_t v, bool integer) {
  const BaseFields& b = inst.base;
  if (integer) {
    if (b.absolute[operand] && static_cast<int32_t>(v) < 0) v = 0u - v;
    return b.negate[operand] ? 0u - v : v;
  }
  if (b.absolute[operand]) v &= 0x7FFFFFFF;
  return b.negate[operand] ? v ^ 0x80000000 : v;
}

/// An operand behind its swizzle and modifiers; `integer`: the modifiers are two's complement ones.
inline Vec4 readVector(const Inst& inst, Frame& f, uint32_t operand, bool integer = false) {
  Vec4 r;
  const bool immediate = inst.base.bank[operand] == Bank::Imm;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t from = immediate ? c : inst.base.swizzle[operand] >> (6 - 2 * c) & 3;
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      r.c[c].lane[l] = modify(inst, operand, rawWord(inst, f, operand, from, l), integer);
  }
  return r;
}
/// A scalar operand.
inline LaneWords readSelect(const Inst& inst, Frame& f, uint32_t operand, bool integer = false) {
  LaneWords r;
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    r.lane[l] = modify(inst, operand, rawWord(inst, f, operand, inst.base.swizzle[operand] & 3, l), integer);
  return r;
}

inline LaneWords* resultRegister(const Inst& inst, Frame& f) {
  const uint32_t word = 4u * inst.base.resultReg;
  switch (inst.base.resultBank) {
    case Bank::Out: return f.warp->out + word;
    case Bank::Addr: return f.baseState->address + word;
    default: return f.warp->registers + word;
  }
}
inline float saturate(float v) { return v > 0.0f ? std::min(v, 1.0f) : v == 0.0f ? v : 0.0f; }  // NaN gives 0

/// To the masked components of `lanes`; saturates unless `integer`.
inline void writeResult(const Inst& inst, Frame& f, Vec4& v, LaneMask lanes, bool integer = false) {
  LaneWords* to = resultRegister(inst, f);
  for (uint32_t c = 0; c < 4; ++c) {
    if (!(inst.base.mask & (8u >> c))) continue;
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      if (lanes >> l & 1)
        to[c].lane[l] =
            inst.base.saturate && !integer ? std::bit_cast<uint32_t>(saturate(v.get(c, l))) : v.c[c].lane[l];
  }
}
inline void broadcast(Vec4& v) { v.c[1] = v.c[2] = v.c[3] = v.c[0]; }

/// Attributes, kills, exports, derivatives, textures; null for other instructions.
Handler pixelHandler(const Inst& inst);

}  // namespace etzel::interp::base
