// What the tests of the driver have on their device beyond testing/vk: one descriptor set, compute pipelines whose
// making may fail, images to draw to.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <vector>

#include "testing/vk/device.h"

namespace etzel::driver_test {

#define VK_OK(call) ASSERT_EQ(VK_SUCCESS, (call))

struct Buffer {
  VkBuffer buffer{};
  uint32_t* words = nullptr;
  VkDeviceSize bytes = 0;
};

/// One mip level and layer of R8G8B8A8_UNORM.
struct Image {
  static constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
  VkImage image{};
  VkImageView view{};
};

/// `pNext` goes into VkDeviceCreateInfo.
class Gpu : public vktest::Device {
 public:
  explicit Gpu(const void* pNext = nullptr, std::vector<const char*> extensions = {},
               VkPhysicalDeviceFeatures features = {});

  Buffer makeBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  Image makeImage(VkExtent2D size, VkSampleCountFlagBits samples, VkImageUsageFlags usage);
  /// Binding 0-1: storage buffers (an array of two), 2: storage buffer, 3: storage image.
  void bindBuffers(const Buffer* first, const Buffer* second, const Buffer& output);
  VkResult makeComputePipeline(std::span<const uint32_t> code, VkPipeline* pipeline) const;
  /// Records a command buffer, submits it and waits.
  VkResult submit(const std::function<void(VkCommandBuffer)>& record);
  /// Moves an image from UNDEFINED to `to`, for `access` in `stage`.
  static void toLayout(VkCommandBuffer commands, VkImage image, VkImageLayout to, VkPipelineStageFlags stage,
                       VkAccessFlags access);
  /// Binds everything, dispatches and waits. `push` is 12 bytes; `image` is put into layout GENERAL first.
  VkResult run(VkPipeline pipeline, uint32_t groups, const uint32_t* push = nullptr, VkImage image = VK_NULL_HANDLE);

  VkCommandPool pool{};
  VkDescriptorSetLayout setLayout{};
  VkPipelineLayout layout{};
  VkDescriptorSet set{};
};

/// Kilobytes of memory that this process has for itself. Pages of libraries don't count: how many of them are mapped is
/// up to the kernel's page cache.
long privateKilobytes();

}  // namespace etzel::driver_test
