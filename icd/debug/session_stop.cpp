// Groups of warps that are stopped: what the worker that runs them does meanwhile.
#include "icd/debug/session_stop.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "icd/debug/command_number.h"
#include "icd/debug/json.h"

namespace etzel::icd {

using debugger::Go;
using debugger::Halt;
using debugger::Thread;

namespace {

/// How often who sleeps tells the watchdog that all is well.
constexpr std::chrono::milliseconds kNap(100);
/// After how many steps a run does.
constexpr uint32_t kStepsPerSign = 4096;

std::optional<uint64_t> numberOf(const std::vector<std::string>& words, size_t i) {
  uint64_t value = 0;
  if (i >= words.size()) return {};
  const char* const end = words[i].data() + words[i].size();
  const auto read = std::from_chars(words[i].data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return value;
}

}  // namespace

abi::WarpStatus Session::debug(DebugShader& shader, std::span<abi::Warp> warps,
                               std::shared_ptr<const debugger::Debuggable> what) {
  uint32_t id;
  {
    std::lock_guard lock(mutex_);
    id = nextStop_;
    nextStop_ = nextStop_ % kMostStops + 1;
  }
  Stop stop(*this, shader, std::move(what), warps, id);
  {
    std::lock_guard lock(mutex_);
    running_.push_back(&stop.run);
  }
  bool steps = false;  // forward
  while (steps = stop.go.how != Go::On && !stop.go.back, goOn(stop)) {
    takeTurn(stop);
    if (!attached_.load()) break;
    announce(stop);
    serve(stop);
    if (stop.go.leave) break;
    if (stop.go.how == Go::On && !stop.go.back) giveTurn(stop);
  }
  giveTurn(stop);
  {
    std::lock_guard lock(mutex_);
    std::erase(running_, &stop.run);
  }
  if (stop.wasStopped) wire_.send(JsonObject().text("event", "left").number("stop", stop.id).done());
  if (steps && shader.stage() == abi::Stage::Fragment && attached_.load()) {
    const InvocationPlace at =
        placeOf(abi::Stage::Fragment, warps[debugger::warpOf(stop.focus)], debugger::laneOf(stop.focus));
    noteEndOfStep({commandNumber(stop.context), static_cast<int32_t>(at.at[0]), static_cast<int32_t>(at.at[1])});
  }
  return stop.run.finish();
}

bool Session::look(Stop& stop, uint32_t warp, bool back) {
  if (++stop.steps % kStepsPerSign == 0) stop.context.madeProgress();
  if (!attached_.load(std::memory_order_relaxed)) return true;
  stop.watch.use(*wanted());
  const bool entry = entry_.load(std::memory_order_relaxed), paused = pause_.load(std::memory_order_relaxed);
  if ((entry || paused) && !back && stop.watch.lookForLine(warp)) {
    // The first that comes along stops; the others run on.
    std::atomic<bool>& asked = entry ? entry_ : pause_;
    if (asked.exchange(false)) {
      stop.reason = stop.watch.reason();
      if (entry) stop.reason.name = "entry";
      return true;
    }
  }
  if (!stop.watch.look(warp, back)) return false;
  // "first": whoever comes later runs on.
  const bool isFirst = stop.wasStopped || wanted()->filter.which != Filter::Which::First || !taken_.exchange(true);
  if (!isFirst) return false;
  stop.reason = stop.watch.reason();
  return true;
}

bool Session::goOn(Stop& stop) {
  const auto go = stop.go;
  stop.watch.use(*wanted());
  stop.watch.remember();
  stop.inspector.forget();
  if (!stop.run.isApart(debugger::warpOf(go.thread)) || go.how == Go::On) stop.siblings.drop(stop.run);
  const auto arrived = [&](uint32_t warp) {
    const uint32_t instruction = stop.run.instruction(warp);
    const debugger::Position& at = stop.run.places()[stop.run.places().of(instruction)].position;
    const bool here = go.first != debugger::kNone ? instruction == go.first : at.file == go.file && at.line == go.line;
    if (warp != debugger::warpOf(go.thread) || !here) return false;
    stop.reason = {go.first != debugger::kNone ? "restart" : "goto", "", go.thread, {}};
    return (stop.run.began(warp) >> debugger::laneOf(go.thread) & 1) != 0;
  };
  const auto watch = [&](debugger::GroupRun&, uint32_t warp) {
    if (!go.seeks()) return look(stop, warp, go.back);
    return arrived(warp) || !attached_.load(std::memory_order_relaxed);
  };
  stop.go.first = stop.go.file = debugger::kNone;
  const bool goesOn = go.how == Go::On && !go.back && !go.seeks();
  if (goesOn && stop.watch.lookForMore()) {
    stop.reason = stop.watch.reason();
    return true;
  }
  stop.watch.forgetMore();
  if (go.seeks() && arrived(debugger::warpOf(go.thread))) return true;
  Halt halt = go.back ? stop.run.back(go.how, go.thread, watch) : stop.run.forward(go.how, go.thread, watch);
  if (halt == Halt::Left) halt = stop.run.forward(Go::On, go.thread, watch);
  stop.go.how = Go::On, stop.go.back = false;
  if (!attached_.load()) return false;
  switch (halt) {
    case Halt::Ended: return false;
    case Halt::Step: stop.reason = {"step", "", go.thread, {}}; return true;
    case Halt::Paused:
      stop.reason = {"pause", "", go.thread, {}};
      pause_.store(false);
      return true;
    case Halt::Apart:
      stop.reason = {"step", "this is as far as it goes here: it ends, or would do what others notice", go.thread, {}};
      return true;
    case Halt::Beginning: stop.reason = {"entry", "nothing older is known", go.thread, {}}; return true;
    default: return true;
  }
}

void Session::takeTurn(Stop& stop) {
  if (stop.hasTurn) return;
  std::unique_lock lock(mutex_);
  const void* const queue = stop.context.progress;
  while (turns_.count(queue) && attached_.load()) {
    changed_.wait_for(lock, kNap);
    stop.context.madeProgress();
  }
  if (!attached_.load()) return;
  turns_[queue] = &stop;
  stop.hasTurn = true;
}

void Session::giveTurn(Stop& stop) {
  std::lock_guard lock(mutex_);
  if (!stop.hasTurn) return;
  turns_.erase(stop.context.progress);
  stop.hasTurn = false;
  changed_.notify_all();
}

void Session::announce(Stop& stop) {
  JsonArray ids;
  for (const uint32_t id : stop.reason.rules) ids.add(std::to_string(id));
  stop.focus = stop.reason.thread;
  stop.wasStopped = true;
  if (!stop.run.isApart(debugger::warpOf(stop.focus))) stop.siblings.take(stop.run, stop.focus);
  {
    std::lock_guard lock(mutex_);
    stops_[stop.id] = &stop;
  }
  wire_.send(JsonObject()
                 .text("event", "stopped")
                 .number("stop", stop.id)
                 .text("reason", stop.reason.name)
                 .text("text", stop.reason.text)
                 .number("thread", stop.firstThread() + stop.focus)
                 .raw("breakpoints", ids.done())
                 .done());
}

void Session::serve(Stop& stop) {
  std::unique_lock lock(mutex_);
  for (bool goes = false; !goes;) {
    while (stop.requests.empty() && attached_.load()) {
      changed_.wait_for(lock, kNap);
      stop.context.madeProgress();
    }
    if (!attached_.load()) {
      stop.go.leave = true;
      break;
    }
    const WireRequest r = std::move(stop.requests.front());
    stop.requests.pop_front();
    lock.unlock();
    goes = readStep(stop, r);
    if (!goes) {
      const Body body = inspect(stop, r);
      body ? wire_.answer(r.id, *body) : wire_.refuse(r.id, body.error().message);
    }
    lock.lock();
    if (goes) {
      // No request that comes from now on finds the stop; what came already means nothing any more.
      stops_.erase(stop.id);
      for (const WireRequest& late : stop.requests) wire_.refuse(late.id, "it has gone on");
      stop.requests.clear();
      wire_.answer(r.id, "{}");
    }
  }
  stops_.erase(stop.id);
}

bool Session::readRestart(Stop& stop, const WireRequest& r) {
  const auto thread = stop.threadOf(numberOf(r.words, 0).value_or(0));
  if (!thread || stop.run.isApart(debugger::warpOf(*thread))) return false;
  const std::vector<debugger::StackFrame> stack = stop.run.callStack(debugger::warpOf(*thread));
  const uint64_t depth = numberOf(r.words, 1).value_or(0);
  if (depth >= stack.size()) return false;
  stop.go.thread = *thread, stop.go.how = Go::On, stop.go.back = true;
  stop.go.first = firstInstructionOf(*stop.what, stack[depth]);
  return true;
}

bool Session::readGoto(Stop& stop, const WireRequest& r) {
  const auto thread = stop.threadOf(numberOf(r.words, 0).value_or(0));
  const auto line = numberOf(r.words, 2);
  if (!thread || !line || stop.run.isApart(debugger::warpOf(*thread))) return false;
  const auto& files = stop.what->program->info.files;
  for (uint32_t f = 0; f < files.size(); ++f) {
    if (!isSameSource(r.words[1], files[f].name) || stop.what->places.lineAtOrBehind(f, uint32_t(*line)) != *line)
      continue;
    stop.go.thread = *thread, stop.go.how = Go::On, stop.go.back = true;
    stop.go.file = f, stop.go.line = static_cast<uint32_t>(*line);
    return true;
  }
  return false;
}

bool Session::readStep(Stop& stop, const WireRequest& r) {
  if (r.verb == "restart") return readRestart(stop, r);
  if (r.verb == "goto") return readGoto(stop, r);
  if (r.verb != "continue" && r.verb != "step") return false;
  stop.go.thread = stop.focus;
  if (r.verb == "continue") {
    if (stop.run.isApart(debugger::warpOf(stop.focus))) stop.go.thread = stop.siblings.stopped();
    stop.go.how = Go::On;
    stop.go.back = r.words.size() > 1 && r.words[1] == "back";
    return true;
  }
  const auto thread = stop.threadOf(numberOf(r.words, 0).value_or(0));
  if (thread) stop.siblings.look(stop.run, *thread);
  static const std::map<std::string, Go> kWays = {
      {"into", Go::Into}, {"over", Go::Over}, {"out", Go::Out}, {"instruction", Go::Instruction}};
  const auto way = kWays.find(r.words.size() > 1 ? r.words[1] : "");
  if (!thread || way == kWays.end()) return false;
  stop.go.thread = *thread;
  stop.go.how = way->second;
  stop.go.back = r.words.size() > 2 && r.words[2] == "back";
  return true;
}

/// {"samples","shaded","perSample","own","siblings":[{"sample","thread"}]} of a fragment invocation's pixel.
Session::Body Session::siblings(Stop& stop, Thread t) {
  const raster::SiblingSamples* const pixel = stop.siblings.pixel();
  if (!pixel || debugger::laneOf(t) != pixel->lane())
    return Error{ErrorCode::InvalidArgument,
                 "this is no pixel whose history is recorded, which knows the other samples"};
  const auto sampleOf = [&](Thread of) {
    return stop.run.warp(debugger::warpOf(of))
        .sys[static_cast<uint32_t>(abi::SysValue::SampleId)][debugger::laneOf(of)];
  };
  JsonObject told;
  told.number("samples", pixel->count()).number("shaded", pixel->shaded()).truth("perSample", pixel->perSample());
  if (!pixel->perSample()) return told.done();
  JsonArray all;
  const auto add = [&](Thread of) {
    all.add(JsonObject().number("sample", sampleOf(of)).number("thread", stop.firstThread() + of).done());
  };
  for (Thread of = pixel->lane(); of < stop.run.warps() * kWarpLanes; of += kWarpLanes) add(of);
  return told.number("own", sampleOf(t)).raw("siblings", all.done()).done();
}

Session::Body Session::inspect(Stop& stop, const WireRequest& r) {
  const std::vector<std::string>& w = r.words;
  Inspector& i = stop.inspector;
  const auto word = [&](size_t n) { return n < w.size() ? w[n] : std::string(); };
  const auto look = [&](Thread t) {
    const std::lock_guard lock(mutex_);  // somebody may list threads
    stop.siblings.look(stop.run, t);
  };
  if (r.verb == "variables") {
    const uint64_t reference = numberOf(w, 0).value_or(0);
    if (const auto whose = i.threadOf(reference)) look(*whose);
    return i.variables(reference, numberOf(w, 1).value_or(0), numberOf(w, 2).value_or(0));
  }
  const auto thread = stop.threadOf(numberOf(w, 0).value_or(0));
  if (!thread) return Error{ErrorCode::InvalidArgument, "there is no such invocation here"};
  const auto frame = static_cast<uint32_t>(std::min<uint64_t>(numberOf(w, 1).value_or(0), UINT32_MAX));
  look(*thread);
  if (r.verb == "siblings") return siblings(stop, *thread);
  if (r.verb == "stack") return i.stack(*thread);
  if (r.verb == "scopes") return i.scopes(*thread, frame);
  if (r.verb == "goto" || r.verb == "restart")
    return Error{ErrorCode::InvalidArgument,
                 "the invocation has not been there, or is a sibling, which goes nowhere else"};
  if (r.verb == "compare") {
    const auto other = stop.threadOf(numberOf(w, 2).value_or(0));
    if (!other) return Error{ErrorCode::InvalidArgument, "only invocations that are stopped together can be compared"};
    look(*other);
    return i.compare(*thread, frame, *other);
  }
  if (r.verb == "evaluate") return i.evaluate(*thread, frame, word(2));
  if (r.verb == "set") return i.set(numberOf(w, 2).value_or(0), *thread, frame, word(3), word(4));
  if (r.verb == "watchable")
    return i.watchable(numberOf(w, 2).value_or(0), *thread, frame, word(3), numberOf(w, 4).value_or(0));
  if (r.verb == "watchablebytes") return i.watchableBytes(word(1), std::max<uint64_t>(numberOf(w, 2).value_or(0), 1));
  if (r.verb == "picture") {
    const auto number = [&](size_t n) {
      return static_cast<uint32_t>(std::min<uint64_t>(numberOf(w, n).value_or(0), UINT32_MAX));
    };
    return i.picture(*thread, frame, word(2), {number(3), number(4), number(5)});
  }
  if (r.verb == "complete") return i.complete(*thread, frame, word(2));
  if (r.verb == "read" || r.verb == "write") {
    int64_t offset = 0;
    const std::string text = word(2);
    std::from_chars(text.data(), text.data() + text.size(), offset);
    return r.verb == "read" ? i.read(word(1), offset, numberOf(w, 3).value_or(0)) : i.write(word(1), offset, word(3));
  }
  return Error{ErrorCode::InvalidArgument, "'" + r.verb + "' is not understood"};
}

}  // namespace etzel::icd
