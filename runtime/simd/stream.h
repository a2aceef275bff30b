// Stores that go past the caches: fills and copies of more than those hold, on hosts whose string stores and moves read
// the lines that they fill. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace etzel::simd {

/// What was stored is there for other threads as after any other store.
struct Streams {
  /// Stores `count` words beginning at `to`.
  void (*fill)(void* to, uint64_t word, uint64_t count);
  /// memcpy().
  void (*copy)(void* to, const void* from, uint64_t bytes);
};

/// Null on hosts where nothing is quicker than string stores and moves.
const Streams* findStreams();

/// For work that reads and writes `bytes`, all together. Null: what caches hold had better stay there.
inline const Streams* streamsFor(uint64_t bytes) {
  constexpr uint64_t kLeast = 20 << 20;  // more than half of what such hosts' largest caches mostly hold
  if (bytes < kLeast) return nullptr;
  static const Streams* const found = findStreams();
  return found;
}

}  // namespace etzel::simd
