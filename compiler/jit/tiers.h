// Tiers: kernels start in the interpreter; one that gets hot is compiled in the background and swapped in. Both give
// the same bytes, so nobody sees the change but in time. One Tiers per device.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "compiler/jit/jit.h"

namespace etzel::jit {

class Tiers {
 public:
  /// `hotWarps`: warps after which a kernel is worth compiling; 0 compiles at once, before watch() returns.
  explicit Tiers(uint64_t hotWarps);
  ~Tiers();  ///< joins the thread; kernels stay as they are
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  /// Starts to watch a kernel. It must have been made by compiler::compileKernel or makeKernel.
  void watch(const std::shared_ptr<abi::Kernel>& kernel);

 private:
  void request(std::weak_ptr<abi::Kernel> kernel);
  void loop();
  void compile(abi::Kernel& kernel);

  const uint64_t hotWarps_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::weak_ptr<abi::Kernel>> queue_;
  bool stopping_ = false, started_ = false;
  std::thread thread_;
  std::mutex jitMutex_;
  std::unique_ptr<Jit> jit_;
  bool jitTried_ = false;
};

}  // namespace etzel::jit
