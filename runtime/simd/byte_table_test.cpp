#include "runtime/simd/byte_table.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace etzel::simd {
namespace {

TEST(ByteTable, EveryByteFindsItsWord) {
  const LookUpBytes lookUp = lookUpBytes();
  if (!lookUp) GTEST_SKIP() << "no permutations of bytes on this host";
  std::mt19937 random(1);
  uint32_t entries[256];
  ByteTable table;
  for (uint32_t i = 0; i < 256; ++i) {
    entries[i] = static_cast<uint32_t>(random());
    for (uint32_t k = 0; k < 4; ++k) table.plane[k][i] = static_cast<uint8_t>(entries[i] >> (8 * k));
  }
  for (uint32_t count = 1; count <= 5; ++count)
    for (uint32_t first = 0; first < 256; ++first) {
      U32x8 words[5];
      F32x8 out[16] = {};
      for (uint32_t v = 0; v < count; ++v)
        for (int i = 0; i < 8; ++i) {
          const auto byte = [&](uint32_t c) { return (first + 8 * v + static_cast<uint32_t>(i) + 85 * c) & 255; };
          words[v][i] = byte(0) | byte(1) << 8 | byte(2) << 16 | static_cast<uint32_t>(random()) << 24;
        }
      lookUp(table, words, count, out);
      for (uint32_t v = 0; v < count; ++v)
        for (uint32_t c = 0; c < 3; ++c)
          for (int i = 0; i < 8; ++i)
            ASSERT_EQ(std::bit_cast<U32x8>(out[3 * v + c])[i], entries[words[v][i] >> (8 * c) & 255])
                << count << " vectors, vector " << v << ", byte " << c << ", lane " << i;
      for (int i = 0; i < 8; ++i) ASSERT_EQ(out[3 * count][i], 0.0f) << "beyond the last";
    }
}

}  // namespace
}  // namespace etzel::simd
