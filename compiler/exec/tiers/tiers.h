// Tiers: kernels start as quick code (or interpreted, where the host has none); one that gets hot is compiled by LLVM
// in the background and swapped in; one that gets very hot is compiled once more for the kinds of views and samplers
// that are bound (native/analysis/bound.h). All give the same bytes, so nobody sees the change but in time. Without
// LLVM, kernels stay what they start as.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "compiler/exec/native/native.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::tiers {

/// When a kernel is compiled.
enum class Policy { WhenHot, AtOnce };
/// When a kernel that has optimized code is compiled for what is bound; AtOnce: before it runs.
enum class Bound : uint8_t { Never, WhenVeryHot, AtOnce };
/// How many codes for what is bound a kernel may have, whatever changes, and all of the process together.
inline constexpr uint32_t kMostBound = 2, kMostBoundOfAll = 256;

/// What is known of a kernel beside its program.
struct Hints {
  std::shared_ptr<exec::MachineCode> code;  ///< optimized in an earlier life; null: there is none
  /// Told when optimized code was made. In the thread that made it.
  std::function<void(const std::shared_ptr<abi::Kernel>&)> onOptimized = nullptr;
  /// Other processes ran it, and more will: what is made of it is kept, so it pays sooner.
  bool comesBack = false;
  Bound bound = Bound::WhenVeryHot;
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
  /// What a kernel's onHot and onLook get.
  struct Ticket {
    Tiers* tiers;
    Bound when;
    std::vector<native::BoundKinds> bound;  ///< for which code was asked for; guarded by mutex_
    std::weak_ptr<abi::Kernel> kernel;
    std::function<void(const std::shared_ptr<abi::Kernel>&)> onOptimized;
    std::atomic<const exec::MachineCode*> optimized{nullptr};
    std::atomic<bool> brief{false};           ///< that code leaves to code for what is bound what that does
    exec::MachineCode* firstBound = nullptr;  ///< calls `optimized` where other things are bound; guarded by mutex_
  };
  /// What is to be made.
  enum class Make : uint8_t { General, Bound, Whole };  ///< Whole: general code that is not brief
  /// Something to compile. Bound: for `kinds`.
  struct Request {
    std::weak_ptr<abi::Kernel> kernel;
    Make make = Make::General;
    native::BoundKinds kinds{};
  };
  /// The thread that compiles. There is one while devices live; one that is told to end may still be busy then.
  struct Worker {
    task::Thread thread;
    bool stop = false;  ///< guarded by mutex_
  };

  static void onHot(const abi::Kernel*, void* ticket);
  static void onLook(const abi::Kernel*, const abi::DispatchContext& context, void* ticket);
  /// Has a kernel with optimized code look what is bound some time.
  static void startLooking(const abi::Kernel& kernel);
  static bool looks(const abi::Kernel& kernel);
  static bool mayBeBrief(const abi::Kernel& kernel);
  Make want(const abi::Kernel& kernel, Ticket& ticket, const native::BoundKinds& kinds);
  /// Swaps optimized code in and tells of it.
  static void adopt(const std::shared_ptr<abi::Kernel>& kernel, std::shared_ptr<exec::MachineCode> code);
  void request(Request request);
  std::shared_ptr<abi::Kernel> takeHottest(Request& request);
  void loop(const Worker& self);
  void compile(const std::shared_ptr<abi::Kernel>& kernel, const Request& request);
  void adoptBound(abi::Kernel& kernel, std::shared_ptr<exec::MachineCode> code);
  void adoptWhole(abi::Kernel& kernel, std::shared_ptr<exec::MachineCode> code);
  template <class Compile>
  Result<std::shared_ptr<exec::MachineCode>> optimized(const isa::Program& program, const Compile& compile);
  Result<std::shared_ptr<exec::MachineCode>> optimized(const isa::Program& program);

  const MakeCompiler makeCompiler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> queue_;
  uint32_t devices_ = 0;
  std::unique_ptr<Worker> worker_;
  std::mutex compilerMutex_;
  std::unique_ptr<native::Compiler> compiler_;
  bool compilerTried_ = false;
  std::atomic<uint32_t> boundCodes_{0};  ///< of kernels that live
  void inChild();
  task::ForkHandler forkHandler_{[this] { inChild(); }, [this] { mutex_.lock(); }, [this] { mutex_.unlock(); }};
};

}  // namespace etzel::tiers
