#include "compiler/debug/places.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace etzel::debugger {

Places::Places(const DebugProgram& program) : places_(1), of_(program.program.code.size()) {
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;  // frame, inlined at, file, line
  std::map<Key, uint32_t> known;
  std::map<uint32_t, uint32_t> ofSite;
  const auto number = [&](const StackFrame& frame, size_t depth) {
    const auto [it, isNew] =
        known.try_emplace(Key{frame.frame, frame.inlinedAt, frame.position.file, frame.position.line}, places_.size());
    if (isNew) places_.push_back({frame.position, static_cast<uint32_t>(depth), {}});
    return it->second;
  };
  for (uint32_t i = 0; i < of_.size(); ++i) {
    const uint32_t site = program.siteOf(i);
    if (site == kNone || !program.positions[site].known()) continue;
    const auto [it, isNew] = ofSite.try_emplace(site, 0);
    if (isNew) {
      const std::vector<StackFrame> stack = program.callStack(i);
      it->second = number(stack[0], stack.size());
      if (places_[it->second].callers.empty()) {
        std::vector<uint32_t> callers;
        for (size_t k = 1; k < stack.size(); ++k) callers.push_back(number(stack[k], stack.size() - k));
        places_[it->second].callers = std::move(callers);
      }
    }
    of_[i] = it->second;
  }
}

bool Places::calls(uint32_t place, uint32_t inner) const {
  const std::vector<uint32_t>& callers = places_[inner].callers;
  return std::find(callers.begin(), callers.end(), place) != callers.end();
}

std::vector<uint32_t> Places::linesOf(uint32_t file) const {
  std::set<uint32_t> lines;
  for (const uint32_t place : of_)
    if (place && places_[place].position.file == file) lines.insert(places_[place].position.line);
  return {lines.begin(), lines.end()};
}

uint32_t Places::lineAtOrBehind(uint32_t file, uint32_t line) const {
  const std::vector<uint32_t> lines = linesOf(file);
  const auto it = std::lower_bound(lines.begin(), lines.end(), line);
  return it == lines.end() ? 0 : *it;
}

}  // namespace etzel::debugger
