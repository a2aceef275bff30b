// Instances, devices, and every kind of object that is made from a structure.
#include <unistd.h>

#include <cstring>
#include <iterator>

#include "tests/out_of_memory/scenario.h"
#include "tests/out_of_memory/window.h"

namespace oom {
namespace {

class Instances : public Scenario {
 public:
  explicit Instances(bool onWindows = false) : Scenario(Level::Nothing, onWindows) {}
  VkResult act(Gpu& gpu) override {
    OOM_TRY(gpu.openInstance(&gpu.instance));
    uint32_t count = 0;
    OOM_TRY(gpu.vk.EnumerateInstanceExtensionProperties(nullptr, &count, nullptr));
    count = 1;
    OOM_TRY(gpu.vk.EnumeratePhysicalDevices(gpu.instance, &count, &gpu.physical));
    OOM_TRY(gpu.vk.EnumerateDeviceExtensionProperties(gpu.physical, nullptr, &count, nullptr));
    VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v12};
    gpu.vk.GetPhysicalDeviceProperties2(gpu.physical, &properties);
    VkFormatProperties format;
    gpu.vk.GetPhysicalDeviceFormatProperties(gpu.physical, VK_FORMAT_R8G8B8A8_UNORM, &format);
    count = 0;
    gpu.vk.GetPhysicalDeviceQueueFamilyProperties2(gpu.physical, &count, nullptr);
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = [](auto...) -> VkBool32 { return VK_FALSE; };
    VkDebugUtilsMessengerEXT messenger;
    OOM_TRY(gpu.vk.CreateDebugUtilsMessengerEXT(gpu.instance, &info, gpu.callbacks, &messenger));
    gpu.later([&gpu, messenger] { gpu.vk.DestroyDebugUtilsMessengerEXT(gpu.instance, messenger, gpu.callbacks); });
    VkDebugReportCallbackCreateInfoEXT older{VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT};
    older.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT;
    older.pfnCallback = [](auto...) -> VkBool32 { return VK_FALSE; };
    VkDebugReportCallbackEXT report;
    OOM_TRY(gpu.vk.CreateDebugReportCallbackEXT(gpu.instance, &older, gpu.callbacks, &report));
    gpu.later([&gpu, report] { gpu.vk.DestroyDebugReportCallbackEXT(gpu.instance, report, gpu.callbacks); });
    return VK_SUCCESS;
  }
};

/// The first instance that is for windows opens the X libraries.
struct WindowInstances : Instances {
  WindowInstances() : Instances(true) {}
};

class Devices : public Scenario {
 public:
  Devices() : Scenario(Level::Instance) {}
  VkResult act(Gpu& gpu) override {
    OOM_TRY(gpu.openDevice(&gpu.device));
    gpu.vk.GetDeviceQueue(gpu.device, 0, 0, &gpu.queue);
    return gpu.vk.DeviceWaitIdle(gpu.device);
  }
};

class Memory : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    Buffer small, large;
    Image image, many;
    OOM_TRY(gpu.makeBuffer(4096, &small));
    OOM_TRY(gpu.makeBuffer(1 << 20, &large));
    OOM_TRY(
        gpu.makeImage(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT, {64, 64}, &image));
    OOM_TRY(gpu.makeImage(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_8_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                          {64, 64}, &many));
    VkBufferViewCreateInfo view{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    view.buffer = small.buffer;
    view.format = VK_FORMAT_R32_UINT;
    view.range = VK_WHOLE_SIZE;
    VkBufferView made;
    OOM_TRY(gpu.make(gpu.vk.CreateBufferView, gpu.vk.DestroyBufferView, view, &made));
    // Memory that other processes can have.
    const VkExportMemoryAllocateInfo shared{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &shared, 65536, 0};
    VkDeviceMemory memory;
    OOM_TRY(gpu.make(gpu.vk.AllocateMemory, gpu.vk.FreeMemory, info, &memory));
    std::memset(small.words, 1, 4096);
    std::memset(large.words, 1, 1 << 20);
    return VK_SUCCESS;
  }
};

class Descriptors : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    OOM_TRY(makeSampler(gpu));
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 2, VK_SHADER_STAGE_ALL, nullptr},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, &sampler_},
        {7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 9, VK_SHADER_STAGE_ALL, nullptr}};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = std::size(bindings);
    setInfo.pBindings = bindings;
    VkDescriptorSetLayout setLayout;
    OOM_TRY(gpu.make(gpu.vk.CreateDescriptorSetLayout, gpu.vk.DestroyDescriptorSetLayout, setInfo, &setLayout));
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &setLayout;
    VkPipelineLayout layout;
    OOM_TRY(gpu.make(gpu.vk.CreatePipelineLayout, gpu.vk.DestroyPipelineLayout, layoutInfo, &layout));
    return makeSets(gpu, setLayout);
  }

 private:
  VkResult makeSampler(Gpu& gpu) {
    VkSamplerYcbcrConversionCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO};
    info.format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
    VkSamplerYcbcrConversionInfo conversion{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateSamplerYcbcrConversion, gpu.vk.DestroySamplerYcbcrConversion, info,
                     &conversion.conversion));
    VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &conversion};
    sampler.addressModeU = sampler.addressModeV = sampler.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    return gpu.make(gpu.vk.CreateSampler, gpu.vk.DestroySampler, sampler, &sampler_);
  }

  VkResult makeSets(Gpu& gpu, VkDescriptorSetLayout setLayout) {
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 8},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 12},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 36}};
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
    info.maxSets = 4;
    info.poolSizeCount = std::size(sizes);
    info.pPoolSizes = sizes;
    VkDescriptorPool pool;
    OOM_TRY(gpu.make(gpu.vk.CreateDescriptorPool, gpu.vk.DestroyDescriptorPool, info, &pool));
    const VkDescriptorSetLayout three[] = {setLayout, setLayout, setLayout};
    const VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 3, three};
    VkDescriptorSet sets[3];
    OOM_TRY(gpu.vk.AllocateDescriptorSets(gpu.device, &allocate, sets));
    Buffer buffer;
    OOM_TRY(gpu.makeBuffer(4096, &buffer));
    const VkDescriptorBufferInfo bufferInfo{buffer.buffer, 0, 4096};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, sets[0], 7, 0, 1,
                               VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    write.pBufferInfo = &bufferInfo;
    const VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 7, 0, sets[1], 7, 0, 9};
    gpu.vk.UpdateDescriptorSets(gpu.device, 1, &write, 1, &copy);
    const VkDescriptorUpdateTemplateEntry entry{7, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
    VkDescriptorUpdateTemplateCreateInfo plan{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    plan.descriptorUpdateEntryCount = 1;
    plan.pDescriptorUpdateEntries = &entry;
    plan.descriptorSetLayout = setLayout;
    VkDescriptorUpdateTemplate made;
    OOM_TRY(gpu.make(gpu.vk.CreateDescriptorUpdateTemplate, gpu.vk.DestroyDescriptorUpdateTemplate, plan, &made));
    gpu.vk.UpdateDescriptorSetWithTemplate(gpu.device, sets[2], made, &bufferInfo);
    return gpu.vk.FreeDescriptorSets(gpu.device, pool, 2, sets);
  }

  VkSampler sampler_ = VK_NULL_HANDLE;
};

class Synchronization : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         VK_SEMAPHORE_TYPE_TIMELINE, 3};
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VkSemaphore timeline, shared, taken;
    OOM_TRY(gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, info, &timeline));
    const VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                               VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    info.pNext = &exported;
    OOM_TRY(gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, info, &shared));
    info.pNext = nullptr;
    OOM_TRY(gpu.make(gpu.vk.CreateSemaphore, gpu.vk.DestroySemaphore, info, &taken));
    const VkExportFenceCreateInfo exportedFence{VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, nullptr,
                                                VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, &exportedFence, 0};
    VkFence fence;
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fenceInfo, &fence));
    const VkEventCreateInfo eventInfo{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    OOM_TRY(gpu.make(gpu.vk.CreateEvent, gpu.vk.DestroyEvent, eventInfo, &event));
    const VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, shared,
                                      VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    OOM_TRY(gpu.vk.GetSemaphoreFdKHR(gpu.device, &get, &fd));
    const VkImportSemaphoreFdInfoKHR import{
        VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,  nullptr, taken, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
        VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, fd};
    const VkResult imported = gpu.vk.ImportSemaphoreFdKHR(gpu.device, &import);
    if (imported != VK_SUCCESS) close(fd);  // it is the driver's when it took it
    return imported;
  }
};

class Others : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_OCCLUSION;
    queries.queryCount = 16;
    VkQueryPool queryPool;
    OOM_TRY(gpu.make(gpu.vk.CreateQueryPool, gpu.vk.DestroyQueryPool, queries, &queryPool));
    OOM_TRY(makePass(gpu));
    OOM_TRY(makeOlderPass(gpu));
    VkCommandPool pool;
    VkCommandBuffer commands[9];
    OOM_TRY(gpu.makePool(&pool));
    const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                               VK_COMMAND_BUFFER_LEVEL_SECONDARY, std::size(commands)};
    OOM_TRY(gpu.vk.AllocateCommandBuffers(gpu.device, &allocate, commands));
    gpu.vk.FreeCommandBuffers(gpu.device, pool, 3, commands + 2);
    OOM_TRY(gpu.vk.ResetCommandPool(gpu.device, pool, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT));
    gpu.vk.TrimCommandPool(gpu.device, pool, 0);
    const VkPipelineCacheCreateInfo cacheInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    OOM_TRY(gpu.make(gpu.vk.CreatePipelineCache, gpu.vk.DestroyPipelineCache, cacheInfo, &cache));
    const VkPrivateDataSlotCreateInfo slotInfo{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
    VkPrivateDataSlot slot;
    OOM_TRY(gpu.make(gpu.vk.CreatePrivateDataSlot, gpu.vk.DestroyPrivateDataSlot, slotInfo, &slot));
    OOM_TRY(gpu.vk.SetPrivateData(gpu.device, VK_OBJECT_TYPE_PIPELINE_CACHE, uint64_t(cache), slot, 77));
    VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    name.objectType = VK_OBJECT_TYPE_QUERY_POOL;
    name.objectHandle = uint64_t(queryPool);
    name.pObjectName = "a name that is longer than what a string holds without memory";
    return gpu.vk.SetDebugUtilsObjectNameEXT(gpu.device, &name);
  }

 private:
  static VkResult makePass(Gpu& gpu) {
    VkAttachmentDescription2 attachment{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2};
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    VkAttachmentReference2 reference{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                     VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubpassDescription2 subpasses[2] = {{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2},
                                          {VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2}};
    for (VkSubpassDescription2& s : subpasses) s.colorAttachmentCount = 1, s.pColorAttachments = &reference;
    VkSubpassDependency2 dependency{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2, nullptr, 0, 1};
    VkRenderPassCreateInfo2 info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 2;
    info.pSubpasses = subpasses;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass;
    OOM_TRY(gpu.make(gpu.vk.CreateRenderPass2, gpu.vk.DestroyRenderPass, info, &pass));
    Image image;
    OOM_TRY(
        gpu.makeImage(attachment.format, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, {16, 16}, &image));
    VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    frame.renderPass = pass;
    frame.attachmentCount = 1;
    frame.pAttachments = &image.view;
    frame.width = frame.height = 16, frame.layers = 1;
    VkFramebuffer made;
    return gpu.make(gpu.vk.CreateFramebuffer, gpu.vk.DestroyFramebuffer, frame, &made);
  }

  /// As Vulkan 1.0 has them.
  static VkResult makeOlderPass(Gpu& gpu) {
    VkAttachmentDescription attachments[2]{};
    for (VkAttachmentDescription& a : attachments) {
      a.format = VK_FORMAT_R8G8B8A8_UNORM;
      a.samples = VK_SAMPLE_COUNT_1_BIT;
      a.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;  // nothing can be loaded from VK_IMAGE_LAYOUT_UNDEFINED
      a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_GENERAL}, input{1, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = subpass.inputAttachmentCount = 1;
    subpass.pColorAttachments = &color;
    subpass.pInputAttachments = &input;
    const VkSubpassDependency dependency{
        VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, 0};
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = 2;
    info.pAttachments = attachments;
    info.subpassCount = info.dependencyCount = 1;
    info.pSubpasses = &subpass;
    info.pDependencies = &dependency;
    VkRenderPass pass;
    return gpu.make(gpu.vk.CreateRenderPass, gpu.vk.DestroyRenderPass, info, &pass);
  }
};

}  // namespace

std::vector<Entry> objectScenarios() {
  Entry forWindows{"instance for windows", makeScenario<WindowInstances>};
  forWindows.missing = [] { return windowLibraries() ? nullptr : "no X libraries"; };
  return {{"instance", makeScenario<Instances>},
          forWindows,
          {"device", makeScenario<Devices>},
          {"memory, buffers, images, views", makeScenario<Memory>},
          {"samplers, layouts, descriptor sets", makeScenario<Descriptors>},
          {"fences, semaphores, events", makeScenario<Synchronization>},
          {"all other objects", makeScenario<Others>}};
}

}  // namespace oom
