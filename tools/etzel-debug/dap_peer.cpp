#include "dap_peer.h"

#include <poll.h>

namespace etzel_debug {

bool DapPeer::receive(Json& message) {
  for (;;) {
    if (stream_.next(message) == DapStream::Next::Message) return true;
    if (!stream_.fill()) return false;
  }
}

std::optional<Json> DapPeer::request(const std::string& command, Json arguments) {
  const int64_t own = ++sequence_;
  stream_.write({{"seq", own}, {"type", "request"}, {"command", command}, {"arguments", std::move(arguments)}});
  for (Json message; receive(message);) {
    if (message.value("type", "") == "event") {
      events_.push_back(std::move(message));
    } else if (message.value("request_seq", int64_t{0}) == own) {
      if (message.value("success", false)) return message.value("body", Json::object());
      error_ = message.value("message", "it was refused");
      return {};
    }
  }
  error_ = "the adapter is gone";
  return {};
}

bool DapPeer::wait(int other) {
  for (;;) {
    for (Json message; stream_.next(message) == DapStream::Next::Message;)
      if (message.value("type", "") == "event") events_.push_back(std::move(message));
    if (!events_.empty()) return true;
    pollfd fds[2] = {{stream_.in(), POLLIN, 0}, {other, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0) continue;  // a signal
    if (fds[1].revents) return false;
    if (!stream_.fill()) return true;
  }
}

std::optional<Json> DapPeer::event() {
  for (Json message; events_.empty();) {
    if (!receive(message)) return {};
    if (message.value("type", "") == "event") events_.push_back(std::move(message));
  }
  Json first = std::move(events_.front());
  events_.pop_front();
  return first;
}

}  // namespace etzel_debug
