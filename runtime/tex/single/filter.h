// Filtering one mip level: nearest, linear, comparison, reduction, gather ("Texel Filtering"). Internal to tex/.
#pragma once

#include "runtime/abi/tex_inst.h"
#include "runtime/tex/single/texel_fetch.h"

namespace etzel::tex {

/// A view and a sampler prepared for the lanes of one instruction.
struct SampleState {
  TexelReader reader;
  const ImageView& view;
  const Sampler& sampler;
  abi::TexInst inst;
  uint32_t dims;  ///< coordinates that are filtered: 1, 2 (cubes too), 3
  bool cube, seamless;
  bool clampReference;  ///< fixed-point depth: D_ref is clamped to [0, 1]
  Vec4 border;          ///< as a texel of the view's format, before the component mapping
  bool simple2D;        ///< plain weighted averages of a 2D image: the quick path

  SampleState(const ImageView& v, const Sampler& s, abi::TexInst i);
};

/// Where one lane samples.
struct LaneCoord {
  float c[3] = {};    ///< s, t, r; cubes: on the face
  int32_t layer = 0;  ///< of the view; cubes: 6 * cube + face
  int32_t offset[3] = {};
  float reference = 0;
};

/// The lesser and the greater of each component, as the numbers that such a format shows.
inline Vec4 lesser(format::Numeric numeric, Vec4 a, Vec4 b) {
  if (numeric == format::Numeric::Uint) return std::bit_cast<simd::U32x4>(a) < std::bit_cast<simd::U32x4>(b) ? a : b;
  if (numeric == format::Numeric::Sint) return std::bit_cast<simd::I32x4>(a) < std::bit_cast<simd::I32x4>(b) ? a : b;
  return a < b ? a : b;
}
inline Vec4 greater(format::Numeric numeric, Vec4 a, Vec4 b) {
  if (numeric == format::Numeric::Uint) return std::bit_cast<simd::U32x4>(a) > std::bit_cast<simd::U32x4>(b) ? a : b;
  if (numeric == format::Numeric::Sint) return std::bit_cast<simd::I32x4>(a) > std::bit_cast<simd::I32x4>(b) ? a : b;
  return a > b ? a : b;
}

/// One level, filtered; before the component mapping. Comparisons are in x.
Vec4 sampleLevel(const SampleState& state, const Level& level, const LaneCoord& at, VkFilter filter);

/// Whether a view's image keeps luma and chroma apart, at resolutions of their own or in planes.
bool hasSeparateChroma(const ImageView& view);
/// The same through a Y'CbCr conversion, of an image that keeps luma and chroma apart (ycbcr.cpp).
Vec4 sampleYcbcr(const SampleState& state, const Level& level, const LaneCoord& at, VkFilter filter);
/// A filtered colour of any other image through the sampler's Y'CbCr conversion.
Vec4 convertYcbcr(const SampleState& state, Vec4 color);

/// Four texels of a component: (i0, j1), (i1, j1), (i1, j0), (i0, j0), component mapping applied. `offsets4` is null or
/// four pairs that replace the common offset.
Vec4 gather(const SampleState& state, const Level& level, const LaneCoord& at, const int32_t (*offsets4)[2]);

}  // namespace etzel::tex
