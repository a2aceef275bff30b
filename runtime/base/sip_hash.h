// SipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF") of whole 64-bit words: without the key nobody
// can say what the hash of some words is, nor make words of a hash. For seals that live as long as the process does;
// what outlives it is sealed with BLAKE3.
#pragma once

#include <bit>
#include <cstddef>
#include <span>

#include "runtime/base/types.h"

namespace etzel {

struct SipKey {
  uint64_t k0, k1;
};

constexpr uint64_t sipHash13(const SipKey& key, std::span<const uint64_t> words) {
  uint64_t a = key.k0 ^ 0x736f6d6570736575, b = key.k1 ^ 0x646f72616e646f6d;
  uint64_t c = key.k0 ^ 0x6c7967656e657261, d = key.k1 ^ 0x7465646279746573;
  const auto round = [&] {
    a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
    c += d, d = std::rotl(d, 16) ^ c;
    a += d, d = std::rotl(d, 21) ^ a;
    c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
  };
  const auto absorb = [&](uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  };
  for (const uint64_t word : words) absorb(word);
  absorb(uint64_t{words.size()} * 8 << 56);
  c ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return a ^ b ^ c ^ d;
}

}  // namespace etzel
