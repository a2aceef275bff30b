// Samples and gathers of groups of fragments by code for what is bound: it reads the first level itself where
// footprints lie within texels, of two groups together where both run, weighs the texels that it knows, on other levels
// too, and asks the view elsewhere.
#include <gtest/gtest.h>

#include <bit>
#include <utility>

#include "compiler/exec/native/analysis/bound.h"
#include "compiler/exec/native/native.h"
#include "compiler/exec/test/test_sampling.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

constexpr uint32_t kGroups = abi::FragmentGroups::kCount;
constexpr int kSize = 64;

abi::SampleLevels asked = nullptr;
uint32_t questions = 0;
bool countQuestion(const tex::ImageView* view, const tex::Sampler* sampler, uint32_t inst, const LaneWords* args,
                   LaneMask lanes, LaneWords* result) {
  return ++questions, asked(view, sampler, inst, args, lanes, result);
}

abi::ReadFootprints filter = nullptr;
uint32_t filtered = 0;
void countFilter(const tex::ImageView* view, const abi::Footprints* footprints, LaneWords* result) {
  ++filtered, filter(view, footprints, result);
}

/// The picture, `texels` of its texels a pixel; `levels`: of what level of detail, where the instruction says it, per
/// width of the picture.
std::shared_ptr<abi::Kernel> picture(float texels, abi::TexInst inst = {}, float levels = 0) {
  const auto sys = [](abi::SysValue v) { return std::to_string(static_cast<uint32_t>(v)); };
  const uint32_t scale = std::bit_cast<uint32_t>(texels / kSize), level = std::bit_cast<uint32_t>(levels);
  auto program = isa::assemble(".stage fragment\n.temps 8\n.resource 0 0 0 32 1\n.const 0 0 " + std::to_string(level) +
                               " " + std::to_string(scale) + "\nsys r0.x, #" + sys(abi::SysValue::FragCoordX) +
                               "\nsys r0.y, #" + sys(abi::SysValue::FragCoordY) +
                               "\nfmul.f32 r0.x, r0.x, c0.w\nfmul.f32 r0.y, r0.y, c0.w\nfmul.f32 r0.z, r0.x, c0.z\n"
                               "texture r1.x, c0.x, r0.x, c0.x, #" +
                               std::to_string(inst.pack()) + "\nxmov.x4 o1.x, r1.x\nret\n");
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return nullptr;
  auto kernel = compiler::makeKernel(std::move(*program));
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return kernel.ok() ? *kernel : nullptr;
}

class GroupSamples : public testing::Test, public exec::test::Sampling {
 protected:
  void SetUp() override {
    if (!compiler_) GTEST_SKIP() << "no native executor on this host";
    for (uint32_t axis = 0; axis < 2; ++axis)
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        // Two quads side by side.
        const uint32_t x = l % 2 + l / 4 * 2, y = l / 2 % 2;
        place_[axis][l] = std::bit_cast<uint32_t>(static_cast<float>(axis ? y : x));
        for (uint32_t g = 0; g < kGroups; ++g)
          offset_[g][axis][l] = std::bit_cast<uint32_t>(static_cast<float>(axis ? 5 + g / 2 * 2 : 5 + g % 2 * 4));
      }
  }
  /// What those of `groups` show; how often the view is asked is in `questions`.
  std::vector<uint32_t> colors(const abi::Kernel& kernel, const abi::Executable& code, uint32_t groups) {
    EXPECT_NE(code.fragments, nullptr);
    alignas(32) LaneWords color[kGroups][4] = {};
    std::vector<LaneWords> registers(kernel.registerWords + 1), state(kernel.stateBytes / sizeof(LaneWords) + 2);
    warp.kernel = &kernel, warp.executable = &code;
    warp.registers = registers.data(), warp.executorState = state.data();
    abi::FragmentGroups all;
    all.groups = groups, all.active = ~uint64_t{0};
    all.place = place_, all.offset = offset_[0], all.color = color[0];
    questions = 0;
    EXPECT_EQ(code.fragments(code.code, &warp, &all), abi::WarpStatus::Done);
    std::vector<uint32_t> words;
    for (uint32_t g = 0; g < kGroups; ++g)
      for (uint32_t c = 0; groups >> g & 1 && c < 4; ++c)
        for (uint32_t l = 0; l < kWarpLanes; ++l) words.push_back(color[g][c][l]);
    return words;
  }
  /// Runs some groups of a picture by its code for what is bound. \returns whether that asked the view
  bool asks(const std::shared_ptr<abi::Kernel>& kernel, uint32_t groups) {
    asked = std::exchange(view.direct.sample, countQuestion);
    auto always = compiler_->compileBriefly(compiler::programOf(*kernel));
    EXPECT_TRUE(always.ok());
    const std::vector<uint32_t> expected = colors(*kernel, *(*always)->executable(), groups);
    EXPECT_EQ(questions, static_cast<uint32_t>(std::popcount(groups)));
    auto code = compiler_->compileBound(compiler::programOf(*kernel), boundKinds(compiler::programOf(*kernel), context),
                                        *(*always)->executable());
    EXPECT_TRUE(code.ok());
    EXPECT_EQ(colors(*kernel, *(*code)->executable(), groups), expected);
    view.direct.sample = asked;
    return questions != 0;
  }

  const std::unique_ptr<Compiler> compiler_ = Compiler::create();
  alignas(32) LaneWords place_[2], offset_[kGroups][2];
};

/// Whether the host's code weighs sRGB itself.
bool fuses() { return simd::cpu().fma || simd::targetName(simd::target()) == "neon"; }

TEST_F(GroupSamples, ViewsAreAskedWhereFootprintsAreLargerThanTexels) {
  const auto magnified = picture(0.9f), reduced = picture(2.5f);
  ASSERT_TRUE(magnified && reduced);
  const std::pair<VkFormat, bool> formats[] = {
      {VK_FORMAT_R8G8B8A8_UNORM, true}, {VK_FORMAT_B8G8R8A8_SRGB, fuses()}, {VK_FORMAT_R16G16B16A16_SFLOAT, false}};
  for (const auto& [format, weighs] : formats)
    for (const uint32_t levels : {1, 3})
      for (const VkFilter filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
        for (const uint32_t groups : {0xFFu, 0x01u, 0xB6u}) {  // pairs, one, and pairs with one behind them
          make(format, VK_IMAGE_VIEW_TYPE_2D, {kSize, kSize, 1}, levels, 1);
          sampler = {};
          sampler.magFilter = sampler.minFilter = filter;
          sampler.maxLod = 8;
          tex::prepare(sampler);
          EXPECT_FALSE(asks(magnified, groups));
          EXPECT_EQ(asks(reduced, groups), levels > 1 && !weighs);
        }
}

TEST_F(GroupSamples, LevelsAreFilteredWithoutTheView) {
  const auto filters = [&](const auto& kernel, VkFormat format, const tex::Sampler& with, uint32_t groups) {
    make(format, VK_IMAGE_VIEW_TYPE_2D, {kSize, kSize, 1}, 3, 1);
    sampler = with;
    sampler.minFilter = sampler.magFilter;
    tex::prepare(sampler);
    EXPECT_EQ(asks(kernel, groups), format::isSrgb(view.info->layout) && !fuses()) << format;
    sampler.anisotropic = true, sampler.maxAnisotropy = 4;
    tex::prepare(sampler);
    EXPECT_TRUE(asks(kernel, groups)) << format;
  };
  for (const float texels : {1.2f, 2.0f, 2.5f, 3.9f}) {
    const auto kernel = picture(texels);
    ASSERT_TRUE(kernel);
    for (const VkSamplerMipmapMode mode : {VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR})
      for (const float most : {0.25f, 1.0f, 8.0f})
        for (const float bias : {-0.6f, 0.0f})
          for (const uint32_t groups : {0xFFu, 0x01u, 0xB6u})
            for (const VkFormat format : {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB})
              filters(kernel, format,
                      {.magFilter = VK_FILTER_LINEAR, .mipmapMode = mode, .mipLodBias = bias, .maxLod = most}, groups);
  }
  const auto kernel = picture(2.5f);
  ASSERT_TRUE(kernel);
  for (const VkFormat format : {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM,
                                VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB})
    for (const VkFilter filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
      for (const float most : {0.25f, 8.0f})
        filters(kernel, format, {.magFilter = filter, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = most},
                0xB6u);
}

TEST_F(GroupSamples, LevelsThatInstructionsSayAreFilteredWithoutTheView) {
  abi::TexInst inst;
  inst.lod = abi::LodMode::Explicit;
  for (const auto& [levels, differ] : {std::pair{-2.0f, false}, {0.9f, false}, {1.9f, true}, {8.0f, true}}) {
    const auto kernel = picture(2.5f, inst, levels);
    ASSERT_TRUE(kernel);
    for (const VkSamplerMipmapMode mode : {VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_MIPMAP_MODE_LINEAR})
      for (const float least : {-1.0f, 1.25f})
        for (const float bias : {-0.3f, 0.0f, 0.2f})
          for (const uint32_t groups : {0xFFu, 0x01u, 0xB6u}) {
            make(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {kSize, kSize, 1}, 3, 1);
            sampler = {};
            sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
            sampler.mipmapMode = mode, sampler.minLod = least, sampler.maxLod = 8, sampler.mipLodBias = bias;
            tex::prepare(sampler);
            const bool asked = asks(kernel, groups);
            if (!differ && mode == VK_SAMPLER_MIPMAP_MODE_LINEAR) {
              EXPECT_FALSE(asked);
            }
          }
  }
}

TEST_F(GroupSamples, ViewsAreAskedWhereQuadsDifferInTheirLevelsOrReachAnEdge) {
  const auto kernel = picture(2.5f);
  ASSERT_TRUE(kernel);
  make(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {kSize, kSize, 1}, 3, 1);
  sampler = {};
  sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
  sampler.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, sampler.maxLod = 8;
  tex::prepare(sampler);
  EXPECT_FALSE(asks(kernel, 0xFF));
  for (uint32_t g = 0; g < kGroups; ++g)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      offset_[g][0][l] = std::bit_cast<uint32_t>(std::bit_cast<float>(offset_[g][0][l]) + 18);
  EXPECT_TRUE(asks(kernel, 0xFF));  // from column 57 of 64 on
  SetUp();
  for (uint32_t l : {5, 7}) place_[0][l] = std::bit_cast<uint32_t>(6.0f);
  EXPECT_TRUE(asks(kernel, 0xFF));
}

TEST_F(GroupSamples, ViewsFilterWhatAreNoCodes) {
  const auto kernel = picture(0.9f);
  ASSERT_TRUE(kernel);
  const std::pair<VkFormat, bool> formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, true},
                                               {VK_FORMAT_A2R10G10B10_UNORM_PACK32, true},
                                               {VK_FORMAT_B8G8R8A8_SRGB, fuses()},
                                               {VK_FORMAT_R16G16_UNORM, true},
                                               {VK_FORMAT_R8_UNORM, true},
                                               {VK_FORMAT_R8G8_UNORM, true},
                                               {VK_FORMAT_R16_UNORM, true},
                                               {VK_FORMAT_R5G6B5_UNORM_PACK16, true},
                                               {VK_FORMAT_A1R5G5B5_UNORM_PACK16, true},
                                               {VK_FORMAT_R8G8B8A8_SNORM, false},
                                               {VK_FORMAT_R16_SFLOAT, false}};
  for (const auto& [format, itself] : formats)
    for (const uint32_t levels : {1, 2})
      for (const uint32_t groups : {0xFFu, 0x01u, 0xB6u})
        for (const bool opaque : {false, true}) {
          make(format, VK_IMAGE_VIEW_TYPE_2D, {kSize, kSize, 1}, levels, 1);
          if (opaque) view.identitySwizzle = false, view.swizzle[3] = 5, tex::prepare(view);
          sampler = {};
          sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
          sampler.maxLod = 8;
          tex::prepare(sampler);
          filter = levels == 1 ? std::exchange(view.direct.bilinear, countFilter)
                               : std::exchange(view.direct.firstBilinear, countFilter);
          filtered = 0;
          EXPECT_FALSE(asks(kernel, groups));
          EXPECT_EQ(filtered != 0, !itself) << format << " " << levels << " " << opaque;
        }
}

TEST_F(GroupSamples, ViewsAreAskedForNoGathers) {
  abi::TexInst gather;
  gather.kind = abi::TexKind::Gather, gather.lod = abi::LodMode::Zero, gather.component = 1;
  const auto kernel = picture(2.5f, gather);
  ASSERT_TRUE(kernel);
  for (const VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16_UNORM, VK_FORMAT_D32_SFLOAT,
                                VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8_UNORM})
    for (const uint32_t groups : {0xFFu, 0x01u, 0xB6u}) {
      make(format, VK_IMAGE_VIEW_TYPE_2D, {kSize, kSize, 1}, 2, 1);
      const bool itself = !format::isSrgb(view.info->layout);
      EXPECT_EQ(asks(kernel, groups), !itself) << view.info->blockBytes;
    }
}

}  // namespace
}  // namespace etzel::native
