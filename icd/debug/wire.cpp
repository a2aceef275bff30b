#include "icd/debug/wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "icd/debug/json.h"
#include "runtime/base/log.h"

namespace etzel::icd {
namespace {

/// Longer lines end the connection: no request needs them.
constexpr size_t kLongestLine = 1 << 20;

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string plain(std::string_view word) {
  std::string out;
  if (word == "%") return out;
  for (size_t i = 0; i < word.size(); ++i) {
    const int high = word[i] == '%' && i + 2 < word.size() ? digitOf(word[i + 1]) : -1;
    const int low = high >= 0 ? digitOf(word[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high << 4 | low);
      i += 2;
    } else {
      out += word[i];
    }
  }
  return out;
}

int listenUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    fchmod(fd, 0600);  // the file gets this mode: nobody else may connect
    if (bind(fd, to, sizeof address) == 0) {
      if (::listen(fd, 1) == 0) return fd;
      close(fd);
      return -1;
    }
    // A process that is gone has left its socket behind.
    const bool taken = errno == EADDRINUSE;
    const bool answers = connect(fd, to, sizeof address) == 0;
    close(fd);
    struct stat info;
    if (!taken || answers || lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return -1;
    unlink(path.c_str());
  }
  return -1;
}

int listenLoopback(const std::string& text) {
  uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return -1;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && ::listen(fd, 1) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

bool readRequest(const std::string& line, WireRequest& request) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) words.push_back(plain(std::string_view(line).substr(at, end - at)));
    at = end + 1;
  }
  if (words.size() < 2) return false;
  const auto read = std::from_chars(words[0].data(), words[0].data() + words[0].size(), request.id);
  if (read.ec != std::errc()) return false;
  request.verb = words[1];
  request.words.assign(words.begin() + 2, words.end());
  return true;
}

bool Wire::listen(const std::string& address, Listener listener) {
  listener_ = std::move(listener);
  if (address.starts_with("unix:")) listening_ = listenUnix(address.substr(5));
  if (address.starts_with("port:")) listening_ = listenLoopback(address.substr(5));
  if (listening_ < 0) {
    logMessage(LogLevel::Error, "ETZEL_DEBUGGER=%s: unix:PATH or port:N is expected, and must be free",
               address.c_str());
    return false;
  }
  // A child of fork() has no debugger: the connection is its parent's.
  fork_ = std::make_unique<task::ForkHandler>([this] {
    thread_.forget();
    task::remake(sending_);
    close(listening_);
    if (const int peer = peer_.exchange(-1); peer >= 0) close(peer);
  });
  return thread_.start("etzel-debugger", [this] { run(); });
}

void Wire::run() {
  for (;;) {
    const int peer = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    const int on = 1;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails for Unix sockets, which need none
    const timeval patience{5, 0};  // a debugger that reads nothing any more must not hold up the application
    setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    peer_.store(peer);
    listener_.attached();
    serve(peer);
    drop();
    listener_.detached();
  }
}

void Wire::drop() {
  std::lock_guard lock(sending_);
  if (const int peer = peer_.exchange(-1); peer >= 0) close(peer);
}

void Wire::serve(int peer) {
  std::string pending;
  char buffer[4096];
  for (;;) {
    const ssize_t got = recv(peer, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    pending.append(buffer, static_cast<size_t>(got));
    for (size_t end; (end = pending.find('\n')) != std::string::npos;) {
      const std::string line = pending.substr(0, end);
      pending.erase(0, end + 1);
      WireRequest request;
      if (readRequest(line, request))
        listener_.request(std::move(request));
      else
        refuse(request.id, "a request is a number, a verb and its arguments");
    }
    if (pending.size() > kLongestLine) return;
  }
}

void Wire::send(const std::string& json) {
  std::lock_guard lock(sending_);
  const int peer = peer_.load();
  if (peer < 0) return;
  const std::string line = json + '\n';
  for (size_t done = 0; done < line.size();) {
    const ssize_t sent = ::send(peer, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) {
      shutdown(peer, SHUT_RDWR);  // serve() finds the end
      return;
    }
    done += static_cast<size_t>(sent);
  }
}

void Wire::answer(uint64_t id, const std::string& body) {
  send(JsonObject().number("id", id).truth("ok", true).raw("body", body).done());
}
void Wire::refuse(uint64_t id, const std::string& why) {
  send(JsonObject().number("id", id).truth("ok", false).text("error", why).done());
}

}  // namespace etzel::icd
