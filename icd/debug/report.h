// Debug messengers and report callbacks: who hears about errors (VK_EXT_debug_utils, VK_EXT_debug_report). The list is
// process-wide because the log is; entries name their instance.
#pragma once

#include <vulkan/vulkan.h>

#include "runtime/base/log.h"

namespace etzel::icd {

struct Instance;

/// Sends one message to every messenger and callback that asked for its severity. Any thread.
void reportToMessengers(LogLevel level, const char* message);

}  // namespace etzel::icd
