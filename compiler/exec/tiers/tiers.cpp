#include "compiler/exec/tiers/tiers.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "compiler/compiler.h"
#include "compiler/exec/quick/quick.h"
#include "runtime/base/code_memory.h"
#include "runtime/base/log.h"
#include "runtime/base/room.h"

namespace etzel::tiers {
namespace {

/// Instructions that a warp runs, where loops go round eight times: few go round less often when it matters.
uint64_t instructionsRun(const isa::Program& program) {
  uint64_t sum = 1, depth = 0;
  for (const isa::Inst& inst : program.code) {
    if (inst.op == isa::Opcode::Loop) ++depth;
    if (inst.op == isa::Opcode::EndLoop) --depth;
    sum += uint64_t(1) << std::min<uint64_t>(3 * depth, 9);
  }
  return sum;
}

/// What optimized code costs to make, in instructions of quick code, of which one takes about 2 ns.
uint64_t effort(const isa::Program& program) { return 1000000 + 12000 * (program.code.size() + 1); }

/// Warps after which compiling has cost no more than running so far.
uint64_t hotWarps(const isa::Program& program) { return effort(program) / instructionsRun(program); }

/// How much was run for each bit of what compiling costs.
double heat(const abi::Kernel& kernel) {
  const isa::Program& program = compiler::programOf(kernel);
  const auto warps = double(kernel.warpsRun.load(std::memory_order_relaxed));
  return warps * double(instructionsRun(program)) / double(effort(program));
}

/// LLVM ends the process when it gets no memory, so it only begins where there is room for what it may need: its own
/// tables, of which it writes to a part, and what a large program takes for each instruction.
bool roomToCompile(const isa::Program& program) {
  constexpr size_t kOwnBytes = 64 << 20, kWrittenBytes = 16 << 20, kInstructionBytes = 16 << 10;
  const size_t ofProgram = program.code.size() * kInstructionBytes;
  return systemHasRoomFor(kOwnBytes + ofProgram, kWrittenBytes + ofProgram);
}

/// From now on warps start in `code`. What the kernel ran before stays with it too: warps in flight may still be in it.
void swapIn(abi::Kernel& kernel, std::shared_ptr<exec::MachineCode> code) {
  const abi::Executable* executable = code->executable();
  kernel.attachments.push_back(std::move(code));
  kernel.executable.store(executable, std::memory_order_release);
}

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

void Tiers::onHot(const abi::Kernel*, void* ticket) {
  const Ticket& own = *static_cast<Ticket*>(ticket);
  own.tiers->request({own.kernel});
}

// Looks are rare: each waits for twice as many warps as the one before.
void Tiers::onLook(const abi::Kernel* kernel, const abi::DispatchContext& context, void* user) try {
  Ticket& own = *static_cast<Ticket*>(user);
  uint64_t at = kernel->lookWarps.load(std::memory_order_relaxed);
  if (kernel->warpsRun.load(std::memory_order_relaxed) < at) return;
  if (!kernel->lookWarps.compare_exchange_strong(at, 2 * at, std::memory_order_acq_rel))
    return;  // another thread looks
  Request wanted{own.kernel, Make::Bound, native::boundKinds(compiler::programOf(*kernel), context)};
  if (wanted.kinds.empty()) return;
  wanted.make = own.tiers->want(*kernel, own, wanted.kinds);
  if (wanted.make == Make::General) return;
  if (own.when == Bound::WhenVeryHot)
    own.tiers->request(std::move(wanted));
  else if (const std::shared_ptr<abi::Kernel> owned = own.kernel.lock())
    own.tiers->compile(owned, wanted);
} catch (const std::exception&) {
  // no memory: what runs now goes on
}

/// Whether code is made for what is bound.
bool Tiers::looks(const abi::Kernel& kernel) {
  const Ticket& ticket = *static_cast<const Ticket*>(kernel.onHotUser);
  const bool stage = kernel.info.stage == abi::Stage::Fragment || kernel.info.stage == abi::Stage::Compute;
  return ticket.when != Bound::Never && stage && native::readsBound(compiler::programOf(kernel));
}

/// Whether code for what is bound will follow general code once the kernel is very hot, so that this may be brief.
bool Tiers::mayBeBrief(const abi::Kernel& kernel) {
  return static_cast<const Ticket*>(kernel.onHotUser)->when == Bound::WhenVeryHot && looks(kernel);
}

void Tiers::startLooking(const abi::Kernel& kernel) {
  if (!looks(kernel)) return;
  const bool atOnce = static_cast<const Ticket*>(kernel.onHotUser)->when == Bound::AtOnce;
  constexpr uint64_t kVeryHot = 4;  // times as many warps as it takes to be hot
  kernel.lookWarps.store(atOnce ? 0 : kVeryHot * hotWarps(compiler::programOf(kernel)), std::memory_order_release);
}

/// What is to be made for these kinds, which counts as asked for then; General: nothing. Programs whose kinds keep
/// changing are not compiled again and again: the first few have code for as long as the kernel lives, others the whole
/// general code.
Tiers::Make Tiers::want(const abi::Kernel& kernel, Ticket& ticket, const native::BoundKinds& kinds) {
  std::lock_guard lock(mutex_);
  std::vector<native::BoundKinds>& known = ticket.bound;
  if (std::find(known.begin(), known.end(), kinds) != known.end()) return Make::General;
  if (known.size() == kMostBound || boundCodes_.load(std::memory_order_relaxed) >= kMostBoundOfAll) {
    if (known.size() == kMostBound) kernel.lookWarps.store(~0ull, std::memory_order_relaxed);
    return ticket.brief.exchange(false, std::memory_order_relaxed) ? Make::Whole : Make::General;
  }
  known.push_back(kinds);
  return Make::Bound;
}

const exec::MachineCode* Tiers::optimizedCode(const abi::Kernel& kernel) {
  if (kernel.onHot != onHot) return nullptr;  // nobody watches it
  return static_cast<const Ticket*>(kernel.onHotUser)->optimized.load(std::memory_order_acquire);
}

void Tiers::adopt(const std::shared_ptr<abi::Kernel>& kernel, std::shared_ptr<exec::MachineCode> code) {
  Ticket& ticket = *static_cast<Ticket*>(kernel->onHotUser);
  const exec::MachineCode* made = code.get();
  swapIn(*kernel, std::move(code));
  ticket.optimized.store(made, std::memory_order_release);
  startLooking(*kernel);
  if (ticket.onOptimized) ticket.onOptimized(kernel);
}

void Tiers::watch(const std::shared_ptr<abi::Kernel>& kernel, Policy policy, Hints hints) {
  const isa::Program& program = compiler::programOf(*kernel);
  auto ticket = std::make_shared<Ticket>();
  ticket->tiers = this, ticket->kernel = kernel, ticket->onOptimized = std::move(hints.onOptimized);
  ticket->when = hints.bound;
  kernel->onHot = onHot, kernel->onLook = onLook, kernel->onHotUser = ticket.get();
  kernel->attachments.push_back(ticket);
  if (hints.code) {
    ticket->brief = mayBeBrief(*kernel);  // for all that is known
    ticket->optimized.store(hints.code.get(), std::memory_order_release);
    swapIn(*kernel, std::move(hints.code));
    startLooking(*kernel);
    return;
  }
  if (policy == Policy::AtOnce) {
    if (auto code = optimized(program)) {
      adopt(kernel, std::move(*code));
      return;
    }
  } else {
    constexpr uint64_t kLives = 8;  // that the code is made for
    kernel->hotWarps = hotWarps(program) / (hints.comesBack ? kLives : 1);
  }
  if (auto code = quick::make(program)) swapIn(*kernel, std::move(*code));
}

// A kernel that nobody has memory to compile stays what it is.
void Tiers::request(Request request) try {
  std::lock_guard lock(mutex_);
  if (devices_ == 0) return;
  if (!worker_) {
    auto worker = std::make_unique<Worker>();
    if (!worker->thread.start("etzel-compile", [this, self = worker.get()] { loop(*self); }))
      return;  // what runs now goes on
    worker_ = std::move(worker);
  }
  queue_.push_back(std::move(request));
  changed_.notify_all();
} catch (const std::exception&) {
}

// What the parent's thread was compiling when it forked is nobody's: its compiler stays as it is, unused. Devices that
// the child inherited are lost (Queue), so they count no more.
void Tiers::inChild() {
  task::remake(mutex_), task::remake(changed_), task::remake(compilerMutex_);
  if (worker_) worker_->thread.forget();
  worker_.reset();
  queue_.clear();
  (void)compiler_.release();
  compilerTried_ = false;
}

/// The hottest of those that wait, first of those without optimized code; null: it is gone. Requires the lock, and that
/// some wait. No kernel's destructor, of which this may be the last owner, asks for the lock.
std::shared_ptr<abi::Kernel> Tiers::takeHottest(Request& request) {
  std::shared_ptr<abi::Kernel> hottest;
  std::pair most(false, -1.0);
  auto place = queue_.begin();
  for (auto it = queue_.begin(); it != queue_.end(); ++it) {
    std::shared_ptr<abi::Kernel> kernel = it->kernel.lock();
    const std::pair own(it->make == Make::General, kernel ? heat(*kernel) : 0);
    if (own > most) hottest = std::move(kernel), most = own, place = it;
  }
  request = std::move(*place);
  queue_.erase(place);
  return hottest;
}

void Tiers::loop(const Worker& self) {
  for (;;) {
    std::shared_ptr<abi::Kernel> kernel;
    Request next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return self.stop || !queue_.empty(); });
      if (self.stop) return;
      kernel = takeHottest(next);
    }
    if (!kernel) continue;
    try {
      compile(kernel, next);
    } catch (const std::exception&) {
      // no memory: likewise
    }
  }
}

/// Optimizes a kernel. Where that fails what runs now goes on.
void Tiers::compile(const std::shared_ptr<abi::Kernel>& kernel, const Request& request) {
  const isa::Program& program = compiler::programOf(*kernel);
  Ticket& ticket = *static_cast<Ticket*>(kernel->onHotUser);
  const bool brief = request.make == Make::General && mayBeBrief(*kernel);
  const auto begin = std::chrono::steady_clock::now();
  auto code = optimized(program, [&](native::Compiler& compiler) {
    if (request.make == Make::Bound)
      return compiler.compileBound(program, request.kinds, *kernel->executable.load(std::memory_order_acquire));
    return brief ? compiler.compileBriefly(program) : compiler.compile(program);
  });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (!code) return;
  constexpr const char* kWhat[] = {"", " for what is bound", " for whatever is bound"};
  logMessage(LogLevel::Info, "%zu instructions optimized%s in %.1f ms", program.code.size(),
             kWhat[static_cast<uint32_t>(request.make)], took.count());
  switch (request.make) {
    case Make::General: ticket.brief = brief; return adopt(kernel, std::move(*code));
    case Make::Bound: return adoptBound(*kernel, std::move(*code));
    case Make::Whole: return adoptWhole(*kernel, std::move(*code));
  }
}

void Tiers::adoptBound(abi::Kernel& kernel, std::shared_ptr<exec::MachineCode> code) {
  const auto forget = [](std::atomic<uint32_t>* codes) { codes->fetch_sub(1, std::memory_order_relaxed); };
  std::lock_guard lock(mutex_);  // AtOnce: threads that draw may do this at the same time
  boundCodes_.fetch_add(1, std::memory_order_relaxed);
  kernel.attachments.push_back(std::shared_ptr<std::atomic<uint32_t>>(&boundCodes_, forget));
  Ticket& ticket = *static_cast<Ticket*>(kernel.onHotUser);
  if (!ticket.firstBound) ticket.firstBound = code.get();
  swapIn(kernel, std::move(code));
}

/// In the brief code's place, behind code for what is bound.
void Tiers::adoptWhole(abi::Kernel& kernel, std::shared_ptr<exec::MachineCode> code) {
  std::lock_guard lock(mutex_);
  Ticket& ticket = *static_cast<Ticket*>(kernel.onHotUser);
  ticket.optimized.store(code.get(), std::memory_order_release);
  if (!ticket.firstBound) return swapIn(kernel, std::move(code));
  ticket.firstBound->setOtherwise(*code->executable());
  kernel.attachments.push_back(std::move(code));
}

Result<std::shared_ptr<exec::MachineCode>> Tiers::fastest(const isa::Program& program) {
  auto code = optimized(program);
  return code ? std::move(code) : quick::make(program);
}

Result<std::shared_ptr<exec::MachineCode>> Tiers::optimized(const isa::Program& program) {
  return optimized(program, [&](native::Compiler& compiler) { return compiler.compile(program); });
}

/// What `compile` makes with the compiler.
template <class Compile>
Result<std::shared_ptr<exec::MachineCode>> Tiers::optimized(const isa::Program& program, const Compile& compile) {
  if (isCodeRefused()) return Error{ErrorCode::Unsupported, "the system refuses code"};
  std::lock_guard lock(compilerMutex_);
  if (!roomToCompile(program)) return Error{ErrorCode::OutOfHostMemory, "no memory for the optimizing compiler"};
  if (!compilerTried_) {
    compiler_ = makeCompiler_();
    compilerTried_ = true;  // unless it threw, for want of memory: there may be some another time
  }
  if (!compiler_) return Error{ErrorCode::Unsupported, "no optimizing compiler"};
  return compile(*compiler_);
}

}  // namespace etzel::tiers
