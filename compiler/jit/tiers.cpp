#include "compiler/jit/tiers.h"

#include "compiler/compiler.h"

namespace etzel::jit {

Tiers::Tiers(uint64_t hotWarps) : hotWarps_(hotWarps) {}

Tiers::~Tiers() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Tiers::watch(const std::shared_ptr<abi::Kernel>& kernel) {
  if (hotWarps_ == 0) {
    compile(*kernel);
    return;
  }
  // The ticket outlives the kernel's calls: it belongs to it.
  struct Ticket {
    Tiers* tiers;
    std::weak_ptr<abi::Kernel> kernel;
  };
  auto ticket = std::make_shared<Ticket>(Ticket{this, kernel});
  kernel->onHotUser = ticket.get();
  kernel->onHot = [](const abi::Kernel*, void* user) {
    auto* t = static_cast<Ticket*>(user);
    t->tiers->request(t->kernel);
  };
  kernel->hotWarps = hotWarps_;
  kernel->attachments.push_back(std::move(ticket));
}

void Tiers::request(std::weak_ptr<abi::Kernel> kernel) {
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  queue_.push_back(std::move(kernel));
  if (!started_) {
    started_ = true;
    thread_ = std::thread([this] { loop(); });
  }
  changed_.notify_all();
}

void Tiers::loop() {
  for (;;) {
    std::shared_ptr<abi::Kernel> kernel;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      kernel = queue_.front().lock();
      queue_.pop_front();
    }
    if (kernel) compile(*kernel);
  }
}

void Tiers::compile(abi::Kernel& kernel) {
  std::lock_guard lock(jitMutex_);
  if (!jitTried_) {
    jitTried_ = true;
    jit_ = Jit::create();
  }
  if (!jit_) return;
  Result<std::shared_ptr<NativeCode>> code = jit_->compile(compiler::programOf(kernel), Level::Optimized);
  if (!code) return;  // the interpreter goes on
  // Old executable and new stay alive with the kernel: warps in flight may still be in the old one.
  kernel.attachments.push_back(*code);
  kernel.executable.store((*code)->executable(), std::memory_order_release);
}

}  // namespace etzel::jit
