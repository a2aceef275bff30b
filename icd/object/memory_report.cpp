#include "icd/object/memory_report.h"

#include <sys/stat.h>

#include <atomic>

#include "runtime/mutant/mutant.h"

namespace etzel::icd {

MemoryReports::MemoryReports(const VkDeviceCreateInfo& info) {
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT)
      listeners_.push_back(*reinterpret_cast<const VkDeviceDeviceMemoryReportCreateInfoEXT*>(s));
}

void MemoryReports::tell(VkDeviceMemoryReportEventTypeEXT event, const ReportedMemory& memory) const {
  VkDeviceMemoryReportCallbackDataEXT data{VK_STRUCTURE_TYPE_DEVICE_MEMORY_REPORT_CALLBACK_DATA_EXT};
  data.type = event;
  data.memoryObjectId = memory.id;
  data.size = memory.size;
  data.objectType = memory.ownerType;
  data.objectHandle = memory.owner;
  data.heapIndex = memory.heap;
  for (const auto& listener : listeners_) listener.pfnUserCallback(&data, listener.pUserData);
}

// Even names are ours, odd ones the system's.
uint64_t newMemoryId() {
  static std::atomic<uint64_t> last{0};
  return ++last * 2;
}

uint64_t sharedMemoryId(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && !mutated(Mutant::ImportedName) ? uint64_t(info.st_ino) * 2 + 1 : newMemoryId();
}

}  // namespace etzel::icd
