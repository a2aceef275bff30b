// The list of cases.
#include "cts-subset/support/case.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace etzel::cts {

std::vector<Case>& cases() {
  static auto* all = new std::vector<Case>;
  return *all;
}

void add(const std::string& name, CaseBody body) {
  cases().push_back({"etzel." + name, std::move(body)});
  std::erase(cases().back().name, ']');
  std::replace(cases().back().name.begin(), cases().back().name.end(), '[', '_');
}

std::string text(const char* format, ...) {
  char buffer[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  return buffer;
}

std::string named(double number) {
  std::string s = text("%g", number);
  for (char& c : s) c = c == '.' ? 'p' : c == '-' ? 'm' : c;
  return s;
}

}  // namespace etzel::cts
