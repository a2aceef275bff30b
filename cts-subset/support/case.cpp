// The list of cases.
#include "cts-subset/support/case.h"

#include <cstdarg>
#include <cstdio>

namespace etzel::cts {

std::vector<Case>& cases() {
  static auto* all = new std::vector<Case>;
  return *all;
}

void add(const std::string& name, CaseBody body) {
  cases().push_back({name.rfind("dEQP-VK.", 0) == 0 ? name : "etzel." + name, std::move(body)});
}

std::string text(const char* format, ...) {
  char buffer[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  return buffer;
}

}  // namespace etzel::cts
