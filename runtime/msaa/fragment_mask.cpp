#include "runtime/msaa/fragment_mask.h"

#include <bit>

#include "runtime/base/assert.h"

namespace etzel::msaa {
namespace {

FragmentMask repoint(FragmentMask mask, uint32_t sample, uint32_t fragment) {
  return (mask & ~(uint64_t{15} << (4 * sample))) | uint64_t{fragment} << (4 * sample);
}

}  // namespace

SampleMask fragmentsOf(FragmentMask mask, SampleMask samples, uint32_t sampleCount) {
  SampleMask used = 0;
  for (; samples; samples &= samples - 1)
    used |= 1u << fragmentOf(mask, static_cast<uint32_t>(std::countr_zero(samples)), sampleCount);
  return used;
}

FragmentWrite allocateFragment(FragmentMask mask, SampleMask covered, uint32_t sampleCount) {
  ETZEL_ASSERT(covered != 0);
  const SampleMask used = fragmentsOf(mask, allSamples(sampleCount) & ~covered, sampleCount);
  FragmentWrite write{static_cast<uint32_t>(std::countr_one(used)), mask};
  for (; covered; covered &= covered - 1)
    write.mask = repoint(write.mask, static_cast<uint32_t>(std::countr_zero(covered)), write.fragment);
  return write;
}

FragmentSplit splitFragments(FragmentMask mask, SampleMask covered, uint32_t sampleCount) {
  FragmentSplit split;
  split.mask = mask;
  SampleMask used = fragmentsOf(mask, allSamples(sampleCount), sampleCount);
  const SampleMask kept = fragmentsOf(mask, allSamples(sampleCount) & ~covered, sampleCount);
  for (SampleMask left = fragmentsOf(mask, covered, sampleCount); left; left &= left - 1) {
    const uint32_t from = static_cast<uint32_t>(std::countr_zero(left));
    uint32_t to = from;
    if (kept >> from & 1) {
      to = static_cast<uint32_t>(std::countr_one(used));
      used |= 1u << to;
      for (SampleMask s = covered; s; s &= s - 1) {
        const uint32_t sample = static_cast<uint32_t>(std::countr_zero(s));
        if (fragmentOf(mask, sample, sampleCount) == from) split.mask = repoint(split.mask, sample, to);
      }
    }
    split.step[split.count++] = {static_cast<uint8_t>(from), static_cast<uint8_t>(to)};
  }
  return split;
}

}  // namespace etzel::msaa
