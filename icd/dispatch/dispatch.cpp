#include "icd/dispatch/dispatch.h"

#include <algorithm>
#include <cstring>

#include "icd/dispatch/guard.h"

// Development builds may link before every entry point exists; a missing one is then reported as absent.
#ifdef ETZEL_PARTIAL_ICD
#undef VKAPI_ATTR
#define VKAPI_ATTR __attribute__((weak))
#endif
#include "icd/entry_points.h"

namespace etzel::icd {
namespace {

enum class Level : uint8_t { Global, Instance, PhysicalDevice, Device };

struct EntryPoint {
  const char* name;
  PFN_vkVoidFunction function;
  Level level;
  uint16_t firstCondition, conditionCount;  ///< any of them makes the command available
};

#ifdef ETZEL_PARTIAL_ICD
#define ETZEL_ENTRY(function, guard) reinterpret_cast<PFN_vkVoidFunction>(&function)
#else
#define ETZEL_ENTRY(function, guard) entry<&function, Guard::guard>()
template <auto Function, Guard Kind>
PFN_vkVoidFunction entry() {
  if constexpr (Kind == Guard::Bare)
    return reinterpret_cast<PFN_vkVoidFunction>(Function);
  else
    return reinterpret_cast<PFN_vkVoidFunction>(&Guarded<Function, Kind>::call);
}
#endif
#include "icd/dispatch_table.inc"
#undef ETZEL_ENTRY

const EntryPoint* find(const char* name) {
  auto less = [](const EntryPoint& e, const char* n) { return std::strcmp(e.name, n) < 0; };
  const EntryPoint* end = std::end(kEntryPoints);
  const EntryPoint* e = std::lower_bound(std::begin(kEntryPoints), end, name, less);
  return e != end && std::strcmp(e->name, name) == 0 ? e : nullptr;
}

bool contains(const std::vector<std::string>& list, const char* name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

template <class ExtensionOn>
bool available(const EntryPoint& e, uint32_t apiVersion, ExtensionOn on) {
  for (uint32_t i = 0; i < e.conditionCount; ++i) {
    const uint16_t c = kConditions[e.firstCondition + i];
    if (c & 0x8000 ? (c & 0xFFu) <= VK_API_VERSION_MINOR(apiVersion) : on(kExtensions[c])) return true;
  }
  return false;
}

}  // namespace

std::span<const ExtensionEntry> supportedExtensions() { return kExtensions; }

const ExtensionEntry* findExtension(std::string_view name, bool isInstance) {
  for (const ExtensionEntry& e : kExtensions)
    if (e.isInstance == isInstance && name == e.name) return &e;
  return nullptr;
}

PFN_vkVoidFunction findGlobalEntryPoint(const char* name) {
  const EntryPoint* e = find(name);
  return e && e->level == Level::Global ? e->function : nullptr;
}

PFN_vkVoidFunction findInstanceEntryPoint(const char* name, uint32_t apiVersion,
                                          const std::vector<std::string>& enabled) {
  const EntryPoint* e = find(name);
  if (!e) return nullptr;
  if (e->level == Level::Global) return std::strcmp(name, "vkGetInstanceProcAddr") == 0 ? e->function : nullptr;
  // Physical devices may have a higher version than the instance was made for, so device commands are all there.
  const uint32_t version = e->level == Level::Instance ? apiVersion : VK_MAKE_API_VERSION(0, 1, 4, 0);
  const bool on =
      available(*e, version, [&](const ExtensionEntry& x) { return !x.isInstance || contains(enabled, x.name); });
  return on ? e->function : nullptr;
}

PFN_vkVoidFunction findPhysicalDeviceEntryPoint(const char* name) {
  const EntryPoint* e = find(name);
  return e && e->level == Level::PhysicalDevice ? e->function : nullptr;
}

PFN_vkVoidFunction findDeviceEntryPoint(const char* name, uint32_t apiVersion,
                                        const std::vector<std::string>& instanceExtensions,
                                        const std::vector<std::string>& deviceExtensions) {
  const EntryPoint* e = find(name);
  if (!e || e->level != Level::Device) return nullptr;
  const bool on = available(*e, apiVersion, [&](const ExtensionEntry& x) {
    return contains(x.isInstance ? instanceExtensions : deviceExtensions, x.name);
  });
  return on ? e->function : nullptr;
}

}  // namespace etzel::icd
