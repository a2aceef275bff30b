// What listeners of device memory hear: names of bytes, whose the memory is, and what the driver takes for swapchains.
#include "icd/object/memory_report.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "icd/entry_points.h"
#include "icd/memory/resources.h"
#include "icd/object/device.h"
#include "icd/object/shared_memory.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

using Events = std::vector<VkDeviceMemoryReportCallbackDataEXT>;

VKAPI_ATTR void VKAPI_CALL hear(const VkDeviceMemoryReportCallbackDataEXT* data, void* user) {
  static_cast<Events*>(user)->push_back(*data);
}

TEST(MemoryReports, EveryListenerOfTheChainHearsAnEventOnce) {
  Events first, second;
  const VkDeviceDeviceMemoryReportCreateInfoEXT inner{VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT,
                                                      nullptr, 0, hear, &second};
  const VkDeviceDeviceMemoryReportCreateInfoEXT outer{VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT,
                                                      &inner, 0, hear, &first};
  const VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &outer};
  const MemoryReports reports(info);
  EXPECT_TRUE(reports.wanted());
  reports.tell(VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATE_EXT, {5, 6, VK_OBJECT_TYPE_DEVICE_MEMORY, 7, 1});
  for (const Events& events : {first, second}) {
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATE_EXT);
    EXPECT_EQ(events[0].memoryObjectId, 5u);
    EXPECT_EQ(events[0].size, 6u);
    EXPECT_EQ(events[0].objectHandle, 7u);
    EXPECT_EQ(events[0].heapIndex, 1u);
  }
  EXPECT_FALSE(MemoryReports().wanted());
}

TEST(MemoryReports, SharedBytesHaveOneNameAndNoOthersHaveIt) {
  const Fd one = createSharedMemory("etzel-test", 1), other = createSharedMemory("etzel-test", 1);
  const Fd again(fcntl(one.get(), F_DUPFD_CLOEXEC, 0));
  EXPECT_EQ(sharedMemoryId(one.get()), sharedMemoryId(again.get()));
  EXPECT_NE(sharedMemoryId(one.get()), sharedMemoryId(other.get()));
  EXPECT_NE(newMemoryId(), newMemoryId());
  EXPECT_NE(newMemoryId() & 1, sharedMemoryId(one.get()) & 1);
}

TEST(MemoryReports, MemoryOfSwapchainsIsTheirs) {
  Events events;
  const VkDeviceDeviceMemoryReportCreateInfoEXT listener{VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT,
                                                         nullptr, 0, hear, &events};
  const VkDeviceCreateInfo deviceInfo{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &listener};
  Device device;
  device.memoryReports = MemoryReports(deviceInfo);
  const auto swapchain = reinterpret_cast<VkSwapchainKHR>(uintptr_t(0x1000));
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 4096, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(allocateMemory(device, info, nullptr, swapchain, &memory), VK_SUCCESS);
  FreeMemory(handleOf(&device), memory, nullptr);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATE_EXT);
  EXPECT_EQ(events[1].type, VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_FREE_EXT);
  EXPECT_EQ(events[0].memoryObjectId, events[1].memoryObjectId);
  for (const auto& e : events) {
    EXPECT_EQ(e.objectType, VK_OBJECT_TYPE_SWAPCHAIN_KHR);
    EXPECT_EQ(e.objectHandle, 0x1000u);
  }
}

}  // namespace
}  // namespace etzel::icd
