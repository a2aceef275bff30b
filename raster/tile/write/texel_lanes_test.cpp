// Attachments of every format whose texels are coded eight at a time, against the codecs of single texels: stored and
// blended, whole groups and parts, all instruction sets.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "raster/tile/test_scene.h"

namespace etzel::raster {
namespace {

constexpr uint32_t kSize = 64;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
constexpr float kSpecial[] = {
    0,        1,        -1,       0.5f,       1.5f,     -0.0f,       1e-9f, 0x1p-14f, 0x1.ffcp-15f,
    0x1p-24f, 0x1p-25f, 65504,    65520,      1e30f,    -1e30f,      64512, 65024,    0x1.fffffep-15f,
    0x1p-20f, 0x1p-21f, 0x3p-21f, 0.5f / 127, 1.5f / 3, 2.5f / 1023, kNan,  kInf,     -kInf};

/// Formats of render targets that have no code of their own.
constexpr VkFormat kFormats[] = {VK_FORMAT_R8_UNORM,
                                 VK_FORMAT_R8G8_UNORM,
                                 VK_FORMAT_R8G8_SNORM,
                                 VK_FORMAT_R8G8B8A8_SNORM,
                                 VK_FORMAT_R5G6B5_UNORM_PACK16,
                                 VK_FORMAT_A1R5G5B5_UNORM_PACK16,
                                 VK_FORMAT_R4G4B4A4_UNORM_PACK16,
                                 VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                 VK_FORMAT_A2R10G10B10_UNORM_PACK32,
                                 VK_FORMAT_R16_UNORM,
                                 VK_FORMAT_R16G16_SNORM,
                                 VK_FORMAT_R16G16B16A16_UNORM,
                                 VK_FORMAT_R16_SFLOAT,
                                 VK_FORMAT_R16G16_SFLOAT,
                                 VK_FORMAT_R16G16B16A16_SFLOAT,
                                 VK_FORMAT_R32G32_SFLOAT,
                                 VK_FORMAT_R32G32B32A32_SFLOAT,
                                 VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                 VK_FORMAT_R8_UINT,
                                 VK_FORMAT_R8G8B8A8_SINT,
                                 VK_FORMAT_R16G16_UINT,
                                 VK_FORMAT_A2B10G10R10_UINT_PACK32,
                                 VK_FORMAT_R16G16B16A16_SINT,
                                 VK_FORMAT_R32G32_UINT,
                                 VK_FORMAT_R32G32B32A32_SINT};

enum class Blend { None, Alpha, Constant };

float clampFor(BlendClamp kind, float v) {
  if (kind == BlendClamp::None) return v;
  const float low = kind == BlendClamp::Snorm ? -1.0f : 0.0f;
  return v > low ? v < 1 ? v : 1 : low;
}

/// One texel as the specification blends it.
format::Texel blended(const ColorTarget& t, Blend blend, const format::Texel& source, const format::Texel& old) {
  format::Texel r;
  const float alpha = clampFor(t.clamp, std::bit_cast<float>(source.word[3]));
  for (uint32_t c = 0; c < 4; ++c) {
    const float s = clampFor(t.clamp, std::bit_cast<float>(source.word[c])), d = std::bit_cast<float>(old.word[c]);
    const bool byAlpha = blend == Blend::Alpha;
    r.word[c] = std::bit_cast<uint32_t>(s * (byAlpha ? alpha : 0.75f) + d * (byAlpha ? 1 - alpha : 0.25f));
  }
  return r;
}

class Scene {
 public:
  Scene(VkFormat format, Blend blend, uint32_t seed) : image_(format, kSize, kSize), blend_(blend), random_(seed) {
    const Surface s = surfaceOf(&image_.view);
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x) {
        const format::Texel texel = randomTexel();
        image_.view.encode(&texel, s.at(x, y, 0, 0), 1);
        source_[y][x] = randomTexel();
      }
    before_ = image_.samples();
  }

  void draw(bool best, int32_t firstColumn) {
    testing::TestKernel kernel([&](abi::Warp& w) {
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        const auto place = [&](abi::SysValue v) {
          return static_cast<uint32_t>(std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)].lane[i]));
        };
        const format::Texel& texel = source_[place(abi::SysValue::PosY)][place(abi::SysValue::PosX)];
        for (uint32_t c = 0; c < 4; ++c) w.out[abi::kFragOutColor + c].lane[i] = texel.word[c];
      }
    });
    DrawRecord draw;
    DrawState& s = draw.state;
    s.fragment = &kernel;
    s.attachments.color[0] = &image_.view, s.attachments.colorCount = 1;
    BlendAttachment& b = s.blend[0];
    b.enable = blend_ != Blend::None;
    const bool byAlpha = blend_ == Blend::Alpha;
    b.srcColor = b.srcAlpha = byAlpha ? VK_BLEND_FACTOR_SRC_ALPHA : VK_BLEND_FACTOR_CONSTANT_ALPHA;
    b.dstColor = b.dstAlpha = byAlpha ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA;
    for (float& constant : s.blendConstants) constant = 0.75f;
    Arena arena;
    prepareDraw(draw, arena);
    const ColorTarget& t = draw.tile->color[0];
    ASSERT_TRUE(t.byLanes);
    BinnedPrimitive p = testing::rectangle(draw, kSize, kSize);
    p.minX = firstColumn;
    std::vector<BinnedPrimitive> list{p};
    ASSERT_TRUE(testing::Runner(best).run(s.attachments, list, kSize, kSize));
    check(t, firstColumn);
  }

 private:
  /// Random numbers of every size; blending has no infinities, whose differences are NaNs of any kind.
  uint32_t randomWord() {
    if (image_.view.info->isInteger()) return random_() >> random_() % 32;
    const float special = kSpecial[random_() % std::size(kSpecial)];
    const float unit = static_cast<float>(random_()) * 0x1p-31f - 0.5f;
    float v = random_() % 4 ? unit : special;
    if (random_() % 8 == 0) v = std::ldexp(unit, static_cast<int>(random_() % 60) - 40);
    if (blend_ != Blend::None && !(std::abs(v) < 1e4f)) v = 0.25f;
    return std::bit_cast<uint32_t>(v);
  }
  format::Texel randomTexel() { return {{randomWord(), randomWord(), randomWord(), randomWord()}}; }

  void check(const ColorTarget& t, int32_t firstColumn) const {
    const tex::ImageView& view = image_.view;
    const uint32_t bytes = view.info->blockBytes;
    const std::vector<std::byte> after = image_.samples();
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x) {
        const std::byte* const old = &before_[(y * kSize + x) * bytes];
        std::byte want[16];
        std::memcpy(want, old, bytes);
        if (static_cast<int32_t>(x) >= firstColumn) {
          format::Texel texel = source_[y][x], before;
          view.decode(old, &before, 1);
          if (blend_ != Blend::None) texel = blended(t, blend_, texel, before);
          view.encode(&texel, want, 1);
        }
        ASSERT_EQ(std::memcmp(&after[(y * kSize + x) * bytes], want, bytes), 0)
            << view.info->name << ' ' << x << ' ' << y;
      }
  }

  testing::TestImage image_;
  const Blend blend_;
  std::mt19937 random_;
  format::Texel source_[kSize][kSize];
  std::vector<std::byte> before_;
};

TEST(TexelLanes, TexelsAreThoseOfTheCodecs) {
  for (const VkFormat format : kFormats)
    for (const bool best : {true, false})
      for (const int32_t firstColumn : {0, 3})
        for (const Blend blend : {Blend::None, Blend::Alpha, Blend::Constant}) {
          if (blend != Blend::None && format::find(format)->isInteger()) continue;
          auto scene = std::make_unique<Scene>(format, blend, static_cast<uint32_t>(format) + 1);
          scene->draw(best, firstColumn);
          if (HasFatalFailure()) return;
        }
}

}  // namespace
}  // namespace etzel::raster
