// Runs inputs of one target: each in this process, and what ran in the other executors too, each in a process of its
// own (ETZEL_DEBUG is a process's). What goes wrong ends the process with a message, the input kept in a file.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "tests/fuzz/core/target.h"

namespace etzel::fuzz {

/// The same program with an executor of its own, fed through pipes.
class Peer {
 public:
  /// `program --serve target` with ETZEL_DEBUG=flags.
  Peer(const std::string& program, const char* target, const char* flags);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  const char* flags() const { return flags_; }
  void send(std::span<const uint8_t> input);
  /// \returns false when the process is gone
  bool receive(Outcome* outcome);
  /// Time that it has had of processors.
  uint64_t computedMs() const;

 private:
  const char* flags_;
  int to_ = -1, from_ = -1, child_ = -1;
};
/// What a peer's process does: answers until its input ends.
int serve(Target& target);

/// The environment that inputs run in: one thread, so that the order of atomic operations is one; no cache on disk;
/// what never ends is ended soon. Before the first instance.
void setEnvironment();

struct Statistics {
  uint64_t inputs = 0, ran = 0, lost = 0;
};

class Session {
 public:
  /// `program`: the one that knows --serve. `keep`: the file that holds the input that runs now.
  Session(const TargetRow& row, const std::string& program, const std::string& keep);
  ~Session();
  void run(std::span<const uint8_t> input);
  Target& target() { return *target_; }
  const Statistics& statistics() const { return statistics_; }
  uint64_t computedMs() const;  ///< processor time, with its peers

 private:
  void keepInput(std::span<const uint8_t> input);
  /// \returns the flags of the peers that give something else
  std::string differing(std::span<const uint8_t> input, const Outcome& own);
  void compare(std::span<const uint8_t> input, const Outcome& own);
  void watch();

  std::unique_ptr<Target> target_;
  std::vector<std::unique_ptr<Peer>> peers_;
  Statistics statistics_;
  int file_ = -1;
  std::atomic<uint64_t> began_{0};  ///< ms; 0: nothing runs
  std::atomic<bool> stop_{false};
  std::thread watchdog_;
};

/// Seeds, made in another process.
std::vector<Bytes> seedsOf(const TargetRow& row);

}  // namespace etzel::fuzz
