#include "runtime/base/sip_hash.h"

#include <gtest/gtest.h>

#include <array>

namespace etzel {
namespace {

/// The bytes 0, 1, 2... as little-endian words.
template <size_t N>
constexpr std::array<uint64_t, N> countingBytes() {
  std::array<uint64_t, N> words{};
  for (size_t i = 0; i < N * 8; ++i) words[i / 8] |= uint64_t{i} << i % 8 * 8;
  return words;
}

// What CPython says with PYTHONHASHSEED=0, whose key is zero: hash(bytes(range(24))).
TEST(SipHash, IsTheOneThatOthersCompute) { EXPECT_EQ(sipHash13({0, 0}, countingBytes<3>()), 0x31185a47af932f3au); }

TEST(SipHash, DependsOnEachBitOfWordsAndKey) {
  const auto words = countingBytes<3>();
  const SipKey key{1, 2};
  const uint64_t whole = sipHash13(key, words);
  for (int bit = 0; bit < 64; ++bit) {
    for (size_t i = 0; i < words.size(); ++i) {
      auto changed = words;
      changed[i] ^= uint64_t{1} << bit;
      EXPECT_NE(sipHash13(key, changed), whole);
    }
    EXPECT_NE(sipHash13({key.k0 ^ uint64_t{1} << bit, key.k1}, words), whole);
    EXPECT_NE(sipHash13({key.k0, key.k1 ^ uint64_t{1} << bit}, words), whole);
  }
  EXPECT_NE(sipHash13(key, std::span(words).first(2)), whole);
}

}  // namespace
}  // namespace etzel
