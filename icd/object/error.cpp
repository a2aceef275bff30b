#include "icd/object/error.h"

#include <cstdarg>
#include <cstdio>
#include <exception>

#include "icd/object/report.h"
#include "runtime/base/debug_flags.h"

namespace etzel::icd {

VkResult failAt(const SourcePlace& where, VkResult result, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (debug(DebugFlag::Errors))
    std::fprintf(stderr, "etzel: VkResult %d at %s:%u: %s\n", result, where.file, where.line, text);
  try {
    reportToMessengers(LogLevel::Error, text);
  } catch (const std::exception&) {
    // No memory to say that there is no memory.
  }
  return result;
}

VkResult failWith(const Error& error, const SourcePlace& where) {
  VkResult r = VK_ERROR_UNKNOWN;
  switch (error.code) {
    case ErrorCode::OutOfHostMemory: r = VK_ERROR_OUT_OF_HOST_MEMORY; break;
    case ErrorCode::OutOfDeviceMemory: r = VK_ERROR_OUT_OF_DEVICE_MEMORY; break;
    case ErrorCode::InvalidShader: r = VK_ERROR_INVALID_SHADER_NV; break;
    case ErrorCode::Unsupported: r = VK_ERROR_UNKNOWN; break;
    case ErrorCode::DeviceLost: r = VK_ERROR_DEVICE_LOST; break;
    case ErrorCode::Io:
    case ErrorCode::InvalidArgument: r = VK_ERROR_INITIALIZATION_FAILED; break;
  }
  return failAt(where, r, "%s", error.message.c_str());
}

}  // namespace etzel::icd
