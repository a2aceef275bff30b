// Stores that go past the caches, for more than they hold. Any thread.
#pragma once

#include "runtime/base/types.h"

namespace etzel::simd {

/// What the largest cache holds that a core can use.
uint64_t findCacheBytes();
inline uint64_t cacheBytes() {
  static const uint64_t found = findCacheBytes();
  return found;
}

/// Stores `count` words beginning at `to`, which is a multiple of 16. Caches forget what they had there.
inline void streamWords(void* to, uint64_t word, uint64_t count) {
  auto* at = static_cast<std::byte*>(to);
#ifdef __x86_64__
  typedef uint64_t Pair __attribute__((vector_size(16)));
  const Pair pair = {word, word};
  for (; count >= 2; count -= 2, at += 16) asm volatile("movntdq %1, (%0)" : : "r"(at), "x"(pair) : "memory");
  asm volatile("sfence" : : : "memory");  // before anything that says the work is done
#endif
  for (; count; --count, at += 8) __builtin_memcpy(at, &word, 8);
}

}  // namespace etzel::simd
