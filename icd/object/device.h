// Instance, physical device, device and queues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "icd/object/object.h"
#include "icd/object/report.h"
#include "runtime/task/pool.h"

namespace etzel::icd {

struct Instance;
struct Queue;

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
  std::vector<std::unique_ptr<Queue>> queues;
  std::unique_ptr<task::Pool> pool;  ///< shared by the queues; parallelFor may be called from each
  std::atomic<bool> lost{false};     ///< queues give up what they do
  /// Whether the device is lost and its queues touch nothing of the application's any more: what calls report, since
  /// the application may destroy everything then ("Lost Device": outstanding work counts as complete).
  bool ended() const;
  VkPhysicalDeviceFeatures features{};
  bool nullDescriptor = false, robustBufferAccess2 = false;
  uint32_t apiVersion = VK_API_VERSION_1_0;  ///< lower of the instance's and the driver's
  Queue* queue(uint32_t family, uint32_t index) const;
  const VkAllocationCallbacks* allocator() const { return hasCallbacks ? &callbacks : nullptr; }
  ~Device();
  bool has(std::string_view extension) const;
};

/// Picks the callbacks of an object: the call's, else the device's.
inline const VkAllocationCallbacks* pick(const Device* d, const VkAllocationCallbacks* a) {
  return a ? a : d->allocator();
}

}  // namespace etzel::icd
