// Subgroup operations, once per target.
#include <cstring>

#include "compiler/exec/interp/vector/elements.h"
#include "compiler/exec/interp/vector/finders.h"
#include "compiler/exec/interp/vector/scalars.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

const Op* ballot(const Op* op, Frame& f) {
  word(f, op->dst) = splat<U32x8>(nonZeroLanes(word(f, op->src[0])) & f.exec);
  return op + 1;
}
const Op* firstLane(const Op* op, Frame& f) {
  const uint32_t lane = f.exec ? firstOf(f.exec) : 0;
  const LaneWords* from = f.words(op->src[0]);
  for (uint32_t w = 0; w < op->count; ++w) word(f, op->dst, w) = splat<U32x8>(from[w].lane[lane]);
  return op + 1;
}
const Op* shuffle(const Op* op, Frame& f) {
  const U32x8 index = word(f, op->src[1]);
  const LaneWords* from = f.words(op->src[0]);
  if (const uint32_t lane = index[0]; lane < kWarpLanes && !nonZeroLanes(index ^ lane)) {
    for (uint32_t w = 0; w < op->count; ++w) word(f, op->dst, w) = splat<U32x8>(from[w].lane[lane]);
    return op + 1;
  }
  for (uint32_t w = 0; w < op->count; ++w) {
    U32x8 r;
    for (uint32_t i = 0; i < 8; ++i) r[i] = index[i] < kWarpLanes ? from[w].lane[index[i]] : 0;
    word(f, op->dst, w) = r;
  }
  return op + 1;
}

template <Type T>
const Op* allEqual(const Op* op, Frame& f) {
  const LaneWords* from = f.words(op->src[0]);
  bool same = true;
  if (f.exec) {
    const auto first = Scalar<T>::get(from, firstOf(f.exec));
    for (LaneMask left = f.exec; left; left &= left - 1)
      same &= Scalar<T>::same(first, Scalar<T>::get(from, firstOf(left)));
  }
  word(f, op->dst) = splat<U32x8>(same ? ~0u : 0);
  return op + 1;
}
template <Type T>
const Op* reduce(const Op* op, Frame& f) {
  using E = Scalar<T>;
  const isa::ReduceOp r = static_cast<isa::ReduceOp>(op->sub);
  const LaneWords* from = f.words(op->src[0]);
  LaneWords* to = f.words(op->dst);
  typename E::S v[kWarpLanes], next[kWarpLanes];
  for (uint32_t i = 0; i < kWarpLanes; ++i) v[i] = f.exec >> i & 1 ? E::get(from, i) : E::identity(r);
  const uint32_t cluster = op->imm ? op->imm : kWarpLanes;
  for (uint32_t distance = 1; distance < cluster; distance *= 2) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) next[i] = E::step(r, v[i & ~distance], v[i | distance]);
    std::memcpy(v, next, sizeof v);
  }
  for (uint32_t i = 0; i < kWarpLanes; ++i) E::put(to, i, v[i]);
  return op + 1;
}
template <Type T, bool Inclusive>
const Op* scan(const Op* op, Frame& f) {
  using E = Scalar<T>;
  const isa::ReduceOp r = static_cast<isa::ReduceOp>(op->sub);
  const LaneWords* from = f.words(op->src[0]);
  typename E::S v[kWarpLanes];
  for (uint32_t i = 0; i < kWarpLanes; ++i) v[i] = E::identity(r);
  const uint32_t cluster = op->imm ? op->imm : kWarpLanes;
  typename E::S sum = E::identity(r);
  bool first = true;
  uint32_t end = 0;  // of the cluster
  for (LaneMask left = f.exec; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    if (i >= end) sum = E::identity(r), first = true, end = (i / cluster + 1) * cluster;
    const auto own = E::get(from, i);
    const auto next = first ? own : E::step(r, sum, own);
    v[i] = Inclusive ? next : sum;
    sum = next, first = false;
  }
  LaneWords* to = f.words(op->dst);
  for (uint32_t i = 0; i < kWarpLanes; ++i) E::put(to, i, v[i]);
  return op + 1;
}

#define ETZEL_ANY_TYPE(t, handler, ...)              \
  (t == Type::I32   ? handler<Type::I32 __VA_ARGS__> \
   : t == Type::I64 ? handler<Type::I64 __VA_ARGS__> \
   : t == Type::I16 ? handler<Type::I16 __VA_ARGS__> \
   : t == Type::I8  ? handler<Type::I8 __VA_ARGS__>  \
   : t == Type::F32 ? handler<Type::F32 __VA_ARGS__> \
   : t == Type::F64 ? handler<Type::F64 __VA_ARGS__> \
                    : handler<Type::F16 __VA_ARGS__>)
#define ETZEL_COMMA ,

}  // namespace

Handler subgroupHandler(const isa::Inst& inst) {
  const Type t = inst.type;
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::SgBallot: return ballot;
    case Opcode::SgFirst: return firstLane;
    case Opcode::SgShuffle: return shuffle;
    case Opcode::SgAllEq: return ETZEL_ANY_TYPE(t, allEqual);
    case Opcode::SgReduce: return ETZEL_ANY_TYPE(t, reduce);
    case Opcode::SgScanI: return ETZEL_ANY_TYPE(t, scan, ETZEL_COMMA true);
    case Opcode::SgScanE: return ETZEL_ANY_TYPE(t, scan, ETZEL_COMMA false);
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
