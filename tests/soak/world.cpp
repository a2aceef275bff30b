#include "tests/soak/world.h"

#include <vector>

#include "mix.comp.h"
#include "testing/vk/commands.h"
#include "tests/soak/window.h"

namespace etzel::soak {

void expect(bool holds, const char* what) {
  if (!holds) throw vktest::Failure(what);
}

std::shared_mutex loadersDevices;

World::World() {
  std::vector<const char*> extensions{VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
  if (Window::possible()) extensions.push_back(Window::instanceExtension());
  openInstance("etzel-soak", VK_API_VERSION_1_3, extensions);
  const float priorities[kQueues] = {1, 1, 0.5f, 0};
  const VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, kQueues, priorities};
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  v13.dynamicRendering = v13.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
  v12.timelineSemaphore = VK_TRUE;
  static constexpr const char* kDevice[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v12};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = uint32_t(std::size(kDevice));
  info.ppEnabledExtensionNames = kDevice;
  openDevice(info);
  for (uint32_t i = 0; i < kQueues; ++i) vkGetDeviceQueue(device, 0, i, &queues_[i]);
}

VkResult World::submit(uint32_t queue, const VkSubmitInfo& info, VkFence fence) {
  std::lock_guard lock(mutex_[queue]);
  return vkQueueSubmit(queues_[queue], 1, &info, fence);
}

VkResult World::present(uint32_t queue, const VkPresentInfoKHR& info) {
  std::lock_guard lock(mutex_[queue]);
  return vkQueuePresentKHR(queues_[queue], &info);
}

void World::run(uint32_t queue, VkCommandBuffer commands) {
  VkFence fence;
  const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VKTEST_CHECK(vkCreateFence(device, &fenceInfo, nullptr, &fence));
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  VkResult r = submit(queue, info, fence);
  if (r == VK_SUCCESS) r = vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
  vkDestroyFence(device, fence, nullptr);
  vktest::check(r, "submitting and waiting");
}

Scope::Scope(World& w) : world(w) {
  instance = w.instance, physical = w.physical, memory = w.memory, device = w.device, family = w.family;
  VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool = make(info);
}

Scope::~Scope() {
  release();
  device = VK_NULL_HANDLE, instance = VK_NULL_HANDLE;  // the world's
}

Scope::Words Scope::words(uint32_t count) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = count * sizeof(uint32_t);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Bound bound;
  const VkBuffer buffer =
      make(info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &bound);
  return {buffer, static_cast<uint32_t*>(bound.data), count};
}

VkCommandBuffer Scope::begin() {
  const VkCommandBuffer commands = makeCommands(pool);
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VKTEST_CHECK(vkBeginCommandBuffer(commands, &info));
  return commands;
}

Mixer::Mixer(Scope& scope, const Scope::Words& words) : groups_((words.count + 63) / 64) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                             nullptr};
  const VkDescriptorSetLayout setLayout = scope.makeSetLayout({&binding, 1});
  layout_ = scope.makePipelineLayout(setLayout, 8);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  set_ = scope.makeSets(setLayout, 1, {&size, 1})[0];
  const VkDescriptorBufferInfo whole{words.buffer, 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write = vktest::write(set_, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &whole);
  vkUpdateDescriptorSets(scope.device, 1, &write, 0, nullptr);
  pipeline_ = scope.makePipeline(scope.makeModule(mix_comp), layout_);
}

void Mixer::record(VkCommandBuffer commands, uint32_t factor, uint32_t term) const {
  const uint32_t push[2] = {factor, term};
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
  vkCmdDispatch(commands, groups_, 1, 1);
  vktest::fullBarrier(commands);
}

}  // namespace etzel::soak
