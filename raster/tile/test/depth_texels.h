// The texels of a block of 8x8 pixels in the depth test: bounds of what they hold, tests sample by sample, stores, and
// the expansion of tiles.
#pragma once

#include "raster/bin.h"
#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/block/block_rows.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/test/depth_range.h"
#include "raster/tile/test/primitive_tests.h"
#include "runtime/msaa/depth_surface.h"

namespace etzel::raster::ETZEL_TARGET {

/// What testBlock() knows about its block.
struct BlockInput {
  const TileDraw& d;
  const BinnedPrimitive& primitive;
  const msaa::DepthSurface& tiles;  ///< depth; false where it has no tile states
  uint32_t x, y, layer;
  uint32_t index;  ///< in the hierarchy
};

/// Depth of eight pixels of a row.
ETZEL_INLINE U32x8 loadDepth(DepthFormat format, const std::byte* p) {
  return format == DepthFormat::D16 ? convert<U32x8>(load<U16x8>(p)) : load<U32x8>(p);
}
ETZEL_INLINE void storeDepth(DepthFormat format, std::byte* p, U32x8 v) {
  format == DepthFormat::D16 ? store(p, convert<U16x8>(v)) : store(p, v);
}

/// Bounds of the texels of a block.
template <DepthFormat format>
inline DepthRange scanTexels(const Surface& s, const BlockInput& in) {
  F32x8 low = splat<F32x8>(__builtin_inff()), high = -low;
  I32x8 numbers = splat<I32x8>(-1);
  for (uint32_t k = 0; k < s.samples; ++k) {
    const std::byte* p = s.at(in.x, in.y, in.layer, k);
    for (uint32_t row = 0; row < 8; ++row, p += s.rowPitch) {
      const U32x8 word = loadDepth(format, p);
      const F32x8 v =
          format == DepthFormat::D32F ? bitCast<F32x8>(word) : convert<F32x8>(bitCast<I32x8>(word & 0xFFFFFFu));
      numbers &= equal(v, v);
      low = minimum(v, low), high = maximum(v, high);
    }
  }
  if (laneMask(numbers) != kAllLanes) return kAnyDepth;
  DepthRange r = {low[0], high[0]};
  for (uint32_t i = 1; i < kWarpLanes; ++i) {
    r.low = low[i] < r.low ? low[i] : r.low;
    r.high = high[i] > r.high ? high[i] : r.high;
  }
  return r;
}

ETZEL_INLINE DepthExtent extentOf(const TileDraw& d, float x0, float y0, float x1, float y1) {
  constexpr float kStep = 0.0625f;
  return {x0 + static_cast<float>(d.bounds.minX) * kStep, y0 + static_cast<float>(d.bounds.minY) * kStep,
          x1 - 1 + static_cast<float>(d.bounds.maxX) * kStep, y1 - 1 + static_cast<float>(d.bounds.maxY) * kStep};
}
ETZEL_INLINE DepthExtent extentOf(const BlockInput& in) {
  const float x = static_cast<float>(in.x), y = static_cast<float>(in.y);
  return extentOf(in.d, x, y, x + kBlock, y + kBlock);
}

/// extentOf() for the standard positions, whatever the draw's are.
inline DepthExtent standardExtentOf(const BlockInput& in, uint32_t samples) {
  const msaa::SamplePositions& at = standardSamplePositions(samples);
  const float left = static_cast<float>(in.x), top = static_cast<float>(in.y);
  DepthExtent e = {left + 15.0f / 16, top + 15.0f / 16, left, top};
  for (uint32_t k = 0; k < samples; ++k) {
    const float x = left + static_cast<float>(at.x[k]) * 0.0625f, y = top + static_cast<float>(at.y[k]) * 0.0625f;
    e.x0 = x < e.x0 ? x : e.x0, e.y0 = y < e.y0 ? y : e.y0;
    e.x1 = x + 7 > e.x1 ? x + 7 : e.x1, e.y1 = y + 7 > e.y1 ? y + 7 : e.y1;
  }
  return e;
}

/// Bounds of what is stored.
__attribute__((noinline)) inline DepthRange scanBlock(const BlockInput& in) {
  const Surface& surface = in.d.depthStencil.depth;
  const DepthFormat format = in.d.depthStencil.format;
  if (in.tiles) {
    const msaa::DepthSurface& s = in.tiles;
    const uint32_t tile = s.tileOf(in.x, in.y);
    const uint8_t state = s.state(tile);
    if (msaa::depthKindOf(state) == msaa::DepthKind::Clear) return rangeOfWord(format, s.word(tile));
    if (s.kindOf(state) == msaa::DepthKind::Planes) {
      // Planes are at the standard positions, as are draws that make them.
      const DepthExtent e = in.d.makesPlanes ? extentOf(in) : standardExtentOf(in, s.samples);
      DepthRange r = rangeOf(s.planes(tile)[0], format, e);
      for (uint32_t i = 1; i < s.planeCount(state); ++i) {
        const DepthRange other = rangeOf(s.planes(tile)[i], format, e);
        r.low = other.low < r.low ? other.low : r.low, r.high = other.high > r.high ? other.high : r.high;
      }
      return r;
    }
  }
  switch (format) {
    case DepthFormat::D16: return scanTexels<DepthFormat::D16>(surface, in);
    case DepthFormat::D24: return scanTexels<DepthFormat::D24>(surface, in);
    default: return scanTexels<DepthFormat::D32F>(surface, in);
  }
}

/// The words of a plane at positions (x, y).
ETZEL_INLINE U32x8 planeCodes(const DepthPlane& p, DepthFormat format, F32x8 x, F32x8 y) {
  if (p.kind == DepthPlane::Constant) return splat<U32x8>(__builtin_bit_cast(uint32_t, p.z0));
  F32x8 z = ((x - splat<F32x8>(p.x0)) * splat<F32x8>(p.dzdx) + splat<F32x8>(p.z0)) +
            (y - splat<F32x8>(p.y0)) * splat<F32x8>(p.dzdy);
  if (p.kind == DepthPlane::Clamped) z = clamp(z, p.low, p.high);
  return depthCode(format, z);
}

/// DepthSurface::expand() of a whole block.
__attribute__((noinline)) inline void expandBlock(const BlockInput& in, const msaa::DepthSurface& s) {
  const uint32_t tile = s.tileOf(in.x, in.y);
  uint8_t& state = s.state(tile);
  const msaa::DepthKind kind = s.kindOf(state);
  if (kind == msaa::DepthKind::Expanded) return;
  const DepthFormat format = s.format;
  if (format == DepthFormat::None) return s.expand(tile);
  const bool clear = kind == msaa::DepthKind::Clear;
  const uint32_t count = clear ? 1 : s.planeCount(state), rowPitch = s.rowPitch;
  DepthPlane base = {.z0 = __builtin_bit_cast(float, s.word(tile)), .kind = DepthPlane::Constant};
  if (!clear) base = s.planes(tile)[0];
  const msaa::SamplePositions& samples = standardSamplePositions(s.samples);
  for (uint32_t k = 0; k < s.samples; ++k) {
    std::byte* p = s.at(in.x, in.y, k);
    const F32x8 x =
        splat<F32x8>(static_cast<float>(in.x)) + rowSteps() + splat<F32x8>(static_cast<float>(samples.x[k]) * 0.0625f);
    F32x8 y = splat<F32x8>(static_cast<float>(in.y)) + splat<F32x8>(static_cast<float>(samples.y[k]) * 0.0625f);
    uint64_t rows[mem::depthPlanes(2)], others = 0;
    for (uint32_t i = 1; i < count; ++i) others |= rows[i] = rowsOfGroups(s.masks(tile, i)[k]);
    for (uint32_t row = 0; row < 8; ++row, p += rowPitch, y += splat<F32x8>(1)) {
      U32x8 v = {};
      if (lanesOfRow(others, row) != kAllLanes) v = planeCodes(base, format, x, y);
      for (uint32_t i = 1; i < count; ++i)
        if (const LaneMask lanes = lanesOfRow(rows[i], row))
          v = select(fromLaneMask(lanes), planeCodes(s.planes(tile)[i], format, x, y), v);
      storeDepth(format, p, v);
    }
  }
  state = msaa::makeDepthState(msaa::DepthKind::Expanded);
}

/// Tests the covered samples of a block against its texels, stores the depth of those that pass where the draw tests
/// before it shades, and keeps them alone. ALWAYS just stores.
template <DepthFormat format, VkCompareOp op>
inline void testTexels(const BlockInput& in, VkCompareOp runtimeOp, BlockCoverage& block) {
  const TileDraw& d = in.d;
  const DepthStencilState& ds = d.depthStencil;
  const Surface& s = ds.depth;
  const VkCompareOp compare = op == VK_COMPARE_OP_MAX_ENUM ? runtimeOp : op;
  const BinnedPrimitive& primitive = in.primitive;
  const uint32_t rowPitch = s.rowPitch;
  const bool clamps = ds.depthClamp, writes = ds.depthWrite && d.earlyTests;
  uint64_t masks[kMaxSamples];
  block.masks(d.samples, masks);
  std::byte* plane = s.at(in.x, in.y, in.layer, 0);
  for (uint32_t k = 0; k < d.samples; ++k, plane += s.samplePitch) {
    if (!masks[k]) continue;
    const uint64_t covered = rowsOfGroups(masks[k]);
    // depthAt(), what rows and what columns have in common apart.
    const F32x8 x = (splat<F32x8>(static_cast<float>(in.x)) + rowSteps()) + splat<F32x8>(sampleX(d, k));
    const F32x8 y = (splat<F32x8>(static_cast<float>(in.y)) + rowSteps()) + splat<F32x8>(sampleY(d, k));
    const F32x8 across =
        (x - splat<F32x8>(primitive.setup.x0)) * splat<F32x8>(primitive.dzdx) + splat<F32x8>(primitive.z0);
    alignas(32) float down[kBlock];
    store(down, (y - splat<F32x8>(primitive.setup.y0)) * splat<F32x8>(primitive.dzdy));
    uint64_t passed = 0;
    const uint32_t first = static_cast<uint32_t>(__builtin_ctzll(covered)) / 8;
    const uint32_t last = static_cast<uint32_t>(63 - __builtin_clzll(covered)) / 8;
    std::byte* p = plane + first * rowPitch;
    for (uint32_t row = first; row <= last; ++row, p += rowPitch) {
      F32x8 z = across + splat<F32x8>(down[row]);
      if (clamps) z = clamp(z, primitive.minDepth, primitive.maxDepth);
      const U32x8 code = depthCode(format, z);
      I32x8 passes = fromLaneMask(lanesOfRow(covered, row));
      const U32x8 old = loadDepth(format, p);
      if (op == VK_COMPARE_OP_ALWAYS) {
        storeDepth(format, p, select(passes, code, old));
        continue;
      }
      const U32x8 stored = format == DepthFormat::D24 ? old & 0xFFFFFFu : old;
      passes &= format == DepthFormat::D32F ? compareOp(compare, bitCast<F32x8>(code), bitCast<F32x8>(stored))
                                            : compareOp(compare, bitCast<I32x8>(code), bitCast<I32x8>(stored));
      if (writes) storeDepth(format, p, select(passes, code, old));
      passed |= uint64_t{laneMask(passes)} << row * 8;
    }
    masks[k] = groupsOfRows(passed);
  }
  if (op == VK_COMPARE_OP_ALWAYS) return;
  if (d.samples == 1)
    block.alike = masks[0];
  else
    block.split(masks, d.samples);
}
__attribute__((noinline)) inline void testTexels(const BlockInput& in, VkCompareOp op, BlockCoverage& block) {
  constexpr VkCompareOp kAny = VK_COMPARE_OP_MAX_ENUM;
  const bool store = op == VK_COMPARE_OP_ALWAYS;
  switch (in.d.depthStencil.format) {
    case DepthFormat::D16:
      return store ? testTexels<DepthFormat::D16, VK_COMPARE_OP_ALWAYS>(in, op, block)
                   : testTexels<DepthFormat::D16, kAny>(in, op, block);
    case DepthFormat::D24:
      return store ? testTexels<DepthFormat::D24, VK_COMPARE_OP_ALWAYS>(in, op, block)
                   : testTexels<DepthFormat::D24, kAny>(in, op, block);
    default: break;
  }
  switch (op) {
    case VK_COMPARE_OP_ALWAYS: return testTexels<DepthFormat::D32F, VK_COMPARE_OP_ALWAYS>(in, op, block);
    case VK_COMPARE_OP_LESS: return testTexels<DepthFormat::D32F, VK_COMPARE_OP_LESS>(in, op, block);
    case VK_COMPARE_OP_LESS_OR_EQUAL: return testTexels<DepthFormat::D32F, VK_COMPARE_OP_LESS_OR_EQUAL>(in, op, block);
    case VK_COMPARE_OP_GREATER: return testTexels<DepthFormat::D32F, VK_COMPARE_OP_GREATER>(in, op, block);
    case VK_COMPARE_OP_GREATER_OR_EQUAL:
      return testTexels<DepthFormat::D32F, VK_COMPARE_OP_GREATER_OR_EQUAL>(in, op, block);
    default: return testTexels<DepthFormat::D32F, kAny>(in, op, block);
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
