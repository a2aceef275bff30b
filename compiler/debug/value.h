// Values of variables while a warp is stopped: read from where the tables say, typed as the source has them.
#pragma once

#include "compiler/debug/debug_program.h"

namespace etzel::debugger {

/// A scalar, or the parts of a vector, matrix (its columns), array or structure.
struct Value {
  enum class State : uint8_t {
    Known,
    Unset,    ///< nothing was stored there yet
    Nowhere,  ///< not kept anywhere that could be read: a pointer with a dynamic offset, a null descriptor
  };
  State state = State::Known;
  uint32_t type = 0;         ///< index into DebugProgram::types
  uint64_t bits = 0;         ///< scalars, zero-extended
  std::vector<Value> parts;  ///< of a runtime array the first kMaxElements
  bool operator==(const Value&) const = default;
};

/// More elements of one array are not read unless asked for.
inline constexpr uint32_t kMaxElements = 4096;

/// Which lanes have stored to which word of the homes (DebugProgram's record).
struct WrittenWords {
  std::vector<uint8_t> lanes;  ///< by word from homeBase
};

/// Whether the next stage reads it, for which small types are kept as large ones.
inline bool isOutput(const lower::DebugPlace& place) {
  return place.kind == lower::DebugPlace::Kind::Output || place.kind == lower::DebugPlace::Kind::Record;
}

/// Word `half` of a component of an output, in the order of its type; null where the warp has none.
uint32_t* outputWord(const DebugProgram& program, const abi::Warp& warp, uint32_t lane, const lower::DebugPlace& place,
                     uint32_t component, uint32_t half);

/// Reads variable `index` for `lane`. `written` may be null: everything counts as set.
Value readVariable(const DebugProgram& program, const abi::Warp& warp, uint32_t lane, uint32_t index,
                   const WrittenWords* written = nullptr);

/// As GLSL would write it: `(1, 0.5, -3)`, `{dir = (0, 0, 1), power = 2}`, `[1, 2, 3]`.
std::string toText(const DebugProgram& program, const Value& value);

/// As JSON: numbers, true and false, arrays, objects; null for what has no value. Infinities and NaN are strings.
std::string toJson(const DebugProgram& program, const Value& value);

/// A JSON string with its quotes.
std::string quoted(std::string_view text);

}  // namespace etzel::debugger
