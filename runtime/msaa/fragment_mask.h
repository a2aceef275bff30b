// Fragment masks: which stored colour slot ("fragment") each sample of a pixel shows.
//
// A mask holds one 4-bit fragment index per sample, sample 0 in the lowest bits: the format that
// OpFragmentMaskFetchAMD returns (SPV_AMD_shader_fragment_mask). This file knows masks only; planes and tile states
// live in fragment_surface.h. Pure functions, callable from any thread.
#pragma once

#include "runtime/base/types.h"

namespace etzel::msaa {

inline constexpr uint32_t kMaxSamples = 16;

/// One pixel's mask. Width: 4 bits x samples, up to 16 samples.
using FragmentMask = uint64_t;

/// Samples of a pixel as bits, sample 0 lowest; bits at and above the sample count are zero. Also: sets of fragments.
using SampleMask = uint32_t;

constexpr SampleMask allSamples(uint32_t sampleCount) { return (1u << sampleCount) - 1; }

/// Every sample shows the fragment of its own number: what tiles without compression have.
constexpr FragmentMask identityMask(uint32_t sampleCount) {
  return 0xFEDCBA9876543210ull & (sampleCount < 16 ? (uint64_t{1} << (4 * sampleCount)) - 1 : ~uint64_t{0});
}

/// The fragment that a sample shows. Nibbles beyond the sample count, which only garbage has, are cut down.
constexpr uint32_t fragmentOf(FragmentMask mask, uint32_t sample, uint32_t sampleCount) {
  return static_cast<uint32_t>(mask >> (4 * sample)) & (sampleCount - 1);
}

/// The fragments that `samples` show.
SampleMask fragmentsOf(FragmentMask mask, SampleMask samples, uint32_t sampleCount);

/// Where a write to some samples of a pixel goes.
struct FragmentWrite {
  uint32_t fragment;  ///< slot that receives the colour
  FragmentMask mask;  ///< the pixel's mask afterwards
};

/// Chooses the slot for a colour that covers `covered` and repoints those samples to it.
///
/// Slots that only covered samples used are free again, so one is always left: with S samples, the S - |covered|
/// uncovered ones occupy at most S - 1. Full coverage gives slot 0 and mask 0.
///
/// \pre covered != 0
FragmentWrite allocateFragment(FragmentMask mask, SampleMask covered, uint32_t sampleCount);

/// What has to happen before `covered` samples are changed in a way that depends on their old colour.
struct FragmentSplit {
  struct Step {
    uint8_t from, to;  ///< the colour of `from` is read and the result goes to `to`; equal: in place
  };
  Step step[kMaxSamples];
  uint32_t count = 0;  ///< distinct fragments that are covered
  FragmentMask mask;   ///< the pixel's mask afterwards
};

/// Gives every fragment that is covered in part a slot of its own for that part. Steps never read what an earlier one
/// wrote: new slots are ones that no sample showed.
FragmentSplit splitFragments(FragmentMask mask, SampleMask covered, uint32_t sampleCount);

}  // namespace etzel::msaa
