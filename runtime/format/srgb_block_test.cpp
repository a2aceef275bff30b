// Blocks of texels of four bytes, sRGB or not, against the arithmetic of one texel at a time: numbers around every
// bound between two sRGB codes, all equations, pixels left out, alphas at their ends.
#include "runtime/simd/srgb_block.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/format/srgb_lanes.h"

namespace etzel::format {
namespace {

constexpr uint32_t kPitch = 64;  // bytes: rows of 16 texels, of which the block has the first eight
using Factors = float[4][3];

float unit(float v) { return v > 0 ? v < 1 ? v : 1 : 0; }

/// A block and its colours.
struct Scene {
  alignas(32) LaneWords colors[8][5];  // a word that nobody asks for behind each group's
  uint8_t texels[8 * kPitch], before[8 * kPitch];
  bool srgb = true;

  static uint32_t laneOf(uint32_t x, uint32_t y) { return (x >> 1 & 1) * 4 + (y & 1) * 2 + (x & 1); }
  static uint32_t groupOf(uint32_t x, uint32_t y) { return (y >> 1) * 2 + (x >> 2); }
  float& color(uint32_t x, uint32_t y, uint32_t c) {
    return reinterpret_cast<float*>(colors[groupOf(x, y)][c].lane)[laneOf(x, y)];
  }

  void write(simd::WriteSrgbBlock write, const Factors& factor, bool blueFirst, uint64_t pixels) {
    std::memcpy(before, texels, sizeof before);
    simd::SrgbBlock b;
    b.numbers = &kSrgbBytes, b.least = &kSrgbLeast;
    b.colors = colors[0], b.groupWords = 5;
    b.pixels = pixels;
    b.texels = reinterpret_cast<std::byte*>(texels), b.rowPitch = kPitch;
    b.blueFirst = blueFirst;
    std::memcpy(b.factor, factor, sizeof b.factor);
    write(b);
  }
  void check(const Factors& factor, bool blueFirst, uint64_t pixels) {
    for (uint32_t y = 0; y < 8; ++y)
      for (uint32_t x = 0; x < 16; ++x)
        for (uint32_t c = 0; c < 4; ++c) {
          const uint8_t old = before[y * kPitch + x * 4 + c];
          uint8_t want = old;
          if (x < 8 && pixels >> (groupOf(x, y) * 8 + laneOf(x, y)) & 1) {
            const float alpha = unit(color(x, y, 3));
            const float source = unit(color(x, y, blueFirst && c < 3 ? 2 - c : c));
            const auto& s = factor[c == 3 ? 2 : 0];
            const auto& d = factor[c == 3 ? 3 : 1];
            const bool plain = c == 3 || !srgb;
            const float destination = plain ? static_cast<float>(old) / 255.0f : kSrgbToLinear[old];
            const float alphaBefore = static_cast<float>(before[y * kPitch + x * 4 + 3]) / 255.0f;
            const auto at = [&](const float* line) { return (line[0] + line[1] * alpha) + line[2] * alphaBefore; };
            const float sum = source * at(s) + destination * at(d);
            want = static_cast<uint8_t>(plain ? std::nearbyint(unit(sum) * 255.0f) : linearToSrgb8(sum));
          }
          ASSERT_EQ(texels[y * kPitch + x * 4 + c], want) << x << ' ' << y << ' ' << c << " source " << color(x, y, c)
                                                          << " alpha " << color(x, y, 3) << " old " << int{old};
        }
  }
};

constexpr Factors kStore = {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}};

TEST(SrgbBlock, EveryNumberGetsItsCode) {
  const simd::WriteSrgbBlock write = simd::writeSrgbBlock();
  if (!write) GTEST_SKIP() << "no permutations of bytes on this host";
  std::vector<float> numbers = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 1e30f, 1e-30f, 1e-42f};
  for (float f : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    numbers.push_back(f), numbers.push_back(-f);
  for (uint32_t code = 1; code < 256; ++code) {
    uint32_t bits = 0x38000000;  // the first that has the code
    for (uint32_t step = 1u << 26; step; step /= 2)
      if (linearToSrgb8(std::bit_cast<float>(bits + step - 1)) < code) bits += step;
    for (uint32_t near = bits - 4; near < bits + 5; ++near) numbers.push_back(std::bit_cast<float>(near));
  }
  for (uint32_t bits = 0x38000000; bits < 0x3F800000; bits += 997) numbers.push_back(std::bit_cast<float>(bits));
  Scene scene = {};
  for (size_t next = 0; next < numbers.size();) {
    for (uint32_t i = 0; i < 64; ++i)
      for (uint32_t c = 0; c < 4; ++c)
        scene.color(i % 8, i / 8, c) = c == 3 ? 0.25f : numbers[std::min(next++, numbers.size() - 1)];
    scene.write(write, kStore, false, ~uint64_t{0});
    scene.check(kStore, false, ~uint64_t{0});
    if (HasFatalFailure()) return;
  }
}

/// \param srgb what `write` writes
void compareEquations(simd::WriteSrgbBlock write, bool srgb) {
  constexpr float kLines[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, -1, 0}, {0, 0, 1}, {1, 0, -1}};
  std::mt19937 random(7);
  const auto part = [&] { return static_cast<float>(random()) * 0x1p-32f; };
  for (uint32_t equation = 0; equation < 6 * 6 * 6 * 6; ++equation) {
    Factors factor;
    for (uint32_t i = 0, rest = equation; i < 4; ++i, rest /= 6)
      std::memcpy(factor[i], kLines[rest % 6], sizeof factor[i]);
    // Alphas of a pair of groups: any, all 0, all 1, 0 or 1, and all 0 with nothing but black.
    for (uint32_t kind = 0; kind < 5; ++kind)
      for (const uint64_t pixels : {~uint64_t{0}, uint64_t{random()} << 32 | random(), uint64_t{0xFF00}}) {
        Scene scene = {};
        scene.srgb = srgb;
        for (uint8_t& t : scene.texels) t = static_cast<uint8_t>(random());
        for (uint32_t i = 0; i < 64; ++i) {
          for (uint32_t c = 0; c < 3; ++c) scene.color(i % 8, i / 8, c) = kind == 4 ? 0 : part() * 1.25f - 0.125f;
          const float alphas[] = {part() * 1.25f - 0.125f, 0, 1, static_cast<float>(random() & 1), 0};
          scene.color(i % 8, i / 8, 3) = alphas[kind];
        }
        scene.write(write, factor, equation % 3 == 0, pixels);
        scene.check(factor, equation % 3 == 0, pixels);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
}

TEST(SrgbBlock, EveryEquationGivesWhatItGivesOneTexel) {
  const simd::WriteSrgbBlock write = simd::writeSrgbBlock();
  if (!write) GTEST_SKIP() << "no permutations of bytes on this host";
  compareEquations(write, true);
}
TEST(PlainBlock, EveryEquationGivesWhatItGivesOneTexel) {
  const simd::WriteSrgbBlock write = simd::writePlainBlock();
  if (!write) GTEST_SKIP() << "no registers of sixteen texels on this host";
  compareEquations(write, false);
}

}  // namespace
}  // namespace etzel::format
