#include "runtime/base/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "runtime/base/debug_flags.h"

namespace etzel {
namespace {

std::atomic<LogSink> sink{nullptr};

const char* word(LogLevel level) {
  switch (level) {
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    default: return "error";
  }
}

}  // namespace

void logMessage(LogLevel level, const char* format, ...) {
  if (level == LogLevel::Info && !debug(DebugFlag::Info)) return;
  char text[1024];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (LogSink s = sink.load(std::memory_order_acquire)) s(level, text);
  std::fprintf(stderr, "etzel: %s: %s\n", word(level), text);
}

void setLogSink(LogSink s) { sink.store(s, std::memory_order_release); }

}  // namespace etzel
