#include "icd/pipeline/pipeline_binary.h"

#include <algorithm>
#include <cstring>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/host.h"
#include "icd/pipeline/cache_data.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

template <class Bytes>
void giveKey(const Bytes& bytes, VkPipelineBinaryKeyKHR& out) {
  static_assert(sizeof bytes <= sizeof out.key);
  out.keySize = sizeof bytes;
  std::memcpy(out.key, &bytes, sizeof bytes);
}

/// How many binaries binariesOf() makes.
uint32_t binaryCount(const Pipeline& pipeline) {
  return uint32_t(
      std::count_if(std::begin(pipeline.kernel), std::end(pipeline.kernel), [](auto& k) { return k != nullptr; }));
}

/// What a pipeline has; its binaries hold the data that its kernels have now.
std::vector<PipelineBinary> binariesOf(const Pipeline& pipeline) {
  std::vector<PipelineBinary> all;
  for (size_t i = 0; i < std::size(pipeline.kernel); ++i) {
    if (!pipeline.kernel[i]) continue;
    PipelineCache one;
    one.add(pipeline.key[i], pipeline.kernel[i]);
    PipelineBinary& b = all.emplace_back();
    b.key = pipeline.key[i];
    b.kernel = pipeline.kernel[i];
    b.data = saveData(one, SIZE_MAX, DiskCache::process()).bytes;
  }
  return all;
}

/// False: they are not data of a binary with that key, of this build.
bool read(const VkPipelineBinaryKeyKHR& key, const VkPipelineBinaryDataKHR& data, PipelineBinary& out) {
  const std::span bytes(static_cast<const std::byte*>(data.pData), data.dataSize);
  PipelineCache one;
  loadData(one, bytes, DiskCache::process());
  if (one.kernels.size() != 1) return false;
  out.key = one.kernels.begin()->first;
  out.kernel = one.kernels.begin()->second;
  out.data.assign(bytes.begin(), bytes.end());
  return key.keySize == sizeof out.key && std::memcmp(key.key, &out.key, sizeof out.key) == 0;
}

VkResult collect(const VkPipelineBinaryCreateInfoKHR& info, std::vector<PipelineBinary>& all) {
  if (info.pipeline) {
    all = binariesOf(*cast<Pipeline>(info.pipeline));
    return VK_SUCCESS;
  }
  // pipelineBinaryInternalCache is not offered.
  if (!info.pKeysAndDataInfo) return VK_PIPELINE_BINARY_MISSING_KHR;
  const VkPipelineBinaryKeysAndDataKHR& from = *info.pKeysAndDataInfo;
  all.resize(from.binaryCount);
  for (uint32_t i = 0; i < from.binaryCount; ++i)
    if (!read(from.pPipelineBinaryKeys[i], from.pPipelineBinaryData[i], all[i]))
      return ETZEL_FAIL(VK_ERROR_INITIALIZATION_FAILED, "pipeline binary %u is damaged, or not of this driver", i);
  return VK_SUCCESS;
}

/// A hash over the kernels that a pipeline of these stages would have.
ModuleId hashOf(const std::vector<KernelKey>& keys) {
  std::vector<uint32_t> words(keys.size() * sizeof(KernelKey) / 4);
  if (!keys.empty() && !mutated(Mutant::PipelineKey)) std::memcpy(words.data(), keys.data(), words.size() * 4);
  return moduleIdOf(words);
}

const PipelineLayoutData* layoutOf(VkPipelineLayout layout) {
  return layout ? cast<PipelineLayout>(layout)->data.get() : nullptr;
}

}  // namespace

bool stageFromBinary(const void* chain, VkShaderStageFlagBits stage, StageResult& out) {
  const auto* info = findNext<VkPipelineBinaryInfoKHR>(chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
  for (uint32_t i = 0; info && i < info->binaryCount; ++i) {
    const PipelineBinary& binary = *cast<PipelineBinary>(info->pPipelineBinaries[i]);
    if (binary.kernel->info.stage != stageOf(stage)) continue;
    out.kernel = binary.kernel;
    out.key = binary.key;
    return true;
  }
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineBinaries(VkDevice device, const VkPipelineBinaryCreateInfoKHR* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkPipelineBinaryHandlesInfoKHR* pBinaries) {
  VkPipelineBinaryKHR* const out = pBinaries->pPipelineBinaries;
  if (!out && pCreateInfo->pipeline) {
    pBinaries->pipelineBinaryCount = binaryCount(*cast<Pipeline>(pCreateInfo->pipeline));
    return VK_SUCCESS;
  }
  std::vector<PipelineBinary> all;
  VkResult r = collect(*pCreateInfo, all);
  if (!out) {
    pBinaries->pipelineBinaryCount = static_cast<uint32_t>(all.size());
    return r;
  }
  const auto count = std::min(pBinaries->pipelineBinaryCount, static_cast<uint32_t>(all.size()));
  std::fill_n(out, pBinaries->pipelineBinaryCount, VkPipelineBinaryKHR(VK_NULL_HANDLE));
  for (uint32_t i = 0; i < count && r == VK_SUCCESS; ++i)
    r = createObject<PipelineBinary>(device, pAllocator, &out[i], "a pipeline binary", [&](PipelineBinary& binary) {
      binary.key = all[i].key;
      binary.kernel = std::move(all[i].kernel);
      binary.data = std::move(all[i].data);
    });
  if (r < 0) {
    for (uint32_t i = 0; i < count; ++i) {
      DestroyPipelineBinary(device, out[i], pAllocator);
      out[i] = VK_NULL_HANDLE;
    }
    return r;
  }
  pBinaries->pipelineBinaryCount = count;
  return r == VK_SUCCESS && count < all.size() ? VK_INCOMPLETE : r;
}

ETZEL_DESTROY(PipelineBinary)

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineKey(VkDevice, const VkPipelineCreateInfoKHR* pCreateInfo,
                                              VkPipelineBinaryKeyKHR* pKey) {
  if (!pCreateInfo) {  // the key of the driver: data of another build are of no use
    giveKey(host().buildUuid, *pKey);
    return VK_SUCCESS;
  }
  std::vector<KernelKey> keys;
  const auto addStage = [&](const auto& info, const VkPipelineShaderStageCreateInfo& stage) {
    const VkPipelineCreateFlags2 flags = pipelineFlags(info.pNext, info.flags);
    if (const auto key = keyOfStage(stage, flags, layoutOf(info.layout))) keys.push_back(*key);
  };
  if (const auto* compute =
          findNext<VkComputePipelineCreateInfo>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO))
    addStage(*compute, compute->stage);
  if (const auto* graphics =
          findNext<VkGraphicsPipelineCreateInfo>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO))
    for (uint32_t i = 0; graphics->pStages && i < graphics->stageCount; ++i) addStage(*graphics, graphics->pStages[i]);
  giveKey(hashOf(keys), *pKey);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineBinaryData(VkDevice, const VkPipelineBinaryDataInfoKHR* pInfo,
                                                     VkPipelineBinaryKeyKHR* pKey, size_t* pSize, void* pData) {
  const PipelineBinary& binary = *cast<PipelineBinary>(pInfo->pipelineBinary);
  giveKey(binary.key, *pKey);
  const size_t room = *pSize;
  *pSize = binary.data.size();
  if (!pData) return VK_SUCCESS;
  if (room < binary.data.size()) return VK_ERROR_NOT_ENOUGH_SPACE_KHR;  // an answer, not a failure
  std::memcpy(pData, binary.data.data(), binary.data.size());
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL ReleaseCapturedPipelineData(VkDevice, const VkReleaseCapturedPipelineDataInfoKHR*,
                                                           const VkAllocationCallbacks*) {
  return VK_SUCCESS;  // pipelines keep nothing for it
}

}  // namespace etzel::icd
