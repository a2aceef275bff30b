// Who hears of device memory (VK_EXT_device_memory_report): of vkAllocateMemory and vkFreeMemory, of imports, of what
// was refused, and of the memory that the driver takes for swapchains. Host memory of objects is no device memory, and
// implicit multisampled images serve whichever attachment comes next: neither is told.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

namespace etzel::icd {

/// The memory that an event is about.
struct ReportedMemory {
  uint64_t id = 0;    ///< of its bytes
  uint64_t size = 0;  ///< in bytes
  VkObjectType ownerType = VK_OBJECT_TYPE_DEVICE_MEMORY;
  uint64_t owner = 0;  ///< a handle
  uint32_t heap = 0;
};

/// The listeners of a device. Any thread.
class MemoryReports {
 public:
  MemoryReports() = default;
  /// Those in the chain of `info`.
  explicit MemoryReports(const VkDeviceCreateInfo& info);

  bool wanted() const { return !listeners_.empty(); }
  void tell(VkDeviceMemoryReportEventTypeEXT event, const ReportedMemory& memory) const;

 private:
  std::vector<VkDeviceDeviceMemoryReportCreateInfoEXT> listeners_;
};

/// Names bytes that nobody else can have: another one each time.
uint64_t newMemoryId();
/// Names the bytes of a descriptor (shared_memory.h): the same for whoever has them, in every process.
uint64_t sharedMemoryId(int fd);

}  // namespace etzel::icd
