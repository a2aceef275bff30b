#include "console_breakpoints.h"

#include <algorithm>
#include <set>
#include <utility>

namespace etzel_debug {
namespace {

using Kind = Breakpoint::Kind;

std::string describe(const Breakpoint& b) {
  std::string text = std::to_string(b.number) + ": " + b.told;
  if (!b.condition.empty()) text += " if " + b.condition;
  if (!b.hits.empty()) text += ", hits " + b.hits;
  if (!b.log.empty()) text += ", says: " + b.log;
  return text + (b.whyNot.empty() ? "" : ", " + b.whyNot);
}

}  // namespace

bool Breakpoints::send(Kind kind, const std::string& source) {
  Json list = Json::array();
  std::vector<Breakpoint*> sent;
  for (Breakpoint& b : all_) {
    if (b.kind != kind || (kind == Kind::Line && b.where != source)) continue;
    Json one = Json::object();
    if (kind == Kind::Line) one["line"] = b.line;
    if (kind == Kind::Function) one["name"] = b.where;
    if (kind == Kind::Data) one["dataId"] = b.where;
    if (!b.condition.empty()) one["condition"] = b.condition;
    if (!b.hits.empty()) one["hitCondition"] = b.hits;
    if (!b.log.empty()) one["logMessage"] = b.log;
    list.push_back(kind == Kind::Fault ? Json(b.where) : one);
    sent.push_back(&b);
  }
  if (kind == Kind::Fault) {
    if (shadersOwn_) list.push_back("break"), list.push_back("abort");
    return ask_("setExceptionBreakpoints", {{"filters", list}}).has_value();
  }
  Json arguments = {{"breakpoints", list}};
  if (kind == Kind::Line) arguments["source"] = {{"name", source}};
  const auto answer = ask_(kind == Kind::Line       ? "setBreakpoints"
                           : kind == Kind::Function ? "setFunctionBreakpoints"
                                                    : "setDataBreakpoints",
                           std::move(arguments));
  if (!answer) return false;
  const Json& all = (*answer)["breakpoints"];
  for (size_t i = 0; i < sent.size() && i < all.size(); ++i) note(*sent[i], all[i]);
  return true;
}

void Breakpoints::note(Breakpoint& b, const Json& answer) {
  b.id = answer.value("id", uint64_t{0});
  b.whyNot = answer.value("verified", false) ? "" : answer.value("message", "not yet");
  if (b.kind != Kind::Line || !b.whyNot.empty()) return;
  b.told = "at " + b.where + ":" + std::to_string(answer.value("line", b.line));
}

void Breakpoints::changed(const Json& breakpoint) {
  for (Breakpoint& b : all_)
    if (b.id && b.id == breakpoint.value("id", uint64_t{0})) note(b, breakpoint);
}

bool Breakpoints::change(std::vector<Breakpoint> list, Kind kind, const std::string& source) {
  all_.swap(list);
  if (send(kind, source)) return true;
  all_ = std::move(list);
  return false;
}

std::optional<std::string> Breakpoints::add(Breakpoint b) {
  b.number = next_;
  std::vector<Breakpoint> list = all_;
  list.push_back(b);
  if (!change(std::move(list), b.kind, b.where)) return {};
  ++next_;
  return describe(all_.back());
}

const Breakpoint* Breakpoints::find(uint64_t number) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Breakpoint& b) { return b.number == number; });
  return found == all_.end() ? nullptr : &*found;
}

std::optional<std::string> Breakpoints::replace(const Breakpoint& b) {
  std::vector<Breakpoint> list = all_;
  std::replace_if(
      list.begin(), list.end(), [&](const Breakpoint& k) { return k.number == b.number; }, b);
  if (!change(std::move(list), b.kind, b.where)) return {};
  return describe(*find(b.number));
}

bool Breakpoints::remove(uint64_t number) {
  const Breakpoint* const known = find(number);
  if (!known) return true;
  std::vector<Breakpoint> list = all_;
  std::erase_if(list, [&](const Breakpoint& b) { return b.number == number; });
  return change(std::move(list), known->kind, std::string(known->where));
}

bool Breakpoints::removeAll() {
  // Of lines, a source at a time.
  std::set<std::pair<Kind, std::string>> groups = {{Kind::Function, ""}, {Kind::Data, ""}, {Kind::Fault, ""}};
  for (const Breakpoint& b : all_)
    if (b.kind == Kind::Line) groups.emplace(b.kind, b.where);
  bool all = true;
  const bool shadersOwn = std::exchange(shadersOwn_, false);
  for (const auto& [kind, source] : groups) {
    std::vector<Breakpoint> list = all_;
    std::erase_if(list, [&, k = kind, &s = source](const Breakpoint& b) {
      return b.kind == k && (k != Kind::Line || b.where == s);
    });
    if (change(std::move(list), kind, source)) continue;
    all = false;
    if (kind == Kind::Fault) shadersOwn_ = shadersOwn;
  }
  return all;
}

std::vector<std::string> Breakpoints::list() const {
  std::vector<std::string> out;
  for (const Breakpoint& b : all_) out.push_back(describe(b));
  return out;
}

}  // namespace etzel_debug
