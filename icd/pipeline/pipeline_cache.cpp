// VkPipelineCache objects and their data ("Pipeline Cache"): the standard header, then every kernel's key and program
// as a container (compiler/isa/container.h). Data that does not check out is ignored, as the specification asks. What
// does may still be forged, so programs from data are verified and never leave the cache that they were loaded into.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "compiler/isa/container.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/host.h"
#include "icd/pipeline/kernel_cache.h"

namespace etzel::icd {
namespace {

struct Header {
  VkPipelineCacheHeaderVersionOne standard;
  uint32_t entryCount;
  uint32_t reserved;  ///< 0: no padding, whose bytes would be anybody's
  uint64_t entryBytes;
  uint64_t checksum;  ///< of the entries
};

/// Before each program.
struct Entry {
  KernelKey key;
  uint64_t bytes;  ///< of the container that follows
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

uint64_t checksum(std::span<const std::byte> bytes) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (std::byte b : bytes) h = (h ^ static_cast<uint64_t>(b)) * 0x100000001b3ull;
  return h;
}

void load(PipelineCache& cache, std::span<const std::byte> data) {
  Header header;
  if (data.size() < sizeof header) return;
  std::memcpy(&header, data.data(), sizeof header);
  const VkPipelineCacheHeaderVersionOne want = standardHeader();
  if (std::memcmp(&header.standard, &want, sizeof want) != 0) return;
  data = data.subspan(sizeof header);
  if (data.size() < header.entryBytes) return;
  data = data.first(header.entryBytes);
  if (checksum(data) != header.checksum) return;
  for (uint32_t i = 0; i < header.entryCount; ++i) {
    Entry entry;
    if (data.size() < sizeof entry) return;
    std::memcpy(&entry, data.data(), sizeof entry);
    data = data.subspan(sizeof entry);
    if (data.size() < entry.bytes) return;
    std::shared_ptr<abi::Kernel> kernel = findKernel(entry.key);
    if (!kernel) {
      auto program = isa::readContainer(data.first(entry.bytes));
      if (!program) return;
      auto made = compiler::makeKernel(std::move(*program));  // verifies
      if (!made) return;
      kernel = *made;
      watchKernel(kernel);
      // The key is what the data say: the process's cache, which answers for all, is not told.
    }
    cache.kernels[entry.key] = std::move(kernel);
    data = data.subspan(entry.bytes);
  }
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkPipelineCache* pCache) {
  return createObject<PipelineCache>(handle, pAllocator, pCache, "a pipeline cache", [&](PipelineCache& cache) {
    if (pCreateInfo->initialDataSize)
      load(cache, {static_cast<const std::byte*>(pCreateInfo->pInitialData), pCreateInfo->initialDataSize});
  });
}

ETZEL_DESTROY(PipelineCache)

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache handle, size_t* pDataSize, void* pData) {
  PipelineCache& cache = *cast<PipelineCache>(handle);
  std::lock_guard lock(cache.mutex);
  // A buffer that is too small gets what fits whole, and nothing when not even the header does.
  const size_t room = pData ? *pDataSize : SIZE_MAX;
  if (room < sizeof(Header)) {
    *pDataSize = 0;
    return VK_INCOMPLETE;
  }
  std::vector<std::byte> entries;
  uint32_t count = 0;
  for (const auto& [key, kernel] : cache.kernels) {
    const std::vector<std::byte> program = isa::writeContainer(compiler::programOf(*kernel));
    if (entries.size() + sizeof(Entry) + program.size() > room - sizeof(Header)) break;
    const Entry entry{key, program.size()};
    const auto* p = reinterpret_cast<const std::byte*>(&entry);
    entries.insert(entries.end(), p, p + sizeof entry);
    entries.insert(entries.end(), program.begin(), program.end());
    ++count;
  }
  *pDataSize = sizeof(Header) + entries.size();
  if (!pData) return VK_SUCCESS;
  const Header header{standardHeader(), count, 0, entries.size(), checksum(entries)};
  std::memcpy(pData, &header, sizeof header);
  std::copy(entries.begin(), entries.end(), static_cast<std::byte*>(pData) + sizeof header);
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
