#include "runtime/base/debug_flags.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/base/log.h"

namespace etzel {
namespace {

struct Row {
  std::string_view name;
  const char* description;
};
constexpr Row kRows[] = {
#define ETZEL_DEBUG_FLAG(Id, name, description) {name, description},
#include "runtime/base/debug_flags.def"
#undef ETZEL_DEBUG_FLAG
};

void printHelp() {
  std::fprintf(stderr, "ETZEL_DEBUG takes a comma-separated list of:\n");
  for (const Row& r : kRows) std::fprintf(stderr, "  %-12.*s %s\n", int(r.name.size()), r.name.data(), r.description);
}

}  // namespace

uint32_t parseDebugFlags(std::string_view list) {
  uint32_t flags = 0;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    if (word.empty()) continue;
    bool known = false;
    for (uint32_t i = 0; i < std::size(kRows); ++i)
      if (kRows[i].name == word) flags |= 1u << i, known = true;
    if (!known) logMessage(LogLevel::Warning, "ETZEL_DEBUG: no flag is called '%.*s'", int(word.size()), word.data());
  }
  return flags;
}

uint32_t debugFlags() {
  static const uint32_t flags = [] {
    const char* text = std::getenv("ETZEL_DEBUG");
    const uint32_t f = text ? parseDebugFlags(text) : 0;
    if (f >> static_cast<uint32_t>(DebugFlag::Help) & 1) printHelp();
    return f;
  }();
  return flags;
}

}  // namespace etzel
