// Words to Module: one pass over the instructions in module order, which is also definition order for types and
// constants, so both are complete when they are needed.
#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.hpp11>

#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/spirv/capabilities.h"
#include "compiler/spirv/constants.h"
#include "compiler/spirv/module.h"
#include "compiler/spirv/newer.h"
#include "compiler/spirv/words.h"
#include "runtime/abi/descriptor.h"
#include "runtime/abi/limits.h"
#include "runtime/mutant/mutant.h"

namespace etzel::spirv {

std::string Instruction::string(size_t i, size_t* next) const {
  std::string s;
  for (; i < operands.size(); ++i)
    for (uint32_t byte = 0; byte < 4; ++byte) {
      const char c = static_cast<char>(operands[i] >> (8 * byte));
      if (c == 0) {
        if (next) *next = i + 1;
        return s;
      }
      s += c;
    }
  if (next) *next = i;
  return s;
}

const Type& Module::type(uint32_t id) const {
  static const Type none;
  auto it = types.find(id);
  return it == types.end() ? none : it->second;
}
const Constant* Module::constant(uint32_t id) const {
  auto it = constants.find(id);
  return it == constants.end() ? nullptr : &it->second;
}
const Decorations& Module::decorationsOf(uint32_t id) const {
  static const Decorations none;
  auto it = decorations.find(id);
  return it == decorations.end() ? none : it->second;
}
const Decorations& Module::memberDecorationsOf(uint32_t type, uint32_t member) const {
  static const Decorations none;
  auto it = memberDecorations.find({type, member});
  return it == memberDecorations.end() ? none : it->second;
}
uint32_t Module::modeOperand(spv::ExecutionMode m, size_t i, uint32_t otherwise) const {
  auto it = modes.find(m);
  return it == modes.end() || i >= it->second.size() ? otherwise : it->second[i];
}

namespace {

constexpr uint32_t kDebugBreak = 1;                 // the only instruction of NonSemantic.DebugBreak
constexpr uint32_t kMaxComponents = 1u << 24;       // larger objects are only ever accessed in parts
constexpr uint64_t kMaxConstantScalars = 1u << 22;  // of all constants together: a few words may ask for all memory

spv::ExecutionModel modelOf(abi::Stage s) {
  switch (s) {
    case abi::Stage::Vertex: return spv::ExecutionModel::Vertex;
    case abi::Stage::TessControl: return spv::ExecutionModel::TessellationControl;
    case abi::Stage::TessEvaluation: return spv::ExecutionModel::TessellationEvaluation;
    case abi::Stage::Geometry: return spv::ExecutionModel::Geometry;
    case abi::Stage::Fragment: return spv::ExecutionModel::Fragment;
    default: return spv::ExecutionModel::GLCompute;
  }
}

class Parser {
 public:
  Parser(const compiler::ShaderSource& source, Module& m) : source_(source), m_(m) {
    m_.wideIndices = source.wideIndices;
  }

  Result<void> run() {
    const std::vector<uint32_t>& w = m_.words;
    if (w.size() < 5 || w[0] != spv::MagicNumber) return bad("not a SPIR-V module");
    m_.version = w[1];
    m_.bound = w[3];
    size_t at = 5;
    while (at < w.size()) {
      const uint32_t length = w[at] >> 16;
      if (length == 0 || at + length > w.size()) return bad("an instruction runs past the end of the module");
      Instruction inst;
      inst.op = static_cast<spv::Op>(w[at] & 0xffff);
      size_t first = at + 1;
      bool hasResult = false, hasType = false;
      hasResultAndType(inst.op, &hasResult, &hasType);
      if (first - at + hasResult + hasType > length) return bad("an instruction is too short");
      if (hasType) inst.type = w[first++];
      if (hasResult) inst.result = w[first++];
      inst.operands = std::span(w.data() + first, at + length - first);
      ETZEL_TRY(instruction(inst));
      at += length;
    }
    if (function_) return bad("the last function does not end");
    if (!m_.entryFunction) return bad("no entry point '" + source_.entryPoint + "' of the stage");
    if (!m_.functions.count(m_.entryFunction)) return bad("the entry point's function is missing");
    finishModes();
    finishStrides();
    return checkWorkgroup();
  }

 private:
  static Error bad(const std::string& text) { return {ErrorCode::InvalidShader, text}; }

  Result<void> instruction(Instruction& inst) {
    using O = spv::Op;
    switch (inst.op) {
      case O::OpNop:
      case O::OpSource:
      case O::OpSourceExtension:
      case O::OpSourceContinued:
      case O::OpExtension:
      case O::OpMemoryModel:
      case O::OpModuleProcessed:
      case O::OpMemberName: return {};
      case O::OpCapability: {
        const auto c = static_cast<spv::Capability>(inst.operand(0));
        ETZEL_TRY(checkCapability(c, source_));
        m_.capabilities.push_back(c);
        return {};
      }
      case O::OpExtInstImport:
        m_.extendedSets[inst.result] = inst.string(0);
        if (inst.string(0) == "NonSemantic.Shader.DebugInfo.100") m_.debugInfoSet = inst.result;
        if (source_.prints && inst.string(0) == "NonSemantic.DebugPrintf") m_.printSet = inst.result;
        if (m_.keepsDebugValues && inst.string(0) == "NonSemantic.DebugBreak") m_.breakSet = inst.result;
        return {};
      case O::OpEntryPoint: {
        size_t next = 0;
        const std::string name = inst.string(2, &next);
        const auto model = static_cast<spv::ExecutionModel>(inst.operand(0));
        if (name == source_.entryPoint && model == modelOf(source_.stage)) {
          m_.model = model;
          m_.entryFunction = inst.operand(1);
          for (size_t i = next; i < inst.size(); ++i) m_.interface.push_back(inst.operand(i));
        }
        return {};
      }
      case O::OpExecutionMode:
      case O::OpExecutionModeId:
        if (inst.operand(0) == m_.entryFunction && inst.size() > 1) {
          const auto mode = static_cast<spv::ExecutionMode>(inst.operand(1));
          auto it = m_.modes.emplace(mode, std::vector<uint32_t>(inst.operands.begin() + 2, inst.operands.end()));
          if (inst.op == O::OpExecutionModeId) idModes_.push_back(&it->second);
          m_.wideIndices |= mode == kWideIndicesMode;
        }
        return {};
      case O::OpString: m_.strings[inst.result] = inst.string(0); return {};
      case O::OpName: m_.names[inst.operand(0)] = inst.string(1); return {};
      case O::OpLine: line(inst.operand(0), inst.operand(1), inst.operand(2)); return {};
      case O::OpNoLine: line_ = 0; return {};
      case O::OpDecorate:
      case O::OpDecorateId:
      case O::OpDecorateString:
        if (inst.size() > 1)
          m_.decorations[inst.operand(0)].entries[static_cast<spv::Decoration>(inst.operand(1))].assign(
              inst.operands.begin() + 2, inst.operands.end());
        return {};
      case O::OpMemberDecorate:
      case O::OpMemberDecorateString:
        if (inst.size() > 2)
          m_.memberDecorations[{inst.operand(0), inst.operand(1)}]
              .entries[static_cast<spv::Decoration>(inst.operand(2))]
              .assign(inst.operands.begin() + 3, inst.operands.end());
        return {};
      case O::OpDecorationGroup: return {};
      case O::OpGroupDecorate: {
        const Decorations group = m_.decorationsOf(inst.operand(0));
        for (size_t i = 1; i < inst.size(); ++i)
          for (auto& [d, v] : group.entries) m_.decorations[inst.operand(i)].entries[d] = v;
        return {};
      }
      case O::OpGroupMemberDecorate: {
        const Decorations group = m_.decorationsOf(inst.operand(0));
        for (size_t i = 1; i + 1 < inst.size(); i += 2)
          for (auto& [d, v] : group.entries)
            m_.memberDecorations[{inst.operand(i), inst.operand(i + 1)}].entries[d] = v;
        return {};
      }
      default: break;
    }
    if (inst.op == kOpMemberDecorateId) {
      if (inst.size() > 3 && static_cast<spv::Decoration>(inst.operand(2)) == kOffsetId)
        offsetIds_.push_back({inst.operand(0), inst.operand(1), inst.operand(3)});
      return {};
    }
    const uint32_t code = static_cast<uint32_t>(inst.op);
    if ((code >= 19 && code <= 39) || inst.op == O::OpTypeAccelerationStructureKHR || inst.op == O::OpTypeRayQueryKHR ||
        inst.op == kOpTypeVectorId || inst.op == kOpTypeCooperativeMatrix || inst.op == kOpTypeUntypedPointer ||
        inst.op == kOpTypeTensorLayout || inst.op == kOpTypeTensorView || inst.op == kOpTypeBuffer)
      return typeDeclaration(inst);
    if ((code >= 41 && code <= 52 && code != 47) || (inst.op == O::OpUndef && !function_) ||
        inst.op == kOpConstantCompositeReplicate || inst.op == kOpSpecConstantCompositeReplicate ||
        inst.op == kOpConstantData || inst.op == kOpSpecConstantData || inst.op == kOpConstantSizeOf)
      return constant(inst);
    return body(inst);
  }

  bool declares(spv::Capability c) const {
    return std::find(m_.capabilities.begin(), m_.capabilities.end(), c) != m_.capabilities.end();
  }
  uint32_t componentsOf(uint32_t id) const { return m_.type(id).components; }

  Result<void> typeDeclaration(const Instruction& inst) {
    using O = spv::Op;
    // Types have a result id but no result type; OpTypeForwardPointer has neither.
    Type t;
    t.id = inst.result;
    auto saturate = [](uint64_t n) { return static_cast<uint32_t>(std::min<uint64_t>(n, kMaxComponents)); };
    switch (inst.op) {
      case O::OpTypeVoid: t.kind = TypeKind::Void; break;
      case O::OpTypeBool: t.kind = TypeKind::Bool, t.components = 1; break;
      case O::OpTypeInt:
        t.kind = TypeKind::Int, t.width = inst.operand(0), t.isSigned = inst.operand(1) != 0, t.components = 1;
        if (t.width != 8 && t.width != 16 && t.width != 32 && t.width != 64)
          return bad("an integer type has an odd width");
        break;
      case O::OpTypeFloat: ETZEL_TRY(floatType(inst, &t)); break;
      case O::OpTypeVector:
      case O::OpTypeMatrix:
        t.kind = inst.op == O::OpTypeVector ? TypeKind::Vector : TypeKind::Matrix;
        t.element = inst.operand(0), t.count = inst.operand(1);
        // SPV_EXT_long_vector lifts the limits of the ordinary instruction, too.
        if (inst.op == O::OpTypeVector && declares(kLongVector) ? t.count < 1 || t.count > abi::kMaxVectorComponents
                                                                : t.count < 2 || t.count > 16)
          return bad("a vector or matrix has an odd size");
        t.components = saturate(uint64_t(t.count) * componentsOf(t.element));
        break;
      case O::OpTypeArray: {
        t.kind = TypeKind::Array, t.element = inst.operand(0);
        const Constant* n = m_.constant(inst.operand(1));
        if (!n || n->scalars.empty() || n->scalars[0] == 0) return bad("an array's length is not a positive constant");
        t.count = saturate(n->scalars[0]);
        if (n->scalars[0] < 0xffffffffu) t.count = static_cast<uint32_t>(n->scalars[0]);
        t.components = saturate(uint64_t(t.count) * componentsOf(t.element));
        break;
      }
      case O::OpTypeRuntimeArray: t.kind = TypeKind::RuntimeArray, t.element = inst.operand(0); break;
      case O::OpTypeStruct: {
        t.kind = TypeKind::Struct;
        t.members.assign(inst.operands.begin(), inst.operands.end());
        uint64_t n = 0;
        for (uint32_t member : t.members) {
          if (!m_.types.count(member)) return bad("a struct has a member whose type does not come before it");
          n += componentsOf(member);
        }
        t.components = saturate(n);
        break;
      }
      case O::OpTypeForwardPointer:
        t.id = inst.operand(0);
        t.kind = TypeKind::Pointer, t.storage = static_cast<spv::StorageClass>(inst.operand(1));
        t.components = pointerComponents(t.storage);
        break;
      case O::OpTypePointer:
        t.kind = TypeKind::Pointer, t.storage = static_cast<spv::StorageClass>(inst.operand(0));
        t.element = inst.operand(1), t.components = pointerComponents(t.storage);
        break;
      case O::OpTypeFunction:
        t.kind = TypeKind::Function, t.element = inst.operand(0);
        if (inst.size() > 1) t.members.assign(inst.operands.begin() + 1, inst.operands.end());
        break;
      case O::OpTypeImage:
        t.kind = TypeKind::Image, t.element = inst.operand(0), t.dim = static_cast<spv::Dim>(inst.operand(1));
        t.depth = inst.operand(2), t.arrayed = inst.operand(3) != 0, t.multisampled = inst.operand(4) != 0;
        t.sampled = inst.operand(5), t.format = static_cast<spv::ImageFormat>(inst.operand(6)), t.components = 1;
        break;
      case O::OpTypeSampler: t.kind = TypeKind::Sampler, t.components = 1; break;
      case O::OpTypeSampledImage: t.kind = TypeKind::SampledImage, t.element = inst.operand(0), t.components = 2; break;
      default:
        if (inst.op == kOpTypeVectorId) {
          ETZEL_TRY(longVector(inst, &t));
          break;
        }
        if (inst.op == kOpTypeUntypedPointer) {
          t.kind = TypeKind::Pointer, t.storage = static_cast<spv::StorageClass>(inst.operand(0));
          t.components = pointerComponents(t.storage);
          break;
        }
        if (inst.op == kOpTypeBuffer) {
          t.kind = TypeKind::Buffer, t.components = 1;
          break;
        }
        if (inst.op == kOpTypeCooperativeMatrix) {
          ETZEL_TRY(cooperativeMatrix(inst, &t));
          break;
        }
        if (inst.op == kOpTypeTensorLayout || inst.op == kOpTypeTensorView) {
          ETZEL_TRY(tensorType(inst, &t));
          break;
        }
        return Error{ErrorCode::Unsupported, "SPIR-V type opcode " + std::to_string(static_cast<uint32_t>(inst.op))};
    }
    if (!t.id) return bad("a type has no id");
    // Types that contain themselves have no end; pointers may point anywhere.
    const bool contains = t.kind == TypeKind::Vector || t.kind == TypeKind::Matrix || t.kind == TypeKind::Array ||
                          t.kind == TypeKind::RuntimeArray || t.kind == TypeKind::SampledImage;
    if (contains && !m_.types.count(t.element)) return bad("a type's element does not come before it");
    const auto earlier = m_.types.find(t.id);
    if (earlier != m_.types.end() && (earlier->second.kind != TypeKind::Pointer || t.kind != TypeKind::Pointer))
      return bad("a type is declared twice");
    m_.types[t.id] = std::move(t);
    return {};
  }
  Result<void> floatType(const Instruction& inst, Type* t) const {
    t->kind = TypeKind::Float, t->width = inst.operand(0), t->components = 1;
    if (inst.size() > 1) {
      const auto encoding = floatEncoding(t->width, inst.operand(1));
      if (!encoding)
        return Error{ErrorCode::Unsupported, "a float type with encoding " + std::to_string(inst.operand(1))};
      t->encoding = *encoding;
    } else if (t->width != 16 && t->width != 32 && t->width != 64) {
      return bad("a float type has an odd width");
    }
    return {};
  }
  Result<void> longVector(const Instruction& inst, Type* t) const {
    t->kind = TypeKind::Vector, t->element = inst.operand(0);
    const Constant* n = m_.constant(inst.operand(1));
    if (!n || n->scalars.empty() || n->scalars[0] == 0 || n->scalars[0] > abi::kMaxVectorComponents)
      return bad("a vector's size is not a positive constant, or is too large");
    if (!m_.type(t->element).isScalar()) return bad("a vector's component is not a scalar");
    t->count = t->components = static_cast<uint32_t>(n->scalars[0]);
    return {};
  }
  /// A number that must be known when the module is read; 0: it is no constant.
  uint64_t knownNumber(uint32_t id) const {
    const Constant* n = m_.constant(id);
    return n && !n->scalars.empty() ? n->scalars[0] : 0;
  }
  Result<void> cooperativeMatrix(const Instruction& inst, Type* t) const {
    const auto isSize = [](uint64_t n) {
      return n != 0 && n <= abi::kMaxCooperativeMatrixSize && n % abi::kCooperativeMatrixSize == 0;
    };
    t->kind = TypeKind::Vector, t->element = inst.operand(0), t->isCooperative = true;
    const Type& component = m_.type(t->element);
    if (component.kind != TypeKind::Int && component.kind != TypeKind::Float)
      return bad("a cooperative matrix's component is not a number");
    const uint64_t scope = knownNumber(inst.operand(1));
    const uint64_t rows = knownNumber(inst.operand(2)), columns = knownNumber(inst.operand(3));
    t->isWorkgroups = scope == static_cast<uint32_t>(spv::Scope::Workgroup);
    if ((!t->isWorkgroups && scope != static_cast<uint32_t>(spv::Scope::Subgroup)) || !isSize(rows) ||
        !isSize(columns) || component.width == 64)
      return Error{ErrorCode::Unsupported,
                   "a cooperative matrix that is not a subgroup's or a workgroup's, of multiples of 8 rows and columns "
                   "up to 256, of at most 32 bits"};
    t->rows = static_cast<uint32_t>(rows);
    const uint32_t lanes = t->isWorkgroups ? kWarpLanes : source_.requiredSubgroupSize;
    t->count = t->components = static_cast<uint32_t>(rows * columns / lanes);
    return {};
  }
  /// Layouts and views are words: what they hold, in the order of lower/cooperative_tensor.h.
  Result<void> tensorType(const Instruction& inst, Type* t) const {
    const uint64_t dimensions = knownNumber(inst.operand(0));
    if (dimensions == 0 || dimensions > kMaxTensorDimensions) return bad("a tensor has not 1 to 5 dimensions");
    t->count = static_cast<uint32_t>(dimensions);
    t->members.push_back(static_cast<uint32_t>(knownNumber(inst.operand(1))));
    if (inst.op == kOpTypeTensorLayout) {
      t->kind = TypeKind::TensorLayout, t->components = 5 * t->count + 1;
      if (t->members[0] > static_cast<uint32_t>(TensorClamp::Mirror)) return bad("a tensor's clamp mode is not known");
      return {};
    }
    t->kind = TypeKind::TensorView, t->components = 2 * t->count + 4;
    if (inst.size() != 2 + t->count) return bad("a tensor view's permutation has not one number for each dimension");
    uint32_t seen = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
      const uint64_t p = knownNumber(inst.operand(2 + i));
      if (p >= t->count) return bad("a tensor view's permutation names a dimension that it has not");
      seen |= 1u << p;
      t->members.push_back(static_cast<uint32_t>(p));
    }
    if (seen != (1u << t->count) - 1) return bad("a tensor view's permutation names a dimension twice");
    return {};
  }
  /// Words that a pointer takes as a value: physical ones a 64-bit address, variable ones handle and offset, which may
  /// have 64 bits.
  uint32_t pointerComponents(spv::StorageClass s) const {
    const bool isBuffer = s == spv::StorageClass::StorageBuffer || s == spv::StorageClass::Uniform;
    return !isBuffer ? 1 : m_.wideIndices ? 3 : 2;
  }

  Result<void> constant(const Instruction& inst) {
    using O = spv::Op;
    Constant c;
    c.type = inst.type;
    const Type& t = m_.type(inst.type);
    switch (inst.op) {
      case O::OpConstantTrue:
      case O::OpSpecConstantTrue: c.scalars = {1}; break;
      case O::OpConstantFalse:
      case O::OpSpecConstantFalse: c.scalars = {0}; break;
      case O::OpConstant:
      case O::OpSpecConstant: {
        uint64_t v = inst.operand(0);
        if (t.width == 64) v |= uint64_t(inst.operand(1)) << 32;
        if (t.width < 32) v &= (uint64_t(1) << t.width) - 1;
        c.scalars = {v};
        break;
      }
      case O::OpConstantComposite:
      case O::OpSpecConstantComposite:
        for (uint32_t id : inst.operands) {
          const Constant* part = m_.constant(id);
          if (!part) return bad("a composite constant's part is not a constant");
          if (c.scalars.size() + part->scalars.size() > kMaxComponents) return bad("a constant is too large");
          c.scalars.insert(c.scalars.end(), part->scalars.begin(), part->scalars.end());
        }
        break;
      case O::OpConstantNull:
      case O::OpUndef:
        if (t.components > kMaxConstantScalars) return bad("a constant is too large");
        c.scalars = nullOf(m_, inst.type), c.undefined = inst.op == O::OpUndef;
        break;
      case O::OpSpecConstantOp: {
        if (inst.size() < 1) return bad("OpSpecConstantOp without an opcode");
        auto folded = foldConstant(m_, inst.type, static_cast<spv::Op>(inst.operand(0)), inst.operands.subspan(1));
        if (!folded) return folded.error();
        c = std::move(*folded);
        break;
      }
      default:
        if (inst.op == kOpConstantCompositeReplicate || inst.op == kOpSpecConstantCompositeReplicate) {
          ETZEL_TRY(replicate(inst, t, &c));
          break;
        }
        if (inst.op == kOpConstantSizeOf) {
          ETZEL_TRY(descriptorSize(t, &c));
          break;
        }
        if (inst.op == kOpConstantData || inst.op == kOpSpecConstantData) {
          ETZEL_TRY(constantData(inst, t, &c));
          break;
        }
        return Error{ErrorCode::Unsupported,
                     "SPIR-V constant opcode " + std::to_string(static_cast<uint32_t>(inst.op))};
    }
    if (t.isCooperative && c.scalars.size() == 1) c.scalars.assign(t.components, uint64_t(c.scalars[0]));
    const bool specializable =
        inst.op == O::OpSpecConstant || inst.op == O::OpSpecConstantTrue || inst.op == O::OpSpecConstantFalse;
    const Decorations& d = m_.decorationsOf(inst.result);
    if (specializable && d.has(spv::Decoration::SpecId)) {
      auto it = source_.specialization.find(d.get(spv::Decoration::SpecId));
      if (it != source_.specialization.end()) {
        uint64_t v = 0;
        std::memcpy(&v, it->second.data(), std::min<size_t>(it->second.size(), 8));
        if (t.kind == TypeKind::Bool)
          v = (v & 0xffffffffu) != 0;
        else if (t.width < 64)
          v &= (uint64_t(1) << t.width) - 1;
        c.scalars = {v};
      }
    }
    if (c.scalars.size() != t.components) return bad("a constant does not match its type");
    if ((constantScalars_ += c.scalars.size()) > kMaxConstantScalars) return bad("the constants are too large");
    if (d.get(spv::Decoration::BuiltIn, ~0u) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize))
      workgroupSize_ = inst.result;
    m_.constants[inst.result] = std::move(c);
    return {};
  }

  Result<void> descriptorSize(const Type& t, Constant* c) const {
    if (t.kind != TypeKind::Int || t.width < 32) return bad("a descriptor's size is not an integer of 32 or 64 bits");
    c->scalars = {abi::kDescriptorBytes};
    return {};
  }

  Result<void> replicate(const Instruction& inst, const Type& t, Constant* c) const {
    const Constant* part = m_.constant(inst.operand(0));
    if (!part || part->scalars.empty() || t.components % part->scalars.size() != 0)
      return bad("a replicated constant's part does not fit its type");
    if (t.components > kMaxConstantScalars) return bad("a constant is too large");
    while (c->scalars.size() < t.components)
      c->scalars.insert(c->scalars.end(), part->scalars.begin(), part->scalars.end());
    return {};
  }

  /// SPV_KHR_constant_data: the integers of an array without anything between them, the first in the lowest bits.
  Result<void> constantData(const Instruction& inst, const Type& t, Constant* c) const {
    const Type& element = m_.type(t.element);
    if (t.kind != TypeKind::Array || element.kind != TypeKind::Int) return bad("data are no array of integers");
    if (t.components > kMaxConstantScalars) return bad("a constant is too large");
    std::vector<uint32_t> words(inst.operands.begin(), inst.operands.end());
    const Decorations& d = m_.decorationsOf(inst.result);
    if (inst.op == kOpSpecConstantData && d.has(spv::Decoration::SpecId)) {
      // The data may be longer or shorter than the module's, as long as the array is as long.
      const auto it = source_.specialization.find(d.get(spv::Decoration::SpecId));
      if (it != source_.specialization.end()) {
        if (it->second.size() != uint64_t(t.count) * element.width / 8)
          return bad("specialized data have not the size of their array");
        words.assign((it->second.size() + 3) / 4, 0);
        std::memcpy(words.data(), it->second.data(), it->second.size());
      }
    }
    if (words.size() != constantDataWords(t.count, element.width)) return bad("data have not the size of their array");
    const uint32_t flip = mutated(Mutant::ConstantData) && element.width < 32 ? 32 - element.width : 0;
    for (uint64_t bit = 0; c->scalars.size() < t.count; bit += element.width) {
      uint64_t v = words[bit / 32] >> (bit % 32 ^ flip);
      if (element.width == 64) v |= uint64_t(words[bit / 32 + 1]) << 32;
      if (element.width < 32) v &= (uint64_t(1) << element.width) - 1;
      c->scalars.push_back(v);
    }
    return {};
  }

  Result<void> body(Instruction& inst) {
    using O = spv::Op;
    inst.line = line_, inst.scope = scope_;
    switch (inst.op) {
      case O::OpFunction: {
        Function f;
        f.id = inst.result, f.resultType = inst.type;
        function_ = &(m_.functions[inst.result] = std::move(f));
        open_ = false;
        return {};
      }
      case O::OpFunctionEnd:
        if (open_) return bad("a block has no terminator");
        function_ = nullptr, line_ = 0, scope_ = 0;
        return {};
      case O::OpVariable:
        if (!function_) {
          m_.variables.push_back(variableOf(inst));
          return {};
        }
        break;
      default: break;
    }
    if (inst.op == kOpUntypedVariable && !function_) {
      if (inst.size() == 1) {  // a heap
        m_.variables.push_back({inst.result, 0, 0, inst.type, static_cast<spv::StorageClass>(inst.operand(0))});
        return {};
      }
      if (!m_.types.count(inst.operand(1))) return bad("a variable has no type");
      m_.variables.push_back(
          {inst.result, inst.operand(1), inst.operand(2), inst.type, static_cast<spv::StorageClass>(inst.operand(0))});
      return {};
    }
    if (!function_) return extension(inst);
    if (inst.op == O::OpFunctionParameter) {
      function_->parameters.push_back(inst);
      return {};
    }
    if (inst.op == O::OpLabel) {
      if (open_) return bad("a block has no terminator");
      Block b;
      b.label = inst.result;
      if (!function_->blockIndex.emplace(b.label, static_cast<uint32_t>(function_->blocks.size())).second)
        return bad("a label is declared twice");
      function_->blocks.push_back(std::move(b));
      open_ = true;
      return {};
    }
    if (!open_) return bad("an instruction stands outside of a block");
    Block& block = function_->blocks.back();
    switch (inst.op) {
      case O::OpSelectionMerge:
      case O::OpLoopMerge: block.merge = inst; return {};
      case O::OpBranch:
      case O::OpBranchConditional:
      case O::OpSwitch:
      case O::OpReturn:
      case O::OpReturnValue:
      case O::OpKill:
      case O::OpUnreachable:
      case O::OpTerminateInvocation:
      case O::OpIgnoreIntersectionKHR:
      case O::OpTerminateRayKHR:
        block.terminator = inst;
        open_ = false, line_ = 0, scope_ = 0;
        return {};
      case O::OpExtInst: return extension(inst);
      default: break;
    }
    if (inst.op == kOpAbort) {
      block.terminator = inst;
      open_ = false, line_ = 0, scope_ = 0;
      return {};
    }
    block.code.push_back(inst);
    return {};
  }

  /// OpExtInst anywhere: debug information is taken here, the rest goes into its block.
  Result<void> extension(const Instruction& inst) {
    if (inst.op != spv::Op::OpExtInst)
      return bad("an instruction stands outside of a function: opcode " +
                 std::to_string(static_cast<uint32_t>(inst.op)));
    const std::string& set = m_.extendedSets[inst.operand(0)];
    const uint32_t id = inst.operand(0);
    const bool isBreak = id && id == m_.breakSet && inst.operand(1) == kDebugBreak;
    const bool isKept = isBreak || (id && id == m_.printSet);
    if (isKept && (!function_ || !open_)) return {};
    if (!isKept && (set.starts_with("NonSemantic.") || set.find("DebugInfo") != std::string::npos)) {
      if (inst.operand(0) == m_.debugInfoSet) {
        auto value = [&](size_t i) {
          const Constant* c = m_.constant(inst.operand(i));
          return c && !c->scalars.empty() ? static_cast<uint32_t>(c->scalars[0]) : 0u;
        };
        switch (inst.operand(1)) {
          case NonSemanticShaderDebugInfo100DebugSource: debugSources_[inst.result] = inst.operand(2); break;
          case NonSemanticShaderDebugInfo100DebugLine: line(debugSources_[inst.operand(2)], value(3), value(5)); break;
          case NonSemanticShaderDebugInfo100DebugNoLine: line_ = 0; break;
          case NonSemanticShaderDebugInfo100DebugScope: scope({inst.operand(2), inst.operand(3)}); break;
          case NonSemanticShaderDebugInfo100DebugNoScope: scope_ = 0; break;
          case NonSemanticShaderDebugInfo100DebugDeclare:
          case NonSemanticShaderDebugInfo100DebugValue:
            if (m_.keepsDebugValues && function_ && open_) function_->blocks.back().code.push_back(inst);
            break;
          default: break;
        }
      }
      return {};
    }
    if (!function_ || !open_) return bad("an extended instruction stands outside of a block");
    function_->blocks.back().code.push_back(inst);
    return {};
  }

  Variable variableOf(const Instruction& inst) const {
    const Type& t = m_.type(inst.type);
    return {inst.result, t.element, inst.operand(1), inst.type, static_cast<spv::StorageClass>(inst.operand(0))};
  }

  void line(uint32_t file, uint32_t lineNumber, uint32_t column) {
    const isa::SourceLocation location{m_.strings[file], lineNumber, column};
    if (m_.locations.empty() || !(m_.locations.back() == location)) m_.locations.push_back(location);
    line_ = static_cast<uint32_t>(m_.locations.size());
  }

  void scope(DebugScope s) {
    if (m_.debugScopes.empty() || !(m_.debugScopes.back() == s)) m_.debugScopes.push_back(s);
    scope_ = static_cast<uint32_t>(m_.debugScopes.size());
  }

  void finishModes() {
    for (std::vector<uint32_t>* operands : idModes_)
      for (uint32_t& id : *operands) {
        const Constant* c = m_.constant(id);
        id = c && !c->scalars.empty() ? static_cast<uint32_t>(c->scalars[0]) : 0;
      }
    for (auto mode : {spv::ExecutionMode::LocalSize, spv::ExecutionMode::LocalSizeId})
      if (m_.hasMode(mode))
        for (uint32_t i = 0; i < 3; ++i) m_.localSize[i] = m_.modeOperand(mode, i, 1);
    if (const Constant* c = m_.constant(workgroupSize_); c && c->scalars.size() == 3)
      for (uint32_t i = 0; i < 3; ++i) m_.localSize[i] = static_cast<uint32_t>(c->scalars[i]);
  }

  /// Strides and offsets that are constants' ids (SPV_EXT_descriptor_heap) become those of the ordinary decorations.
  void finishStrides() {
    for (auto& [id, d] : m_.decorations)
      if (const auto stride = d.entries.find(kArrayStrideId); stride != d.entries.end() && !stride->second.empty())
        d.entries[spv::Decoration::ArrayStride] = {static_cast<uint32_t>(knownNumber(stride->second[0]))};
    for (const auto& [type, member, id] : offsetIds_)
      m_.memberDecorations[{type, member}].entries[spv::Decoration::Offset] = {static_cast<uint32_t>(knownNumber(id))};
  }

  /// "VkPhysicalDeviceLimits": what spirv-val cannot know, specialization included.
  Result<void> checkWorkgroup() const {
    using M = spv::ExecutionModel;
    if (m_.model != M::GLCompute) return {};
    uint64_t invocations = 1;
    for (uint32_t n : m_.localSize) {
      if (n == 0) return bad("a workgroup has no invocations");
      if (n > abi::kMaxWorkgroupSize) return bad("an axis of the workgroup is larger than maxComputeWorkGroupSize");
      invocations *= n;
    }
    if (invocations > abi::kMaxWorkgroupInvocations)
      return bad("a workgroup has more invocations than maxComputeWorkGroupInvocations");
    return {};
  }

  const compiler::ShaderSource& source_;
  Module& m_;
  uint64_t constantScalars_ = 0;
  Function* function_ = nullptr;
  bool open_ = false;
  uint32_t line_ = 0, scope_ = 0, workgroupSize_ = 0;
  std::unordered_map<uint32_t, uint32_t> debugSources_;
  std::vector<std::vector<uint32_t>*> idModes_;
  std::vector<std::array<uint32_t, 3>> offsetIds_;  ///< structure, member, constant
};

}  // namespace

Result<std::unique_ptr<Module>> parse(const compiler::ShaderSource& source, bool keepDebugValues) {
  auto m = std::make_unique<Module>();
  m->keepsDebugValues = keepDebugValues;
  m->words.assign(source.spirv.begin(), source.spirv.end());
  // A module of the other byte order is legal SPIR-V.
  if (isSwapped(m->words))
    for (uint32_t& w : m->words) w = __builtin_bswap32(w);
  Result<void> done = Parser(source, *m).run();
  if (!done) return done.error();
  return m;
}

}  // namespace etzel::spirv
