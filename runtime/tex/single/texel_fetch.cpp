#include "runtime/tex/single/texel_fetch.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/base/assert.h"
#include "runtime/base/thread_local.h"
#include "runtime/format/decoded.h"
#include "runtime/mutant/mutant.h"
#include "runtime/tex/single/shared_texels.h"

namespace etzel::tex {
namespace {

/// The layouts that decode() knows. Integers have another alpha where the format has none.
format::TexelLayout decodedLayout(const format::FormatInfo& info) {
  using format::TexelLayout;
  switch (info.layout) {
    case TexelLayout::R32: return info.isInteger() ? TexelLayout::Other : info.layout;
    case TexelLayout::R8:
    case TexelLayout::Rgba16F:
    case TexelLayout::Rgba32:
    case TexelLayout::Blocks: return info.layout;
    default: return isBytes4(info.layout) ? info.layout : TexelLayout::Other;
  }
}

void decodeAll(const format::FormatInfo& info, const std::byte* block, std::byte* texels) {
  format::decodeTexels(info, block, info.blockWidth, uint32_t{info.blockHeight} * info.blockDepth, texels,
                       size_t{info.blockWidth} * format::decodedFormat(info)->blockBytes);
}

/// Decoded blocks of a thread. An entry is found by the block's bytes, not by its address, so it can never be stale.
template <int texels, int sizeLog2>
struct BlockCache {
  struct Entry {
    const format::FormatInfo* info;
    uint64_t bytes[2];
    std::byte texel[texels * 8];
  };
  Entry entry[1 << sizeLog2];

  const std::byte* find(const format::FormatInfo& info, const std::byte* block) {
    uint64_t bytes[2] = {};
    if (info.blockBytes == 16)
      std::memcpy(bytes, block, 16);
    else
      std::memcpy(bytes, block, info.blockBytes);
    const uint64_t hash = (bytes[0] ^ bytes[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    Entry& e = entry[hash >> (64 - sizeLog2)];
    if (e.info != &info || e.bytes[0] != bytes[0] || e.bytes[1] != bytes[1]) [[unlikely]] {
      decodeAll(info, block, e.texel);
      e.info = &info, e.bytes[0] = bytes[0], e.bytes[1] = bytes[1];
    }
    return e.texel;
  }
};
struct BlockCaches {
  BlockCache<16, 7> small;   ///< 4x4 texels
  BlockCache<216, 4> large;  ///< all other sizes
};
ETZEL_THREAD_LOCAL constinit BlockCaches* ownCaches = nullptr;

/// Of this thread, until it ends. Null when there is no memory.
BlockCaches* makeCaches() {
  // The key's destructor frees them: a variable's would need memory to be registered.
  static const struct Key {
    pthread_key_t key{};
    bool made = pthread_key_create(&key, std::free) == 0;
  } key;
  void* memory = key.made ? std::calloc(1, sizeof(BlockCaches)) : nullptr;
  if (memory && pthread_setspecific(key.key, memory) != 0) {
    std::free(memory);
    return nullptr;
  }
  return ownCaches = static_cast<BlockCaches*>(memory);
}

}  // namespace

TexelReader::TexelReader(const ImageView& v)
    : view(&v), layout(decodedLayout(*v.info)), blockBytes(v.info->blockBytes) {}

Level TexelReader::level(uint32_t index) const {
  const ImageView& v = *view;
  ETZEL_ASSERT(!v.layout || index < v.mipCount);
  Level l;
  if (!v.layout) {  // texel buffer
    l.base = v.memory;
    l.width = static_cast<int32_t>(std::min<uint64_t>(v.bufferBytes / blockBytes, INT32_MAX));
    return l;
  }
  const mem::PlaneLayout& p = *v.plane;
  const uint32_t mip = std::min(v.baseMip + index, mem::kMaxMips - 1);
  const mem::MipLayout& m = p.mip[mip];
  const bool sliced = v.depthCount > 0;
  l.base = v.memory + v.layout->texelOffset(p, mip, sliced ? 0 : v.baseLayer, 0, 0, 0, sliced ? v.baseDepth : 0);
  l.rowPitch = m.rowPitch;
  l.slicePitch = m.slicePitch;
  l.layerPitch = sliced ? m.slicePitch : p.layerPitch;
  l.width = static_cast<int32_t>(m.width);
  l.height = static_cast<int32_t>(m.height);
  uint32_t depth = m.depth;
  if (v.info->blockWidth != p.blockWidth || v.info->blockHeight != p.blockHeight) {
    // An uncompressed view of a compressed image sees each block as one texel.
    l.width = static_cast<int32_t>(divideUp(m.width, p.blockWidth));
    l.height = static_cast<int32_t>(divideUp(m.height, p.blockHeight));
    depth = m.slices;
  }
  if (sliced) depth = v.depthCount;
  l.depth = v.type == VK_IMAGE_VIEW_TYPE_3D ? static_cast<int32_t>(depth) : 1;
  l.layers = static_cast<int32_t>(sliced ? std::min(v.depthCount, m.depth > v.baseDepth ? m.depth - v.baseDepth : 0)
                                         : v.layerCount);
  return l;
}

Vec4 TexelReader::readCompressed(const Level& l, int32_t x, int32_t y, int32_t z, int32_t layer) const {
  const format::FormatInfo& info = *view->info;
  const uint32_t bx = static_cast<uint32_t>(x) / info.blockWidth, by = static_cast<uint32_t>(y) / info.blockHeight;
  const uint32_t bz = static_cast<uint32_t>(z) / info.blockDepth;
  const std::byte* block = l.base + static_cast<uint64_t>(layer) * l.layerPitch + uint64_t{bz} * l.slicePitch +
                           uint64_t{by} * l.rowPitch + uint64_t{bx} * blockBytes;
  note(block);
  BlockTexels spare;
  const std::byte* texels = decodedBlock(info, block, spare);
  const uint32_t slice = mutated(Mutant::AstcSlice) ? 0 : static_cast<uint32_t>(z) - bz * info.blockDepth;
  const uint32_t line = slice * info.blockHeight + static_cast<uint32_t>(y) - by * info.blockHeight;
  const uint32_t number = line * info.blockWidth + (static_cast<uint32_t>(x) - bx * info.blockWidth);
  const format::FormatInfo& decoded = *format::decodedFormat(info);
  format::Texel t;
  format::decoder(decoded.format)(texels + size_t{number} * decoded.blockBytes, &t, 1);
  return toVec4(t);
}

const std::byte* decodedBlock(const format::FormatInfo& info, const std::byte* block, BlockTexels& spare) {
  BlockCaches* caches = ownCaches ? ownCaches : makeCaches();
  if (!caches) {
    decodeAll(info, block, spare.texel);
    return spare.texel;
  }
  if (info.blockWidth * info.blockHeight * info.blockDepth <= 16) return caches->small.find(info, block);
  return caches->large.find(info, block);
}

Vec4 TexelReader::outOfBounds() const {
  format::Texel t{};
  if (view->info->channel[3].bits == 0) t.word[3] = view->info->isInteger() ? 1 : format::floatToBits(1.0f);
  return toVec4(t);
}

Vec4 swizzled(const ImageView& view, Vec4 texel) {
  if (view.identitySwizzle) return texel;
  const format::Texel t = toTexel(texel);
  format::Texel out;
  for (int c = 0; c < 4; ++c) {
    const uint8_t s = view.swizzle[c];
    out.word[c] = s < 4 ? t.word[s] : s == 4 ? 0 : (view.info->isInteger() ? 1 : format::floatToBits(1.0f));
  }
  return toVec4(out);
}

}  // namespace etzel::tex
