// Objects and limits apart from drawing: enumeration, memory types and requirements, aliased and mapped memory,
// descriptor pools, templates and copies, push descriptors, pipeline caches that are merged and cut, identifiers of
// modules.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/compute.h"

namespace etzel::cts {
namespace {

const char* const addOne =
    "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer A { uint a[]; };\nlayout(binding=1) buffer R "
    "{ uint r[]; };\n"
    "void main() { uint i = gl_LocalInvocationIndex; r[i] = a[i] * 3u + 1u; }\n";

void enumeration() {
  for (const char* what : {"extensions", "physical_devices", "device_extensions", "layers"})
    add(text("api.enumerate.incomplete.%s", what), [=](Gpu& gpu) {
      // "VK_INCOMPLETE is returned instead of VK_SUCCESS, to indicate that not all were returned", and no more are
      // written.
      std::string w = what;
      uint32_t count = 0, asked;
      std::vector<VkExtensionProperties> list(512);
      std::vector<VkLayerProperties> layers(64);
      std::vector<VkPhysicalDevice> devices(16, VK_NULL_HANDLE);
      auto call = [&](uint32_t* n, bool data) {
        if (w == "extensions") return vkEnumerateInstanceExtensionProperties(nullptr, n, data ? list.data() : nullptr);
        if (w == "layers") return vkEnumerateDeviceLayerProperties(gpu.physical, n, data ? layers.data() : nullptr);
        if (w == "physical_devices")
          return vkEnumeratePhysicalDevices(gpu.instance, n, data ? devices.data() : nullptr);
        return vkEnumerateDeviceExtensionProperties(gpu.physical, nullptr, n, data ? list.data() : nullptr);
      };
      CTS_VK(call(&count, false));
      gpu.require(count > 0 && count < 512, "something to enumerate");
      asked = count - 1;
      EXPECT_EQ(call(&asked, true), VK_INCOMPLETE);
      EXPECT_EQ(asked, count - 1);
      asked = count + 3;
      EXPECT_EQ(call(&asked, true), VK_SUCCESS);
      EXPECT_EQ(asked, count);
    });
  add("api.features.dependencies", [](Gpu& gpu) {
    auto& f = gpu.features.features;
    EXPECT_TRUE(f.robustBufferAccess);
    // Features that Vulkan 1.3 requires.
    EXPECT_TRUE(gpu.features13.dynamicRendering && gpu.features13.synchronization2 && gpu.features13.maintenance4);
    EXPECT_TRUE(gpu.features13.robustImageAccess && gpu.features13.inlineUniformBlock &&
                gpu.features13.shaderIntegerDotProduct);
    EXPECT_TRUE(gpu.features12.timelineSemaphore && gpu.features12.bufferDeviceAddress &&
                gpu.features12.vulkanMemoryModel);
    EXPECT_TRUE(gpu.features12.imagelessFramebuffer && gpu.features12.hostQueryReset &&
                gpu.features12.subgroupBroadcastDynamicId);
    EXPECT_TRUE(gpu.features11.multiview);
  });
}

void descriptorPools() {
  for (uint32_t sets : {1u, 3u})
    add(text("api.descriptor_pool.exhausted.sets%u", sets), [=](Gpu& gpu) {
      VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr};
      VkDescriptorSetLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                                 &binding};
      VkDescriptorSetLayout layout;
      CTS_VK(vkCreateDescriptorSetLayout(gpu.device, &layoutInfo, nullptr, &layout));
      gpu.later([&gpu, layout] { vkDestroyDescriptorSetLayout(gpu.device, layout, nullptr); });
      VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets};
      VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, sets, 1, &size};
      VkDescriptorPool p;
      CTS_VK(vkCreateDescriptorPool(gpu.device, &info, nullptr, &p));
      gpu.later([&gpu, p] { vkDestroyDescriptorPool(gpu.device, p, nullptr); });
      for (int round = 0; round < 3; ++round) {
        std::set<VkDescriptorSet> seen;
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, p, 1, &layout};
        for (uint32_t i = 0; i < sets; ++i) {
          VkDescriptorSet s;
          CTS_VK(vkAllocateDescriptorSets(gpu.device, &allocate, &s));
          seen.insert(s);
        }
        EXPECT_EQ(seen.size(), sets);
        CTS_VK(vkResetDescriptorPool(gpu.device, p, 0));
      }
    });
}

VkPipelineLayout pipelineLayoutOf(Gpu& gpu, VkDescriptorSetLayout set) {
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set};
  VkPipelineLayout layout;
  CTS_VK(vkCreatePipelineLayout(gpu.device, &info, nullptr, &layout));
  gpu.later([&gpu, layout] { vkDestroyPipelineLayout(gpu.device, layout, nullptr); });
  return layout;
}

VkPipeline addingPipeline(Gpu& gpu, VkPipelineLayout layout) {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT, addOne);
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline pipeline;
  CTS_VK(vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  gpu.later([&gpu, pipeline] { vkDestroyPipeline(gpu.device, pipeline, nullptr); });
  return pipeline;
}

void descriptorUpdates() {
  for (const char* how : {"template", "copy", "push"})
    add(text("api.descriptors.%s", how), [=](Gpu& gpu) {
      std::string h = how;
      if (h == "push") gpu.requireExtension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
      Buffer a = gpu.buffer(64), wrong = gpu.buffer(64), out = gpu.buffer(64);
      for (uint32_t i = 0; i < 16; ++i) a.as<uint32_t>()[i] = i * i, wrong.as<uint32_t>()[i] = 99;
      VkDescriptorSetLayoutBinding bindings[2] = {
          {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
          {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
      VkDescriptorSetLayoutCreateInfo layoutInfo{
          VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr,
          VkDescriptorSetLayoutCreateFlags(h == "push" ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0),
          2, bindings};
      VkDescriptorSetLayout layout;
      CTS_VK(vkCreateDescriptorSetLayout(gpu.device, &layoutInfo, nullptr, &layout));
      gpu.later([&gpu, layout] { vkDestroyDescriptorSetLayout(gpu.device, layout, nullptr); });
      VkPipelineLayout pipelineLayout = pipelineLayoutOf(gpu, layout);
      VkPipeline pipeline = addingPipeline(gpu, pipelineLayout);
      VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4};
      VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 2, 1, &size};
      VkDescriptorPool p;
      CTS_VK(vkCreateDescriptorPool(gpu.device, &poolInfo, nullptr, &p));
      gpu.later([&gpu, p] { vkDestroyDescriptorPool(gpu.device, p, nullptr); });
      VkDescriptorSet list[2] = {};
      VkDescriptorSetLayout both[2] = {layout, layout};
      VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, p, 2, both};
      if (h != "push") CTS_VK(vkAllocateDescriptorSets(gpu.device, &allocate, list));
      VkDescriptorBufferInfo infos[2] = {{a.handle, 0, VK_WHOLE_SIZE}, {out.handle, 0, VK_WHOLE_SIZE}};
      VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, list[0], 0, 0, 2,
                                 VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, infos};
      if (h == "copy") {
        // The second set gets the first one's descriptors; then the first one changes.
        vkUpdateDescriptorSets(gpu.device, 1, &write, 0, nullptr);
        VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, list[0], 0, 0, list[1], 0, 0, 2};
        vkUpdateDescriptorSets(gpu.device, 0, nullptr, 1, &copy);
        infos[0].buffer = wrong.handle;
        vkUpdateDescriptorSets(gpu.device, 1, &write, 0, nullptr);
        list[0] = list[1];
      }
      if (h == "template") {
        // The two structures lie apart, in the other order.
        struct {
          VkDescriptorBufferInfo out;
          uint32_t filler[5];
          VkDescriptorBufferInfo in;
        } data = {infos[1], {}, infos[0]};
        VkDescriptorUpdateTemplateEntry entries[2] = {
            {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(decltype(data), in), 0},
            {1, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(decltype(data), out), 0}};
        VkDescriptorUpdateTemplateCreateInfo t{
            VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO, nullptr, 0, 2, entries,
            VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,        layout};
        VkDescriptorUpdateTemplate handle;
        CTS_VK(vkCreateDescriptorUpdateTemplate(gpu.device, &t, nullptr, &handle));
        vkUpdateDescriptorSetWithTemplate(gpu.device, list[0], handle, &data);
        vkDestroyDescriptorUpdateTemplate(gpu.device, handle, nullptr);
      }
      gpu.submit([&](VkCommandBuffer cmd) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        if (h == "push")
          gpu.proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR")(cmd, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                                               pipelineLayout, 0, 1, &write);
        else
          vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipelineLayout, 0, 1, list, 0, nullptr);
        vkCmdDispatch(cmd, 1, 1, 1);
      });
      for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(out.as<uint32_t>()[i], i * i * 3 + 1) << i;
    });
}

void api() {
  enumeration();
  descriptorPools();
  descriptorUpdates();
}

void memoryTypes() {
  add("memory.types", [](Gpu& gpu) {
    // "There must be at least one memory type with HOST_VISIBLE and HOST_COHERENT, and at least one with DEVICE_LOCAL."
    bool coherent = false, local = false;
    for (uint32_t i = 0; i < gpu.memory.memoryTypeCount; ++i) {
      auto flags = gpu.memory.memoryTypes[i].propertyFlags;
      EXPECT_LT(gpu.memory.memoryTypes[i].heapIndex, gpu.memory.memoryHeapCount);
      constexpr auto both = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
      coherent |= (flags & both) == both;
      local |= flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
      // "If the flags of X are a strict subset of those of Y", X comes first.
      for (uint32_t k = 0; k < i; ++k) {
        auto before = gpu.memory.memoryTypes[k].propertyFlags;
        bool same = gpu.memory.memoryTypes[k].heapIndex == gpu.memory.memoryTypes[i].heapIndex;
        bool fewer = flags != before && (flags & before) == flags;
        EXPECT_FALSE(same && fewer) << "type " << i << " has fewer flags than type " << k;
      }
    }
    EXPECT_TRUE(coherent && local);
    for (uint32_t i = 0; i < gpu.memory.memoryHeapCount; ++i) EXPECT_GT(gpu.memory.memoryHeaps[i].size, 0u);
  });
  for (uint32_t size : {1u, 17u, 4096u, 100000u})
    add(text("memory.requirements.buffer%u", size), [=](Gpu& gpu) {
      VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
      info.size = size, info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
      VkDeviceBufferMemoryRequirements query{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr, &info};
      VkMemoryRequirements2 before{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
      vkGetDeviceBufferMemoryRequirements(gpu.device, &query, &before);
      for (int i = 0; i < 2; ++i) {
        VkBuffer b;
        CTS_VK(vkCreateBuffer(gpu.device, &info, nullptr, &b));
        VkMemoryRequirements r;
        vkGetBufferMemoryRequirements(gpu.device, b, &r);
        vkDestroyBuffer(gpu.device, b, nullptr);
        EXPECT_EQ(r.size, before.memoryRequirements.size);
        EXPECT_EQ(r.alignment, before.memoryRequirements.alignment);
        EXPECT_EQ(r.memoryTypeBits, before.memoryRequirements.memoryTypeBits);
        EXPECT_GE(r.size, size);
        EXPECT_EQ(r.alignment & (r.alignment - 1), 0u);
        EXPECT_NE(r.memoryTypeBits, 0u);
      }
    });
}

void mappedMemory() {
  for (uint32_t offset : {0u, 64u, 1000u})
    add(text("memory.map.at%u", offset), [=](Gpu& gpu) {
      // A part of memory mapped shows the same bytes as the whole.
      VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
      allocate.allocationSize = 65536;
      allocate.memoryTypeIndex =
          gpu.memoryType(~0u, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
      VkDeviceMemory m;
      CTS_VK(vkAllocateMemory(gpu.device, &allocate, nullptr, &m));
      gpu.later([&gpu, m] { vkFreeMemory(gpu.device, m, nullptr); });
      void* p;
      CTS_VK(vkMapMemory(gpu.device, m, 0, VK_WHOLE_SIZE, 0, &p));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % gpu.limits().minMemoryMapAlignment, 0u);
      for (uint32_t i = 0; i < 65536; ++i) static_cast<uint8_t*>(p)[i] = uint8_t(i * 13 + i / 256);
      vkUnmapMemory(gpu.device, m);
      CTS_VK(vkMapMemory(gpu.device, m, offset, 500, 0, &p));
      for (uint32_t i = 0; i < 500; ++i)
        ASSERT_EQ(static_cast<uint8_t*>(p)[i], uint8_t((i + offset) * 13 + (i + offset) / 256)) << i;
      EXPECT_EQ((reinterpret_cast<uintptr_t>(p) - offset) % gpu.limits().minMemoryMapAlignment, 0u);
      vkUnmapMemory(gpu.device, m);
    });
}

void aliasedMemory() {
  for (uint32_t width : {16u, 64u})
    add(text("memory.aliased_linear_image.width%u", width), [=](Gpu& gpu) {
      // A linear image in memory that a buffer shares: texels are where vkGetImageSubresourceLayout says.
      VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
      info.imageType = VK_IMAGE_TYPE_2D, info.format = VK_FORMAT_R8G8B8A8_UNORM, info.extent = {width, 8, 1};
      info.mipLevels = info.arrayLayers = 1, info.samples = VK_SAMPLE_COUNT_1_BIT, info.tiling = VK_IMAGE_TILING_LINEAR;
      info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
      VkImage image;
      CTS_VK(vkCreateImage(gpu.device, &info, nullptr, &image));
      gpu.later([&gpu, image] { vkDestroyImage(gpu.device, image, nullptr); });
      VkMemoryRequirements needs;
      vkGetImageMemoryRequirements(gpu.device, image, &needs);
      Buffer shared = gpu.buffer(needs.size + 4096);
      gpu.require(needs.memoryTypeBits & 1u << gpu.memoryType(~0u, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
                  "host memory for images");
      CTS_VK(vkBindImageMemory(gpu.device, image, shared.memory, 0));
      VkImageSubresource sub{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
      VkSubresourceLayout layout;
      vkGetImageSubresourceLayout(gpu.device, image, &sub, &layout);
      Buffer data = gpu.buffer(width * 8 * 4);
      for (uint32_t i = 0; i < width * 8; ++i) data.as<uint32_t>()[i] = i * 2654435761u;
      gpu.submit([&](VkCommandBuffer cmd) {
        VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                     nullptr,
                                     0,
                                     VK_ACCESS_TRANSFER_WRITE_BIT,
                                     VK_IMAGE_LAYOUT_UNDEFINED,
                                     VK_IMAGE_LAYOUT_GENERAL,
                                     VK_QUEUE_FAMILY_IGNORED,
                                     VK_QUEUE_FAMILY_IGNORED,
                                     image,
                                     {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                             nullptr, 1, &barrier);
        VkBufferImageCopy copy{};
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, copy.imageExtent = {width, 8, 1};
        vkCmdCopyBufferToImage(cmd, data.handle, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
      });
      for (uint32_t y = 0; y < 8; ++y)
        ASSERT_EQ(memcmp(shared.as<uint8_t>() + layout.offset + y * layout.rowPitch, data.as<uint32_t>() + y * width,
                         width * 4),
                  0)
            << "row " << y;
    });
}

void memory() {
  memoryTypes();
  mappedMemory();
  aliasedMemory();
}

VkPipelineCache cacheOf(Gpu& gpu, const std::vector<uint8_t>& data) {
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, data.size(), data.data()};
  VkPipelineCache cache;
  CTS_VK(vkCreatePipelineCache(gpu.device, &info, nullptr, &cache));
  gpu.later([&gpu, cache] { vkDestroyPipelineCache(gpu.device, cache, nullptr); });
  return cache;
}
std::vector<uint8_t> dataOf(Gpu& gpu, VkPipelineCache cache) {
  size_t size = 0;
  CTS_VK(vkGetPipelineCacheData(gpu.device, cache, &size, nullptr));
  std::vector<uint8_t> data(size);
  CTS_VK(vkGetPipelineCacheData(gpu.device, cache, &size, data.data()));
  data.resize(size);
  return data;
}
/// Runs a shader that depends on `seed` with the given cache.
void useCache(Gpu& gpu, VkPipelineCache cache, uint32_t seed) {
  VkPipelineCache before = gpu.cache;
  gpu.cache = cache;
  Buffer r = gpu.buffer(64);
  Dispatch d{
      text("#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer R { uint r[]; };\nvoid main() { uint i "
           "= gl_LocalInvocationIndex; r[i] = i * %uu + (i ^ %uu); }\n",
           seed, seed + 3)};
  d.bindings = {storage(r)};
  gpu.dispatch(d);
  gpu.cache = before;
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(r.as<uint32_t>()[i], i * seed + (i ^ (seed + 3))) << "shader " << seed;
}

void caches() {
  for (uint32_t shaders : {1u, 4u})
    add(text("pipeline_cache.round_trip.shaders%u", shaders), [=](Gpu& gpu) {
      VkPipelineCache first = cacheOf(gpu, {});
      for (uint32_t i = 0; i < shaders; ++i) useCache(gpu, first, 11 + i);
      VkPipelineCache second = cacheOf(gpu, dataOf(gpu, first));
      for (uint32_t i = 0; i < shaders + 1; ++i) useCache(gpu, second, 11 + i);
      EXPECT_GE(dataOf(gpu, second).size(), sizeof(VkPipelineCacheHeaderVersionOne));
    });
  add("pipeline_cache.merge", [](Gpu& gpu) {
    VkPipelineCache list[3] = {cacheOf(gpu, {}), cacheOf(gpu, {}), cacheOf(gpu, {})};
    for (uint32_t i = 0; i < 3; ++i) useCache(gpu, list[i], 31 + i);
    CTS_VK(vkMergePipelineCaches(gpu.device, list[0], 2, list + 1));
    for (uint32_t i = 0; i < 3; ++i) useCache(gpu, list[0], 31 + i);
    EXPECT_GE(dataOf(gpu, list[0]).size(), dataOf(gpu, list[1]).size());
  });
  for (uint32_t keep : {0u, 16u, 40u})
    add(text("pipeline_cache.cut.at%u", keep), [=](Gpu& gpu) {
      VkPipelineCache cache = cacheOf(gpu, {});
      useCache(gpu, cache, 51);
      auto all = dataOf(gpu, cache);
      gpu.require(all.size() > keep, "data");
      // "VK_INCOMPLETE if the data does not fit": at most the size is written, and it is no more than was asked.
      std::vector<uint8_t> part(keep + 16, 0xee);
      size_t size = keep;
      EXPECT_EQ(vkGetPipelineCacheData(gpu.device, cache, &size, part.data()), VK_INCOMPLETE);
      EXPECT_LE(size, keep);
      for (uint32_t i = keep; i < part.size(); ++i) ASSERT_EQ(part[i], 0xee) << "beyond the size";
      part.resize(size);
      useCache(gpu, cacheOf(gpu, part), 51);
    });
  add("pipeline_cache.compile_required", [](Gpu& gpu) {
    gpu.require(gpu.features13.pipelineCreationCacheControl, "pipelineCreationCacheControl");
    Gpu::Set set = gpu.set({}, 0);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr,
                                     VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT, "#version 450\nvoid main() {}\n");
    info.stage.pName = "main";
    info.layout = set.pipeline;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkResult result = vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    EXPECT_TRUE(result == VK_SUCCESS || result == VK_PIPELINE_COMPILE_REQUIRED) << result;
    EXPECT_EQ(pipeline != VK_NULL_HANDLE, result == VK_SUCCESS);
    if (pipeline) vkDestroyPipeline(gpu.device, pipeline, nullptr);
  });
}

/// A compute pipeline of the module or, where that is null, of the one that has the identifier; null where the driver
/// would have to compile it.
VkPipeline pipelineByIdentifier(Gpu& gpu, VkPipelineLayout layout, VkPipelineCache cache, VkShaderModule module,
                                const VkShaderModuleIdentifierEXT& id) {
  const VkPipelineShaderStageModuleIdentifierCreateInfoEXT by{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT, nullptr, id.identifierSize,
      id.identifier};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  if (!module) info.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, module ? nullptr : &by};
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult r = vkCreateComputePipelines(gpu.device, cache, 1, &info, nullptr, &pipeline);
  if (module || r != VK_PIPELINE_COMPILE_REQUIRED) CTS_VK(r);
  gpu.later([&gpu, pipeline] { vkDestroyPipeline(gpu.device, pipeline, nullptr); });
  return pipeline;
}

/// Modules that differ in one constant have identifiers of their own, and each identifier gives its own module's
/// pipeline or none.
void moduleIdentifierCase(Gpu& gpu) {
  gpu.requireExtension(VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME);
  const auto ofModule = gpu.proc<PFN_vkGetShaderModuleIdentifierEXT>("vkGetShaderModuleIdentifierEXT");
  const auto ofInfo =
      gpu.proc<PFN_vkGetShaderModuleCreateInfoIdentifierEXT>("vkGetShaderModuleCreateInfoIdentifierEXT");
  const VkPipelineCache cache = cacheOf(gpu, {});
  const Buffer r = gpu.buffer(64);
  const Gpu::Set set = gpu.set({storage(r)}, 0);
  constexpr uint32_t kModules = 3;
  VkShaderModuleIdentifierEXT ids[kModules];
  for (uint32_t i = 0; i < kModules; ++i) {
    const std::vector<uint32_t> words =
        compileGlsl(VK_SHADER_STAGE_COMPUTE_BIT,
                    text("#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer R { uint r[]; };\n"
                         "void main() { r[gl_LocalInvocationIndex] = gl_LocalInvocationIndex + %uu; }\n",
                         1000 * (i + 1)));
    const VkShaderModule module = gpu.module(words);
    ids[i] = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    ofModule(gpu.device, module, &ids[i]);
    ASSERT_GT(ids[i].identifierSize, 0u);
    ASSERT_LE(ids[i].identifierSize, VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT);
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                  words.data()};
    VkShaderModuleIdentifierEXT again{VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    ofInfo(gpu.device, &info, &again);
    ASSERT_EQ(again.identifierSize, ids[i].identifierSize);
    EXPECT_EQ(memcmp(again.identifier, ids[i].identifier, again.identifierSize), 0);
    for (uint32_t j = 0; j < i; ++j)
      EXPECT_NE(memcmp(ids[j].identifier, ids[i].identifier, again.identifierSize), 0) << j << " and " << i;
    pipelineByIdentifier(gpu, set.pipeline, cache, module, ids[i]);
  }
  for (uint32_t i = 0; i < kModules; ++i) {
    const VkPipeline pipeline = pipelineByIdentifier(gpu, set.pipeline, cache, VK_NULL_HANDLE, ids[i]);
    if (!pipeline) continue;
    gpu.submit([&](VkCommandBuffer cmd) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, set.pipeline, 0, 1, &set.set, 0, nullptr);
      vkCmdDispatch(cmd, 1, 1, 1);
    });
    for (uint32_t k = 0; k < 16; ++k) ASSERT_EQ(r.as<uint32_t>()[k], k + 1000 * (i + 1)) << "module " << i;
  }
  ++ids[0].identifier[0];
  EXPECT_EQ(pipelineByIdentifier(gpu, set.pipeline, cache, VK_NULL_HANDLE, ids[0]), VkPipeline(VK_NULL_HANDLE))
      << "nobody's identifier";
}

}  // namespace

void registerObjects() {
  api();
  memory();
  caches();
  add("pipeline_cache.module_identifier", moduleIdentifierCase);
}

}  // namespace etzel::cts
