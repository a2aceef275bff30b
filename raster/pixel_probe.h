// What looks at a pass while it is drawn: at one pixel, with everything that wants it in the order in which it happens
// and what it held before and after, and at fragment invocations somewhere. A pass has a probe or none
// (Attachments::probe), decided before it begins. Only the blocks that are looked at are drawn in a special way, all
// others as without a probe, and all bytes stay the same.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "raster/bin.h"
#include "raster/sample_locations.h"
#include "runtime/msaa/fragment_mask.h"

namespace etzel::raster {

inline constexpr uint32_t kMaxTexelBytes = 16;  ///< of an attachment

/// What a pixel has in one attachment.
struct PixelContents {
  enum class Store : uint8_t { Plain, One, Clear, General, Expanded, Planes };
  uint32_t samples = 0;     ///< 0: no such attachment, or the pixel lies outside of it
  uint32_t texelBytes = 0;  ///< of depth and stencil: those of their own plane
  Store store = Store::Plain;
  msaa::FragmentMask mask = 0;  ///< of colour with tile states: what shaders would see
  std::byte texel[kMaxSamples][kMaxTexelBytes] = {};

  explicit operator bool() const { return samples != 0; }
  bool operator==(const PixelContents& o) const;
};

/// What happened to the pixel, in attachments by their numbers.
struct PixelVisit {
  PixelContents before[Attachments::count], after[Attachments::count];
};

/// What took a sample away, in the order of "Fragment Operations". Kept: nothing did.
enum class SampleEnd : uint8_t {
  Kept,
  NotCovered,
  Viewport,
  Scissor,
  DiscardRectangle,
  SampleMask,
  Discard,
  ShaderMask,
  AlphaToCoverage,
  DepthBounds,
  Stencil,
  Depth,
  kCount
};

/// One sample of a fragment. Words of depth are as they are compared: codes for fixed point, float bits otherwise.
struct SampleStory {
  SampleEnd end = SampleEnd::NotCovered;
  bool depthTested = false, depthPasses = true;
  float z = 0;  ///< of the primitive or the shader, before clamping and conversion
  uint32_t depth = 0, storedDepth = 0;
  bool stencilTested = false, stencilPasses = true;
  uint32_t stencilReference = 0, storedStencil = 0;
};

/// What one invocation of the fragment shader gave.
struct FragmentResult {
  msaa::SampleMask samples = 0;  ///< those that it stood for, covered or not
  bool discarded = false;
  uint32_t color[kMaxColorAttachments][4] = {}, second[4] = {};
  uint32_t sampleMask = 0, stencilReference = 0;
  float depth[kMaxSamples] = {};  ///< of shaders that write it: one, or one for each sample
};

/// A primitive that covers some sample of the pixel, or would if nothing cut it off.
struct FragmentVisit : PixelVisit {
  const TileDraw* draw = nullptr;
  const BinnedPrimitive* primitive = nullptr;
  uint32_t samples = 1;                         ///< of rasterization
  msaa::SampleMask covered = 0, survivors = 0;  ///< by the primitive; of those: nothing took them away
  SampleStory sample[kMaxSamples];
  std::vector<FragmentResult> results;  ///< in the order in which they ran
};

/// A clear of the pixel within a pass.
struct ClearVisit : PixelVisit {
  const ClearRecord* clear = nullptr;
};

/// Which fragments somebody looks at. Each part restricts it further.
struct WatchedPlace {
  std::optional<std::pair<uint32_t, uint32_t>> pixel;  ///< of the framebuffer
  std::optional<uint32_t> layer, view, primitive;
};

/// What tells of the pixel is called by the worker that has its tile, or by the pass' thread: one at a time within a
/// pass. place() and kernelOf() are asked by all workers.
class PixelProbe {
 public:
  int32_t x = 0, y = 0;  ///< framebuffer pixels; negative: nothing is told of any
  uint32_t layer = 0;

  /// Where kernelOf() the draws' kernels run; none: nowhere.
  virtual std::optional<WatchedPlace> place() const { return {}; }
  /// What runs in a draw's fragments at place() in its kernel's stead, with the same bytes; null: its own kernel does.
  virtual const abi::Kernel* kernelOf(const DrawRecord& draw) const { return static_cast<void>(draw), nullptr; }

  virtual void fragment(const FragmentVisit& visit) = 0;
  virtual void cleared(const ClearVisit& visit) = 0;
  /// The tile's primitives are done; resolves follow. May come several times in a pass.
  virtual void tileDone(const PixelContents* contents) = 0;
  bool isAt(int32_t left, int32_t top, int32_t right, int32_t bottom, uint32_t inLayer) const {
    return x >= left && x < right && y >= top && y < bottom && inLayer == layer;
  }

 protected:
  ~PixelProbe() = default;
};

}  // namespace etzel::raster
