// VkPipelineCache objects and their data ("Pipeline Cache"). Data is the standard header and the keys of the kernels,
// whose code comes from the process's cache; anything that does not check out is ignored, as the specification asks.
#include <algorithm>
#include <cstring>

#include "icd/device.h"
#include "icd/device/host.h"
#include "icd/entry_points.h"
#include "icd/error.h"
#include "icd/pipeline/kernel_cache.h"

namespace etzel::icd {
namespace {

struct Header {
  VkPipelineCacheHeaderVersionOne standard;
  uint32_t entryCount;
  uint32_t reserved;  ///< 0: no padding, whose bytes would be anybody's
  uint64_t checksum;  ///< of the entries
};

VkPipelineCacheHeaderVersionOne standardHeader() {
  VkPhysicalDeviceProperties p;
  GetPhysicalDeviceProperties(VK_NULL_HANDLE, &p);
  VkPipelineCacheHeaderVersionOne h{};
  h.headerSize = sizeof h;
  h.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  h.vendorID = p.vendorID;
  h.deviceID = p.deviceID;
  std::memcpy(h.pipelineCacheUUID, p.pipelineCacheUUID, VK_UUID_SIZE);
  return h;
}

uint64_t checksum(const KernelKey* keys, size_t count) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < count; ++i)
    for (uint64_t w : keys[i]) h = (h ^ w) * 0x100000001b3ull;
  return h;
}

void load(PipelineCache& cache, const void* data, size_t bytes) {
  Header header;
  if (bytes < sizeof header) return;
  std::memcpy(&header, data, sizeof header);
  const VkPipelineCacheHeaderVersionOne want = standardHeader();
  if (std::memcmp(&header.standard, &want, sizeof want) != 0) return;
  if ((bytes - sizeof header) / sizeof(KernelKey) < header.entryCount) return;
  std::vector<KernelKey> keys(header.entryCount);
  std::memcpy(keys.data(), static_cast<const std::byte*>(data) + sizeof header, keys.size() * sizeof(KernelKey));
  if (checksum(keys.data(), keys.size()) != header.checksum) return;
  for (const KernelKey& key : keys) cache.kernels[key] = findKernel(key);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkPipelineCache* pCache) {
  Device* device = cast<Device>(handle);
  auto* cache = create<PipelineCache>(pick(device, pAllocator), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  if (!cache) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a pipeline cache");
  if (pCreateInfo->initialDataSize) load(*cache, pCreateInfo->pInitialData, pCreateInfo->initialDataSize);
  *pCache = handleOf(cache);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineCache(VkDevice device, VkPipelineCache cache,
                                                const VkAllocationCallbacks* pAllocator) {
  destroy(pick(cast<Device>(device), pAllocator), cast<PipelineCache>(cache));
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache handle, size_t* pDataSize, void* pData) {
  PipelineCache& cache = *cast<PipelineCache>(handle);
  std::lock_guard lock(cache.mutex);
  const size_t all = sizeof(Header) + cache.kernels.size() * sizeof(KernelKey);
  if (!pData) {
    *pDataSize = all;
    return VK_SUCCESS;
  }
  // A buffer that is too small gets what fits whole, and nothing when not even the header does.
  if (*pDataSize < sizeof(Header)) {
    *pDataSize = 0;
    return VK_INCOMPLETE;
  }
  const size_t count = std::min(cache.kernels.size(), (*pDataSize - sizeof(Header)) / sizeof(KernelKey));
  std::vector<KernelKey> keys;
  for (auto it = cache.kernels.begin(); keys.size() < count; ++it) keys.push_back(it->first);
  const Header header{standardHeader(), uint32_t(count), 0, checksum(keys.data(), count)};
  std::memcpy(pData, &header, sizeof header);
  std::memcpy(static_cast<std::byte*>(pData) + sizeof header, keys.data(), count * sizeof(KernelKey));
  *pDataSize = sizeof header + count * sizeof(KernelKey);
  return count < cache.kernels.size() ? VK_INCOMPLETE : VK_SUCCESS;
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
