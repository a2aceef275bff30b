// Storage images and storage texel buffers: reads, writes and atomics with bounds checks ("Storage Image Operations").
#include <cstring>

#include "runtime/abi/atomic_apply.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/single/group.h"
#include "runtime/tex/single/texel_fetch.h"

namespace etzel::tex {
namespace {

using abi::AtomicOp;
using abi::TexKind;
using abi::TexType;

std::byte* addressOf(const Group& g, const Level& l, const TexelPosition& at) {
  if (g.view->samples > 1 && g.view->layout) {
    // Stores of neighbouring samples may come from any thread: the tile becomes one without compression first.
    const msaa::FragmentSurface surface(*g.view->layout, *g.view->plane, g.view->memory,
                                        g.view->baseLayer + static_cast<uint32_t>(at.layer));
    const uint32_t x = static_cast<uint32_t>(at.x), y = static_cast<uint32_t>(at.y);
    if (surface) surface.expandShared(surface.tileOf(x, y));
    return surface.at(x, y, static_cast<uint32_t>(at.sample));
  }
  const std::byte* p = l.base + static_cast<uint64_t>(at.layer) * l.layerPitch +
                       static_cast<uint64_t>(at.z) * l.slicePitch + static_cast<uint64_t>(at.y) * l.rowPitch +
                       static_cast<uint64_t>(at.x) * g.view->info->blockBytes;
  return const_cast<std::byte*>(p);  // levels are read-only for everyone else
}

uint32_t floatAtomic(AtomicOp op, uint32_t a, uint32_t b) {
  const float x = format::bitsToFloat(a), y = format::bitsToFloat(b);
  switch (op) {
    case AtomicOp::FMin: return x != x || y < x ? b : a;
    case AtomicOp::FMax: return x != x || y > x ? b : a;
    default: return format::floatToBits(x + y);
  }
}

/// \returns the value before the operation
template <class T>
T atomic(T* p, AtomicOp op, T value, T comparator) {
  if (op != AtomicOp::FAdd && op != AtomicOp::FMin && op != AtomicOp::FMax)
    return abi::atomicApply(p, op, value, comparator);
  std::atomic_ref<T> cell(*p);
  T old = cell.load(), next;
  do next = static_cast<T>(floatAtomic(op, static_cast<uint32_t>(old), static_cast<uint32_t>(value)));
  while (!cell.compare_exchange_weak(old, next));
  return old;
}

uint64_t pair(const Group& g, uint32_t index, uint32_t lane) {
  return g.word(index, lane) | static_cast<uint64_t>(g.word(index + 1, lane)) << 32;
}

void writeTexel(const Group& g, uint32_t lane, std::byte* p) {
  const uint32_t data = g.inst.argData();
  const uint32_t wide = g.inst.type == TexType::Sint64 || g.inst.type == TexType::Uint64 ? 2 : 1;
  // A 64-bit value fills an 8-byte texel whatever the view calls its parts.
  if (g.view->info->channel[0].bits == 64 || (wide == 2 && g.view->info->blockBytes == 8)) {
    const uint64_t value = wide == 2 ? pair(g, data, lane) : g.word(data, lane);
    __atomic_store_n(reinterpret_cast<uint64_t*>(p), value, __ATOMIC_RELAXED);
    return;
  }
  format::Texel t;
  for (uint32_t c = 0; c < 4; ++c) t.word[c] = g.word(data + c * wide, lane);
  if (g.view->encode) g.view->encode(&t, p, 1);
}

void atomicTexel(const Group& g, uint32_t lane, std::byte* p) {
  const abi::TexInst& inst = g.inst;
  const uint32_t data = inst.argData();
  const bool hasValue = inst.atomic != AtomicOp::Load, hasComparator = inst.atomic == AtomicOp::CompareExchange;
  const bool hasResult = inst.atomic != AtomicOp::Store;
  if (inst.type == TexType::Sint64 || inst.type == TexType::Uint64) {
    if (g.view->info->blockBytes != 8) return;
    const uint64_t old = atomic(reinterpret_cast<uint64_t*>(p), inst.atomic, hasValue ? pair(g, data, lane) : 0,
                                hasComparator ? pair(g, data + 2, lane) : 0);
    if (!hasResult) return;
    g.result[0].lane[lane] = static_cast<uint32_t>(old);
    g.result[1].lane[lane] = static_cast<uint32_t>(old >> 32);
    return;
  }
  if (g.view->info->blockBytes != 4) return;
  const uint32_t old = atomic(reinterpret_cast<uint32_t*>(p), inst.atomic, hasValue ? g.word(data, lane) : 0,
                              hasComparator ? g.word(data + 1, lane) : 0);
  if (hasResult) g.result[0].lane[lane] = old;
}

}  // namespace

void runImageAccess(const Group& g) {
  if (g.inst.kind == TexKind::ImageRead) {
    // Reads are fetches from the base level without a component mapping; storage views have none.
    runFetch(g);
    return;
  }
  if (g.view->info->compression != format::Compression::None) return;
  const TexelReader reader(*g.view);
  const Level level = reader.level(0);
  const LaneMask allowed = g.lanes & ~g.warp->helper;
  forLanes(allowed, [&](uint32_t lane) {
    TexelPosition at;
    if (!texelPosition(g, lane, level, &at)) return;
    std::byte* p = addressOf(g, level, at);
    if (g.inst.kind == TexKind::ImageWrite)
      writeTexel(g, lane, p);
    else
      atomicTexel(g, lane, p);
  });
}

}  // namespace etzel::tex
