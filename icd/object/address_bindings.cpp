#include "icd/object/address_bindings.h"

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "icd/object/debug_name.h"
#include "icd/object/device.h"
#include "icd/object/report.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {

std::unique_ptr<AddressBindings> AddressBindings::of(const Device& device, VkObjectType type, const Object& object) {
  if (!device.reportsAddressBinding) return nullptr;
  return std::unique_ptr<AddressBindings>(new (std::nothrow)
                                              AddressBindings(*device.physicalDevice->instance, type, object));
}

AddressBindings::~AddressBindings() {
  if (mutated(Mutant::AddressUnbind)) return;
  for (const auto& [begin, end] : bound_) tell(begin, end, false);
}

/// A range is unbound as it was bound: whoever changes a part of it hears of the whole, and then of what is left.
/// Without memory for the list nobody hears anything, and the list stays as it was.
void AddressBindings::change(const std::byte* data, uint64_t bytes, bool bound) noexcept try {
  const uint64_t begin = reinterpret_cast<uintptr_t>(data), end = begin + bytes;
  Ranges gone, come;
  {
    std::lock_guard lock(mutex_);
    auto first = bound_.upper_bound(begin);
    if (first != bound_.begin() && std::prev(first)->second > begin) --first;
    auto last = first;
    for (; last != bound_.end() && last->first < end; ++last) {
      gone.insert(*last);
      if (last->first < begin) come.emplace(last->first, begin);
      if (last->second > end) come.emplace(end, last->second);
    }
    if (bound) come.emplace(begin, end);
    Ranges added = come;
    // Nothing throws from here on.
    bound_.erase(first, last);
    bound_.merge(added);
  }
  for (const auto& [from, to] : gone) tell(from, to, false);
  for (const auto& [from, to] : come) tell(from, to, true);
} catch (const std::exception&) {
}

void AddressBindings::tell(uint64_t begin, uint64_t end, bool bound) const noexcept try {
  if (!anybodyWantsAddresses()) return;
  const std::string name = debugNameOf(object_);
  char message[128];
  std::snprintf(message, sizeof message, "%#" PRIx64 " to %#" PRIx64 " %s", begin, end,
                bound ? "are bound" : "are bound no longer");
  VkDeviceAddressBindingCallbackDataEXT binding{VK_STRUCTURE_TYPE_DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT};
  if (!visible_) binding.flags = VK_DEVICE_ADDRESS_BINDING_INTERNAL_OBJECT_BIT_EXT;
  binding.baseAddress = begin;
  binding.size = end - begin;
  binding.bindingType = bound ? VK_DEVICE_ADDRESS_BINDING_TYPE_BIND_EXT : VK_DEVICE_ADDRESS_BINDING_TYPE_UNBIND_EXT;
  VkDebugUtilsObjectNameInfoEXT object{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  object.objectType = type_;
  object.objectHandle = reinterpret_cast<uintptr_t>(&object_);
  object.pObjectName = name.empty() ? nullptr : name.c_str();
  VkDebugUtilsMessengerCallbackDataEXT data{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT, &binding};
  data.pMessageIdName = "addresses";
  data.pMessage = message;
  data.objectCount = 1;
  data.pObjects = &object;
  reportAddresses(instance_, data);
} catch (const std::exception&) {
}

}  // namespace etzel::icd
