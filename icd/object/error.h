// The only way to a VkResult that is an error: it says why, in the log (ETZEL_DEBUG=errors) and to debug messengers.
#pragma once

#include <vulkan/vulkan.h>

#include <source_location>

#include "runtime/base/result.h"

namespace etzel::icd {

/// \returns `result`, after reporting `reason` (printf style, one sentence).
[[gnu::format(printf, 3, 4)]] VkResult failAt(const std::source_location& where, VkResult result, const char* format,
                                              ...);
/// The VkResult of an Error, reported likewise.
VkResult failWith(const Error& error, const std::source_location& where = std::source_location::current());

}  // namespace etzel::icd

#define ETZEL_FAIL(result, ...) ::etzel::icd::failAt(std::source_location::current(), result, __VA_ARGS__)
