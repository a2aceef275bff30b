// Moves, inputs, interpolation and derivatives, once per target.
#include <cstring>

#include "compiler/exec/interp/sample_location.h"
#include "compiler/exec/interp/vector/elements.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {

const Op* moveMany(const Op* op, Frame& f) {
  for (uint32_t w = 0; w < op->count; ++w) word(f, op->dst, w) = word(f, op->src[0], w);
  return op + 1;
}
const Op* blend(const Op* op, Frame& f) {
  if (f.exec == kAllLanes) return moveMany(op, f);
  const U32x8 mask = simd::fromLaneMask<U32x8>(f.exec);
  for (uint32_t w = 0; w < op->count; ++w)
    word(f, op->dst, w) = simd::select(mask, word(f, op->src[0], w), word(f, op->dst, w));
  return op + 1;
}

namespace {

// --- Moves
template <uint32_t N>
const Op* move(const Op* op, Frame& f) {
  U32x8 v[N];
  for (uint32_t w = 0; w < N; ++w) v[w] = word(f, op->src[0], w);
  for (uint32_t w = 0; w < N; ++w) word(f, op->dst, w) = v[w];
  return op + 1;
}
const Op* loadImmediate(const Op* op, Frame& f) {
  word(f, op->dst) = splat<U32x8>(op->imm);
  return op + 1;
}
template <uint32_t N>
const Op* select(const Op* op, Frame& f) {
  const U32x8 mask = (U32x8)(word(f, op->src[0]) != 0u);
  const uint32_t words = N ? N : op->count;
  for (uint32_t w = 0; w < words; ++w)
    word(f, op->dst, w) = simd::select(mask, word(f, op->src[1], w), word(f, op->src[2], w));
  return op + 1;
}
const Op* helperLanes(const Op* op, Frame& f) {
  word(f, op->dst) = simd::fromLaneMask<U32x8>(f.warp->helper);
  return op + 1;
}

// --- Fragment interpolation (kernel.h, PrimitiveSetup)
const Op* barycentric(const Op* op, Frame& f) {
  const abi::PrimitiveSetup& p = *f.warp->primitive;
  const LaneWords* sys = f.warp->sys;
  auto at = [&](abi::SysValue v) {
    return (F32x8) * reinterpret_cast<const AliasedU32x8*>(&sys[static_cast<uint32_t>(v)]);
  };
  F32x8 x, y;
  switch (static_cast<isa::BaryMode>(op->sub & 3)) {
    case isa::BaryMode::Centroid: x = at(abi::SysValue::CentroidX), y = at(abi::SysValue::CentroidY); break;
    case isa::BaryMode::Sample: x = at(abi::SysValue::SamplePixelX), y = at(abi::SysValue::SamplePixelY); break;
    case isa::BaryMode::Offset:
      // From the pixel's centre, also when invocations run per sample.
      x = simd::floor(at(abi::SysValue::PosX)) + 0.5f + (F32x8)word(f, op->src[0]);
      y = simd::floor(at(abi::SysValue::PosY)) + 0.5f + (F32x8)word(f, op->src[1]);
      break;
    default: x = at(abi::SysValue::PosX), y = at(abi::SysValue::PosY); break;
  }
  x -= p.x0, y -= p.y0;
  F32x8 l1 = x * p.l1dx + y * p.l1dy, l2 = x * p.l2dx + y * p.l2dy;
  if (!(op->sub & static_cast<uint8_t>(isa::BaryMode::Linear))) {
    const F32x8 w = splat<F32x8>(p.w[0]) + l1 * (p.w[1] - p.w[0]) + l2 * (p.w[2] - p.w[0]);
    l1 = l1 * p.w[1] / w, l2 = l2 * p.w[2] / w;
  }
  word(f, op->dst) = (U32x8)l1;
  word(f, op->dst, 1) = (U32x8)l2;
  return op + 1;
}
const Op* interpolate(const Op* op, Frame& f) {
  const abi::PrimitiveSetup& p = *f.warp->primitive;
  float a[3];
  if (op->imm < abi::kRecordWords)
    for (uint32_t v = 0; v < 3; ++v) std::memcpy(&a[v], p.record[v] + op->imm, sizeof(float));
  else
    for (uint32_t v = 0; v < 3; ++v) a[v] = p.vertices->barycentric[v][op->imm - abi::kWordBarycentric];
  const F32x8 i = (F32x8)word(f, op->src[0]), j = (F32x8)word(f, op->src[1]);
  word(f, op->dst) = (U32x8)(splat<F32x8>(a[0]) + i * (a[1] - a[0]) + j * (a[2] - a[0]));
  return op + 1;
}
const Op* flat(const Op* op, Frame& f) {
  word(f, op->dst) = splat<U32x8>(f.warp->primitive->flatRecord[op->imm]);
  return op + 1;
}
const Op* samplePosition(const Op* op, Frame& f) {
  const abi::DispatchContext& context = *f.warp->context;
  const U32x8 index = word(f, op->src[0]);
  F32x8 x, y;
  for (uint32_t i = 0; i < 8; ++i) {
    const SampleLocation l = sampleLocation(context, index[i]);
    x[i] = l.x, y[i] = l.y;
  }
  word(f, op->dst) = (U32x8)x;
  word(f, op->dst, 1) = (U32x8)y;
  return op + 1;
}

// --- Derivatives: lanes 4q..4q+3 are a quad, 1 right of 0, 2 below
template <int... lane>
ETZEL_INLINE F32x8 ofQuads(F32x8 v) {
  return __builtin_shufflevector(v, v, lane..., (4 + lane)...);
}
struct DdxCoarse {
  static ETZEL_INLINE F32x8 of(F32x8 v) { return ofQuads<1, 1, 1, 1>(v) - ofQuads<0, 0, 0, 0>(v); }
};
struct DdyCoarse {
  static ETZEL_INLINE F32x8 of(F32x8 v) { return ofQuads<2, 2, 2, 2>(v) - ofQuads<0, 0, 0, 0>(v); }
};
struct DdxFine {
  static ETZEL_INLINE F32x8 of(F32x8 v) { return ofQuads<1, 1, 3, 3>(v) - ofQuads<0, 0, 2, 2>(v); }
};
struct DdyFine {
  static ETZEL_INLINE F32x8 of(F32x8 v) { return ofQuads<2, 3, 2, 3>(v) - ofQuads<0, 1, 0, 1>(v); }
};
template <class Difference>
const Op* derivative(const Op* op, Frame& f) {
  word(f, op->dst) = (U32x8)Difference::of((F32x8)word(f, op->src[0]));
  return op + 1;
}

}  // namespace

Handler laneHandler(const isa::Inst& inst) {
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::XMov:
      switch (inst.count) {
        case 1: return inst.masked ? blend : move<1>;
        case 2: return inst.masked ? blend : move<2>;
        case 3: return inst.masked ? blend : move<3>;
        case 4: return inst.masked ? blend : move<4>;
        default: return inst.masked ? blend : moveMany;
      }
    case Opcode::LdImm: return loadImmediate;
    case Opcode::Sel: return inst.count == 1 ? select<1> : inst.count == 4 ? select<4> : select<0>;
    case Opcode::Sys: return move<1>;
    case Opcode::Helper: return helperLanes;
    case Opcode::Bary: return barycentric;
    case Opcode::Intrp: return interpolate;
    case Opcode::Flat: return flat;
    case Opcode::DdxC: return derivative<DdxCoarse>;
    case Opcode::DdyC: return derivative<DdyCoarse>;
    case Opcode::DdxF: return derivative<DdxFine>;
    case Opcode::DdyF: return derivative<DdyFine>;
    case Opcode::SmpPos: return samplePosition;
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
