// The socket between a debugger and this process: one debugger at a time, lines of text. Requests are words divided by
// blanks, where blanks and other awkward bytes are %XX and a word that is empty is a lone %; the first is a number that
// the answer repeats, the second the verb. Answers and events are JSON, one object a line.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::icd {

struct WireRequest {
  uint64_t id = 0;
  std::string verb;
  std::vector<std::string> words;  ///< arguments
};

class Wire {
 public:
  /// Called by the wire's thread.
  struct Listener {
    std::function<void(WireRequest)> request;
    std::function<void()> attached, detached;
  };

  /// Listens at "unix:PATH" or "port:N". \returns false, with a line in the log, where that cannot be
  bool listen(const std::string& address, Listener listener);

  /// Any thread; nothing happens when nobody is attached.
  void send(const std::string& json);
  void answer(uint64_t id, const std::string& body);
  void refuse(uint64_t id, const std::string& why);
  bool attached() const { return peer_.load() >= 0; }

 private:
  void run();
  void serve(int peer);
  void drop();

  Listener listener_;
  int listening_ = -1;
  std::atomic<int> peer_{-1};
  std::mutex sending_;
  task::Thread thread_;
  std::unique_ptr<task::ForkHandler> fork_;
};

/// A request's words; nothing where the line has none.
bool readRequest(const std::string& line, WireRequest& request);

}  // namespace etzel::icd
