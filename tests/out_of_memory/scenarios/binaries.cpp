// VK_KHR_pipeline_binary: what a pipeline is made of, as an object of its own and as data.
#include "icd/vulkan_newer.h"
#include "tests/out_of_memory/scenario.h"

#include "probe.comp.h"

namespace oom {
namespace {

using CreateBinaries = VkResult(VKAPI_PTR*)(VkDevice, const VkPipelineBinaryCreateInfoKHR*,
                                            const VkAllocationCallbacks*, VkPipelineBinaryHandlesInfoKHR*);
using DestroyBinary = void(VKAPI_PTR*)(VkDevice, VkPipelineBinaryKHR, const VkAllocationCallbacks*);
using GetBinaryData = VkResult(VKAPI_PTR*)(VkDevice, const VkPipelineBinaryDataInfoKHR*, VkPipelineBinaryKeyKHR*,
                                           size_t*, void*);

class PipelineBinaries : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    OOM_TRY(gpu.makeBufferLayout(1, &layout_));
    OOM_TRY(gpu.makeModule(probe_comp, &module_));
    const VkPipelineCreateFlags2CreateInfoKHR captured{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
                                                       nullptr, VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR};
    return makePipeline(gpu, &captured, module_, &pipeline_);
  }

  VkResult act(Gpu& gpu) override {
    VkPipelineBinaryKHR taken = VK_NULL_HANDLE, given = VK_NULL_HANDLE;
    VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pipeline = pipeline_;
    OOM_TRY(make(gpu, info, &taken));
    const auto read = reinterpret_cast<GetBinaryData>(gpu.find("vkGetPipelineBinaryDataKHR"));
    const VkPipelineBinaryDataInfoKHR which{VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR, nullptr, taken};
    VkPipelineBinaryKeyKHR key{VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
    size_t size = 0;
    OOM_TRY(read(gpu.device, &which, &key, &size, nullptr));
    std::vector<char> bytes(size);
    OOM_TRY(read(gpu.device, &which, &key, &size, bytes.data()));
    const VkPipelineBinaryDataKHR data{size, bytes.data()};
    const VkPipelineBinaryKeysAndDataKHR all{1, &key, &data};
    info.pipeline = VK_NULL_HANDLE;
    info.pKeysAndDataInfo = &all;
    OOM_TRY(make(gpu, info, &given));
    const VkPipelineBinaryInfoKHR from{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 1, &given};
    VkPipeline pipeline = VK_NULL_HANDLE;
    return makePipeline(gpu, &from, VK_NULL_HANDLE, &pipeline);
  }

 private:
  static VkResult make(Gpu& gpu, const VkPipelineBinaryCreateInfoKHR& info, VkPipelineBinaryKHR* out) {
    const auto create = reinterpret_cast<CreateBinaries>(gpu.find("vkCreatePipelineBinariesKHR"));
    const auto destroy = reinterpret_cast<DestroyBinary>(gpu.find("vkDestroyPipelineBinaryKHR"));
    VkPipelineBinaryHandlesInfoKHR handles{VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR, nullptr, 1, out};
    OOM_TRY(create(gpu.device, &info, gpu.callbacks, &handles));
    gpu.later([&gpu, destroy, binary = *out] { destroy(gpu.device, binary, gpu.callbacks); });
    return VK_SUCCESS;
  }
  VkResult makePipeline(Gpu& gpu, const void* next, VkShaderModule module, VkPipeline* out) const {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, next};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    OOM_TRY(gpu.vk.CreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, gpu.callbacks, out));
    gpu.later([&gpu, pipeline = *out] { gpu.vk.DestroyPipeline(gpu.device, pipeline, gpu.callbacks); });
    return VK_SUCCESS;
  }

  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace

std::vector<Entry> binaryScenarios() { return {{"pipeline binaries", makeScenario<PipelineBinaries>}}; }

}  // namespace oom
