// Instances and devices: what is refused, what is found by name, and that limits keep the specification's minimums.
#include <gtest/gtest.h>

#include <algorithm>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/formats.h"

namespace etzel::icd {
namespace {

class DeviceTest : public testing::Test {
 protected:
  DeviceTest() {
    VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &app;
    EXPECT_EQ(CreateInstance(&info, nullptr, &instance), VK_SUCCESS);
    uint32_t one = 1;
    EXPECT_EQ(EnumeratePhysicalDevices(instance, &one, &physical), VK_SUCCESS);
  }
  ~DeviceTest() override { DestroyInstance(instance, nullptr); }
  VkResult make(const std::vector<const char*>& extensions, const VkPhysicalDeviceFeatures* features, const void* next,
                VkDevice* device) {
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, next};
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    info.pEnabledFeatures = features;
    return CreateDevice(physical, &info, nullptr, device);
  }
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
};

TEST_F(DeviceTest, UnknownExtensionsAndAbsentFeaturesAreRefused) {
  VkDevice device = VK_NULL_HANDLE;
  EXPECT_EQ(make({"VK_KHR_no_such_thing"}, nullptr, nullptr, &device), VK_ERROR_EXTENSION_NOT_PRESENT);
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  v12.bufferDeviceAddressMultiDevice = VK_TRUE;
  EXPECT_EQ(make({}, nullptr, &v12, &device), VK_ERROR_FEATURE_NOT_PRESENT);
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  const char* name = "VK_KHR_no_such_thing";
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &name;
  VkInstance none = VK_NULL_HANDLE;
  EXPECT_EQ(CreateInstance(&info, nullptr, &none), VK_ERROR_EXTENSION_NOT_PRESENT);
}

/// Whether devices of an instance with these extensions offer VK_KHR_swapchain_maintenance1.
bool offersSwapchainMaintenance(std::vector<std::string> enabled) {
  Instance instance;
  instance.enabledExtensions = std::move(enabled);
  instance.physicalDevice.instance = &instance;
  uint32_t count = 0;
  EXPECT_EQ(EnumerateDeviceExtensionProperties(handleOf(&instance.physicalDevice), nullptr, &count, nullptr),
            VK_SUCCESS);
  std::vector<VkExtensionProperties> all(count);
  EXPECT_EQ(EnumerateDeviceExtensionProperties(handleOf(&instance.physicalDevice), nullptr, &count, all.data()),
            VK_SUCCESS);
  return std::any_of(all.begin(), all.end(), [](const VkExtensionProperties& e) {
    return e.extensionName == std::string("VK_KHR_swapchain_maintenance1");
  });
}

TEST(Instance, DevicesOfferWhatNeedsMoreOfSurfacesWhereThatIsThere) {
  EXPECT_TRUE(offersSwapchainMaintenance({}));
  EXPECT_FALSE(offersSwapchainMaintenance({"VK_KHR_surface"}));  // a loader may have hidden the other
  EXPECT_TRUE(offersSwapchainMaintenance({"VK_KHR_surface", "VK_KHR_surface_maintenance1"}));
}

struct Heard {
  int messages = 0;
  static VKAPI_ATTR VkBool32 VKAPI_CALL utils(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                              const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
    EXPECT_NE(std::string(data->pMessage).find("VK_KHR_no_such_thing"), std::string::npos);
    ++static_cast<Heard*>(self)->messages;
    return VK_FALSE;
  }
  static VKAPI_ATTR VkBool32 VKAPI_CALL report(VkDebugReportFlagsEXT, VkDebugReportObjectTypeEXT, uint64_t, size_t,
                                               int32_t, const char*, const char*, void* self) {
    ++static_cast<Heard*>(self)->messages;
    return VK_FALSE;
  }
};

TEST(Instance, ChainedMessengersHearWhyAnInstanceIsRefused) {
  Heard utils, report;
  VkDebugReportCallbackCreateInfoEXT callback{VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT};
  callback.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT;
  callback.pfnCallback = Heard::report;
  callback.pUserData = &report;
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT, &callback};
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
  messenger.pfnUserCallback = Heard::utils;
  messenger.pUserData = &utils;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &messenger};
  const char* names[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, "VK_KHR_no_such_thing"};
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = names;
  VkInstance instance = VK_NULL_HANDLE;
  EXPECT_EQ(CreateInstance(&info, nullptr, &instance), VK_ERROR_EXTENSION_NOT_PRESENT);
  EXPECT_EQ(utils.messages, 1);
  EXPECT_EQ(report.messages, 0);  // its extension is not enabled
  info.enabledExtensionCount = 1;
  ASSERT_EQ(CreateInstance(&info, nullptr, &instance), VK_SUCCESS);
  (void)ETZEL_FAIL(VK_ERROR_UNKNOWN, "VK_KHR_no_such_thing later");
  EXPECT_EQ(utils.messages, 1);  // only while the instance is created or destroyed
  DestroyInstance(instance, nullptr);
}

TEST_F(DeviceTest, DeviceCommandsAreFoundByVersionAndExtension) {
  VkDevice plain = VK_NULL_HANDLE, extended = VK_NULL_HANDLE;
  ASSERT_EQ(make({}, nullptr, nullptr, &plain), VK_SUCCESS);
  ASSERT_EQ(make({"VK_KHR_dynamic_rendering"}, nullptr, nullptr, &extended), VK_SUCCESS);
  EXPECT_NE(GetDeviceProcAddr(plain, "vkCmdDraw"), nullptr);
  EXPECT_NE(GetDeviceProcAddr(plain, "vkBindBufferMemory2"), nullptr);
  EXPECT_EQ(GetDeviceProcAddr(plain, "vkCmdBeginRendering"), nullptr);  // 1.3, the application asked for 1.1
  EXPECT_EQ(GetDeviceProcAddr(plain, "vkCmdBeginRenderingKHR"), nullptr);
  EXPECT_NE(GetDeviceProcAddr(extended, "vkCmdBeginRenderingKHR"), nullptr);
  EXPECT_EQ(GetDeviceProcAddr(plain, "vkCreateInstance"), nullptr);
  EXPECT_EQ(GetDeviceProcAddr(plain, "vkGetPhysicalDeviceFeatures"), nullptr);
  DestroyDevice(plain, nullptr);
  DestroyDevice(extended, nullptr);
}

TEST_F(DeviceTest, EveryFeatureThatIsReportedCanBeEnabled) {
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
  GetPhysicalDeviceFeatures2(physical, &all);
  EXPECT_TRUE(v13.dynamicRendering && v13.synchronization2 && v12.timelineSemaphore && v11.multiview);
  VkDevice device = VK_NULL_HANDLE;
  ASSERT_EQ(make({}, nullptr, &all, &device), VK_SUCCESS);
  DestroyDevice(device, nullptr);
}

TEST_F(DeviceTest, StructuresThatShareAFactAgree) {
  VkPhysicalDeviceSubgroupProperties subgroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &subgroup};
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v11};
  GetPhysicalDeviceProperties2(physical, &p);
  EXPECT_EQ(subgroup.subgroupSize, v11.subgroupSize);
  EXPECT_EQ(subgroup.supportedOperations, v11.subgroupSupportedOperations);
  EXPECT_EQ(subgroup.subgroupSize, kWarpLanes);
  EXPECT_GE(p.properties.limits.maxPushConstantsSize, 256u);
  EXPECT_GE(p.properties.limits.maxBoundDescriptorSets, 8u);
}

TEST_F(DeviceTest, ImageFormatsThatCannotBeAreAnsweredWithZeros) {
  VkImageFormatProperties p{};
  p.maxMipLevels = 5;
  EXPECT_EQ(GetPhysicalDeviceImageFormatProperties(physical, VK_FORMAT_D32_SFLOAT, VK_IMAGE_TYPE_2D,
                                                   VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &p),
            VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(p.maxMipLevels, 0u);
  EXPECT_EQ(GetPhysicalDeviceImageFormatProperties(physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
                                                   VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &p),
            VK_SUCCESS);
  EXPECT_EQ(p.maxMipLevels, 15u);  // 16384 down to 1
  EXPECT_TRUE(p.sampleCounts & VK_SAMPLE_COUNT_4_BIT);
  const auto compatible = compatibleFormats(VK_FORMAT_R32_UINT);
  EXPECT_NE(std::find(compatible.begin(), compatible.end(), VK_FORMAT_R8G8B8A8_UNORM), compatible.end());
  EXPECT_EQ(compatibleFormats(VK_FORMAT_A8_UNORM_KHR), std::vector{VK_FORMAT_A8_UNORM_KHR});
  const auto packed = compatibleFormats(VK_FORMAT_A4R4G4B4_UNORM_PACK16);
  EXPECT_NE(std::find(packed.begin(), packed.end(), VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR), packed.end());
}

}  // namespace
}  // namespace etzel::icd
