#include "compiler/exec/tiers/tiers.h"

#include <system_error>

#include "compiler/compiler.h"
#include "compiler/exec/quick/quick.h"

namespace etzel::tiers {
namespace {

/// Warps after which compiling has cost no more than running so far: an instruction of quick code takes about 2 ns,
/// optimized code about 2 ms and 25 us an instruction to make.
uint64_t hotWarps(const isa::Program& program) { return 12000 + 1000000 / (program.code.size() + 1); }

}  // namespace

Tiers& Tiers::process() {
  static Tiers* tiers = new Tiers;
  return *tiers;
}

void Tiers::retain() {
  std::lock_guard lock(mutex_);
  ++devices_;
}

void Tiers::release() {
  std::unique_ptr<Worker> worker;
  {
    std::lock_guard lock(mutex_);
    if (--devices_ > 0) return;
    queue_.clear();
    worker = std::move(worker_);
    if (!worker) return;
    worker->stop = true;
  }
  changed_.notify_all();
  worker->thread.join();
}

void Tiers::watch(const std::shared_ptr<abi::Kernel>& kernel, Policy policy) {
  if (policy == Policy::AtOnce) {
    compile(*kernel);
    return;
  }
  auto quick = quick::makeQuick(compiler::programOf(*kernel));
  if (quick) {
    kernel->executable.store((*quick)->executable(), std::memory_order_release);
    kernel->attachments.push_back(std::move(*quick));
  }
  auto self = std::make_shared<std::weak_ptr<abi::Kernel>>(kernel);
  kernel->onHotUser = self.get();
  kernel->onHot = [](const abi::Kernel*, void* user) {
    process().request(*static_cast<std::weak_ptr<abi::Kernel>*>(user));
  };
  kernel->hotWarps = hotWarps(compiler::programOf(*kernel));
  kernel->attachments.push_back(std::move(self));
}

void Tiers::request(std::weak_ptr<abi::Kernel> kernel) {
  std::lock_guard lock(mutex_);
  if (devices_ == 0) return;
  if (!worker_) {
    auto worker = std::make_unique<Worker>();
    try {
      worker->thread = std::thread([this, self = worker.get()] { loop(*self); });
    } catch (const std::system_error&) {
      return;  // no thread: what runs now goes on
    }
    worker_ = std::move(worker);
  }
  queue_.push_back(std::move(kernel));
  changed_.notify_all();
}

void Tiers::loop(const Worker& self) {
  for (;;) {
    std::shared_ptr<abi::Kernel> kernel;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return self.stop || !queue_.empty(); });
      if (self.stop) return;
      kernel = queue_.front().lock();
      queue_.pop_front();
    }
    if (kernel) compile(*kernel);
  }
}

void Tiers::compile(abi::Kernel& kernel) {
  std::lock_guard lock(compilerMutex_);
  if (!compilerTried_) {
    compilerTried_ = true;
    compiler_ = native::Compiler::create();
  }
  if (!compiler_) return;
  Result<std::shared_ptr<native::NativeCode>> code =
      compiler_->compile(compiler::programOf(kernel), native::Level::Optimized);
  if (!code) return;  // what runs now goes on
  // The code of before stays with the kernel too: warps in flight may still be in it.
  kernel.attachments.push_back(*code);
  kernel.executable.store((*code)->executable(), std::memory_order_release);
}

}  // namespace etzel::tiers
