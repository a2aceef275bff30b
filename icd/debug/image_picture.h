// What is bound to image variables as people want to see it: a line about the image, its texels, a picture of them.
// Texels are read as a shader fetches them, so formats, swizzles, compression and samples are what shaders see.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/abi/kernel.h"
#include "runtime/base/result.h"
#include "runtime/tex/view.h"

namespace etzel::icd {

/// "16 x 8, R8G8B8A8_UNORM, 3 layers, 5 levels, 4 samples"
std::string textOf(const abi::DispatchContext& context, const tex::ImageView& view);
/// "LINEAR, smaller NEAREST, levels LINEAR, REPEAT, CLAMP_TO_EDGE, REPEAT"
std::string textOf(const tex::Sampler& sampler);

/// A part of an image that is a picture.
struct ImagePart {
  uint32_t level = 0;
  uint32_t layer = 0;  ///< 3D images: slice
  uint32_t sample = 0;
};

/// A texel by the coordinates that accesses take: x, y, then the layer or slice, as far as the view has them, and the
/// sample of multisampled views (0 where it is left out).
struct TexelValue {
  format::Texel texel;
  format::Numeric numeric;  ///< Uint, Sint, or something that shaders see as floats
};
Result<TexelValue> texelOf(const abi::DispatchContext& context, const tex::ImageView& view,
                           const std::vector<uint32_t>& coordinates);

struct ImagePicture {
  static constexpr uint32_t kLargest = 1024;  ///< in width and height

  uint32_t width = 0, height = 0;
  uint32_t step = 1;              ///< pixels are every so many texels
  float least = 0, greatest = 1;  ///< what is black, and white
  std::vector<std::byte> rgb;
};
/// Colours between 0 and 1 are as they are; of others, depths and integers the least is black, the greatest white.
/// Error: there is no such part.
Result<ImagePicture> pictureOf(const abi::DispatchContext& context, const tex::ImageView& view, ImagePart part);

}  // namespace etzel::icd
