// What the console's commands do with words and texts.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace etzel_debug {

std::string trimmed(const std::string& text);
/// "a b c" as "a" and "b c".
std::pair<std::string, std::string> firstWord(const std::string& text);
/// A number and nothing else.
std::optional<uint64_t> numberIn(const std::string& text);

/// A line of a source, and what is behind it.
struct SourceLine {
  std::string source;
  uint64_t line = 0;
  std::string rest;
};
/// "my shader.frag:13 a text": the name goes up to the first colon with a number and a blank, or the end, behind it.
std::optional<SourceLine> sourceLineIn(const std::string& text);

std::vector<std::string> linesOf(const std::string& text);
/// Base64 (RFC 4648) of the adapter.
std::string bytesOf(std::string_view text);
/// "  (case.frag:12)" of a frame of the protocol.
std::string placeOf(const nlohmann::json& frame);

}  // namespace etzel_debug
