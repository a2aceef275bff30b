// What tests of the eight-lane paths share: an image of random texels, a random sampler, and both ways to run an
// instruction on them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "runtime/format/convert.h"
#include "runtime/simd/cpu.h"
#include "runtime/tex/fenced_bytes.h"
#include "runtime/tex/lanes/lanes.h"

namespace etzel::tex::test {

using abi::LodMode;
using abi::TexDim;
using abi::TexInst;
using abi::TexKind;
using format::floatToBits;

inline constexpr VkFormat kFloatFormats[] = {VK_FORMAT_R8G8B8A8_UNORM,
                                             VK_FORMAT_B8G8R8A8_UNORM,
                                             VK_FORMAT_R8G8B8A8_SRGB,
                                             VK_FORMAT_B8G8R8A8_SRGB,
                                             VK_FORMAT_R8G8B8A8_SNORM,
                                             VK_FORMAT_R8_UNORM,
                                             VK_FORMAT_R8G8_UNORM,
                                             VK_FORMAT_R16_UNORM,
                                             VK_FORMAT_R16G16_UNORM,
                                             VK_FORMAT_R16G16B16A16_UNORM,
                                             VK_FORMAT_R16_SFLOAT,
                                             VK_FORMAT_R16G16_SFLOAT,
                                             VK_FORMAT_R16G16B16A16_SFLOAT,
                                             VK_FORMAT_R32_SFLOAT,
                                             VK_FORMAT_R32G32_SFLOAT,
                                             VK_FORMAT_R32G32B32A32_SFLOAT,
                                             VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                             VK_FORMAT_A2R10G10B10_UNORM_PACK32,
                                             VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                             VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
                                             VK_FORMAT_R5G6B5_UNORM_PACK16,
                                             VK_FORMAT_B5G6R5_UNORM_PACK16,
                                             VK_FORMAT_A1R5G5B5_UNORM_PACK16,
                                             VK_FORMAT_A4R4G4B4_UNORM_PACK16,
                                             VK_FORMAT_R32G32B32_SFLOAT,
                                             VK_FORMAT_A8B8G8R8_UNORM_PACK32,
                                             VK_FORMAT_D32_SFLOAT,
                                             VK_FORMAT_D16_UNORM,
                                             VK_FORMAT_X8_D24_UNORM_PACK32};
inline constexpr VkFormat kIntegerFormats[] = {
    VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R8G8B8A8_SINT,     VK_FORMAT_R8_UINT,     VK_FORMAT_R32_UINT, VK_FORMAT_R32_SINT,
    VK_FORMAT_R32G32_UINT,   VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_R16G16_SINT, VK_FORMAT_S8_UINT};

inline constexpr VkFormat kBlockFormats[] = {
    VK_FORMAT_BC1_RGBA_UNORM_BLOCK,     VK_FORMAT_BC3_SRGB_BLOCK,         VK_FORMAT_BC4_SNORM_BLOCK,
    VK_FORMAT_BC5_UNORM_BLOCK,          VK_FORMAT_BC6H_UFLOAT_BLOCK,      VK_FORMAT_BC7_UNORM_BLOCK,
    VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, VK_FORMAT_EAC_R11G11_SNORM_BLOCK, VK_FORMAT_ASTC_4x4_UNORM_BLOCK,
    VK_FORMAT_ASTC_6x5_SRGB_BLOCK,      VK_FORMAT_ASTC_12x12_UNORM_BLOCK};

/// An image of random texels, with nothing before it or behind it, and everything that one instruction needs.
struct Scene {
  std::mt19937 random{29};
  mem::ImageLayout layout;
  FencedBytes bytes;
  ImageView view;
  Sampler sampler;
  abi::ImageDescriptor descriptor{.view = &view, .sampler = &sampler};
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
    mem::ImageShape shape;
    shape.type = type == VK_IMAGE_VIEW_TYPE_3D                                          ? VK_IMAGE_TYPE_3D
                 : type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? VK_IMAGE_TYPE_1D
                                                                                        : VK_IMAGE_TYPE_2D;
    shape.format = format, shape.extent = extent, shape.mipLevels = mips, shape.arrayLayers = layers;
    shape.samples = samples;
    layout = mem::layoutImage(shape);
    bytes.resize(layout.size, pick(2));
    view = {};
    view.layout = &layout, view.plane = &layout.plane[0], view.memory = bytes.data();
    view.format = layout.plane[0].format;
    view.info = format::find(view.format);
    view.decode = format::decoder(view.format), view.encode = format::encoder(view.format);
    view.type = type, view.mipCount = mips, view.layerCount = layers, view.samples = samples;
    if (view.info->compression != format::Compression::None) {
      for (std::byte& b : bytes) b = static_cast<std::byte>(random());
      return prepare(view);
    }
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
      w = view.info->isInteger() ? pick(2) ? pick(256) : static_cast<uint32_t>(random())
                                 : floatToBits(number(-0.2f, 1.2f));
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
    const bool custom = pick(4) == 0;
    for (uint32_t c = 0; c < 4; ++c)
      sampler.border.word[c] = view.info->isInteger() ? pick(100)
                               : custom               ? floatToBits(number(0, 1))
                                                      : floatToBits(static_cast<float>(pick(2)));
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
      if (inst.lod == LodMode::Explicit || inst.lod == LodMode::Bias)
        args[inst.argLod()][i] = floatToBits(number(-1, 4));
      if (inst.lod == LodMode::Grad)
        for (uint32_t d = 0; d < 2 * inst.spatialDims(); ++d)
          args[inst.argGradX() + d][i] = floatToBits(number(-0.3f, 0.3f));
      const uint32_t offsets = inst.offset ? inst.argOffset() : inst.argOffsets4();
      const uint32_t count = inst.offset ? inst.offsetDims() : inst.offsets4 ? 8 : 0;
      for (uint32_t d = 0; d < count; ++d) args[offsets + d][i] = pick(16) - 8;
    }
  }
  LanesCall call(const TexInst& inst, LaneMask lanes, LaneWords* result) {
    return {&warp, inst.pack(), lanes, &view, &sampler, args, result};
  }
  /// Runs every target, without what it knows of the view's levels and with it, by each code that reads that. \returns
  /// what they leave in `result`
  void runLanes(const TexInst& inst, LaneMask lanes, LaneWords result[9], const std::string& about) {
    LaneWords other[9];
    std::memset(other, 0xAB, sizeof(other)), std::memset(result, 0xAB, sizeof(other));
    ASSERT_TRUE(ETZEL_BASELINE::run(call(inst, lanes, result))) << about;
    prepare(sampler);
    const LevelUse known = view.lanes.levels;
    for (LevelUse levels : {LevelUse::None, std::min(known, LevelUse::Eight), known}) {
      view.lanes.levels = levels;
      for (const auto& variant : ETZEL_VARIANTS(run)) {
        if (!simd::hostRuns(variant.target)) continue;
        std::memset(other, 0xAB, sizeof(other));
        ASSERT_TRUE(variant.of(call(inst, lanes, other))) << about;
        ASSERT_EQ(std::memcmp(result, other, sizeof(other)), 0) << about << simd::targetName(variant.target);
      }
    }
  }
  void runGeneral(const TexInst& inst, LaneMask lanes, LaneWords result[9]) {
    std::memset(result, 0xAB, 9 * sizeof(LaneWords));
    executeGroups(&warp, inst.pack(), lanes, &handle, &handle, args, result, nullptr);
  }
};

inline std::string about(const Scene& s, const TexInst& i, int trial) {
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
inline constexpr Shape kShapes[] = {{VK_IMAGE_VIEW_TYPE_2D, {13, 16, 1}, 1, TexDim::D2, false},
                                    {VK_IMAGE_VIEW_TYPE_2D_ARRAY, {16, 7, 1}, 3, TexDim::D2, true},
                                    {VK_IMAGE_VIEW_TYPE_1D, {19, 1, 1}, 1, TexDim::D1, false},
                                    {VK_IMAGE_VIEW_TYPE_1D_ARRAY, {16, 1, 1}, 4, TexDim::D1, true},
                                    {VK_IMAGE_VIEW_TYPE_3D, {8, 5, 6}, 1, TexDim::D3, false},
                                    {VK_IMAGE_VIEW_TYPE_CUBE, {8, 8, 1}, 6, TexDim::Cube, false},
                                    {VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, {5, 5, 1}, 12, TexDim::Cube, true}};

}  // namespace etzel::tex::test
