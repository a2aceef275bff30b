// The only way to a VkResult that is an error: it says why, in the log (ETZEL_DEBUG=errors) and to debug messengers.
#pragma once

#include <vulkan/vulkan.h>

#include <exception>

#include "runtime/base/result.h"

namespace etzel::icd {

/// A place in Etzel's source, by default the caller's. (Not every compiler that builds Etzel has std::source_location.)
struct SourcePlace {
  const char* file;
  uint32_t line;
  static constexpr SourcePlace current(const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

/// \returns `result`, after reporting `reason` (printf style, one sentence).
[[gnu::format(printf, 3, 4)]] VkResult failAt(const SourcePlace& where, VkResult result, const char* format, ...);
/// The VkResult of an Error, reported likewise.
VkResult failWith(const Error& error, const SourcePlace& where = SourcePlace::current());

/// What `body` returns, or VK_ERROR_OUT_OF_HOST_MEMORY when it throws, as only the library does for want of memory.
template <class Body>
VkResult withoutThrowing(Body&& body) {
  try {
    return body();
  } catch (const std::exception&) {
    return failAt(SourcePlace::current(), VK_ERROR_OUT_OF_HOST_MEMORY, "the system gives no memory");
  }
}

}  // namespace etzel::icd

#define ETZEL_FAIL(result, ...) ::etzel::icd::failAt(::etzel::icd::SourcePlace::current(), result, __VA_ARGS__)
