// Planes of every layout against the codecs of single texels, and their filter against single numbers, for every
// target.
#include "runtime/transfer/plane_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace etzel::transfer {
namespace {

std::vector<const PlaneLanes*> allTargets() {
  std::vector<const PlaneLanes*> all;
  for (const auto& variant : ETZEL_VARIANTS(kPlaneLanes))
    if (simd::hostRuns(variant.target)) all.push_back(variant.of);
  return all;
}

/// Numbers in and around the ranges that codes have; one in nine is infinite or NaN.
std::vector<float> someNumbers(size_t count, std::mt19937& random) {
  std::vector<float> v(count);
  for (float& f : v) {
    f = std::ldexp(float(int32_t(random())), -31 + int(random() % 3));
    if (random() % 9 == 0) f = random() % 2 ? INFINITY : NAN;
  }
  return v;
}

void compareCodec(const PlaneCodec& codec, const format::FormatInfo& info, uint32_t count, std::mt19937& random) {
  const size_t bytes = size_t{info.blockBytes} * count;
  const uint32_t planes = info.components(), room = alignUp(count, 16u);
  std::vector<std::byte> texels(bytes + 3), coded(bytes + 3, std::byte{77}), expected = coded;
  for (std::byte& b : texels) b = std::byte(random());
  std::vector<format::Texel> decoded(count);
  format::decoder(info.format)(texels.data(), decoded.data(), count);
  for (uint32_t wanted : {planes, 4u}) {
    std::vector<float> row(size_t{wanted} * room);
    codec.decode(texels.data(), count, wanted, row.data());
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t c = 0; c < wanted; ++c)
        ASSERT_EQ(std::bit_cast<uint32_t>(row[placeInPlanes(i, wanted) + c * kPlaneTexels]), decoded[i].word[c]) << c;

    row = someNumbers(row.size(), random);
    std::vector<format::Texel> numbers(count);
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t c = 0; c < wanted; ++c)
        numbers[i].word[c] = std::bit_cast<uint32_t>(row[placeInPlanes(i, wanted) + c * kPlaneTexels]);
    format::encoder(info.format)(numbers.data(), expected.data(), count);
    codec.encode(row.data(), count, wanted, coded.data());
    ASSERT_EQ(coded, expected);
  }
}

TEST(PlaneLanes, EveryTargetGivesTheBytesOfTheFormats) {
  std::mt19937 random(1);
  for (const PlaneLanes* lanes : allTargets()) {
    uint32_t layouts = 0;
    for (uint32_t layout = 0; layout < std::size(lanes->codec); ++layout) {
      const PlaneCodec& codec = lanes->codec[layout];
      if (!codec.decode) continue;
      ++layouts;
      uint32_t formats = 0;
      for (uint32_t f = 1; f < 132; ++f) {
        const format::FormatInfo* info = format::find(f < 131 ? VkFormat(f) : VK_FORMAT_A4R4G4B4_UNORM_PACK16);
        if (!info || info->layout != format::TexelLayout(layout) || !findPlaneCodec(*info)) continue;
        SCOPED_TRACE(info->name);
        ++formats;
        for (uint32_t count : {1u, 7u, 8u, 9u, 100u}) compareCodec(codec, *info, count, random);
      }
      EXPECT_GT(formats, 0u) << layout;
    }
    EXPECT_GE(layouts, 15u);
  }
}

TEST(PlaneLanes, TheFilterTakesTheTwoTexelsOfEachTap) {
  std::mt19937 random(2);
  constexpr uint32_t kSource = 48;
  for (const PlaneLanes* lanes : allTargets()) {
    for (uint32_t planes = 1; planes <= 4; ++planes) {
      for (uint32_t count : {1u, 8u, 13u, 24u}) {
        for (const bool pairs : {false, true}) {
          const std::vector<float> row = someNumbers(size_t{planes} * kSource, random);
          const uint32_t room = alignUp(count, kPlaneTexels);
          std::vector<uint32_t> first(room), second(room);
          std::vector<float> weight(room), out(size_t{planes} * room);
          for (uint32_t i = 0; i < count; ++i) {
            first[i] = placeInPlanes(pairs ? 2 * i : random() % kSource, planes);
            second[i] = placeInPlanes(pairs ? 2 * i + 1 : random() % kSource, planes);
            weight[i] = i % 3 ? float(random() >> 8) * 0x1p-24f : 0;
          }
          lanes->filter(row.data(), {first.data(), second.data(), weight.data(), true}, pairs, count, planes,
                        out.data());
          for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t c = 0; c < planes * kPlaneTexels; c += kPlaneTexels) {
              const float a = row[first[i] + c], b = row[second[i] + c], w = weight[i], product = a * (1 - w);
              const float expected = w == 0 ? a : std::isnan(product) ? product : product + b * w;
              const float got = out[placeInPlanes(i, planes) + c];
              ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << i << ' ' << c;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace etzel::transfer
