// A worker is a fork that registers its batch with GoogleTest and runs it; a listener sends what happens through a
// pipe as lines: "D driver version", "B index", "I label width height png", "E index status seconds digest message"
// (strings in base64). A worker that dies between B and E crashed in that case; the rest of its batch goes to a new
// worker.
#include "cts-subset/support/runner.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

/// The version that people know a driver by: the first number with a dot in `info` ("Mesa 25.0.7-2 (LLVM 19.1.7)"),
/// else what `packed` holds.
std::string driverVersion(const std::string& info, uint32_t packed) {
  std::smatch found;
  if (std::regex_search(info, found, std::regex("[0-9]+([.][0-9]+)+"))) return found.str();
  return text("%u.%u.%u", VK_API_VERSION_MAJOR(packed), VK_API_VERSION_MINOR(packed), VK_API_VERSION_PATCH(packed));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Gpu* workerGpu = nullptr;
std::string openError;

class CaseTest : public ::testing::Test {
 public:
  explicit CaseTest(size_t index) : index_(index) {}
  void TestBody() override {
    if (!workerGpu) {
      FAIL() << openError;
    }
    std::optional<std::string> lacks;
    try {
      cases()[index_].body(*workerGpu);
    } catch (const NotSupported& e) {
      lacks = e.what();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    try {
      workerGpu->endCase();  // also of one that stops half-way: the next one's digest is its own
    } catch (const std::exception& e) {
      ADD_FAILURE() << "at the end of the case: " << e.what();
    }
    if (lacks) GTEST_SKIP() << *lacks;
  }

 private:
  size_t index_;
};

class Sender : public ::testing::EmptyTestEventListener {
 public:
  Sender(int fd, std::map<std::string, size_t> indices) : fd_(fd), indices_(std::move(indices)) {}
  void send(const std::string& line) {
    for (size_t at = 0; at < line.size();) {
      ssize_t n = write(fd_, line.data() + at, line.size() - at);
      if (n <= 0) _exit(3);
      at += size_t(n);
    }
  }
  void OnTestStart(const ::testing::TestInfo& info) override {
    index_ = indices_[std::string(info.test_suite_name()) + "." + info.name()];
    message_.clear();
    start_ = now();
    send(text("B %zu\n", index_));
  }
  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (part.passed() || message_.size() > 4000) return;
    message_ += std::string(part.message()) + "\n";
  }
  void OnTestEnd(const ::testing::TestInfo& info) override {
    Status status = info.result()->Failed()    ? Status::Fail
                    : info.result()->Skipped() ? Status::NotSupported
                                               : Status::Pass;
    for (auto& p : takePictures())
      if (status == Status::Fail) send("I " + base64(p.label) + text(" %u %u ", p.width, p.height) + p.png + "\n");
    send(text("E %zu %d %.6f %ju ", index_, int(status), now() - start_,
              uintmax_t(workerGpu ? workerGpu->digest.take() : 0)) +
         base64(message_) + "\n");
    if (workerGpu && workerGpu->lost) _exit(0);  // the rest needs a new device
  }

 private:
  int fd_;
  std::map<std::string, size_t> indices_;
  size_t index_ = 0;
  double start_ = 0;
  std::string message_;
};

[[noreturn]] void workerMain(const std::deque<size_t>& batch, bool digests, int fd) {
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE", "GTEST_FILTER",
                               "GTEST_OUTPUT", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE"})
    unsetenv(variable);
  int argc = 1;
  char program[] = "etzel-cts", *argv[] = {program, nullptr};
  ::testing::InitGoogleTest(&argc, argv);
  std::map<std::string, size_t> indices;
  for (size_t index : batch) {
    const std::string& name = cases()[index].name;
    size_t dot = name.rfind('.');
    indices[name] = index;
    ::testing::RegisterTest(name.substr(0, dot).c_str(), name.substr(dot + 1).c_str(), nullptr, nullptr, __FILE__,
                            __LINE__, [index]() -> ::testing::Test* { return new CaseTest(index); });
  }
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* sender = new Sender(fd, indices);
  listeners.Append(sender);
  try {
    workerGpu = new Gpu;
    workerGpu->digesting = digests;
    const std::string version =
        driverVersion(workerGpu->properties12.driverInfo, workerGpu->properties.properties.driverVersion);
    sender->send("D " + base64(workerGpu->properties12.driverName) + " " + version + "\n");
  } catch (const std::exception& e) {
    openError = e.what();
  }
  if (RUN_ALL_TESTS()) sender->send("");  // results were sent one by one
  sender->send("X\n");
  delete workerGpu;
  _exit(0);
}

struct Worker {
  pid_t pid = 0;
  int fd = -1;
  std::deque<size_t> left;
  bool running = false, finished = false;
  size_t current = 0;
  double since = 0;
  std::string input;
  std::vector<Picture> pictures;
};

/// Workers that run batches of cases, and what they have said.
class Runner {
 public:
  Runner(const RunOptions& options, Driver* driver, const std::function<void(const Result&)>& done)
      : options_(options), driver_(driver), done_(done) {}

  std::vector<Result> run(const std::vector<size_t>& chosen) {
    for (size_t i = 0; i < chosen.size(); i += options_.batch)
      batches_.emplace_back(chosen.begin() + long(i),
                            chosen.begin() + long(std::min(chosen.size(), i + options_.batch)));
    while (!batches_.empty() || !workers_.empty()) {
      while (!batches_.empty() && workers_.size() < options_.jobs) start();
      listen();
    }
    std::vector<Result> ordered;
    for (size_t index : chosen) ordered.push_back(std::move(results_[index]));
    return ordered;
  }

 private:
  void start() {
    int ends[2];
    if (pipe(ends)) abort();
    auto w = std::make_unique<Worker>();
    w->left = std::move(batches_.front());
    batches_.pop_front();
    fflush(nullptr);
    w->pid = fork();
    if (w->pid == 0) {
      close(ends[0]);
      for (auto& other : workers_) close(other->fd);
      workerMain(w->left, options_.digests, ends[1]);
    }
    close(ends[1]);
    w->fd = ends[0];
    w->since = now();
    workers_.push_back(std::move(w));
  }

  /// Waits for news, and buries at most one worker.
  void listen() {
    std::vector<pollfd> polls;
    for (auto& w : workers_) polls.push_back({w->fd, POLLIN, 0});
    poll(polls.data(), polls.size(), 200);
    for (size_t i = 0; i < workers_.size(); ++i) {
      Worker& w = *workers_[i];
      bool ended = polls[i].revents && !readInput(w), timedOut = false;
      for (size_t newline; (newline = w.input.find('\n')) != std::string::npos;) {
        std::istringstream line(w.input.substr(0, newline));
        w.input.erase(0, newline + 1);
        understand(w, line);
      }
      if (!ended && now() - w.since > options_.caseSeconds) {
        kill(w.pid, SIGKILL);
        ended = timedOut = true;
      }
      if (!ended) continue;
      bury(w, timedOut);
      workers_.erase(workers_.begin() + long(i));
      break;  // the poll array no longer matches
    }
  }

  /// \returns false at the end of what the worker says
  static bool readInput(Worker& w) {
    char bytes[65536];
    ssize_t n = read(w.fd, bytes, sizeof bytes);
    if (n > 0) w.input.append(bytes, size_t(n));
    return n > 0;
  }

  void understand(Worker& w, std::istringstream& line) {
    std::string kind, a;
    line >> kind;
    w.since = now();
    if (kind == "D") {
      line >> a >> driver_->version;
      driver_->name = unbase64(a).c_str();
    } else if (kind == "B") {
      line >> w.current;
      w.running = true;
    } else if (kind == "I") {
      Picture picture;
      line >> a >> picture.width >> picture.height >> picture.png;
      picture.label = unbase64(a);
      w.pictures.push_back(std::move(picture));
    } else if (kind == "E") {
      size_t index = 0;
      int status = 0;
      double seconds = 0;
      uint64_t digest = 0;
      line >> index >> status >> seconds >> digest >> a;
      finish(w, index, Status(status), seconds, unbase64(a), digest);
    } else if (kind == "X") {
      w.finished = true;
    }
  }

  void finish(Worker& w, size_t index, Status status, double seconds, const std::string& message, uint64_t digest = 0) {
    const std::string& name = cases()[index].name;
    Result r{name, status, seconds, message, std::move(w.pictures), mirrorOf(name), digest};
    w.pictures.clear();
    done_(r);
    results_[index] = std::move(r);
    std::erase(w.left, index);
    w.running = false;
  }

  /// A worker that has ended costs the case that it ran; those it had left get another worker.
  void bury(Worker& w, bool timedOut) {
    int status = 0;
    waitpid(w.pid, &status, 0);
    std::string how = WIFSIGNALED(status) ? text("the process ended with signal %d", WTERMSIG(status))
                                          : text("the process ended with status %d", WEXITSTATUS(status));
    if (timedOut) how = text("no end after %.0f s", options_.caseSeconds);
    Status verdict = timedOut ? Status::Timeout : Status::Crash;
    if (w.running)
      finish(w, w.current, verdict, now() - w.since, how);
    else if (status != 0 && !w.left.empty())
      finish(w, w.left.front(), verdict, 0, how + " before the case began");
    else if (status != 0 || timedOut)
      fprintf(stderr, "etzel-cts: after the last case of a worker: %s\n", how.c_str());
    if (!w.left.empty()) batches_.push_front(std::move(w.left));
    close(w.fd);
  }

  const RunOptions& options_;
  Driver* driver_;
  const std::function<void(const Result&)>& done_;
  std::map<size_t, Result> results_;
  std::deque<std::deque<size_t>> batches_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::vector<Result> runCases(const std::vector<size_t>& chosen, const RunOptions& options, Driver* driver,
                             const std::function<void(const Result&)>& done) {
  return Runner(options, driver, done).run(chosen);
}

}  // namespace etzel::cts
