// Tiers: kernels start as quick code (or interpreted, where the host has none); one that gets hot is compiled by LLVM
// in the background and swapped in. All give the same bytes, so nobody sees the change but in time. Without LLVM,
// kernels stay what they start as.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "compiler/exec/native/native.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::tiers {

/// When a kernel is compiled.
enum class Policy { WhenHot, AtOnce };

/// What is known of a kernel beside its program.
struct Hints {
  std::shared_ptr<exec::MachineCode> code;  ///< optimized in an earlier life; null: there is none
  /// Told when optimized code was made. In the thread that made it.
  std::function<void(const std::shared_ptr<abi::Kernel>&)> onOptimized = nullptr;
  /// Other processes ran it, and more will: what is made of it is kept, so it pays sooner.
  bool comesBack = false;
};

/// One per process, because kernels are shared by devices and may outlive them. Any thread.
class Tiers {
 public:
  /// Makes the compiler when one is first needed; it may be null.
  using MakeCompiler = std::unique_ptr<native::Compiler> (*)();
  explicit Tiers(MakeCompiler makeCompiler = native::Compiler::create) : makeCompiler_(makeCompiler) {}

  /// Never destroyed; its thread lives while devices do.
  static Tiers& process();

  void retain();   ///< a device exists
  void release();  ///< it is gone; the last one joins the thread

  /// Starts to watch a kernel that compiler::compileKernel or makeKernel made and nobody else has seen yet. AtOnce
  /// compiles before it returns. Requires that this outlives the kernel.
  void watch(const std::shared_ptr<abi::Kernel>& kernel, Policy policy, Hints hints = {});

  /// The optimized code of a kernel, null while it has none. Lives as long as the kernel.
  static const exec::MachineCode* optimizedCode(const abi::Kernel& kernel);

  /// The fastest code for a program: optimized, else quick. Errors of quick::make.
  Result<std::shared_ptr<exec::MachineCode>> fastest(const isa::Program& program);

 private:
  /// What a kernel's onHot gets.
  struct Ticket {
    Tiers* tiers;
    std::weak_ptr<abi::Kernel> kernel;
    std::function<void(const std::shared_ptr<abi::Kernel>&)> onOptimized;
    std::atomic<const exec::MachineCode*> optimized{nullptr};
  };
  /// The thread that compiles. There is one while devices live; one that is told to end may still be busy then.
  struct Worker {
    task::Thread thread;
    bool stop = false;  ///< guarded by mutex_
  };

  static void onHot(const abi::Kernel*, void* ticket);
  /// Swaps optimized code in and tells of it.
  static void adopt(const std::shared_ptr<abi::Kernel>& kernel, std::shared_ptr<exec::MachineCode> code);
  void request(std::weak_ptr<abi::Kernel> kernel);
  std::shared_ptr<abi::Kernel> takeHottest();
  void loop(const Worker& self);
  Result<std::shared_ptr<exec::MachineCode>> optimized(const isa::Program& program);

  const MakeCompiler makeCompiler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::weak_ptr<abi::Kernel>> queue_;
  uint32_t devices_ = 0;
  std::unique_ptr<Worker> worker_;
  std::mutex compilerMutex_;
  std::unique_ptr<native::Compiler> compiler_;
  bool compilerTried_ = false;
  void inChild();
  task::ForkHandler forkHandler_{[this] { inChild(); }, [this] { mutex_.lock(); }, [this] { mutex_.unlock(); }};
};

}  // namespace etzel::tiers
