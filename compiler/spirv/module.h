// A SPIR-V module read for one entry point: instructions, types, evaluated constants, decorations and the function
// bodies as basic blocks. Specialization constants already have their final values. Immutable after parse(); the
// lowering in compiler/lower is its only user. Every operand read is bounds-checked, so a module that skipped
// validation gives wrong code or an error, never a crash.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/isa/program.h"
#include "compiler/spirv/shader_source.h"
#include "runtime/base/result.h"
#include "runtime/format/float_encoding.h"

namespace etzel::spirv {

/// SPV_KHR_float_controls2, which the headers of Debian 12 lack.
inline constexpr auto kFloatControls2 = static_cast<spv::Capability>(6029);

/// One instruction. Operands are the words after the result id (after the opcode word where there is no result).
struct Instruction {
  spv::Op op = spv::Op::OpNop;
  uint32_t type = 0;    ///< result type id, 0 without one
  uint32_t result = 0;  ///< result id, 0 without one
  uint32_t line = 0;    ///< index into Module::locations + 1
  uint32_t scope = 0;   ///< index into Module::debugScopes + 1; 0: no DebugScope
  std::span<const uint32_t> operands;
  uint32_t operand(size_t i) const { return i < operands.size() ? operands[i] : 0; }
  size_t size() const { return operands.size(); }
  /// Literal string at operand `i`; `next` receives the operand after it.
  std::string string(size_t i, size_t* next = nullptr) const;
};

enum class TypeKind : uint8_t {
  None,
  Void,
  Bool,
  Int,
  Float,
  Vector,
  Matrix,
  Array,
  RuntimeArray,
  Struct,
  Pointer,
  Image,
  Sampler,
  SampledImage,
  Buffer,  ///< a descriptor of one, in a heap
  Function,
  TensorLayout,  ///< count dimensions; members: {TensorClamp}
  TensorView,    ///< count dimensions; members: {whether it has dimensions of its own, the permutation...}
  Other
};

struct Type {
  TypeKind kind = TypeKind::None;
  uint32_t id = 0;
  uint32_t width = 0;                ///< Int, Float: bits
  format::FloatEncoding encoding{};  ///< Float
  bool isSigned = false;
  uint32_t element = 0;  ///< Vector, Matrix (column), Array, RuntimeArray, Pointer (pointee), SampledImage (image),
                         ///< Image (sampled type)
  uint32_t count = 0;    ///< Vector, Matrix (columns), Array
  std::vector<uint32_t> members;                            ///< Struct; Function: parameters
  spv::StorageClass storage = spv::StorageClass::Function;  ///< Pointer
  // Image
  spv::Dim dim = spv::Dim::Dim2D;
  uint32_t depth = 0, sampled = 0;
  bool arrayed = false, multisampled = false;
  spv::ImageFormat format = spv::ImageFormat::Unknown;
  uint32_t components = 0;     ///< flattened scalars; RuntimeArray 0
  bool isCooperative = false;  ///< Vector: what an invocation holds of a cooperative matrix
  uint32_t rows = 0;           ///< of a cooperative matrix
  bool isWorkgroups = false;   ///< a cooperative matrix of workgroup scope

  /// A pointer to whatever an access takes its memory for (SPV_KHR_untyped_pointers).
  bool isUntyped() const { return kind == TypeKind::Pointer && element == 0; }
  /// A pointer that is a handle and an offset of 64 bits ("64-Bit Indexing").
  bool isWidePointer() const { return kind == TypeKind::Pointer && components == 3; }
  bool isScalar() const { return kind == TypeKind::Bool || kind == TypeKind::Int || kind == TypeKind::Float; }
};

/// A constant, flattened: one 64-bit slot per scalar, the value zero-extended in its low bits (Bool: 0 or 1).
struct Constant {
  uint32_t type = 0;
  std::vector<uint64_t> scalars;
  bool undefined = false;
};

/// Decorations of an id or of a struct member.
struct Decorations {
  std::map<spv::Decoration, std::vector<uint32_t>> entries;
  bool has(spv::Decoration d) const { return entries.count(d) != 0; }
  /// First operand, or `otherwise`.
  uint32_t get(spv::Decoration d, uint32_t otherwise = 0) const {
    auto it = entries.find(d);
    return it == entries.end() || it->second.empty() ? otherwise : it->second[0];
  }
};

struct Block {
  uint32_t label = 0;
  std::vector<Instruction> code;  ///< phis first, without merge instruction and terminator
  Instruction merge;              ///< OpSelectionMerge, OpLoopMerge or OpNop
  Instruction terminator;
  uint32_t loopMerge() const { return merge.op == spv::Op::OpLoopMerge ? merge.operand(0) : 0; }
  uint32_t loopContinue() const { return merge.op == spv::Op::OpLoopMerge ? merge.operand(1) : 0; }
  uint32_t selectionMerge() const { return merge.op == spv::Op::OpSelectionMerge ? merge.operand(0) : 0; }
};

struct Function {
  uint32_t id = 0, resultType = 0;
  std::vector<Instruction> parameters;
  std::vector<Block> blocks;                          ///< in module order
  std::unordered_map<uint32_t, uint32_t> blockIndex;  ///< label -> index
};

struct Variable {
  uint32_t id = 0, type = 0 /* pointee */, initializer = 0, pointerType = 0;

  spv::StorageClass storage = spv::StorageClass::Function;
};

/// What DebugScope said of the instructions behind it: ids of debug information.
struct DebugScope {
  uint32_t scope = 0, inlinedAt = 0;
  bool operator==(const DebugScope&) const = default;
};

class Module {
 public:
  uint32_t entryFunction = 0;
  spv::ExecutionModel model = spv::ExecutionModel::GLCompute;
  std::vector<uint32_t> interface;
  std::multimap<spv::ExecutionMode, std::vector<uint32_t>> modes;  ///< ...Id modes' operands are evaluated
  std::unordered_map<uint32_t, Type> types;
  std::unordered_map<uint32_t, Constant> constants;
  std::unordered_map<uint32_t, std::string> names;
  std::unordered_map<uint32_t, Decorations> decorations;
  std::map<std::pair<uint32_t, uint32_t>, Decorations> memberDecorations;
  std::vector<Variable> variables;  ///< module scope
  std::unordered_map<uint32_t, Function> functions;
  std::unordered_map<uint32_t, std::string> extendedSets;  ///< OpExtInstImport
  std::vector<isa::SourceLocation> locations;
  std::vector<DebugScope> debugScopes;
  bool keepsDebugValues = false;  ///< DebugDeclare and DebugValue stand in their blocks as OpExtInst of debugInfoSet
  /// Instructions of NonSemantic.DebugPrintf stand in their blocks as OpExtInst of this set; 0: there are none, or
  /// nobody wants them.
  uint32_t printSet = 0;
  uint32_t breakSet = 0;  ///< NonSemantic.DebugBreak, likewise; 0 as well where debug values are not kept
  std::unordered_map<uint32_t, std::string> strings;  ///< OpString
  uint32_t debugInfoSet = 0;                          ///< NonSemantic.Shader.DebugInfo.100, 0: the module has none
  std::vector<spv::Capability> capabilities;
  uint32_t version = 0x10000;
  uint32_t bound = 0;
  uint32_t localSize[3] = {1, 1, 1};
  bool wideIndices = false;  ///< "64-Bit Indexing": the pipeline asks for it, or the entry point does

  const Type& type(uint32_t id) const;
  /// Constant of an id, or null.
  const Constant* constant(uint32_t id) const;
  const Decorations& decorationsOf(uint32_t id) const;
  const Decorations& memberDecorationsOf(uint32_t type, uint32_t member) const;
  bool hasMode(spv::ExecutionMode m) const { return modes.count(m) != 0; }
  uint32_t modeOperand(spv::ExecutionMode m, size_t i = 0, uint32_t otherwise = 0) const;

  std::vector<uint32_t> words;  ///< the module; instructions point into it
};

/// Runs spirv-val for Vulkan 1.3 with the layouts that Etzel accepts. Error: InvalidShader with the validator's text.
Result<void> validate(std::span<const uint32_t> words);

/// Reads the entry point `source.entryPoint` of `source.stage`.
Result<std::unique_ptr<Module>> parse(const compiler::ShaderSource& source, bool keepDebugValues = false);

}  // namespace etzel::spirv
