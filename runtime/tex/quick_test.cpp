// The eight-lane paths against the general ones, and their two builds against each other.
#include "runtime/tex/quick.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::tex {
namespace {

using abi::LodMode;
using abi::TexDim;
using abi::TexInst;
using abi::TexKind;
using format::floatToBits;

constexpr VkFormat kFloatFormats[] = {
    VK_FORMAT_R8G8B8A8_UNORM,           VK_FORMAT_B8G8R8A8_UNORM,          VK_FORMAT_R8G8B8A8_SRGB,
    VK_FORMAT_B8G8R8A8_SRGB,            VK_FORMAT_R8G8B8A8_SNORM,          VK_FORMAT_R8_UNORM,
    VK_FORMAT_R8G8_UNORM,               VK_FORMAT_R16_UNORM,               VK_FORMAT_R16G16_UNORM,
    VK_FORMAT_R16G16B16A16_UNORM,       VK_FORMAT_R16_SFLOAT,              VK_FORMAT_R16G16_SFLOAT,
    VK_FORMAT_R16G16B16A16_SFLOAT,      VK_FORMAT_R32_SFLOAT,              VK_FORMAT_R32G32_SFLOAT,
    VK_FORMAT_R32G32B32A32_SFLOAT,      VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2R10G10B10_UNORM_PACK32,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,  VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,  VK_FORMAT_R5G6B5_UNORM_PACK16,
    VK_FORMAT_R32G32B32_SFLOAT,         VK_FORMAT_A8B8G8R8_UNORM_PACK32,   VK_FORMAT_D32_SFLOAT,
    VK_FORMAT_D16_UNORM,                VK_FORMAT_X8_D24_UNORM_PACK32};
constexpr VkFormat kIntegerFormats[] = {VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R8_UINT,
                                        VK_FORMAT_R32_UINT,      VK_FORMAT_R32_SINT,      VK_FORMAT_R32G32_UINT,
                                        VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_R16G16_SINT, VK_FORMAT_S8_UINT};

/// An image of random texels and everything that one instruction needs.
struct Scene {
  std::mt19937 random{29};
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;
  ImageView view;
  Sampler sampler;
  abi::ImageDescriptor descriptor{&view, &sampler, {}};
  abi::DispatchContext context;
  abi::Warp warp;
  LaneWords sys[abi::kSysValueCount] = {};
  LaneWords args[32] = {}, handle{};

  Scene() {
    context.table[0] = reinterpret_cast<const std::byte*>(&descriptor);
    context.tableBytes[0] = sizeof(descriptor);
    warp.context = &context, warp.sys = sys;
  }
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random() % n); }
  float number(float low, float high) { return low + (high - low) * static_cast<float>(random() % 65536) / 65536; }

  void make(VkFormat format, VkImageViewType type, VkExtent3D extent, uint32_t mips, uint32_t layers,
            uint32_t samples = 1) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = type == VK_IMAGE_VIEW_TYPE_3D                                          ? VK_IMAGE_TYPE_3D
                     : type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? VK_IMAGE_TYPE_1D
                                                                                            : VK_IMAGE_TYPE_2D;
    info.format = format, info.extent = extent, info.mipLevels = mips, info.arrayLayers = layers;
    info.samples = static_cast<VkSampleCountFlagBits>(samples);
    layout = mem::layoutImage(info);
    bytes.assign(layout.size + 64, std::byte{});
    view = {};
    view.layout = &layout, view.plane = &layout.plane[0], view.memory = bytes.data();
    view.format = layout.plane[0].format;
    view.info = format::find(view.format);
    view.decode = format::decoder(view.format), view.encode = format::encoder(view.format);
    view.type = type, view.mipCount = mips, view.layerCount = layers, view.samples = samples;
    for (uint32_t m = 0; m < mips; ++m) {
      const mem::MipLayout& mip = layout.plane[0].mip[m];
      for (uint32_t l = 0; l < layers; ++l)
        for (uint32_t z = 0; z < mip.depth; ++z)
          for (uint32_t y = 0; y < mip.height; ++y)
            for (uint32_t x = 0; x < mip.width; ++x)
              for (uint32_t s = 0; s < samples; ++s) put(m, l, s, x, y, z);
    }
    prepare(view);
  }
  void put(uint32_t m, uint32_t l, uint32_t s, uint32_t x, uint32_t y, uint32_t z) {
    format::Texel t;
    for (uint32_t& w : t.word)
      w = view.info->isInteger() ? pick(2) ? pick(256) : static_cast<uint32_t>(random()) : floatToBits(number(-0.2f, 1.2f));
    view.encode(&t, bytes.data() + layout.texelOffset(layout.plane[0], m, l, s, x, y, z), 1);
  }
  void randomSampler() {
    sampler = {};
    const auto filter = [&] { return pick(2) && !view.info->isInteger() ? VK_FILTER_LINEAR : VK_FILTER_NEAREST; };
    sampler.magFilter = filter(), sampler.minFilter = filter();
    if (pick(2) && !view.info->isInteger()) sampler.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    for (VkSamplerAddressMode& m : sampler.address) m = static_cast<VkSamplerAddressMode>(pick(5));
    sampler.mipLodBias = pick(3) ? 0 : number(-1, 1);
    sampler.minLod = pick(3) ? 0 : number(0, 2);
    sampler.maxLod = pick(3) ? 1000 : number(2, 3);
    if (pick(3) == 0) sampler.anisotropic = true, sampler.maxAnisotropy = number(1, 16);
    sampler.compareOp = static_cast<VkCompareOp>(pick(8));
    sampler.seamlessCube = pick(4);
    for (uint32_t c = 0; c < 4; ++c)
      sampler.border.word[c] = view.info->isInteger() ? pick(100) : floatToBits(static_cast<float>(pick(2)));
    view.identitySwizzle = pick(3);
    for (uint32_t c = 0; c < 4; ++c) view.swizzle[c] = static_cast<uint8_t>(view.identitySwizzle ? c : pick(6));
  }
  /// Pixels beside each other, sometimes lanes anywhere.
  void randomCoordinates(const TexInst& inst) {
    for (LaneWords& w : args)
      for (uint32_t i = 0; i < kWarpLanes; ++i) w[i] = floatToBits(number(-1.5f, 2.5f));
    if (inst.dim == TexDim::Cube)
      for (uint32_t d = 0; d < 3; ++d)
        for (uint32_t i = 0; i < kWarpLanes; ++i) args[d][i] = floatToBits(number(-1, 1));
    if (pick(3)) {
      const float scale = std::exp2(number(-7, 0));
      for (uint32_t d = 0; d < inst.spatialDims(); ++d) {
        const float start = number(-1, 1), right = number(-1, 1) * scale, down = number(-1, 1) * scale;
        for (uint32_t i = 0; i < kWarpLanes; ++i)
          args[d][i] = floatToBits(start + right * static_cast<float>((i & 1) + (i >> 2) * 2) +
                                   down * static_cast<float>(i >> 1 & 1));
      }
    }
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (inst.lod == LodMode::Explicit || inst.lod == LodMode::Bias) args[inst.argLod()][i] = floatToBits(number(-1, 4));
      if (inst.lod == LodMode::Grad)
        for (uint32_t d = 0; d < 2 * inst.spatialDims(); ++d) args[inst.argGradX() + d][i] = floatToBits(number(-0.3f, 0.3f));
      const uint32_t offsets = inst.offset ? inst.argOffset() : inst.argOffsets4();
      const uint32_t count = inst.offset ? inst.offsetDims() : inst.offsets4 ? 8 : 0;
      for (uint32_t d = 0; d < count; ++d) args[offsets + d][i] = pick(16) - 8;
    }
  }
  QuickCall call(const TexInst& inst, LaneMask lanes, LaneWords* result) {
    return {&warp, inst.pack(), lanes, &view, &sampler, args, result};
  }
  /// Runs both builds. \returns what they leave in `result`
  void runQuick(const TexInst& inst, LaneMask lanes, LaneWords result[9], const std::string& about) {
    LaneWords other[9];
    std::memset(other, 0xAB, sizeof(other)), std::memset(result, 0xAB, sizeof(other));
    ASSERT_TRUE(quickSse2(call(inst, lanes, result))) << about;
    if (!__builtin_cpu_supports("avx2")) return;
    ASSERT_TRUE(quickAvx2(call(inst, lanes, other))) << about;
    ASSERT_EQ(std::memcmp(result, other, sizeof(other)), 0) << about;
  }
  void runGeneral(const TexInst& inst, LaneMask lanes, LaneWords result[9]) {
    std::memset(result, 0xAB, 9 * sizeof(LaneWords));
    executeGroups(&warp, inst.pack(), lanes, &handle, &handle, args, result, nullptr);
  }
};

std::string about(const Scene& s, const TexInst& i, int trial) {
  return std::string(s.view.info->name) + " view " + std::to_string(s.view.type) + " lod " +
         std::to_string(static_cast<int>(i.lod)) + " filters " + std::to_string(s.sampler.magFilter) +
         std::to_string(s.sampler.minFilter) + " mip " + std::to_string(s.sampler.mipmapMode) + " aniso " +
         std::to_string(s.sampler.anisotropic) + " trial " + std::to_string(trial);
}

struct Shape {
  VkImageViewType type;
  VkExtent3D extent;
  uint32_t layers;
  TexDim dim;
  bool arrayed;
};
constexpr Shape kShapes[] = {{VK_IMAGE_VIEW_TYPE_2D, {13, 16, 1}, 1, TexDim::D2, false},
                             {VK_IMAGE_VIEW_TYPE_2D_ARRAY, {16, 7, 1}, 3, TexDim::D2, true},
                             {VK_IMAGE_VIEW_TYPE_1D, {19, 1, 1}, 1, TexDim::D1, false},
                             {VK_IMAGE_VIEW_TYPE_1D_ARRAY, {16, 1, 1}, 4, TexDim::D1, true},
                             {VK_IMAGE_VIEW_TYPE_3D, {8, 5, 6}, 1, TexDim::D3, false},
                             {VK_IMAGE_VIEW_TYPE_CUBE, {8, 8, 1}, 6, TexDim::Cube, false},
                             {VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, {5, 5, 1}, 12, TexDim::Cube, true}};

TEST(Quick, SamplesLikeTheGeneralPath) {
  Scene s;
  LaneWords quick[9], general[9];
  for (VkFormat format : kFloatFormats) {
    for (const Shape& shape : kShapes) {
      s.make(format, shape.type, shape.extent, 4, shape.layers);
      ASSERT_NE(s.view.quick.format, QuickFormat::None);
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
        s.runQuick(inst, lanes, quick, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, lanes, general);
        int wrong = 0;
        for (uint32_t c = 0; c < 4; ++c)
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            if (!(lanes >> i & 1)) {
              ASSERT_EQ(quick[c][i], 0xABABABABu);
              continue;
            }
            const float a = format::bitsToFloat(quick[c][i]), b = format::bitsToFloat(general[c][i]);
            // Depth comparisons on the edge of passing may differ with the last bit of a coordinate.
            if (!(std::fabs(a - b) <= 2e-5f)) ++wrong;
          }
        ASSERT_EQ(wrong, 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Quick, AbsurdCoordinatesGiveTheSameBytesInBothBuilds) {
  Scene s;
  LaneWords result[9];
  for (const Shape& shape : kShapes) {
    s.make(VK_FORMAT_R16G16B16A16_SFLOAT, shape.type, shape.extent, 4, shape.layers);
    for (int trial = 0; trial < 500; ++trial) {
      s.randomSampler();
      TexInst inst;
      inst.dim = shape.dim, inst.arrayed = shape.arrayed, inst.lod = static_cast<LodMode>(s.pick(5));
      s.randomCoordinates(inst);
      for (uint32_t n = 0; n < 6; ++n) {
        constexpr uint32_t absurd[] = {0x7FC00000u, 0x7F800000u, 0xFF800000u, 0xFF7FFFFFu, 0x80000000u, 0x00000001u, 0x4E800000u};
        s.args[s.pick(8)][s.pick(8)] = absurd[s.pick(7)];
      }
      s.runQuick(inst, kAllLanes, result, about(s, inst, trial));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Quick, GathersTheSameBytesAsTheGeneralPath) {
  Scene s;
  LaneWords quick[9], general[9];
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
        s.runQuick(inst, kAllLanes, quick, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, kAllLanes, general);
        ASSERT_EQ(std::memcmp(quick, general, sizeof(quick)), 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Quick, FetchesAndStoresTheSameBytesAsTheGeneralPath) {
  Scene s;
  LaneWords quick[9], general[9];
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
          if (inst.lod == LodMode::Explicit) s.args[inst.argLod()][i] = i == 0 ? s.pick(3) : s.args[inst.argLod()][0];
          if (inst.offset)
            for (uint32_t d = 0; d < inst.offsetDims(); ++d) s.args[inst.argOffset() + d][i] = s.pick(16) - 8;
          for (uint32_t d = 0; d < inst.dataWords(); ++d)
            s.args[inst.argData() + d][i] = s.view.info->isInteger() ? static_cast<uint32_t>(s.random()) : floatToBits(s.number(-0.5f, 1.5f));
        }
        const LaneMask lanes = s.pick(3) ? kAllLanes : s.pick(255) + 1;
        const std::vector<std::byte> before = s.bytes;
        s.runQuick(inst, lanes, quick, about(s, inst, trial));
        if (HasFatalFailure()) return;
        const std::vector<std::byte> after = s.bytes;
        s.bytes = before, s.view.memory = s.bytes.data(), prepare(s.view);
        s.runGeneral(inst, lanes, general);
        ASSERT_EQ(s.bytes, after) << about(s, inst, trial);
        ASSERT_EQ(std::memcmp(quick, general, sizeof(quick)), 0) << about(s, inst, trial);
      }
    }
  }
}

TEST(Quick, FetchesTexelBuffersOfAnyAlignment) {
  Scene s;
  LaneWords quick[9], general[9];
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
        s.runQuick(inst, kAllLanes, quick, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, kAllLanes, general);
        ASSERT_EQ(std::memcmp(quick, general, sizeof(quick)), 0) << about(s, inst, trial) << " start " << start;
      }
    }
  }
}

TEST(Quick, FetchesSamplesThroughEveryStateOfATile) {
  Scene s;
  LaneWords quick[9], general[9];
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_UINT, VK_FORMAT_R8_UNORM}) {
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
              surface.writeSamples(std::min(x + s.pick(8), surface.width - 1), std::min(y + s.pick(8), surface.height - 1),
                                   1 + s.pick((1u << samples) - 1), texel);
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
          s.args[0][i] = far ? s.pick(23) : (x & ~3u) + (i & 1) + (i >> 2) * 2, s.args[1][i] = far ? s.pick(19) : (y & ~1u) + (i >> 1 & 1);
          s.args[2][i] = far ? s.pick(3) : layer;
          s.args[inst.argSample()][i] = trial & 8 ? s.pick(samples + 1) : sample;
        }
        s.runQuick(inst, kAllLanes, quick, about(s, inst, trial));
        if (HasFatalFailure()) return;
        s.runGeneral(inst, kAllLanes, general);
        ASSERT_EQ(std::memcmp(quick, general, sizeof(quick)), 0) << about(s, inst, trial) << " samples " << samples;
      }
    }
  }
}

/// Every code of fixed-point formats becomes the number that its decoder gives.
TEST(Quick, FixedPointCodesAreExact) {
  Scene s;
  LaneWords quick[9], general[9];
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R16_UNORM, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                          VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_R16_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                          VK_FORMAT_E5B9G9R9_UFLOAT_PACK32}) {
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
      s.runQuick(inst, kAllLanes, quick, info->name);
      if (HasFatalFailure()) return;
      s.runGeneral(inst, kAllLanes, general);
      ASSERT_EQ(std::memcmp(quick, general, sizeof(quick)), 0) << info->name << " " << code;
    }
  }
}

}  // namespace
}  // namespace etzel::tex
