#include "icd/object/report.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "runtime/base/thread_local.h"

namespace etzel::icd {
namespace {

struct Messenger : Object {
  using Handle = VkDebugUtilsMessengerEXT;
  VkDebugUtilsMessengerCreateInfoEXT info{};
  const Instance* instance = nullptr;
};
struct ReportCallback : Object {
  using Handle = VkDebugReportCallbackEXT;
  VkDebugReportCallbackCreateInfoEXT info{};
  const Instance* instance = nullptr;
};

struct Listeners {
  std::mutex mutex;
  std::vector<Messenger*> messengers;
  std::vector<ReportCallback*> callbacks;
};
// Never destroyed: messages may come until the process ends. In memory that is there, since what they tell may be that
// there is none.
Listeners& listeners() {
  alignas(Listeners) static std::byte memory[sizeof(Listeners)];
  static auto* const all = new (memory) Listeners;
  return *all;
}

// How many want messages of VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT or VK_DEBUG_REPORT_INFORMATION_BIT_EXT, and
// how many what becomes of addresses.
std::atomic<uint32_t> wantInformation{0}, wantAddresses{0};

bool wants(const Messenger& m, VkDebugUtilsMessageTypeFlagsEXT type) {
  return m.info.messageSeverity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT && m.info.messageType & type;
}
bool wantsInformation(const Messenger& m) { return wants(m, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT); }
bool wantsAddresses(const Messenger& m) { return wants(m, VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT); }
bool wantsInformation(const ReportCallback& c) { return c.info.flags & VK_DEBUG_REPORT_INFORMATION_BIT_EXT; }

// Of the vkCreateInstance or vkDestroyInstance that runs on this thread.
ETZEL_THREAD_LOCAL const ChainedListeners* chained = nullptr;

void callMessengers(const std::vector<VkDebugUtilsMessengerCreateInfoEXT>& list,
                    VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                    const VkDebugUtilsMessengerCallbackDataEXT* data) {
  for (const auto& info : list)
    if (info.messageSeverity & severity && info.messageType & types)
      info.pfnUserCallback(severity, types, data, info.pUserData);
}
void callReports(const std::vector<VkDebugReportCallbackCreateInfoEXT>& list, VkDebugReportFlagsEXT flags,
                 VkDebugReportObjectTypeEXT type, uint64_t object, size_t location, int32_t code, const char* prefix,
                 const char* message) {
  for (const auto& info : list)
    if (info.flags & flags) info.pfnCallback(flags, type, object, location, code, prefix, message, info.pUserData);
}

// Copies, so that callbacks run without the lock: they may call back into the driver.
std::vector<VkDebugUtilsMessengerCreateInfoEXT> messengerInfos(const Instance* instance) {
  Listeners& all = listeners();
  std::lock_guard lock(all.mutex);
  std::vector<VkDebugUtilsMessengerCreateInfoEXT> infos;
  for (const Messenger* m : all.messengers)
    if (!instance || m->instance == instance) infos.push_back(m->info);
  return infos;
}
std::vector<VkDebugReportCallbackCreateInfoEXT> reportInfos(const Instance* instance) {
  Listeners& all = listeners();
  std::lock_guard lock(all.mutex);
  std::vector<VkDebugReportCallbackCreateInfoEXT> infos;
  for (const ReportCallback* c : all.callbacks)
    if (!instance || c->instance == instance) infos.push_back(c->info);
  return infos;
}

template <class T>
void removeFrom(std::vector<T*>& list, T* item) {
  list.erase(std::remove(list.begin(), list.end(), item), list.end());
}

}  // namespace

ChainedListeners::ChainedListeners(const VkInstanceCreateInfo& info) {
  const auto enabled = [&](const char* name) {
    return std::any_of(info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount,
                       [&](const char* e) { return std::strcmp(e, name) == 0; });
  };
  const bool utils = enabled(VK_EXT_DEBUG_UTILS_EXTENSION_NAME), report = enabled(VK_EXT_DEBUG_REPORT_EXTENSION_NAME);
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s; s = s->pNext) {
    if (utils && s->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
      messengers.push_back(*reinterpret_cast<const VkDebugUtilsMessengerCreateInfoEXT*>(s));
    if (report && s->sType == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT)
      callbacks.push_back(*reinterpret_cast<const VkDebugReportCallbackCreateInfoEXT*>(s));
  }
}

ChainedScope::ChainedScope(const ChainedListeners& listeners) : outer_(chained) { chained = &listeners; }
ChainedScope::~ChainedScope() { chained = outer_; }

bool anybodyWantsInformation() { return wantInformation.load(std::memory_order_relaxed) != 0; }

bool anybodyWantsAddresses() { return wantAddresses.load(std::memory_order_relaxed) != 0; }

void reportAddresses(const Instance& instance, const VkDebugUtilsMessengerCallbackDataEXT& data) {
  callMessengers(messengerInfos(&instance), VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                 VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT, &data);
}

void reportToMessengers(LogLevel level, const char* message, const char* idName) {
  if (!chained) {
    Listeners& all = listeners();
    std::lock_guard lock(all.mutex);
    if (all.messengers.empty() && all.callbacks.empty()) return;
  }
  const auto severity = level == LogLevel::Error     ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
                        : level == LogLevel::Warning ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
                                                     : VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
  VkDebugUtilsMessengerCallbackDataEXT data{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
  data.pMessageIdName = idName;
  data.pMessage = message;
  callMessengers(messengerInfos(nullptr), severity, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
  if (chained) callMessengers(chained->messengers, severity, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
  const VkDebugReportFlagsEXT flags = level == LogLevel::Error     ? VK_DEBUG_REPORT_ERROR_BIT_EXT
                                      : level == LogLevel::Warning ? VK_DEBUG_REPORT_WARNING_BIT_EXT
                                                                   : VK_DEBUG_REPORT_INFORMATION_BIT_EXT;
  callReports(reportInfos(nullptr), flags, VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT, 0, 0, 0, idName, message);
  if (chained)
    callReports(chained->callbacks, flags, VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT, 0, 0, 0, idName, message);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugUtilsMessenger(VkInstance handle,
                                                         const VkDebugUtilsMessengerCreateInfoEXT* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkDebugUtilsMessengerEXT* pMessenger) {
  Instance* instance = cast<Instance>(handle);
  auto m = make<Messenger>(pAllocator ? pAllocator : instance->allocator(), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  if (!m) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a debug messenger");
  m->info = *pCreateInfo;
  m->info.pNext = nullptr;
  m->instance = instance;
  std::lock_guard lock(listeners().mutex);
  listeners().messengers.push_back(m.get());
  if (wantsInformation(*m.get())) ++wantInformation;
  if (wantsAddresses(*m.get())) ++wantAddresses;
  *pMessenger = handleOf(m.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugUtilsMessenger(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                      const VkAllocationCallbacks* pAllocator) {
  auto* m = cast<Messenger>(messenger);
  {
    std::lock_guard lock(listeners().mutex);
    removeFrom(listeners().messengers, m);
    if (m && wantsInformation(*m)) --wantInformation;
    if (m && wantsAddresses(*m)) --wantAddresses;
  }
  destroy(pAllocator ? pAllocator : cast<Instance>(handle)->allocator(), m);
}

VKAPI_ATTR void VKAPI_CALL SubmitDebugUtilsMessage(VkInstance handle, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* pCallbackData) {
  callMessengers(messengerInfos(cast<Instance>(handle)), severity, types, pCallbackData);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugReportCallback(VkInstance handle,
                                                         const VkDebugReportCallbackCreateInfoEXT* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkDebugReportCallbackEXT* pCallback) {
  Instance* instance = cast<Instance>(handle);
  auto c = make<ReportCallback>(pAllocator ? pAllocator : instance->allocator(), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
  if (!c) return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a debug report callback");
  c->info = *pCreateInfo;
  c->info.pNext = nullptr;
  c->instance = instance;
  std::lock_guard lock(listeners().mutex);
  listeners().callbacks.push_back(c.get());
  if (wantsInformation(*c.get())) ++wantInformation;
  *pCallback = handleOf(c.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugReportCallback(VkInstance handle, VkDebugReportCallbackEXT callback,
                                                      const VkAllocationCallbacks* pAllocator) {
  auto* c = cast<ReportCallback>(callback);
  {
    std::lock_guard lock(listeners().mutex);
    removeFrom(listeners().callbacks, c);
    if (c && wantsInformation(*c)) --wantInformation;
  }
  destroy(pAllocator ? pAllocator : cast<Instance>(handle)->allocator(), c);
}

VKAPI_ATTR void VKAPI_CALL DebugReportMessage(VkInstance handle, VkDebugReportFlagsEXT flags,
                                              VkDebugReportObjectTypeEXT objectType, uint64_t object, size_t location,
                                              int32_t messageCode, const char* pLayerPrefix, const char* pMessage) {
  callReports(reportInfos(cast<Instance>(handle)), flags, objectType, object, location, messageCode, pLayerPrefix,
              pMessage);
}

}  // namespace etzel::icd
