#include "raster/pass/pending_bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace etzel::raster {
namespace {

/// Stands for a primitive: nobody looks at it.
const BinnedPrimitive* number(size_t i) { return reinterpret_cast<const BinnedPrimitive*>(64 * (i + 1)); }

/// Adds batches of up to `most` items in tiles below `tiles`, `count` in all, and compares what comes out with the
/// order in which they went in.
void expectSorted(PendingBins& bins, uint32_t threads, size_t count, size_t most, uint32_t tiles) {
  task::Pool pool(threads);
  std::minstd_rand random(static_cast<uint32_t>(count + most + tiles));
  std::map<uint32_t, std::vector<const BinnedPrimitive*>> expected;
  for (size_t i = 0; i < count;) {
    std::vector<BinItem> batch;
    for (size_t n = random() % most + 1; n && i < count; --n, ++i) {
      const auto tile = static_cast<uint32_t>(random() % tiles);
      batch.push_back({tile, number(i)});
      expected[tile].push_back(number(i));
    }
    bins.add(batch);
    EXPECT_TRUE(batch.empty());
  }
  EXPECT_EQ(bins.size(), count);
  const auto& joined = bins.join(pool);
  ASSERT_EQ(joined.size(), expected.size());
  auto next = expected.begin();
  for (const PendingBins::TileBin& bin : joined) {
    EXPECT_EQ(bin.tile, next->first);
    ASSERT_EQ(bin.count, next->second.size());
    EXPECT_TRUE(std::equal(next->second.begin(), next->second.end(), bin.primitives));
    ++next;
  }
  bins.clear();
  EXPECT_EQ(bins.size(), 0u);
}

TEST(PendingBins, KeepTheOrderInEveryTile) {
  PendingBins bins;  // the same one: what is left of a join does not show in the next one
  for (const uint32_t threads : {1u, 2u, 5u}) {
    expectSorted(bins, threads, 100'000, 3000, 510);
    expectSorted(bins, threads, 100'000, 7, 64);
    expectSorted(bins, threads, 40'000, 40'000, 3);
    expectSorted(bins, threads, 10, 4, 1'000'000);        // far apart
    expectSorted(bins, threads, 50'000, 900, 2'000'000);  // likewise, and many
    expectSorted(bins, threads, 1, 1, 1);
  }
}

TEST(PendingBins, WithoutPrimitivesThereAreNoTiles) {
  task::Pool pool(2);
  PendingBins bins;
  std::vector<BinItem> none;
  bins.add(none);
  EXPECT_TRUE(bins.join(pool).empty());
}

}  // namespace
}  // namespace etzel::raster
