// Instance, physical device, device and queues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "icd/object/error.h"
#include "icd/object/faults.h"
#include "icd/object/memory_report.h"
#include "icd/object/object.h"
#include "icd/object/report.h"
#include "runtime/task/pool.h"

namespace etzel::icd {

struct Instance;
struct Queue;
class HeapViews;
class TexelViews;

struct PhysicalDevice : DispatchableObject {
  using Handle = VkPhysicalDevice;
  Instance* instance = nullptr;
};

struct Instance : DispatchableObject {
  using Handle = VkInstance;
  VkAllocationCallbacks callbacks{};
  bool hasCallbacks = false;
  uint32_t apiVersion = VK_API_VERSION_1_0;
  std::vector<std::string> enabledExtensions;
  PhysicalDevice physicalDevice;
  ChainedListeners chained;  ///< for vkDestroyInstance
  const VkAllocationCallbacks* allocator() const { return hasCallbacks ? &callbacks : nullptr; }
};

/// Queue families: 0 and 3 universal, 1 compute + transfer, 2 transfer only. Each queue has its own thread, so that
/// they really run side by side.
enum QueueFamily : uint32_t {
  kUniversalFamily = 0,
  kComputeFamily = 1,
  kTransferFamily = 2,
  kSecondUniversalFamily = 3,  ///< graphics work that shares nothing with family 0's
  kQueueFamilyCount = 4
};
inline constexpr uint32_t kQueuesOfFamily[kQueueFamilyCount] = {4, 2, 2, 2};

struct Device : DispatchableObject {
  using Handle = VkDevice;
  PhysicalDevice* physicalDevice = nullptr;
  VkAllocationCallbacks callbacks{};
  bool hasCallbacks = false;
  std::vector<std::string> enabledExtensions;
  MemoryReports memoryReports;
  Faults faults{*this};  ///< why the device is lost; before the queues, which tell it
  std::vector<std::unique_ptr<Queue>> queues;
  std::shared_ptr<TexelViews> texelViews;  ///< that descriptors point to which name addresses
  std::shared_ptr<HeapViews> heapViews;    ///< that descriptors of heaps point to
  std::unique_ptr<task::Pool> pool;        ///< shared by the queues; parallelFor may be called from each
  std::atomic<bool> lost{false};           ///< queues give up what they do
  /// Whether the device is lost and its queues touch nothing of the application's any more: what calls report, since
  /// the application may destroy everything then ("Lost Device": outstanding work counts as complete).
  bool ended() const;
  VkPhysicalDeviceFeatures features{};
  bool nullDescriptor = false, robustBufferAccess2 = false;
  bool reportsAddressBinding = false;        ///< objects have AddressBindings
  bool clampsDepthToUnit = false;            ///< depthClampZeroOne, without an extension that lets depth be anything
  uint32_t apiVersion = VK_API_VERSION_1_0;  ///< lower of the instance's and the driver's
  Queue* queue(uint32_t family, uint32_t index) const { return queue(family, index, 0); }
  Queue* queue(uint32_t family, uint32_t index, VkDeviceQueueCreateFlags flags) const;
  const VkAllocationCallbacks* allocator() const { return hasCallbacks ? &callbacks : nullptr; }
  ~Device();
  bool has(std::string_view extension) const;
};

/// Picks the callbacks of an object: the call's, else the device's.
inline const VkAllocationCallbacks* pick(const Device* d, const VkAllocationCallbacks* a) {
  return a ? a : d->allocator();
}

/// What vkCreate* does: makes a T, has `fill(T&)` take over the create info, and gives out the handle. `fill` may
/// return a VkResult; after a failure nothing is left. `what` names the object when there is no memory for it.
template <class T, class Fill>
VkResult createObject(VkDevice device, const VkAllocationCallbacks* allocator, typename T::Handle* out,
                      const char* what, Fill fill, const SourcePlace& where = SourcePlace::current()) {
  const VkAllocationCallbacks* callbacks = pick(cast<Device>(device), allocator);
  const auto release = [=](T* object) { destroy(callbacks, object); };
  std::unique_ptr<T, decltype(release)> object(create<T>(callbacks, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT), release);
  if (!object) return failAt(where, VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for %s", what);
  if constexpr (std::is_same_v<std::invoke_result_t<Fill, T&>, VkResult>) {
    if (const VkResult r = fill(*object); r != VK_SUCCESS) return r;
  } else {
    fill(*object);
  }
  *out = handleOf(object.release());
  return VK_SUCCESS;
}

}  // namespace etzel::icd

/// The vkDestroy* of an object that ends with its memory.
#define ETZEL_DESTROY(T)                                                                                     \
  VKAPI_ATTR void VKAPI_CALL Destroy##T(VkDevice device, T::Handle handle, const VkAllocationCallbacks* a) { \
    destroy(pick(cast<Device>(device), a), cast<T>(handle));                                                 \
  }
