// Memory that is bound page by page, and descriptors in a buffer of the application.
#include "tests/out_of_memory/scenario.h"

#include "probe.comp.h"

namespace oom {
namespace {

constexpr uint64_t kPatienceNs = 20'000'000'000;

/// A buffer and an image without memory, then with some, which commands use.
class Sparse : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &bound_));
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fence, &done_));
    OOM_TRY(gpu.makeBuffer(4096, &read_));
    VkCommandPool pool;
    OOM_TRY(gpu.makePool(&pool));
    return gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &commands_);
  }

  VkResult act(Gpu& gpu) override {
    VkBuffer buffer;
    VkImage image;
    OOM_TRY(makeResources(gpu, &buffer, &image));
    VkMemoryRequirements needs;
    gpu.vk.GetBufferMemoryRequirements(gpu.device, buffer, &needs);
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 2 * needs.alignment, 0};
    VkDeviceMemory memory;
    OOM_TRY(gpu.make(gpu.vk.AllocateMemory, gpu.vk.FreeMemory, info, &memory));
    // The second page of the buffer and a block of the image; the rest has nothing.
    const VkSparseMemoryBind page{needs.alignment, needs.alignment, memory, 0, 0};
    const VkSparseBufferMemoryBindInfo ofBuffer{buffer, 1, &page};
    VkSparseImageMemoryBind block{};
    block.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    block.extent = {128, 128, 1};
    block.memory = memory;
    block.memoryOffset = needs.alignment;
    const VkSparseImageMemoryBindInfo ofImage{image, 1, &block};
    VkBindSparseInfo bind{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    bind.bufferBindCount = bind.imageBindCount = 1;
    bind.pBufferBinds = &ofBuffer;
    bind.pImageBinds = &ofImage;
    OOM_TRY(gpu.vk.QueueBindSparse(gpu.queue, 1, &bind, bound_));
    // Commands wait for no binds that no semaphore or fence names ("Sparse Resource Features", Sparse Binding).
    OOM_TRY(gpu.vk.WaitForFences(gpu.device, 1, &bound_, VK_TRUE, kPatienceNs));
    const VkResult result = use(gpu, buffer, needs.alignment);
    // No object may go before its queue is done with it.
    const VkResult waited = gpu.vk.DeviceWaitIdle(gpu.device);
    return result == VK_SUCCESS ? waited : result;
  }

 private:
  static VkResult makeResources(Gpu& gpu, VkBuffer* buffer, VkImage* image) {
    VkBufferCreateInfo bytes{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    bytes.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;
    bytes.size = 1 << 20;
    bytes.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    OOM_TRY(gpu.make(gpu.vk.CreateBuffer, gpu.vk.DestroyBuffer, bytes, buffer));
    VkImageCreateInfo texels{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    texels.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
    texels.imageType = VK_IMAGE_TYPE_2D;
    texels.format = VK_FORMAT_R8G8B8A8_UNORM;
    texels.extent = {512, 512, 1};
    texels.mipLevels = texels.arrayLayers = 1;
    texels.samples = VK_SAMPLE_COUNT_1_BIT;
    texels.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return gpu.make(gpu.vk.CreateImage, gpu.vk.DestroyImage, texels, image);
  }

  VkResult use(Gpu& gpu, VkBuffer buffer, VkDeviceSize page) {
    OOM_TRY(gpu.begin(commands_));
    gpu.vk.CmdFillBuffer(commands_, buffer, 0, VK_WHOLE_SIZE, 77);
    const VkBufferCopy copy{page, 0, 4};
    gpu.vk.CmdCopyBuffer(commands_, buffer, read_.buffer, 1, &copy);
    OOM_TRY(gpu.vk.EndCommandBuffer(commands_));
    OOM_TRY(gpu.submitAndWait(commands_, done_));
    return read_.words[0] == 77 ? VK_SUCCESS : VK_ERROR_UNKNOWN;
  }

  Buffer read_;
  VkFence bound_ = VK_NULL_HANDLE, done_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

/// VK_EXT_descriptor_buffer: a set that lies in one, and a dispatch with it.
class DescriptorBuffer : public Scenario {
 public:
  VkResult prepare(Gpu& gpu) override {
    VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
    gpu.vk.GetPhysicalDeviceProperties2(gpu.physical, &properties);
    slotBytes_ = sizes.storageBufferDescriptorSize;
    return slotBytes_ <= kBytes ? VK_SUCCESS : VK_ERROR_UNKNOWN;
  }

  VkResult act(Gpu& gpu) override {
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    Addressed set, output;
    OOM_TRY(makeLayout(gpu, &layout));
    OOM_TRY(makePipeline(gpu, layout, &pipeline));
    OOM_TRY(makeAddressed(gpu, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT, &set));
    OOM_TRY(makeAddressed(gpu, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &output));
    const VkDescriptorAddressInfoEXT at{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr, output.address, kBytes,
                                        VK_FORMAT_UNDEFINED};
    VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT};
    info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    info.data.pStorageBuffer = &at;
    gpu.vk.GetDescriptorEXT(gpu.device, &info, slotBytes_, set.words);
    OOM_TRY(gpu.makePool(&pool));
    OOM_TRY(gpu.makeCommands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &commands));
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    OOM_TRY(gpu.make(gpu.vk.CreateFence, gpu.vk.DestroyFence, fenceInfo, &fence));
    OOM_TRY(gpu.begin(commands));
    gpu.vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const VkDescriptorBufferBindingInfoEXT binding{VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr,
                                                   set.address, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT};
    gpu.vk.CmdBindDescriptorBuffersEXT(commands, 1, &binding);
    const uint32_t first = 0;
    const VkDeviceSize offset = 0;
    gpu.vk.CmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &first, &offset);
    gpu.vk.CmdDispatch(commands, 4, 1, 1);
    OOM_TRY(gpu.vk.EndCommandBuffer(commands));
    const VkResult result = gpu.submitAndWait(commands, fence);
    // No object may go before its queue is done with it: the wait may be what failed.
    const VkResult waited = gpu.vk.DeviceWaitIdle(gpu.device);
    OOM_TRY(result);
    OOM_TRY(waited);
    return output.words[255] == 3 * 255 + 1 ? VK_SUCCESS : VK_ERROR_UNKNOWN;
  }

 private:
  static constexpr VkDeviceSize kBytes = 1024;
  struct Addressed {
    uint32_t* words = nullptr;
    VkDeviceAddress address = 0;
  };

  static VkResult makeLayout(Gpu& gpu, VkPipelineLayout* out) {
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayout set;
    OOM_TRY(gpu.make(gpu.vk.CreateDescriptorSetLayout, gpu.vk.DestroyDescriptorSetLayout, info, &set));
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set;
    return gpu.make(gpu.vk.CreatePipelineLayout, gpu.vk.DestroyPipelineLayout, layout, out);
  }
  static VkResult makePipeline(Gpu& gpu, VkPipelineLayout layout, VkPipeline* out) {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = layout;
    OOM_TRY(gpu.makeModule(probe_comp, &info.stage.module));
    OOM_TRY(gpu.vk.CreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, gpu.callbacks, out));
    gpu.later([&gpu, pipeline = *out] { gpu.vk.DestroyPipeline(gpu.device, pipeline, gpu.callbacks); });
    return VK_SUCCESS;
  }
  static VkResult makeAddressed(Gpu& gpu, VkBufferUsageFlags usage, Addressed* out) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = kBytes;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer;
    OOM_TRY(gpu.make(gpu.vk.CreateBuffer, gpu.vk.DestroyBuffer, info, &buffer));
    VkMemoryRequirements needs;
    gpu.vk.GetBufferMemoryRequirements(gpu.device, buffer, &needs);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size, 0};
    VkDeviceMemory memory;
    OOM_TRY(gpu.make(gpu.vk.AllocateMemory, gpu.vk.FreeMemory, allocate, &memory));
    OOM_TRY(gpu.vk.BindBufferMemory(gpu.device, buffer, memory, 0));
    void* data = nullptr;
    OOM_TRY(gpu.vk.MapMemory(gpu.device, memory, 0, VK_WHOLE_SIZE, 0, &data));
    out->words = static_cast<uint32_t*>(data);
    const VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    out->address = gpu.vk.GetBufferDeviceAddress(gpu.device, &which);
    return VK_SUCCESS;
  }

  size_t slotBytes_ = 0;  ///< of a storage buffer's descriptor
};

}  // namespace

std::vector<Entry> sparseScenarios() {
  return {{"sparse memory", makeScenario<Sparse>}, {"descriptor buffer", makeScenario<DescriptorBuffer>}};
}

}  // namespace oom
