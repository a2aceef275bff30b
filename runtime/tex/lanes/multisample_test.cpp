// Which samples a fetch finds to show the same texel (abi::Warp::sampleShare), against the image's masks, in tiles of
// every state, for fragment warps and for lanes anywhere.
#include <algorithm>

#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/test_scene.h"
#include "runtime/tex/test_tiles.h"

namespace etzel::tex {
namespace {

using namespace test;

/// The samples that show what `sample` shows in a pixel: by their masks, or by their texels where there are none.
uint32_t sharing(const msaa::FragmentSurface& surface, uint32_t x, uint32_t y, uint32_t sample) {
  const msaa::FragmentMask mask = surface.maskAt(x, y);
  const bool expanded = msaa::kindOf(surface.state(surface.tileOf(x, y))) == msaa::TileKind::Expanded;
  uint32_t same = 0;
  for (uint32_t k = 0; k < surface.samples; ++k) {
    const bool alike =
        expanded ? std::memcmp(surface.sampleTexel(x, y, k), surface.sampleTexel(x, y, sample), surface.texelBytes) == 0
                 : msaa::fragmentOf(mask, k, surface.samples) == msaa::fragmentOf(mask, sample, surface.samples);
    same |= (alike ? 1u : 0u) << k;
  }
  return same;
}

TEST(LanesMultisample, FetchesKnowWhichSamplesShowTheSameTexel) {
  Scene s;
  LaneWords share, result[9], general[9];
  LaneWords& id = s.sys[static_cast<uint32_t>(abi::SysValue::SampleId)];
  TexInst inst;
  inst.kind = TexKind::Fetch, inst.lod = LodMode::Zero, inst.multisampled = true;
  uint64_t several = 0;
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SINT,
                          VK_FORMAT_R32_UINT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                          VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8_UNORM}) {
    for (uint32_t samples : {2u, 4u, 8u, 16u}) {
      s.make(format, VK_IMAGE_VIEW_TYPE_2D, {29, 23, 1}, 1, 1, samples);
      const msaa::FragmentSurface surface(s.layout, s.layout.plane[0], s.bytes.data(), 0);
      mixTiles(surface, s.random);
      for (int trial = 0; trial < 400; ++trial) {
        const uint32_t x = s.pick(32), y = s.pick(24), sample = s.pick(samples);
        for (uint32_t i = 0; i < kWarpLanes; ++i) {
          const bool far = trial % 7 == 0;
          s.args[0][i] = far ? s.pick(29) : (x & ~3u) + (i & 1) + (i >> 2) * 2;
          s.args[1][i] = far ? s.pick(23) : (y & ~1u) + (i >> 1 & 1);
          id[i] = trial & 1 ? s.pick(samples) : sample;
          // Other samples are none of the invocation's business.
          s.args[2][i] = s.pick(8) ? id[i] : s.pick(samples + 1);
        }
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        s.warp.sampleShare = nullptr;
        s.runGeneral(inst, lanes, general);
        s.warp.sampleShare = &share;
        for (const auto& variant : ETZEL_VARIANTS(run)) {
          if (!simd::hostRuns(variant.target)) continue;
          for (uint32_t i = 0; i < kWarpLanes; ++i) share[i] = ~0u;
          std::memset(result, 0xAB, sizeof(result));
          ASSERT_TRUE(variant.of(s.call(inst, lanes, result)));
          ASSERT_EQ(std::memcmp(result, general, sizeof(result)), 0) << about(s, inst, trial) << " samples " << samples;
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            if (!(lanes >> i & 1) || s.args[2][i] != id[i]) {
              ASSERT_EQ(share[i], ~0u) << about(s, inst, trial);
              continue;
            }
            const uint32_t px = s.args[0][i], py = s.args[1][i];
            const bool inside = px < 29 && py < 23;
            const uint32_t same = inside ? sharing(surface, px, py, id[i]) : 1u << id[i];
            // What lies in several tiles may be found out in part.
            ASSERT_EQ(share[i] & ~same, 0u) << about(s, inst, trial) << " samples " << samples << " lane " << i;
            ASSERT_TRUE(share[i] >> id[i] & 1);
            // Words of expanded tiles are compared where all lanes are inside.
            const bool words = surface.texelBytes == 4 && (x & ~3u) + 4 <= 29 && (y & ~1u) + 2 <= 23;
            const bool asked =
                std::all_of(s.args[2].lane, s.args[2].lane + kWarpLanes, [&](uint32_t k) { return k < samples; });
            if (trial % 7 && inside &&
                (msaa::kindOf(surface.state(surface.tileOf(px, py))) != msaa::TileKind::Expanded || (words && asked))) {
              ASSERT_EQ(share[i], same) << about(s, inst, trial);
            }
            several += (share[i] & (share[i] - 1)) != 0;
          }
        }
        // The general path knows of no other sample.
        for (uint32_t i = 0; i < kWarpLanes; ++i) share[i] = ~0u;
        s.runGeneral(inst, lanes, general);
        for (uint32_t i = 0; i < kWarpLanes; ++i)
          ASSERT_EQ(share[i], (lanes >> i & 1) && s.args[2][i] == id[i] ? 1u << id[i] : ~0u) << about(s, inst, trial);
      }
    }
  }
  EXPECT_GT(several, 10000u);
}

// A fragment warp's place may be anywhere: groups that lie just outside of the picture, on any side, are no texels of
// it.
TEST(LanesMultisample, GroupsOutsideOfThePictureReadNothingOfIt) {
  Scene s;
  LaneWords result[9], general[9];
  TexInst inst;
  inst.kind = TexKind::Fetch, inst.lod = LodMode::Zero, inst.multisampled = true;
  for (uint32_t samples : {2u, 4u, 8u}) {
    s.make(VK_FORMAT_R32_SINT, VK_IMAGE_VIEW_TYPE_2D, {29, 23, 1}, 1, 1, samples);
    mixTiles(msaa::FragmentSurface(s.layout, s.layout.plane[0], s.bytes.data(), 0), s.random);
    for (int32_t y = -6; y < 30; y += 2)
      for (int32_t x = -12; x < 40; x += 4)
        for (LaneMask lanes : {LaneMask(1), LaneMask(kAllLanes)}) {
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            s.args[0][i] = static_cast<uint32_t>(x) + (i & 1) + (i >> 2) * 2;
            s.args[1][i] = static_cast<uint32_t>(y) + (i >> 1 & 1);
            s.args[2][i] = s.pick(samples);
          }
          s.warp.sampleShare = nullptr;
          s.runGeneral(inst, lanes, general);
          for (const auto& variant : ETZEL_VARIANTS(run)) {
            if (!simd::hostRuns(variant.target)) continue;
            std::memset(result, 0xAB, sizeof(result));
            ASSERT_TRUE(variant.of(s.call(inst, lanes, result)));
            for (uint32_t w = 0; w < 4; ++w)
              for (uint32_t i = 0; i < kWarpLanes; ++i)
                if (lanes >> i & 1) {
                  ASSERT_EQ(result[w].lane[i], general[w].lane[i]) << "x " << x << " y " << y << " lane " << i;
                }
          }
        }
  }
}

}  // namespace
}  // namespace etzel::tex
