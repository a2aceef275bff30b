// VK_KHR_pipeline_binary: a pipeline's binaries as data, and pipelines of them without a shader module.
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/gpu.h"
#include "cts-subset/support/pipeline_flags.h"

namespace etzel::cts {
namespace {

// Not all headers have them.
VK_DEFINE_NON_DISPATCHABLE_HANDLE(Binary)
constexpr VkStructureType type(int number) { return VkStructureType(1000483000 + number); }
struct Key {
  VkStructureType sType = type(3);
  void* next = nullptr;
  uint32_t size = 0;
  uint8_t bytes[32] = {};
  bool operator==(const Key& other) const { return size == other.size && !memcmp(bytes, other.bytes, size); }
};
struct Data {
  size_t size;
  void* bytes;
};
struct KeysAndData {
  uint32_t count;
  const Key* keys;
  const Data* data;
};
struct CreateInfo {
  VkStructureType sType = type(1);
  const void* next = nullptr;
  const KeysAndData* from = nullptr;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const void* info = nullptr;
};
struct Handles {
  VkStructureType sType = type(9);
  const void* next = nullptr;
  uint32_t count = 0;
  Binary* handles = nullptr;
};
struct DataInfo {
  VkStructureType sType = type(6);
  void* next = nullptr;
  Binary binary = VK_NULL_HANDLE;
};
struct PipelineInfo {
  VkStructureType sType = type(7);
  const void* next = nullptr;
};
struct BinaryInfo {
  VkStructureType sType = type(2);
  const void* next = nullptr;
  uint32_t count = 0;
  const Binary* binaries = nullptr;
};
class Binaries {
 public:
  explicit Binaries(Gpu& device) : gpu(device) {
    gpu.requireExtension("VK_KHR_pipeline_binary");
    out = gpu.buffer(64);
    set = gpu.set({storage(out)}, 0);
    entry = {0, 0, 4};
    specialization = {1, &entry, 4, &factor};
  }
  /// A pipeline of a shader that multiplies by `factor`, or of binaries alone.
  VkPipeline pipeline(const BinaryInfo* from = nullptr) {
    VkComputePipelineCreateInfo info = createInfo(from == nullptr);
    const PipelineFlags capture(kCapturesData);
    if (from)
      info.pNext = from;
    else
      info.pNext = &capture;
    return gpu.make(info);
  }
  VkComputePipelineCreateInfo createInfo(bool withModule) {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = set.pipeline;
    if (withModule)
      info.stage.module =
          gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT,
                     "#version 450\nlayout(local_size_x=16) in;\nlayout(constant_id=0) const uint f = 1;\n"
                     "layout(binding=0) buffer R { uint r[]; };\n"
                     "void main() { uint i = gl_LocalInvocationIndex; r[i] = i * f + 7; }\n");
    return info;
  }
  Key keyOf() {
    const VkComputePipelineCreateInfo info = createInfo(true);
    const PipelineInfo about{.next = &info};
    Key key;
    CTS_VK(gpu.proc<VkResult(VKAPI_PTR*)(VkDevice, const PipelineInfo*, Key*)>("vkGetPipelineKeyKHR")(gpu.device,
                                                                                                      &about, &key));
    return key;
  }
  std::vector<Binary> create(const CreateInfo& info) {
    const auto call =
        gpu.proc<VkResult(VKAPI_PTR*)(VkDevice, const CreateInfo*, const VkAllocationCallbacks*, Handles*)>(
            "vkCreatePipelineBinariesKHR");
    Handles handles;
    CTS_VK(call(gpu.device, &info, nullptr, &handles));
    std::vector<Binary> all(handles.count);
    handles.handles = all.data();
    CTS_VK(call(gpu.device, &info, nullptr, &handles));
    const auto destroy =
        gpu.proc<void(VKAPI_PTR*)(VkDevice, Binary, const VkAllocationCallbacks*)>("vkDestroyPipelineBinaryKHR");
    for (const Binary b : all) gpu.later([b, destroy, &g = gpu] { destroy(g.device, b, nullptr); });
    return all;
  }
  /// A binary's key and data; half of the room that they need is too little.
  std::pair<Key, std::vector<uint8_t>> dataOf(Binary binary) {
    const auto call =
        gpu.proc<VkResult(VKAPI_PTR*)(VkDevice, const DataInfo*, Key*, size_t*, void*)>("vkGetPipelineBinaryDataKHR");
    const DataInfo info{.binary = binary};
    Key key;
    size_t size = 0;
    CTS_VK(call(gpu.device, &info, &key, &size, nullptr));
    EXPECT_GT(key.size, 0u);
    std::vector<uint8_t> data(size);
    size_t half = size / 2;
    EXPECT_EQ(call(gpu.device, &info, &key, &half, data.data()), VkResult(-1000483000));  // NOT_ENOUGH_SPACE
    EXPECT_EQ(half, size);
    CTS_VK(call(gpu.device, &info, &key, &size, data.data()));
    return {key, data};
  }
  void run(VkPipeline pipeline) {
    memset(out.data, 0, 64);
    gpu.submit([&](VkCommandBuffer cmd) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, set.pipeline, 0, 1, &set.set, 0, nullptr);
      vkCmdDispatch(cmd, 1, 1, 1);
    });
    for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * factor + 7);
  }

  Gpu& gpu;
  uint32_t factor = 3;
  VkSpecializationMapEntry entry{};
  VkSpecializationInfo specialization{};
  Buffer out;
  Gpu::Set set;
};

void roundTripCase(Gpu& gpu) {
  Binaries b(gpu);
  for (const uint32_t factor : {3u, 11u}) {
    b.factor = factor;
    const std::vector<Binary> captured = b.create({.pipeline = b.pipeline()});
    ASSERT_FALSE(captured.empty());
    const BinaryInfo same{.count = uint32_t(captured.size()), .binaries = captured.data()};
    b.run(b.pipeline(&same));
    std::vector<Key> keys;
    std::vector<std::vector<uint8_t>> bytes;
    std::vector<Data> data;
    for (const Binary binary : captured) {
      auto [key, part] = b.dataOf(binary);
      keys.push_back(key);
      bytes.push_back(std::move(part));
    }
    for (std::vector<uint8_t>& part : bytes) data.push_back({part.size(), part.data()});
    const KeysAndData from{uint32_t(keys.size()), keys.data(), data.data()};
    const std::vector<Binary> read = b.create({.from = &from});
    ASSERT_EQ(read.size(), captured.size());
    const BinaryInfo loaded{.count = uint32_t(read.size()), .binaries = read.data()};
    b.run(b.pipeline(&loaded));
    for (size_t i = 0; i < read.size(); ++i) {
      EXPECT_TRUE(b.dataOf(read[i]).first == keys[i]);
      EXPECT_EQ(b.dataOf(read[i]).second, bytes[i]);
    }
  }
}

void keysCase(Gpu& gpu) {
  Binaries b(gpu);
  const Key first = b.keyOf();
  EXPECT_GT(first.size, 0u);
  EXPECT_TRUE(b.keyOf() == first) << "the same pipeline";
  b.factor = 5;
  EXPECT_FALSE(b.keyOf() == first) << "another specialization";
}

}  // namespace

void registerPipelineBinaries() {
  add("pipeline_binary.round_trip", roundTripCase);
  add("pipeline_binary.keys", keysCase);
}

}  // namespace etzel::cts
