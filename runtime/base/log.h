// Messages for people. Warnings and errors always go to the sink, Info only with ETZEL_DEBUG=info. The API layer sets a
// sink that forwards to VK_EXT_debug_utils; without one, messages go to stderr. Any thread.
#pragma once

#include <cstdint>

namespace etzel {

enum class LogLevel : uint8_t { Info, Warning, Error };

/// One line, printf style, without a newline.
[[gnu::format(printf, 2, 3)]] void logMessage(LogLevel level, const char* format, ...);

/// Receives every message, in addition to stderr. Null removes it.
using LogSink = void (*)(LogLevel level, const char* message);
void setLogSink(LogSink sink);

}  // namespace etzel
