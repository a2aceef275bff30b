#include "icd/debug/group_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace etzel::icd {

using debugger::Thread;

GroupWatch::GroupWatch(debugger::GroupRun& run, abi::Stage stage, Inspector& inspector, TrapsOf trapsOf, Log log)
    : run_(run), stage_(stage), inspector_(inspector), trapsOf_(std::move(trapsOf)), log_(std::move(log)) {}

void GroupWatch::use(const Wanted& wanted) {
  if (wanted_ == &wanted) return;
  wanted_ = &wanted;
  more_.clear();
  traps_ = trapsOf_(wanted);
  lanes_.clear();
  for (uint32_t w = 0; w < run_.warps(); ++w) lanes_.push_back(wanted.filter.lanes(stage_, run_.warp(w)));
  data_.clear();
  for (const DataRule& rule : wanted.data)
    if (auto at = inspector_.watched(rule.what); !at.pieces.empty()) data_.push_back({&rule.rule, std::move(at), {}});
  remember();
}

void GroupWatch::remember() {
  for (Data& d : data_) {
    d.held.clear();
    for (const auto& piece : d.at.pieces) d.held.insert(d.held.end(), piece.begin(), piece.end());
  }
}

bool GroupWatch::hits(const Rule& rule, Thread t, bool back) {
  return isMet(rule, t) && (back || hitStops(rule.hits, rule.count->fetch_add(1) + 1));
}

bool GroupWatch::changed(uint32_t w, bool back) {
  const Rule* first = nullptr;
  const LaneMask lanes = run_.active(w) ? run_.active(w) : kAllLanes;
  Thread who = 0;
  for (const Data& d : data_) {
    size_t at = 0;
    bool same = true;
    for (const auto& piece : d.at.pieces) {
      same = same && std::memcmp(piece.data(), &d.held[at], piece.size()) == 0;
      at += piece.size();
    }
    if (same || first) continue;
    // Whose variable it is; what all of a workgroup have, another warp may have changed.
    const bool own = debugger::warpOf(d.at.thread) == w && lanes >> debugger::laneOf(d.at.thread) & 1;
    const Thread t = own ? d.at.thread : w * kWarpLanes + static_cast<uint32_t>(std::countr_zero(lanes));
    if (hits(*d.rule, t, back)) first = d.rule, who = t;
  }
  remember();
  if (first) reason_ = {"data breakpoint", "the value has changed", who, {first->id}};
  return first;
}

bool GroupWatch::stores(uint32_t w, LaneMask lanes, bool back) {
  more_.clear();
  for (const DataRule& data : wanted_->data) {
    if (!data.memory) continue;
    for (LaneMask left = lanes & storesTo(run_, w, *data.memory); left; left &= left - 1) {
      const Thread t = w * kWarpLanes + static_cast<uint32_t>(std::countr_zero(left));
      if (!hits(data.rule, t, back)) continue;
      more_.push_back({"data breakpoint", "it stores to what is watched", t, {data.rule.id}});
      if (wanted_->filter.which != Filter::Which::Each) return lookForMore();
    }
  }
  return lookForMore();
}

bool GroupWatch::look(uint32_t w, bool back) {
  if (!data_.empty() && changed(w, back)) return true;
  const LaneMask lanes = lanes_[w] & run_.active(w);
  if (!lanes) return false;
  if (stores(w, lanes, back)) return true;
  const LaneMask began = lanes & run_.began(w);
  const uint32_t instruction = run_.instruction(w);
  if (const LaneMask fresh = began & ~run_.middle(w)) {
    const auto found = traps_->atPlace.find(run_.places().of(instruction));
    if (found != traps_->atPlace.end() && tryRules(found->second, w, fresh, back)) return true;
  }
  if (!traps_->atCall.empty() && (began || !run_.places().hasLines())) {
    const auto found = traps_->atCall.find(instruction);
    const LaneMask callers = began ? began : lanes;
    if (found != traps_->atCall.end() && tryRules(found->second, w, callers, back)) return named("function breakpoint");
  }
  if (const auto found = traps_->atInstruction.find(instruction); found != traps_->atInstruction.end()) {
    if (tryRules(found->second, w, lanes, back)) return named("instruction breakpoint");
  }
  if (!wanted_->faults) return false;
  auto fault = debugger::faultAhead(run_, w, wanted_->faults, lanes);
  if (!fault && wanted_->faults & bitOf(debugger::FaultKind::OutOfBounds))
    if (const LaneMask outside = leavesImage(run_, w, lanes))
      fault = {debugger::FaultKind::OutOfBounds, static_cast<uint32_t>(std::countr_zero(outside))};
  if (!fault) return false;
  const bool isBreak = fault->kind == debugger::FaultKind::Break;
  reason_ = {isBreak ? "breakpoint" : "exception", debugger::describe(fault->kind), w * kWarpLanes + fault->lane, {}};
  return true;
}

bool GroupWatch::lookForLine(uint32_t w) {
  const LaneMask lanes = lanes_[w] & run_.active(w);
  const LaneMask here = run_.places().hasLines() ? lanes & run_.began(w) : lanes;
  if (!here) return false;
  reason_ = {"pause", "", w * kWarpLanes + static_cast<uint32_t>(std::countr_zero(here)), {}};
  return true;
}

bool GroupWatch::tryRules(const std::vector<size_t>& rules, uint32_t w, LaneMask lanes, bool back) {
  const bool each = wanted_->filter.which == Filter::Which::Each;
  more_.clear();
  for (const size_t r : rules) {
    const Rule& rule = wanted_->rules[r];
    for (LaneMask left = lanes; left; left &= left - 1) {
      const Thread t = w * kWarpLanes + static_cast<uint32_t>(std::countr_zero(left));
      if (!hits(rule, t, back)) continue;
      if (!rule.log.empty()) {
        if (!back) log_(message(rule, t));
        continue;  // each invocation that comes along says it
      }
      const auto known =
          std::find_if(more_.begin(), more_.end(), [&](const Reason& m) { return !each || m.thread == t; });
      Reason& reason = known == more_.end() ? more_.emplace_back(Reason{"breakpoint", "", t, {}}) : *known;
      reason.rules.push_back(rule.id);
      if (!each) break;
    }
  }
  return lookForMore();
}

bool GroupWatch::named(const char* kind) {
  reason_.name = kind;
  for (Reason& m : more_) m.name = kind;
  return true;
}

bool GroupWatch::lookForMore() {
  if (more_.empty()) return false;
  reason_ = std::move(more_.front());
  more_.pop_front();
  return true;
}

bool GroupWatch::isMet(const Rule& rule, Thread t) {
  if (rule.condition.empty()) return true;
  const auto value = debugger::evaluate(run_.program(), rule.condition, inspector_.names(t, 0));
  // A condition that means nothing here stops, so that somebody sees it.
  if (!value) log_("condition '" + rule.condition + "': " + value.error().message);
  return !value || isTrue(run_.program(), *value);
}

/// The text with {expressions} filled in.
std::string GroupWatch::message(const Rule& rule, Thread t) const {
  std::string out;
  for (size_t at = 0; at < rule.log.size();) {
    const size_t open = rule.log.find('{', at), close = rule.log.find('}', open);
    if (close == std::string::npos) return out + rule.log.substr(at);
    out += rule.log.substr(at, open - at);
    const auto value =
        debugger::evaluate(run_.program(), rule.log.substr(open + 1, close - open - 1), inspector_.names(t, 0));
    out += value ? toText(run_.program(), *value) : "<" + value.error().message + ">";
    at = close + 1;
  }
  return out;
}

}  // namespace etzel::icd
