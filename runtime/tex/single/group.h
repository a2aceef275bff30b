// Lanes of a warp that run one texture instruction on the same view and sampler. Internal to tex/: texture_unit.cpp
// makes groups, one file per kind of operation runs them.
#pragma once

#include <bit>

#include "runtime/abi/kernel.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

struct Group {
  abi::Warp* warp;
  abi::TexInst inst;
  LaneMask lanes;
  const ImageView* view;   ///< not null, with memory
  const Sampler* sampler;  ///< not null
  const LaneWords* args;
  LaneWords* result;

  uint32_t word(uint32_t index, uint32_t lane) const { return args[index].lane[lane]; }
  int32_t integer(uint32_t index, uint32_t lane) const { return static_cast<int32_t>(args[index].lane[lane]); }
  float number(uint32_t index, uint32_t lane) const { return std::bit_cast<float>(args[index].lane[lane]); }
  void setResult(uint32_t lane, const format::Texel& t) const {
    for (int c = 0; c < 4; ++c) result[c].lane[lane] = t.word[c];
  }
  /// The residency code, for instructions that give one: 0 where all texels that the lane read have memory.
  void setResidency(uint32_t lane, bool absent) const {
    if (inst.sparse) result[inst.resultWords() - 1].lane[lane] = absent;
  }
};

template <class Body>
inline void forLanes(LaneMask lanes, Body&& body) {
  for (; lanes; lanes &= lanes - 1) body(static_cast<uint32_t>(std::countr_zero(lanes)));
}

void runSample(const Group& g);       // Sample, Gather, QueryLod
void runFetch(const Group& g);        // Fetch, FragmentFetch, FragmentMask
void runImageAccess(const Group& g);  // ImageRead, ImageWrite, ImageAtomic
void runQuery(const Group& g);        // QuerySize, QueryLevels, QuerySamples

/// Texel position of Fetch and image access: coordinates and layer in the view.
struct TexelPosition {
  int32_t x = 0, y = 0, z = 0, layer = 0, sample = 0;
};
/// \returns false outside of the view
bool texelPosition(const Group& g, uint32_t lane, const struct Level& level, TexelPosition* at);

}  // namespace etzel::tex
