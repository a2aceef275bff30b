// The model test's language: a world of images, and operations on them as plain data. A sequence comes from a seed
// (generate_test.cpp) and runs twice: on plain arrays with a value for every sample (reference.h) and on the rasterizer
// (device.h). After every operation both must agree. Operations do not depend on each other's results, so any of them
// may be left out, which is how a failing sequence becomes a short one. Tests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "raster/draw.h"

namespace etzel::raster::model {

inline constexpr uint32_t kLayers = 2;

/// The images of a world. Twins have the format of their originals; flat ones have a single sample.
enum ImageId : uint8_t {
  kColor0,
  kColor1,
  kTwin0,
  kTwin1,
  kStorage,  ///< R32_UINT
  kDepth,    ///< and stencil, as the format has them
  kDepthTwin,
  kFlat0,
  kFlat1,
  kFlatDepth,
  kImageCount,
  kNoImage = kImageCount,
};
inline bool isDepthStencil(ImageId id) { return id == kDepth || id == kDepthTwin || id == kFlatDepth; }
inline bool isStored(ImageId id) { return id == kColor0 || id == kTwin0 || id == kStorage; }  ///< by shaders
inline bool isFlat(ImageId id) { return id >= kFlat0; }

struct World {
  uint32_t seed = 0;
  uint32_t width = 1, height = 1, samples = 4;
  uint32_t threads = 1;
  bool compressed = true;  ///< else every sample lies in a plane of its own
  VkFormat color[2] = {};
  VkFormat depthStencil = VK_FORMAT_UNDEFINED;

  VkFormat formatOf(ImageId id) const {
    if (isDepthStencil(id)) return depthStencil;
    if (id == kStorage) return VK_FORMAT_R32_UINT;
    return color[id == kColor1 || id == kTwin1 || id == kFlat1];
  }
  uint32_t samplesOf(ImageId id) const { return isFlat(id) ? 1 : samples; }
  VkImageAspectFlags aspectsOf(ImageId id) const { return format::find(formatOf(id))->aspects; }
};

/// Pixels [x0, x1) x [y0, y1).
struct Rect {
  uint32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  uint32_t width() const { return x1 - x0; }
  uint32_t height() const { return y1 - y0; }
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  VkRect2D vk() const { return {{int32_t(x0), int32_t(y0)}, {width(), height()}}; }
};

/// What a fragment shader of the test does (shader.h).
struct ShaderTraits {
  bool exists = true;    ///< else only depth and stencil are drawn
  uint32_t outputs = 3;  ///< colour locations, a bit each
  bool varies = false;   ///< the colour changes from pixel to pixel
  bool discards = false, writesSampleMask = false, writesDepth = false, writesStencilRef = false, secondSource = false;
  bool sampleRate = false, readsMask = false, earlyTests = false, postDepthCoverage = false;
  bool stores = false;         ///< a texel of kStorage for each invocation
  ImageId fetches = kNoImage;  ///< the colour depends on a sample of this image
  bool shares = false;         ///< sampleRate, fetches, and samples differ in nothing else (ProgramInfo::sharesSamples)
};

struct Triangle {
  int32_t x[3], y[3];  ///< 1/256 pixel
  float z[3];          ///< before the viewport's depth range
  float w = 1;         ///< a power of two
  uint32_t seed = 0;   ///< what its shader makes colours of
  uint32_t layer = 0;  ///< without multiview
};

struct Draw {
  ShaderTraits shader;
  DrawState state;  ///< fixed functions only: no kernels, attachments, vertex input, viewport rectangle
  std::vector<Triangle> triangles;
};

/// A render pass instance: its attachments.
struct Pass {
  ImageId color[2] = {kNoImage, kNoImage};
  ImageId depth = kNoImage;
  uint32_t baseLayer = 0, layers = 1, viewMask = 0;
  Rect area;
  uint32_t alone = 0;  ///< Attachments::alone
};

enum class Kind : uint8_t {
  Draw,               ///< pass, draw
  ClearAttachment,    ///< pass, color or ~0u with aspects, value, rect, toLayer (of the pass), layers
  Flush,              ///< pass: runs what waits and goes on in the same pass
  ClearImage,         ///< to, aspects, value, toLayer, layers
  Copy,               ///< from, fromX, fromY, fromLayer -> to, rect, toLayer; layers, aspects
  BufferToImage,      ///< made-up texels -> to, one aspect, rect, toLayer
  ImageToBuffer,      ///< observes from, one aspect, rect, fromLayer
  ResolveAttachment,  ///< from -> to, rect, one aspect, mode; toLayer: first layer of both; layers or viewMask
  ResolveImage,       ///< from, fromX, fromY, fromLayer -> to, rect, toLayer; layers
  Replicate,          ///< from (flat) -> to, rect (whole tiles), one aspect; layers or viewMask
  StoreSamples,       ///< to, rect, toLayer, samples: storage writes by several threads, and reads of other samples
  AtomicAdd,          ///< kStorage, rect, toLayer, samples: observes old values
  FetchSamples,       ///< observes from, rect, fromLayer, one aspect
  FetchFragments,     ///< observes samples through the fragment mask: from, rect, fromLayer
};

struct Operation {
  Kind kind = Kind::Flush;
  uint32_t pass = 0;  ///< Draw, ClearAttachment, Flush: index into Sequence::passes; consecutive ones share an instance
  std::shared_ptr<const Draw> draw;
  ImageId from = kNoImage, to = kNoImage;
  VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT;
  VkResolveModeFlagBits mode = VK_RESOLVE_MODE_NONE;
  uint32_t color = ~0u;
  uint32_t fromX = 0, fromY = 0, fromLayer = 0, toLayer = 0, layers = 1, viewMask = 0;
  Rect rect;
  VkClearValue value{};
  uint32_t samples = ~0u;  ///< which ones
  uint32_t seed = 0;       ///< of made-up values

  bool inPass() const { return kind <= Kind::Flush; }
};

struct Sequence {
  World world;
  std::vector<Pass> passes;
  std::vector<Operation> operations;
};

/// What the test draws from the seed. Depends on nothing else.
Sequence generate(uint32_t seed);

std::string describe(const World& world);
std::string describe(const Sequence& sequence, const Operation& operation);

/// Mixes words to one that looks random.
inline uint32_t mix(uint32_t a, uint32_t b) {
  uint32_t h = a * 0x9E3779B1u + b * 0x85EBCA77u + 0x27D4EB2Fu;
  h ^= h >> 15, h *= 0x2C1B3C6Du, h ^= h >> 12, h *= 0x297A2D39u;
  return h ^ h >> 15;
}

/// A made-up colour that a format can hold, from a small palette: equal colours and blends of them are frequent. Some
/// values of fixed-point formats lie beyond their range.
format::Texel colorFor(const format::FormatInfo& info, uint32_t hash, bool inRange);
/// A made-up texel of one aspect: bytes as in its plane.
void madeUpTexel(VkFormat format, uint32_t hash, std::byte* texel);

}  // namespace etzel::raster::model
