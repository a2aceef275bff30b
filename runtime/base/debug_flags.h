// ETZEL_DEBUG: a comma-separated list of switches for developers, all in debug_flags.def: flags ("no-jit") and options
// with a value ("isa=x86_64_v1"). Read once, at first use; any thread. None of them changes what an application sees,
// except time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace etzel {

enum class DebugFlag : uint8_t {
#define ETZEL_DEBUG_FLAG(Id, name, description) Id,
#define ETZEL_DEBUG_OPTION(Id, name, value, description)
#include "runtime/base/debug_flags.def"
#undef ETZEL_DEBUG_FLAG
#undef ETZEL_DEBUG_OPTION
};

enum class DebugOption : uint8_t {
#define ETZEL_DEBUG_FLAG(Id, name, description)
#define ETZEL_DEBUG_OPTION(Id, name, value, description) Id,
#include "runtime/base/debug_flags.def"
#undef ETZEL_DEBUG_FLAG
#undef ETZEL_DEBUG_OPTION
  kCount
};

struct DebugSettings {
  uint32_t flags = 0;                                                        ///< a bit per DebugFlag
  std::array<std::string, static_cast<size_t>(DebugOption::kCount)> option;  ///< empty: not given

  bool has(DebugFlag flag) const { return flags >> static_cast<uint32_t>(flag) & 1; }
};

/// Parses a list like "errors,isa=x86_64_v1". Unknown words are reported in the log and ignored.
DebugSettings parseDebugSettings(std::string_view list);

/// The process's settings, from the environment variable ETZEL_DEBUG.
const DebugSettings& debugSettings();
inline bool debug(DebugFlag flag) { return debugSettings().has(flag); }
/// The value of an option; empty where it is not given.
inline std::string_view debugOption(DebugOption option) { return debugSettings().option[static_cast<size_t>(option)]; }

}  // namespace etzel
