#include "tests/fuzz/core/session.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>

namespace etzel::fuzz {
namespace {

/// Two of the driver's default limits: what computes longer hangs. Of the processors' time, since machines are busy.
constexpr uint64_t kHangMs = 20000;
/// What waits for what never comes computes nothing: by the clock.
constexpr uint64_t kStuckMs = 180000;
/// How others run the same input: each executor, and what other hosts have of them.
constexpr const char* kOthers[] = {
#ifdef __x86_64__
    "no-jit,isa=x86_64_v2", "jit-now,isa=x86_64_v3",
#else
    "no-jit",
#endif
    "jit-now"};

// libFuzzer's timer interrupts what waits.
bool readAll(int file, void* data, size_t bytes) {
  for (auto* p = static_cast<uint8_t*>(data); bytes;) {
    const ssize_t n = read(file, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= size_t(n);
  }
  return true;
}
bool writeAll(int file, const void* data, size_t bytes) {
  for (const auto* p = static_cast<const uint8_t*>(data); bytes;) {
    const ssize_t n = write(file, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= size_t(n);
  }
  return true;
}

uint64_t nowMs() {
  return uint64_t(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// What a process has computed so far.
uint64_t processorMs(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) ? 0 : uint64_t(time.tv_sec) * 1000 + uint64_t(time.tv_nsec) / 1000000;
}

[[noreturn]] void finding(const char* what, const char* where) {
  std::fprintf(stderr, "FINDING: %s (%s)\n", what, where);
  std::abort();
}

}  // namespace

void setEnvironment() {
  setenv("ETZEL_THREADS", "1", 1);
  setenv("ETZEL_CACHE", "off", 1);
  setenv("ETZEL_TIMEOUT_MS", "250", 1);
  setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 1);
}

Peer::Peer(const std::string& program, const char* target, const char* flags) : flags_(flags) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) finding("no pipe", flags);
  child_ = fork();
  if (child_ == 0) {
    dup2(to[0], 0);
    if (from[1] == 3)
      fcntl(3, F_SETFD, 0);  // else a copy, which stays open anyway
    else
      dup2(from[1], 3);
    setenv("ETZEL_DEBUG", flags, 1);
    execl(program.c_str(), program.c_str(), "--serve", target, static_cast<char*>(nullptr));
    _exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1], from_ = from[0];
}

Peer::~Peer() {
  ::close(to_);
  ::close(from_);
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

uint64_t Peer::computedMs() const {
  clockid_t clock;
  return clock_getcpuclockid(child_, &clock) ? 0 : processorMs(clock);
}

void Peer::send(std::span<const uint8_t> input) {
  const uint64_t bytes = input.size();
  if (writeAll(to_, &bytes, sizeof bytes)) writeAll(to_, input.data(), input.size());
}

bool Peer::receive(Outcome* outcome) {
  uint64_t words[2];
  if (!readAll(from_, words, sizeof words)) return false;
  *outcome = {Verdict(words[0]), words[1]};
  return true;
}

int serve(Target& target) {
  uint64_t bytes;
  while (readAll(0, &bytes, sizeof bytes)) {
    Bytes input(bytes);
    if (!readAll(0, input.data(), input.size())) break;
    const Outcome outcome = target.run(input);
    const uint64_t words[2] = {uint64_t(outcome.verdict), outcome.digest};
    if (!writeAll(3, words, sizeof words)) break;
  }
  return 0;
}

Session::Session(const TargetRow& row, const std::string& program, const std::string& keep) : target_(row.make()) {
  signal(SIGPIPE, SIG_IGN);
  file_ = open(keep.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (target_->compared())
    for (const char* flags : kOthers) peers_.push_back(std::make_unique<Peer>(program, row.name, flags));
  watchdog_ = std::thread([this] { watch(); });
}

Session::~Session() {
  stop_ = true;
  watchdog_.join();
  if (file_ >= 0) ::close(file_);
}

uint64_t Session::computedMs() const {
  uint64_t sum = processorMs(CLOCK_PROCESS_CPUTIME_ID);
  for (const auto& peer : peers_) sum += peer->computedMs();
  return sum;
}

void Session::watch() {
  uint64_t input = 0, computed = 0;  // as the input in work was seen first
  while (!stop_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const uint64_t began = began_;
    if (began != input) input = began, computed = computedMs();
    if (!began) continue;
    if (computedMs() - computed > kHangMs) finding("hang", "over two limits");
    if (nowMs() - began > kStuckMs) finding("hang", "it waits");
  }
}

void Session::keepInput(std::span<const uint8_t> input) {
  if (ftruncate(file_, off_t(input.size())) == 0 && pwrite(file_, input.data(), input.size(), 0) < 0)
    std::perror("the input");
}

void Session::run(std::span<const uint8_t> input) {
  keepInput(input);
  began_ = nowMs();
  const Outcome outcome = target_->run(input);
  ++statistics_.inputs;
  statistics_.ran += outcome.verdict == Verdict::Ran;
  statistics_.lost += outcome.verdict == Verdict::Lost;
  if (outcome.verdict == Verdict::Ran) compare(input, outcome);
  began_ = 0;
}

// What one executor cannot finish in time is nothing to compare: time is the one thing that may differ.
std::string Session::differing(std::span<const uint8_t> input, const Outcome& own) {
  std::string which;
  for (auto& peer : peers_) peer->send(input);
  for (auto& peer : peers_) {
    Outcome other;
    if (!peer->receive(&other)) finding("another executor's process is gone", peer->flags());
    if (own.verdict == Verdict::Lost || other.verdict == Verdict::Lost) continue;
    if (other.verdict != own.verdict) finding("one executor refuses", peer->flags());
    if (other.digest != own.digest) which += (which.empty() ? "" : ", ") + std::string(peer->flags());
  }
  return which;
}

void Session::compare(std::span<const uint8_t> input, const Outcome& own) {
  std::string which = differing(input, own);
  if (which.empty()) return;
  const Bytes settled = target_->settled(input);
  if (settled.empty()) finding("executors differ", which.c_str());
  which = differing(settled, target_->run(settled));
  if (!which.empty()) finding("executors differ", which.c_str());
}

std::vector<Bytes> seedsOf(const TargetRow& row) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) finding("no pipe", row.name);
  const pid_t child = fork();
  if (child == 0) {
    int status = 0;
    try {
      for (const Bytes& seed : row.make()->seeds()) {
        const uint64_t bytes = seed.size();
        writeAll(ends[1], &bytes, sizeof bytes);
        writeAll(ends[1], seed.data(), seed.size());
      }
    } catch (const std::exception& e) {
      std::fprintf(stderr, "etzel-fuzz: %s\n", e.what());
      status = 1;
    }
    _exit(status);
  }
  ::close(ends[1]);
  std::vector<Bytes> seeds;
  uint64_t bytes;
  while (readAll(ends[0], &bytes, sizeof bytes)) {
    Bytes seed(bytes);
    if (!readAll(ends[0], seed.data(), seed.size())) break;
    seeds.push_back(std::move(seed));
  }
  ::close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status || seeds.empty()) finding("seeds cannot be made", row.name);
  return seeds;
}

}  // namespace etzel::fuzz
