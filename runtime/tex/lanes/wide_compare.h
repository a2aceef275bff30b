// Comparisons of depth in 32-bit floats with bilinear footprints that compiled code found, on hosts whose registers
// hold sixteen numbers: of maps that are magnified, as maps of shadows mostly are, all texels of eight lanes are one
// register. The operations on each number are those of compareSquare() in the same order, so either way gives the same
// bytes. Compiled per target, for those that such hosts run.
#pragma once

#include "runtime/simd/x64/wide_patch.h"
#include "runtime/tex/lanes/square.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Which of both rows of texels pass.
struct WidePasses {
  simd::WideMask row[2];
};
ETZEL_WIDE_INLINE WidePasses comparedWide(VkCompareOp op, simd::F32x16 reference, const simd::F32x16 depth[2]) {
  const simd::F32x16 a = depth[0], b = depth[1], r = reference;
  switch (op) {
    case VK_COMPARE_OP_NEVER: return {{0, 0}};
    case VK_COMPARE_OP_LESS: return {{simd::lessWide(r, a), simd::lessWide(r, b)}};
    case VK_COMPARE_OP_EQUAL: return {{simd::equalWide(r, a), simd::equalWide(r, b)}};
    case VK_COMPARE_OP_LESS_OR_EQUAL: return {{simd::atMostWide(r, a), simd::atMostWide(r, b)}};
    case VK_COMPARE_OP_GREATER: return {{simd::lessWide(a, r), simd::lessWide(b, r)}};
    case VK_COMPARE_OP_NOT_EQUAL: return {{simd::unequalWide(r, a), simd::unequalWide(r, b)}};
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return {{simd::atMostWide(a, r), simd::atMostWide(b, r)}};
    default: return {{0xFFFF, 0xFFFF}};
  }
}

/// compareFound().
ETZEL_WIDE_BYTES void compareFoundWide(const ImageView* view, const Sampler* sampler, const abi::Footprints* from,
                                       const LaneWords* reference, LaneWords* result) {
  using simd::F32x16, simd::U32x16;
  simd::WordPatch patch;
  if (!simd::loadPatch(from->row[0], from->row[1] - from->row[0], ints(from->offset), patch))
    return compareFound<Q::R32>(view, sampler, from, reference, result);
  const F32x8 r = floats(*reference);
  const U32x16 right = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const U32x16 upper = patch.place + right;
  const F32x16 depth[2] = {(F32x16)simd::reordered(patch.words, upper),
                           (F32x16)simd::reordered(patch.words, upper + 4)};
  const WidePasses passes = comparedWide(sampler->compareOp, simd::joinWide(r, r), depth);
  // Left texels in lanes 0 to 7, right ones in the rest.
  const F32x16 columns = simd::joinWide(floats(from->columns[0]), floats(from->columns[1]));
  F32x8 sum = splat(0.0f);
  for (int y = 0; y < 2; ++y) {
    const F32x8 row = floats(from->rows[y]);
    const F32x16 weight = simd::productWide(passes.row[y], columns, simd::joinWide(row, row));
    sum += simd::lowerHalf(weight), sum += simd::upperHalf(weight);
  }
  store(result[0], sum);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
