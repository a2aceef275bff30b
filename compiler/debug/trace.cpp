#include "compiler/debug/trace.h"

#include <algorithm>

namespace etzel::debugger {
namespace {

/// Memory that others share may change at any time and be of any size: it is looked at on demand only.
bool isTraced(const Variable& v) {
  using Kind = lower::DebugPlace::Kind;
  const Kind k = v.place.kind;
  return !v.input && (k == Kind::Home || k == Kind::Scratch || isOutput(v.place) || k == Kind::Shared);
}

/// A line of a file, without the blanks around it.
std::string lineText(const DebugProgram& program, const Position& p) {
  if (!p.known()) return {};
  std::string_view text = program.info.files[p.file].text;
  for (uint32_t line = 1; line < p.line; ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find_first_of("\r\n"));
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
}

}  // namespace

Tracer::Tracer(const DebugProgram& program, uint32_t lane, Sink sink)
    : program_(program), lane_(lane), sink_(std::move(sink)), last_(program.variables.size()) {
  for (Value& v : last_) v.state = Value::State::Unset;
  hasLines_ =
      std::any_of(program.positions.begin(), program.positions.end(), [](const Position& p) { return p.known(); });
}

void Tracer::report(const WarpRun& run, StackFrame frame, size_t depth) {
  TracedLine line;
  frame.site = kNone;  // what the line itself declares is in scope behind it
  line.frame = frame, line.depth = depth;
  for (uint32_t v : program_.variablesIn(frame)) {
    if (!isTraced(program_.variables[v])) continue;
    Value now = run.value(v);
    if (now.state == Value::State::Unset || now == last_[v]) continue;
    last_[v] = now;
    line.changes.push_back({v, std::move(now)});
  }
  if (hasLines_ || !line.changes.empty()) sink_(line);
}

abi::WarpStatus Tracer::run(const interp::Code& code, abi::Warp* warp) {
  WarpRun run(program_, code, warp, lane_, state_);
  std::vector<StackFrame> at = run.callStack();
  if (!hasLines_) {
    while (!run.left()) {
      at = run.callStack();
      const bool runs = run.laneRuns();
      run.stepInstruction();
      if (runs && !at.empty()) report(run, at[0], at.size());
    }
    return run.status();
  }
  bool somewhere = !at.empty() && at[0].position.known();
  if (warp->resume == 0)  // what shared memory and outputs hold is no line's doing
    for (uint32_t v = 0; v < last_.size(); ++v)
      if (isTraced(program_.variables[v])) last_[v] = run.value(v);
  while (run.stepLine(Step::Into)) {
    if (somewhere) report(run, at[0], at.size());
    at = run.callStack();
    somewhere = true;
  }
  if (somewhere) report(run, at[0], at.size());
  return run.status();
}

std::vector<TracedLine::Change> Tracer::inputs(const abi::Warp& warp) const {
  std::vector<TracedLine::Change> all;
  for (uint32_t v = 0; v < program_.variables.size(); ++v)
    if (program_.variables[v].input) all.push_back({v, readVariable(program_, warp, lane_, v, &state_.written)});
  return all;
}

std::string toJson(const DebugProgram& program, const std::vector<TracedLine::Change>& changes) {
  std::string out = "[";
  for (const TracedLine::Change& c : changes) {
    const Variable& v = program.variables[c.variable];
    if (out.size() > 1) out += ',';
    out += "{\"name\":" + quoted(v.name) + ",\"type\":" + quoted(program.types[v.type].name) +
           ",\"value\":" + toJson(program, c.value) + ",\"shown\":" + quoted(toText(program, c.value)) + '}';
  }
  return out + ']';
}

std::string toJson(const DebugProgram& program, const TracedLine& line) {
  const Position& p = line.frame.position;
  return "{\"line\":" + std::to_string(p.known() ? p.line : 0) +
         ",\"file\":" + quoted(p.known() ? program.info.files[p.file].name : std::string()) +
         ",\"function\":" + quoted(line.frame.function) + ",\"depth\":" + std::to_string(line.depth) +
         ",\"text\":" + quoted(lineText(program, p)) + ",\"changed\":" + toJson(program, line.changes) + '}';
}

}  // namespace etzel::debugger
