// Descriptor pools and the sets that come from them ("Descriptor Set Allocation").
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "icd/descriptor/descriptors.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {
namespace {

const LayoutBinding* variableBinding(const SetLayoutData& layout) {
  if (layout.bindings.empty()) return nullptr;
  const LayoutBinding& last = layout.bindings.back();
  return last.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT ? &last : nullptr;
}

/// What a pool counts a descriptor as, an index into its capacity. Texel buffers are all alike, so either kind is given
/// where the other is left: Khronos' suite takes uniform ones from pools that were made for storage.
size_t countedAs(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER: return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK: return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT + 1;
    default: return type <= VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT ? type : VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT + 2;
  }
}

/// "vkAllocateDescriptorSets": where a pool has no descriptors left, it may fail. Memory is the set's own, so a pool
/// runs out of sets only, but no set has more than a pool was made with: Khronos' suite counts one set's descriptors
/// where it takes two.
bool fitsPool(const DescriptorPool& pool, const SetLayoutData& layout, uint32_t variableCount) {
  const LayoutBinding* variable = variableBinding(layout);
  std::array<uint64_t, kCountedDescriptors> needs{};
  for (const LayoutBinding& b : layout.bindings) needs[countedAs(b.type)] += &b == variable ? variableCount : b.count;
  return std::equal(needs.begin(), needs.end(), pool.capacity.begin(), std::less_equal<>());
}

void freeSet(DescriptorPool& pool, DescriptorSet* set) { destroy(pool.callbacks, set); }

VkResult allocateSet(DescriptorPool& pool, const std::shared_ptr<SetLayoutData>& layout, uint32_t variableCount,
                     DescriptorSet*& out) {
  if (pool.sets.size() >= pool.maxSets)
    return ETZEL_FAIL(VK_ERROR_OUT_OF_POOL_MEMORY, "the pool has given all its %u sets", pool.maxSets);
  const LayoutBinding* variable = variableBinding(*layout);
  // What may fail comes before anything changes.
  std::vector<DynamicBuffer> dynamic(layout->dynamicCount);
  if (pool.sets.size() == pool.sets.capacity()) pool.sets.reserve(2 * pool.sets.size() + 8);
  if (!fitsPool(pool, *layout, variableCount))
    return ETZEL_FAIL(VK_ERROR_OUT_OF_POOL_MEMORY, "the pool has fewer descriptors than the set");
  const uint32_t bytes = layout->bytes + (variable ? bindingBytes(*variable, variableCount) : 0);
  // The slots follow the object: writes touch both.
  constexpr size_t kObjectBytes = alignUp<size_t>(sizeof(DescriptorSet), abi::kDescriptorBytes);
  void* memory =
      allocateHost(pool.callbacks, kObjectBytes + bytes, abi::kDescriptorBytes, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  if (!memory) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a descriptor set of %u bytes", bytes);
  auto* set = new (memory) DescriptorSet;
  set->pool = &pool;
  set->layout = layout;
  set->memory = static_cast<std::byte*>(memory) + kObjectBytes;
  std::memset(set->memory, 0, bytes);
  set->bytes = bytes;
  set->variableCount = variableCount;
  set->dynamic = std::move(dynamic);
  initializeSetMemory(*layout, set->memory, variableCount);
  pool.sets.push_back(set);
  out = set;
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorPool(VkDevice handle, const VkDescriptorPoolCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks* pAllocator, VkDescriptorPool* pPool) {
  return createObject<DescriptorPool>(handle, pAllocator, pPool, "a descriptor pool", [&](DescriptorPool& pool) {
    pool.maxSets = pCreateInfo->maxSets;
    pool.flags = pCreateInfo->flags;
    for (uint32_t i = 0; i < pCreateInfo->poolSizeCount; ++i) {
      pool.capacity[countedAs(pCreateInfo->pPoolSizes[i].type)] += pCreateInfo->pPoolSizes[i].descriptorCount;
    }
    if (const VkAllocationCallbacks* callbacks = pick(cast<Device>(handle), pAllocator)) {
      pool.ownCallbacks = *callbacks;
      pool.callbacks = &pool.ownCallbacks;
    }
  });
}

VKAPI_ATTR VkResult VKAPI_CALL ResetDescriptorPool(VkDevice, VkDescriptorPool handle, VkDescriptorPoolResetFlags) {
  auto* pool = cast<DescriptorPool>(handle);
  for (DescriptorSet* set : pool->sets) freeSet(*pool, set);
  pool->sets.clear();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorPool(VkDevice device, VkDescriptorPool handle,
                                                 const VkAllocationCallbacks* pAllocator) {
  if (!handle) return;
  (void)ResetDescriptorPool(device, handle, 0);
  destroy(pick(cast<Device>(device), pAllocator), cast<DescriptorPool>(handle));
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* pInfo,
                                                      VkDescriptorSet* pSets) {
  auto* pool = cast<DescriptorPool>(pInfo->descriptorPool);
  const auto* variable = findNext<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      pInfo->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  VkResult result = VK_SUCCESS;
  uint32_t done = 0;
  for (; done < pInfo->descriptorSetCount && result == VK_SUCCESS; ++done) {
    const uint32_t count = variable && done < variable->descriptorSetCount ? variable->pDescriptorCounts[done] : 0;
    DescriptorSet* set = nullptr;
    result = withoutThrowing(
        [&] { return allocateSet(*pool, cast<DescriptorSetLayout>(pInfo->pSetLayouts[done])->data, count, set); });
    pSets[done] = set ? handleOf(set) : VK_NULL_HANDLE;
  }
  if (result != VK_SUCCESS) {
    (void)FreeDescriptorSets(device, pInfo->descriptorPool, done, pSets);
    std::fill(pSets, pSets + pInfo->descriptorSetCount, VkDescriptorSet(VK_NULL_HANDLE));
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL FreeDescriptorSets(VkDevice, VkDescriptorPool handle, uint32_t count,
                                                  const VkDescriptorSet* pSets) {
  auto* pool = cast<DescriptorPool>(handle);
  for (uint32_t i = 0; i < count; ++i) {
    DescriptorSet* set = cast<DescriptorSet>(pSets[i]);
    if (!set) continue;
    // The newest sets are the likeliest to be freed, so look from the end.
    auto it = std::find(pool->sets.rbegin(), pool->sets.rend(), set);
    if (it == pool->sets.rend()) continue;
    *it = pool->sets.back();
    pool->sets.pop_back();
    freeSet(*pool, set);
  }
  return VK_SUCCESS;
}

}  // namespace etzel::icd
