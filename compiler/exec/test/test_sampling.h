// A fragment kernel that samples an image, and what is bound to it, for tests of code that is made for that.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/isa/assemble.h"
#include "runtime/tex/test_scene.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::exec::test {

/// `before` and `after`: what stands around the instruction that samples r0.xy to r2.
inline std::shared_ptr<abi::Kernel> samplingKernel(const std::string& before = "", const std::string& after = "") {
  auto program = isa::assemble(R"(
.stage fragment
.temps 8
.resource 0 0 0x00000000 32 1
.const 0x00000000 0x00000001 0x00000002 0x00000003
sys r0.x, #7
sys r0.y, #13
xmov.x4 r2.x, c0.x
)" + before + "texture r2.x, c0.x, r0.x, c0.x, #" +
                               std::to_string(abi::TexInst{}.pack()) + "\n" + after + "xmov.x4 o1.x, r2.x\nret\n");
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return nullptr;
  auto kernel = compiler::makeKernel(std::move(*program));
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return kernel.ok() ? *kernel : nullptr;
}

struct Sampling : tex::test::Scene {
  Sampling() {
    context.functions = &tex::functionTable();
    context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = sizeof zeros;
    bind(VK_FORMAT_R8G8B8A8_UNORM, VK_FILTER_NEAREST);
  }

  void bind(VkFormat format, VkFilter filter, VkSamplerAddressMode mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
            uint32_t mips = 1) {
    make(format, VK_IMAGE_VIEW_TYPE_2D, {13, 9, 1}, mips, 1);
    sampler = {};
    sampler.magFilter = sampler.minFilter = filter;
    for (VkSamplerAddressMode& m : sampler.address) m = mode;
    tex::prepare(sampler);
  }

  /// The colours of eight places in and around the image. `executable` null: the kernel chooses.
  std::vector<uint32_t> run(const abi::Kernel& kernel, const abi::Executable* executable = nullptr) {
    std::vector<LaneWords> out(abi::kRecordWords), registers(kernel.registerWords + 1);
    std::vector<LaneWords> state(kernel.stateBytes / sizeof(LaneWords) + 2);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      sys[uint32_t(abi::SysValue::PrimitiveId)][l] = std::bit_cast<uint32_t>(0.17f * static_cast<float>(l) - 0.1f);
      sys[uint32_t(abi::SysValue::Layer)][l] = std::bit_cast<uint32_t>(1.1f - 0.15f * static_cast<float>(l));
    }
    warp.kernel = &kernel, warp.executable = executable, warp.active = kAllLanes, warp.killed = 0, warp.resume = 0;
    warp.out = out.data(), warp.registers = registers.data(), warp.executorState = state.data();
    EXPECT_EQ(kernel.run(&warp), abi::WarpStatus::Done);
    std::vector<uint32_t> words;
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l) words.push_back(out[abi::kFragOutColor + c][l]);
    return words;
  }

  const std::byte zeros[abi::kNullBytes] = {};
};

}  // namespace etzel::exec::test
