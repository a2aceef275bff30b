#include "runtime/tex/quick_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace etzel::tex {
namespace {

constexpr VkFormat kFormats[] = {VK_FORMAT_R8G8B8A8_UNORM,      VK_FORMAT_B8G8R8A8_UNORM,     VK_FORMAT_R8G8B8A8_SRGB,
                                 VK_FORMAT_B8G8R8A8_SRGB,       VK_FORMAT_R8_UNORM,           VK_FORMAT_R32_SFLOAT,
                                 VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT};
constexpr VkSamplerAddressMode kModes[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                           VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE};

/// Both builds must give the same bytes, close to what the general path gives, for ordinary and absurd coordinates.
TEST(QuickSample, BuildsAgreeAndFollowTheGeneralPath) {
  std::mt19937 random(11);
  for (VkFormat format : kFormats) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {13, 16, 1};
    info.mipLevels = 2;
    info.arrayLayers = 3;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    const mem::ImageLayout layout = mem::layoutImage(info);
    std::vector<std::byte> bytes(layout.size);
    ImageView view;
    view.layout = &layout;
    view.plane = &layout.plane[0];
    view.memory = bytes.data();
    view.format = format;
    view.info = format::find(format);
    view.decode = format::decoder(format);
    view.mipCount = 2;
    view.layerCount = 3;
    for (uint32_t layer = 0; layer < 3; ++layer)
      for (uint32_t mip = 0; mip < 2; ++mip)
        for (uint32_t y = 0; y < 16u >> mip; ++y)
          for (uint32_t x = 0; x < 13u >> mip; ++x) {
            format::Texel t;
            for (uint32_t& w : t.word) w = format::floatToBits(static_cast<float>(random() % 256) / 255);
            format::encoder(format)(&t, bytes.data() + layout.texelOffset(layout.plane[0], mip, layer, 0, x, y, 0), 1);
          }
    for (int trial = 0; trial < 400; ++trial) {
      Sampler sampler;
      sampler.magFilter = trial & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
      sampler.address[0] = kModes[trial / 2 % 4], sampler.address[1] = kModes[trial / 8 % 4];
      if (trial & 32) view.identitySwizzle = false, view.swizzle[0] = 2, view.swizzle[2] = 5;
      const SampleState state(view, sampler, abi::TexInst{});
      ASSERT_TRUE(quickSampleApplies(state));
      LaneWords args[2], a[4] = {}, b[4] = {};
      int32_t layer[8], offset[16];
      for (uint32_t i = 0; i < 8; ++i) {
        for (LaneWords& w : args) w[i] = format::floatToBits(static_cast<float>(random() % 6000) / 1000 - 3);
        layer[i] = static_cast<int32_t>(trial & 64 ? random() % 3 : 1);
        offset[2 * i] = static_cast<int32_t>(random() % 16) - 8,
                   offset[2 * i + 1] = static_cast<int32_t>(random() % 16) - 8;
      }
      const bool absurd = trial % 10 == 9;
      if (absurd) args[0][3] = 0x7FC00000u, args[1][4] = 0x7F800000u, args[0][5] = 0xFF7FFFFFu;
      Lod lod;
      lod.magnify = true;
      lod.level[1] = trial >> 7 & 1;
      lod.weight = 0.25f;
      const QuickSample q{&state, kAllLanes, lod, args, layer, trial & 128 ? offset : nullptr};
      quickSampleSse2(q, a);
      if (__builtin_cpu_supports("avx2")) {
        quickSampleAvx2(q, b);
        ASSERT_EQ(std::memcmp(a, b, sizeof(a)), 0) << view.info->name << trial;
      }
      if (absurd) continue;
      for (uint32_t i = 0; i < 8; ++i) {
        LaneCoord at;
        for (int d = 0; d < 2; ++d) at.c[d] = format::bitsToFloat(args[d][i]);
        at.layer = layer[i];
        if (q.offset) at.offset[0] = offset[2 * i], at.offset[1] = offset[2 * i + 1];
        Vec4 expected = sampleLevel(state, state.reader.level(0), at, sampler.magFilter);
        if (lod.level[1])
          expected =
              expected * splat(0.75f) + sampleLevel(state, state.reader.level(1), at, sampler.magFilter) * splat(0.25f);
        expected = swizzled(view, expected);
        for (int c = 0; c < 4; ++c)
          ASSERT_NEAR(format::bitsToFloat(a[c][i]), expected[c], 1e-5) << view.info->name << " " << trial << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace etzel::tex
