// Texels that native code reads itself against those of the texture unit.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::native {
namespace {

constexpr char kFetch[] = R"(
.stage STAGE
.temps 8
.resource 0 0 0x00000000 32 1
.const 0x00000000 0x00000001 0x00000002 0x00000000
sys r0.x, #7
sys r0.y, #13
xmov r0.z, LEVEL
texture r1.x, c0.x, r0.x, -, #0x411
xmov.x4 o0.x, r1.x
ret
)";

class FetchTest : public ::testing::TestWithParam<VkFormat> {
 protected:
  FetchTest() {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D, shape.format = GetParam(), shape.extent = {45, 25, 1};
    shape.mipLevels = 3, shape.arrayLayers = 2, shape.samples = 1;
    layout_ = mem::layoutImage(shape);
    bytes_.resize(layout_.size);
    for (std::byte& b : bytes_) b = static_cast<std::byte>(random_() % 251);
    view_.layout = &layout_, view_.plane = &layout_.plane[0], view_.memory = bytes_.data();
    view_.format = GetParam(), view_.info = format::find(GetParam()), view_.decode = format::decoder(GetParam());
    view_.baseMip = 1, view_.mipCount = 2, view_.baseLayer = 1;
    context_.functions = &tex::functionTable();
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.table[0] = reinterpret_cast<const std::byte*>(&descriptor_), context_.tableBytes[0] = sizeof descriptor_;
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
    if (seed % 5 == 0) x[3] = 0x80000000u, y[5] = 0x7FFFFFFFu;
    // Neighbours: eight in a row, two quads, partly outside of the image.
    for (uint32_t l = 1; l < kWarpLanes && seed % 4; ++l) {
      if (seed % 4 == 1) x[l] = x[0] + l, y[l] = y[0];
      if (seed % 4 == 2) x[l] = x[0] + l % 2 + l / 4 * 2, y[l] = y[0] + l / 2 % 2;
    }
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
  void compare(const std::string& level) { compare(level, "vertex"), compare(level, "fragment"); }
  void compare(const std::string& level, const std::string& stage) {
    const std::unique_ptr<Compiler> jit = Compiler::create();
    if (!jit) GTEST_SKIP() << "no native code on this machine";
    std::string text = kFetch;
    text.replace(text.find("LEVEL"), 5, level), text.replace(text.find("STAGE"), 5, stage);
    auto program = isa::assemble(text);
    ASSERT_TRUE(program.ok()) << program.error().message;
    auto kernel = compiler::makeKernel(std::move(*program));
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    auto native = jit->compile(compiler::programOf(**kernel));
    ASSERT_TRUE(native.ok()) << native.error().message;
    for (uint32_t seed = 0; seed < 120; ++seed) {
      const LaneMask active = seed % 3 ? kAllLanes : 0x5D;
      EXPECT_EQ(run(**kernel, *(*kernel)->executable.load(), seed, active),
                run(**kernel, *(*native)->executable(), seed, active))
          << stage << " level " << level << " seed " << seed;
    }
  }

  std::mt19937 random_{5};
  mem::ImageLayout layout_;
  std::vector<std::byte> bytes_;
  tex::ImageView view_;
  abi::ImageDescriptor descriptor_{.view = &view_};
  abi::DispatchContext context_;
  std::byte zeros_[256] = {};
};

TEST_P(FetchTest, NativeCodeReadsWhatTheTextureUnitReads) {
  tex::prepare(view_);
  const bool direct = GetParam() != VK_FORMAT_R16G16_SFLOAT;
  ASSERT_EQ(view_.direct.format != abi::DirectTexels::Format::None, direct);
  for (const char* level : {"c0.x", "c0.y", "c0.z"}) compare(level);
}

TEST_P(FetchTest, SwizzledViewsAndNullDescriptorsAreLeftToTheTextureUnit) {
  view_.identitySwizzle = false, view_.swizzle[0] = 2, view_.swizzle[3] = 4;
  tex::prepare(view_);
  compare("c0.x");
  descriptor_.view = nullptr;
  compare("c0.x");
  context_.tableBytes[0] = 0;
  compare("c0.x");
}

INSTANTIATE_TEST_SUITE_P(Formats, FetchTest,
                         ::testing::Values(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM,
                                           VK_FORMAT_R16G16_SFLOAT));

}  // namespace
}  // namespace etzel::native
