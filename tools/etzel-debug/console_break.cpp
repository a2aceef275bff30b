// The console's commands about breakpoints.
#include <sstream>
#include <tuple>

#include "console_impl.h"
#include "console_text.h"

namespace etzel_debug {

void Console::sayAdded(Breakpoint b) {
  if (const auto told = breakpoints_.add(std::move(b))) say(*told);
}

void Console::breakAt(const std::string& rest) {
  Breakpoint b;
  std::string condition;
  if (const auto at = sourceLineIn(rest)) {
    b.where = at->source, b.line = at->line, condition = at->rest;
    b.told = "at " + b.where + ":" + std::to_string(b.line);
  } else {
    std::tie(b.where, condition) = firstWord(rest);
    b.kind = Breakpoint::Kind::Function, b.told = "in " + b.where;
  }
  const auto [word, text] = firstWord(condition);
  if (b.where.empty() || (!condition.empty() && word != "if"))
    return say("FILE:LINE or FUNCTION is expected, perhaps with `if CONDITION`");
  if (!connect()) return;
  b.condition = text;
  sayAdded(std::move(b));
}

void Console::logAt(const std::string& rest) {
  const auto at = sourceLineIn(rest);
  if (!at || at->rest.empty()) return say("FILE:LINE TEXT is expected");
  if (!connect()) return;
  Breakpoint b;
  b.where = at->source, b.line = at->line, b.log = at->rest;
  b.told = "at " + b.where + ":" + std::to_string(b.line);
  sayAdded(std::move(b));
}

std::optional<std::pair<Breakpoint, std::string>> Console::breakpointIn(const std::string& text) {
  const auto [number, rest] = firstWord(text);
  const auto n = numberIn(number);
  const Breakpoint* const known = n ? breakpoints_.find(*n) : nullptr;
  if (!known) return say("there is no breakpoint '" + number + "'; `info breakpoints` lists them"), std::nullopt;
  if (known->kind == Breakpoint::Kind::Fault) return say("every fault of a kind stops"), std::nullopt;
  return std::pair(*known, rest);
}

void Console::replace(const Breakpoint& b) {
  if (const auto told = breakpoints_.replace(b)) say(*told);
}

void Console::condition(const std::string& rest) {
  auto found = breakpointIn(rest);
  if (!found) return;
  found->first.condition = found->second;
  replace(found->first);
}

void Console::hits(const std::string& rest) {
  auto found = breakpointIn(rest);
  if (!found) return;
  found->first.hits = found->second;
  replace(found->first);
}

void Console::ignore(const std::string& rest) {
  auto found = breakpointIn(rest);
  if (!found) return;
  const auto count = numberIn(found->second);
  if (!count) return say("NUMBER COUNT is expected");
  found->first.hits = *count ? "> " + std::to_string(*count) : "";
  replace(found->first);
}

void Console::watch(const std::string& rest) {
  if (!connect()) return;
  Json what = {{"name", rest}};
  if (stopped_) what = inFrame(what);
  const auto info = ask("dataBreakpointInfo", what);
  if (!info) return;
  if ((*info)["dataId"].is_null()) return say((*info).value("description", "this cannot be watched"));
  Breakpoint b;
  b.kind = Breakpoint::Kind::Data, b.where = (*info)["dataId"].get<std::string>();
  b.told = "on " + info->value("description", rest);
  sayAdded(std::move(b));
}

void Console::catchFault(const std::string& rest) {
  if (!connect()) return;
  Breakpoint b;
  b.kind = Breakpoint::Kind::Fault, b.where = rest, b.told = "of " + rest;
  sayAdded(std::move(b));
}

void Console::remove(const std::string& rest) {
  if (!connect()) return;
  if (rest.empty()) {
    if (!breakpoints_.removeAll()) say("what was refused stays; `info breakpoints` lists it");
    return;
  }
  std::istringstream words(rest);
  for (std::string word; words >> word;) {
    const auto n = numberIn(word);
    if (!n || !breakpoints_.find(*n))
      say("there is no breakpoint '" + word + "'; `info breakpoints` lists them");
    else if (!breakpoints_.remove(*n))
      say("breakpoint " + word + " stays");
  }
}

}  // namespace etzel_debug
