// A group of warps that a debugger stops in. Private to the session.
#pragma once

#include "icd/debug/command_number.h"
#include "icd/debug/session.h"
#include "icd/debug/sibling_warps.h"

namespace etzel::icd {

/// Numbers of threads and of variables' references: those of a stop follow one another.
inline constexpr uint32_t kThreadBits = 12, kReferenceBits = 20;
static_assert(Inspector::kMostReferences <= 1u << kReferenceBits);
/// Stops are numbered up to here, then from 1 again: all numbers fit 31 bits.
inline constexpr uint32_t kMostStops = 2000;

struct Session::Stop {
  Stop(Session& session, DebugShader& s, std::shared_ptr<const debugger::Debuggable> w, std::span<abi::Warp> warps,
       uint32_t number)
      : id(number),
        shader(s),
        what(std::move(w)),
        context(*warps[0].context),
        run(what, warps, kUndoBytes),
        inspector(run, s, commandNumber(context), uint64_t{id} << kReferenceBits),
        watch(
            run, s.stage(), inspector, [&session, &s](const Wanted& w) { return session.trapsFor(s, w); },
            [&session](const std::string& text) { session.log(text); }) {}

  /// What going back costs: the changes of some hundred thousand instructions.
  static constexpr size_t kUndoBytes = size_t{64} << 20;

  uint64_t firstThread() const { return uint64_t{id} << kThreadBits; }
  /// One of the stop's own; nothing where it is another's, or no invocation.
  std::optional<debugger::Thread> threadOf(uint64_t number) const {
    const uint64_t t = number - firstThread();
    if (number < firstThread() || t >= run.warps() * kWarpLanes || !run.exists(static_cast<uint32_t>(t))) return {};
    return static_cast<debugger::Thread>(t);
  }

  const uint32_t id;
  DebugShader& shader;
  const std::shared_ptr<const debugger::Debuggable> what;
  const abi::DispatchContext& context;
  SiblingWarps siblings;  ///< the run points to them
  debugger::GroupRun run;
  Inspector inspector;
  GroupWatch watch;
  Reason reason;
  bool hasTurn = false, wasStopped = false;
  uint32_t steps = 0;
  debugger::Thread focus = 0;
  struct {
    debugger::Go how = debugger::Go::On;
    debugger::Thread thread = 0;
    bool back = false, leave = false;  ///< leave: the debugger is gone
    // Back to where the thread begins a line: at this instruction, or this one of a source.
    uint32_t first = debugger::kNone, file = debugger::kNone, line = 0;
    bool seeks() const { return first != debugger::kNone || file != debugger::kNone; }
  } go;
  std::deque<WireRequest> requests;  ///< guarded by the session's mutex
};

}  // namespace etzel::icd
