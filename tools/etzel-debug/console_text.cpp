#include "console_text.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace etzel_debug {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

std::pair<std::string, std::string> firstWord(const std::string& text) {
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::optional<uint64_t> numberIn(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<SourceLine> sourceLineIn(const std::string& text) {
  for (size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const size_t end = std::min(text.find_first_of(" \t", colon), text.size());
    if (const auto line = numberIn(text.substr(colon + 1, end - colon - 1)))
      return SourceLine{text.substr(0, colon), *line, trimmed(text.substr(end))};
  }
  return {};
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string bytesOf(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

std::string placeOf(const nlohmann::json& frame) {
  const auto line = frame.value("line", uint64_t{0});
  const std::string source = frame.value("source", nlohmann::json::object()).value("name", "");
  return line && !source.empty() ? "  (" + source + ":" + std::to_string(line) + ")" : "  (in no line)";
}

}  // namespace etzel_debug
