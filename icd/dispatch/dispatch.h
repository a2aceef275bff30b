// Entry points by name. The table is generated from the registry (gen_dispatch.py); this file filters it by what an
// instance or a device has enabled ("Command Function Pointers").
#pragma once

#include <span>
#include <string>
#include <vector>

#include "icd/object/object.h"

namespace etzel::icd {

struct ExtensionEntry {
  const char* name;
  uint32_t specVersion;
  bool isInstance;
};

/// Every advertised extension, sorted by name.
std::span<const ExtensionEntry> supportedExtensions();
/// The advertised extension of that name and kind, or null.
const ExtensionEntry* findExtension(std::string_view name, bool isInstance);

/// vkGetInstanceProcAddr without an instance: global commands only.
PFN_vkVoidFunction findGlobalEntryPoint(const char* name);
/// Instance, physical device and device level commands of core versions up to `apiVersion`, of enabled instance
/// extensions, and of all device extensions.
PFN_vkVoidFunction findInstanceEntryPoint(const char* name, uint32_t apiVersion,
                                          const std::vector<std::string>& enabled);
/// Physical device level commands, whatever is enabled (the loader asks before it knows).
PFN_vkVoidFunction findPhysicalDeviceEntryPoint(const char* name);
/// Device level commands of core versions up to `apiVersion` and of enabled extensions of either kind.
PFN_vkVoidFunction findDeviceEntryPoint(const char* name, uint32_t apiVersion,
                                        const std::vector<std::string>& instanceExtensions,
                                        const std::vector<std::string>& deviceExtensions);

}  // namespace etzel::icd
