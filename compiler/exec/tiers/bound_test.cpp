// Kernels that are very hot get code for what is bound, and keep to it or not as that changes.
#include <chrono>
#include <thread>

#include "compiler/exec/test/test_sampling.h"
#include "compiler/exec/tiers/tiers.h"

namespace etzel::tiers {
namespace {

using exec::test::Sampling;
using exec::test::samplingKernel;

class BoundKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!native::Compiler::create()) GTEST_SKIP() << "no native executor on this host";
    tiers_.retain();
  }
  void TearDown() override {
    if (!IsSkipped()) tiers_.release();
  }
  std::shared_ptr<abi::Kernel> optimized(Bound bound) {
    const auto kernel = samplingKernel();
    Hints hints;
    hints.bound = bound;
    tiers_.watch(kernel, Policy::AtOnce, std::move(hints));
    return kernel;
  }
  /// Whether the kernel gives what the same without code does, whatever is bound.
  void expectSame(const abi::Kernel& kernel, Sampling& scene) {
    static const std::shared_ptr<abi::Kernel> interpreted = samplingKernel();
    EXPECT_EQ(scene.run(kernel), scene.run(*interpreted));
  }

  Tiers& tiers_ = Tiers::process();
};

TEST_F(BoundKernels, TheVeryHotGetCodeForWhatIsBound) {
  const auto kernel = optimized(Bound::WhenVeryHot);
  const abi::Executable* general = kernel->executable.load();
  Sampling scene;
  scene.run(*kernel);
  const uint64_t wait = kernel->lookWarps;
  ASSERT_LT(wait, ~uint64_t{0});
  kernel->countWarps(wait - 1);
  scene.run(*kernel);
  EXPECT_EQ(kernel->lookWarps, wait);  // not yet
  kernel->countWarps(1);
  scene.run(*kernel);
  for (int i = 0; i < 20'000 && kernel->executable.load() == general; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_NE(kernel->executable.load(), general);
  EXPECT_GT(kernel->lookWarps, wait);
  EXPECT_EQ(Tiers::optimizedCode(*kernel)->executable(), general);  // what caches keep
  expectSame(*kernel, scene);
  scene.bind(VK_FORMAT_R8G8B8A8_SRGB, VK_FILTER_LINEAR);
  expectSame(*kernel, scene);
}

TEST_F(BoundKernels, OfKindsThatKeepChangingTheFirstHaveCode) {
  const auto kernel = optimized(Bound::AtOnce);
  Sampling scene;
  const abi::Executable* last = kernel->executable.load();
  const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16_UNORM,
                              VK_FORMAT_R32_SFLOAT};
  for (uint32_t i = 0; i < 2 * std::size(formats); ++i) {
    scene.bind(formats[i % std::size(formats)], VK_FILTER_NEAREST);
    expectSame(*kernel, scene);
    EXPECT_EQ(kernel->executable.load() != last, i < kMostBound) << i;
    last = kernel->executable.load();
    scene.run(*kernel);
    EXPECT_EQ(kernel->executable.load(), last);  // the same kinds again
  }
  EXPECT_EQ(kernel->lookWarps, ~uint64_t{0});
}

// What came before that was brief, so the third kinds have the whole general code made, which the other two call then.
TEST_F(BoundKernels, OfTheVeryHotThatKeepChangingOthersHaveTheWholeCode) {
  const auto kernel = samplingKernel();
  tiers_.watch(kernel, Policy::WhenHot, {});
  const auto waitFor = [](const auto& happened) {
    for (int i = 0; i < 20'000 && !happened(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return happened();
  };
  kernel->countWarps(kernel->hotWarps);
  ASSERT_TRUE(waitFor([&] { return Tiers::optimizedCode(*kernel) && kernel->lookWarps != ~uint64_t{0}; }));
  const exec::MachineCode* const brief = Tiers::optimizedCode(*kernel);
  Sampling scene;
  const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16_UNORM,
                              VK_FORMAT_R32_SFLOAT};
  const auto expectAllSame = [&] {
    for (const VkFormat f : formats) scene.bind(f, VK_FILTER_LINEAR), expectSame(*kernel, scene);
  };
  for (uint32_t i = 0; i < 3; ++i) {
    const abi::Executable* const before = kernel->executable.load();
    const uint64_t looks = kernel->lookWarps;
    ASSERT_LT(looks, ~uint64_t{0});
    scene.bind(formats[i], VK_FILTER_LINEAR);
    kernel->countWarps(looks - kernel->warpsRun);
    scene.run(*kernel);
    const auto made = [&] { return kernel->executable.load() != before || Tiers::optimizedCode(*kernel) != brief; };
    ASSERT_TRUE(waitFor(made)) << i;
    EXPECT_EQ(kernel->executable.load() == before, i == 2) << i;
    EXPECT_EQ(Tiers::optimizedCode(*kernel) == brief, i < 2) << i;
    expectAllSame();
  }
  EXPECT_EQ(kernel->lookWarps, ~uint64_t{0});
  EXPECT_LT(2 * brief->save().size(), Tiers::optimizedCode(*kernel)->save().size());
}

TEST_F(BoundKernels, NobodyLooksWhereThatIsTurnedOff) {
  const auto kernel = optimized(Bound::Never);
  const abi::Executable* general = kernel->executable.load();
  Sampling scene;
  kernel->countWarps(uint64_t{1} << 40);
  expectSame(*kernel, scene);
  EXPECT_EQ(kernel->executable.load(), general);
  EXPECT_EQ(kernel->lookWarps, ~uint64_t{0});
}

TEST_F(BoundKernels, StagesOfVerticesAreLeftAlone) {
  auto program = isa::assemble(".stage vertex\n.temps 8\n.const 0 0 0 0\ntexture r2.x, c0.x, r0.x, c0.x, #" +
                               std::to_string(abi::TexInst{}.pack()) + "\nxmov.x4 o0.x, r2.x\nret\n");
  ASSERT_TRUE(program.ok()) << program.error().message;
  auto kernel = compiler::makeKernel(std::move(*program));
  ASSERT_TRUE(kernel.ok());
  tiers_.watch(*kernel, Policy::AtOnce);
  EXPECT_EQ((*kernel)->lookWarps, ~uint64_t{0});
}

}  // namespace
}  // namespace etzel::tiers
