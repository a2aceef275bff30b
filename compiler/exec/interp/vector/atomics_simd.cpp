// Atomics, once per target.
#include <atomic>

#include "compiler/exec/interp/vector/cells.h"
#include "compiler/exec/interp/vector/finders.h"
#include "compiler/exec/interp/vector/scalars.h"
#include "runtime/abi/atomic_apply.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

ETZEL_INLINE std::byte* atomicAddress(const Op* op, Frame& f, uint32_t lane, uint32_t bytes) {
  const isa::Space space = static_cast<isa::Space>(op->sub);
  const uint64_t at = uint64_t(f.words(op->src[1])->lane[lane]) + op->imm;
  Range range{};
  switch (space) {
    case isa::Space::Buffer: range = bufferRange(*f.warp->context, f.words(op->src[0])->lane[lane]); break;
    case isa::Space::WideBuffer: range = wideBufferRange(*f.warp->context, f.words(op->src[0]), lane); break;
    case isa::Space::Shared: range = sharedRange(f); break;
    case isa::Space::Global: {
      std::byte* p = checksAddresses() ? globalAt<true>(op, f, lane, bytes) : globalAt<false>(op, f, lane, bytes);
      return reinterpret_cast<uintptr_t>(p) % bytes == 0 ? p : nullptr;
    }
    default:
      return bytes > 4 ? nullptr
                       : reinterpret_cast<std::byte*>(recordWord(f, space, lane, f.words(op->src[0])->lane[lane], at));
  }
  if (at + bytes > range.size) return nullptr;
  std::byte* p = range.data + at;
  return reinterpret_cast<uintptr_t>(p) % bytes == 0 ? p : nullptr;  // misaligned: as out of bounds
}

template <Type T>
const Op* atomicInteger(const Op* op, Frame& f) {
  using C = Cell<T>;
  const abi::AtomicOp what = static_cast<abi::AtomicOp>(op->atomic);
  LaneMask lanes = what == abi::AtomicOp::Load ? f.exec : f.exec & ~f.warp->helper;
  const LaneWords* data = f.words(op->src[2]);
  LaneWords result[2] = {};
  for (LaneMask left = lanes; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    typename C::S value = 0, compare = 0;
    if (what != abi::AtomicOp::Load) value = C::get(data, i);
    if (what == abi::AtomicOp::CompareExchange) compare = C::get(data + C::kWords, i);
    std::byte* p = atomicAddress(op, f, i, C::kBytes);
    C::put(result, i, p ? abi::atomicApply(reinterpret_cast<typename C::S*>(p), what, value, compare) : 0);
  }
  if (op->count)
    for (uint32_t w = 0; w < C::kWords; ++w) f.words(op->dst)[w] = result[w];
  return op + 1;
}
template <Type T>
const Op* atomicFloat(const Op* op, Frame& f) {
  using E = Scalar<T>;
  using Bits = std::conditional_t<T == Type::F64, uint64_t, std::conditional_t<T == Type::F32, uint32_t, uint16_t>>;
  using IntCell = Cell<T == Type::F64 ? Type::I64 : T == Type::F32 ? Type::I32 : Type::I16>;
  const abi::AtomicOp what = static_cast<abi::AtomicOp>(op->atomic);
  const LaneMask lanes = what == abi::AtomicOp::Load ? f.exec : f.exec & ~f.warp->helper;
  const LaneWords* data = f.words(op->src[2]);
  LaneWords result[2] = {};
  for (LaneMask left = lanes; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    std::byte* p = atomicAddress(op, f, i, sizeof(Bits));
    if (!p) {
      IntCell::put(result, i, 0);
      continue;
    }
    const Bits value = what == abi::AtomicOp::Load ? Bits(0) : static_cast<Bits>(IntCell::get(data, i));
    Bits old;
    if (what == abi::AtomicOp::FAdd || what == abi::AtomicOp::FMin || what == abi::AtomicOp::FMax) {
      const isa::ReduceOp step = what == abi::AtomicOp::FAdd   ? isa::ReduceOp::Add
                                 : what == abi::AtomicOp::FMin ? isa::ReduceOp::FMin
                                                               : isa::ReduceOp::FMax;
      std::atomic_ref<Bits> cell(*reinterpret_cast<Bits*>(p));
      old = cell.load();
      Bits next;
      do {
        LaneWords a[2] = {}, b[2] = {}, r[2] = {};
        IntCell::put(a, 0, old), IntCell::put(b, 0, value);
        E::put(r, 0, E::step(step, E::get(a, 0), E::get(b, 0)));
        next = static_cast<Bits>(IntCell::get(r, 0));
      } while (!cell.compare_exchange_weak(old, next));
    } else {
      const Bits compare =
          what == abi::AtomicOp::CompareExchange ? static_cast<Bits>(IntCell::get(data + IntCell::kWords, i)) : Bits(0);
      old = abi::atomicApply(reinterpret_cast<Bits*>(p), what, value, compare);
    }
    IntCell::put(result, i, old);
  }
  if (op->count)
    for (uint32_t w = 0; w < IntCell::kWords; ++w) f.words(op->dst)[w] = result[w];
  return op + 1;
}

}  // namespace

Handler atomicHandler(const isa::Inst& inst) {
  if (inst.op != isa::Opcode::Atom) return nullptr;
  switch (inst.type) {
    case Type::I32: return atomicInteger<Type::I32>;
    case Type::I64: return atomicInteger<Type::I64>;
    case Type::F16: return atomicFloat<Type::F16>;
    case Type::F32: return atomicFloat<Type::F32>;
    case Type::F64: return atomicFloat<Type::F64>;
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
