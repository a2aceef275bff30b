#include "dap_peer.h"

#include <poll.h>

namespace etzel_debug {

DapPeer::Came DapPeer::receive(Json& message) {
  for (;;) {
    if (stream_.next(message) == DapStream::Next::Message) return Came::Message;
    pollfd fds[2] = {{stream_.in(), POLLIN, 0}, {interrupts_.descriptor(), POLLIN, 0}};
    if (poll(fds, 2, -1) < 0) continue;  // a signal
    if (fds[1].revents) {
      interrupts_.take();
      return Came::Interrupt;
    }
    if (!stream_.fill()) return Came::End;
  }
}

int64_t DapPeer::send(const std::string& command, Json arguments) {
  const int64_t own = ++sequence_;
  stream_.write({{"seq", own}, {"type", "request"}, {"command", command}, {"arguments", std::move(arguments)}});
  return own;
}

std::optional<Json> DapPeer::request(const std::string& command, Json arguments, OnInterrupt first) {
  const int64_t own = send(command, std::move(arguments));
  const unsigned cancels = first == OnInterrupt::Cancel ? 1 : 2;
  interrupted_ = false;
  for (unsigned pressed = 0;;) {
    Json message;
    const Came came = receive(message);
    if (came == Came::End || (came == Came::Interrupt && pressed == cancels)) {
      interrupted_ = came == Came::Interrupt;
      error_ = interrupted_ ? "nobody has answered" : "the adapter is gone";
      return {};
    }
    if (came == Came::Interrupt) {
      if (++pressed == cancels) send("cancel", {{"requestId", own}});
      continue;
    }
    if (message.value("type", "") == "event") {
      events_.push_back(std::move(message));
      continue;
    }
    if (message.value("request_seq", int64_t{0}) != own) continue;
    if (message.value("success", false)) {
      if (pressed) interrupts_.press();
      return message.value("body", Json::object());
    }
    interrupted_ = pressed == cancels;
    error_ = message.value("message", "it was refused");
    return {};
  }
}

bool DapPeer::wait() {
  while (events_.empty()) {
    Json message;
    const Came came = receive(message);
    if (came != Came::Message) return came == Came::End;
    if (message.value("type", "") == "event") events_.push_back(std::move(message));
  }
  return true;
}

std::optional<Json> DapPeer::event() {
  while (events_.empty())
    if (Json message; receive(message) == Came::End)
      return {};
    else if (message.value("type", "") == "event")
      events_.push_back(std::move(message));
  Json first = std::move(events_.front());
  events_.pop_front();
  return first;
}

}  // namespace etzel_debug
