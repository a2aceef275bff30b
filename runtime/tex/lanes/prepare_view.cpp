// What the eight-lane paths and compiled code know of a view or sampler, computed once.
#include <algorithm>
#include <bit>

#include "runtime/base/assert.h"
#include "runtime/format/decoded.h"
#include "runtime/format/srgb_lanes.h"
#include "runtime/format/texel_shape.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/simd/cpu.h"
#include "runtime/tex/lanes/lanes.h"
#include "runtime/tex/single/lod.h"

namespace etzel::tex {
namespace {

using format::TexelLayout;
using format::TexelShape;

/// Offsets of texels are signed 32-bit numbers.
constexpr uint64_t kReach = uint64_t{1} << 31;

bool prepareImage(ImageView& v) {
  const mem::PlaneLayout& p = *v.plane;
  if (v.info->blockWidth != p.blockWidth || v.info->blockHeight != p.blockHeight || p.blockDepth > 1) return false;
  if (v.samples > 1 && !v.info->isColor()) return false;  // samples of depth may have no texels
  if (p.layerPitch >= kReach || v.minLod > 0 || v.mipCount == 0) return false;
  const bool sliced = v.depthCount > 0;
  const uint64_t reach = v.samples > 1 ? v.layout->size : p.layerPitch * (sliced ? 1 : v.layerCount);
  if (reach >= kReach) return false;
  // Places in compressed images are numbers of blocks and eight bits that say where in the block.
  if (v.info->compression != format::Compression::None && reach / v.info->blockBytes >= kReach >> 8) return false;
  v.lanes.base = v.memory + p.offset + (sliced ? 0 : v.baseLayer) * p.layerPitch;
  v.lanes.layerPitch = static_cast<int32_t>(p.layerPitch);
  return true;
}

bool prepareBuffer(ImageView& v) {
  if (v.bufferBytes >= kReach || v.bufferBytes < v.info->blockBytes) return false;
  v.lanes.bias = static_cast<int32_t>(reinterpret_cast<uintptr_t>(v.memory) & 3);
  v.lanes.base = v.memory - v.lanes.bias;
  v.lanes.bufferTexels = static_cast<int32_t>(v.bufferBytes / v.info->blockBytes);
  return true;
}

/// As texels.h has it: code / (2^n - 1) in two parts, of which the first is exact.
abi::DirectView::Component componentOf(const ImageView& v, const TexelShape& shape, uint32_t from) {
  abi::DirectView::Component c;
  const uint32_t n = from < 4 ? shape.channel[from].bits : 0;
  if (n) {
    const double most = (1u << n) - 1, power = 1.0 / (1u << n);
    c.shift = shape.channel[from].shift, c.mask = (1u << n) - 1;
    c.power = static_cast<float>(power), c.rest = static_cast<float>(1.0 / most - power);
  } else if (from == 3 || from == 5) {
    c.constant = v.lanes.unity, c.power = from == 3 ? 1.0f : 0.0f;
  }
  return c;
}

uint32_t sourceOf(const ImageView& v, uint32_t c) { return v.identitySwizzle ? c : v.swizzle[c]; }

/// Views that show a linear component in a colour's place, or the reverse, are left to the routines.
void prepareSrgb(ImageView& v, const TexelShape& shape) {
  const auto isColor = [&](uint32_t c) { return sourceOf(v, c) < 3; };
  if (!isColor(0) || !isColor(1) || !isColor(2) || isColor(3)) return;
  abi::DirectView& d = v.direct;
  for (uint32_t c = 0; c < 4; ++c) d.kind.component[c] = componentOf(v, shape, sourceOf(v, c));
  d.linear = format::kSrgbToLinear, d.planes = format::kSrgbBytes.plane[0];
  d.order =
      abi::bytesToWords(d.kind.component[0].shift / 8, d.kind.component[1].shift / 8, d.kind.component[2].shift / 8);
  d.kind.format = abi::DirectView::Format::Srgb;
}

void prepareWords(ImageView& v) {
  abi::DirectView& d = v.direct;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t from = sourceOf(v, c);
    d.kind.component[c] = {};
    if (from == 0) d.kind.component[c].mask = ~0u;
    if (from == 3 || from == 5) d.kind.component[c].constant = v.lanes.unity;
  }
  d.kind.format = abi::DirectView::Format::Word;
}

static_assert(mem::kMaxMips == abi::kMostLevels);
void prepareLevels(ImageView& v, LevelUse use) {
  v.lanes.levels = use;
  v.direct.lastLevel = v.mipCount - 1;
  for (uint32_t l = 0; l < v.mipCount; ++l) {
    const mem::MipLayout& m = v.plane->mip[v.baseMip + l];
    const auto kept = [](uint32_t size) { return std::has_single_bit(size) ? static_cast<int32_t>(size) - 1 : -1; };
    abi::LevelPlace& place = v.direct.level[l];
    place.size[0] = static_cast<int32_t>(m.width), place.size[1] = static_cast<int32_t>(m.height);
    place.scale[0] = static_cast<float>(m.width), place.scale[1] = static_cast<float>(m.height);
    place.keep[0] = kept(m.width), place.keep[1] = kept(m.height);
    place.pitch = static_cast<int32_t>(m.rowPitch);
    place.start = static_cast<int32_t>(m.offset + v.baseDepth * m.slicePitch);
    v.lanes.pitch[l] = place.pitch, v.lanes.start[l] = place.start;
  }
}

/// Where the base level's texels lie, or those of the first plane of samples.
void preparePlace(ImageView& v) {
  abi::DirectView& d = v.direct;
  const mem::MipLayout& m = v.plane->mip[v.baseMip];
  d.width = m.width, d.height = m.height;
  d.kind.format = abi::DirectView::Format::Size;
  d.texels = v.lanes.base + m.offset + v.baseDepth * m.slicePitch;
  d.rowPitch = static_cast<int32_t>(m.rowPitch);
  const bool sliced = v.depthCount > 0;
  d.slices = sliced ? v.depthCount : v.type == VK_IMAGE_VIEW_TYPE_3D ? m.depth : v.layerCount;
  d.slicePitch = sliced || v.type == VK_IMAGE_VIEW_TYPE_3D ? static_cast<int32_t>(m.slicePitch) : v.lanes.layerPitch;
  d.kind.logBytes = static_cast<uint32_t>(std::countr_zero(v.info->blockBytes));
}

/// Whether texels are codes without sign, of up to four bytes together: compiled code filters those.
bool areSmallCodes(const ImageView& v, const TexelShape& shape) {
  const bool small = std::all_of(shape.channel, shape.channel + 4, [](format::Channel c) { return c.bits <= 16; });
  return shape.numeric == format::Numeric::Unorm && small && v.info->blockBytes <= 4;
}

/// What texels of some formats are made of.
void prepareFormat(ImageView& v) {
  abi::DirectView& d = v.direct;
  if (v.lanes.layout == TexelLayout::R32) return prepareWords(v);
  const TexelShape shape = format::shapeOf(v.lanes.layout);
  if (shape.numeric == format::Numeric::Srgb) return prepareSrgb(v, shape);
  if (!areSmallCodes(v, shape)) return;
  for (uint32_t c = 0; c < 4; ++c) d.kind.component[c] = componentOf(v, shape, sourceOf(v, c));
  d.kind.format = abi::DirectView::Format::Codes;
}

/// How compiled code stores texels of one or two bytes, as format::encoder() would.
abi::StoredTexels storedTexels(const format::FormatInfo& f) {
  using Numbers = abi::StoredTexels::Numbers;
  const uint32_t bits = f.channel[0].bits, components = static_cast<uint32_t>(f.components());
  const bool whole = (bits == 8 || bits == 16) && f.channel[0].shift == 0 && bits * components == 8u * f.blockBytes;
  const bool pair = components == 2 && bits == 8 && f.channel[1].bits == 8 && f.channel[1].shift == 8;
  if (!f.isColor() || !whole || (components != 1 && !pair)) return {};
  const uint32_t most = (1u << bits) - 1;
  const auto codes = [&](float low, float product, float power) {
    return abi::StoredTexels{Numbers::Codes, pair, 0, low, product, power};
  };
  switch (f.numeric) {
    case format::Numeric::Unorm:
      return bits == 8 ? codes(0, static_cast<float>(most), 1) : codes(0, 1, static_cast<float>(most));
    case format::Numeric::Snorm: return codes(-1, 1, static_cast<float>(most >> 1));
    case format::Numeric::Float: return {.numbers = pair ? Numbers::None : Numbers::Half};
    case format::Numeric::Uint: return {.numbers = pair ? Numbers::None : Numbers::Uint, .most = most};
    case format::Numeric::Sint: return {.numbers = pair ? Numbers::None : Numbers::Sint, .most = most >> 1};
    default: return {};
  }
}

// What compiled code knows of tiles, in the words of those that make them.
static_assert(mem::kFragmentTile == 1 << abi::SampleTiles::kLogTile &&
              mem::kClearColorBytes == abi::SampleTiles::kClearColorBytes &&
              msaa::kMaxSamples == abi::SampleTiles::kMaxSamples);
static_assert(uint32_t(msaa::TileKind::One) == abi::SampleTiles::kOne &&
              uint32_t(msaa::TileKind::Clear) == abi::SampleTiles::kClear &&
              uint32_t(msaa::TileKind::General) == abi::SampleTiles::kGeneral &&
              uint32_t(msaa::TileKind::Expanded) == abi::SampleTiles::kExpanded);

/// Compressed samples of 2D images. Those of storage images are left to the texture units, who know of the other
/// threads that store to them.
void prepareSamples(ImageView& v) {
  const mem::FragmentLayout& f = v.plane->fragments;
  if (v.type != VK_IMAGE_VIEW_TYPE_2D || !f.offset || v.layout->storage) return;
  const DirectRoutines routines = ETZEL_CHOOSE(directRoutines)(v.lanes.layout);
  if (!routines.read || v.lanes.layout == TexelLayout::Other) return;
  preparePlace(v);
  prepareFormat(v);
  const std::byte* meta = v.memory + f.offset + v.baseLayer * f.layerPitch;
  v.direct.tiles = {.states = meta + mem::kTileStateOffset,
                    .edges = meta + f.edgeOffset,
                    .colors = meta,
                    .tilesX = f.tilesX,
                    .samples = v.samples,
                    .read = routines.read,
                    .all = routines.samples};
}

/// The routines that a view has.
uint32_t routinesOf(const abi::DirectView& d) {
  using View = abi::DirectView;
  const auto bit = [](auto routine, View::Has has) { return routine ? uint32_t{has} : 0; };
  return bit(d.read, View::kRead) | bit(d.nearest, View::kNearest) | bit(d.bilinear, View::kBilinear) |
         bit(d.compare, View::kCompare) | bit(d.write, View::kWrite) | bit(d.sample, View::kSample) |
         bit(d.firstNearest, View::kFirstNearest) | bit(d.firstBilinear, View::kFirstBilinear);
}

/// How texels are read and written where their places are known.
void prepareAccess(ImageView& v, const DirectRoutines& routines) {
  abi::DirectView& d = v.direct;
  if (!std::has_single_bit(v.info->blockBytes)) return;
  d.read = routines.read;
  if (v.encode) d.write = routines.write, d.stored = storedTexels(*v.info);
  prepareFormat(v);
}

/// Texel buffers.
void prepareRow(ImageView& v, const DirectRoutines& routines) {
  abi::DirectView& d = v.direct;
  if (v.lanes.bias) return;
  d.texels = v.lanes.base;
  d.width = static_cast<uint32_t>(v.lanes.bufferTexels), d.height = d.slices = 1;
  d.kind.logBytes = static_cast<uint32_t>(std::countr_zero(v.info->blockBytes));
  d.kind.format = abi::DirectView::Format::Size;
  prepareAccess(v, routines);
}

/// \pre v.lanes is complete
void prepareDirect(ImageView& v) {
  ETZEL_ASSERT(v.lanes.base != nullptr);
  abi::DirectView& d = v.direct;
  if (v.layout && v.samples > 1) return prepareSamples(v);
  const DirectRoutines routines = ETZEL_CHOOSE(directRoutines)(v.lanes.layout);
  if (!v.layout) return prepareRow(v, routines);
  d.sample = routines.sample;
  const bool line = v.type == VK_IMAGE_VIEW_TYPE_1D || v.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  const bool slices = v.type == VK_IMAGE_VIEW_TYPE_2D_ARRAY && v.depthCount;
  LevelUse use = routines.levels;
  if (use == LevelUse::None && areSmallCodes(v, format::shapeOf(v.lanes.layout))) use = LevelUse::Compiled;
  if (use != LevelUse::None && !line && !slices && !v.info->isInteger()) prepareLevels(v, use);
  preparePlace(v);
  prepareAccess(v, routines);
  if (v.type != VK_IMAGE_VIEW_TYPE_2D && v.type != VK_IMAGE_VIEW_TYPE_1D) return;
  if (!v.info->isInteger()) d.firstNearest = routines.read, d.firstBilinear = routines.bilinear;
  if (v.mipCount == 1 && !v.info->isInteger())
    d.nearest = routines.read, d.bilinear = routines.bilinear, d.compare = routines.compare;
}

}  // namespace

void prepare(Sampler& s) {
  using Filter = abi::DirectSampler::Filter;
  s.direct = {};
  if (!s.ycbcr.enabled && s.reduction == VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE) {
    const Filter filter = s.magFilter == VK_FILTER_NEAREST  ? Filter::Nearest
                          : s.magFilter == VK_FILTER_LINEAR ? Filter::Bilinear
                                                            : Filter::Other;
    if (!s.anisotropic && s.magFilter == s.minFilter) s.direct.filter = filter;
    // What magnifies reads the first level alone, and has no probes where an instruction says its level.
    if (s.minLod <= 0 && s.mipLodBias <= 0) s.direct.first = filter;
  }
  s.direct.unnormalized = s.unnormalized;
  s.direct.nearestLevel = s.mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST;
  s.limits = {std::clamp(s.mipLodBias, -kMaxLodBias, kMaxLodBias), s.minLod, s.maxLod};
  for (uint32_t d = 0; d < 2; ++d) {
    s.direct.repeats[d] = s.address[d] == VK_SAMPLER_ADDRESS_MODE_REPEAT ? ~0u : 0;
    const bool clamps = s.address[d] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    s.direct.clamps[d] = clamps && s.direct.filter == Filter::Nearest ? ~0u : 0;
  }
}

void prepare(ImageView& v) {
  v.lanes = {}, v.direct = {};
  if (!v.memory || !v.info || v.integers) return;
  const format::FormatInfo& f = *v.info;
  const bool blocks = f.compression != format::Compression::None;
  if ((!blocks && (f.blockWidth != 1 || !v.decode)) || f.planes > 1 || f.channel[0].bits == 64) return;
  if (!(v.layout ? v.plane && prepareImage(v) : prepareBuffer(v))) return;
  v.lanes.unity = f.isInteger() ? 1 : 0x3F800000u;
  v.lanes.missingAlpha = f.channel[3].bits ? 0 : v.lanes.unity;
  v.lanes.layout = f.layout, v.lanes.hasCodes = format::hasCodesInWords(f);
  if (blocks) {
    const format::FormatInfo& texels = *format::decodedFormat(f);
    v.lanes.decoded = texels.layout, v.lanes.decodedBytes = texels.blockBytes;
  }
  prepareDirect(v);
  v.direct.kind.has = routinesOf(v.direct);
  if (v.type == VK_IMAGE_VIEW_TYPE_2D && v.mipCount > 1 && v.lanes.levels != LevelUse::None)
    v.direct.kind.has |= abi::DirectView::kLevels;
}

}  // namespace etzel::tex
