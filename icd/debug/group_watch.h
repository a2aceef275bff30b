// Looks at a group of warps after each of its steps: whether one of the breakpoints stops it there, and why.
#pragma once

#include <deque>

#include "icd/debug/inspector.h"
#include "icd/debug/rules.h"

namespace etzel::icd {

/// Why a group has stopped.
struct Reason {
  std::string name;  ///< as DAP has it: "breakpoint", "exception", ...
  std::string text;  ///< for people
  debugger::Thread thread = 0;
  std::vector<uint32_t> rules;  ///< ids
};

class GroupWatch {
 public:
  using Log = std::function<void(const std::string& text)>;
  using TrapsOf = std::function<std::shared_ptr<const Traps>(const Wanted& wanted)>;
  GroupWatch(debugger::GroupRun& run, abi::Stage stage, Inspector& inspector, TrapsOf trapsOf, Log log);

  /// What is wanted now; finds its places anew where it is other than before.
  void use(const Wanted& wanted);
  /// Data breakpoints compare with what memory holds now.
  void remember();

  /// Whether warp `w`, which has come to an instruction, stops there. `back`: hits are not counted, nothing is logged.
  bool look(uint32_t w, bool back);
  /// The same for the beginning of a line, whatever is wanted: a pause.
  bool lookForLine(uint32_t w);
  const Reason& reason() const { return reason_; }
  /// Filter::Which::Each: the next of those that have come to the same place, if there are any; reason() names it.
  bool lookForMore();
  void forgetMore() { more_.clear(); }

 private:
  bool tryRules(const std::vector<size_t>& rules, uint32_t w, LaneMask lanes, bool back);
  bool isMet(const Rule& rule, debugger::Thread t);
  std::string message(const Rule& rule, debugger::Thread t) const;
  bool changed(uint32_t w, bool back);
  bool stores(uint32_t w, LaneMask lanes, bool back);
  /// Whether a rule stops for an invocation that has come to its place.
  bool hits(const Rule& rule, debugger::Thread t, bool back);
  /// Says what kind of breakpoint it is. \returns true
  bool named(const char* kind);

  struct Data {
    const Rule* rule;
    Inspector::Watched at;
    std::vector<std::byte> held;
  };

  debugger::GroupRun& run_;
  const abi::Stage stage_;
  Inspector& inspector_;
  TrapsOf trapsOf_;
  Log log_;
  const Wanted* wanted_ = nullptr;
  std::shared_ptr<const Traps> traps_;
  std::vector<LaneMask> lanes_;  ///< by warp: those that the filter lets through
  std::vector<Data> data_;
  Reason reason_;
  std::deque<Reason> more_;
};

}  // namespace etzel::icd
