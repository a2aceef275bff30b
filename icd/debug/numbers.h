// Numbers in the words that debuggers and the environment give.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace etzel::icd {

/// Numbers of type T, at least one, divided by `separator`; nothing where it is anything else, or one does not fit.
template <class T>
std::optional<std::vector<T>> numbersIn(std::string_view text, char separator, int base = 10) {
  std::vector<T> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    T value = 0;
    const auto read = std::from_chars(at, end, value, base);
    if (read.ec != std::errc()) return {};
    numbers.push_back(value);
    if (read.ptr == end) return numbers;
    if (*read.ptr != separator) return {};
    at = read.ptr + 1;
  }
}

}  // namespace etzel::icd
