// Pipeline cache data: what comes out goes in again, and damage is ignored.
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/physical_device/build_id.h"
#include "icd/pipeline/kernel_cache.h"
#include "icd/pipeline/shader_stage.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

class PipelineCacheTest : public testing::Test {
 protected:
  VkDevice vk() { return handleOf(&device); }
  VkPipelineCache make(const std::vector<std::byte>& data) {
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, data.size(), data.data()};
    VkPipelineCache c = VK_NULL_HANDLE;
    EXPECT_EQ(CreatePipelineCache(vk(), &info, nullptr, &c), VK_SUCCESS);
    return c;
  }
  std::vector<std::byte> dataOf(VkPipelineCache c) {
    size_t size = 0;
    EXPECT_EQ(GetPipelineCacheData(vk(), c, &size, nullptr), VK_SUCCESS);
    std::vector<std::byte> data(size);
    EXPECT_EQ(GetPipelineCacheData(vk(), c, &size, data.data()), VK_SUCCESS);
    return data;
  }
  /// A program that writes `number` to a register.
  static std::shared_ptr<abi::Kernel> kernel(uint32_t number) {
    isa::Program program;
    isa::Builder(program).imm(number);
    program.groups.clear();
    auto made = compiler::makeKernel(std::move(program));
    EXPECT_TRUE(made.ok());
    return *made;
  }
  Device device;
};

TEST_F(PipelineCacheTest, DataRoundTripsMergesAndSurvivesDamage) {
  const VkPipelineCache a = make({});
  cast<PipelineCache>(a)->add({1, 2}, kernel(7));
  cast<PipelineCache>(a)->add({3, 4}, kernel(8));
  std::vector<std::byte> data = dataOf(a);
  const VkPipelineCache b = make(data);
  EXPECT_EQ(dataOf(b), data);
  const std::shared_ptr<abi::Kernel> loaded = cast<PipelineCache>(b)->find({1, 2});
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(isa::disassemble(compiler::programOf(*loaded)), isa::disassemble(compiler::programOf(*kernel(7))));

  const VkPipelineCache c = make({});
  ASSERT_EQ(MergePipelineCaches(vk(), c, 1, &b), VK_SUCCESS);
  EXPECT_EQ(dataOf(c), data);

  data.back() ^= std::byte(1);
  const VkPipelineCache damaged = make(data);
  EXPECT_TRUE(cast<PipelineCache>(damaged)->kernels.empty());
  for (VkPipelineCache x : {a, b, c, damaged}) DestroyPipelineCache(vk(), x, nullptr);
}

TEST_F(PipelineCacheTest, AForgedKeyBindsNobodyElse) {
  const KernelKey key{0x1234, 0x5678};
  const VkPipelineCache writer = make({});
  cast<PipelineCache>(writer)->add(key, kernel(7));
  const VkPipelineCache forged = make(dataOf(writer));
  EXPECT_NE(cast<PipelineCache>(forged)->find(key), nullptr);
  EXPECT_EQ(findKernel(key), nullptr);  // the process's cache, which answers for shaders without one
  for (VkPipelineCache x : {writer, forged}) DestroyPipelineCache(vk(), x, nullptr);
}

TEST_F(PipelineCacheTest, ProgramsOfAnotherStageAreNoHit) {
  const uint32_t words[] = {1, 2, 3};  // no module: compiling it is an error
  compiler::ShaderSource source;
  source.spirv = words;
  source.stage = abi::Stage::Vertex;
  PipelineCache cache;
  cache.add(keyOf(source), kernel(7));  // a compute program
  StageResult result;
  EXPECT_NE(makeKernel(source, &cache, false, result), VK_SUCCESS);
  source.stage = abi::Stage::Compute;
  cache.add(keyOf(source), kernel(7));
  EXPECT_EQ(makeKernel(source, &cache, false, result), VK_SUCCESS);
}

TEST(BuildId, IsOfTheBuildsContent) {
  // As the linker wrote it into this program.
  EXPECT_EQ(buildId(), buildId());
  VkPhysicalDeviceProperties p;
  GetPhysicalDeviceProperties(VK_NULL_HANDLE, &p);
  const auto id = buildId();
  EXPECT_EQ(std::memcmp(p.pipelineCacheUUID, id.data(), VK_UUID_SIZE), 0);
}

TEST_F(PipelineCacheTest, AShortBufferGetsWholeEntriesAndIncomplete) {
  const VkPipelineCache a = make({});
  cast<PipelineCache>(a)->add({5, 6}, kernel(7));
  cast<PipelineCache>(a)->add({7, 8}, kernel(8));
  std::vector<std::byte> data = dataOf(a);
  size_t size = data.size() - 1;
  EXPECT_EQ(GetPipelineCacheData(vk(), a, &size, data.data()), VK_INCOMPLETE);
  EXPECT_LT(size, data.size() - sizeof(KernelKey));
  data.resize(size);
  const VkPipelineCache b = make(data);
  EXPECT_EQ(cast<PipelineCache>(b)->kernels.size(), 1u);
  size = 3;
  EXPECT_EQ(GetPipelineCacheData(vk(), a, &size, data.data()), VK_INCOMPLETE);
  EXPECT_EQ(size, 0u);
  for (VkPipelineCache x : {a, b}) DestroyPipelineCache(vk(), x, nullptr);
}

TEST(KernelKey, DependsOnEverythingThatTheCompilerSees) {
  const uint32_t words[] = {1, 2, 3};
  compiler::ShaderSource s;
  s.spirv = words;
  const KernelKey plain = keyOf(s);
  EXPECT_EQ(keyOf(s), plain);
  auto changed = [&](auto change) {
    compiler::ShaderSource other = s;
    change(other);
    return keyOf(other) != plain;
  };
  EXPECT_TRUE(changed([](auto& o) { o.stage = abi::Stage::Vertex; }));
  EXPECT_TRUE(changed([](auto& o) { o.entryPoint = "other"; }));
  EXPECT_TRUE(changed([](auto& o) { o.specialization[0] = {1}; }));
  EXPECT_TRUE(changed([](auto& o) { o.bindings[{0, 0}].byteOffset = 32; }));
  EXPECT_TRUE(changed([&](auto& o) { o.spirv = std::span(words).first(2); }));
}

}  // namespace
}  // namespace etzel::icd
