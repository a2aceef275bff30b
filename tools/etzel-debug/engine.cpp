#include "engine.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace etzel_debug {
namespace {

/// The driver hangs up on those who send longer ones (icd/debug/wire.cpp).
constexpr size_t kLongestLine = 1 << 20;
/// What a listener on this machine has to take a connection in.
constexpr int kTakenInMs = 1000;

/// A word as the protocol writes it: blanks and the like as %XX, nothing as a lone %.
std::string escaped(const std::string& word) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  if (word.empty()) return "%";
  std::string out;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte != '%' && byte != 0x7f)
      out += c;
    else
      ((out += '%') += kDigits[byte >> 4]) += kDigits[byte & 15];
  }
  return out;
}

/// Whether a socket is connected with itself: TCP does that where nobody listens, and the system has chosen the very
/// port that is asked for as the socket's own.
bool isItsOwnPeer(int fd) {
  sockaddr_in own{}, peer{};
  socklen_t ownBytes = sizeof own, peerBytes = sizeof peer;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&own), &ownBytes) == 0 &&
         getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peerBytes) == 0 && own.sin_family == AF_INET &&
         peer.sin_family == AF_INET && own.sin_port == peer.sin_port && own.sin_addr.s_addr == peer.sin_addr.s_addr;
}

/// Connects, with somebody who takes it in within kTakenInMs: else a listener that has no room would stop the adapter.
/// \returns the socket; -1: there is nobody
int openSocket(const sockaddr* address, socklen_t bytes) {
  const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fd;
  int error = connect(fd, address, bytes) == 0 ? 0 : errno;
  if (pollfd waits{fd, POLLOUT, 0}; error == EINPROGRESS && poll(&waits, 1, kTakenInMs) == 1) {
    socklen_t size = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0 && !isItsOwnPeer(fd) && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
  close(fd);
  return -1;
}

int openUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return openSocket(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int openLoopback(const std::string& text) {
  uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return -1;
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return openSocket(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace

bool Engine::connect(const std::string& address) {
  if (connected()) return false;
  if (address.starts_with("unix:")) socket_ = openUnix(address.substr(5));
  if (address.starts_with("port:")) socket_ = openLoopback(address.substr(5));
  return connected();
}

void Engine::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  pending_.clear();
  auto waiting = std::move(waiting_);
  waiting_.clear();
  for (const auto& [id, answer] : waiting) answer(nullptr, "the program is gone");
}

void Engine::ask(const std::string& verb, const std::vector<std::string>& words, Answer answer) {
  if (!connected()) return answer(nullptr, "no program is attached");
  const uint64_t id = next_++;
  std::string line = std::to_string(id) + ' ' + verb;
  for (const std::string& word : words) line += ' ' + escaped(word);
  line += '\n';
  if (line.size() > kLongestLine) return answer(nullptr, "the request is too long");
  waiting_[id] = std::move(answer);
  for (size_t done = 0; done < line.size();) {
    const ssize_t sent = send(socket_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // receive() finds the end
    done += static_cast<size_t>(sent);
  }
}

void Engine::take(const Json& message) {
  if (message.contains("event")) return event_(message);
  const Json id = message.value("id", Json(0));
  const auto known = id.is_number_unsigned() ? waiting_.find(id.get<uint64_t>()) : waiting_.end();
  if (known == waiting_.end()) return;
  const Answer answer = std::move(known->second);
  waiting_.erase(known);
  const Json ok = message.value("ok", Json(false)), error = message.value("error", Json("it failed"));
  if (ok == true)
    answer(message.value("body", Json()), "");
  else
    answer(nullptr, error.is_string() ? error.get<std::string>() : error.dump());
}

bool Engine::receive() {
  char buffer[65536];
  ssize_t got;
  do got = recv(socket_, buffer, sizeof buffer, 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  pending_.append(buffer, static_cast<size_t>(got));
  for (size_t end; (end = pending_.find('\n')) != std::string::npos;) {
    const std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    const Json message = Json::parse(line, nullptr, false);
    if (message.is_object()) take(message);
    if (!connected()) return true;
  }
  return true;
}

}  // namespace etzel_debug
