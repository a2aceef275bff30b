// The invocations of a group that is stopped, page by page: as threads, and as variables that have their scopes.
#include "icd/debug/filter.h"
#include "icd/debug/inspector.h"
#include "icd/debug/json.h"

namespace etzel::icd {

using debugger::laneOf;
using debugger::Thread;
using debugger::warpOf;

template <class F>
void Inspector::eachInvocation(uint64_t start, uint64_t count, F&& take) const {
  for (Thread t = 0; t < run_.warps() * kWarpLanes && count; ++t) {
    if (!run_.exists(t)) continue;
    if (start)
      --start;
    else
      take(t), --count;
  }
}

uint32_t Inspector::invocations() const {
  uint32_t count = 0;
  eachInvocation(0, UINT64_MAX, [&](Thread) { ++count; });
  return count;
}

std::string Inspector::threadName(Thread t) const {
  const uint32_t w = warpOf(t);
  const char* state = run_.isApart(w) ? ""
                      : run_.ended(w) ? " (ended)"
                      : run_.waits(w) ? " (at a barrier)"
                      : run_.runs(t)  ? ""
                                      : " (inactive)";
  return invocationName(shader_.stage(), run_.warp(w), laneOf(t)) + state;
}

std::string Inspector::threads(uint64_t first, uint64_t start, uint64_t count) const {
  JsonArray all;
  eachInvocation(start, count,
                 [&](Thread t) { all.add(JsonObject().number("id", first + t).text("name", threadName(t)).done()); });
  return all.done();
}

std::string Inspector::group(Page page) {
  JsonArray all;
  eachInvocation(page.start, page.count, [&](Thread t) {
    std::string text = threadName(t);
    const uint32_t w = warpOf(t), place = run_.places().of(run_.instruction(w));
    const debugger::Position& at = run_.places()[place].position;
    if (run_.runs(t) && !run_.isApart(w) && at.known()) text += ", line " + std::to_string(at.line);
    Handle h;
    h.kind = Handle::Kind::Member, h.thread = t;
    all.add(JsonObject()
                .text("name", "[" + std::to_string(t) + "]")
                .text("value", text)
                .text("type", "")
                .number("ref", add(std::move(h)))
                .done());
  });
  return all.done();
}

std::string Inspector::member(Thread t, Page page) {
  JsonArray all;
  uint64_t i = 0;
  for (ScopeOf& s : scopesOf(t, 0)) {
    if (!page.has(i++)) continue;
    all.add(JsonObject()
                .text("name", s.name)
                .text("value", "")
                .text("type", "")
                .number("ref", add(std::move(s.handle)))
                .number("named", s.count)
                .done());
  }
  return all.done();
}

}  // namespace etzel::icd
