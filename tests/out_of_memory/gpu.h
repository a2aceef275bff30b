// The driver as the loader has it, and what the scenarios make on it. No loader: it asks for memory too, and none of
// its failures are the driver's.
#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <span>
#include <vector>

namespace oom {

/// Returns from a scenario with what a call says when it is no success.
#define OOM_TRY(call)                                            \
  do {                                                           \
    if (const VkResult r_ = (call); r_ != VK_SUCCESS) return r_; \
  } while (false)

/// What the scenarios call: once an instance is there, all of it.
struct Functions {
  PFN_vkCreateInstance CreateInstance = nullptr;
  PFN_vkEnumerateInstanceExtensionProperties EnumerateInstanceExtensionProperties = nullptr;
#define OOM_FUNCTION(name) PFN_vk##name name = nullptr;
#include "tests/out_of_memory/functions.def"
#undef OOM_FUNCTION
};

/// Opens the driver, once in a process. \returns false and says why when it is none.
bool openDriver(const char* path);

/// How much of a device is there.
enum class Level { Nothing, Instance, Device };

struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint32_t* words = nullptr;
};
struct Image {
  VkImage image = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
};

/// An instance and a device of the driver. What is made through it goes with release().
class Gpu {
 public:
  explicit Gpu(const VkAllocationCallbacks* own = nullptr) : callbacks(own) {}

  Functions vk;
  const VkAllocationCallbacks* const callbacks;
  bool windows = false;  ///< what open() makes is for X windows, too
  unsigned place = 0;    ///< on the screen, where windows do not cover those of other processes
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;

  VkResult open(Level level);
  void close();
  VkResult openInstance(VkInstance* out);
  VkResult openDevice(VkDevice* out);

  /// A command that functions.def has not, since the headers may not have it.
  PFN_vkVoidFunction find(const char* name) const;

  /// vkCreate* of any object of the device; vkDestroy* comes with release().
  template <class Info, class Handle>
  VkResult make(VkResult (*create)(VkDevice, const Info*, const VkAllocationCallbacks*, Handle*),
                void (*destroy)(VkDevice, Handle, const VkAllocationCallbacks*), const Info& info, Handle* out) {
    OOM_TRY(create(device, &info, callbacks, out));
    later([this, destroy, handle = *out] { destroy(device, handle, callbacks); });
    return VK_SUCCESS;
  }
  void later(std::function<void()> end) { ends_.push_back(std::move(end)); }
  void release();

  VkResult makeBuffer(uint64_t bytes, Buffer* out);
  VkResult makeImage(VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkExtent2D size,
                     Image* out);
  VkResult makeModule(std::span<const uint32_t> code, VkShaderModule* out);
  VkResult makePool(VkCommandPool* out);
  VkResult makeCommands(VkCommandPool pool, VkCommandBufferLevel level, VkCommandBuffer* out);
  /// A layout of one set of `count` storage buffers that are pushed, and a compute pipeline with it.
  VkResult makeBufferLayout(uint32_t count, VkPipelineLayout* out);
  VkResult makeCompute(std::span<const uint32_t> code, VkPipelineLayout layout, VkPipeline* out);

  VkResult begin(VkCommandBuffer commands) const;
  void pushBuffer(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t binding, VkBuffer buffer) const;
  VkResult submitAndWait(VkCommandBuffer commands, VkFence fence) const;
  /// A pipeline, a dispatch, and a look at what it wrote. \returns VK_ERROR_UNKNOWN when that is wrong.
  VkResult probe();

 private:
  VkResult allocate(const VkMemoryRequirements& need, uint32_t type, VkDeviceMemory* out);
  std::vector<std::function<void()>> ends_;
};

}  // namespace oom
