// All samples of eight pixels (abi::ReadSamples) against the image's surface, one by one: tiles in every state, pixels
// as quads and in a row, every format.
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/test_scene.h"
#include "runtime/tex/test_tiles.h"

namespace etzel::tex {
namespace {

using namespace test;

std::vector<VkFormat> colorFormats() {
  std::vector<VkFormat> formats;
  for (VkFormat f : kFloatFormats)
    if (format::find(f)->isColor()) formats.push_back(f);
  for (VkFormat f : kIntegerFormats)
    if (format::find(f)->isColor()) formats.push_back(f);
  return formats;
}

TEST(TileSamples, AreWhatEverySampleShows) {
  Scene s;
  uint32_t known = 0;
  constexpr uint32_t kUntouched = 0xABABABAB;
  for (VkFormat format : colorFormats())
    for (uint32_t samples : {2u, 4u, 8u, 16u})
      for (const bool swizzled : {false, true}) {
        s.make(format, VK_IMAGE_VIEW_TYPE_2D, {28, 23, 1}, 1, 2, samples);
        s.view.baseLayer = 1, s.view.layerCount = 1;
        if (swizzled) s.view.identitySwizzle = false, s.view.swizzle[0] = 1, s.view.swizzle[1] = 5;
        const msaa::FragmentSurface surface(s.layout, s.layout.plane[0], s.bytes.data(), 1);
        mixTiles(surface, s.random);
        prepare(s.view);
        ASSERT_EQ(s.view.direct.tiles.states != nullptr, s.view.info->layout != format::TexelLayout::Other);
        if (!s.view.direct.tiles.states) continue;  // texels that are decoded one by one
        ASSERT_EQ(s.view.direct.tiles.samples, samples);
        ++known;
        for (const auto& variant : ETZEL_VARIANTS(directRoutines)) {
          if (!simd::hostRuns(variant.target)) continue;
          const abi::ReadSamples read = variant.of(s.view.lanes.layout).samples;
          for (uint32_t trial = 0; trial < 60; ++trial) {
            const bool row = trial & 1;
            const uint32_t x = row ? s.pick(3) * 8 : s.pick(7) * 4, y = row ? s.pick(23) : s.pick(11) * 2;
            const uint32_t wanted = 1 + s.pick((1u << samples) - 1);
            LaneWords result[4 * msaa::kMaxSamples];
            std::memset(result, 0xAB, sizeof(result));
            read(&s.view, x, y, row ? abi::TilePixels::Row : abi::TilePixels::Quads, wanted, result);
            for (uint32_t k = 0; k < msaa::kMaxSamples; ++k)
              for (uint32_t i = 0; i < kWarpLanes; ++i) {
                uint32_t expected[4] = {kUntouched, kUntouched, kUntouched, kUntouched};
                if (wanted >> k & 1) {
                  const uint32_t px = x + (row ? i : i % 2 + i / 4 * 2), py = y + (row ? 0 : i / 2 % 2);
                  format::Texel t;
                  s.view.decode(surface.sampleTexel(px, py, k), &t, 1);
                  for (uint32_t c = 0; c < 4; ++c) {
                    const uint8_t from = swizzled ? s.view.swizzle[c] : static_cast<uint8_t>(c);
                    expected[c] = from < 4 ? t.word[from] : s.view.lanes.unity;
                  }
                }
                for (uint32_t c = 0; c < 4; ++c)
                  ASSERT_EQ(result[4 * k + c].lane[i], expected[c])
                      << s.view.info->name << " samples " << samples << " row " << row << " sample " << k << " lane "
                      << i << " state " << int(surface.state(surface.tileOf(x, y)));
              }
          }
        }
      }
  EXPECT_GT(known, 200u);
}

TEST(TileSamples, AreLeftToTheUnitWhereOthersMayStore) {
  Scene s;
  s.make(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {28, 23, 1}, 1, 1, 4);
  ASSERT_NE(s.view.direct.tiles.states, nullptr);
  EXPECT_EQ(s.view.direct.read, nullptr);  // instructions for single samples do not know these texels
  s.layout.storage = true;
  prepare(s.view);
  EXPECT_EQ(s.view.direct.tiles.states, nullptr);
  s.layout.storage = false;
  s.view.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  prepare(s.view);
  EXPECT_EQ(s.view.direct.tiles.states, nullptr);
}

}  // namespace
}  // namespace etzel::tex
