// ETZEL_DEBUG: a comma-separated list of switches for developers, all in debug_flags.def. Read once, at first use; any
// thread. None of them changes what an application sees, except time.
#pragma once

#include <cstdint>
#include <string_view>

namespace etzel {

enum class DebugFlag : uint8_t {
#define ETZEL_DEBUG_FLAG(Id, name, description) Id,
#include "runtime/base/debug_flags.def"
#undef ETZEL_DEBUG_FLAG
};

/// Parses a list like "errors,no-jit" to a bit per DebugFlag. Unknown words are reported in the log and ignored.
uint32_t parseDebugFlags(std::string_view list);

/// The process's flags, from the environment variable ETZEL_DEBUG.
uint32_t debugFlags();
inline bool debug(DebugFlag flag) { return debugFlags() >> static_cast<uint32_t>(flag) & 1; }

}  // namespace etzel
