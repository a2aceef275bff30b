// Breakpoints: what a debugger asked for, and what that means in one shader. Rules are never changed once they are in
// use; a new list takes the old one's place.
#pragma once

#include <algorithm>
#include <map>

#include "compiler/debug/fault.h"
#include "icd/debug/debug_shader.h"
#include "icd/debug/filter.h"
#include "icd/debug/memory_place.h"
#include "icd/debug/pixel_place.h"

namespace etzel::icd {

struct Rule {
  enum class Kind : uint8_t { Line, Function, Instruction } kind = Kind::Line;
  uint32_t id = 0;
  std::string source;  ///< Line: a path; Function: its name
  uint32_t line = 0;
  uint32_t shader = 0, instruction = 0;
  std::string condition, hits, log;  ///< empty: always; every time; stop
  std::shared_ptr<std::atomic<uint64_t>> count = std::make_shared<std::atomic<uint64_t>>(0);
};

/// A data breakpoint: Inspector::watchable() gave `what`, or PixelPlace::id(). It stops behind what has changed a
/// variable, before the shader and behind the command that stores to memory, and behind what writes the pixel.
struct DataRule {
  std::string what;
  std::optional<MemoryPlace> memory;  ///< neither this nor `pixel`: a variable of a group that is stopped
  std::optional<PixelPlace> pixel;
  Rule rule;  ///< its number, condition and hits
};

struct Wanted {
  uint64_t generation = 0;
  Filter filter;
  std::vector<Rule> rules;
  std::vector<DataRule> data;
  uint32_t faults = 0;  ///< bits of debugger::FaultKind
  /// Every shader that stores is looked at.
  bool watchesMemory() const {
    return std::any_of(data.begin(), data.end(), [](const DataRule& d) { return d.memory.has_value(); });
  }
};

/// Where in a shader rules stop: their indices in Wanted::rules.
struct Traps {
  std::map<uint32_t, std::vector<size_t>> atPlace;        ///< where a line begins
  std::map<uint32_t, std::vector<size_t>> atCall;         ///< instructions where a function begins
  std::map<uint32_t, std::vector<size_t>> atInstruction;  ///< any lane that runs
  bool none() const { return atPlace.empty() && atCall.empty() && atInstruction.empty(); }
};
Traps trapsOf(const Wanted& wanted, DebugShader& shader, const debugger::Debuggable& what);

/// The first instruction of a call.
uint32_t firstInstructionOf(const debugger::Debuggable& what, const debugger::StackFrame& call);

/// Where a rule stops in a shader. Of kind Line, of a source or of the listing: its own line or the first behind it
/// that has code. Of kind Function: wherever it is called, which is no one line. Others have their place from the
/// beginning.
struct Verified {
  bool anywhere = false;
  uint32_t line = 0;
  std::string file;  ///< as the module names it
};
Verified verify(const Rule& rule, DebugShader& shader);

/// Whether the rule is one for the shader at all, as cheaply as can be said: it may turn out to have no place there.
bool mayConcern(const Rule& rule, DebugShader& shader);

/// "5", "==5", ">5", ">=5", "<5", "<=5", "%5": whether the hit numbered `count` from 1 stops. None (empty) always does.
bool hitStops(const std::string& hits, uint64_t count);
/// Whether it is one of those, or none.
bool isHitCondition(const std::string& hits);

}  // namespace etzel::icd
