// Mutations that know nothing of what the bytes mean, and digests.
#pragma once

#include "tests/fuzz/core/target.h"

namespace etzel::fuzz {

/// A number that finds mistakes: around zero, powers of two, the ends of types, floats that are special, or any.
uint32_t interesting(Random& random);

/// One change: a bit, a byte, a word; bytes inserted, removed, repeated, or taken from `other`.
void mutateRaw(Bytes& input, const Bytes& other, Random& random);

/// FNV-1a over 64 bits, from a previous digest.
uint64_t digest(std::span<const uint8_t> bytes, uint64_t before = 0xcbf29ce484222325ull);

inline std::span<const uint32_t> wordsOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / 4};
}
inline Bytes bytesOf(std::span<const uint32_t> words) {
  const auto* p = reinterpret_cast<const uint8_t*>(words.data());
  return Bytes(p, p + words.size_bytes());
}

}  // namespace etzel::fuzz
