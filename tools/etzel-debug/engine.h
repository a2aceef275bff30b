// The connection to a driver that lets debuggers attach (docs/debugging.md, The protocol): requests with what is to be
// done with their answers, and events. Single-threaded.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace etzel_debug {

class Engine {
 public:
  using Json = nlohmann::json;
  /// Gets the answer's body; or why there is none, and null.
  using Answer = std::function<void(const Json& body, const std::string& error)>;
  using Event = std::function<void(const Json& event)>;

  explicit Engine(Event event) : event_(std::move(event)) {}
  ~Engine() { close(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// "unix:PATH" or "port:N" of this machine. \returns whether somebody listens there
  bool connect(const std::string& address);
  void close();
  bool connected() const { return socket_ >= 0; }
  int descriptor() const { return socket_; }

  void ask(const std::string& verb, const std::vector<std::string>& words, Answer answer);
  /// Reads what is there and calls whom it concerns. \returns false when the driver is gone
  bool receive();

 private:
  void take(const Json& message);

  int socket_ = -1;
  uint64_t next_ = 1;
  std::string pending_;
  std::map<uint64_t, Answer> waiting_;
  Event event_;
};

}  // namespace etzel_debug
