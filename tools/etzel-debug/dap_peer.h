// The editor's side of the Debug Adapter Protocol: requests, their answers, events. Whatever is waited for, Ctrl-C is
// heard. Single-threaded.
#pragma once

#include <deque>
#include <optional>

#include "dap_stream.h"
#include "interrupts.h"

namespace etzel_debug {

class DapPeer {
 public:
  /// `in` and `out` lead to an adapter.
  DapPeer(int in, int out, Interrupts& interrupts) : stream_(in, out), interrupts_(interrupts) {}

  /// What the first Ctrl-C does to a request that has no answer yet.
  enum class OnInterrupt {
    Cancel,  ///< takes it back
    Wait,    ///< nothing: it is for who waits next; the second takes the request back
  };
  /// Sends a request and waits for its answer: the body; nothing where it was refused, with error() why. Ctrl-C behind
  /// the one that takes it back ends the waiting, whatever the adapter does. What did not take it back is heard by who
  /// waits next.
  std::optional<Json> request(const std::string& command, Json arguments = Json::object(),
                              OnInterrupt first = OnInterrupt::Cancel);
  const std::string& error() const { return error_; }
  /// Whether Ctrl-C took the last request back.
  bool interrupted() const { return interrupted_; }
  /// Waits for an event, or for the adapter's end. \returns false for Ctrl-C
  bool wait();
  /// The next event, if need be waited for; nothing when the adapter is gone.
  std::optional<Json> event();

 private:
  enum class Came { Message, Interrupt, End };
  Came receive(Json& message);
  int64_t send(const std::string& command, Json arguments);

  DapStream stream_;
  Interrupts& interrupts_;
  int64_t sequence_ = 0;
  std::string error_;
  bool interrupted_ = false;
  std::deque<Json> events_;
};

}  // namespace etzel_debug
