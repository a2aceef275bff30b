// Float depths that a kernel wrote against those of an attachment, a sample of a block at once: what testGroup() does
// for each of its groups where nothing else is tested.
#pragma once

#include "raster/lanes.h"
#include "raster/tile/block/block_coverage.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/test/sample_tests.h"

namespace etzel::raster::ETZEL_TARGET {

ETZEL_INLINE bool testsFloatDepthAlone(const DepthStencilState& d) {
  return d.format == DepthFormat::D32F && d.depthTest && !d.boundsTest && !d.stencilTest;
}

/// Tests `pixels` of the block whose depths are at `stored`, against `depth`, a group's words `words` apart, and stores
/// what passes where depth is written. \pre testsFloatDepthAlone() \returns what passes
inline uint64_t testShaderDepths(const DepthStencilState& d, const TestInput& in, std::byte* stored, uint64_t pixels,
                                 const LaneWords* depth, size_t words) {
  const uint32_t rowPitch = d.depth.rowPitch;
  const auto run = [&](auto passes) __attribute__((always_inline)) {
    uint64_t all = 0;
    for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
      const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
      std::byte* const at = stored + (group & 6) * rowPitch + (group & 1) * 16;
      F32x8 z = wordsF(depth[group * words]);
      if (d.depthClamp) z = clamp(z, in.minDepth, in.maxDepth);
      const U32x8 old = loadGroup32(at, rowPitch);
      const I32x8 pass =
          passes(z, bitCast<F32x8>(old)) & fromLaneMask(static_cast<LaneMask>(pixels >> group * 8 & 255));
      all |= uint64_t{laneMask(pass)} << group * 8;
      if (d.depthWrite) storeGroup32(at, rowPitch, select(pass, bitCast<U32x8>(z), old));
    }
    return all;
  };
  switch (d.compare) {
    case VK_COMPARE_OP_LESS: return run([](F32x8 a, F32x8 b) { return less(a, b); });
    case VK_COMPARE_OP_LESS_OR_EQUAL: return run([](F32x8 a, F32x8 b) { return atMost(a, b); });
    case VK_COMPARE_OP_GREATER: return run([](F32x8 a, F32x8 b) { return greater(a, b); });
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return run([](F32x8 a, F32x8 b) { return atLeast(a, b); });
    default: return run([&](F32x8 a, F32x8 b) { return compareOp(d.compare, a, b); });
  }
}

}  // namespace etzel::raster::ETZEL_TARGET
