// Code for what is bound: runs while that is bound, and gives way to other code as soon as anything else is. What is
// looked at, and what is not.
#include "compiler/exec/native/analysis/bound.h"

#include <functional>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/test_sampling.h"

namespace etzel::native {
namespace {

using exec::test::Sampling;
using exec::test::samplingKernel;

uint32_t calls = 0;
abi::WarpStatus countCall(const void*, abi::Warp*) { return ++calls, abi::WarpStatus::Done; }
abi::WarpStatus countGroups(const void*, abi::Warp*, abi::FragmentGroups*) { return ++calls, abi::WarpStatus::Done; }

class BoundCode : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_) GTEST_SKIP() << "no native executor on this host";
    ASSERT_TRUE(kernel_);
  }
  const isa::Program& program() const { return compiler::programOf(*kernel_); }

  const std::unique_ptr<Compiler> compiler_ = Compiler::create();
  const std::shared_ptr<abi::Kernel> kernel_ = samplingKernel();
};

TEST_F(BoundCode, CodeRunsWhileTheSameKindsAreBound) {
  abi::Executable otherwise;
  otherwise.entry = countCall, otherwise.fragments = countGroups;
  const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16G16B16A16_SFLOAT};
  for (const VkFormat format : formats)
    for (const VkFilter filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR}) {
      Sampling s;
      s.bind(format, filter);
      auto code = compiler_->compileBound(program(), boundKinds(program(), s.context), otherwise);
      ASSERT_TRUE(code.ok()) << code.error().message;
      EXPECT_TRUE((*code)->save().empty());
      const abi::Executable* bound = (*code)->executable();
      ASSERT_NE(bound->fragments, nullptr);
      /// Whether the code itself runs, which it does right.
      const auto runs = [&] {
        calls = 0;
        const std::vector<uint32_t> words = s.run(*kernel_, bound);
        if (calls) return false;
        EXPECT_EQ(words, s.run(*kernel_));
        return true;
      };
      EXPECT_TRUE(runs());
      // Another image of that kind.
      s.make(format, VK_IMAGE_VIEW_TYPE_2D, {64, 32, 1}, 1, 1);
      EXPECT_TRUE(runs());
      const auto differs = [&](const char* what, const std::function<void()>& change) {
        s.bind(format, filter);
        ASSERT_TRUE(runs());
        change();
        EXPECT_FALSE(runs()) << what;
        s.descriptor = {.view = &s.view, .sampler = &s.sampler}, s.context.tableBytes[0] = sizeof s.descriptor;
      };
      for (const VkFormat other : formats)
        if (other != format) differs("the format", [&] { s.bind(other, filter); });
      differs("the filter", [&] { s.bind(format, filter == VK_FILTER_LINEAR ? VK_FILTER_NEAREST : VK_FILTER_LINEAR); });
      differs("repetition", [&] { s.bind(format, filter, VK_SAMPLER_ADDRESS_MODE_REPEAT); });
      differs("levels", [&] { s.bind(format, filter, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 3); });
      if (format != formats[2])  // its routine sees to that
        differs("components", [&] {
          s.view.identitySwizzle = false, s.view.swizzle[0] = 2;
          tex::prepare(s.view);
        });
      differs("coordinates", [&] { s.sampler.unnormalized = true, tex::prepare(s.sampler); });
      differs("no view", [&] { s.descriptor.view = nullptr; });
      differs("no sampler", [&] { s.descriptor.sampler = nullptr; });
      differs("no set", [&] { s.context.tableBytes[0] = 0; });
    }
}

TEST_F(BoundCode, WhatRunsOtherwiseMayChange) {
  Sampling s;
  abi::Executable never, otherwise;
  otherwise.entry = countCall, otherwise.fragments = countGroups;
  auto code = compiler_->compileBound(program(), boundKinds(program(), s.context), never);
  ASSERT_TRUE(code.ok()) << code.error().message;
  (*code)->setOtherwise(otherwise);
  calls = 0;
  s.run(*kernel_, (*code)->executable());
  EXPECT_EQ(calls, 0u);
  s.bind(VK_FORMAT_R16_UNORM, VK_FILTER_NEAREST);
  s.run(*kernel_, (*code)->executable());
  EXPECT_EQ(calls, 1u);
}

// Its code is short: it asks the view, whatever there is.
TEST_F(BoundCode, CodeForTheTimeBeforeIsBrief) {
  auto whole = compiler_->compile(program()), brief = compiler_->compileBriefly(program());
  ASSERT_TRUE(whole.ok() && brief.ok());
  EXPECT_LT(2 * (*brief)->save().size(), (*whole)->save().size());
}

TEST(Bound, KindsAreOfWhatIsBound) {
  const auto kernel = samplingKernel();
  ASSERT_TRUE(kernel);
  const isa::Program& program = compiler::programOf(*kernel);
  Sampling s;
  const BoundKinds first = boundKinds(program, s.context);
  ASSERT_EQ(first.views.size(), 1u);
  ASSERT_EQ(first.samplers.size(), 1u);
  EXPECT_EQ(first.views.begin()->second.format, abi::DirectView::Format::Codes);
  EXPECT_EQ(first.samplers.begin()->second.filter, abi::DirectSampler::Filter::Nearest);
  Sampling other;
  other.make(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {64, 32, 1}, 1, 1);
  EXPECT_TRUE(boundKinds(program, other.context) == first);
  other.bind(VK_FORMAT_R8G8B8A8_SRGB, VK_FILTER_NEAREST);
  EXPECT_FALSE(boundKinds(program, other.context) == first);
  s.descriptor.view = nullptr;
  EXPECT_TRUE(boundKinds(program, s.context).empty());
}

// Nobody may look at views that the program might not have looked at: they may be gone, unless the layout says else.
TEST(Bound, OnlyWhatIsReadForCertainCounts) {
  const std::pair<const char*, const char*> programs[] = {
      {"", "1"},
      {"if r0.x\nxmov r1.x, c0.y\nendif\n", "1"},
      {"block\nbrc r0.x, #0\nxmov r1.x, c0.y\nendblock\n", "1"},
      {"demote\n", "1"},
      {"if r0.x\n", "0endif\n"},
      {"block\nbrc r0.x, #0\n", "0endblock\n"},
      {"if r0.x\nkill\nendif\n", "0"},
      {"if r0.x\nret\nendif\n", "0"},
  };
  for (const auto& [before, counts] : programs) {
    const auto kernel = samplingKernel(before, counts + 1);
    ASSERT_TRUE(kernel) << before;
    isa::Program program = compiler::programOf(*kernel);
    EXPECT_EQ(readsBound(program), counts[0] == '1') << before;
    ASSERT_EQ(program.resources.size(), 1u);
    program.resources[0].certain = true;
    EXPECT_TRUE(readsBound(program)) << before;
  }
}

}  // namespace
}  // namespace etzel::native
