#include "dap_stream.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

namespace etzel_debug {
namespace {

/// Longer messages are none: nothing that an editor says comes near.
constexpr size_t kLongest = size_t{8} << 20;
/// What does not end a header by then is none.
constexpr size_t kLongestHeader = 4096;
/// Values that nest deeper are refused: who copies or writes one calls itself for each level.
constexpr size_t kDeepest = 64;
constexpr std::string_view kLength = "content-length:";

/// The length that a header names; npos: none.
size_t lengthIn(std::string header) {
  for (char& c : header) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  size_t at = header.find(kLength);
  if (at == std::string::npos) return at;
  at = header.find_first_not_of(' ', at + kLength.size());
  if (at == std::string::npos) return at;
  size_t length = 0;
  const auto read = std::from_chars(header.data() + at, header.data() + header.size(), length);
  return read.ec == std::errc() && length <= kLongest ? length : std::string::npos;
}

bool nestsDeeply(std::string_view json) {
  size_t depth = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inString && c == '\\') ++i;
    if (c == '"') inString = !inString;
    if (inString) continue;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth) --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

}  // namespace

bool DapStream::fill() {
  char buffer[65536];
  ssize_t got;
  do got = read(in_, buffer, sizeof buffer);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  pending_.append(buffer, static_cast<size_t>(got));
  return true;
}

DapStream::Next DapStream::next(Json& message) {
  const size_t end = pending_.find("\r\n\r\n");
  if (end == std::string::npos) {
    // What never becomes a header is not kept for ever, and told once.
    if (pending_.size() <= kLongestHeader) return Next::Nothing;
    pending_.clear();
    return std::exchange(lost_, true) ? Next::Nothing : Next::Malformed;
  }
  lost_ = false;
  const size_t length = lengthIn(pending_.substr(0, end));
  if (length == std::string::npos) {
    pending_.erase(0, end + 4);
    return Next::Malformed;
  }
  if (pending_.size() - end - 4 < length) return Next::Nothing;
  const std::string text = pending_.substr(end + 4, length);
  pending_.erase(0, end + 4 + length);
  if (nestsDeeply(text)) return Next::Malformed;
  message = Json::parse(text, nullptr, false);
  return message.is_object() ? Next::Message : Next::Malformed;
}

void DapStream::write(const Json& message) {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(out_, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // the other end is gone, which fill() finds
    done += static_cast<size_t>(put);
  }
}

}  // namespace etzel_debug
