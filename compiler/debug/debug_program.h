// A shader as a debugger sees it: a program to run in the interpreter, and tables of files, functions, calls, types and
// variables that say what its instructions and memory mean in the source. Nothing here is SPIR-V's. Immutable once
// made; any thread.
//
// The program is the ordinary one with shadow instructions (isa/shadow.h) that keep every named value in scratch memory
// of its own, so it computes the same bytes, and no variable in scope is optimized out.
#pragma once

#include <memory>
#include <string>

#include "compiler/compiler.h"
#include "compiler/debug/debug_info.h"
#include "compiler/lower/debug_record.h"
#include "runtime/format/float_encoding.h"

namespace etzel::debugger {

inline constexpr uint32_t kNone = ~0u;

struct Type {
  enum class Kind : uint8_t {
    Void,
    Bool,
    Int,
    Uint,
    Float,
    Vector,
    Matrix,
    Array,
    RuntimeArray,
    Struct,
    Pointer,
    Opaque
  };
  struct Member {
    std::string name;
    uint32_t type = 0;
    uint32_t offset = 0;  ///< bytes, where memory is laid out by decorations
    uint32_t matrixStride = 0;
    bool rowMajor = false;
  };
  Kind kind = Kind::Void;
  std::string name;  ///< as GLSL writes it
  uint32_t bits = 32;
  format::FloatEncoding encoding{};  ///< Float
  uint32_t element = 0;              ///< Vector, Matrix (columns), arrays, Pointer
  uint32_t count = 0;                ///< Vector, Matrix (columns), Array; words of a Pointer
  uint32_t stride = 0;               ///< arrays, where memory is laid out by decorations
  std::vector<Member> members;

  bool isEncoded() const { return encoding != format::FloatEncoding::Ieee; }
};

/// A name and where its value is kept.
struct Variable {
  std::string name;
  uint32_t type = 0;
  lower::DebugPlace place;
  bool global = false;     ///< known in every function
  bool input = false;      ///< a stage's input: valid from the first instruction on
  bool unnamed = false;    ///< a value that has no name but its SPIR-V id, "%12"
  uint32_t frame = 0;      ///< local: its call
  uint32_t inlinedAt = 0;  ///< local: and what was inlined into it before
  uint32_t scope = 0;      ///< local: 0: all of the call
  uint32_t firstSite = 0;  ///< known from this site on
};

/// A position in the source.
struct Position {
  uint32_t file = kNone;  ///< index into files
  uint32_t line = 0, column = 0;
  bool known() const { return file != kNone && line != 0; }
  bool operator==(const Position&) const = default;
};

/// One entry of a call stack, innermost first.
struct StackFrame {
  std::string function;
  Position position;
  uint32_t frame = 0, inlinedAt = 0, scope = 0, site = 0;
};

struct DebugProgram {
  isa::Program program;
  isa::Program ordinary;  ///< the program without shadows, before register allocation: what native code runs
  DebugInfo info;
  lower::DebugRecord record;
  std::vector<spirv::DebugScope> scopes;  ///< DebugSite::scope - 1
  std::vector<std::string> functions;     ///< names, by index in record.frames
  std::vector<Type> types;
  std::vector<Variable> variables;
  std::vector<Position> positions;  ///< by site
  std::vector<uint32_t> breaks;     ///< instructions where the shader itself wants debuggers to stop, in order
  uint32_t firstBasicType = 0;      ///< behind the module's own types, those of GLSL (basicType)

  /// GLSL's type of a scalar (bool, int, uint, int64_t, uint64_t, float, double: 0 to 6), a vector (one column of 2 to
  /// 4 rows), or a matrix, for what debuggers compute. \pre matrices: float or double
  uint32_t basicType(uint32_t scalar, uint32_t columns, uint32_t rows) const {
    return firstBasicType + (scalar * 4 + columns - 1) * 4 + rows - 1;
  }
  /// The site of an instruction; kNone: it stands in no line (the program's beginning and end).
  uint32_t siteOf(uint32_t instruction) const;
  Position positionOf(uint32_t instruction) const;
  /// Innermost first; empty where siteOf() is kNone.
  std::vector<StackFrame> callStack(uint32_t instruction) const;
  /// Variables in scope in a frame of the call stack: locals, inner scopes first, then globals.
  std::vector<uint32_t> variablesIn(const StackFrame& frame) const;
};

/// Whether a module imports NonSemantic.DebugBreak: shaders that want debuggers to stop. Any words may be given.
bool mayBreak(std::span<const uint32_t> spirv);

/// Whether invocations of a module may abort (SPV_KHR_abort). Any words may be given.
bool mayAbort(std::span<const uint32_t> spirv);

/// Compiles as compiler::compileProgram does, for debugging. Errors: those of the ordinary compile; Unsupported where
/// the result would not be the ordinary program.
Result<std::shared_ptr<const DebugProgram>> compileForDebugging(const compiler::ShaderSource& source);

/// `program` without its shadows, and without the scratch memory that only they use.
isa::Program withoutShadows(isa::Program program, uint32_t scratchBytes);

}  // namespace etzel::debugger
