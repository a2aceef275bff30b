// Which messages tell where the addresses of an object are bound: each range is unbound as it was bound.
#include "icd/object/address_bindings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AddressBindingsTest : public testing::Test {
 protected:
  AddressBindingsTest() {
    instance.physicalDevice.instance = &instance;
    device.physicalDevice = &instance.physicalDevice;
    device.reportsAddressBinding = true;
    messenger = listen(instance, VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT);
    bindings = AddressBindings::of(device, VK_OBJECT_TYPE_BUFFER, object);
  }
  ~AddressBindingsTest() override {
    bindings.reset();
    DestroyDebugUtilsMessenger(handleOf(&instance), messenger, nullptr);
  }

  VkDebugUtilsMessengerEXT listen(Instance& at, VkDebugUtilsMessageTypeFlagsEXT types) {
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    info.messageType = types;
    info.pfnUserCallback = hear;
    info.pUserData = this;
    VkDebugUtilsMessengerEXT made = VK_NULL_HANDLE;
    EXPECT_EQ(CreateDebugUtilsMessenger(handleOf(&at), &info, nullptr, &made), VK_SUCCESS);
    return made;
  }
  /// "+10-20": bound; "-10-20": no longer; "hidden" where the application has no handle.
  static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                             VkDebugUtilsMessageTypeFlagsEXT type,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    auto& test = *static_cast<AddressBindingsTest*>(user);
    EXPECT_EQ(severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    EXPECT_EQ(type, VkDebugUtilsMessageTypeFlagsEXT(VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT));
    EXPECT_EQ(data->objectCount, 1u);
    EXPECT_EQ(data->pObjects[0].objectType, VK_OBJECT_TYPE_BUFFER);
    EXPECT_EQ(data->pObjects[0].objectHandle, reinterpret_cast<uintptr_t>(&test.object));
    test.name = data->pObjects[0].pObjectName ? data->pObjects[0].pObjectName : "";
    const auto* b = findNext<VkDeviceAddressBindingCallbackDataEXT>(
        data->pNext, VK_STRUCTURE_TYPE_DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT);
    test.heard.push_back((b->bindingType == VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT ? "+" : "-") +
                         std::to_string(b->baseAddress) + "-" + std::to_string(b->baseAddress + b->size) +
                         (b->flags & VK_DEVICE_ADDRESS_BINDING_INTERNAL_OBJECT_BIT_EXT ? " hidden" : ""));
    return VK_FALSE;
  }
  std::vector<std::string> bind(uintptr_t begin, uintptr_t end) {
    heard.clear();
    bindings->bind(reinterpret_cast<const std::byte*>(begin), end - begin);
    return heard;
  }
  std::vector<std::string> unbind(uintptr_t begin, uintptr_t end) {
    heard.clear();
    bindings->unbind(reinterpret_cast<const std::byte*>(begin), end - begin);
    return heard;
  }

  Instance instance;
  Device device;
  Object object;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::unique_ptr<AddressBindings> bindings;
  std::vector<std::string> heard;
  std::string name;
};

TEST_F(AddressBindingsTest, WhatIsBoundIsUnboundWhenTheObjectGoes) {
  EXPECT_THAT(bind(10, 20), ElementsAre("+10-20"));
  EXPECT_THAT(bind(30, 40), ElementsAre("+30-40"));
  EXPECT_THAT(unbind(10, 20), ElementsAre("-10-20"));
  heard.clear();
  bindings.reset();
  EXPECT_THAT(heard, ElementsAre("-30-40"));
}

TEST_F(AddressBindingsTest, OtherMemoryIsAnUnbindAndABind) {
  (void)bind(10, 20);
  EXPECT_THAT(bind(10, 20), ElementsAre("-10-20", "+10-20"));
}

TEST_F(AddressBindingsTest, WhatALaterBindLeavesIsBoundAnew) {
  (void)bind(10, 20);
  EXPECT_THAT(bind(13, 15), ElementsAre("-10-20", "+10-13", "+13-15", "+15-20"));
  EXPECT_THAT(unbind(12, 18), ElementsAre("-10-13", "-13-15", "-15-20", "+10-12", "+18-20"));
  EXPECT_THAT(bind(5, 11), ElementsAre("-10-12", "+5-11", "+11-12"));
}

TEST_F(AddressBindingsTest, NeighboursAndWhatIsNotBoundStay) {
  (void)bind(10, 20);
  EXPECT_THAT(bind(20, 30), ElementsAre("+20-30"));
  EXPECT_THAT(bind(5, 10), ElementsAre("+5-10"));
  EXPECT_THAT(unbind(30, 40), IsEmpty());
  EXPECT_THAT(unbind(0, 5), IsEmpty());
}

TEST_F(AddressBindingsTest, ObjectsThatNobodyHasSeenAreMarked) {
  bindings->setVisible(false);
  EXPECT_THAT(bind(10, 20), ElementsAre("+10-20 hidden"));
  bindings->setVisible(true);
  EXPECT_THAT(unbind(10, 20), ElementsAre("-10-20"));
}

TEST_F(AddressBindingsTest, MessagesHaveTheObjectsName) {
  object.notes = std::make_unique<ObjectNotes>();
  object.notes->debugName = "vertices";
  (void)bind(10, 20);
  EXPECT_EQ(name, "vertices");
}

TEST_F(AddressBindingsTest, OtherInstancesAndKindsOfMessagesHearNothing) {
  DestroyDebugUtilsMessenger(handleOf(&instance), messenger, nullptr);
  EXPECT_FALSE(anybodyWantsAddresses());
  Instance other;
  const auto elsewhere = listen(other, VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT);
  EXPECT_TRUE(anybodyWantsAddresses());
  EXPECT_FALSE(anybodyWantsInformation());
  messenger = listen(instance, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT);
  EXPECT_THAT(bind(10, 20), IsEmpty());
  DestroyDebugUtilsMessenger(handleOf(&other), elsewhere, nullptr);
  EXPECT_FALSE(anybodyWantsAddresses());
}

TEST_F(AddressBindingsTest, DevicesWithoutTheFeatureKeepNoList) {
  device.reportsAddressBinding = false;
  EXPECT_EQ(AddressBindings::of(device, VK_OBJECT_TYPE_BUFFER, object), nullptr);
}

}  // namespace
}  // namespace etzel::icd
