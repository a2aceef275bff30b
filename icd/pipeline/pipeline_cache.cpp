// VkPipelineCache objects ("Pipeline Cache"). What their data hold: cache_data.h.
#include <algorithm>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/pipeline/cache_data.h"

namespace etzel::icd {

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkPipelineCache* pCache) {
  return createObject<PipelineCache>(handle, pAllocator, pCache, "a pipeline cache", [&](PipelineCache& cache) {
    if (pCreateInfo->initialDataSize)
      loadData(cache, {static_cast<const std::byte*>(pCreateInfo->pInitialData), pCreateInfo->initialDataSize},
               DiskCache::process());
  });
}

ETZEL_DESTROY(PipelineCache)

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache handle, size_t* pDataSize, void* pData) {
  PipelineCache& cache = *cast<PipelineCache>(handle);
  std::lock_guard lock(cache.mutex);
  // A buffer that is too small gets what fits whole, and nothing when not even the header does.
  const CacheData data = saveData(cache, pData ? *pDataSize : SIZE_MAX, DiskCache::process());
  *pDataSize = data.bytes.size();
  if (pData) std::copy(data.bytes.begin(), data.bytes.end(), static_cast<std::byte*>(pData));
  return data.isWhole ? VK_SUCCESS : VK_INCOMPLETE;
}

VKAPI_ATTR VkResult VKAPI_CALL MergePipelineCaches(VkDevice, VkPipelineCache target, uint32_t count,
                                                   const VkPipelineCache* pSources) {
  PipelineCache& to = *cast<PipelineCache>(target);
  for (uint32_t i = 0; i < count; ++i) {
    PipelineCache& from = *cast<PipelineCache>(pSources[i]);
    std::map<KernelKey, std::shared_ptr<abi::Kernel>> copy;
    {
      std::lock_guard lock(from.mutex);
      copy = from.kernels;
    }
    std::lock_guard lock(to.mutex);
    for (auto& [key, kernel] : copy) {
      auto& slot = to.kernels[key];
      if (!slot) slot = std::move(kernel);
    }
  }
  return VK_SUCCESS;
}

}  // namespace etzel::icd
