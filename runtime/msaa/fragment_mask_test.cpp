#include "runtime/msaa/fragment_mask.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace etzel::msaa {
namespace {

struct Pixel {
  FragmentMask mask = 0;
  uint32_t slot[kMaxSamples] = {};
  uint32_t sample(uint32_t s, uint32_t count) const { return slot[fragmentOf(mask, s, count)]; }
};

void checkWrite(FragmentMask mask, SampleMask covered, uint32_t count) {
  Pixel p;
  p.mask = mask;
  uint32_t before[kMaxSamples];
  for (uint32_t f = 0; f < count; ++f) p.slot[f] = 100 + f;
  for (uint32_t s = 0; s < count; ++s) before[s] = p.sample(s, count);
  const FragmentWrite w = allocateFragment(mask, covered, count);
  ASSERT_LT(w.fragment, count);
  p.mask = w.mask, p.slot[w.fragment] = 1;
  for (uint32_t s = 0; s < count; ++s) ASSERT_EQ(p.sample(s, count), covered >> s & 1 ? 1u : before[s]);
}

void checkSplit(FragmentMask mask, SampleMask covered, uint32_t count) {
  Pixel p;
  p.mask = mask;
  uint32_t before[kMaxSamples];
  for (uint32_t f = 0; f < count; ++f) p.slot[f] = 100 + f;
  for (uint32_t s = 0; s < count; ++s) before[s] = p.sample(s, count);
  const FragmentSplit split = splitFragments(mask, covered, count);
  EXPECT_EQ(split.count, static_cast<uint32_t>(__builtin_popcount(fragmentsOf(mask, covered, count))));
  for (uint32_t i = 0; i < split.count; ++i) {
    ASSERT_LT(split.step[i].to, count);
    p.slot[split.step[i].to] = p.slot[split.step[i].from] * 2;
  }
  p.mask = split.mask;
  for (uint32_t s = 0; s < count; ++s) ASSERT_EQ(p.sample(s, count), covered >> s & 1 ? 2 * before[s] : before[s]);
}

TEST(FragmentMask, FullCoverageCollapsesToOneFragment) {
  for (uint32_t count : {2u, 4u, 8u, 16u}) {
    const FragmentWrite w = allocateFragment(identityMask(count), allSamples(count), count);
    EXPECT_EQ(w.fragment, 0u);
    EXPECT_EQ(w.mask, 0u);
  }
}

TEST(FragmentMask, EveryMaskTimesEveryCoverageMatchesTheModel) {
  for (uint32_t count : {2u, 4u})
    for (uint32_t code = 0; code < 1u << (count * (count / 2)); ++code) {  // count / 2 = bits of an index
      FragmentMask mask = 0;
      for (uint32_t s = 0; s < count; ++s) mask |= uint64_t{code >> (s * (count / 2)) & (count - 1)} << (4 * s);
      for (SampleMask covered = 1; covered <= allSamples(count); ++covered)
        checkWrite(mask, covered, count), checkSplit(mask, covered, count);
    }
}

TEST(FragmentMask, RandomMasksOfEightAndSixteenSamplesMatchTheModel) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t count = i & 1 ? 8 : 16;
    const FragmentMask mask = random() & (identityMask(count) | identityMask(count) << 1 | ~0ull >> (64 - 4 * count));
    const SampleMask covered = static_cast<SampleMask>(random() & random()) & allSamples(count);
    if (covered) checkWrite(mask, covered, count), checkSplit(mask, covered, count);
  }
}

}  // namespace
}  // namespace etzel::msaa
