// Samples of eight pixels (abi::ReadSamples) against the image's surface, one by one: tiles in every state, pixels as
// quads, in a row and anywhere, every format. And which of them are told to be alike.
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

struct Pixels {
  LaneWords place[2];
  LaneMask lanes = kAllLanes;
};
/// Quads, a row, either of them where tiles may end between the lanes, or lanes anywhere, also outside of the image.
Pixels pixelsOf(Scene& s, uint32_t trial) {
  Pixels p;
  const bool row = trial & 1, aligned = trial % 6 < 2;
  const uint32_t x = aligned ? row ? s.pick(3) * 8 : s.pick(7) * 4 : s.pick(28);
  const uint32_t y = aligned && !row ? s.pick(11) * 2 : s.pick(23);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    p.place[0][i] = x + (row ? i : i % 2 + i / 4 * 2), p.place[1][i] = y + (row ? 0 : i / 2 % 2);
    if (trial % 6 >= 4) p.place[0][i] = s.pick(33) - 2, p.place[1][i] = s.pick(27) - 2;
  }
  if (trial % 6 == 5) p.place[0][3] = 0x80000000u, p.place[1][6] = 0x7FFFFFFFu;
  if (trial % 4 == 3) p.lanes = 1 + s.pick(255);
  if (trial % 12 == 1) p.place[0][7] = ~0u, p.lanes &= 0x7F;
  return p;
}

/// How many samples show what the one before them shows, and of how many a routine said so.
struct Alike {
  uint32_t are = 0, known = 0;
};

/// What a fetch of a pixel's sample gives, also outside of the image.
format::Texel shownAt(const Scene& s, const msaa::FragmentSurface& surface, uint32_t x, uint32_t y, uint32_t sample) {
  format::Texel texel = {{0, 0, 0, s.view.lanes.missingAlpha}}, shown;
  if (x < surface.width && y < surface.height) s.view.decode(surface.sampleTexel(x, y, sample), &texel, 1);
  for (uint32_t c = 0; c < 4; ++c) {
    const uint8_t from = s.view.identitySwizzle ? static_cast<uint8_t>(c) : s.view.swizzle[c];
    shown.word[c] = from < 4 ? texel.word[from] : s.view.lanes.unity;
  }
  return shown;
}

void checkSamples(Scene& s, const msaa::FragmentSurface& surface, abi::ReadSamples read, uint32_t trial, Alike& alike) {
  constexpr uint32_t kUntouched = 0xABABABAB;
  const Pixels pixels = pixelsOf(s, trial);
  const uint32_t wanted = 1 + s.pick((1u << surface.samples) - 1);
  LaneWords result[4 * msaa::kMaxSamples];
  std::memset(result, 0xAB, sizeof(result));
  const uint32_t same = read(&s.view, pixels.place, pixels.lanes, wanted | abi::kAskAlike, result);
  ASSERT_EQ(same & ~(wanted & (wanted - 1)), 0u);
  uint32_t last = 0;
  for (uint32_t k = 0; k < msaa::kMaxSamples; ++k) {
    const bool isWanted = wanted >> k & 1;
    bool isAlike = isWanted && (wanted & ((1u << k) - 1));
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (isWanted && !(pixels.lanes >> i & 1)) continue;
      const uint32_t x = pixels.place[0][i], y = pixels.place[1][i];
      format::Texel expected = {{kUntouched, kUntouched, kUntouched, kUntouched}};
      if (isWanted) expected = shownAt(s, surface, x, y, k);
      for (uint32_t c = 0; c < 4; ++c) {
        ASSERT_EQ(result[4 * k + c][i], expected.word[c])
            << s.view.info->name << " samples " << surface.samples << " trial " << trial << " sample " << k << " lane "
            << i << " at " << x << ", " << y;
        isAlike = isAlike && result[4 * k + c][i] == result[4 * last + c][i];
      }
    }
    if (same >> k & 1) {
      ASSERT_TRUE(isAlike) << s.view.info->name << " trial " << trial << " sample " << k;
      ++alike.known;
    }
    alike.are += isAlike;
    if (isWanted) last = k;
  }
}

TEST(TileSamples, AreWhatEverySampleShows) {
  Scene s;
  uint32_t known = 0;
  for (const bool swizzled : {false, true}) {
    Alike alike;
    for (VkFormat format : colorFormats())
      for (uint32_t samples : {2u, 4u, 8u, 16u}) {
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
          for (uint32_t trial = 0; trial < 60; ++trial) checkSamples(s, surface, read, trial, alike);
        }
      }
    // Fragments may be the same by chance, and more of those that a swizzle leaves little of.
    if (!swizzled) {
      EXPECT_GT(alike.known, alike.are / 10 * 9);
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
