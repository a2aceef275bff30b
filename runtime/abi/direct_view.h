// What compiled code knows of views and samplers beyond descriptors: enough to read texels without the texture units.
// Instructions whose descriptors differ by lane, and all that is not plain, are the units' (FunctionTable::texture).
#pragma once

#include "runtime/abi/descriptor.h"

namespace etzel::abi {

/// Footprints of eight lanes: of each the texel at `offset` bytes in the first row; to be filtered also its right
/// neighbour, those below both, and the weights of columns and rows. All texels are inside of the image.
struct Footprints {
  const std::byte* row[2];
  LaneWords offset;
  LaneWords columns[2], rows[2];  ///< floats
};
/// Stores the colours of all lanes.
using ReadFootprints = void (*)(const tex::ImageView* view, const Footprints* footprints, LaneWords* result);

/// Stores words 0 to 3 of some lanes to the texels at those bytes, as storage images do, the lowest lane's first.
using WriteTexels = void (*)(const tex::ImageView* view, const LaneWords* offset, LaneMask lanes,
                             const LaneWords* data);

/// What lies at the start of every tex::ImageView: the base level of a plain 2D or 1D image. Texel (x, y): 1 <<
/// logBytes bytes at texels + y * rowPitch + (x << logBytes); `texels` and the pitch are multiples of 4.
struct DirectView {
  enum class Format : uint32_t {
    None,   ///< ask the texture units
    Size,   ///< only how large the image is
    Codes,  ///< normalized numbers without sign, of up to four bytes a texel
  };
  /// A component that shaders see: code * power + code * rest, the last sum rounded once, or else `constant`: one of
  /// the two is zero.
  struct Component {
    uint32_t shift = 0, mask = 0;  ///< code = word >> shift & mask
    float power = 0, rest = 0;
    uint32_t constant = 0;  ///< a number's bits
  };
  const std::byte* texels = nullptr;
  uint32_t width = 0, height = 0;
  int32_t rowPitch = 0;
  Format format = Format::None;
  uint32_t logBytes = 0;
  /// Nearest texels, bilinear filter, of any format. Not null: the view has this level only, and `texels`, pitch and
  /// logBytes are known.
  ReadFootprints nearest = nullptr, bilinear = nullptr;
  WriteTexels write = nullptr;  ///< of any format; not null: texels, pitch and logBytes are known
  Component component[4];
};

/// What lies at the start of every tex::Sampler.
struct DirectSampler {
  enum class Filter : uint32_t { Other, Nearest, Bilinear };
  Filter filter = Filter::Other;  ///< all that it does on an image of one level
  uint32_t unnormalized = 0;      ///< not 0: coordinates count texels
  uint32_t repeats[2] = {};       ///< ~0: texels repeat in that direction
};

/// What a null view or sampler looks like: kernels read it in their place.
inline constexpr uint32_t kNullBytes = 256;
static_assert(sizeof(DirectView) <= kNullBytes && sizeof(DirectSampler) <= kNullBytes);

}  // namespace etzel::abi
