#include "compiler/spirv/older.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compiler/spirv/newer.h"
#include "compiler/spirv/rewrite.h"

namespace etzel::spirv {
namespace {

using O = spv::Op;
using format::FloatEncoding;
constexpr uint32_t kStandInSize = 4;
constexpr uint64_t kMostConstituents = 64;  ///< that are written out: a few words must not ask for much memory

/// An extension that spirv-val knows by an older name only.
struct Renamed {
  std::string_view name, older;
};
constexpr Renamed kRenamed[] = {{"SPV_KHR_compute_shader_derivatives", "SPV_NV_compute_shader_derivatives"},
                                {"SPV_EXT_shader_subgroup_partitioned", "SPV_NV_shader_subgroup_partitioned"}};
constexpr size_t nameWords(std::string_view name) { return name.size() / 4 + 1; }
static_assert(std::all_of(std::begin(kRenamed), std::end(kRenamed),
                          [](const Renamed& r) { return nameWords(r.name) == nameWords(r.older); }));

const Renamed* renamed(Words inst) {
  if (opOf(inst) != O::OpExtension) return nullptr;
  const Renamed* const found = std::find_if(std::begin(kRenamed), std::end(kRenamed), [&](const Renamed& r) {
    return inst.size() == 1 + nameWords(r.name) && std::memcmp(&inst[1], r.name.data(), r.name.size() + 1) == 0;
  });
  return found == std::end(kRenamed) ? nullptr : found;
}

bool isNewerCapability(Words inst) {
  return opOf(inst) == O::OpCapability && inst.size() == 2 && isBeyondValidator(static_cast<spv::Capability>(inst[1]));
}

/// What is asked of a type.
struct SeenType {
  O op = O::OpNop;
  uint32_t element = 0;           ///< of vectors, matrices, arrays, pointers
  uint32_t number = 0;            ///< components of a vector, columns, the id of an array's length
  std::vector<uint32_t> members;  ///< of structures
  bool isWide = false;            ///< an ordinary vector stands in for it
};

class Rewriter : Declared<SeenType> {
 public:
  explicit Rewriter(std::span<const uint32_t> words)
      : words_(words), out_(words.begin(), words.begin() + kHeaderWords) {}

  Result<std::vector<uint32_t>> run() {
    const Result<bool> whole = visitTwice(
        words_, [&](Words inst) { declare(inst); }, [&](Words inst) { return write(inst); });
    if (!whole) return whole.error();
    if (!*whole) return std::vector<uint32_t>();  // spirv-val knows why
    return std::move(out_);
  }

 private:
  void declare(Words inst) {
    const O op = opOf(inst);
    const auto word = [&](size_t i) { return i < inst.size() ? inst[i] : 0u; };
    if (op == kOpTypeVectorId || op == kOpTypeCooperativeMatrix) {
      types_[word(1)] = {op, word(2), 0, {}, true};
    } else if (op == O::OpTypeVector || op == O::OpTypeMatrix || op == O::OpTypeArray || op == O::OpTypeRuntimeArray) {
      const bool isLong = op == O::OpTypeVector && longVectors_ && (word(3) < 2 || word(3) > 4);
      types_[word(1)] = {op, word(2), word(3), {}, isLong};
    } else if (op == O::OpCapability) {
      capabilities_.insert(word(1));
      tileImages_ |= word(1) == uint32_t(kTileImageColor);
      depthReads_ |= word(1) == uint32_t(kTileImageDepth), stencilReads_ |= word(1) == uint32_t(kTileImageStencil);
      longVectors_ |= word(1) == uint32_t(kLongVector), quadControl_ |= word(1) == uint32_t(kQuadControl);
    } else if (op == O::OpTypeFloat || op == O::OpTypeInt) {
      types_[word(1)] = {op, 0, word(2), {}, false};
      if (op == O::OpTypeFloat && inst.size() > 3)
        if (const auto encoding = floatEncoding(word(2), word(3))) encoded_[word(1)] = *encoding;
    } else if (op == O::OpTypeImage) {
      const bool isTile = word(3) == uint32_t(kTileImageData);
      types_[word(1)] = {isTile ? op : O::OpNop, word(2), word(3), {}, false};
    } else if (op == O::OpTypeBool) {
      types_[word(1)] = {op, 0, 0, {}, false};
    } else if (op == O::OpEntryPoint) {
      models_[word(2)] = static_cast<spv::ExecutionModel>(word(1));
    } else if (op == O::OpTypePointer) {
      types_[word(1)] = {op, word(3), 0, {}, false};
    } else if (op == O::OpTypeStruct) {
      types_[word(1)] = {op, 0, 0, {inst.begin() + std::min<size_t>(2, inst.size()), inst.end()}, false};
    } else {
      bool hasResult = false, hasType = false;
      hasResultAndType(op, &hasResult, &hasType);
      if (hasResult && hasType && inst.size() > 2) typeOf_[inst[2]] = inst[1];
      if (op == O::OpVariable && word(3) == uint32_t(kTileImage)) tileVariables_.insert(word(2));
      if (op == O::OpConstant) constants_[word(2)] = word(3);
      if (op == O::OpFConvert || op == O::OpConvertSToF || op == O::OpConvertUToF) toFloat_.insert(word(2));
      if (op == O::OpDecorationGroup) groups_.insert(word(1));
      if (op == kOpSpecConstantData) data_.insert(word(2));
      if (op == O::OpDecorate && word(2) == uint32_t(spv::Decoration::ArrayStride)) strided_.insert(word(1));
    }
  }

  bool isWideValue(uint32_t value) const { return type(typeIdOf(value)).isWide; }
  uint32_t standIn(uint32_t id) const {
    auto it = standIn_.find(id);
    return it == standIn_.end() ? id : it->second;
  }

  void put(O op, std::initializer_list<uint32_t> operands) { putInstruction(out_, op, operands); }
  /// The instruction with stand-ins for types: the result's, those that types are made of, those that are named.
  void keep(Words inst) {
    const size_t first = out_.size();
    out_.insert(out_.end(), inst.begin(), inst.end());
    const O op = opOf(inst);
    bool hasResult = false, hasType = false;
    hasResultAndType(op, &hasResult, &hasType);
    const bool names = op == O::OpName || op == O::OpDecorate || op == O::OpDecorateId || op == O::OpDecorateString;
    const bool isType = uint32_t(op) >= uint32_t(O::OpTypeVoid) && uint32_t(op) <= uint32_t(O::OpTypeFunction);
    if ((hasType || names) && inst.size() > 1) out_[first + 1] = standIn(inst[1]);
    if (op == O::OpFunction && inst.size() > 4) out_[first + 4] = standIn(inst[4]);
    const bool isNumber = op == O::OpTypeInt || op == O::OpTypeFloat || op == O::OpTypeImage;
    for (size_t i = 2; isType && !isNumber && i < inst.size(); ++i) out_[first + i] = standIn(inst[i]);
  }
  /// Another name for a value, so that it must be defined and have a type.
  void mention(uint32_t value) { put(O::OpCopyObject, {standIn(typeIdOf(value)), out_[3]++, value}); }
  /// An undefined value behind mentions of the operands from word `first` up to `end`.
  Result<void> opaque(Words inst, size_t first, size_t end) {
    for (size_t i = first; i < std::min(end, inst.size()); ++i) mention(inst[i]);
    put(O::OpUndef, {standIn(inst[1]), inst[2]});
    return {};
  }

  Result<void> write(Words inst) {
    const O op = opOf(inst);
    if (isNewerCapability(inst)) {
      // What is converted may be in memory only, where undefined values could not stand for it.
      const auto given = static_cast<spv::Capability>(inst[1]);
      const bool hasSmall = given == kFloat8 || given == kFloat8Matrix;
      if (hasSmall || given == kBrainFloat || given == kBrainFloatDot || given == kBrainFloatMatrix)
        for (const auto c : {spv::Capability::Int16, spv::Capability::Float16}) put(O::OpCapability, {uint32_t(c)});
      if (hasSmall) put(O::OpCapability, {uint32_t(spv::Capability::Int8)});
      return {};
    }
    if ((!encoded_.empty() || tileImages_) && !hasExtension_ && op != O::OpCapability) ignoreDuplicates();
    if (op == O::OpTypeFloat && inst.size() > 3) return encodedType(inst);
    if (isOfEncoded(inst)) return ofEncoded(inst);
    if (op == O::OpDecorate && inst.size() > 2 && inst[2] == uint32_t(kSaturatedToLargestFloat8))
      return saturates(inst);
    if (op == O::OpVariable && inst.size() > 3 && !encoded_.empty()) {
      // "Standalone SPIR-V Validation", OpTypeFloat.
      const auto storage = static_cast<spv::StorageClass>(inst[3]);
      std::unordered_set<uint32_t> seen;
      if ((storage == spv::StorageClass::Input || storage == spv::StorageClass::Output) &&
          holdsEncoded(type(inst[1]).element, &seen))
        return badModule("bfloat16 or floats of 8 bits between stages");
    }
    if (const Renamed* r = renamed(inst)) return rename(inst, *r);
    if (op == kOpColorAttachmentRead || op == kOpDepthAttachmentRead || op == kOpStencilAttachmentRead)
      return readsAttachment(inst);
    if (tileImages_ && ofTileImages(inst)) return tileImage(inst);
    if (op == kOpTypeVectorId || op == kOpTypeCooperativeMatrix || op == O::OpTypeVector) return vectorType(inst);
    if (op == O::OpTypeFunction) return functionType(inst);
    if (op == kOpConstantCompositeReplicate || op == kOpSpecConstantCompositeReplicate ||
        op == kOpCompositeConstructReplicate)
      return replicate(inst);
    if (op == kOpFma) return fma(inst);
    if (op == kOpConstantData || op == kOpSpecConstantData) return constantData(inst);
    if (op == kOpAbort) return abort(inst);
    if (op == O::OpDecorate && inst.size() > 2 && ofData(inst)) return decoratesData(inst);
    if (op == kOpGroupNonUniformQuadAll || op == kOpGroupNonUniformQuadAny) return quadVote(inst);
    if (op == O::OpExecutionMode) return executionMode(inst);
    if (op == kOpCooperativeMatrixStore) {
      if (inst.size() < 4) return badModule("a cooperative matrix's store is too short");
      mention(inst[1]), mention(inst[2]);
      return {};
    }
    if (op == kOpCooperativeMatrixLoad || op == kOpCooperativeMatrixMulAdd || op == kOpCooperativeMatrixLength) {
      const size_t values = op == kOpCooperativeMatrixLoad ? 1 : op == kOpCooperativeMatrixMulAdd ? 3 : 0;
      if (inst.size() < 4 || inst.size() < 3 + values)
        return badModule("an instruction of cooperative matrices is too short");
      return opaque(inst, 3, 3 + values);
    }
    if (uint32_t(op) >= uint32_t(kOpCooperativeVectorMatrixMul) &&
        uint32_t(op) <= uint32_t(kOpCooperativeMatrixTranspose))
      if (const OfTensors* row = ofTensors(op)) return tensor(inst, *row);
    return ofWideValues(inst);
  }

  /// An instruction of SPV_NV_cooperative_matrix2, SPV_NV_tensor_addressing or SPV_NV_cooperative_vector.
  struct OfTensors {
    O op;
    uint32_t first, values;  ///< where values stand; kToTheEnd of them: to the end
    bool hasResult = true, isType = false;
  };
  static constexpr uint32_t kToTheEnd = ~0u;
  static const OfTensors* ofTensors(O op) {
    static constexpr OfTensors kAll[] = {
        {kOpTypeTensorLayout, 2, kToTheEnd, true, true},
        {kOpTypeTensorView, 2, kToTheEnd, true, true},
        {kOpCooperativeMatrixConvert, 3, 1},
        {kOpCooperativeMatrixTranspose, 3, 1},
        {kOpCooperativeMatrixReduce, 3, 1},      // then a mask and a function
        {kOpCooperativeMatrixPerElement, 3, 1},  // then a function and further values
        {kOpCooperativeMatrixLoadTensor, 3, 3},  // then two masks with what they ask for
        {kOpCooperativeMatrixStoreTensor, 1, 3, false},
        {kOpCreateTensorLayout, 3, 0},
        {kOpCreateTensorView, 3, 0},
        {kOpTensorLayoutSetDimension, 3, kToTheEnd},
        {kOpTensorLayoutSetStride, 3, kToTheEnd},
        {kOpTensorLayoutSlice, 3, kToTheEnd},
        {kOpTensorLayoutSetClampValue, 3, kToTheEnd},
        {kOpTensorLayoutSetBlockSize, 3, kToTheEnd},
        {kOpTensorViewSetDimension, 3, kToTheEnd},
        {kOpTensorViewSetStride, 3, kToTheEnd},
        {kOpTensorViewSetClip, 3, kToTheEnd},
        {kOpCooperativeVectorLoad, 3, 2},           // then memory operands
        {kOpCooperativeVectorStore, 1, 3, false},   // then memory operands
        {kOpCooperativeVectorMatrixMul, 3, 9},      // then a stride and a mask
        {kOpCooperativeVectorMatrixMulAdd, 3, 12},  // then a stride and a mask
        {kOpCooperativeVectorOuterProductAccumulate, 1, kToTheEnd, false},
        {kOpCooperativeVectorReduceSumAccumulate, 1, 3, false},
    };
    const auto at = std::find_if(std::begin(kAll), std::end(kAll), [&](const OfTensors& row) { return row.op == op; });
    return at == std::end(kAll) ? nullptr : at;
  }
  Result<void> tensor(Words inst, const OfTensors& row) {
    const bool toTheEnd = row.values == kToTheEnd;
    size_t end = toTheEnd ? inst.size() : row.first + row.values;
    const bool isReduction = row.op == kOpCooperativeMatrixReduce,
               isPerElement = row.op == kOpCooperativeMatrixPerElement;
    if (inst.size() < end + (isReduction ? 2 : isPerElement ? 1 : 0) || inst.size() < row.first + (toTheEnd ? 1 : 0))
      return badModule("an instruction of cooperative matrices, vectors or tensors is too short");
    if (row.isType) {
      for (size_t i = row.first; i < end; ++i)
        if (!typeIdOf(inst[i])) return badModule("a tensor's type is made of something that is not a constant");
      put(O::OpTypeStruct, {inst[1], typeIdOf(inst[2])});
      return {};
    }
    const bool multiplies = row.op == kOpCooperativeVectorMatrixMul || row.op == kOpCooperativeVectorMatrixMulAdd;
    if (multiplies && inst.size() > end) mention(inst[end]);  // the stride
    if (row.op == kOpCooperativeMatrixLoadTensor || row.op == kOpCooperativeMatrixStoreTensor) {
      const TensorOperands t = tensorOperands(inst, end);
      if (!t.isWhole) return badModule("a tensor's load or store lacks operands");
      if (t.view) mention(t.view);
    }
    for (size_t i = end + 1; isPerElement && i < inst.size(); ++i)
      if (type(typeIdOf(inst[i])).op != O::OpTypePointer) mention(inst[i]);
    if (row.hasResult) return opaque(inst, row.first, end);
    for (size_t i = row.first; i < end; ++i) mention(inst[i]);
    return {};
  }

  /// Lets spirv-val see one type of integers twice, since bfloat16 is another one and so are floats of 8 bits, and one
  /// of images, since those of tiles are others.
  void ignoreDuplicates() {
    constexpr char kName[] = "SPV_VALIDATOR_ignore_type_decl_unique";
    constexpr size_t kWords = sizeof kName / 4 + 1;
    hasExtension_ = true;
    out_.push_back(uint32_t(kWords + 1) << 16 | uint32_t(O::OpExtension));
    const size_t first = out_.size();
    out_.resize(first + kWords);
    std::memcpy(&out_[first], kName, sizeof kName);
  }

  bool declares(std::initializer_list<spv::Capability> anyOf) const {
    return std::any_of(anyOf.begin(), anyOf.end(), [&](spv::Capability c) { return capabilities_.count(uint32_t(c)); });
  }
  Result<void> encodedType(Words inst) {
    if (inst.size() != 4 || !encoded_.count(inst[1])) return badModule("a float type has an unknown encoding");
    const bool declared = isBrain(inst[1]) ? declares({kBrainFloat, kBrainFloatDot, kBrainFloatMatrix})
                                           : declares({kFloat8, kFloat8Matrix});
    if (!declared) return badModule("a float type lacks the capability of its encoding");
    put(O::OpTypeInt, {inst[1], inst[2], 0});
    return {};
  }
  uint32_t scalarTypeOf(uint32_t typeId) const {
    const SeenType& t = type(typeId);
    return t.op == O::OpTypeVector || t.op == kOpTypeVectorId ? t.element : typeId;
  }
  bool isCooperative(uint32_t typeId) const { return type(typeId).op == kOpTypeCooperativeMatrix; }
  /// The same of cooperative matrices, too.
  uint32_t numberTypeOf(uint32_t typeId) const {
    return isCooperative(typeId) ? type(typeId).element : scalarTypeOf(typeId);
  }
  FloatEncoding encodingOf(uint32_t typeId) const {
    const auto it = encoded_.find(numberTypeOf(typeId));
    return it == encoded_.end() ? FloatEncoding::Ieee : it->second;
  }
  bool isEncoded(uint32_t typeId) const { return encodingOf(typeId) != FloatEncoding::Ieee; }
  bool isBrain(uint32_t typeId) const { return encodingOf(typeId) == FloatEncoding::Brain; }
  bool holdsEncoded(uint32_t typeId, std::unordered_set<uint32_t>* seen) const {
    if (encoded_.count(typeId)) return true;
    if (!seen->insert(typeId).second) return false;
    const SeenType& t = type(typeId);
    return (t.element && holdsEncoded(t.element, seen)) ||
           std::any_of(t.members.begin(), t.members.end(), [&](uint32_t m) { return holdsEncoded(m, seen); });
  }
  /// Whether the instruction computes with bfloat16 or floats of 8 bits.
  bool isOfEncoded(Words inst) const {
    const auto code = uint32_t(opOf(inst));
    const bool computes = code >= uint32_t(O::OpConvertFToU) && code <= uint32_t(O::OpFwidthCoarse) &&
                          opOf(inst) != O::OpBitcast && opOf(inst) != O::OpSelect;
    if (!computes || encoded_.empty() || inst.size() < 4) return false;
    return isEncoded(inst[1]) || isEncoded(typeIdOf(inst[3]));
  }
  /// SPV_KHR_bfloat16 and SPV_EXT_float8, "Universal Validation Rules": conversions, and OpDot of the former.
  Result<void> ofEncoded(Words inst) {
    const O op = opOf(inst);
    const uint32_t operand = typeIdOf(inst[3]), to = numberTypeOf(inst[1]), from = numberTypeOf(operand);
    const auto components = [&](uint32_t id) { return numberTypeOf(id) == id ? 1 : type(id).number; };
    if (op == O::OpDot) {
      if (inst.size() != 5 || !isBrain(from) || !declares({kBrainFloatDot}) || typeIdOf(inst[4]) != operand ||
          from == operand || inst[1] != from || isCooperative(operand))
        return badModule("a dot product of bfloat16 is not of two equal vectors");
      return opaque(inst, 3, 5);
    }
    const O wantedFrom = op == O::OpConvertSToF || op == O::OpConvertUToF ? O::OpTypeInt : O::OpTypeFloat;
    const O wantedTo = op == O::OpConvertFToS || op == O::OpConvertFToU ? O::OpTypeInt : O::OpTypeFloat;
    const bool converts = wantedFrom == O::OpTypeInt || wantedTo == O::OpTypeInt || op == O::OpFConvert;
    if (!converts || inst.size() != 4 || type(from).op != wantedFrom || type(to).op != wantedTo || from == to ||
        components(inst[1]) != components(operand) || isCooperative(inst[1]) != isCooperative(operand))
      return badModule("bfloat16 and floats of 8 bits are not for this instruction");
    return opaque(inst, 3, 4);
  }
  /// "SaturatedToLargestFloat8NormalConversionEXT", which spirv-val does not see: of conversions to floats of 8 bits.
  Result<void> saturates(Words inst) const {
    const uint32_t to = typeIdOf(inst[1]);
    if (inst.size() == 3 && groups_.count(inst[1])) return {};
    if (inst.size() != 3 || !toFloat_.count(inst[1]) || !isEncoded(to) || isBrain(to))
      return badModule("what should saturate is no conversion to floats of 8 bits");
    return {};
  }

  Result<void> rename(Words inst, const Renamed& r) {
    const size_t first = out_.size();
    keep(inst);
    std::fill(out_.begin() + std::ptrdiff_t(first + 1), out_.end(), 0);
    std::memcpy(&out_[first + 1], r.older.data(), r.older.size());
    return {};
  }

  /// One vector of four for each kind of component, declared where the first that it stands for is.
  Result<void> vectorType(Words inst) {
    if (inst.size() < 4) return badModule("a vector's type is too short");
    const bool isWide = type(inst[1]).isWide;
    if (!isWide && inst[3] != kStandInSize) {
      keep(inst);
      return {};
    }
    if (isCooperative(inst[1]) && isEncoded(inst[1]) &&
        !declares({isBrain(inst[1]) ? kBrainFloatMatrix : kFloat8Matrix}))
      return badModule("a cooperative matrix of bfloat16 or floats of 8 bits lacks its capability");
    for (size_t i = 3; isWide && opOf(inst) != O::OpTypeVector && i < inst.size(); ++i)
      if (!typeIdOf(inst[i])) return badModule("the size of a vector or matrix is not a constant");
    const auto [it, isFirst] = vectors_.try_emplace(inst[2], inst[1]);
    standIn_[inst[1]] = it->second;
    if (isFirst) put(O::OpTypeVector, {inst[1], inst[2], kStandInSize});
    return {};
  }

  /// Function types that differ in what stands for the same are one.
  Result<void> functionType(Words inst) {
    if (inst.size() < 3) return badModule("a function's type is too short");
    std::vector<uint32_t> parts;
    for (uint32_t id : inst.subspan(2)) parts.push_back(standIn(id));
    const bool isOriginal = std::equal(parts.begin(), parts.end(), inst.begin() + 2);
    const auto [it, isFirst] = functions_.try_emplace(std::move(parts), inst[1]);
    if (isFirst || isOriginal)
      keep(inst);
    else
      standIn_[inst[1]] = it->second;
    return {};
  }

  /// Constituents that a type is made of; 0: not a composite, or not known.
  uint64_t constituents(const SeenType& t) const {
    if (t.op == O::OpTypeStruct) return t.members.size();
    if (t.op == O::OpTypeVector || t.op == O::OpTypeMatrix) return t.number;
    const auto length = constants_.find(t.number);
    return t.op == O::OpTypeArray && length != constants_.end() ? length->second : 0;
  }
  Result<void> replicate(Words inst) {
    if (inst.size() != 4) return badModule("a replicated composite has not one part");
    const bool isConstant = opOf(inst) != kOpCompositeConstructReplicate;
    const uint64_t count = constituents(type(inst[1]));
    if (!typeIdOf(inst[3])) return badModule("a replicated composite's part is not a value");
    if (count == 0 || count > kMostConstituents) {
      if (isConstant) return put(O::OpConstantNull, {standIn(inst[1]), inst[2]}), Result<void>();
      return opaque(inst, 3, 4);
    }
    const O op = isConstant ? O::OpConstantComposite : O::OpCompositeConstruct;
    out_.push_back(uint32_t(count + 3) << 16 | uint32_t(op));
    out_.insert(out_.end(), {standIn(inst[1]), inst[2]});
    out_.insert(out_.end(), count, inst[3]);
    return {};
  }

  Result<void> fma(Words inst) {
    if (inst.size() != 6) return badModule("a fused multiply-add has not three operands");
    const uint32_t sum = out_[3]++;
    put(O::OpFAdd, {standIn(inst[1]), sum, inst[3], inst[4]});
    put(O::OpFAdd, {standIn(inst[1]), inst[2], sum, inst[5]});
    return {};
  }

  /// SPV_KHR_constant_data: zeros of the same type.
  Result<void> constantData(Words inst) {
    const SeenType& t = type(inst.size() > 2 ? inst[1] : 0);
    const SeenType& element = type(t.element);
    if (t.op != O::OpTypeArray || element.op != O::OpTypeInt) return badModule("data are no array of integers");
    if (strided_.count(inst[1])) return badModule("the array of data has a stride");
    // Lengths that are specialized are looked at when they are known.
    const auto length = constants_.find(t.number);
    if (length != constants_.end() && inst.size() - 3 != constantDataWords(length->second, element.number))
      return badModule("data have not the size of their array");
    put(O::OpConstantNull, {inst[1], inst[2]});
    return {};
  }
  /// Whether spirv-val would not know what a decoration has to do with data.
  bool ofData(Words inst) const {
    const auto decoration = static_cast<spv::Decoration>(inst[2]);
    return decoration == kUtfEncoded || (decoration == spv::Decoration::SpecId && data_.count(inst[1]));
  }
  Result<void> decoratesData(Words inst) const {
    if (static_cast<spv::Decoration>(inst[2]) == spv::Decoration::SpecId) {
      if (inst.size() != 4) return badModule("a SpecId has not one number");
      return {};
    }
    const SeenType& element = type(type(inst[1]).element);
    if (type(inst[1]).op != O::OpTypeArray || element.op != O::OpTypeInt || element.number != 8)
      return badModule("UTFEncodedKHR is not for an array of integers of 8 bits");
    return {};
  }

  /// "OpCopyLogical": whether types are the same but for decorations. Pairs that were `seen` count as such, since the
  /// same types may be members many times over.
  bool match(uint32_t a, uint32_t b, std::set<std::pair<uint32_t, uint32_t>>* seen) const {
    const SeenType &x = type(a), &y = type(b);
    if (a == b || !seen->insert({a, b}).second) return true;
    if (x.op == O::OpTypeArray && y.op == x.op) {
      const auto m = constants_.find(x.number), n = constants_.find(y.number);
      const bool known = m != constants_.end() && n != constants_.end();
      return (x.number == y.number || (known && m->second == n->second)) && match(x.element, y.element, seen);
    }
    const auto same = [&](uint32_t m, uint32_t n) { return match(m, n, seen); };
    return x.op == O::OpTypeStruct && y.op == x.op &&
           std::equal(x.members.begin(), x.members.end(), y.members.begin(), y.members.end(), same);
  }
  /// Whether values of a type have bytes: numbers, and what is made of them.
  bool isConcrete(uint32_t typeId, std::unordered_set<uint32_t>* seen) const {
    const SeenType& t = type(typeId);
    if (!seen->insert(typeId).second) return true;
    if (t.op == O::OpTypeStruct)
      return std::all_of(t.members.begin(), t.members.end(), [&](uint32_t m) { return isConcrete(m, seen); });
    if (t.op == O::OpTypeVector || t.op == kOpTypeVectorId || t.op == O::OpTypeMatrix || t.op == O::OpTypeArray)
      return isConcrete(t.element, seen);
    return t.op == O::OpTypeInt || t.op == O::OpTypeFloat || t.op == O::OpTypePointer;
  }
  /// SPV_KHR_abort: nothing goes on behind it.
  Result<void> abort(Words inst) {
    if (inst.size() != 3) return badModule("an abort has not a type and a message");
    const uint32_t given = typeIdOf(inst[2]);
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    std::unordered_set<uint32_t> seen;
    if (!given || !match(inst[1], given, &pairs))
      return badModule("an abort's message is not of the type that it names");
    if (!isConcrete(inst[1], &seen)) return badModule("an abort's message has parts without bytes");
    mention(inst[2]);
    put(O::OpUnreachable, {});
    return {};
  }

  Result<void> quadVote(Words inst) {
    if (inst.size() != 4 || type(inst[1]).op != O::OpTypeBool || type(typeIdOf(inst[3])).op != O::OpTypeBool)
      return badModule("a vote of a quad is not of one boolean");
    return opaque(inst, 3, 4);
  }

  Result<void> executionMode(Words inst) {
    const auto mode = static_cast<spv::ExecutionMode>(inst.size() == 3 ? inst[2] : 0);
    if (mode == kNonCoherentColorRead || mode == kNonCoherentDepthRead || mode == kNonCoherentStencilRead) {
      const auto model = models_.find(inst[1]);
      if (model == models_.end() || model->second != spv::ExecutionModel::Fragment)
        return badModule("only fragment shaders read attachments");
      return {};
    }
    if (mode == kRequireFullQuads || mode == kQuadDerivatives) {
      const auto model = models_.find(inst[1]);
      if (!quadControl_ || model == models_.end() ||
          (mode == kRequireFullQuads && model->second != spv::ExecutionModel::Fragment))
        return badModule("an execution mode of quads is not for this entry point");
      return {};
    }
    keep(inst);
    return {};
  }

  // SPV_EXT_shader_tile_image. Tile images become textures of a set that nothing else is asked of.
  bool isTileImageType(uint32_t typeId) const {
    const SeenType& t = type(typeId);
    return t.op == O::OpTypeImage && t.number == uint32_t(kTileImageData);
  }
  bool ofTileImages(Words inst) const {
    switch (opOf(inst)) {
      case O::OpTypeImage: return inst.size() > 3 && inst[3] == uint32_t(kTileImageData);
      case O::OpTypePointer: return inst.size() == 4 && inst[2] == uint32_t(kTileImage);
      case O::OpVariable: return inst.size() > 3 && inst[3] == uint32_t(kTileImage);
      case O::OpDecorate: return inst.size() > 2 && tileVariables_.count(inst[1]);
      case O::OpEntryPoint: return words_[1] < 0x10400;  // whose interface has inputs and outputs alone
      default: return false;
    }
  }
  Result<void> tileImage(Words inst) {
    switch (opOf(inst)) {
      case O::OpTypeImage:
        // Not of depth, arrayed or multisampled, read without a sampler, and without a format.
        if (inst.size() != 9 || inst[4] || inst[5] || inst[6] || inst[7] != 2 || inst[8])
          return badModule("a tile image has properties of other images");
        put(O::OpTypeImage, {inst[1], inst[2], uint32_t(spv::Dim::Dim2D), 0, 0, 0, 1, 0});
        return {};
      case O::OpTypePointer:
        put(O::OpTypePointer, {inst[1], uint32_t(spv::StorageClass::UniformConstant), inst[3]});
        return {};
      case O::OpVariable: {
        const uint32_t pointee = type(inst[1]).element;
        const SeenType& t = type(pointee);
        if (inst.size() != 4 || !isTileImageType(t.op == O::OpTypeArray ? t.element : pointee))
          return badModule("a variable of TileImageEXT is no tile image");
        put(O::OpVariable, {inst[1], inst[2], uint32_t(spv::StorageClass::UniformConstant)});
        return {};
      }
      case O::OpDecorate:
        if (inst[2] == uint32_t(spv::Decoration::Component)) return badModule("a tile image has a component");
        if (inst[2] != uint32_t(spv::Decoration::Location) || inst.size() != 4) return keep(inst), Result<void>();
        put(O::OpDecorate, {inst[1], uint32_t(spv::Decoration::DescriptorSet), 0});
        put(O::OpDecorate, {inst[1], uint32_t(spv::Decoration::Binding), inst[3]});
        return {};
      default: return withoutTileImages(inst);
    }
  }
  /// An entry point whose interface does not name tile images.
  Result<void> withoutTileImages(Words inst) {
    const size_t first = out_.size();
    size_t at = 3;
    const auto holdsZero = [](uint32_t w) { return ((w - 0x01010101) & ~w & 0x80808080) != 0; };  // a byte of the four
    while (at < inst.size() && !holdsZero(inst[at])) ++at;
    keep(inst);
    out_.resize(first + std::min(at + 1, inst.size()));
    for (size_t i = at + 1; i < inst.size(); ++i)
      if (!tileVariables_.count(inst[i])) out_.push_back(inst[i]);
    out_[first] = uint32_t(out_.size() - first) << 16 | uint32_t(O::OpEntryPoint);
    return {};
  }
  Result<void> readsAttachment(Words inst) {
    const O op = opOf(inst);
    const size_t first = op == kOpColorAttachmentRead ? 4 : 3;
    if (inst.size() < first || inst.size() > first + 1) return badModule("a read of an attachment has odd operands");
    const uint32_t image = op == kOpColorAttachmentRead ? typeIdOf(inst[3]) : 0;
    const bool declared = op == kOpColorAttachmentRead   ? tileImages_
                          : op == kOpDepthAttachmentRead ? depthReads_
                                                         : stencilReads_;
    if (!declared) return badModule("a read of an attachment lacks its capability");
    const SeenType &result = type(inst[1]), &scalar = type(scalarTypeOf(inst[1]));
    bool fits = scalar.number == 32 && result.op != O::OpTypeVector;
    if (op == kOpDepthAttachmentRead) fits &= scalar.op == O::OpTypeFloat;
    if (op == kOpStencilAttachmentRead) fits &= scalar.op == O::OpTypeInt;
    if (op == kOpColorAttachmentRead) fits = isTileImageType(image) && type(image).element == scalarTypeOf(inst[1]);
    if (!fits) return badModule("a read of an attachment does not fit what it reads");
    if (inst.size() > first && type(typeIdOf(inst[first])).op != O::OpTypeInt)
      return badModule("a read of an attachment has a sample that is no integer");
    return opaque(inst, 3, inst.size());
  }

  /// Literal indices of a composite, those of wide vectors folded into the stand-in.
  Result<void> path(Words inst, uint32_t typeId, size_t first) {
    const size_t begin = out_.size();
    keep(inst);
    for (size_t i = first; i < inst.size(); ++i) {
      const SeenType& t = type(typeId);
      if (t.isWide) out_[begin + i] %= kStandInSize;
      typeId = t.op == O::OpTypeStruct ? (inst[i] < t.members.size() ? t.members[inst[i]] : 0) : t.element;
    }
    return {};
  }

  /// Ordinary instructions, some of which count the components of a vector.
  Result<void> ofWideValues(Words inst) {
    const O op = opOf(inst);
    const auto wideAt = [&](size_t i) { return i < inst.size() && isWideValue(inst[i]); };
    const bool wideResult = inst.size() > 2 && isWideValue(inst[2]);
    switch (op) {
      case O::OpConstantComposite:
      case O::OpSpecConstantComposite:
      case O::OpSpecConstantOp:
        if (!wideResult && !(op == O::OpSpecConstantOp && (wideAt(4) || wideAt(5)))) break;
        for (size_t i = 3; op != O::OpSpecConstantOp && i < inst.size(); ++i)
          if (!typeIdOf(inst[i])) return badModule("a constant's part is not a value");
        put(O::OpConstantNull, {standIn(inst[1]), inst[2]});
        return {};
      case O::OpCompositeConstruct:
        for (size_t i = 3; i < inst.size(); ++i)
          if (wideResult || (wideAt(i) && type(inst[1]).op == O::OpTypeVector)) return opaque(inst, 3, inst.size());
        break;
      case O::OpCompositeExtract:
        if (inst.size() > 3) return path(inst, typeIdOf(inst[3]), 4);
        break;
      case O::OpCompositeInsert:
        if (inst.size() > 4) return path(inst, inst[1], 5);
        break;
      case O::OpVectorShuffle:
      case O::OpBitcast:
      case O::OpMatrixTimesScalar:
        if (wideResult || wideAt(3) || (op == O::OpVectorShuffle && wideAt(4)))
          return opaque(inst, 3, op == O::OpBitcast ? 4 : 5);
        break;
      default: break;
    }
    keep(inst);
    return {};
  }

  std::span<const uint32_t> words_;
  std::vector<uint32_t> out_;  ///< out_[3] is the bound
  bool longVectors_ = false;   ///< ordinary vectors may have other sizes than 2 to 4
  bool tileImages_ = false, depthReads_ = false, stencilReads_ = false;  ///< capabilities of tile images
  std::unordered_set<uint32_t> tileVariables_;
  bool quadControl_ = false, hasExtension_ = false;
  std::unordered_set<uint32_t> capabilities_;
  std::unordered_map<uint32_t, FloatEncoding> encoded_;       ///< types of floats that are not of IEEE 754
  std::unordered_set<uint32_t> toFloat_;                      ///< conversions to floats
  std::unordered_set<uint32_t> groups_;                       ///< of decorations
  std::unordered_set<uint32_t> data_;                         ///< OpSpecConstantDataKHR
  std::unordered_set<uint32_t> strided_;                      ///< types with an ArrayStride
  std::unordered_map<uint32_t, spv::ExecutionModel> models_;  ///< of entry points
  std::unordered_map<uint32_t, uint32_t> constants_;
  std::unordered_map<uint32_t, uint32_t> vectors_;  ///< component type -> vector of four
  /// Wide vector, another of four, function type -> the one that is declared.
  std::unordered_map<uint32_t, uint32_t> standIn_;
  std::map<std::vector<uint32_t>, uint32_t> functions_;  ///< result and parameters -> function type
};

}  // namespace

Result<std::vector<uint32_t>> inOlderWords(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords) return std::vector<uint32_t>();
  bool any = false;
  forEach(words, [&](Words inst) {
    any |= renamed(inst) || isNewerCapability(inst);
    return !any && (opOf(inst) == O::OpCapability || opOf(inst) == O::OpExtension);
  });
  if (!any) return std::vector<uint32_t>();
  return Rewriter(words).run();
}

}  // namespace etzel::spirv
