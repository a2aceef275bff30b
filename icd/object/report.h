// Debug messengers and report callbacks: who hears about errors (VK_EXT_debug_utils, VK_EXT_debug_report). The list is
// process-wide because the log is; entries name their instance.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "runtime/base/log.h"

namespace etzel::icd {

struct Instance;

/// What the pNext chain of VkInstanceCreateInfo asks for ("Debugging"): to hear about the calls that create and destroy
/// that instance.
struct ChainedListeners {
  std::vector<VkDebugUtilsMessengerCreateInfoEXT> messengers;
  std::vector<VkDebugReportCallbackCreateInfoEXT> callbacks;

  ChainedListeners() = default;
  /// Of the extensions that `info` enables.
  explicit ChainedListeners(const VkInstanceCreateInfo& info);
};

/// While this lives, `listeners` hear what happens on this thread.
class ChainedScope {
 public:
  explicit ChainedScope(const ChainedListeners& listeners);
  ~ChainedScope();
  ChainedScope(const ChainedScope&) = delete;
  ChainedScope& operator=(const ChainedScope&) = delete;

 private:
  const ChainedListeners* outer_;
};

/// Sends one message to every messenger and callback that asked for its severity. Any thread.
void reportToMessengers(LogLevel level, const char* message, const char* idName = "etzel");

/// Whether a messenger or callback asked for information. Any thread.
bool anybodyWantsInformation();

/// Sends what became of addresses to messengers of `instance` that asked for that. Any thread.
void reportAddresses(const Instance& instance, const VkDebugUtilsMessengerCallbackDataEXT& data);

/// Whether a messenger asked for that. Any thread.
bool anybodyWantsAddresses();

}  // namespace etzel::icd
