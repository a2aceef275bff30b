#include "runtime/simd/stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "runtime/simd/cpu.h"

namespace etzel::simd {
namespace {

constexpr uint64_t kWord = 0x0123456789abcdef;

TEST(Streams, FillsKeepToTheirBytesWhereverTheyBegin) {
  const Streams* streams = findStreams();
  if (!streams) GTEST_SKIP() << "string stores are best on this host";
  for (uint64_t count : {0u, 1u, 7u, 8u, 9u, 16u, 17u, 24u, 25u, 100u, 1001u})
    for (uint64_t offset = 0; offset < 70; ++offset) {
      std::vector<std::byte> to(offset + 8 * count + 70, std::byte{9}), expected = to;
      for (uint64_t i = 0; i < count; ++i) std::memcpy(expected.data() + offset + 8 * i, &kWord, sizeof kWord);
      streams->fill(to.data() + offset, kWord, count);
      ASSERT_TRUE(to == expected) << count << " words at " << offset;
    }
}

TEST(Streams, CopiesKeepToTheirBytesWhereverTheyBegin) {
  const Streams* streams = findStreams();
  if (!streams) GTEST_SKIP() << "string moves are best on this host";
  std::mt19937 random(1);
  std::vector<std::byte> source(9000);
  for (std::byte& b : source) b = static_cast<std::byte>(random());
  for (uint64_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 191u, 4096u, 8191u})
    for (uint64_t offset = 0; offset < 70; ++offset) {
      std::vector<std::byte> to(offset + bytes + 70, std::byte{9}), expected = to;
      const std::byte* from = source.data() + random() % 100;
      std::memcpy(expected.data() + offset, from, bytes);
      streams->copy(to.data() + offset, from, bytes);
      ASSERT_TRUE(to == expected) << bytes << " bytes at " << offset;
    }
}

TEST(Streams, OnlyForMoreThanCachesHold) {
  EXPECT_EQ(streamsFor(1 << 20), nullptr);
  EXPECT_EQ(streamsFor(uint64_t{1} << 30), findStreams());
}

TEST(Streams, HostsThatEndAtAvx2HaveThem) { EXPECT_EQ(findStreams() != nullptr, cpu().avx2 && !cpu().avx512f); }

}  // namespace
}  // namespace etzel::simd
