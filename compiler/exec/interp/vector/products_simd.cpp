// Products of matrices whose rows are lanes, once per target.
#include "compiler/exec/interp/vector/elements.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

/// `N` columns at a time, which a register each holds.
template <Type T, uint32_t N>
const Op* product(const Op* op, Frame& f) {
  const LaneWords* rows = f.words(op->src[1]);
  U32x8 all[8];
  for (uint32_t first = 0; first < op->count; first += N) {
    U32x8 sum[N];
    for (uint32_t j = 0; j < N; ++j) sum[j] = word(f, op->src[2], first + j);
    for (uint32_t k = 0; k < kWarpLanes; ++k) {
      const U32x8 factor = word(f, op->src[0], k);
      for (uint32_t j = 0; j < N; ++j) {
        const U32x8 other = splat<U32x8>(rows[first + j].lane[k]);
        if constexpr (T == Type::F32)
          sum[j] = (U32x8)simd::fma((F32x8)factor, (F32x8)other, (F32x8)sum[j]);
        else
          sum[j] += factor * other;
      }
    }
    for (uint32_t j = 0; j < N; ++j) all[first + j] = sum[j];
  }
  for (uint32_t j = 0; j < op->count; ++j) word(f, op->dst, j) = all[j];  // the destination may be a source
  return op + 1;
}

}  // namespace

Handler productHandler(const isa::Inst& inst) {
  if (inst.op != isa::Opcode::SgProduct) return nullptr;
  if (inst.count == 8) return inst.type == Type::F32 ? product<Type::F32, 8> : product<Type::I32, 8>;
  return inst.type == Type::F32 ? product<Type::F32, 1> : product<Type::I32, 1>;
}

}  // namespace etzel::interp::ETZEL_TARGET
