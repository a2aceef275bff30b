// Footprints that compiled code found: every target's routines against the baseline's, near each other, apart, and at
// both ends of rows, with nothing before the image's first byte or behind its last one.
#include "runtime/tex/test_scene.h"

namespace etzel::tex {
namespace {

using namespace test;

/// Footprints in an image of `width` by `height` texels, all within `spread` texels of each other, or in an image that
/// repeats: anywhere, or those of quads along rows and columns, perhaps the other way round.
abi::Footprints randomFootprints(Scene& s, const std::byte* texels, int32_t width, int32_t height, uint32_t bytes,
                                 uint32_t spreadX, uint32_t spreadY) {
  abi::Footprints f;
  const auto pitch = static_cast<uint32_t>(width) * bytes;
  f.row[0] = texels, f.row[1] = texels + pitch;
  const auto start = [&](int32_t size, uint32_t spread) {
    return static_cast<int32_t>(s.pick(static_cast<uint32_t>(size) + spread)) - static_cast<int32_t>(spread) / 2;
  };
  const int32_t x = start(width, spreadX), y = start(height, spreadY);
  const bool repeats = s.pick(3) == 0, aligned = s.pick(2);
  const bool mirrored[2] = {s.pick(3) == 0, s.pick(3) == 0};
  uint32_t column[4] = {}, row[2] = {0, s.pick(3)};
  for (uint32_t i = 1; i < 4; ++i) column[i] = column[i - 1] + s.pick(3);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const auto within = [&](int32_t at, int32_t away, int32_t size) {
      const int32_t place = (at + away + size) % size;
      return static_cast<uint32_t>(std::clamp(repeats ? place : at + away, 0, size - 2));
    };
    const auto away = [&](int axis, uint32_t spread, uint32_t place) {
      if (!aligned) return static_cast<int32_t>(s.pick(spread + 1));
      return mirrored[axis] ? -static_cast<int32_t>(place) : static_cast<int32_t>(place);
    };
    const int32_t right = away(0, spreadX, column[i % 2 + i / 4 * 2]), down = away(1, spreadY, row[i / 2 % 2]);
    f.offset[i] = within(y, down, height) * pitch + within(x, right, width) * bytes;
    for (LaneWords* const weights : {f.columns, f.rows}) {
      const float second = s.pick(4) ? s.number(0, 1) : 0;
      weights[0][i] = floatToBits(1 - second), weights[1][i] = floatToBits(second);
    }
  }
  return f;
}

/// Every target's routine for the scene's layout gives those numbers.
void expectBilinear(Scene& s, const abi::Footprints& f, const float expected[4][kWarpLanes], int trial) {
  for (const auto& variant : ETZEL_VARIANTS(directRoutines)) {
    if (!simd::hostRuns(variant.target)) continue;
    LaneWords result[4] = {};
    variant.of(s.view.lanes.layout).bilinear(&s.view, &f, result);
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        ASSERT_EQ(result[c][i], floatToBits(expected[c][i]))
            << s.view.info->name << " trial " << trial << ' ' << simd::targetName(variant.target) << " component " << c
            << " lane " << i;
  }
}

TEST(Footprints, EveryTargetFiltersAndComparesAlike) {
  Scene s;
  FencedBytes rows;
  rows.resize(4 * FencedBytes::kPage, true);
  for (VkFormat format : kFloatFormats) {
    s.make(format, VK_IMAGE_VIEW_TYPE_2D, {4, 4, 1}, 1, 1);
    const auto expected = ETZEL_BASELINE::directRoutines(s.view.lanes.layout);
    if (!expected.bilinear) continue;
    const uint32_t bytes = s.view.info->blockBytes;
    for (int trial = 0; trial < 600; ++trial) {
      s.randomSampler();
      const auto width = static_cast<int32_t>(s.pick(5) ? 16 + s.pick(8) : 2 + s.pick(3));
      const auto height = static_cast<int32_t>(2 + s.pick(9));
      const size_t size = static_cast<size_t>(width * height) * bytes;
      std::byte* const texels = s.pick(3) ? rows.end() - size : rows.begin();
      for (int32_t i = 0; i < width * height; ++i) {
        format::Texel t;
        for (uint32_t& w : t.word) w = floatToBits(s.number(-0.2f, 1.2f));
        s.view.encode(&t, texels + static_cast<size_t>(i) * bytes, 1);
      }
      abi::Footprints f = randomFootprints(s, texels, width, height, bytes, s.pick(6), s.pick(4));
      if (s.pick(10) == 0) {
        f.row[1] = f.row[0];  // one dimension
        for (uint32_t i = 0; i < kWarpLanes; ++i) f.rows[0][i] = floatToBits(1), f.rows[1][i] = 0;
      }
      LaneWords reference, result[5] = {}, other[5] = {};
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        reference[i] = floatToBits(s.number(-0.1f, 1.1f));
        // Of a texel, sometimes: equal numbers pass or not.
        if (bytes == 4 && s.pick(2)) std::memcpy(&reference[i], f.row[0] + f.offset[i], 4);
      }
      expected.bilinear(&s.view, &f, result);
      if (expected.compare) expected.compare(&s.view, &s.sampler, &f, &reference, &result[4]);
      for (const auto& variant : ETZEL_VARIANTS(directRoutines)) {
        if (!simd::hostRuns(variant.target)) continue;
        const auto routines = variant.of(s.view.lanes.layout);
        routines.bilinear(&s.view, &f, other);
        if (expected.compare) routines.compare(&s.view, &s.sampler, &f, &reference, &other[4]);
        ASSERT_EQ(std::memcmp(result, other, sizeof(result)), 0)
            << s.view.info->name << " trial " << trial << ' ' << simd::targetName(variant.target);
      }
    }
  }
}

TEST(Footprints, SrgbTexelsAreDecodedWeighedAndAddedOneAfterTheOther) {
  Scene s;
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_B8G8R8A8_SRGB}) {
    const bool blueFirst = format == VK_FORMAT_B8G8R8A8_SRGB;
    s.make(format, VK_IMAGE_VIEW_TYPE_2D, {16, 5, 1}, 1, 1);
    std::vector<std::byte> texels(size_t{16} * 5 * 4);
    for (std::byte& b : texels) b = static_cast<std::byte>(s.pick(256));
    for (int trial = 0; trial < 200; ++trial) {
      const abi::Footprints f = randomFootprints(s, texels.data(), 16, 5, 4, 6, 4);
      float expected[4][kWarpLanes] = {};
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        for (uint32_t k = 0; k < 4; ++k) {
          const std::byte* const texel = f.row[k >> 1] + f.offset[i] + (k & 1) * 4;
          const float weight = format::bitsToFloat(f.columns[k & 1][i]) * format::bitsToFloat(f.rows[k >> 1][i]);
          for (uint32_t c = 0; c < 4; ++c) {
            const auto code = static_cast<uint32_t>(texel[blueFirst && c != 3 ? 2 - c : c]);
            expected[c][i] += (c == 3 ? static_cast<float>(code) : format::kSrgbToLinear[code]) * weight;
          }
        }
        constexpr double kPower = 1.0 / 256;
        const float alpha = expected[3][i];
        expected[3][i] = alpha * static_cast<float>(kPower) + alpha * static_cast<float>(1.0 / 255 - kPower);
      }
      expectBilinear(s, f, expected, trial);
    }
  }
}

/// Of four halves or floats, some of them infinite, where whole rows and lanes may have no weight.
TEST(Footprints, VectorsAreWeighedAsPlainNumbersAre) {
  Scene s;
  for (const VkFormat format : {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT}) {
    s.make(format, VK_IMAGE_VIEW_TYPE_2D, {16, 5, 1}, 1, 1);
    const uint32_t bytes = s.view.info->blockBytes;
    std::vector<std::byte> texels(size_t{16} * 5 * bytes);
    for (size_t at = 0; at < texels.size(); at += bytes) {
      format::Texel t;
      for (uint32_t& w : t.word) w = floatToBits(s.pick(30) ? s.number(-2, 2) : INFINITY);
      s.view.encode(&t, &texels[at], 1);
    }
    for (int trial = 0; trial < 300; ++trial) {
      abi::Footprints f = randomFootprints(s, texels.data(), 16, 5, bytes, 6, 4);
      const uint32_t without = s.pick(4);  // this row has no weight, or both have some
      for (uint32_t i = 0; i < kWarpLanes && without < 2; ++i)
        f.rows[without][i] = 0, f.rows[1 - without][i] = floatToBits(1);
      float expected[4][kWarpLanes] = {};
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        float low[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, high[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (uint32_t k = 0; k < 4; ++k) {
          const float weight = format::bitsToFloat(f.columns[k & 1][i]) * format::bitsToFloat(f.rows[k >> 1][i]);
          if (weight == 0) continue;
          format::Texel t;
          s.view.decode(f.row[k >> 1] + f.offset[i] + (k & 1) * bytes, &t, 1);
          for (uint32_t c = 0; c < 4; ++c) {
            const float number = format::bitsToFloat(t.word[c]);
            expected[c][i] += number * weight;
            low[c] = std::min(low[c], number), high[c] = std::max(high[c], number);
          }
        }
        for (uint32_t c = 0; c < 4 && bytes == 16; ++c) expected[c][i] = std::clamp(expected[c][i], low[c], high[c]);
      }
      expectBilinear(s, f, expected, trial);
    }
  }
}

TEST(Texels, EveryTargetReadsAlike) {
  Scene s;
  std::vector<VkFormat> formats(std::begin(kFloatFormats), std::end(kFloatFormats));
  formats.insert(formats.end(), std::begin(kIntegerFormats), std::end(kIntegerFormats));
  for (VkFormat format : formats) {
    for (int trial = 0; trial < 200; ++trial) {
      if (trial % 50 == 0) s.make(format, VK_IMAGE_VIEW_TYPE_2D, {16, 5, 1}, 1, 1);
      const auto expected = ETZEL_BASELINE::directRoutines(s.view.lanes.layout);
      if (!expected.read) break;
      s.randomSampler();  // and a view's swizzle
      const uint32_t bytes = s.view.info->blockBytes, pitch = static_cast<uint32_t>(s.view.direct.rowPitch);
      LaneWords offset, result[4] = {}, other[4] = {};
      const uint32_t kind = s.pick(3), x = s.pick(9), y = s.pick(4);
      LaneMask inside = s.pick(2) ? kAllLanes : s.pick(256);
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        const uint32_t column = kind == 0 ? s.pick(16) : kind == 1 ? x + i : x + i % 2 + i / 4 * 2;
        const uint32_t row = kind == 0 ? s.pick(5) : kind == 1 ? y : y + i / 2 % 2;
        const bool exists = column < 16 && inside >> i & 1;
        if (!exists) inside &= ~(1u << i);
        offset[i] = exists ? row * pitch + column * bytes : 0;
      }
      expected.read(&s.view, &offset, inside, result);
      for (const auto& variant : ETZEL_VARIANTS(directRoutines)) {
        if (!simd::hostRuns(variant.target)) continue;
        variant.of(s.view.lanes.layout).read(&s.view, &offset, inside, other);
        ASSERT_EQ(std::memcmp(result, other, sizeof(result)), 0)
            << s.view.info->name << " trial " << trial << ' ' << simd::targetName(variant.target);
      }
    }
  }
}

}  // namespace
}  // namespace etzel::tex
