// VK_EXT_device_address_binding_report: what is bound is told as what it is, with the addresses that the object has
// then, and unbound as it was bound.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "cts-subset/cases/api/reports.h"

namespace etzel::cts {
namespace {

struct Range {
  VkDeviceAddress begin;
  VkDeviceSize size;
  bool operator==(const Range&) const = default;
};

/// Handles of different types may have the same number.
using Name = std::pair<VkObjectType, uint64_t>;
Name nameOf(VkBuffer b) { return {VK_OBJECT_TYPE_BUFFER, uint64_t(b)}; }
Name nameOf(VkImage i) { return {VK_OBJECT_TYPE_IMAGE, uint64_t(i)}; }
Name nameOf(VkDeviceMemory m) { return {VK_OBJECT_TYPE_DEVICE_MEMORY, uint64_t(m)}; }

/// A device with the feature, and what is bound on it.
class Watched : public vktest::Device {
 public:
  Watched(Gpu& gpu, bool on, std::vector<const char*> extensions = {}) {
    extensions.push_back(VK_EXT_DEVICE_ADDRESS_BINDING_REPORT_EXTENSION_NAME);
    requireOffered(gpu, extensions);
    gpu.require(gpu.features12.bufferDeviceAddress, "bufferDeviceAddress");
    std::vector<const char*> instanceExtensions(1, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    for (const char* name : {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME})
      if (gpu.instanceExtensions.count(name)) instanceExtensions.push_back(name);
    openInstance("etzel-cts", VK_API_VERSION_1_3, instanceExtensions);
    messenger_ = listen(VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT);
    others_ = listen(VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT);
    VkPhysicalDeviceVulkan11Features features11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    features11.samplerYcbcrConversion = gpu.features11.samplerYcbcrConversion;
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features11};
    features12.bufferDeviceAddress = VK_TRUE;
    VkPhysicalDeviceAddressBindingReportFeaturesEXT report{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ADDRESS_BINDING_REPORT_FEATURES_EXT, &features12, on};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &report, {}};
    features.features.sparseBinding = gpu.features.features.sparseBinding;
    features.features.sparseResidencyBuffer = gpu.features.features.sparseResidencyBuffer;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    family = gpu.family;
    openDevice(info);
  }
  /// Nothing stays bound without the device.
  ~Watched() {
    release();
    vkDestroyDevice(device, nullptr);
    device = VK_NULL_HANDLE;
    for (const auto& [object, ranges] : bound_) EXPECT_TRUE(ranges.empty()) << "of object " << object.second;
    const auto destroy = proc<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT");
    destroy(instance, others_, nullptr);
    destroy(instance, messenger_, nullptr);
  }

  template <class F>
  F proc(const char* name) const {
    return reinterpret_cast<F>(vkGetInstanceProcAddr(instance, name));
  }
  size_t messages() {
    std::lock_guard lock(mutex_);
    return messages_;
  }
  template <class T>
  std::vector<Range> rangesOf(T object) {
    std::lock_guard lock(mutex_);
    return bound_[nameOf(object)];
  }
  /// Whether each of `bytes` from `begin` on is bound for the object.
  template <class T>
  bool covers(T object, VkDeviceAddress begin, VkDeviceSize bytes) {
    std::vector<Range> ranges = rangesOf(object);
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    VkDeviceAddress upTo = begin;
    for (const Range& r : ranges)
      if (r.begin <= upTo) upTo = std::max(upTo, r.begin + r.size);
    return upTo >= begin + bytes;
  }
  /// The application has the handle from here on.
  template <class T>
  T known(T object) {
    std::lock_guard lock(mutex_);
    known_.insert(nameOf(object));
    return object;
  }

  VkBuffer makeBuffer(VkDeviceSize bytes, VkBufferCreateFlags flags = 0) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.flags = flags;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    CTS_VK(vkCreateBuffer(device, &info, nullptr, &buffer));
    return known(buffer);
  }
  VkDeviceMemory allocate(const VkMemoryRequirements& needs) {
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size,
                                    memoryType(needs.memoryTypeBits, 0)};
    VkDeviceMemory made = VK_NULL_HANDLE;
    CTS_VK(vkAllocateMemory(device, &info, nullptr, &made));
    later([this, made] { vkFreeMemory(device, made, nullptr); });
    return known(made);
  }
  VkDeviceAddress addressOf(VkBuffer buffer) const {
    const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    return vkGetBufferDeviceAddress(device, &info);
  }

 private:
  VkDebugUtilsMessengerEXT listen(VkDebugUtilsMessageTypeFlagsEXT types) {
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    info.messageType = types;
    info.pfnUserCallback = hear;
    info.pUserData = types == VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT ? this : nullptr;
    VkDebugUtilsMessengerEXT made = VK_NULL_HANDLE;
    CTS_VK(proc<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(instance, &info, nullptr, &made));
    return made;
  }
  static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                             VkDebugUtilsMessageTypeFlagsEXT types,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    if (user) {
      EXPECT_EQ(severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
      EXPECT_EQ(types, VkFlags(VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT));
      static_cast<Watched*>(user)->hear(*data);
    } else {
      EXPECT_FALSE(types & VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT);
    }
    return VK_FALSE;
  }
  void hear(const VkDebugUtilsMessengerCallbackDataEXT& data) {
    std::lock_guard lock(mutex_);
    ++messages_;
    const auto* binding = static_cast<const VkDeviceAddressBindingCallbackDataEXT*>(data.pNext);
    ASSERT_TRUE(binding && binding->sType == VK_STRUCTURE_TYPE_DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT);
    ASSERT_GE(data.objectCount, 1u);
    EXPECT_NE(data.pMessage, nullptr);
    const Name object(data.pObjects[0].objectType, data.pObjects[0].objectHandle);
    EXPECT_EQ(known_.count(object) == 0, (binding->flags & VK_DEVICE_ADDRESS_BINDING_INTERNAL_OBJECT_BIT_EXT) != 0);
    std::vector<Range>& ranges = bound_[object];
    const Range range{binding->baseAddress, binding->size};
    EXPECT_NE(range.begin, 0u);
    EXPECT_NE(range.size, 0u);
    if (binding->bindingType == VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT) return ranges.push_back(range);
    const auto found = std::find(ranges.begin(), ranges.end(), range);
    ASSERT_NE(found, ranges.end()) << "what is unbound was not bound so";
    ranges.erase(found);
  }

  std::mutex mutex_;  // messages may come from several threads
  size_t messages_ = 0;
  std::map<Name, std::vector<Range>> bound_;
  std::set<Name> known_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE, others_ = VK_NULL_HANDLE;
};

/// Two buffers that share memory, the second one behind the first.
void buffers(Gpu& gpu) {
  Watched w(gpu, true);
  const VkBuffer first = w.makeBuffer(5'000), second = w.makeBuffer(3'000);
  VkMemoryRequirements needs, more;
  vkGetBufferMemoryRequirements(w.device, first, &needs);
  vkGetBufferMemoryRequirements(w.device, second, &more);
  const VkDeviceSize offset = (needs.size + more.alignment - 1) / more.alignment * more.alignment;
  needs.size = offset + more.size;
  const VkDeviceMemory memory = w.allocate(needs);
  EXPECT_FALSE(w.rangesOf(memory).empty());
  EXPECT_TRUE(w.rangesOf(first).empty());
  CTS_VK(vkBindBufferMemory(w.device, first, memory, 0));
  CTS_VK(vkBindBufferMemory(w.device, second, memory, offset));
  EXPECT_TRUE(w.covers(first, w.addressOf(first), 5'000));
  EXPECT_TRUE(w.covers(second, w.addressOf(second), 3'000));
  EXPECT_TRUE(w.covers(memory, w.addressOf(second), 3'000));
  vkDestroyBuffer(w.device, first, nullptr);
  EXPECT_TRUE(w.rangesOf(first).empty());
  EXPECT_TRUE(w.covers(second, w.addressOf(second), 3'000));
  vkDestroyBuffer(w.device, second, nullptr);
  EXPECT_TRUE(w.rangesOf(second).empty());
}

/// Images of one allocation, or of one for each plane.
void images(Gpu& gpu, VkFormat format, uint32_t planes) {
  const bool disjoint = planes > 1;
  if (disjoint) {
    gpu.require(gpu.features11.samplerYcbcrConversion, "samplerYcbcrConversion");
    gpu.require(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_DISJOINT_BIT, "disjoint planes");
  }
  Watched w(gpu, true);
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  if (disjoint) info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {64, 48, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImage image = VK_NULL_HANDLE;
  CTS_VK(vkCreateImage(w.device, &info, nullptr, &image));
  w.known(image);
  VkDeviceSize bytes = 0;
  for (uint32_t i = 0; i < planes; ++i) {
    const auto aspect = VkImageAspectFlagBits(VK_IMAGE_ASPECT_PLANE_0_BIT << i);
    const VkImagePlaneMemoryRequirementsInfo plane{VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, nullptr,
                                                   aspect};
    const VkImageMemoryRequirementsInfo2 which{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                               disjoint ? &plane : nullptr, image};
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetImageMemoryRequirements2(w.device, &which, &needs);
    const VkBindImagePlaneMemoryInfo bindPlane{VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, nullptr, aspect};
    const VkBindImageMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, disjoint ? &bindPlane : nullptr, image,
                                     w.allocate(needs.memoryRequirements), 0};
    CTS_VK(vkBindImageMemory2(w.device, 1, &bind));
    bytes += needs.memoryRequirements.size;
  }
  VkDeviceSize bound = 0;
  for (const Range& r : w.rangesOf(image)) bound += r.size;
  EXPECT_GT(bound, 0u);
  EXPECT_LE(bound, bytes);
  vkDestroyImage(w.device, image, nullptr);
  EXPECT_TRUE(w.rangesOf(image).empty());
}

/// Blocks of a buffer get memory, some of them other memory, and some none again.
void sparseBuffers(Gpu& gpu) {
  gpu.require(gpu.features.features.sparseBinding && gpu.features.features.sparseResidencyBuffer, "sparse buffers");
  Watched w(gpu, true);
  uint32_t count = gpu.family + 1;
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(w.physical, &count, families.data());
  gpu.require(families[gpu.family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT, "a queue that binds");
  const VkBuffer buffer =
      w.makeBuffer(1 << 20, VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(w.device, buffer, &needs);
  const VkDeviceSize block = needs.alignment;
  gpu.require(needs.size >= 8 * block, "eight blocks");
  const VkDeviceMemory memory = w.allocate(needs), other = w.allocate(needs);
  const auto bind = [&](VkDeviceSize first, VkDeviceSize blocks, VkDeviceMemory to) {
    const VkSparseMemoryBind one{first * block, blocks * block, to, 0, 0};
    const VkSparseBufferMemoryBindInfo all{buffer, 1, &one};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.bufferBindCount = 1;
    info.pBufferBinds = &all;
    CTS_VK(vkQueueBindSparse(w.queue, 1, &info, VK_NULL_HANDLE));
    CTS_VK(vkQueueWaitIdle(w.queue));
  };
  const VkDeviceAddress at = w.addressOf(buffer);
  bind(1, 6, memory);
  EXPECT_TRUE(w.covers(buffer, at + block, 6 * block));
  bind(2, 2, other);
  EXPECT_TRUE(w.covers(buffer, at + block, 6 * block));
  bind(3, 2, VK_NULL_HANDLE);
  EXPECT_TRUE(w.covers(buffer, at + block, 2 * block));
  EXPECT_TRUE(w.covers(buffer, at + 5 * block, 2 * block));
  vkDestroyBuffer(w.device, buffer, nullptr);
  EXPECT_TRUE(w.rangesOf(buffer).empty());
}

/// Images of a swapchain have addresses before anybody knows them.
void swapchains(Gpu& gpu) {
  gpu.require(gpu.instanceExtensions.count(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME), "VK_EXT_headless_surface");
  Watched w(gpu, true, {VK_KHR_SWAPCHAIN_EXTENSION_NAME});
  const VkHeadlessSurfaceCreateInfoEXT surfaceInfo{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  CTS_VK(w.proc<PFN_vkCreateHeadlessSurfaceEXT>("vkCreateHeadlessSurfaceEXT")(w.instance, &surfaceInfo, nullptr,
                                                                              &surface));
  w.later([&w, surface] { vkDestroySurfaceKHR(w.instance, surface, nullptr); });
  VkBool32 supported = VK_FALSE;
  CTS_VK(vkGetPhysicalDeviceSurfaceSupportKHR(w.physical, w.family, surface, &supported));
  gpu.require(supported, "presentation");
  VkSurfaceCapabilitiesKHR can;
  CTS_VK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(w.physical, surface, &can));
  uint32_t count = 1;
  VkSurfaceFormatKHR format;
  gpu.require(vkGetPhysicalDeviceSurfaceFormatsKHR(w.physical, surface, &count, &format) >= 0 && count, "a format");
  VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  info.surface = surface;
  info.minImageCount = can.minImageCount;
  info.imageFormat = format.format;
  info.imageColorSpace = format.colorSpace;
  info.imageExtent = {64, 64};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.preTransform = can.currentTransform;
  info.compositeAlpha = VkCompositeAlphaFlagBitsKHR(can.supportedCompositeAlpha & -can.supportedCompositeAlpha);
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  CTS_VK(vkCreateSwapchainKHR(w.device, &info, nullptr, &swapchain));
  CTS_VK(vkGetSwapchainImagesKHR(w.device, swapchain, &count, nullptr));
  std::vector<VkImage> all(count);
  CTS_VK(vkGetSwapchainImagesKHR(w.device, swapchain, &count, all.data()));
  for (const VkImage image : all) EXPECT_FALSE(w.rangesOf(w.known(image)).empty());
  vkDestroySwapchainKHR(w.device, swapchain, nullptr);
  for (const VkImage image : all) EXPECT_TRUE(w.rangesOf(image).empty());
}

/// Without the feature nothing is told.
void off(Gpu& gpu) {
  Watched w(gpu, false);
  const VkBuffer buffer = w.makeBuffer(5'000);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(w.device, buffer, &needs);
  CTS_VK(vkBindBufferMemory(w.device, buffer, w.allocate(needs), 0));
  vkDestroyBuffer(w.device, buffer, nullptr);
  EXPECT_EQ(w.messages(), 0u);
}

}  // namespace

void registerAddressReports() {
  add("memory.address_reports.buffers", buffers);
  add("memory.address_reports.image", [](Gpu& gpu) { images(gpu, VK_FORMAT_R8G8B8A8_UNORM, 1); });
  add("memory.address_reports.planes", [](Gpu& gpu) { images(gpu, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 3); });
  add("memory.address_reports.sparse", sparseBuffers);
  add("memory.address_reports.swapchain", swapchains);
  add("memory.address_reports.off", off);
}

}  // namespace etzel::cts
