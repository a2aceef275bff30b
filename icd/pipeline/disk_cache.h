// The cache on disk: programs, and the optimized code of those that were hot, from one process to the next, without
// help of the application. ETZEL_CACHE names its folder or is "off", else it is $XDG_CACHE_HOME/etzel, else
// $HOME/.cache/etzel; programs with other rights than their user's have none.
//
// An entry's name is the digest of everything that its program depends on: the source, the build, the host. It holds
// its name, the program as a container, the code, and the digest of it all; one that does not check out is as none, and
// is written anew. Programs out of it are verified as all are. Code cannot be: the folder must be its user's own
// (runtime/store).
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <optional>
#include <span>

#include "compiler/compiler.h"
#include "compiler/exec/machine_code.h"
#include "compiler/exec/native/digest.h"
#include "runtime/store/file_store.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::icd {

/// Thread safe. What is missing, memory too, makes it slower or forgetful; nobody else notices.
class DiskCache {
 public:
  using Key = native::Digest;
  static constexpr uint64_t kLimitBytes = 512 << 20;
  /// Whether a program takes long to compile, and gains much by optimized code.
  static bool isLarge(const abi::Kernel& kernel) {
    constexpr size_t kInstructions = 100;
    return compiler::programOf(kernel).code.size() >= kInstructions;
  }

  /// Null: there is none. Never destroyed.
  static DiskCache* process();

  explicit DiskCache(std::string folder, uint64_t limitBytes = kLimitBytes);
  ~DiskCache() { flush(); }

  /// Of all that compiler::compileKernel depends on.
  static Key keyOf(const compiler::ShaderSource& source);

  struct Found {
    isa::Program program;         ///< not verified
    std::vector<std::byte> code;  ///< what MachineCode::save() gave; empty: none
  };
  std::optional<Found> find(const Key& key);

  /// When a program is written: by a thread that is there for it, or when there are enough of them or flush() is
  /// called, for which nobody who waits for a first frame has to wait.
  enum class When { Soon, Sometime };
  /// Writes the kernel's program, and its optimized code if it has some, in the background. The kernel must have been
  /// made of the source that the key is of, here.
  void keep(const Key& key, std::shared_ptr<abi::Kernel> kernel, When when);

  /// Waits until what was given to keep() is written. Called when a device goes.
  void flush();

  /// A code that only this user's drivers with this folder can make for these bytes, in this build for this host. It
  /// shows that machine code in data of an application comes from where it seems to. Nothing: there is no secret.
  std::optional<native::Digest> seal(std::span<const std::span<const std::byte>> parts);

 private:
  struct Job {
    Key key;
    std::shared_ptr<abi::Kernel> kernel;
  };
  /// The thread that writes: there is one from the first urgent job to the next flush.
  struct Writer {
    task::Thread thread;
    bool stop = false;  ///< guarded by mutex_: ends when nothing waits
  };
  void loop(const Writer& self);
  void drain(std::unique_lock<std::mutex>& lock);
  void write(const Job& job);
  const native::Digest* secret();
  void inChild();

  store::FileStore files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::unique_ptr<Writer> writer_;
  std::mutex writeMutex_;  ///< while the one that was told to end is busy there may be another
  std::mutex secretMutex_;
  bool secretTried_ = false;
  std::optional<native::Digest> secret_;
  std::atomic<uint32_t> failures_{0}, found_{0}, optimized_{0}, kept_{0};
  task::ForkHandler forkHandler_{[this] { inChild(); }, [this] { mutex_.lock(); }, [this] { mutex_.unlock(); }};
};

}  // namespace etzel::icd
