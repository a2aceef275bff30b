// Texels of one or two bytes that native code stores against those that the texture unit stores.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::native {
namespace {

using abi::SysValue;

constexpr uint32_t kWidth = 45, kHeight = 9;
constexpr SysValue kData[4] = {SysValue::TessCoordX, SysValue::TessCoordY, SysValue::TessCoordZ,
                               SysValue::ViewportIndex};

/// Which lanes a program stores with, and what is known of their places.
struct Way {
  const char* name;
  SysValue x, y;
  bool guarded;  ///< only lanes with an odd SysValue::InvocationId store
  abi::TexDim dim = abi::TexDim::D2;
};
constexpr Way kWays[] = {{"neighbours", SysValue::GlobalIdX, SysValue::GlobalIdY, false},
                         {"some neighbours", SysValue::GlobalIdX, SysValue::GlobalIdY, true},
                         {"a row", SysValue::GlobalIdX, SysValue::GlobalIdY, false, abi::TexDim::D1},
                         {"any", SysValue::PrimitiveId, SysValue::Layer, false},
                         {"some of any", SysValue::PrimitiveId, SysValue::Layer, true}};

std::string programOf(const Way& way, abi::TexType type) {
  abi::TexInst inst;
  inst.kind = abi::TexKind::ImageWrite, inst.lod = abi::LodMode::Zero, inst.type = type, inst.dim = way.dim;
  const auto sys = [](const char* to, SysValue v) {
    return std::string("sys ") + to + ", #" + std::to_string(static_cast<uint32_t>(v)) + "\n";
  };
  const bool flat = way.dim == abi::TexDim::D2;
  std::string text = ".stage compute\n.local 8 1 1\n.temps 8\n.resource 0 0 0x00000000 32 1\n.const 0 0 0 0\n" +
                     sys(flat ? "r0.x" : "r0.y", way.x);
  if (flat) text += sys("r0.y", way.y);
  const char* const words[4] = {"r0.z", "r0.w", "r1.x", "r1.y"};
  for (uint32_t c = 0; c < 4; ++c) text += sys(words[c], kData[c]);
  text += sys("r2.x", SysValue::InvocationId);
  const std::string store =
      std::string("texture -, c0.x, ") + (flat ? "r0.x" : "r0.y") + ", -, #" + std::to_string(inst.pack()) + "\n";
  return text + (way.guarded ? "if r2.x\n" + store + "endif\n" : store) + "ret\n";
}

/// Numbers on both sides of every limit and between two codes, and any bits.
uint32_t floatBits(std::mt19937& random) {
  constexpr float kSpecial[] = {0.0f,   -0.0f, 1.0f,     -1.0f,    1.0000001f, -1.0000001f, INFINITY, -INFINITY,
                                1e-40f, 2e-8f, 65504.0f, 65519.9f, 65520.0f,   -1e30f,      0.5f,     6.1e-5f};
  constexpr float kMost[] = {255.0f, 127.0f, 65535.0f, 32767.0f};
  const uint32_t bits = static_cast<uint32_t>(random());
  switch (bits % 4) {
    case 0: return std::bit_cast<uint32_t>(kSpecial[bits / 4 % std::size(kSpecial)]);
    case 1: return static_cast<uint32_t>(random());
    case 2: return 0x7F800001u + bits % 0x800000u;  // NaNs of both kinds
    default: {
      const float most = kMost[bits / 4 % 4], code = static_cast<float>(bits / 16 % static_cast<uint32_t>(most));
      const uint32_t between = std::bit_cast<uint32_t>((code + 0.5f) / most) + bits / 16 % 5 - 2;
      return between ^ (bits >> 31 << 31);
    }
  }
}
/// Small and large integers of both signs.
uint32_t integerBits(std::mt19937& random) {
  const uint32_t bits = static_cast<uint32_t>(random());
  return static_cast<uint32_t>(static_cast<int32_t>(random()) >> bits % 32);
}

class TexelStores : public ::testing::TestWithParam<VkFormat> {
 protected:
  TexelStores() {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D, shape.format = GetParam(), shape.extent = {kWidth, kHeight, 1};
    shape.mipLevels = shape.arrayLayers = shape.samples = 1;
    layout_ = mem::layoutImage(shape);
    bytes_.resize(layout_.size);
    view_.layout = &layout_, view_.plane = &layout_.plane[0], view_.memory = bytes_.data();
    view_.format = GetParam(), view_.info = format::find(GetParam()), view_.decode = format::decoder(GetParam());
    view_.encode = format::encoder(GetParam());
    view_.mipCount = 1;
    tex::prepare(view_);
    context_.functions = &tex::functionTable();
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.table[0] = reinterpret_cast<const std::byte*>(&descriptor_), context_.tableBytes[0] = sizeof descriptor_;
  }

  /// The image after a store, from zeros.
  std::vector<std::byte> run(const abi::Kernel& kernel, const abi::Executable& executable, const Way& way,
                             abi::TexType type, uint32_t seed) {
    std::fill(bytes_.begin(), bytes_.end(), std::byte{0});
    std::mt19937 random(seed);
    std::vector<LaneWords> registers(kernel.registerWords + 1), sys(abi::kSysValueCount);
    std::vector<LaneWords> state(kernel.stateBytes / sizeof(LaneWords) + 2);
    const auto value = [&](SysValue v) -> LaneWords& { return sys[static_cast<uint32_t>(v)]; };
    // Also over the edges.
    const uint32_t left = static_cast<uint32_t>(random() % (kWidth + 12)) - 6;
    const uint32_t top = static_cast<uint32_t>(random() % (kHeight + 2)) - 1;
    const bool known = way.x == SysValue::GlobalIdX, row = known || seed % 3;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      value(way.x)[l] = row ? left + l : static_cast<uint32_t>(random() % kWidth);
      value(way.y)[l] = row ? top : static_cast<uint32_t>(random() % kHeight);
      value(SysValue::InvocationId)[l] = seed % 4 ? 1 : static_cast<uint32_t>(random()) & 1;
      for (const SysValue v : kData)
        value(v)[l] = type == abi::TexType::Float ? floatBits(random) : integerBits(random);
    }
    abi::Warp warp;
    warp.context = &context_, warp.kernel = &kernel, warp.executable = &executable, warp.active = kAllLanes;
    warp.registers = registers.data(), warp.sys = sys.data(), warp.executorState = state.data();
    EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
    return bytes_;
  }

  mem::ImageLayout layout_;
  std::vector<std::byte> bytes_;
  tex::ImageView view_;
  abi::ImageDescriptor descriptor_{.view = &view_};
  abi::DispatchContext context_;
  std::byte zeros_[abi::kNullBytes] = {};
};

TEST_P(TexelStores, AreThoseOfTheTextureUnit) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native code on this machine";
  ASSERT_NE(view_.direct.write, nullptr);
  for (const Way& way : kWays)
    for (const abi::TexType type : {abi::TexType::Float, abi::TexType::Uint, abi::TexType::Sint}) {
      auto program = isa::assemble(programOf(way, type));
      ASSERT_TRUE(program.ok()) << program.error().message;
      auto kernel = compiler::makeKernel(std::move(*program));
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      auto native = jit->compile(compiler::programOf(**kernel));
      ASSERT_TRUE(native.ok()) << native.error().message;
      uint32_t stored = 0;
      for (uint32_t seed = 0; seed < 400; ++seed) {
        const std::vector<std::byte> expected = run(**kernel, *(*kernel)->executable.load(), way, type, seed);
        ASSERT_EQ(run(**kernel, *(*native)->executable(), way, type, seed), expected)
            << way.name << " type " << static_cast<uint32_t>(type) << " seed " << seed;
        stored += expected != std::vector<std::byte>(expected.size());
      }
      EXPECT_GT(stored, 10u) << way.name;  // integers for normalized numbers are mostly next to 0
    }
}

/// Half-way between codes, and next to it: all codes of 16 bits.
TEST_P(TexelStores, EveryCodeIsRoundedAsTheTextureUnitRoundsIt) {
  using Numbers = abi::StoredTexels::Numbers;
  const abi::StoredTexels& rule = view_.direct.stored;
  if (rule.numbers != Numbers::Codes) GTEST_SKIP() << "no normalized numbers";
  const float most = rule.product * rule.power;
  const uint32_t bytes = view_.info->blockBytes;
  for (uint32_t code = 0; code <= static_cast<uint32_t>(most); ++code)
    for (uint32_t i = 0; i < 10; ++i) {
      const float middle = (static_cast<float>(code) + 0.5f) / most;
      float v = std::bit_cast<float>(std::bit_cast<uint32_t>(middle) + i / 2 - 2);
      if (i % 2) v = -v;
      const float cut = v > rule.low ? v < 1 ? v : 1.0f : rule.low;
      const uint32_t counted = std::bit_cast<uint32_t>(std::fma(cut * rule.product, rule.power, 0x1.8p23f));
      uint32_t expected = 0;
      const format::Texel texel = {{std::bit_cast<uint32_t>(v), 0, 0, 0}};
      view_.encode(&texel, reinterpret_cast<std::byte*>(&expected), 1);
      const uint32_t mask = rule.second ? 0xFF : (1u << 8 * bytes) - 1;
      ASSERT_EQ(counted & mask, expected & mask) << v;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, TexelStores,
                         ::testing::Values(VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SNORM, VK_FORMAT_R8_UINT, VK_FORMAT_R8_SINT,
                                           VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8_SNORM, VK_FORMAT_R8G8_UINT,
                                           VK_FORMAT_R16_UNORM, VK_FORMAT_R16_SNORM, VK_FORMAT_R16_UINT,
                                           VK_FORMAT_R16_SINT, VK_FORMAT_R16_SFLOAT));

}  // namespace
}  // namespace etzel::native
