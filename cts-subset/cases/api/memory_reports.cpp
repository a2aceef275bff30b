// VK_EXT_device_memory_report: allocations, imports and failures, each told to every listener once, and every memory
// that came goes again under the name that it had.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

#include "cts-subset/cases/api/reports.h"

namespace etzel::cts {

void requireOffered(const Gpu& gpu, const std::vector<const char*>& extensions) {
  uint32_t count = 0;
  CTS_VK(vkEnumerateDeviceExtensionProperties(gpu.physical, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> found(count);
  CTS_VK(vkEnumerateDeviceExtensionProperties(gpu.physical, nullptr, &count, found.data()));
  for (const std::string name : extensions)
    gpu.require(!Gpu::withheld().count(name) &&
                    std::any_of(found.begin(), found.end(), [&](auto& e) { return e.extensionName == name; }),
                name.c_str());
}

namespace {

using Event = VkDeviceMemoryReportCallbackDataEXT;
constexpr auto kAllocate = VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATE_EXT;
constexpr auto kFree = VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_FREE_EXT;
constexpr auto kImport = VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_IMPORT_EXT;
constexpr auto kUnimport = VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_UNIMPORT_EXT;
constexpr auto kFailed = VK_DEVICE_MEMORY_REPORT_EVENT_TYPE_ALLOCATION_FAILED_EXT;

struct Listener {
  std::mutex mutex;  // callbacks may come from several threads
  std::vector<Event> events;
  static VKAPI_ATTR void VKAPI_CALL hear(const Event* event, void* user) {
    auto& self = *static_cast<Listener*>(user);
    std::lock_guard lock(self.mutex);
    EXPECT_EQ(event->sType, VK_STRUCTURE_TYPE_DEVICE_MEMORY_REPORT_CALLBACK_DATA_EXT);
    EXPECT_EQ(event->flags, 0u);
    self.events.push_back(*event);
  }
  std::vector<Event> take() {
    std::lock_guard lock(mutex);
    return std::exchange(events, {});
  }
};

/// A device with two listeners.
class Reported : public vktest::Device {
 public:
  Reported(Gpu& gpu, std::vector<const char*> extensions = {}) {
    extensions.push_back(VK_EXT_DEVICE_MEMORY_REPORT_EXTENSION_NAME);
    requireOffered(gpu, extensions);
    openInstance("etzel-cts", VK_API_VERSION_1_3);
    const VkPhysicalDeviceDeviceMemoryReportFeaturesEXT on{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_MEMORY_REPORT_FEATURES_EXT, nullptr, VK_TRUE};
    const auto listening = [](const void* next, Listener& listener) {
      return VkDeviceDeviceMemoryReportCreateInfoEXT{VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT,
                                                     next, 0, Listener::hear, &listener};
    };
    const auto inner = listening(&on, second_), outer = listening(&inner, first_);
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &outer};
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    openDevice(info);
    (void)events();
  }
  /// With the device all memory is gone, the driver's own as well.
  ~Reported() {
    release();
    vkDestroyDevice(device, nullptr);
    device = VK_NULL_HANDLE;
    (void)events();
    std::multiset<std::pair<uint64_t, uint64_t>> living;
    for (const Event& e : all_) {
      const std::pair<uint64_t, uint64_t> memory(e.memoryObjectId, e.objectHandle);
      if (e.type == kAllocate || e.type == kImport) living.insert(memory);
      if (e.type != kFree && e.type != kUnimport) continue;
      const auto found = living.find(memory);
      if (found == living.end())
        ADD_FAILURE() << "what is freed was not allocated";
      else
        living.erase(found);
    }
    EXPECT_TRUE(living.empty());
  }
  /// Since the last call; both listeners have heard the same.
  std::vector<Event> events() {
    const std::vector<Event> heard = first_.take(), same = second_.take();
    EXPECT_EQ(heard.size(), same.size());
    for (size_t i = 0; i < std::min(heard.size(), same.size()); ++i) {
      EXPECT_EQ(heard[i].type, same[i].type);
      EXPECT_EQ(heard[i].memoryObjectId, same[i].memoryObjectId);
      EXPECT_EQ(heard[i].objectHandle, same[i].objectHandle);
    }
    all_.insert(all_.end(), heard.begin(), heard.end());
    return heard;
  }
  /// The one event since the last call that is about `memory`.
  Event event(VkDeviceMemory memory, VkDeviceMemoryReportEventTypeEXT type) {
    std::vector<Event> about;
    for (const Event& e : events())
      if (e.objectType == VK_OBJECT_TYPE_DEVICE_MEMORY && e.objectHandle == uint64_t(memory)) about.push_back(e);
    if (about.size() != 1) throw Failure(text("%zu events instead of one", about.size()));
    EXPECT_EQ(about[0].type, type);
    EXPECT_NE(about[0].memoryObjectId, 0u);
    return about[0];
  }
  /// Allocates, and expects to hear of it.
  VkDeviceMemory allocate(VkDeviceSize bytes, uint32_t type, const void* next, VkDeviceMemoryReportEventTypeEXT what,
                          uint64_t* id) {
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, bytes, type};
    VkDeviceMemory made = VK_NULL_HANDLE;
    CTS_VK(vkAllocateMemory(device, &info, nullptr, &made));
    const Event e = event(made, what);
    EXPECT_GE(e.size, bytes);
    if (what == kAllocate) {
      EXPECT_EQ(e.heapIndex, memory.memoryTypes[type].heapIndex);
    }
    *id = e.memoryObjectId;
    return made;
  }
  void free(VkDeviceMemory memory, VkDeviceMemoryReportEventTypeEXT what, uint64_t id) {
    vkFreeMemory(device, memory, nullptr);
    EXPECT_EQ(event(memory, what).memoryObjectId, id);
  }

 private:
  Listener first_, second_;
  std::vector<Event> all_;
};

/// Types that need no feature.
bool isPlain(const VkMemoryType& type) {
  constexpr VkMemoryPropertyFlags kSpecial = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                             VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
                                             VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  return !(type.propertyFlags & kSpecial);
}

/// Memory of every type, two at a time: they have names of their own.
void allocations(Gpu& gpu, VkDeviceSize bytes) {
  Reported r(gpu);
  for (uint32_t type = 0; type < r.memory.memoryTypeCount; ++type) {
    if (!isPlain(r.memory.memoryTypes[type])) continue;
    uint64_t one = 0, two = 0;
    const VkDeviceMemory a = r.allocate(bytes, type, nullptr, kAllocate, &one);
    const VkDeviceMemory b = r.allocate(bytes, type, nullptr, kAllocate, &two);
    EXPECT_NE(one, two);
    r.free(a, kFree, one);
    r.free(b, kFree, two);
  }
}

/// Memory that two imports see has one name.
void importedDescriptors(Gpu& gpu) {
  Reported r(gpu, {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME});
  constexpr auto kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  const VkPhysicalDeviceExternalBufferInfo question{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                    VK_BUFFER_USAGE_TRANSFER_DST_BIT, kType};
  VkExternalBufferProperties answer{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(r.physical, &question, &answer);
  const VkExternalMemoryFeatureFlags can = answer.externalMemoryProperties.externalMemoryFeatures;
  gpu.require(can & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT && can & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT &&
                  !(can & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT),
              "memory that descriptors share");
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, kType};
  VkBufferCreateInfo bufferInfo{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
  bufferInfo.size = 70'000;
  bufferInfo.usage = question.usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  CTS_VK(vkCreateBuffer(r.device, &bufferInfo, nullptr, &buffer));
  r.later([&r, buffer] { vkDestroyBuffer(r.device, buffer, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(r.device, buffer, &needs);
  const uint32_t type = r.memoryType(needs.memoryTypeBits, 0);
  const VkExportMemoryAllocateInfo shared{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr, kType};
  uint64_t id = 0, other = 0;
  const VkDeviceMemory exported = r.allocate(needs.size, type, &shared, kAllocate, &id);
  const VkDeviceMemory another = r.allocate(needs.size, type, &shared, kAllocate, &other);
  EXPECT_NE(id, other);
  const auto getFd = reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(r.device, "vkGetMemoryFdKHR"));
  VkDeviceMemory imports[2];
  for (VkDeviceMemory& imported : imports) {
    const VkMemoryGetFdInfoKHR get{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, exported, kType};
    VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr, kType, -1};
    CTS_VK(getFd(r.device, &get, &import.fd));
    uint64_t same = 0;
    imported = r.allocate(needs.size, type, &import, kImport, &same);
    EXPECT_EQ(same, id);
  }
  r.free(imports[1], kUnimport, id);
  r.free(exported, kFree, id);
  r.free(imports[0], kUnimport, id);
  r.free(another, kFree, other);
}

/// Memory of the host is imported, not allocated.
void importedPointers(Gpu& gpu) {
  Reported r(gpu, {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME});
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &host};
  vkGetPhysicalDeviceProperties2(r.physical, &properties);
  const size_t bytes = 2 * size_t(host.minImportedHostPointerAlignment);
  void* pointer = std::aligned_alloc(bytes / 2, bytes);
  r.later([pointer] { std::free(pointer); });
  constexpr auto kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const auto ask = reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
      vkGetDeviceProcAddr(r.device, "vkGetMemoryHostPointerPropertiesEXT"));
  VkMemoryHostPointerPropertiesEXT types{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  CTS_VK(ask(r.device, kType, pointer, &types));
  gpu.require(types.memoryTypeBits, "memory types for the host's");
  const VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kType,
                                                pointer};
  uint64_t id = 0;
  const VkDeviceMemory imported = r.allocate(bytes, r.memoryType(types.memoryTypeBits, 0), &import, kImport, &id);
  r.free(imported, kUnimport, id);
}

/// As much as the heap has, until there is no more.
void failures(Gpu& gpu) {
  Reported r(gpu);
  VkPhysicalDeviceMaintenance3Properties most{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &most};
  vkGetPhysicalDeviceProperties2(r.physical, &properties);
  const uint32_t heap = r.memory.memoryTypes[0].heapIndex;
  const VkDeviceSize bytes = std::min(r.memory.memoryHeaps[heap].size, most.maxMemoryAllocationSize);
  for (int i = 0; i < 8; ++i) {
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, bytes, 0};
    VkDeviceMemory made = VK_NULL_HANDLE;
    if (vkAllocateMemory(r.device, &info, nullptr, &made) == VK_SUCCESS) {
      r.later([&r, made] { vkFreeMemory(r.device, made, nullptr); });
      EXPECT_GE(r.event(made, kAllocate).size, bytes);
      continue;
    }
    const std::vector<Event> heard = r.events();
    const auto failed = std::find_if(heard.begin(), heard.end(), [](const Event& e) { return e.type == kFailed; });
    ASSERT_NE(failed, heard.end());
    EXPECT_GE(failed->size, bytes);
    EXPECT_EQ(failed->heapIndex, heap);
    EXPECT_EQ(failed->objectType, VK_OBJECT_TYPE_DEVICE_MEMORY);
    return;
  }
  throw NotSupported("a heap that has an end");
}

}  // namespace

void registerMemoryReports() {
  for (const VkDeviceSize bytes : {1'000, 300'000})
    add(text("memory.reports.allocate.bytes%u", unsigned(bytes)), [=](Gpu& gpu) { allocations(gpu, bytes); });
  add("memory.reports.import.descriptor", importedDescriptors);
  add("memory.reports.import.pointer", importedPointers);
  add("memory.reports.failure", failures);
}

}  // namespace etzel::cts
