#include "runtime/base/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace etzel {
namespace {

struct Piece {
  std::byte* at;
  size_t bytes;
  int value;
};

/// Pieces of changing sizes and alignments, until `total` bytes are taken, each filled with a value of its own.
std::vector<Piece> fill(Arena& arena, size_t total) {
  std::vector<Piece> pieces;
  for (size_t taken = 0, n = 0; taken < total; ++n) {
    const size_t bytes = n % 97 == 96 ? 300 * 1024 : 1 + n * 7919 % 5000, alignment = size_t{1} << n % 7;
    auto* at = static_cast<std::byte*>(arena.allocate(bytes, alignment));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % alignment, 0u);
    pieces.push_back({at, bytes, static_cast<int>(n % 251)});
    std::memset(at, pieces.back().value, bytes);
    taken += bytes;
  }
  return pieces;
}

void expectKept(const std::vector<Piece>& pieces) {
  for (const Piece& p : pieces)
    for (const size_t i : {size_t{0}, p.bytes / 2, p.bytes - 1}) ASSERT_EQ(static_cast<int>(p.at[i]), p.value);
}

TEST(Arena, PiecesDoNotOverlapHoweverManyThereAre) {
  Arena arena;
  const auto pieces = fill(arena, 3 * kHugePageBytes);
  expectKept(pieces);
  const size_t before = arena.capacityBytes();
  arena.reset();
  expectKept(fill(arena, 3 * kHugePageBytes));
  EXPECT_EQ(arena.capacityBytes(), before);  // blocks are used again
}

TEST(Arena, BlocksAreSmallUntilThereAreMany) {
  constexpr size_t kBlock = 64 * 1024;
  Arena arena(kBlock);
  EXPECT_EQ(arena.capacityBytes(), 0u);
  arena.allocate(1);
  EXPECT_EQ(arena.capacityBytes(), kBlock);
  while (arena.capacityBytes() < kHugePageBytes) arena.allocate(kBlock, 64);
  EXPECT_EQ(arena.capacityBytes(), kHugePageBytes);
  const void* next = arena.allocate(kBlock, 64);
  EXPECT_EQ(arena.capacityBytes(), 2 * kHugePageBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(next) % kHugePageBytes, 0u);
}

TEST(Arena, ForgetsWhatCameAfterAMark) {
  Arena arena(256);
  std::byte* const first = static_cast<std::byte*>(arena.allocate(100));
  const Arena::Mark mark = arena.mark();
  std::byte* const second = static_cast<std::byte*>(arena.allocate(100));
  arena.allocate(1000);
  arena.rewind(mark);
  EXPECT_EQ(arena.allocate(100), second);
  EXPECT_LT(first, second);
}

}  // namespace
}  // namespace etzel
