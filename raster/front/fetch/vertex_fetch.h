// Vertex input ("Fixed-Function Vertex Processing"): reads attributes of every format from the bound buffers into a
// warp's input words. Reads outside a binding give zero, as robustBufferAccess2 asks. prepare() or rebind() once per
// draw; fetch() from any thread.
#pragma once

#include "raster/draw.h"
#include "raster/front/fetch/attribute.h"

namespace etzel::raster {

class VertexFetch {
 public:
  void prepare(const DrawState& state, uint64_t inputLocations, uint32_t firstInstance);
  /// prepare() where nothing but bindings and the first instance differs from the last time.
  void rebind(const DrawState& state, uint32_t firstInstance);

  /// Fills in[attributeWord(L, C)] for all lanes: lane i reads vertex `vertex[i]` of instance `instance[i]` (counted
  /// from 0).
  void fetch(const LaneWords& vertex, const LaneWords& instance, LaneWords* in) const;

  /// Four words of the attribute of `location` from element element[i] of its binding, for the lanes i of `lanes`,
  /// whatever its input rate. Attributes that prepare() left out give zeros.
  void fetchElement(uint32_t location, LaneMask lanes, const LaneWords& element, LaneWords* result) const;

 private:
  static void bind(FetchAttribute& a, const VertexBinding& binding);
  /// Converts one attribute, lane by lane, to at most `words` words each; other lanes count as outside of the binding.
  static void convert(const FetchAttribute& a, LaneMask lanes, const LaneWords& element, LaneWords* to, uint32_t words);

  const FetchLanes* lanes_ = nullptr;
  FetchAttribute attribute_[kMaxVertexAttributes];
  uint32_t count_ = 0;
  uint32_t firstInstance_ = 0;
};

}  // namespace etzel::raster
