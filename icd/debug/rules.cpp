#include "icd/debug/rules.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

namespace etzel::icd {
namespace {

/// The first instruction of each call of a function.
std::vector<uint32_t> callsOf(const std::string& function, const debugger::Debuggable& what) {
  using Key = std::tuple<uint32_t, uint32_t, std::string>;  // frame, inlined at, name
  std::set<Key> seen;
  std::vector<uint32_t> first;
  const debugger::DebugProgram& p = *what.program;
  for (uint32_t i = 0; i < p.program.code.size(); ++i) {
    if (what.places.hasLines() && !what.places.of(i)) continue;
    for (const debugger::StackFrame& frame : p.callStack(i))
      if (seen.emplace(frame.frame, frame.inlinedAt, frame.function).second && frame.function == function)
        first.push_back(i);
  }
  return first;
}

/// Whether a line is one of the module's listing.
bool isListing(const Rule& rule, const DebugShader& shader) {
  return rule.kind == Rule::Kind::Line && isSameSource(rule.source, shader.listingName());
}

/// The first line of the listing with code that is not before a line; null where there is none.
const DebugShader::ListingCode::value_type* codeAtOrBehind(DebugShader& shader, uint32_t line) {
  const DebugShader::ListingCode& code = shader.listingCode();
  const auto at = code.lower_bound(line);
  return at == code.end() ? nullptr : &*at;
}

struct HitCondition {
  std::string_view comparison;
  uint64_t number = 0;
};
std::optional<HitCondition> readHits(std::string_view text) {
  const size_t blank = text.find_first_not_of(' ');
  if (blank == std::string_view::npos) return {};
  text.remove_prefix(blank);
  HitCondition h{"=="};
  for (const std::string_view word : {"==", ">=", "<=", ">", "<", "%", "="})
    if (text.starts_with(word)) {
      h.comparison = word;
      text.remove_prefix(word.size());
      break;
    }
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto read = std::from_chars(text.data(), text.data() + text.size(), h.number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return {};
  return h;
}

}  // namespace

Traps trapsOf(const Wanted& wanted, DebugShader& shader, const debugger::Debuggable& what) {
  Traps traps;
  const auto& files = what.program->info.files;
  for (size_t r = 0; r < wanted.rules.size(); ++r) {
    const Rule& rule = wanted.rules[r];
    if (rule.kind == Rule::Kind::Instruction) {
      if (rule.shader == shader.id()) traps.atInstruction[rule.instruction].push_back(r);
      continue;
    }
    if (rule.kind == Rule::Kind::Function) {
      for (const uint32_t i : callsOf(rule.source, what)) traps.atCall[i].push_back(r);
      continue;
    }
    if (isListing(rule, shader)) {
      if (const auto* line = codeAtOrBehind(shader, rule.line))
        for (const uint32_t i : line->second) traps.atInstruction[i].push_back(r);
      continue;
    }
    for (uint32_t f = 0; f < files.size(); ++f) {
      if (!isSameSource(rule.source, files[f].name)) continue;
      const uint32_t line = what.places.lineAtOrBehind(f, rule.line);
      for (uint32_t place = 1; line && place < what.places.count(); ++place)
        if (what.places[place].position.file == f && what.places[place].position.line == line)
          traps.atPlace[place].push_back(r);
    }
  }
  return traps;
}

bool mayConcern(const Rule& rule, DebugShader& shader) {
  if (rule.kind == Rule::Kind::Instruction) return rule.shader == shader.id();
  if (rule.kind == Rule::Kind::Function) return rule.source.starts_with("%") || shader.mentions(rule.source);
  if (isListing(rule, shader)) return true;
  const auto& files = shader.files();
  return std::any_of(files.begin(), files.end(), [&](const auto& f) { return isSameSource(rule.source, f.name); });
}

uint32_t firstInstructionOf(const debugger::Debuggable& what, const debugger::StackFrame& call) {
  const debugger::DebugProgram& p = *what.program;
  for (uint32_t i = 0; i < p.program.code.size(); ++i) {
    if (what.places.hasLines() && !what.places.of(i)) continue;
    for (const debugger::StackFrame& frame : p.callStack(i))
      if (frame.frame == call.frame && frame.inlinedAt == call.inlinedAt && frame.function == call.function) return i;
  }
  return 0;
}

Verified verify(const Rule& rule, DebugShader& shader) {
  if (!mayConcern(rule, shader)) return {};
  const auto what = shader.debuggable();
  if (!what) return {};
  if (rule.kind == Rule::Kind::Function) return {!callsOf(rule.source, *what).empty(), 0, {}};
  if (isListing(rule, shader)) {
    const auto* line = codeAtOrBehind(shader, rule.line);
    return line ? Verified{true, line->first, shader.listingName()} : Verified{};
  }
  const auto& files = what->program->info.files;
  for (uint32_t f = 0; f < files.size(); ++f)
    if (isSameSource(rule.source, files[f].name))
      if (const uint32_t line = what->places.lineAtOrBehind(f, rule.line)) return {true, line, files[f].name};
  return {};
}

bool isHitCondition(const std::string& hits) { return hits.empty() || readHits(hits); }

bool hitStops(const std::string& hits, uint64_t count) {
  const auto h = readHits(hits);
  if (!h) return true;
  if (h->comparison == ">") return count > h->number;
  if (h->comparison == ">=") return count >= h->number;
  if (h->comparison == "<") return count < h->number;
  if (h->comparison == "<=") return count <= h->number;
  if (h->comparison == "%") return h->number && count % h->number == 0;
  return count == h->number;
}

}  // namespace etzel::icd
