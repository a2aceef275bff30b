// Elements in memory, and where a lane's element lies in each space. For files that are compiled per target.
#pragma once

#include <cstring>
#include <type_traits>

#include "compiler/exec/interp/vector/elements.h"
#include "runtime/base/live_memory.h"

namespace etzel::interp::ETZEL_TARGET {

/// Lanes of `lanes` whose word differs from the first one's.
ETZEL_INLINE bool uniform(U32x8 v, LaneMask lanes) {
  const uint32_t first = v[firstOf(lanes)];
  return (nonZeroLanes(v ^ first) & lanes) == 0;
}

template <Type T>
struct Cell {  // one element in memory
  using S = std::conditional_t<
      T == Type::I8, uint8_t,
      std::conditional_t<T == Type::I16, uint16_t, std::conditional_t<T == Type::I64, uint64_t, uint32_t>>>;
  static constexpr uint32_t kWords = isa::typeWords(T), kBytes = sizeof(S);
  static ETZEL_INLINE S read(const std::byte* p) {
    S v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static ETZEL_INLINE void put(LaneWords* to, uint32_t lane, S v) {
    to[0].lane[lane] = static_cast<uint32_t>(v);
    if constexpr (kWords == 2) to[1].lane[lane] = static_cast<uint32_t>(v >> 32);
  }
  static ETZEL_INLINE S get(const LaneWords* from, uint32_t lane) {
    if constexpr (kWords == 2)
      return from[0].lane[lane] | static_cast<uint64_t>(from[1].lane[lane]) << 32;
    else
      return static_cast<S>(from[0].lane[lane]);
  }
  static ETZEL_INLINE void putAll(LaneWords* to, S v) {
    *reinterpret_cast<AliasedU32x8*>(&to[0]) = splat<U32x8>(static_cast<uint32_t>(v));
    if constexpr (kWords == 2) *reinterpret_cast<AliasedU32x8*>(&to[1]) = splat<U32x8>(static_cast<uint32_t>(v >> 32));
  }
};

ETZEL_INLINE Range sharedRange(Frame& f) { return {f.warp->shared, f.warp->shared ? f.code->sharedBytes : 0u}; }
ETZEL_INLINE Range pushRange(Frame& f) {
  return {const_cast<std::byte*>(f.warp->context->pushConstants), f.warp->context->pushConstants ? 256u : 0u};
}
ETZEL_INLINE Range tableRange(Frame& f) {
  const std::vector<uint32_t>& table = f.code->table;
  return {reinterpret_cast<std::byte*>(const_cast<uint32_t*>(table.data())), table.size() * 4};
}

// Addresses are the application's own, unchecked unless ETZEL_DEBUG=check-addresses says so; but the first pages are
// never mapped, so null pointers are harmless.
inline constexpr uint64_t kFirstAddress = 65536;
template <bool kChecked>
ETZEL_INLINE std::byte* globalAt(const Op* op, Frame& f, uint32_t lane, uint32_t bytes) {
  const LaneWords* address = f.words(op->src[0]);
  const uint64_t base = address[0].lane[lane] | static_cast<uint64_t>(address[1].lane[lane]) << 32;
  if (base < kFirstAddress) return nullptr;
  const uint64_t at = base + f.words(op->src[1])->lane[lane] + op->imm;
  if (kChecked && !isLiveMemory(at, bytes)) return nullptr;
  return reinterpret_cast<std::byte*>(at);
}

/// Word `index` of a corner that fragments are interpolated from, barycentric coordinates behind the record.
/// `limit`: words that records have for certain
inline uint32_t* cornerWord(const abi::PrimitiveSetup* p, uint32_t vertex, uint64_t index, uint32_t limit) {
  if (!p || vertex >= 3) return nullptr;
  if (index < limit) return const_cast<uint32_t*>(p->record[vertex]) + index;
  if (index < abi::kRecordWords || index >= abi::kRecordWords + abi::kBarycentricWords || !p->vertices) return nullptr;
  const float* word = p->vertices->barycentric[vertex] + (index - abi::kWordBarycentric);
  return reinterpret_cast<uint32_t*>(const_cast<float*>(word));
}
/// Word `index` of the lane's record or register file, or null outside of it.
ETZEL_INLINE uint32_t* recordWord(Frame& f, isa::Space space, uint32_t lane, uint32_t vertex, uint64_t index) {
  const abi::Warp& w = *f.warp;
  switch (space) {
    case isa::Space::InRegister: return w.in && index < abi::kAttributeWords ? &w.in[index].lane[lane] : nullptr;
    case isa::Space::OutRegister: return w.out && index < f.code->outWords ? &w.out[index].lane[lane] : nullptr;
    case isa::Space::InRecord:
      if (f.code->stage == abi::Stage::Fragment) return cornerWord(w.primitive, vertex, index, f.code->inRecordWords);
      if (index >= w.inRecordStride) return nullptr;
      return vertex < w.inRecordCount && w.inRecords[lane]
                 ? const_cast<uint32_t*>(w.inRecords[lane]) + uint64_t(vertex) * w.inRecordStride + index
                 : nullptr;
    case isa::Space::OutRecord:
      return index < w.outRecordStride && vertex < f.code->outputVertices && w.outRecords[lane]
                 ? w.outRecords[lane] + uint64_t(vertex) * w.outRecordStride + index
                 : nullptr;
    case isa::Space::Vertex:
      return index < f.code->inRecordWords && w.primitive && w.primitive->vertices && vertex < 3
                 ? const_cast<uint32_t*>(w.primitive->vertices->record[vertex]) + index
                 : nullptr;
    case isa::Space::Patch:
      return index < abi::kRecordWords && w.patchRecord[lane] ? w.patchRecord[lane] + index : nullptr;
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
