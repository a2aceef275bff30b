// Loads and stores, once per target.
//
// Bounds rule of every checked space: element e of a lane is accessed when [offset + e * size, + size) lies inside the
// range, else reads give 0 and writes are dropped, each element for itself ("Robust Buffer Access", out of bounds).
#include "compiler/exec/interp/vector/cells.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

/// True when every lane of `lanes` may access `bytes` bytes at its offset + imm.
ETZEL_INLINE bool allInside(U32x8 offset, LaneMask lanes, uint64_t imm, uint64_t bytes, uint64_t size) {
  if (size < imm + bytes) return false;
  const uint64_t last = size - imm - bytes;
  if (last >= 0xFFFFFFFF) return true;
  return (simd::laneMask((U32x8)(offset > splat<U32x8>(static_cast<uint32_t>(last)))) & lanes) == 0;
}
inline constexpr U32x8 kWordSteps = {0, 4, 8, 12, 16, 20, 24, 28};

template <Type T>
ETZEL_INLINE void loadRange(const Op* op, Frame& f, Range range, LaneMask lanes) {
  using C = Cell<T>;
  LaneWords* to = f.words(op->dst);
  U32x8 offset = word(f, op->src[1]);
  const uint32_t n = op->count;
  if (allInside(offset, lanes, op->imm, uint64_t(n) * C::kBytes, range.size)) [[likely]] {
    const std::byte* base = range.data + op->imm;
    const uint32_t first = offset[firstOf(lanes)];
    const U32x8 difference = offset - first;
    if ((nonZeroLanes(difference) & lanes) == 0) {
      base += first;
      for (uint32_t e = 0; e < n; ++e) C::putAll(to + e * C::kWords, C::read(base + e * C::kBytes));
      return;
    }
    if constexpr (T == Type::I32) {
      if (lanes == kAllLanes && nonZeroLanes(difference ^ kWordSteps) == 0 && n == 1) {
        std::memcpy(to, base + first, sizeof(LaneWords));
        return;
      }
    }
    offset = simd::select(simd::fromLaneMask<U32x8>(lanes), offset, splat<U32x8>(first));  // the others must not fault
    for (uint32_t e = 0; e < n; ++e) {
      typename C::S v[kWarpLanes];
      for (uint32_t i = 0; i < kWarpLanes; ++i) v[i] = C::read(base + offset[i] + e * C::kBytes);
      for (uint32_t i = 0; i < kWarpLanes; ++i) C::put(to + e * C::kWords, i, v[i]);
    }
    return;
  }
  for (uint32_t e = 0; e < n; ++e) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      const uint64_t at = uint64_t(offset[i]) + op->imm + e * C::kBytes;
      C::put(to + e * C::kWords, i, at + C::kBytes <= range.size ? C::read(range.data + at) : 0);
    }
  }
}

template <Type T>
ETZEL_INLINE void storeRange(const Op* op, Frame& f, Range range, LaneMask lanes) {
  using C = Cell<T>;
  const LaneWords* from = f.words(op->src[2]);
  const U32x8 offset = word(f, op->src[1]);
  const uint32_t n = op->count;
  if (allInside(offset, lanes, op->imm, uint64_t(n) * C::kBytes, range.size)) [[likely]] {
    std::byte* base = range.data + op->imm;
    if constexpr (T == Type::I32) {
      if (lanes == kAllLanes && n == 1 && nonZeroLanes((offset - offset[0]) ^ kWordSteps) == 0) {
        std::memcpy(base + offset[0], from, sizeof(LaneWords));
        return;
      }
    }
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      for (uint32_t e = 0; e < n; ++e) {
        const typename C::S v = C::get(from + e * C::kWords, i);
        std::memcpy(base + offset[i] + e * C::kBytes, &v, sizeof v);
      }
    }
    return;
  }
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    for (uint32_t e = 0; e < n; ++e) {
      const uint64_t at = uint64_t(offset[i]) + op->imm + e * C::kBytes;
      const typename C::S v = C::get(from + e * C::kWords, i);
      if (at + C::kBytes <= range.size) std::memcpy(range.data + at, &v, sizeof v);
    }
  }
}

/// Calls fn(range, lanes) for each different buffer handle among `lanes`, lowest lane first.
template <class Fn>
ETZEL_INLINE void forEachBuffer(const Op* op, Frame& f, LaneMask lanes, Fn fn) {
  const U32x8 handles = word(f, op->src[0]);
  while (lanes) {
    const uint32_t handle = handles[firstOf(lanes)];
    const LaneMask same = lanes & ~nonZeroLanes(handles ^ handle);
    fn(bufferRange(*f.warp->context, handle), same);
    lanes &= ~same;
  }
}

/// Loads from a range for each lane, `rangeOf(lane)`.
template <Type T, class Fn>
ETZEL_INLINE void loadEach(const Op* op, Frame& f, Fn rangeOf) {
  using C = Cell<T>;
  const U32x8 offset = word(f, op->src[1]);
  LaneWords* to = f.words(op->dst);
  for (LaneMask left = f.exec; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    const Range range = rangeOf(i);
    for (uint32_t e = 0; e < op->count; ++e) {
      const uint64_t at = uint64_t(offset[i]) + op->imm + e * C::kBytes;
      C::put(to + e * C::kWords, i, at + C::kBytes <= range.size ? C::read(range.data + at) : 0);
    }
  }
}

// A divergent handle loads into the lanes of one buffer at a time, so the others' results must stay.
template <Type T>
const Op* loadBuffer(const Op* op, Frame& f) {
  const U32x8 handles = word(f, op->src[0]);
  if (uniform(handles, f.exec)) [[likely]]
    loadRange<T>(op, f, bufferRange(*f.warp->context, handles[firstOf(f.exec)]), f.exec);
  else
    loadEach<T>(op, f, [&](uint32_t lane) { return bufferRange(*f.warp->context, handles[lane]); });
  return op + 1;
}
template <Type T>
const Op* storeBuffer(const Op* op, Frame& f) {
  forEachBuffer(op, f, f.exec & ~f.warp->helper,
                [&](Range range, LaneMask lanes) { storeRange<T>(op, f, range, lanes); });
  return op + 1;
}

template <Type T>
const Op* loadWideBuffer(const Op* op, Frame& f) {
  const LaneWords* address = f.words(op->src[0]);
  loadEach<T>(op, f, [&](uint32_t lane) { return wideBufferRange(*f.warp->context, address, lane); });
  return op + 1;
}
template <Type T>
const Op* storeWideBuffer(const Op* op, Frame& f) {
  const LaneWords* address = f.words(op->src[0]);
  for (LaneMask left = f.exec & ~f.warp->helper; left; left &= left - 1) {
    const uint32_t lane = firstOf(left);
    storeRange<T>(op, f, wideBufferRange(*f.warp->context, address, lane), left & (0u - left));
  }
  return op + 1;
}

template <Type T>
const Op* loadShared(const Op* op, Frame& f) {
  loadRange<T>(op, f, sharedRange(f), f.exec);
  return op + 1;
}
template <Type T>
const Op* storeShared(const Op* op, Frame& f) {
  const LaneMask lanes = f.exec & ~f.warp->helper;
  if (lanes) storeRange<T>(op, f, sharedRange(f), lanes);
  return op + 1;
}
template <Type T>
const Op* loadPush(const Op* op, Frame& f) {
  loadRange<T>(op, f, pushRange(f), f.exec);
  return op + 1;
}
template <Type T>
const Op* loadTable(const Op* op, Frame& f) {
  loadRange<T>(op, f, tableRange(f), f.exec);
  return op + 1;
}

template <Type T, bool kChecked>
const Op* loadGlobal(const Op* op, Frame& f) {
  using C = Cell<T>;
  LaneWords* to = f.words(op->dst);
  for (LaneMask left = f.exec; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    const std::byte* p = globalAt<kChecked>(op, f, i, op->count * C::kBytes);
    for (uint32_t e = 0; e < op->count; ++e) C::put(to + e * C::kWords, i, p ? C::read(p + e * C::kBytes) : 0);
  }
  return op + 1;
}
template <Type T, bool kChecked>
const Op* storeGlobal(const Op* op, Frame& f) {
  using C = Cell<T>;
  const LaneWords* from = f.words(op->src[2]);
  for (LaneMask left = f.exec & ~f.warp->helper; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    std::byte* p = globalAt<kChecked>(op, f, i, op->count * C::kBytes);
    if (!p) continue;
    for (uint32_t e = 0; e < op->count; ++e) {
      const typename C::S v = C::get(from + e * C::kWords, i);
      std::memcpy(p + e * C::kBytes, &v, sizeof v);
    }
  }
  return op + 1;
}

// Scratch: word w of lane l at (w * 8 + l) * 4. `words`: 32-bit words in all, 64-bit elements are two.
ETZEL_INLINE LaneWords* scratchWords(Frame& f) { return reinterpret_cast<LaneWords*>(f.warp->scratch); }
const Op* loadScratch(const Op* op, Frame& f) {
  const U32x8 offset = word(f, op->src[1]);
  const uint32_t words = op->count * isa::typeWords(op->type), limit = f.code->scratchBytes / 4;
  LaneWords* to = f.words(op->dst);
  const LaneWords* from = scratchWords(f);
  if (uniform(offset, f.exec)) {
    const uint64_t first = (uint64_t(offset[firstOf(f.exec)]) + op->imm) / 4;
    for (uint32_t w = 0; w < words; ++w) {
      U32x8 v = splat<U32x8>(0);
      if (first + w < limit) std::memcpy(&v, from + first + w, sizeof v);
      *reinterpret_cast<AliasedU32x8*>(to + w) = v;
    }
    return op + 1;
  }
  for (uint32_t w = 0; w < words; ++w) {
    U32x8 v = splat<U32x8>(0);
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const uint64_t at = (uint64_t(offset[i]) + op->imm) / 4 + w;
      if ((f.exec >> i & 1) && at < limit) v[i] = from[at].lane[i];
    }
    *reinterpret_cast<AliasedU32x8*>(to + w) = v;
  }
  return op + 1;
}
const Op* storeScratch(const Op* op, Frame& f) {  // helper lanes too: it is their own memory
  const U32x8 offset = word(f, op->src[1]);
  const uint32_t words = op->count * isa::typeWords(op->type), limit = f.code->scratchBytes / 4;
  const LaneWords* from = f.words(op->src[2]);
  LaneWords* to = scratchWords(f);
  if (uniform(offset, f.exec)) {
    const uint64_t first = (uint64_t(offset[firstOf(f.exec)]) + op->imm) / 4;
    const U32x8 mask = simd::fromLaneMask<U32x8>(f.exec);
    for (uint32_t w = 0; w < words && first + w < limit; ++w) {
      U32x8 old;
      std::memcpy(&old, to + first + w, sizeof old);
      old = simd::select(mask, *reinterpret_cast<const AliasedU32x8*>(from + w), old);
      std::memcpy(to + first + w, &old, sizeof old);
    }
    return op + 1;
  }
  for (uint32_t w = 0; w < words; ++w) {
    for (LaneMask left = f.exec; left; left &= left - 1) {
      const uint32_t i = firstOf(left);
      const uint64_t at = (uint64_t(offset[i]) + op->imm) / 4 + w;
      if (at < limit) to[at].lane[i] = from[w].lane[i];
    }
  }
  return op + 1;
}

const Op* loadRecord(const Op* op, Frame& f) {
  const isa::Space space = static_cast<isa::Space>(op->sub);
  const U32x8 vertex = word(f, op->src[0]), offset = word(f, op->src[1]);
  const uint32_t words = op->count * isa::typeWords(op->type);
  LaneWords* to = f.words(op->dst);
  for (uint32_t w = 0; w < words; ++w) {
    U32x8 v = splat<U32x8>(0);
    for (LaneMask left = f.exec; left; left &= left - 1) {
      const uint32_t i = firstOf(left);
      if (const uint32_t* p = recordWord(f, space, i, vertex[i], uint64_t(offset[i]) + op->imm + w)) v[i] = *p;
    }
    *reinterpret_cast<AliasedU32x8*>(to + w) = v;
  }
  return op + 1;
}
const Op* storeRecord(const Op* op, Frame& f) {
  const isa::Space space = static_cast<isa::Space>(op->sub);
  const U32x8 vertex = word(f, op->src[0]), offset = word(f, op->src[1]);
  const uint32_t words = op->count * isa::typeWords(op->type);
  const LaneWords* from = f.words(op->src[2]);
  for (LaneMask left = f.exec; left; left &= left - 1) {
    const uint32_t i = firstOf(left);
    for (uint32_t w = 0; w < words; ++w)
      if (uint32_t* p = recordWord(f, space, i, vertex[i], uint64_t(offset[i]) + op->imm + w)) *p = from[w].lane[i];
  }
  return op + 1;
}

#define ETZEL_BY_CELL(t, handler, ...)                              \
  (t == Type::I32   ? handler<Type::I32 __VA_OPT__(, ) __VA_ARGS__> \
   : t == Type::I64 ? handler<Type::I64 __VA_OPT__(, ) __VA_ARGS__> \
   : t == Type::I16 ? handler<Type::I16 __VA_OPT__(, ) __VA_ARGS__> \
                    : handler<Type::I8 __VA_OPT__(, ) __VA_ARGS__>)

}  // namespace

Handler memoryHandler(const isa::Inst& inst) {
  const Type t = inst.type;
  using isa::Opcode;
  using isa::Space;
  const Space space = static_cast<Space>(inst.sub);
  switch (inst.op) {
    case Opcode::Ld:
      switch (space) {
        case Space::Buffer: return ETZEL_BY_CELL(t, loadBuffer);
        case Space::WideBuffer: return ETZEL_BY_CELL(t, loadWideBuffer);
        case Space::Global:
          return checksAddresses() ? ETZEL_BY_CELL(t, loadGlobal, true) : ETZEL_BY_CELL(t, loadGlobal, false);
        case Space::Shared: return ETZEL_BY_CELL(t, loadShared);
        case Space::Push: return ETZEL_BY_CELL(t, loadPush);
        case Space::Table: return ETZEL_BY_CELL(t, loadTable);
        case Space::Scratch: return loadScratch;
        default: return loadRecord;
      }
    case Opcode::St:
      switch (space) {
        case Space::Buffer: return ETZEL_BY_CELL(t, storeBuffer);
        case Space::WideBuffer: return ETZEL_BY_CELL(t, storeWideBuffer);
        case Space::Global:
          return checksAddresses() ? ETZEL_BY_CELL(t, storeGlobal, true) : ETZEL_BY_CELL(t, storeGlobal, false);
        case Space::Shared: return ETZEL_BY_CELL(t, storeShared);
        case Space::Push:
        case Space::Table: return nullptr;
        case Space::Scratch: return storeScratch;
        default: return storeRecord;
      }
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
