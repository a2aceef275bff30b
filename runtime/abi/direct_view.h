// What compiled code knows of views and samplers beyond descriptors: enough to read texels without the texture units.
// Instructions whose descriptors differ by lane, and all that is not plain, are the units' (FunctionTable::texture).
#pragma once

#include <cstddef>

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

/// Stores a word of all lanes: the weights of those texels of footprints, summed, which let `reference` pass, floats as
/// instructions have them, by the sampler's comparison.
using CompareFootprints = void (*)(const tex::ImageView* view, const tex::Sampler* sampler,
                                   const Footprints* footprints, const LaneWords* reference, LaneWords* result);

/// Stores words 0 to 3 of all lanes: of those of `inside` from the texels at those bytes, of others from bits that are
/// 0. All offsets are texels.
using ReadTexels = void (*)(const tex::ImageView* view, const LaneWords* offset, LaneMask inside, LaneWords* result);

/// Stores words 0 to 3 of some lanes to the texels at those bytes, as storage images do, the lowest lane's first.
using WriteTexels = void (*)(const tex::ImageView* view, const LaneWords* offset, LaneMask lanes,
                             const LaneWords* data);

/// Runs a sample or a gather for some lanes, at least one; `texInst` and `args` are those of abi::TexInst, `sampler`
/// may be null. \returns false: the texture units have to run it; nothing happened
using SampleLevels = bool (*)(const tex::ImageView* view, const tex::Sampler* sampler, uint32_t texInst,
                              const LaneWords* args, LaneMask lanes, LaneWords* result);

/// Makes words of looked-up bytes. Of the 64 bytes that two permutations give, one of planes 0 and 1, one of planes 2
/// and 3, `from` has the source: byte b of the first plane is number b, of the second 64 + b, where b = 4 * lane + the
/// code's byte of the word. Pairs of them are in such an order that interleaving both permutations, the lower four
/// pairs of each 16 bytes and the upper four, leaves components 0 and 1, and component 2.
struct BytesToWords {
  uint8_t from[64];
};
constexpr BytesToWords bytesToWords(uint32_t byte0, uint32_t byte1, uint32_t byte2) {
  BytesToWords order{};
  for (uint32_t pair = 0; pair < 32; ++pair) {
    const uint32_t part = pair / 8, lane = part % 2 * 4 + pair % 4;
    const uint32_t byte = pair % 8 >= 4 ? byte2 : part < 2 ? byte0 : byte1;
    order.from[2 * pair] = static_cast<uint8_t>(4 * lane + byte);
    order.from[2 * pair + 1] = static_cast<uint8_t>(64 + 4 * lane + byte);
  }
  return order;
}

/// With the samples of ReadSamples: somebody wants to know which are alike.
inline constexpr uint32_t kAskAlike = 1u << 31;
/// Likewise: all lanes' pixels lie in one tile of 8x8 pixels and in the image, as two quads side by side from the first
/// lane's on, or as a row.
inline constexpr uint32_t kLieInQuads = 1u << 30, kLieInRow = 1u << 29;

/// What samples of the lanes' pixels show, whose x and y are the two words of `place`: of sample s, for those of
/// `samples`, a bit each, words 0 to 3 at result[4 * s], of lanes that are not of `lanes` anything; other elements of
/// `result` are left as they are. Pixels outside of the image show what fetches there give.
/// \returns the samples of `samples` that show in all of `lanes` what the one of `samples` before them shows, a bit
/// each: as far as that is known, and where pixels have several colours, perhaps only if kAskAlike is in `samples`
using ReadSamples = uint32_t (*)(const tex::ImageView* view, const LaneWords* place, LaneMask lanes, uint32_t samples,
                                 LaneWords* result);

/// How the samples of a compressed image are stored (runtime/msaa/fragment_surface.h): what is needed to see which
/// pixels have one colour in all of them, which is in plane 0. Nobody else changes it while shaders run.
struct SampleTiles {
  /// What a state's lower bits say; of a clear tile, the upper two are which of the clear colours.
  enum Kind : uint32_t { kOne, kClear, kGeneral, kExpanded };
  // Facts of runtime/mem and runtime/msaa, which prepare_view.cpp compares: kernels are made without either.
  static constexpr uint32_t kLogTile = 3, kClearColorBytes = 16, kMaxSamples = 16;

  const std::byte* states = nullptr;  ///< a byte per tile; null: ask the texture units
  const std::byte* edges = nullptr;   ///< a word per tile
  const std::byte* colors = nullptr;  ///< clear colours, kClearColorBytes each
  uint32_t tilesX = 0, samples = 0;
  ReadTexels read = nullptr;  ///< as DirectView::read, of plane 0 and of clear colours
  ReadSamples all = nullptr;
};

/// How compiled code stores numbers to texels of one or two bytes, those of eight neighbours at once. Shaders may store
/// numbers of another kind than the image's: those are the routine's (DirectView::write).
struct StoredTexels {
  enum class Numbers : uint32_t {
    None,   ///< ask the routine
    Codes,  ///< floats as normalized numbers: one component, or with `second`, two of a byte
    Half,   ///< one float
    Uint,   ///< one integer, at most `most`
    Sint,   ///< one integer, from ~most to `most`
  } numbers = Numbers::None;
  uint32_t second = 0, most = 0;
  /// Codes, of numbers from `low` to 1 with NaN as 0: number * product, rounded, times `power`, rounded to an integer,
  /// nearest even. `low` is 0 or -1; one of the factors is 1.
  float low = 0, product = 0, power = 0;
};

/// A level of a view, from its base level on.
struct LevelPlace {
  int32_t size[2] = {};  ///< width and height
  int32_t keep[2] = {};  ///< the bits that stay of a texel's number where it repeats: all, if no power of two does
  int32_t pitch = 0;     ///< bytes of a row
  int32_t start = 0;     ///< bytes from the image's level 0 in the view's first layer
  float scale[2] = {};   ///< `size`
};
static_assert(sizeof(LevelPlace) == sizeof(LaneWords));
inline constexpr uint32_t kMostLevels = 15;

/// What lies at the start of every tex::ImageView: the base level of an image with one sample, whose slices may be
/// layers too, or a texel buffer, which is a row. Texel (x, y) of slice z has 1 << logBytes bytes, at texels + z *
/// slicePitch + y * rowPitch + (x << logBytes); `texels` and the pitches are multiples of 4, and no place is 2^31 or
/// more.
struct DirectView {
  enum class Format : uint32_t {
    None,   ///< ask the texture units
    Size,   ///< only how large the image is
    Codes,  ///< normalized numbers without sign, of up to four bytes a texel
    Srgb,   ///< words with three codes of eight bits, which `linear` converts, and alpha, or a constant in its place
    Word,   ///< words that shaders see as they are, floats or integers
  };
  /// A component that shaders see: code * power + code * rest, the last sum rounded once, or with no `mask`
  /// `constant`, which is 0 otherwise. Of `Word`: texel & mask, or else `constant`. Filters make what stands for an
  /// alpha that texels lack the sum of their weights: its `power` is 1.
  struct Component {
    uint32_t shift = 0, mask = 0;  ///< code = word >> shift & mask
    float power = 0, rest = 0;
    uint32_t constant = 0;  ///< a number's bits
  };
  /// Routines that are not null, and `kLevels`: of a 2D view with several levels, `level` is known; `kSoonOther`: the
  /// kind is about to change, so no code is worth being made for it (runtime/tex/decoding.h).
  enum Has : uint32_t {
    kRead = 1,
    kNearest = 2,
    kBilinear = 4,
    kCompare = 8,
    kWrite = 16,
    kSample = 32,
    kFirstNearest = 64,
    kFirstBilinear = 128,
    kLevels = 256,
    kSoonOther = 512,
  };
  /// What depends on the view's format, swizzle and shape, and not on where its texels lie, how many there are, or the
  /// process: what code may be compiled for (compiler/exec/native/analysis/bound.h).
  struct Kind {
    Format format = Format::None;
    uint32_t logBytes = 0;
    uint32_t has = 0;
    Component component[4];  ///< Srgb: of 0 to 2 only `shift` counts
  };
  Kind kind;  ///< first
  const std::byte* texels = nullptr;
  uint32_t width = 0, height = 0;
  int32_t rowPitch = 0;
  uint32_t slices = 0;
  int32_t slicePitch = 0;
  /// Of any format; not null: `texels`, pitches and logBytes are known. `nearest`, `bilinear` and `compare`, which are
  /// for samplers: and it is a plain 2D or 1D image, of which the view has this level only.
  ReadTexels read = nullptr, nearest = nullptr;
  ReadFootprints bilinear = nullptr;
  /// Those of samplers, whatever levels follow the first.
  ReadTexels firstNearest = nullptr;
  ReadFootprints firstBilinear = nullptr;
  CompareFootprints compare = nullptr;
  WriteTexels write = nullptr;
  SampleLevels sample = nullptr;  ///< of views of every type; null: ask the texture units
  // Srgb: the numbers of all codes, as they are and as four planes of bytes (simd::ByteTable), and where bytes go that
  // have been looked up in planes.
  const float* linear = nullptr;
  const uint8_t* planes = nullptr;
  BytesToWords order = {};
  /// Of multisampled 2D images, which have no `read` but `texels`, sizes, pitch and format of plane 0.
  SampleTiles tiles;
  StoredTexels stored;  ///< only where `write` is not null
  uint32_t lastLevel = 0;
  LevelPlace level[kMostLevels];  ///< of 2D views and cubes of some formats
};

/// What lies at the start of every tex::Sampler. Code may be compiled for all of it.
struct DirectSampler {
  enum class Filter : uint32_t { Other, Nearest, Bilinear };
  Filter filter = Filter::Other;  ///< all that it does on an image of one level
  Filter first = Filter::Other;   ///< all that it does, on any image, where an instruction's level is 0 or less
  uint32_t unnormalized = 0;      ///< not 0: coordinates count texels
  uint32_t repeats[2] = {};       ///< ~0: texels repeat in that direction
  uint32_t clamps[2] = {};        ///< ~0: nearest texels beyond an edge are those of the edge
  uint32_t nearestLevel = 0;      ///< not 0: of several levels one is read
};
/// What lies behind it, which code is not compiled for: applications have as many of them as images.
struct SamplerLimits {
  float bias = 0, minLod = 0, maxLod = 0;  ///< of levels of detail
};

static_assert(offsetof(DirectView, kind) == 0);
static_assert(sizeof(DirectView) <= kNullBytes && sizeof(DirectSampler) + sizeof(SamplerLimits) <= kNullBytes);

}  // namespace etzel::abi
