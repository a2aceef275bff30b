#include "runtime/base/debug_flags.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/base/log.h"

namespace etzel {
namespace {

struct Row {
  std::string_view name;
  const char* value;  ///< what an option's value is, for the help; null: a flag
  const char* description;
  uint8_t id;  ///< a DebugFlag or a DebugOption
};
constexpr Row kRows[] = {
#define ETZEL_DEBUG_FLAG(Id, name, description) {name, nullptr, description, static_cast<uint8_t>(DebugFlag::Id)},
#define ETZEL_DEBUG_OPTION(Id, name, value, description) \
  {name, value, description, static_cast<uint8_t>(DebugOption::Id)},
#include "runtime/base/debug_flags.def"
#undef ETZEL_DEBUG_FLAG
#undef ETZEL_DEBUG_OPTION
};

void printHelp() {
  std::fprintf(stderr, "ETZEL_DEBUG takes a comma-separated list of:\n");
  for (const Row& r : kRows) {
    const std::string word = std::string(r.name) + (r.value ? std::string("=") + r.value : "");
    std::fprintf(stderr, "  %-14s %s\n", word.c_str(), r.description);
  }
}

const Row* rowOf(std::string_view name, bool isOption) {
  for (const Row& r : kRows)
    if (r.name == name && (r.value != nullptr) == isOption) return &r;
  return nullptr;
}

}  // namespace

DebugSettings parseDebugSettings(std::string_view list) {
  DebugSettings settings;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    if (word.empty()) continue;
    const size_t equals = word.find('=');
    const bool isOption = equals != std::string_view::npos;
    const Row* row = rowOf(word.substr(0, equals), isOption);
    if (!row)
      logMessage(LogLevel::Warning, "ETZEL_DEBUG: no flag is called '%.*s'", int(word.size()), word.data());
    else if (isOption)
      settings.option[row->id] = word.substr(equals + 1);
    else
      settings.flags |= 1u << row->id;
  }
  return settings;
}

const DebugSettings& debugSettings() {
  static const DebugSettings settings = [] {
    const char* text = secure_getenv("ETZEL_DEBUG");
    DebugSettings s = text ? parseDebugSettings(text) : DebugSettings{};
    if (s.has(DebugFlag::Help)) printHelp();
    return s;
  }();
  return settings;
}

}  // namespace etzel
