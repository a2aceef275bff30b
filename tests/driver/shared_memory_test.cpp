// What the driver offers to share between processes is what the system lets it share. Run as it is, and in a sandbox
// without memfd_create (tests/check_sandbox.sh).
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/driver/gpu.h"

namespace etzel::driver_test {
namespace {

bool systemHasMemfds() {
  const int fd = memfd_create("question", MFD_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

TEST(SharedMemory, IsOfferedWhereTheSystemMakesIt) {
  Gpu gpu(nullptr, {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME});
  const bool possible = systemHasMemfds();
  const VkPhysicalDeviceExternalBufferInfo buffer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalBufferProperties memory{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(gpu.physical, &buffer, &memory);
  EXPECT_EQ(memory.externalMemoryProperties.externalMemoryFeatures != 0, possible);
  const VkPhysicalDeviceExternalSemaphoreInfo opaque{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, nullptr,
                                                     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalSemaphoreProperties semaphore{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(gpu.physical, &opaque, &semaphore);
  EXPECT_EQ(semaphore.externalSemaphoreFeatures != 0, possible);
  const VkPhysicalDeviceExternalFenceInfo fenceInfo{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO, nullptr,
                                                    VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalFenceProperties fence{VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
  vkGetPhysicalDeviceExternalFenceProperties(gpu.physical, &fenceInfo, &fence);
  EXPECT_EQ(fence.externalFenceFeatures != 0, possible);

  // Who asks for it all the same is told so.
  const VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, 65536, 0};
  VkDeviceMemory given{};
  EXPECT_EQ(vkAllocateMemory(gpu.device, &allocate, nullptr, &given),
            possible ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY);
  if (possible) vkFreeMemory(gpu.device, given, nullptr);
}

}  // namespace
}  // namespace etzel::driver_test
