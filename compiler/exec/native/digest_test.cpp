#include "compiler/exec/native/digest.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace etzel::native {
namespace {

std::string hex(const Digest& digest) {
  std::string text;
  for (std::byte b : digest) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(b));
    text += two;
  }
  return text;
}

// BLAKE3's own vectors: no input, and keyed.
TEST(Digest, IsBlake3) {
  if (!Hasher::available()) GTEST_SKIP() << "a build without LLVM";
  EXPECT_EQ(hex(Hasher().finish()), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  Digest key;
  const std::string words = "whats the Elvish word for friend";
  for (size_t i = 0; i < key.size(); ++i) key[i] = std::byte(words[i]);
  EXPECT_EQ(hex(Hasher(&key).finish()), "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26");
}

TEST(Digest, BlocksKeepTheirBounds) {
  if (!Hasher::available()) GTEST_SKIP() << "a build without LLVM";
  const std::byte two[2] = {};
  Hasher a, b;
  a.block(std::span(two, 2)), a.block({});
  b.block(std::span(two, 1)), b.block(std::span(two, 1));
  EXPECT_NE(a.finish(), b.finish());
}

}  // namespace
}  // namespace etzel::native
