// A Vulkan device and what is made on it, in few lines: for programs that test or measure drivers through the loader.
//
// Everything that a Device makes lives until it is released or the Device ends, the last made first. A call that does
// not succeed throws Failure. One thread at a time.
#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

namespace vktest {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

#define VKTEST_CHECK(call) ::vktest::check((call), #call)
/// Throws Failure unless `result` is VK_SUCCESS.
void check(VkResult result, const char* what);

/// Objects that are made from their structure alone, Vk##Name from Vk##Name##CreateInfo.
#define VKTEST_OBJECTS(DO) \
  DO(BufferView)           \
  DO(CommandPool)          \
  DO(DescriptorPool)       \
  DO(DescriptorSetLayout)  \
  DO(Event)                \
  DO(Fence)                \
  DO(Framebuffer)          \
  DO(ImageView)            \
  DO(PipelineCache)        \
  DO(PipelineLayout)       \
  DO(QueryPool)            \
  DO(RenderPass)           \
  DO(Sampler)              \
  DO(Semaphore)            \
  DO(ShaderModule)

class Device {
 public:
  Device() = default;
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;  ///< the driver's first
  VkPhysicalDeviceMemoryProperties memory{};
  VkDevice device = VK_NULL_HANDLE;
  uint32_t family = 0;
  VkQueue queue = VK_NULL_HANDLE;  ///< the first of `family`

  /// The instance and the physical device.
  void openInstance(const char* application, uint32_t apiVersion, std::span<const char* const> extensions = {});
  /// The device and its queue. Without queues in `info` it has one of `family`.
  void openDevice(VkDeviceCreateInfo info);

#define VKTEST_DECLARE(Name) Vk##Name make(const Vk##Name##CreateInfo& info);
  VKTEST_OBJECTS(VKTEST_DECLARE)
#undef VKTEST_DECLARE
  VkPipeline make(const VkComputePipelineCreateInfo& info, VkPipelineCache cache = VK_NULL_HANDLE);
  VkPipeline make(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache = VK_NULL_HANDLE);

  /// An object with memory of its own. `next` is chained to the allocation.
  struct Bound {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* data = nullptr;  ///< where host-visible memory is mapped
  };
  VkBuffer make(const VkBufferCreateInfo& info, VkMemoryPropertyFlags flags, Bound* bound, const void* next = nullptr);
  VkImage make(const VkImageCreateInfo& info, VkMemoryPropertyFlags flags, Bound* bound);

  VkShaderModule makeModule(std::span<const uint32_t> code);
  /// \param stageNext  the chain of the stage's structure
  /// \param next  the chain of the create info
  VkPipeline makePipeline(VkShaderModule compute, VkPipelineLayout layout,
                          const VkSpecializationInfo* specialization = nullptr, VkPipelineCache cache = VK_NULL_HANDLE,
                          const void* stageNext = nullptr, const void* next = nullptr);
  VkDescriptorSetLayout makeSetLayout(std::span<const VkDescriptorSetLayoutBinding> bindings);
  /// `set` may be null. Push constants are visible to all stages.
  VkPipelineLayout makePipelineLayout(VkDescriptorSetLayout set, uint32_t pushBytes);
  /// Sets from a pool of their own, which holds `sizes`.
  std::vector<VkDescriptorSet> makeSets(VkDescriptorSetLayout layout, uint32_t count,
                                        std::span<const VkDescriptorPoolSize> sizes);
  VkCommandBuffer makeCommands(VkCommandPool pool, VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);

  /// The first memory type among `bits` that has `flags`.
  uint32_t memoryType(uint32_t bits, VkMemoryPropertyFlags flags) const;

  void later(std::function<void()> destroy) { cleanup_.push_back(std::move(destroy)); }
  /// How many things are waiting for their end.
  size_t made() const { return cleanup_.size(); }
  /// Destroys all but the first `keep` of them.
  void release(size_t keep = 0);

 private:
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags flags, const void* next);
  std::vector<std::function<void()>> cleanup_;
};

}  // namespace vktest
