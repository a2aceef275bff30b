// Pipeline binaries: their data come back as the same kernel, and data that are not a binary's are refused.
#include "icd/pipeline/pipeline_binary.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/pipeline/disk_cache.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

class PipelineBinaryTest : public testing::Test {
 protected:
  PipelineBinaryTest() {
    isa::Program program;
    isa::Builder(program).imm(7);
    program.groups.clear();
    constexpr size_t compute = static_cast<size_t>(abi::Stage::Compute);
    pipeline.kernel[compute] = *compiler::makeKernel(std::move(program));
    pipeline.key[compute] = {1, 2};
    const VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR, nullptr, nullptr,
                                             handleOf(&pipeline), nullptr};
    EXPECT_EQ(create(info, captured), VK_SUCCESS);
    size_t size = 0;
    const VkPipelineBinaryDataInfoKHR about{VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR, nullptr, captured};
    EXPECT_EQ(GetPipelineBinaryData(vk(), &about, &key, &size, nullptr), VK_SUCCESS);
    data.resize(size);
    EXPECT_EQ(GetPipelineBinaryData(vk(), &about, &key, &size, data.data()), VK_SUCCESS);
  }
  ~PipelineBinaryTest() override { DestroyPipelineBinary(vk(), captured, nullptr); }

  VkDevice vk() { return handleOf(&device); }
  VkResult create(const VkPipelineBinaryCreateInfoKHR& info, VkPipelineBinaryKHR& out) {
    out = VK_NULL_HANDLE;
    VkPipelineBinaryHandlesInfoKHR handles{VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR, nullptr, 1, &out};
    return CreatePipelineBinaries(vk(), &info, nullptr, &handles);
  }
  VkResult read(const VkPipelineBinaryKeyKHR& k, std::vector<std::byte> bytes, VkPipelineBinaryKHR& out) {
    const VkPipelineBinaryDataKHR part{bytes.size(), bytes.data()};
    const VkPipelineBinaryKeysAndDataKHR from{1, &k, &part};
    const VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR, nullptr, &from,
                                             VK_NULL_HANDLE, nullptr};
    return create(info, out);
  }

  Device device;
  Pipeline pipeline;
  VkPipelineBinaryKHR captured = VK_NULL_HANDLE;
  VkPipelineBinaryKeyKHR key{VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
  std::vector<std::byte> data;
};

TEST_F(PipelineBinaryTest, DataComeBackAsTheSameKernelOfTheirStage) {
  VkPipelineBinaryKHR loaded;
  ASSERT_EQ(read(key, data, loaded), VK_SUCCESS);
  const VkPipelineBinaryInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 1, &loaded};
  StageResult stage;
  ASSERT_TRUE(stageFromBinary(&info, VK_SHADER_STAGE_COMPUTE_BIT, stage));
  EXPECT_EQ(stage.key, (KernelKey{1, 2}));
  EXPECT_EQ(isa::disassemble(compiler::programOf(*stage.kernel)),
            isa::disassemble(compiler::programOf(*cast<PipelineBinary>(captured)->kernel)));
  EXPECT_FALSE(stageFromBinary(&info, VK_SHADER_STAGE_VERTEX_BIT, stage));
  DestroyPipelineBinary(vk(), loaded, nullptr);
}

TEST_F(PipelineBinaryTest, DamagedDataAndForeignKeysAreRefused) {
  VkPipelineBinaryKHR loaded;
  for (size_t i = 0; i < data.size(); ++i) {
    std::vector<std::byte> damaged = data;
    damaged[i] ^= std::byte(0x10);
    if (read(key, damaged, loaded) == VK_SUCCESS) {
      // What is not under the checksum says nothing of the program: reserved words of the header.
      EXPECT_EQ(isa::disassemble(compiler::programOf(*cast<PipelineBinary>(loaded)->kernel)),
                isa::disassemble(compiler::programOf(*cast<PipelineBinary>(captured)->kernel)));
      DestroyPipelineBinary(vk(), loaded, nullptr);
    } else {
      EXPECT_EQ(loaded, VkPipelineBinaryKHR(VK_NULL_HANDLE));
    }
  }
  EXPECT_LT(read(key, {data.begin(), data.begin() + 10}, loaded), VK_SUCCESS);
  EXPECT_LT(read(key, {}, loaded), VK_SUCCESS);
  ++key.key[0];
  EXPECT_LT(read(key, data, loaded), VK_SUCCESS);
}

TEST_F(PipelineBinaryTest, ThereIsNoInternalCacheToAsk) {
  const VkPipelineCreateInfoKHR any{VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, nullptr};
  const VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR, nullptr, nullptr,
                                           VK_NULL_HANDLE, &any};
  VkPipelineBinaryKHR none;
  EXPECT_EQ(create(info, none), VK_PIPELINE_BINARY_MISSING_KHR);
}

}  // namespace
}  // namespace etzel::icd
