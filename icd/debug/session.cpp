#include "icd/debug/session.h"

#include <algorithm>
#include <cstdlib>

#include "icd/debug/command_number.h"
#include "icd/debug/debugger.h"
#include "icd/debug/json.h"
#include "icd/debug/session_stop.h"
#include "runtime/base/log.h"

namespace etzel::icd {
namespace {

/// What ETZEL_DEBUGGER says.
struct Address {
  std::string address;
  bool wait = false;
};
const Address& address() {
  static const Address a = [] {
    Address read;
    if (const char* text = secure_getenv("ETZEL_DEBUGGER")) read.address = text;
    if (read.address.ends_with(";wait")) {
      read.wait = true;
      read.address.resize(read.address.size() - 5);
    }
    return read;
  }();
  return a;
}

/// What watched kernels run.
abi::WarpStatus runWatched(const void* code, abi::Warp* warp) {
  auto& shader = *static_cast<DebugShader*>(const_cast<void*>(code));
  return Session::get().run(shader, {warp, 1});
}
abi::WarpStatus runWatchedGroup(const void* code, abi::Warp* warps, uint32_t count) {
  auto& shader = *static_cast<DebugShader*>(const_cast<void*>(code));
  return Session::get().run(shader, {warps, count});
}

}  // namespace

bool debugging() { return !address().address.empty(); }

void startDebugger() {
  static std::once_flag once;
  std::call_once(once, [] { Session::get().listen(address().address); });
  if (address().wait) Session::get().waitForGo();
}

void offerToDebugger(const std::shared_ptr<abi::Kernel>& kernel, const compiler::ShaderSource& source) {
  Session::get().offer(kernel, source);
}

void tellDebugger(const std::string& text) { Session::get().log(text); }

const abi::Kernel* watched(const abi::Kernel* kernel, const CommandPlace& command) {
  return Session::get().watched(kernel, command);
}

bool watchStages(raster::DrawState& state, const CommandPlace& command, PassWatch* pass) {
  bool any = false;
  for (const abi::Kernel** stage :
       {&state.vertex, &state.control, &state.evaluation, &state.geometry, &state.fragment}) {
    if (!*stage) continue;
    const abi::Kernel* kernel = watched(*stage, command);
    if (kernel == *stage) continue;
    if (stage == &state.fragment && pass && watchedPlace()) {
      pass->watch(command.number, kernel);
      continue;
    }
    any = true;
    *stage = kernel;
  }
  return any;
}

std::optional<raster::WatchedPlace> watchedPlace() { return Session::get().watchedPlace(); }

Session& Session::get() {
  static Session* const session = new Session;
  return *session;
}

Session::Session()
    : verbs_{{"hello", &Session::hello},
             {"filter", &Session::setFilter},
             {"lines", &Session::setLines},
             {"functions", &Session::setFunctions},
             {"instructions", &Session::setInstructions},
             {"faults", &Session::setFaults},
             {"data", &Session::setData},
             {"watchablepixel", &Session::watchablePixel},
             {"pause", &Session::pause},
             {"modules", &Session::modules},
             {"source", &Session::source},
             {"places", &Session::places},
             {"disassemble", &Session::disassemble},
             {"threads", &Session::threads},
             {"history", &Session::history}},
      fork_([this] {
        task::remake(mutex_), task::remake(changed_);
        attached_.store(false), pause_.store(false), entry_.store(false);
        stops_.clear(), pasts_.clear(), running_.clear(), turns_.clear();
        mayGo_ = true;
      }) {
  kept_.push_back(std::make_unique<Wanted>());
  wanted_.store(kept_.back().get());
}

void Session::listen(const std::string& where) {
  Wire::Listener listener;
  listener.attached = [this] { attached_.store(true); };
  listener.detached = [this] { detach(); };
  listener.request = [this](WireRequest r) { request(std::move(r)); };
  if (!wire_.listen(where, std::move(listener))) mayGo_ = true;
}

void Session::waitForGo() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return mayGo_; });
}

void Session::log(const std::string& text) {
  wire_.send(JsonObject().text("event", "output").text("text", text).done());
}

void Session::offer(const std::shared_ptr<abi::Kernel>& kernel, const compiler::ShaderSource& source) {
  DebugShader* shader = nullptr;
  {
    std::lock_guard lock(mutex_);
    auto& known = byKernel_[kernel.get()];
    if (known) return;
    known = std::make_unique<DebugShader>(static_cast<uint32_t>(shaders_.size() + 1), kernel, source);
    shader = known.get();
    shader->executable.entry = runWatched, shader->executable.workgroup = runWatchedGroup;
    shader->executable.code = shader;
    shaders_.push_back(shader);
  }
  if (!attached_.load()) return;
  wire_.send(JsonObject().text("event", "module").raw("module", describeModule(*shader)).done());
  for (const Rule& rule : wanted()->rules)
    if (const Verified where = verify(rule, *shader); where.anywhere)
      wire_.send(JsonObject().text("event", "breakpoint").raw("breakpoint", describe(rule, where)).done());
}

std::shared_ptr<const Traps> Session::trapsFor(DebugShader& shader, const Wanted& w) {
  std::lock_guard lock(mutex_);
  Found& found = traps_[&shader];
  if (found.traps && found.generation == w.generation) return found.traps;
  const bool any = std::any_of(w.rules.begin(), w.rules.end(), [&](const Rule& r) { return mayConcern(r, shader); });
  const auto what = any ? shader.debuggable() : nullptr;
  found = {w.generation, std::make_shared<const Traps>(what ? trapsOf(w, shader, *what) : Traps{})};
  return found.traps;
}

const abi::Kernel* Session::watched(const abi::Kernel* kernel, const CommandPlace& command) {
  if (!attached_.load(std::memory_order_acquire)) return kernel;
  const Wanted& w = *wanted();
  if (!w.filter.admits(command) || !w.filter.admitsStage(kernel->info.stage)) return kernel;
  DebugShader* shader = nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto known = byKernel_.find(kernel);
    if (known == byKernel_.end()) return kernel;
    shader = known->second.get();
  }
  const bool any = pause_.load(std::memory_order_relaxed) || entry_.load(std::memory_order_relaxed);
  const bool stores = kernel->info.hasSideEffects && w.watchesMemory();
  uint32_t faults = w.faults;
  if (!shader->breaks()) faults &= ~bitOf(debugger::FaultKind::Break);
  if (!shader->aborts()) faults &= ~bitOf(debugger::FaultKind::Abort);
  if (!any && !faults && !stores && trapsFor(*shader, w)->none()) return kernel;
  const abi::Kernel* made = shader->watchedKernel(w.filter.sample.has_value());
  return made ? made : kernel;
}

std::optional<raster::WatchedPlace> Session::watchedPlace() const {
  if (!attached_.load(std::memory_order_acquire)) return {};
  const Filter& f = wanted()->filter;
  if (!f.pixel && !f.layer && !f.view && !f.primitive) return {};
  return raster::WatchedPlace{f.pixel, f.layer, f.view, f.primitive};
}

abi::WarpStatus Session::run(DebugShader& shader, std::span<abi::Warp> warps) {
  shader.warpsLookedAt.fetch_add(warps.size(), std::memory_order_relaxed);
  const auto ordinary = [&] {
    return warps.size() == 1 ? shader.runOrdinary(warps.data())
                             : shader.runOrdinary(warps.data(), static_cast<uint32_t>(warps.size()));
  };
  if (!attached_.load(std::memory_order_acquire)) return ordinary();
  const Filter& filter = wanted()->filter;
  if (filter.which == Filter::Which::First && taken_.load(std::memory_order_relaxed) && !pause_.load())
    return ordinary();
  bool any = false;
  for (const abi::Warp& warp : warps) any |= filter.lanes(shader.stage(), warp) != 0;
  if (!any) return ordinary();
  auto what = shader.debuggable();
  if (!what) return ordinary();
  return debug(shader, warps, std::move(what));
}

}  // namespace etzel::icd
