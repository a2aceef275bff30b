// What lowering writes down for a debugger while it makes a debug compile: where each instruction comes from, and where
// the values that people named are kept. compiler/debug makes tables of it. Plain data.
//
// Named values get homes: scratch memory behind the program's own, one after the other, where shadow instructions
// (isa/shadow.h) store what was stored to the variable. A home stays put for the whole program.
#pragma once

#include <vector>

#include "runtime/base/types.h"

namespace etzel::lower {

/// One call of a function; calls are inlined, so each has instructions of its own. Frame 0 is the entry point.
struct DebugFrame {
  uint32_t function = 0;  ///< id of the OpFunction
  uint32_t caller = 0;    ///< index of a frame; of frame 0: itself
  uint32_t callSite = 0;  ///< index of the site of the call, in the caller
};

/// Where instructions come from. Inst::line of a debug compile is an index into the sites + 1. Sites are numbered in
/// the order of the source's execution without jumps, so what a site declares is known at all later ones.
struct DebugSite {
  uint32_t location = 0;  ///< index into Module::locations + 1; 0: none
  uint32_t scope = 0;     ///< index into Module::debugScopes + 1; 0: none
  uint32_t frame = 0;     ///< index of a frame
  uint32_t word = 0;      ///< of the module: where the SPIR-V instruction begins; 0: none
  bool operator==(const DebugSite&) const = default;
};

/// Where a value is, for every lane. Components as the Lowerer flattens them.
struct DebugPlace {
  enum class Kind : uint8_t {
    None,     ///< nowhere that could be named
    Home,     ///< scratch memory, `at` bytes from DebugRecord::homeBase; components one after the other
    Scratch,  ///< the program's own scratch memory, `at` bytes from its start; likewise
    Table,    ///< the program's constant table, `at` bytes from its start; likewise
    Output,   ///< words of the output bank: `words`, one per component
    Record,   ///< what a control program writes, `words` likewise: of `element` vertices, or 0: of the patch itself
    Push,     ///< push constants, laid out by decorations
    Shared,   ///< workgroup memory, `at` bytes from its start; `decorated`: laid out by decorations
    Buffer,   ///< resource `at` of the program, array element `element`: a block laid out by decorations
    Opaque,   ///< likewise, an image or sampler
  } kind = Kind::None;
  uint32_t at = 0, element = 0;
  bool decorated = false;
  std::vector<uint32_t> words;
};

/// A name that means a place from a site on.
struct DebugBinding {
  uint32_t variable = 0;       ///< id of the DebugLocalVariable; 0: `id` is what has the name
  uint32_t id = 0;             ///< OpVariable, parameter or value
  uint32_t type = 0;           ///< id of its type, pointers taken off
  uint32_t site = 0;           ///< first site that knows it
  bool global = false;         ///< known in every frame
  bool input = false;          ///< holds the same from the first instruction on
  std::vector<uint32_t> path;  ///< DebugValue of a part: indices into the variable
  DebugPlace place;
};

struct DebugRecord {
  std::vector<DebugFrame> frames;
  std::vector<DebugSite> sites;
  std::vector<DebugBinding> bindings;
  std::vector<uint32_t> breaks;  ///< sites of NonSemantic.DebugBreak: a shadow's store stands there, and nothing else
  uint32_t homeBase = 0;         ///< bytes of scratch memory that the ordinary program has
  uint32_t homeBytes = 0;        ///< of all homes
};

}  // namespace etzel::lower
