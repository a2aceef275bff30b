// Messages of the Debug Adapter Protocol on a pair of descriptors: a header that says how long, then JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace etzel_debug {

using Json = nlohmann::json;

class DapStream {
 public:
  DapStream(int in, int out) : in_(in), out_(out) {}

  int in() const { return in_; }
  /// Reads what is there. \returns false at the end
  bool fill();
  enum class Next { Message, Malformed, Nothing };
  /// The next message that has come whole. Malformed: one whose header or text is none, or nests too deeply; it is
  /// skipped.
  Next next(Json& message);
  /// Text that is no UTF-8 is mended on the way.
  void write(const Json& message);

 private:
  int in_, out_;
  std::string pending_;
  bool lost_ = false;  ///< what comes has been no message for a while
};

}  // namespace etzel_debug
