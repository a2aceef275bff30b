// Texels that native code reads itself, for all that may be bound and for what is, against those of the texture unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"
#include "runtime/tex/fenced_bytes.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::native {
namespace {

/// Arguments: x, y, the level if there is one, an offset if there is one.
constexpr char kProgram[] = R"(
.stage STAGE
.temps 8
.resource 0 0 0x00000000 32 1
.const 0x00000000 0x00000001 0x00000002 0xfffffffd
.const 0x3e99999a 0x3f800000 0x00000000 0x00000000
sys r0.x, #7
sys r0.y, #13
xmov r0.z, LEVEL
xmov r0.w, c0.y
xmov r1.x, c0.w
xmov.x4 r2.x, c0.x
texture r2.x, c0.x, r0.FIRST, SAMPLER, #INST
xmov.x4 o0.x, r2.x
ret
)";

/// The same in some lanes only: the others ask for texels far away.
constexpr char kGuarded[] = R"(
.stage STAGE
.temps 8
.resource 0 0 0x00000000 32 1
.const 0x00000000 0x00000001 0x00000002 0x7149f2ca
.const 0x3e99999a 0x3f800000 0x00000000 0x00000000
sys r0.x, #7
sys r0.y, #13
sys r0.w, #8
sel r0.x, r0.w, r0.x, c0.w
xmov r0.z, LEVEL
xmov.x4 r3.x, c0.x
if r0.w
texture r2.x, c0.x, r0.FIRST, SAMPLER, #INST
xmov.x4.m r3.x, r2.x
endif
xmov.x4 o0.x, r3.x
ret
)";

/// The first of two samples.
const std::string kFirst = R"(
.stage STAGE
.temps 24
.resource 0 0 0x00000000 32 1
.const 0x00000000 0x00000001 0x00000002 0xfffffffd
.const 0x3d3a2e8c 0x3f800000 0x00000000 0x00000000
sys r0.x, #7
sys r0.y, #13
xmov r0.z, LEVEL
texture r2.x, c0.x, r0.FIRST, SAMPLER, #INST
)";

/// What the second one's place takes stands behind the first one.
const std::string kPair = kFirst + R"(fmul.f32 r2.y, r2.y, c1.x
fadd.f32 r1.x, r0.x, c1.x
fadd.f32 r1.y, r0.y, c1.x
xmov r1.z, LEVEL
texture r3.x, c0.x, r1.FIRST, SAMPLER, #INST
xmov.x2 o0.x, r2.x
xmov.x2 o0.z, r3.y
ret
)";

/// Only a pair by its looks: the second one's place depends on the first one's colour.
const std::string kChain = kFirst + R"(fadd.f32 r1.x, r0.x, r2.x
fadd.f32 r1.y, r0.y, c1.x
xmov r1.z, LEVEL
texture r3.x, c0.x, r1.FIRST, SAMPLER, #INST
xmov.x4 o0.x, r3.x
ret
)";

/// Arguments: x, y, four words.
constexpr char kStore[] = R"(
.stage STAGE
.temps 8
.resource 0 0 0x00000000 32 1
.const 0x00000000 0x00000001 0x00000002 0x00000003
.const 0x3e99999a 0x3f333333 0x3fc00000 0x7fc00000
sys r0.x, #7
sys r0.y, #13
xmov.x4 r0.z, c1.x
texture -, c0.x, r0.x, -, #INST
ret
)";

abi::TexInst fetchAt(abi::LodMode lod) {
  abi::TexInst inst;
  inst.kind = abi::TexKind::Fetch, inst.lod = lod;
  return inst;
}

class FetchTest : public ::testing::TestWithParam<VkFormat> {
 protected:
  FetchTest() {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D, shape.format = GetParam(),
    shape.extent = {45, 33, 1};  // level 1 has a power of two of rows
    shape.mipLevels = 3, shape.arrayLayers = 2, shape.samples = 1;
    make(shape, true);
    view_.format = GetParam(), view_.info = format::find(GetParam()), view_.decode = format::decoder(GetParam());
    view_.baseMip = 1, view_.mipCount = 2, view_.baseLayer = 1;
    context_.functions = &tex::functionTable();
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.table[0] = reinterpret_cast<const std::byte*>(&descriptor_), context_.tableBytes[0] = sizeof descriptor_;
  }
  /// The image, whose memory begins or ends a page. Nothing beside it may be read.
  void make(const mem::ImageShape& shape, bool endsPage) {
    layout_ = mem::layoutImage(shape);
    bytes_.resize(layout_.size, endsPage);
    for (std::byte& b : bytes_) b = static_cast<std::byte>(random_() % 251);
    view_.layout = &layout_, view_.plane = &layout_.plane[0], view_.memory = bytes_.data();
  }

  /// The program's four words from one set of coordinates around the image.
  std::vector<uint32_t> run(const abi::Kernel& kernel, const abi::Executable& executable, uint32_t seed,
                            LaneMask active) {
    std::mt19937 random(seed);
    std::vector<LaneWords> out(abi::kRecordWords), registers(kernel.registerWords + 1);
    std::vector<LaneWords> sys(abi::kSysValueCount), state(kernel.stateBytes / sizeof(LaneWords) + 2);
    LaneWords& x = sys[uint32_t(abi::SysValue::PrimitiveId)];
    LaneWords& y = sys[uint32_t(abi::SysValue::Layer)];
    for (LaneWords* w : {&x, &y})
      for (uint32_t l = 0; l < kWarpLanes; ++l) (*w)[l] = random() % 26 - 2;
    for (uint32_t l = 0; l < kWarpLanes; ++l) x[l] += startX_;
    if (seed % 5 == 0) x[3] = 0x80000000u, y[5] = 0x7FFFFFFFu;
    // Neighbours: eight in a row, two quads, partly outside of the image.
    for (uint32_t l = 1; l < kWarpLanes && seed % 4; ++l) {
      if (seed % 4 == 1) x[l] = x[0] + l, y[l] = y[0];
      if (seed % 4 == 2) x[l] = x[0] + l % 2 + l / 4 * 2, y[l] = y[0] + l / 2 % 2;
    }
    for (LaneWords* w : {&x, &y})
      for (uint32_t l = 0; l < kWarpLanes && samples_; ++l)
        (*w)[l] = std::bit_cast<uint32_t>((static_cast<float>(static_cast<int32_t>((*w)[l])) + 0.3f) * step_);
    // The middle of the last row.
    if (samples_ && seed % 7 == 3) y[2] = y[6] = std::bit_cast<uint32_t>(15.5f / 16);
    sys[uint32_t(abi::SysValue::InvocationId)] = {{1, 0, seed % 2, 1, 0, 1, 1, 0}};
    abi::Warp warp;
    warp.context = &context_, warp.kernel = &kernel, warp.executable = &executable, warp.active = active;
    warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
    warp.executorState = state.data();
    EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
    std::vector<uint32_t> words;
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l) words.push_back(active >> l & 1 ? out[c][l] : 0);
    return words;
  }
  void compare(const std::string& level, abi::TexInst inst = fetchAt(abi::LodMode::Explicit)) {
    compare(level, inst, "vertex"), compare(level, inst, "fragment");
  }
  void compare(const std::string& level, abi::TexInst inst, const std::string& stage) {
    compare(level, inst, stage, kProgram);
    if (samples_ && !inst.offset) compare(level, inst, stage, kGuarded);
  }
  void compare(const std::string& level, abi::TexInst inst, const std::string& stage, std::string text) {
    const auto put = [&](const std::string& name, const std::string& value) {
      for (size_t at; (at = text.find(name)) != text.npos;) text.replace(at, name.size(), value);
    };
    put("LEVEL", level), put("STAGE", stage);
    put("FIRST", inst.hasCoord() ? "x" : "z");
    put("SAMPLER", samples_ ? "c0.x" : "-");
    put("INST", std::to_string(inst.pack()));
    withCode(text, [&](const abi::Kernel& kernel, const abi::Executable& native, const abi::Executable& brief) {
      const abi::Executable* bound = stage == "fragment" ? codeForBound(text, kernel, native) : nullptr;
      for (uint32_t seed = 0; seed < 120; ++seed) {
        const LaneMask active = seed % 3 ? kAllLanes : 0x5D;
        const std::vector<uint32_t> expected = run(kernel, *kernel.executable.load(), seed, active);
        const auto where = [&] {
          return stage + " level " + level + " instruction " + std::to_string(inst.pack()) + " seed " +
                 std::to_string(seed);
        };
        EXPECT_EQ(expected, run(kernel, native, seed, active)) << where();
        EXPECT_EQ(expected, run(kernel, brief, seed, active)) << "until it is known what is bound, " << where();
        if (bound) {
          EXPECT_EQ(expected, run(kernel, *bound, seed, active)) << "for what is bound, " << where();
        }
      }
    });
  }
  /// The program's code for what is bound; null: it looks at nothing that is. Made once for the same kinds.
  const abi::Executable* codeForBound(const std::string& text, const abi::Kernel& kernel,
                                      const abi::Executable& native) {
    struct Made {
      std::string text;
      BoundKinds kinds;
      std::shared_ptr<exec::MachineCode> code;
    };
    static auto& known = *new std::vector<Made>;
    static const std::unique_ptr<Compiler> compiler = Compiler::create();
    const isa::Program& program = compiler::programOf(kernel);
    const BoundKinds kinds = boundKinds(program, context_);
    if (kinds.empty()) return nullptr;
    for (const Made& m : known)
      if (m.text == text && m.kinds == kinds) return m.code->executable();
    auto code = compiler->compileBound(program, kinds, native);
    EXPECT_TRUE(code.ok()) << code.error().message;
    if (!code) return nullptr;
    known.push_back({text, kinds, *code});
    return (*code)->executable();
  }
  /// Calls `body` with a program's kernel, which runs as quick code, its native code, and that until it is known what
  /// is bound. Formats share them.
  template <class Body>
  static void withCode(const std::string& text, Body body) {
    struct Code {
      std::shared_ptr<abi::Kernel> kernel;
      std::shared_ptr<exec::MachineCode> native, brief;
    };
    static auto& known = *new std::map<std::string, Code>;
    Code& code = known[text];
    if (!code.native) {
      const std::unique_ptr<Compiler> jit = Compiler::create();
      if (!jit) GTEST_SKIP() << "no native code on this machine";
      auto program = isa::assemble(text);
      ASSERT_TRUE(program.ok()) << program.error().message;
      auto kernel = compiler::makeKernel(std::move(*program));
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      auto native = jit->compile(compiler::programOf(**kernel));
      ASSERT_TRUE(native.ok()) << native.error().message;
      auto brief = jit->compileBriefly(compiler::programOf(**kernel));
      ASSERT_TRUE(brief.ok()) << brief.error().message;
      code = {std::move(*kernel), std::move(*native), std::move(*brief)};
    }
    body(*code.kernel, *code.native->executable(), *code.brief->executable());
  }

  std::mt19937 random_{5};
  mem::ImageLayout layout_;
  tex::test::FencedBytes bytes_;
  tex::ImageView view_;
  uint32_t startX_ = 0;     ///< the column that coordinates lie around
  bool samples_ = false;    ///< coordinates are floats
  float step_ = 1.0f / 22;  ///< between neighbours
  tex::Sampler sampler_;
  abi::ImageDescriptor descriptor_{.view = &view_, .sampler = &sampler_};
  abi::DispatchContext context_;
  std::byte zeros_[abi::kNullBytes] = {};
};

TEST_P(FetchTest, NativeCodeReadsWhatTheTextureUnitReads) {
  using Format = abi::DirectView::Format;
  tex::prepare(view_);
  const bool codes = view_.info->numeric == format::Numeric::Unorm && view_.info->blockBytes <= 4;
  ASSERT_EQ(view_.direct.kind.format, codes                                            ? Format::Codes
                                      : format::isSrgb(view_.info->layout)             ? Format::Srgb
                                      : view_.info->layout == format::TexelLayout::R32 ? Format::Word
                                                                                       : Format::Size);
  ASSERT_NE(view_.direct.read, nullptr);
  for (const char* level : {"c0.x", "c0.y", "c0.z"}) compare(level);
  abi::TexInst integers = fetchAt(abi::LodMode::Explicit);
  integers.type = abi::TexType::Uint;
  if (view_.info->isInteger()) compare("c0.x", integers);
}

TEST_P(FetchTest, OffsetsAndStorageImagesToo) {
  tex::prepare(view_);
  abi::TexInst inst = fetchAt(abi::LodMode::Explicit);
  inst.offset = true;
  compare("c0.x", inst);
  inst = {}, inst.kind = abi::TexKind::ImageRead, inst.lod = abi::LodMode::Zero;
  compare("c0.x", inst);
  inst.dim = abi::TexDim::D1;
  compare("c0.x", inst);
}

TEST_P(FetchTest, NativeCodeKnowsSizes) {
  tex::prepare(view_);
  abi::TexInst inst = fetchAt(abi::LodMode::Explicit);
  inst.kind = abi::TexKind::QuerySize;
  for (const char* level : {"c0.x", "c0.y", "c0.z"}) compare(level, inst);
  inst.dim = abi::TexDim::D1;
  compare("c0.x", inst);
  descriptor_.view = nullptr;
  compare("c0.x", inst);
}

TEST_P(FetchTest, VolumesHaveSizesAndSamples) {
  mem::ImageShape shape;
  shape.type = VK_IMAGE_TYPE_3D, shape.format = GetParam(), shape.extent = {22, 16, 9};
  shape.mipLevels = 3, shape.arrayLayers = 1, shape.samples = 1;
  make(shape, true);
  view_.type = VK_IMAGE_VIEW_TYPE_3D, view_.baseMip = 0, view_.baseLayer = 0;
  tex::prepare(view_);
  EXPECT_EQ(view_.direct.slices, 9u);
  abi::TexInst inst = fetchAt(abi::LodMode::Explicit);
  inst.kind = abi::TexKind::QuerySize, inst.dim = abi::TexDim::D3;
  for (const char* level : {"c0.x", "c0.y", "c0.z"}) compare(level, inst);
  descriptor_.view = nullptr;
  compare("c0.x", inst);
  descriptor_.view = &view_;
  if (view_.info->isInteger()) return;
  samples_ = true, view_.mipCount = 1;
  tex::prepare(view_);
  sampler_.magFilter = sampler_.minFilter = VK_FILTER_LINEAR;
  tex::prepare(sampler_);
  inst = {}, inst.dim = abi::TexDim::D3, inst.lod = abi::LodMode::Zero;
  for (const char* depth : {"c0.x", "c1.x", "c1.y"}) compare(depth, inst);
}

TEST_P(FetchTest, NativeCodeFindsTheTexelsOfSamples) {
  samples_ = true;
  view_.mipCount = 1;
  tex::prepare(view_);
  const bool integers = view_.info->isInteger();
  ASSERT_EQ(view_.direct.bilinear != nullptr, !integers);
  ASSERT_EQ(view_.direct.nearest != nullptr, !integers);
  for (uint32_t i = 0; i < 4; ++i) {
    if (integers && (i & 1)) continue;
    sampler_.magFilter = sampler_.minFilter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    for (VkSamplerAddressMode& m : sampler_.address)
      m = i & 2 ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    tex::prepare(sampler_);
    EXPECT_NE(sampler_.direct.filter, abi::DirectSampler::Filter::Other);
    for (const abi::LodMode lod : {abi::LodMode::Explicit, abi::LodMode::Implicit}) {
      abi::TexInst inst;
      inst.lod = lod;
      compare("c0.x", inst);
      inst.offset = true;
      compare("c0.x", inst);
      inst.dim = abi::TexDim::D1;
      compare("c0.x", inst);
    }
  }
  if (integers) return;
  sampler_.minFilter = VK_FILTER_NEAREST;
  tex::prepare(sampler_);
  EXPECT_EQ(sampler_.direct.filter, abi::DirectSampler::Filter::Other);
  compare("c0.x", {});
}

TEST_P(FetchTest, WhatMagnifiesReadsTheFirstOfSeveralLevels) {
  samples_ = true;
  tex::prepare(view_);
  if (view_.info->isInteger()) return;
  ASSERT_EQ(view_.direct.nearest, nullptr);
  ASSERT_NE(view_.direct.firstNearest, nullptr);
  for (uint32_t i = 0; i < 8; ++i) {
    sampler_.magFilter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    sampler_.minFilter = i & 2 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    sampler_.anisotropic = i & 4, sampler_.maxAnisotropy = i & 4 ? 4 : 1;
    sampler_.maxLod = 4;
    tex::prepare(sampler_);
    // Neighbours are about a texel apart, or less than half of one.
    for (const float step : {1.0f / 22, 1.0f / 50}) {
      step_ = step;
      abi::TexInst inst;
      compare("c0.x", inst);
      compare("c0.x", inst, "fragment", kPair);
      inst.offset = true;
      compare("c0.x", inst);
      inst.offset = false, inst.dim = abi::TexDim::D1;
      compare("c0.x", inst);
    }
  }
}

TEST_P(FetchTest, GathersReadTheTexelsOfFootprints) {
  samples_ = true;
  if (view_.info->isInteger()) return;
  for (const bool swizzled : {false, true}) {
    view_.identitySwizzle = !swizzled;
    for (uint8_t c = 0; c < 4; ++c) view_.swizzle[c] = swizzled ? 5 - c : c;  // a one, a zero, and two components
    tex::prepare(view_);
    for (const VkSamplerAddressMode mode : {VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE}) {
      sampler_.magFilter = sampler_.minFilter = swizzled ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
      for (VkSamplerAddressMode& m : sampler_.address) m = mode;
      tex::prepare(sampler_);
      abi::TexInst inst;
      inst.kind = abi::TexKind::Gather, inst.lod = abi::LodMode::Zero;
      for (uint8_t c = 0; c < 4; ++c) inst.component = c, compare("c0.x", inst);
      inst.offset = true;
      compare("c0.x", inst);
    }
  }
}

TEST_P(FetchTest, NothingBesideAnImageIsRead) {
  mem::ImageShape shape;
  const uint32_t width = 64 / view_.info->blockBytes;  // rows end with lines
  shape.type = VK_IMAGE_TYPE_2D, shape.format = GetParam(), shape.extent = {width, 23, 1};
  shape.mipLevels = shape.arrayLayers = shape.samples = 1;
  view_.baseMip = view_.baseLayer = 0, view_.mipCount = 1;
  for (const bool endsPage : {false, true}) {
    make(shape, endsPage);
    startX_ = endsPage && width > 22 ? width - 22 : 0, samples_ = false;
    tex::prepare(view_);
    compare("c0.x");
    abi::TexInst read;
    read.kind = abi::TexKind::ImageRead, read.lod = abi::LodMode::Zero;
    compare("c0.x", read);
    if (view_.info->isInteger()) continue;
    samples_ = true, startX_ = 0;
    for (uint32_t i = 0; i < 6; ++i) {
      sampler_.magFilter = sampler_.minFilter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
      constexpr VkSamplerAddressMode kModes[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                                 VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                                                 VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
      for (VkSamplerAddressMode& m : sampler_.address) m = kModes[i / 2];
      tex::prepare(sampler_);
      compare("c0.x", {});
      for (const std::string& text : {kPair, kChain}) compare("c0.x", {}, "fragment", text);
    }
  }
}

TEST_P(FetchTest, PairsOfSamplesAreWhatTwoSamplesAre) {
  samples_ = true;
  view_.mipCount = 1;
  tex::prepare(view_);
  if (view_.info->isInteger()) return;
  for (uint32_t i = 0; i < 4; ++i) {
    sampler_.magFilter = sampler_.minFilter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    for (VkSamplerAddressMode& m : sampler_.address)
      m = i & 2 ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    tex::prepare(sampler_);
    for (const std::string& text : {kPair, kChain})
      for (const char* stage : {"vertex", "fragment"})
        for (const abi::LodMode lod : {abi::LodMode::Explicit, abi::LodMode::Implicit}) {
          abi::TexInst inst;
          inst.lod = lod;
          compare("c0.x", inst, stage, text);
        }
  }
}

TEST_P(FetchTest, NativeCodeFindsTheTexelsOfComparisons) {
  using enum format::TexelLayout;
  samples_ = true;
  view_.mipCount = 1;
  tex::prepare(view_);
  const bool depth = view_.info->layout == R16 || view_.info->layout == R32;
  ASSERT_EQ(view_.direct.compare != nullptr, depth);
  if (!depth) return;
  for (uint32_t i = 0; i < 16; ++i) {
    sampler_.magFilter = sampler_.minFilter = i == 9 || i == 12 ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
    sampler_.compareOp = static_cast<VkCompareOp>(i & 7);
    for (VkSamplerAddressMode& m : sampler_.address)
      m = i & 8 ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    tex::prepare(sampler_);
    for (const abi::LodMode lod : {abi::LodMode::Explicit, abi::LodMode::Implicit}) {
      abi::TexInst inst;
      inst.lod = lod, inst.dref = true;
      compare("c1.x", inst), compare("c0.x", inst);
      inst.offset = true;
      compare("c1.x", inst);
      inst.dim = abi::TexDim::D1;
      compare("c1.x", inst);
    }
  }
}

TEST_P(FetchTest, NativeCodeAsksViewsForSamplesOfSeveralLevels) {
  samples_ = true;
  tex::prepare(view_);
  ASSERT_NE(view_.direct.sample, nullptr);
  ASSERT_EQ(view_.direct.bilinear, nullptr);
  if (view_.info->isInteger()) return;
  sampler_.maxLod = 10;
  for (uint32_t i = 0; i < 8; ++i) {
    sampler_.magFilter = sampler_.minFilter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    sampler_.mipmapMode = i & 2 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
    sampler_.anisotropic = i & 4, sampler_.maxAnisotropy = 4;
    tex::prepare(sampler_);
    for (const float texels : {0.4f, 1.3f}) {
      step_ = texels / 22;
      compare("c0.x", {});
    }
    abi::TexInst inst;
    inst.lod = abi::LodMode::Explicit;
    for (const char* level : {"c0.x", "c0.w", "c1.x", "c1.y"}) compare(level, inst);
    inst.lod = abi::LodMode::Bias, inst.offset = true;
    compare("c1.x", inst);
  }
  abi::TexInst gather;
  gather.kind = abi::TexKind::Gather, gather.lod = abi::LodMode::Zero, gather.component = 1;
  compare("c0.x", gather);
  descriptor_.sampler = nullptr;
  compare("c0.x", {}), compare("c0.x", gather);
}

uint32_t asked = 0;
abi::SampleLevels answer = nullptr;
bool countAsked(const tex::ImageView* view, const tex::Sampler* sampler, uint32_t texInst, const LaneWords* args,
                LaneMask lanes, LaneWords* result) {
  return ++asked, answer(view, sampler, texInst, args, lanes, result);
}

TEST_P(FetchTest, NativeCodeFindsTheTexelsOfTheFirstOfSeveralLevels) {
  samples_ = true;
  tex::prepare(view_);
  ASSERT_EQ(view_.direct.firstNearest != nullptr, !view_.info->isInteger());
  ASSERT_EQ(view_.direct.bilinear, nullptr);
  if (view_.info->isInteger()) return;
  answer = view_.direct.sample, view_.direct.sample = countAsked;
  sampler_.maxLod = 10;
  /// Calls of the view's routine, of two programs that sample once for each of 120 seeds.
  const auto asks = [&](const char* level, const abi::TexInst& inst) {
    asked = 0;
    compare(level, inst, "vertex");
    return asked;
  };
  for (uint32_t i = 0; i < 16; ++i) {
    sampler_.magFilter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    sampler_.minFilter = i & 2 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    sampler_.mipmapMode = i & 4 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
    sampler_.anisotropic = i & 8, sampler_.maxAnisotropy = 4;
    step_ = (i & 4 ? 1.0f : 0.3f) / 22;
    tex::prepare(sampler_);
    EXPECT_NE(sampler_.direct.first, abi::DirectSampler::Filter::Other);
    abi::TexInst inst;
    inst.lod = abi::LodMode::Explicit;
    const uint32_t first = asks("c0.x", inst), others = asks("c1.x", inst);
    EXPECT_LT(first, others);
    inst.lod = abi::LodMode::Zero;
    EXPECT_EQ(asks("c1.x", inst), first);
    inst.offset = true;
    compare("c0.x", inst);
  }
  abi::TexInst inst;
  inst.lod = abi::LodMode::Explicit;
  for (const bool biased : {false, true}) {
    sampler_.mipLodBias = biased ? 0.7f : 0.0f, sampler_.minLod = biased ? 0.0f : 0.4f;
    tex::prepare(sampler_);
    EXPECT_EQ(sampler_.direct.first, abi::DirectSampler::Filter::Other);
    EXPECT_EQ(asks("c0.x", inst), asks("c1.x", inst));
  }
}

TEST_P(FetchTest, PairsOfSamplesOfDifferentLevelsAreWhatTwoSamplesAre) {
  samples_ = true;
  tex::prepare(view_);
  if (view_.info->isInteger()) return;
  sampler_.maxLod = 10;
  std::string text = kPair;
  text.replace(text.rfind("LEVEL"), 5, "c1.y");
  for (const VkFilter filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR}) {
    sampler_.magFilter = sampler_.minFilter = filter;
    tex::prepare(sampler_);
    abi::TexInst inst;
    inst.lod = abi::LodMode::Explicit;
    for (const char* stage : {"vertex", "fragment"})
      compare("c0.x", inst, stage, text), compare("c0.x", inst, stage, kPair);
  }
}

TEST_P(FetchTest, NativeCodeFindsTheTexelsOfStores) {
  view_.encode = format::encoder(GetParam());
  tex::prepare(view_);
  ASSERT_NE(view_.direct.write, nullptr);
  abi::TexInst inst;
  inst.kind = abi::TexKind::ImageWrite, inst.lod = abi::LodMode::Zero;
  for (const char* stage : {"vertex", "fragment"}) {
    std::string text = kStore;
    text.replace(text.find("STAGE"), 5, stage), text.replace(text.find("INST"), 4, std::to_string(inst.pack()));
    withCode(text, [&](const abi::Kernel& kernel, const abi::Executable& native, const abi::Executable&) {
      const std::vector<std::byte> before(bytes_.begin(), bytes_.end());
      uint32_t stored = 0;
      for (uint32_t seed = 0; seed < 60; ++seed) {
        const LaneMask active = seed % 3 ? kAllLanes : 0x5D;
        std::vector<std::byte> after[2];
        for (uint32_t i = 0; i < 2; ++i) {
          run(kernel, i ? native : *kernel.executable.load(), seed, active);
          after[i].assign(bytes_.begin(), bytes_.end());
          std::copy(before.begin(), before.end(), bytes_.begin());
        }
        EXPECT_EQ(after[0], after[1]) << stage << " seed " << seed;
        stored += after[0] != before;
      }
      EXPECT_GT(stored, 20u);
    });
  }
}

/// As the unit does it, every code: floats of doubles' quotients.
TEST_P(FetchTest, EveryCodeIsRoundedOnce) {
  tex::prepare(view_);
  if (view_.direct.kind.format != abi::DirectView::Format::Codes) return;
  for (const abi::DirectView::Component& c : view_.direct.kind.component)
    for (uint32_t code = 0; code <= c.mask && c.mask; ++code) {
      const auto number = static_cast<float>(code);
      ASSERT_EQ(std::fma(number, c.rest, number * c.power), static_cast<float>(static_cast<double>(code) / c.mask));
    }
}

TEST_P(FetchTest, SwizzledViewsAndNullDescriptors) {
  view_.identitySwizzle = false, view_.swizzle[0] = 2, view_.swizzle[3] = 4;
  tex::prepare(view_);
  compare("c0.x");
  view_.swizzle[1] = 3, view_.swizzle[2] = 5;
  tex::prepare(view_);
  EXPECT_NE(view_.direct.kind.format, abi::DirectView::Format::Srgb);
  compare("c0.x");
  descriptor_.view = nullptr;
  compare("c0.x");
  context_.tableBytes[0] = 0;
  compare("c0.x");
}

/// One of each layout of colours' single texels: floats before integers, where both have it.
std::vector<VkFormat> formatsOfLayouts() {
  std::vector<VkFormat> formats;
  std::bitset<static_cast<size_t>(format::TexelLayout::kCount)> known;
  for (const bool integers : {false, true})
    for (int number = VK_FORMAT_R4G4_UNORM_PACK8; number <= VK_FORMAT_E5B9G9R9_UFLOAT_PACK32; ++number) {
      const format::FormatInfo* info = format::find(static_cast<VkFormat>(number));
      if (!info || !info->isColor() || info->layout < format::TexelLayout::Rgba8) continue;
      if (info->isInteger() != integers || known[static_cast<size_t>(info->layout)]) continue;
      known.set(static_cast<size_t>(info->layout));
      formats.push_back(info->format);
    }
  formats.push_back(VK_FORMAT_A4R4G4B4_UNORM_PACK16);  // its layout's only one, with a larger number
  return formats;
}

TEST(FetchFormats, AreOfEveryLayout) {
  // But none, others, blocks, and one of depth.
  EXPECT_EQ(formatsOfLayouts().size(), static_cast<size_t>(format::TexelLayout::kCount) - 4);
}

INSTANTIATE_TEST_SUITE_P(Formats, FetchTest, ::testing::ValuesIn(formatsOfLayouts()));

}  // namespace
}  // namespace etzel::native
