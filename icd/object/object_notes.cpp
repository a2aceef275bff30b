// Names, tags and private data that applications attach to objects (VK_EXT_debug_utils, "Private Data").
#include <atomic>
#include <mutex>

#include "icd/entry_points.h"
#include "icd/object/debug_name.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {
namespace {

struct PrivateDataSlot : Object {
  using Handle = VkPrivateDataSlot;
  uint64_t number = 0;  ///< never used twice, so that values of a dead slot are never seen
};

// vkSetPrivateData needs no external synchronization of the object; this is too rare to be worth a lock each.
std::mutex& notesMutex() {
  static std::mutex* m = new std::mutex;
  return *m;
}

bool isDispatchable(VkObjectType type) {
  return type == VK_OBJECT_TYPE_INSTANCE || type == VK_OBJECT_TYPE_PHYSICAL_DEVICE || type == VK_OBJECT_TYPE_DEVICE ||
         type == VK_OBJECT_TYPE_QUEUE || type == VK_OBJECT_TYPE_COMMAND_BUFFER;
}

/// Where an object keeps its notes. Null for objects that are the loader's.
std::unique_ptr<ObjectNotes>* notesOf(VkObjectType type, uint64_t handle) {
  if (!handle || type == VK_OBJECT_TYPE_SURFACE_KHR) return nullptr;
  if (isDispatchable(type)) return &reinterpret_cast<DispatchableObject*>(uintptr_t(handle))->notes;
  return &reinterpret_cast<Object*>(uintptr_t(handle))->notes;
}

ObjectNotes* makeNotes(VkObjectType type, uint64_t handle) {
  auto* notes = notesOf(type, handle);
  if (notes && !*notes) *notes = std::make_unique<ObjectNotes>();
  return notes ? notes->get() : nullptr;
}

}  // namespace

std::string debugNameOf(const Object& object) {
  std::lock_guard lock(notesMutex());
  return object.notes ? object.notes->debugName : std::string();
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectName(VkDevice, const VkDebugUtilsObjectNameInfoEXT* pNameInfo) {
  std::lock_guard lock(notesMutex());
  if (ObjectNotes* notes = makeNotes(pNameInfo->objectType, pNameInfo->objectHandle))
    notes->debugName = pNameInfo->pObjectName ? pNameInfo->pObjectName : "";
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTag(VkDevice, const VkDebugUtilsObjectTagInfoEXT*) {
  return VK_SUCCESS;  // tags are for layers; the driver has no use for them
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePrivateDataSlot(VkDevice handle, const VkPrivateDataSlotCreateInfo*,
                                                     const VkAllocationCallbacks* pAllocator,
                                                     VkPrivateDataSlot* pSlot) {
  static std::atomic<uint64_t> next{1};
  return createObject<PrivateDataSlot>(handle, pAllocator, pSlot, "a private data slot",
                                       [&](PrivateDataSlot& slot) { slot.number = next++; });
}

ETZEL_DESTROY(PrivateDataSlot)

VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice, VkObjectType type, uint64_t handle, VkPrivateDataSlot slot,
                                              uint64_t data) {
  std::lock_guard lock(notesMutex());
  if (ObjectNotes* notes = makeNotes(type, handle)) notes->privateData[cast<PrivateDataSlot>(slot)->number] = data;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice, VkObjectType type, uint64_t handle, VkPrivateDataSlot slot,
                                          uint64_t* pData) {
  std::lock_guard lock(notesMutex());
  *pData = 0;
  const auto* notes = notesOf(type, handle);
  if (!notes || !*notes) return;
  auto it = (*notes)->privateData.find(cast<PrivateDataSlot>(slot)->number);
  if (it != (*notes)->privateData.end()) *pData = it->second;
}

}  // namespace etzel::icd
