// Filtering and gathering on eight lanes against the general path, and the two builds against each other.
#include "runtime/tex/test_scene.h"

namespace etzel::tex {
namespace {

using namespace test;

TEST(Lanes, SamplesLikeTheGeneralPath) {
  Scene s;
  LaneWords lanes8[9], general[9];
  for (VkFormat format : kFloatFormats) {
    for (const Shape& shape : kShapes) {
      s.make(format, shape.type, shape.extent, 4, shape.layers);
      ASSERT_NE(s.view.lanes.layout, format::TexelLayout::None);
      for (int trial = 0; trial < 60; ++trial) {
        s.randomSampler();
        TexInst inst;
        inst.dim = shape.dim, inst.arrayed = shape.arrayed;
        inst.lod = static_cast<LodMode>(s.pick(5));
        inst.offset = shape.dim != TexDim::Cube && s.pick(3) == 0;
        inst.minLod = s.pick(5) == 0;
        inst.dref = s.view.info->isDepth() && s.pick(2);
        // Anisotropic probes across the corner of a cube have no texels that the specification names.
        if (shape.dim == TexDim::Cube) s.sampler.anisotropic = false;
        s.randomCoordinates(inst);
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        s.runLanes(inst, lanes, lanes8, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, lanes, general);
        int wrong = 0;
        for (uint32_t c = 0; c < 4; ++c)
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            if (!(lanes >> i & 1)) {
              ASSERT_EQ(lanes8[c][i], 0xABABABABu);
              continue;
            }
            const float a = format::bitsToFloat(lanes8[c][i]), b = format::bitsToFloat(general[c][i]);
            // Depth comparisons on the edge of passing may differ with the last bit of a coordinate.
            if (!(std::fabs(a - b) <= 2e-5f)) ++wrong;
          }
        ASSERT_EQ(wrong, 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Lanes, AnisotropyDoesNotAverageIntegers) {
  Scene s;
  LaneWords plain[9], lanes8[9], general[9];
  for (VkFormat format : kIntegerFormats) {
    s.make(format, VK_IMAGE_VIEW_TYPE_2D, {16, 13, 1}, 3, 1);
    for (int trial = 0; trial < 60; ++trial) {
      s.randomSampler();
      TexInst inst;
      s.randomCoordinates(inst);
      s.sampler.anisotropic = false;
      s.runLanes(inst, kAllLanes, plain, about(s, inst, trial));
      s.sampler.anisotropic = true, s.sampler.maxAnisotropy = 8;
      s.runLanes(inst, kAllLanes, lanes8, about(s, inst, trial));
      if (HasFatalFailure()) return;
      s.runGeneral(inst, kAllLanes, general);
      ASSERT_EQ(std::memcmp(lanes8, plain, sizeof(lanes8)), 0) << about(s, inst, trial);
      ASSERT_EQ(std::memcmp(general, plain, sizeof(general)), 0) << about(s, inst, trial);
    }
  }
}

TEST(Lanes, CompressedBlocksAreReadLikeTheGeneralPathReadsThem) {
  Scene s;
  LaneWords lanes8[9], general[9];
  for (VkFormat format : kBlockFormats) {
    for (const Shape& shape : {kShapes[0], kShapes[1], kShapes[4], kShapes[5], kShapes[6]}) {
      s.make(format, shape.type, shape.extent, 4, shape.layers);
      ASSERT_EQ(s.view.lanes.layout, format::TexelLayout::Blocks);
      for (int trial = 0; trial < 60; ++trial) {
        s.randomSampler();
        TexInst inst;
        inst.dim = shape.dim, inst.arrayed = shape.arrayed;
        const uint32_t kind = s.pick(shape.dim == TexDim::D2 ? 3 : 1);
        if (kind == 1) inst.kind = TexKind::Gather, inst.component = static_cast<uint8_t>(s.pick(4));
        if (kind == 2) inst.kind = TexKind::Fetch;
        inst.lod = kind == 1 ? LodMode::Zero : kind == 2 ? LodMode::Explicit : static_cast<LodMode>(s.pick(5));
        if (shape.dim == TexDim::Cube) s.sampler.anisotropic = false;
        s.randomCoordinates(inst);
        if (kind == 2) {
          const uint32_t level = s.pick(4);
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            for (uint32_t d = 0; d < 3; ++d) s.args[d][i] = s.pick(18) - 1;
            s.args[inst.argLod()][i] = level;
          }
        }
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        s.runLanes(inst, lanes, lanes8, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, lanes, general);
        for (uint32_t c = 0; c < 4; ++c)
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            const float a = format::bitsToFloat(lanes8[c][i]), b = format::bitsToFloat(general[c][i]);
            const bool exact = kind > 0 || !(lanes >> i & 1);
            ASSERT_TRUE(lanes8[c][i] == general[c][i] || (!exact && std::fabs(a - b) <= 2e-5f * (1 + std::fabs(b))))
                << about(s, inst, trial) << " lane " << i << ": " << a << " for " << b;
          }
      }
    }
  }
}

TEST(Lanes, AbsurdCoordinatesGiveTheSameBytesOnEveryTarget) {
  Scene s;
  LaneWords result[9], general[9];
  for (const Shape& shape : kShapes) {
    s.make(VK_FORMAT_R16G16B16A16_SFLOAT, shape.type, shape.extent, 4, shape.layers);
    for (int trial = 0; trial < 500; ++trial) {
      s.randomSampler();
      TexInst inst;
      inst.dim = shape.dim, inst.arrayed = shape.arrayed, inst.lod = static_cast<LodMode>(s.pick(5));
      s.randomCoordinates(inst);
      for (uint32_t n = 0; n < 6; ++n) {
        constexpr uint32_t absurd[] = {0x7FC00000u, 0x7F800000u, 0xFF800000u, 0xFF7FFFFFu, 0x80000000u,
                                       0x00000001u, 0x4E800000u, 0x4F000000u, 0xCF000000u, 0x4EFFFFFFu};
        s.args[s.pick(8)][s.pick(8)] = absurd[s.pick(10)];
      }
      inst.offset = shape.dim != TexDim::Cube && s.pick(4) == 0;
      for (uint32_t d = 0; inst.offset && d < inst.offsetDims(); ++d)
        for (uint32_t i = 0; i < kWarpLanes; ++i)
          s.args[inst.argOffset() + d][i] = s.pick(2) ? s.pick(16) : INT32_MAX - s.pick(4) + s.pick(8);
      s.runLanes(inst, kAllLanes, result, about(s, inst, trial));
      if (HasFatalFailure()) return;
      s.runGeneral(inst, kAllLanes, general);
      if (s.sampler.magFilter != VK_FILTER_NEAREST || s.sampler.minFilter != VK_FILTER_NEAREST ||
          inst.lod != LodMode::Zero || s.sampler.anisotropic || shape.dim == TexDim::Cube)
        continue;
      // One texel: that of the general path, where no float has to divide an index beyond 2^24 by the image's size.
      bool exact = true;
      for (uint32_t d = 0; d < inst.spatialDims(); ++d)
        if (s.sampler.address[d] <= VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT) exact = false;
      if (exact) {
        ASSERT_EQ(std::memcmp(result, general, sizeof(result)), 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Lanes, GathersTheSameBytesAsTheGeneralPath) {
  Scene s;
  LaneWords lanes8[9], general[9];
  std::vector<VkFormat> formats(std::begin(kFloatFormats), std::end(kFloatFormats));
  formats.insert(formats.end(), std::begin(kIntegerFormats), std::end(kIntegerFormats));
  for (VkFormat format : formats) {
    for (const Shape& shape : {kShapes[0], kShapes[1]}) {
      s.make(format, shape.type, shape.extent, 2, shape.layers);
      for (int trial = 0; trial < 60; ++trial) {
        s.randomSampler();
        TexInst inst;
        inst.kind = TexKind::Gather, inst.lod = LodMode::Zero, inst.dim = shape.dim, inst.arrayed = shape.arrayed;
        inst.component = static_cast<uint8_t>(s.pick(4));
        inst.dref = s.view.info->isDepth() && s.pick(2);
        inst.offset = s.pick(2), inst.offsets4 = !inst.offset && s.pick(2);
        inst.sparse = s.pick(2);
        s.randomCoordinates(inst);
        s.runLanes(inst, kAllLanes, lanes8, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, kAllLanes, general);
        ASSERT_EQ(std::memcmp(lanes8, general, sizeof(lanes8)), 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Lanes, CubesGiveTheSameBytesOnEveryTarget) {
  Scene s;
  LaneWords result[9];
  for (VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_B8G8R8A8_SRGB,
        VK_FORMAT_R8_UNORM, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT}) {
    for (const uint32_t size : {16u, 5u, 1u}) {
      const bool arrayed = size != 16 || s.pick(2);
      s.make(format, arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE, {size, size, 1},
             size > 1 ? 3 : 1, arrayed ? 18 : 6);
      // Some infinities, which do not count where they have no weight.
      const uint32_t infinity = format == VK_FORMAT_R16G16B16A16_SFLOAT ? 0x7C003C00u : 0x7F800000u;
      for (uint32_t n = 0; s.view.info->numeric == format::Numeric::Float && n < 16; ++n)
        std::memcpy(&s.bytes[s.pick(static_cast<uint32_t>(s.layout.size / 4)) * 4], &infinity, sizeof infinity);
      for (int trial = 0; trial < 400; ++trial) {
        s.randomSampler();
        s.sampler.magFilter = s.sampler.minFilter = VK_FILTER_LINEAR;
        s.sampler.seamlessCube = true;
        TexInst inst;
        constexpr LodMode kModes[] = {LodMode::Implicit, LodMode::Bias, LodMode::Explicit, LodMode::Zero};
        inst.dim = TexDim::Cube, inst.arrayed = arrayed, inst.lod = kModes[s.pick(4)];
        s.randomCoordinates(inst);
        const float spread = std::exp2(s.number(-8, 1));
        for (uint32_t d = 0; d < 3 && s.pick(8); ++d) {
          const float middle = s.pick(3) ? s.number(-1, 1) : 1;
          for (uint32_t i = 0; i < kWarpLanes; ++i)
            s.args[d][i] = format::floatToBits(middle + s.number(-spread, spread));
        }
        s.runLanes(inst, s.pick(3) ? kAllLanes : s.pick(255) + 1, result, about(s, inst, trial));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// A sample's bytes are those of the same instruction with an offset of 0 in `dims` dimensions, which takes the way
/// that knows any footprint.
void expectAnyFootprint(Scene& s, TexInst inst, LaneMask lanes, uint32_t dims, const std::string& where) {
  LaneWords result[9], other[9];
  s.runLanes(inst, lanes, result, where);
  if (testing::Test::HasFatalFailure()) return;
  inst.offset = true;
  for (uint32_t d = 0; d < dims; ++d) s.args[inst.argOffset() + d] = {};
  s.runLanes(inst, lanes, other, where);
  if (testing::Test::HasFatalFailure()) return;
  ASSERT_EQ(std::memcmp(result, other, sizeof(result)), 0) << where;
}

TEST(Lanes, VolumesGiveTheSameBytesOnEveryTarget) {
  Scene s;
  for (VkFormat format : kFloatFormats) {
    if (format::find(format)->isDepth()) continue;
    for (const VkExtent3D extent : {VkExtent3D{16, 8, 4}, VkExtent3D{5, 7, 9}, VkExtent3D{1, 2, 1}}) {
      s.make(format, VK_IMAGE_VIEW_TYPE_3D, extent, 1, 1);
      const float size[3] = {float(extent.width), float(extent.height), float(extent.depth)};
      for (int trial = 0; trial < 200; ++trial) {
        s.randomSampler();
        s.sampler.magFilter = s.sampler.minFilter = VK_FILTER_LINEAR, s.sampler.anisotropic = false;
        TexInst inst;
        constexpr LodMode kModes[] = {LodMode::Implicit, LodMode::Explicit, LodMode::Zero};
        inst.dim = TexDim::D3, inst.lod = kModes[s.pick(3)];
        s.randomCoordinates(inst);
        const float low = s.number(-0.5f, 1), high = s.pick(2) ? low + 0.1f : 1.3f;
        for (uint32_t d = 0; d < 3; ++d)
          for (uint32_t i = 0; i < kWarpLanes; ++i) s.args[d][i] = format::floatToBits(s.number(low, high));
        // Where tables end.
        if (const uint32_t d = s.pick(6); d < 3) s.args[d][s.pick(8)] = format::floatToBits((size[d] - 0.5f) / size[d]);
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        expectAnyFootprint(s, inst, lanes, 3, about(s, inst, trial));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Lanes, LevelsOfFourByteTexelsAreKnownOnEveryHost) {
  Scene s;
  const auto known = [&](VkFormat format, VkImageViewType type) {
    s.make(format, type, {16, type == VK_IMAGE_VIEW_TYPE_1D ? 1u : 8u, 1}, 3, 1);
    return s.view.lanes.levels != LevelUse::None;
  };
  EXPECT_TRUE(known(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D));
  EXPECT_EQ(s.view.direct.level[1].size[0], 8);
  EXPECT_TRUE(known(VK_FORMAT_B8G8R8A8_SRGB, VK_IMAGE_VIEW_TYPE_2D));
  EXPECT_FALSE(known(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_1D));
  EXPECT_FALSE(known(VK_FORMAT_R8G8B8A8_UINT, VK_IMAGE_VIEW_TYPE_2D));
}

TEST(Lanes, SquaresOfNeighboursGiveTheBytesOfAnyFootprint) {
  Scene s;
  for (VkFormat format : kFloatFormats) {
    for (const VkExtent3D extent :
         {VkExtent3D{64, 32, 1}, VkExtent3D{48, 20, 1}, VkExtent3D{8, 1, 1}, VkExtent3D{3, 5, 1}}) {
      s.make(format, VK_IMAGE_VIEW_TYPE_2D, extent, 3, 1);
      for (int trial = 0; trial < 150; ++trial) {
        s.randomSampler();
        s.sampler.magFilter = s.sampler.minFilter = VK_FILTER_LINEAR;
        TexInst inst;
        constexpr LodMode kModes[] = {LodMode::Implicit, LodMode::Bias, LodMode::Explicit, LodMode::Zero};
        inst.lod = kModes[s.pick(4)];
        inst.dref = s.view.info->isDepth() && s.pick(2);
        const bool gathers = s.pick(4) == 0;
        if (gathers)
          inst.kind = TexKind::Gather, inst.lod = LodMode::Zero, inst.component = s.pick(4), inst.dref = false;
        s.randomCoordinates(inst);
        // Quads that differ in their levels, and squares over the edges.
        const float far = s.pick(2) ? 0.0f : s.number(0, 1.5f), x = s.number(-far, 1 + far),
                    y = s.number(-far, 1 + far);
        const float more = s.pick(2) ? 0.0f : s.number(-1, 1);
        const float step = s.number(0, 0.06f), lod = s.number(-1, 3);
        for (uint32_t i = 0; i < kWarpLanes && s.pick(8); ++i) {
          const auto quad = static_cast<float>(i >> 2);
          const float side = step * (1 + more * quad);
          s.args[0][i] = format::floatToBits(x + side * static_cast<float>(i & 1) + 2 * step * quad);
          s.args[1][i] = format::floatToBits(y + side * static_cast<float>(i >> 1 & 1));
          if (inst.dref) s.args[inst.argDref()][i] = format::floatToBits(s.number(0, 1));
          if (inst.lod == LodMode::Explicit || inst.lod == LodMode::Bias)
            s.args[inst.argLod()][i] = format::floatToBits(lod + more * quad);
        }
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        expectAnyFootprint(s, inst, lanes, 2, about(s, inst, trial));
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace etzel::tex
