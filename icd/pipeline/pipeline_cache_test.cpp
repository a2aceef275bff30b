// Pipeline cache data: what comes out goes in again, and damage is ignored.
#include <gtest/gtest.h>

#include "icd/device.h"
#include "icd/entry_points.h"
#include "icd/pipeline/kernel_cache.h"
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
  Device device;
};

TEST_F(PipelineCacheTest, DataRoundTripsMergesAndSurvivesDamage) {
  const VkPipelineCache a = make({});
  cast<PipelineCache>(a)->add({1, 2}, nullptr);
  cast<PipelineCache>(a)->add({3, 4}, nullptr);
  std::vector<std::byte> data = dataOf(a);
  const VkPipelineCache b = make(data);
  EXPECT_EQ(dataOf(b), data);

  const VkPipelineCache c = make({});
  ASSERT_EQ(MergePipelineCaches(vk(), c, 1, &b), VK_SUCCESS);
  EXPECT_EQ(dataOf(c), data);

  data.back() ^= std::byte(1);
  const VkPipelineCache damaged = make(data);
  EXPECT_TRUE(cast<PipelineCache>(damaged)->kernels.empty());
  for (VkPipelineCache x : {a, b, c, damaged}) DestroyPipelineCache(vk(), x, nullptr);
}

TEST_F(PipelineCacheTest, AShortBufferGetsWholeEntriesAndIncomplete) {
  const VkPipelineCache a = make({});
  cast<PipelineCache>(a)->add({1, 2}, nullptr);
  cast<PipelineCache>(a)->add({3, 4}, nullptr);
  std::vector<std::byte> data = dataOf(a);
  size_t size = data.size() - 1;
  EXPECT_EQ(GetPipelineCacheData(vk(), a, &size, data.data()), VK_INCOMPLETE);
  EXPECT_EQ(size, data.size() - sizeof(KernelKey));
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
