// The editor's side of the Debug Adapter Protocol: requests, their answers, events. Single-threaded.
#pragma once

#include <deque>
#include <optional>

#include "dap_stream.h"

namespace etzel_debug {

class DapPeer {
 public:
  /// `in` and `out` lead to an adapter.
  DapPeer(int in, int out) : stream_(in, out) {}

  /// Sends a request and waits for its answer: the body; nothing where it was refused, with error() why.
  std::optional<Json> request(const std::string& command, Json arguments = Json::object());
  const std::string& error() const { return error_; }
  /// Waits for an event, the adapter's end, or something to read on `other` (-1: nothing else). \returns false for that
  bool wait(int other);
  /// The next event, if need be waited for; nothing when the adapter is gone.
  std::optional<Json> event();

 private:
  /// The next message; false when the adapter is gone.
  bool receive(Json& message);

  DapStream stream_;
  int64_t sequence_ = 0;
  std::string error_;
  std::deque<Json> events_;
};

}  // namespace etzel_debug
