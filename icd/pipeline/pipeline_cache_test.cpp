// Pipeline cache data: what comes out goes in again, and damage is ignored.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/pipeline/cache_data.h"
#include "icd/pipeline/checksum.h"
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
  /// Forgers do that too.
  static void fixChecksum(std::vector<std::byte>& data) {
    CacheDataHeader header;
    std::memcpy(&header, data.data(), sizeof header);
    header.checksum = checksumOf(std::span(data).subspan(sizeof header, header.entryBytes));
    std::memcpy(data.data(), &header, sizeof header);
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

// What a blob that looks right brings along runs only where this user's drivers sealed it.
TEST_F(PipelineCacheTest, CodeWithoutItsSealDoesNotRun) {
  char path[] = "/tmp/etzel-icd-test-XXXXXX";
  const std::filesystem::path folder = mkdtemp(path);
  const auto isOptimized = [&](const std::vector<std::byte>& data, const KernelKey& key) {
    PipelineCache cache;
    DiskCache disk(folder);
    loadData(cache, data, &disk);
    const auto kernel = cache.find(key);
    return kernel && tiers::Tiers::optimizedCode(*kernel);
  };
  const auto hot = kernel(7);
  tiers::Tiers::process().watch(hot, tiers::Policy::AtOnce);
  const exec::MachineCode* code = tiers::Tiers::optimizedCode(*hot);
  if (!code) GTEST_SKIP() << "no native executor on this host";
  PipelineCache cache;
  cache.add({1, 2}, hot);
  cache.add({3, 4}, kernel(8));
  DiskCache disk(folder);
  const std::vector<std::byte> data = saveData(cache, SIZE_MAX, &disk).bytes;
  EXPECT_TRUE(isOptimized(data, {1, 2}));
  EXPECT_FALSE(isOptimized(data, {3, 4}));

  // Room for the programs alone: the code stays behind, no program does.
  const CacheData small = saveData(cache, data.size() - 1, &disk);
  EXPECT_TRUE(small.isWhole);
  EXPECT_FALSE(isOptimized(small.bytes, {1, 2}));
  EXPECT_EQ(saveData(cache, SIZE_MAX, nullptr).bytes, small.bytes);  // without a secret

  // Other code under the same seal, with a checksum that fits: the program is taken, the code is not.
  const std::vector<std::byte> saved = code->save();
  std::vector<std::byte> forged = data;
  const auto at = std::search(forged.begin(), forged.end(), saved.begin(), saved.end());
  ASSERT_NE(at, forged.end());
  *(at + static_cast<ptrdiff_t>(saved.size()) / 2) ^= std::byte(1);
  fixChecksum(forged);
  PipelineCache taken;
  loadData(taken, forged, &disk);
  EXPECT_EQ(taken.kernels.size(), 2u);
  EXPECT_FALSE(isOptimized(forged, {1, 2}));
  // Another key for the same program and code.
  forged = data;
  const KernelKey key{1, 2}, other{1, 3};
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  const auto place = std::search(forged.begin(), forged.end(), bytes, bytes + sizeof key);
  ASSERT_NE(place, forged.end());
  std::memcpy(&*place, other.data(), sizeof other);
  fixChecksum(forged);
  EXPECT_FALSE(isOptimized(forged, other));
  // Another user.
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(isOptimized(data, {1, 2}));
  std::filesystem::remove_all(folder);
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
  EXPECT_TRUE(changed([](auto& o) { o.viewIndexFromDevice = true; }));
  EXPECT_TRUE(changed([](auto& o) { o.specialization[0] = {1}; }));
  EXPECT_TRUE(changed([](auto& o) { o.bindings[{0, 0}].byteOffset = 32; }));
  EXPECT_TRUE(changed([](auto& o) { o.bindings[{0, 0}].holds = compiler::SlotHolds::Images; }));
  EXPECT_TRUE(changed([&](auto& o) { o.spirv = std::span(words).first(2); }));
}

}  // namespace
}  // namespace etzel::icd
