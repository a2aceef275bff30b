// Fetches and stores on eight lanes against the general path, and the two builds against each other.
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/test_scene.h"

namespace etzel::tex {
namespace {

using namespace test;

TEST(Lanes, FetchesAndStoresTheSameBytesAsTheGeneralPath) {
  Scene s;
  LaneWords lanes8[9], general[9];
  std::vector<VkFormat> formats(std::begin(kFloatFormats), std::end(kFloatFormats));
  formats.insert(formats.end(), std::begin(kIntegerFormats), std::end(kIntegerFormats));
  for (VkFormat format : formats) {
    for (const Shape& shape : kShapes) {
      s.make(format, shape.type, shape.extent, 3, shape.layers);
      for (int trial = 0; trial < 60; ++trial) {
        s.randomSampler();
        TexInst inst;
        constexpr TexKind kinds[] = {TexKind::Fetch, TexKind::ImageRead, TexKind::ImageWrite};
        inst.kind = kinds[s.pick(3)], inst.lod = LodMode::Zero, inst.dim = shape.dim, inst.arrayed = shape.arrayed;
        if (shape.dim == TexDim::Cube && inst.kind == TexKind::Fetch) inst.dim = TexDim::D2, inst.arrayed = true;
        if (inst.kind == TexKind::Fetch && s.pick(2)) inst.lod = LodMode::Explicit;
        inst.offset = inst.kind == TexKind::Fetch && s.pick(2);
        if (inst.kind != TexKind::Fetch) s.view.identitySwizzle = true;
        for (uint32_t i = 0; i < kWarpLanes; ++i) {
          for (uint32_t w = 0; w < 3; ++w) s.args[w][i] = s.pick(20) - 2;
          if (trial % 3 == 0) s.args[0][i] = s.args[0][0] % 6 + i;  // in a row
          if (trial % 3 == 0) s.args[1][i] = s.args[1][0] % 7, s.args[2][i] = s.args[2][0] % 4;
          if (inst.lod == LodMode::Explicit) s.args[inst.argLod()][i] = i == 0 ? s.pick(3) : s.args[inst.argLod()][0];
          if (inst.offset)
            for (uint32_t d = 0; d < inst.offsetDims(); ++d) s.args[inst.argOffset() + d][i] = s.pick(16) - 8;
          for (uint32_t d = 0; d < inst.dataWords(); ++d)
            s.args[inst.argData() + d][i] =
                s.view.info->isInteger() ? static_cast<uint32_t>(s.random()) : floatToBits(s.number(-0.5f, 1.5f));
        }
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        const std::vector<std::byte> before(s.bytes.begin(), s.bytes.end());
        s.runLanes(inst, lanes, lanes8, about(s, inst, trial));
        if (HasFatalFailure()) return;
        const std::vector<std::byte> after(s.bytes.begin(), s.bytes.end());
        std::copy(before.begin(), before.end(), s.bytes.begin());
        s.runGeneral(inst, lanes, general);
        ASSERT_TRUE(std::equal(after.begin(), after.end(), s.bytes.begin())) << about(s, inst, trial);
        ASSERT_EQ(std::memcmp(lanes8, general, sizeof(lanes8)), 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Lanes, OfAVolumeOfSomeSlicesTheRestIsOutside) {
  Scene s;
  LaneWords some[9], general[9], whole[9];
  TexInst read, size;
  read.kind = TexKind::ImageRead, size.kind = TexKind::QuerySize;
  read.dim = size.dim = TexDim::D3, read.lod = size.lod = LodMode::Zero;
  for (VkFormat format : {VK_FORMAT_R32_UINT, VK_FORMAT_R8G8B8A8_UNORM}) {
    if (format::find(format)->isInteger()) read.type = abi::TexType::Uint;
    for (uint32_t level = 0; level < 2; ++level) {
      s.make(format, VK_IMAGE_VIEW_TYPE_3D, {8, 5, 7}, 3, 1);
      s.view.baseMip = level, s.view.mipCount = 1;
      const auto slice = [&](int z) {
        for (uint32_t i = 0; i < kWarpLanes; ++i)
          s.args[0][i] = i / 2, s.args[1][i] = i % 2, s.args[2][i] = static_cast<uint32_t>(z);
      };
      for (int z = -1; z < 4; ++z) {
        s.view.baseDepth = s.view.depthCount = 0, prepare(s.view);
        slice(z == 0 || z == 1 ? z + 1 : -1);
        s.runGeneral(read, kAllLanes, whole);
        s.view.baseDepth = 1, s.view.depthCount = 2, prepare(s.view);
        EXPECT_EQ(s.view.direct.slices, 2u);
        slice(z);
        s.runLanes(read, kAllLanes, some, about(s, read, z));
        s.runGeneral(read, kAllLanes, general);
        ASSERT_EQ(std::memcmp(some, general, sizeof(some)), 0) << about(s, read, z);
        ASSERT_EQ(std::memcmp(some, whole, sizeof(some)), 0) << about(s, read, z);
      }
      s.runLanes(size, kAllLanes, some, about(s, size, 0));
      s.runGeneral(size, kAllLanes, general);
      EXPECT_EQ(some[2][0], 2u);
      EXPECT_EQ(general[2][0], 2u);
    }
  }
}

TEST(Lanes, FetchesTexelBuffersOfAnyAlignment) {
  Scene s;
  LaneWords lanes8[9], general[9];
  for (VkFormat format : {VK_FORMAT_R8_UINT, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R32_UINT,
                          VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT}) {
    alignas(16) std::byte memory[256];
    for (std::byte& b : memory) b = static_cast<std::byte>(s.pick(60));
    const format::FormatInfo* info = format::find(format);
    for (uint32_t start = 0; start < 12; start += info->blockBytes == 1 ? 1 : info->blockBytes == 2 ? 2 : 4) {
      s.view = {};
      s.view.memory = memory + start, s.view.bufferBytes = 9 * info->blockBytes;
      s.view.format = format, s.view.info = info;
      s.view.decode = format::decoder(format), s.view.encode = format::encoder(format);
      prepare(s.view);
      TexInst inst;
      inst.kind = TexKind::Fetch, inst.dim = TexDim::Buffer, inst.lod = LodMode::Zero;
      for (int trial = 0; trial < 20; ++trial) {
        for (uint32_t i = 0; i < kWarpLanes; ++i) s.args[0][i] = s.pick(12) - 1;
        s.runLanes(inst, kAllLanes, lanes8, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, kAllLanes, general);
        ASSERT_EQ(std::memcmp(lanes8, general, sizeof(lanes8)), 0) << about(s, inst, trial) << " start " << start;
      }
    }
  }
}

TEST(Lanes, FetchesSamplesThroughEveryStateOfATile) {
  Scene s;
  LaneWords lanes8[9], general[9];
  for (VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_UINT, VK_FORMAT_R8_UNORM}) {
    for (uint32_t samples : {2u, 4u, 8u, 16u}) {
      s.make(format, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {21, 17, 1}, 1, 2, samples);
      for (uint32_t layer = 0; layer < 2; ++layer) {
        const msaa::FragmentSurface surface(s.layout, s.layout.plane[0], s.bytes.data(), layer);
        if (!surface) continue;
        std::byte texel[16];
        for (uint32_t tile = 0; tile < surface.tilesX * surface.tilesY; ++tile) {
          const uint32_t x = tile % surface.tilesX * 8, y = tile / surface.tilesX * 8;
          for (std::byte& b : texel) b = static_cast<std::byte>(s.pick(60));
          if (tile % 4 == 0) {
            const int32_t color = surface.reserveClearColor(texel, false, false);
            surface.clear(x, y, std::min(x + 8, surface.width), std::min(y + 8, surface.height), texel, color);
          } else if (tile % 4 == 1) {
            surface.expand(tile);
            for (uint32_t n = 0; n < samples; ++n) s.put(0, layer, n, x, y, 0);
          } else if (tile % 4 == 2) {
            for (int n = 0; n < 12; ++n)
              surface.writeSamples(std::min(x + s.pick(8), surface.width - 1),
                                   std::min(y + s.pick(8), surface.height - 1), 1 + s.pick((1u << samples) - 1), texel);
          }
        }
      }
      for (int trial = 0; trial < 300; ++trial) {
        TexInst inst;
        inst.kind = trial % 3 ? TexKind::Fetch : TexKind::FragmentFetch;
        inst.lod = LodMode::Zero, inst.arrayed = true, inst.multisampled = true;
        const uint32_t x = s.pick(20), y = s.pick(16), layer = s.pick(3), sample = s.pick(samples);
        for (uint32_t i = 0; i < kWarpLanes; ++i) {
          const bool far = trial % 5 == 0;
          s.args[0][i] = far ? s.pick(23) : (x & ~3u) + (i & 1) + (i >> 2) * 2,
          s.args[1][i] = far ? s.pick(19) : (y & ~1u) + (i >> 1 & 1);
          s.args[2][i] = far ? s.pick(3) : layer;
          s.args[inst.argSample()][i] = trial & 8 ? s.pick(samples + 1) : sample;
        }
        s.runLanes(inst, kAllLanes, lanes8, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, kAllLanes, general);
        ASSERT_EQ(std::memcmp(lanes8, general, sizeof(lanes8)), 0) << about(s, inst, trial) << " samples " << samples;
      }
    }
  }
}

/// Every code of fixed-point formats becomes the number that its decoder gives.
TEST(Lanes, FixedPointCodesAreExact) {
  Scene s;
  LaneWords lanes8[9], general[9];
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R16_UNORM,
                          VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_R16_SFLOAT,
                          VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32}) {
    const format::FormatInfo* info = format::find(format);
    const uint64_t codes = info->blockBytes == 2 ? 65536 : format == VK_FORMAT_X8_D24_UNORM_PACK32 ? 1 << 24 : 1 << 18;
    std::vector<uint32_t> memory(8);
    s.view = {};
    s.view.memory = reinterpret_cast<std::byte*>(memory.data()), s.view.bufferBytes = 8 * info->blockBytes;
    s.view.format = format, s.view.info = info;
    s.view.decode = format::decoder(format), s.view.encode = format::encoder(format);
    prepare(s.view);
    TexInst inst;
    inst.kind = TexKind::Fetch, inst.dim = TexDim::Buffer, inst.lod = LodMode::Zero;
    for (uint32_t i = 0; i < kWarpLanes; ++i) s.args[0][i] = i;
    for (uint64_t code = 0; code < codes; code += 8) {
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        const uint32_t c = static_cast<uint32_t>(code) + i;
        const uint32_t word = codes == 1 << 18 ? c * 0x9E3779B1u : c;
        std::memcpy(s.view.memory + i * info->blockBytes, &word, info->blockBytes);
      }
      s.runLanes(inst, kAllLanes, lanes8, info->name);
      if (HasFatalFailure()) return;
      s.runGeneral(inst, kAllLanes, general);
      ASSERT_EQ(std::memcmp(lanes8, general, sizeof(lanes8)), 0) << info->name << " " << code;
    }
  }
}

}  // namespace
}  // namespace etzel::tex
