// The common case of filtered reads, eight lanes at a time: plain 2D images (arrays too) of common formats, nearest,
// bilinear and trilinear, without borders, comparison, reduction or anisotropy. Everything else takes sample.cpp's
// general path. Which path runs depends on the view, the sampler and the instruction only, never on data or machine;
// the two builds of quick_sample.inl.h (SSE2, AVX2) give the same bytes. Internal to tex/.
#pragma once

#include "runtime/tex/filter.h"
#include "runtime/tex/lod.h"

namespace etzel::tex {

/// Whether quickSample can run every lane with this state.
bool quickSampleApplies(const SampleState& state);

/// Lanes of `lanes` that sample the same levels; coordinates and layers of all lanes may be anything.
struct QuickSample {
  const SampleState* state;
  LaneMask lanes;
  Lod lod;
  const LaneWords* args;  ///< the instruction's argument block
  const int32_t* layer;   ///< [8], within the view
  const int32_t* offset;  ///< [8][2] or null
};

/// Adds nothing, clears nothing: writes the four result words of `lanes`, component mapping applied.
using QuickSampleFn = void (*)(const QuickSample& q, LaneWords* result);
void quickSampleSse2(const QuickSample& q, LaneWords* result);
void quickSampleAvx2(const QuickSample& q, LaneWords* result);

inline QuickSampleFn quickSampler() { return __builtin_cpu_supports("avx2") ? quickSampleAvx2 : quickSampleSse2; }

}  // namespace etzel::tex
