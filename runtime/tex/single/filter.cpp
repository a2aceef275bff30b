#include "runtime/tex/single/filter.h"

#include <algorithm>
#include <cmath>

#include "runtime/tex/cubic.h"
#include "runtime/tex/single/address.h"
#include "runtime/tex/single/shared_texels.h"

namespace etzel::tex {
namespace {

bool compare(VkCompareOp op, float reference, float texel) {
  switch (op) {
    case VK_COMPARE_OP_NEVER: return false;
    case VK_COMPARE_OP_LESS: return reference < texel;
    case VK_COMPARE_OP_EQUAL: return reference == texel;
    case VK_COMPARE_OP_LESS_OR_EQUAL: return reference <= texel;
    case VK_COMPARE_OP_GREATER: return reference > texel;
    case VK_COMPARE_OP_NOT_EQUAL: return reference != texel;
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return reference >= texel;
    default: return true;
  }
}

Vec4 compared(const SampleState& s, float reference, Vec4 texel) {
  if (!s.inst.dref) return texel;
  if (s.clampReference) reference = format::clamp01(reference);
  return Vec4{compare(s.sampler.compareOp, reference, texel[0]) ? 1.0f : 0.0f, 0, 0, 1};
}

/// Reads a wrapped texel; an index of -1 is the border.
Vec4 readOrBorder(const SampleState& s, const Level& l, int32_t x, int32_t y, int32_t z, int32_t layer) {
  if ((x | y | z) < 0) return s.border;
  return s.reader.read(l, x, y, z, layer);
}

/// A texel of a cube face that may lie one step outside. Corners are the average of the three texels that meet there.
Vec4 readCube(const SampleState& s, const Level& l, int32_t i, int32_t j, int32_t layer, float reference) {
  const int32_t size = l.width;
  const bool outI = static_cast<uint32_t>(i) >= static_cast<uint32_t>(size);
  const bool outJ = static_cast<uint32_t>(j) >= static_cast<uint32_t>(size);
  if (!outI && !outJ) return compared(s, reference, s.reader.read(l, i, j, 0, layer));
  const int32_t first = layer / 6 * 6;
  const auto neighbour = [&](int32_t a, int32_t b) {
    int32_t face = layer - first;
    crossCubeEdge(face, a, b, size);
    return compared(s, reference, s.reader.read(l, a, b, 0, first + face));
  };
  if (outI != outJ) return neighbour(i, j);
  const int32_t ci = std::clamp(i, 0, size - 1), cj = std::clamp(j, 0, size - 1);
  if (s.view.info->isInteger()) return s.reader.read(l, ci, cj, 0, layer);  // gathered integers have no average
  const Vec4 sum = compared(s, reference, s.reader.read(l, ci, cj, 0, layer)) + neighbour(i, cj) + neighbour(ci, j);
  return sum / splat<Vec4>(3.0f);
}

/// Two texels and the weight of the second along one axis, wrapped.
struct AxisTaps {
  int32_t index[2];
  float weight;
};

float unnormalized(const SampleState& s, float c, int32_t size) {
  return s.sampler.unnormalized ? c : c * static_cast<float>(size);
}

AxisTaps linearTaps(const SampleState& s, uint32_t axis, float c, int32_t size, int32_t offset, bool wrapped) {
  const float u = unnormalized(s, c, size) - 0.5f;
  const int32_t i = floorToInt(u);
  float weight = u - static_cast<float>(i);
  if (!(weight >= 0 && weight <= 1)) weight = 0;  // coordinates out of any range
  const int32_t i0 = moved(i, offset), i1 = moved(i0, 1);
  if (!wrapped) return {{i0, i1}, weight};
  return {{wrap(s.sampler.address[axis], i0, size), wrap(s.sampler.address[axis], i1, size)}, weight};
}

int32_t nearestTap(const SampleState& s, uint32_t axis, float c, int32_t size, int32_t offset) {
  const int32_t i = moved(floorToInt(unnormalized(s, c, size)), offset);
  return s.seamless ? std::clamp(i, 0, size - 1) : wrap(s.sampler.address[axis], i, size);
}

/// Weighted average, or minimum or maximum of the texels that have weight.
class Accumulator {
 public:
  Accumulator(VkSamplerReductionMode mode, const format::FormatInfo& info)
      : mode_(mode),
        bounded_(mode != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE || format::showsFloats(info.layout)),
        numeric_(info.numeric) {
    using enum format::Numeric;
    if (numeric_ == Uint) low_ = std::bit_cast<Vec4>(splat<simd::U32x4>(~0u)), high_ = Vec4{};
    if (numeric_ == Sint) low_ = std::bit_cast<Vec4>(splat<simd::I32x4>(INT32_MAX));
    if (numeric_ == Sint) high_ = std::bit_cast<Vec4>(splat<simd::I32x4>(INT32_MIN));
  }
  void add(Vec4 texel, float weight) {
    if (weight == 0) return;
    sum_ += texel * splat<Vec4>(weight);
    if (!bounded_) return;
    low_ = lesser(numeric_, texel, low_);
    high_ = greater(numeric_, texel, high_);
  }
  Vec4 value() const {
    if (mode_ == VK_SAMPLER_REDUCTION_MODE_MIN) return low_;
    if (mode_ == VK_SAMPLER_REDUCTION_MODE_MAX) return high_;
    // Formats that show floats: rounded weights must not bring the average outside of its texels.
    return bounded_ ? sum_ < low_ ? low_ : sum_ > high_ ? high_ : sum_ : sum_;
  }

 private:
  VkSamplerReductionMode mode_;
  bool bounded_;
  format::Numeric numeric_;
  Vec4 sum_{}, low_ = splat<Vec4>(INFINITY), high_ = splat<Vec4>(-INFINITY);
};

/// Weighted average of a 2D footprint without borders: the case that frames are made of.
Vec4 bilinear(const SampleState& s, const Level& l, const LaneCoord& at) {
  const AxisTaps x = linearTaps(s, 0, at.c[0], l.width, at.offset[0], true);
  const AxisTaps y = linearTaps(s, 1, at.c[1], l.height, at.offset[1], true);
  if ((x.index[0] | x.index[1] | y.index[0] | y.index[1]) < 0) {
    Accumulator sum(VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE, *s.view.info);
    for (int k = 0; k < 4; ++k)
      sum.add(readOrBorder(s, l, x.index[k & 1], y.index[k >> 1], 0, at.layer),
              (k & 1 ? x.weight : 1 - x.weight) * (k >> 1 ? y.weight : 1 - y.weight));
    return sum.value();
  }
  const std::byte* base = l.base + static_cast<uint64_t>(at.layer) * l.layerPitch;
  const std::byte* row0 = base + static_cast<uint64_t>(y.index[0]) * l.rowPitch;
  const std::byte* row1 = base + static_cast<uint64_t>(y.index[1]) * l.rowPitch;
  const uint64_t x0 = static_cast<uint64_t>(x.index[0]) * s.reader.blockBytes;
  const uint64_t x1 = static_cast<uint64_t>(x.index[1]) * s.reader.blockBytes;
  const float w11 = x.weight * y.weight, w01 = x.weight * (1 - y.weight), w10 = (1 - x.weight) * y.weight;
  const float w00 = (1 - x.weight) * (1 - y.weight);
  // Texels without weight take no part: an infinity there must not become a NaN.
  Accumulator sum(VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE, *s.view.info);
  if (w00 != 0) sum.add(s.reader.decode(row0 + x0), w00);
  if (w01 != 0) sum.add(s.reader.decode(row0 + x1), w01);
  if (w10 != 0) sum.add(s.reader.decode(row1 + x0), w10);
  if (w11 != 0) sum.add(s.reader.decode(row1 + x1), w11);
  return sum.value();
}

/// Four texels along an axis, wrapped.
struct CubicTaps {
  int32_t index[4];
  float weight[4];

  CubicTaps(const SampleState& s, uint32_t axis, float c, int32_t size, int32_t offset) {
    const AxisTaps middle = linearTaps(s, axis, c, size, offset, false);
    cubicWeights(middle.weight, weight);
    for (int32_t k = 0; k < 4; ++k) index[k] = wrap(s.sampler.address[axis], moved(middle.index[0], k - 1), size);
  }
};

/// "Cubic Texel Filtering" of two dimensions.
Vec4 cubic(const SampleState& s, const Level& l, const LaneCoord& at) {
  const CubicTaps x(s, 0, at.c[0], l.width, at.offset[0]), y(s, 1, at.c[1], l.height, at.offset[1]);
  Vec4 sum{};
  for (uint32_t k = 0; k < 16; ++k) {
    const float weight = x.weight[k & 3] * y.weight[k >> 2];
    if (weight != 0) sum += readOrBorder(s, l, x.index[k & 3], y.index[k >> 2], 0, at.layer) * splat<Vec4>(weight);
  }
  return sum;
}

}  // namespace

format::Texel borderTexel(const ImageView& view, const Sampler& sampler) {
  // "Texel Replacement": the components that the format has come from the border colour, the rest are as for any texel.
  format::Texel t;
  for (int c = 0; c < 4; ++c) {
    const uint32_t missing = c < 3 ? 0 : view.info->isInteger() ? 1 : format::floatToBits(1.0f);
    t.word[c] = view.info->channel[c].bits ? sampler.border.word[c] : missing;
  }
  return t;
}

SampleState::SampleState(const ImageView& v, const Sampler& s, abi::TexInst i)
    : reader(v), view(v), sampler(s), inst(i) {
  cube = i.dim == abi::TexDim::Cube;
  seamless = cube && s.seamlessCube;
  dims = i.dim == abi::TexDim::D1 ? 1 : i.dim == abi::TexDim::D3 ? 3 : 2;
  clampReference = v.info->numeric == format::Numeric::Unorm;
  border = toVec4(borderTexel(v, s));
  if (i.sparse) reader.residency = v.residency;
  simple2D = dims == 2 && !seamless && !reader.residency && !i.dref && reader.layout != format::TexelLayout::Blocks &&
             s.reduction == VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
}

namespace {

/// A level of an image whose texels are colours.
Vec4 filterLevel(const SampleState& s, const Level& l, const LaneCoord& at, VkFilter filter) {
  const int32_t size[3] = {l.width, l.height, l.depth};
  // Integers have no average, only a least and a greatest: with the former "VkSamplerCreateInfo" allows only nearest.
  if (filter == VK_FILTER_NEAREST ||
      (s.view.info->isInteger() && s.sampler.reduction == VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE)) {
    int32_t i[3] = {0, 0, 0};
    for (uint32_t d = 0; d < s.dims; ++d) i[d] = nearestTap(s, d, at.c[d], size[d], at.offset[d]);
    return compared(s, at.reference, readOrBorder(s, l, i[0], i[1], i[2], at.layer));
  }
  if (filter == VK_FILTER_CUBIC_EXT && s.dims == 2 && !s.cube) return cubic(s, l, at);
  if (s.simple2D) return bilinear(s, l, at);

  AxisTaps taps[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
  for (uint32_t d = 0; d < s.dims; ++d) taps[d] = linearTaps(s, d, at.c[d], size[d], at.offset[d], !s.seamless);
  Accumulator sum(s.sampler.reduction, *s.view.info);
  for (uint32_t k = 0; k < 1u << s.dims; ++k) {
    const uint32_t a = k & 1, b = k >> 1 & 1, c = k >> 2;
    const float weight = (a ? taps[0].weight : 1 - taps[0].weight) * (b ? taps[1].weight : 1 - taps[1].weight) *
                         (c ? taps[2].weight : 1 - taps[2].weight);
    if (weight == 0) continue;
    sum.add(s.seamless ? readCube(s, l, taps[0].index[a], taps[1].index[b], at.layer, at.reference)
                       : compared(s, at.reference,
                                  readOrBorder(s, l, taps[0].index[a], taps[1].index[b], taps[2].index[c], at.layer)),
            weight);
  }
  return sum.value();
}

}  // namespace

Vec4 sampleLevel(const SampleState& s, const Level& l, const LaneCoord& at, VkFilter filter) {
  if (!s.sampler.ycbcr.enabled) return filterLevel(s, l, at, filter);
  return hasSeparateChroma(s.view) ? sampleYcbcr(s, l, at, filter) : convertYcbcr(s, filterLevel(s, l, at, filter));
}

Vec4 gather(const SampleState& s, const Level& l, const LaneCoord& at, const int32_t (*offsets4)[2]) {
  constexpr int corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const uint8_t component = s.inst.dref              ? 0
                            : s.view.identitySwizzle ? s.inst.component
                                                     : s.view.swizzle[s.inst.component];
  format::Texel out;
  for (int k = 0; k < 4; ++k) {
    if (component >= 4) {
      out.word[k] = component == 4 ? 0 : s.view.info->isInteger() ? 1 : format::floatToBits(1.0f);
      continue;
    }
    // With four offsets each texel is the (i0, j0) of its own footprint.
    const int32_t* offset = offsets4 ? offsets4[k] : at.offset;
    const int a = offsets4 ? 0 : corner[k][0], b = offsets4 ? 0 : corner[k][1];
    const AxisTaps x = linearTaps(s, 0, at.c[0], l.width, offset[0], !s.seamless);
    const AxisTaps y = linearTaps(s, 1, at.c[1], l.height, offset[1], !s.seamless);
    const Vec4 texel = s.seamless ? readCube(s, l, x.index[a], y.index[b], at.layer, at.reference)
                                  : compared(s, at.reference, readOrBorder(s, l, x.index[a], y.index[b], 0, at.layer));
    out.word[k] = toTexel(texel).word[component];
  }
  return toVec4(out);
}

}  // namespace etzel::tex
