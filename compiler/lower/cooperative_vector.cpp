// Cooperative vectors (SPV_NV_cooperative_vector): vectors of any length that belong to one invocation, so all that
// goes component by component is ordinary code. Here are their loads and stores, products with matrices that lie in
// memory, and sums that are added to memory.
//
// Optimal layouts are row after row without gaps, so their padding, their size and how they transpose need no rules.
// Sums of a product begin with the first component and are floats or integers of 32 bits, whatever the layout: all
// layouts give the same bits.
#include <algorithm>

#include "compiler/lower/cooperative_matrix.h"
#include "compiler/lower/encoded_float.h"
#include "compiler/lower/small_float.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using isa::CmpI;
using isa::Type;

/// "Component Type": how raw bytes are read, and what components are converted to.
enum class Component : uint32_t {
  Float16 = 0,
  Float32 = 1,
  SInt8 = 3,
  SInt16 = 4,
  SInt32 = 5,
  UInt8 = 7,
  UInt16 = 8,
  UInt32 = 9,
  SInt8Packed = 1000491000,
  UInt8Packed = 1000491001,
  FloatE4M3 = 1000491002,
  FloatE5M2 = 1000491003,
};

struct Interpretation {
  Component component{};
  uint32_t bytes = 0;  ///< 0: none that is known
  bool isFloat = false, isSigned = false;

  Type access() const { return bytes == 1 ? Type::I8 : bytes == 2 ? Type::I16 : Type::I32; }
  bool isPacked() const { return component == Component::SInt8Packed || component == Component::UInt8Packed; }
};

Interpretation interpretationOf(Lowerer& l, uint32_t id) {
  static constexpr Interpretation kAll[] = {
      {Component::Float16, 2, true, true},      {Component::Float32, 4, true, true},
      {Component::SInt8, 1, false, true},       {Component::SInt16, 2, false, true},
      {Component::SInt32, 4, false, true},      {Component::UInt8, 1, false, false},
      {Component::UInt16, 2, false, false},     {Component::UInt32, 4, false, false},
      {Component::SInt8Packed, 1, false, true}, {Component::UInt8Packed, 1, false, false},
      {Component::FloatE4M3, 1, true, true},    {Component::FloatE5M2, 1, true, true},
  };
  const uint32_t number = l.constantOr(id, ~0u);
  const auto at = std::find_if(std::begin(kAll), std::end(kAll),
                               [&](const Interpretation& i) { return static_cast<uint32_t>(i.component) == number; });
  if (at != std::end(kAll)) return *at;
  l.error(ErrorCode::Unsupported, "a component type of cooperative vectors that is not known");
  return {};
}

/// The components' own bytes.
Type accessOf(Lowerer& l, uint32_t vectorType) {
  const uint32_t bits = l.widthOf(l.type(vectorType).element);
  if (l.type(vectorType).kind != TypeKind::Vector || bits > 32)
    l.error(ErrorCode::Unsupported, "a cooperative vector whose components are not numbers of at most 32 bits");
  return bits == 8 ? Type::I8 : bits == 16 ? Type::I16 : Type::I32;
}

/// Where an array begins, `offsetId` bytes further on.
Pointer placeIn(Lowerer& l, uint32_t pointerId, uint32_t offsetId) {
  Pointer p = l.resolve(l.pointer(pointerId));
  if (p.kind != Pointer::Kind::Memory || p.space == isa::Space::Scratch || p.layout == Layout::Words) {
    l.error(ErrorCode::InvalidShader, "a cooperative vector or its matrix is not in memory");
    return p;
  }
  if (l.widthOf(l.typeOf(offsetId)) == 64) {
    l.widenOffset(&p);
    l.addLong(&p, l.scalar(offsetId));
  } else {
    l.addBytes(&p, l.toWord(l.scalar(offsetId), l.typeOf(offsetId)));
  }
  return p;
}

/// p further on by a number that is known.
Pointer further(Lowerer& l, Pointer p, uint32_t bytes) {
  constexpr uint32_t kMostImmediate = 1 << 20;
  if (bytes < kMostImmediate)
    p.imm += bytes;
  else
    l.addBytes(&p, l.imm(bytes));
  return p;
}

/// `count` elements side by side, each a word.
std::vector<Operand> loadRun(Lowerer& l, const Pointer& p, Type access, uint32_t count) {
  const uint32_t bytes = isa::typeBytes(access);
  std::vector<Operand> out;
  for (uint32_t i = 0; i < count; i += 8) {
    const Pointer at = further(l, p, i * bytes);
    const uint32_t n = std::min(count - i, 8u);
    const Operand run = l.b.load(at.space, access, at.address, at.offset, at.imm, n);
    for (uint32_t k = 0; k < n; ++k) out.push_back(Lowerer::word(run, k));
  }
  return out;
}

void lowerLoad(Lowerer& l, const spirv::Instruction& inst) {
  const Type access = accessOf(l, inst.type);
  const Pointer p = placeIn(l, inst.operand(0), inst.operand(1));
  if (!l.failed()) l.setResult(inst, loadRun(l, p, access, l.type(inst.type).count));
}

void lowerStore(Lowerer& l, const spirv::Instruction& inst) {
  const Type access = accessOf(l, l.typeOf(inst.operand(2)));
  const Pointer p = placeIn(l, inst.operand(0), inst.operand(1));
  if (l.failed()) return;
  const std::vector<Operand> all = l.components(inst.operand(2));
  const auto count = static_cast<uint32_t>(all.size());
  for (uint32_t i = 0; i < count; i += 8) {
    const Pointer at = further(l, p, i * isa::typeBytes(access));
    const uint32_t n = std::min(count - i, 8u);
    l.b.store(at.space, access, at.address, at.offset, l.consecutive(std::span(all).subspan(i, n)), at.imm, n);
  }
}

// --- Numbers of 32 bits, which sums are made of

/// Raw bytes, zero-extended, as a number to multiply or to add.
Operand numberOf(Lowerer& l, const Interpretation& as, Operand raw) {
  switch (as.component) {
    case Component::Float16: return l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, raw);
    case Component::FloatE4M3: return widenSmall(l, format::FloatEncoding::E4M3, raw);
    case Component::FloatE5M2: return widenSmall(l, format::FloatEncoding::E5M2, raw);
    default:
      return as.isFloat || as.bytes == 4 || !as.isSigned ? raw
                                                         : l.b.convert(Opcode::CvtSS, Type::I32, as.access(), raw);
  }
}

/// "Float to integer conversion is round-to-nearest-even and saturating", and so are integers.
Operand saturated(Lowerer& l, const Interpretation& to, Operand word, bool wasSigned) {
  const uint32_t bits = 8 * to.bytes;
  const uint32_t most = ~0u >> (32 - bits + (to.isSigned ? 1 : 0)), least = to.isSigned ? ~most : 0;
  if (!wasSigned) return l.b.value(Opcode::UMin, Type::I32, word, l.imm(most));
  if (bits == 32) return to.isSigned ? word : l.b.value(Opcode::SMax, Type::I32, word, l.imm(0));
  return l.b.value(Opcode::SMax, Type::I32, l.b.value(Opcode::SMin, Type::I32, word, l.imm(most)), l.imm(least));
}

Operand fromFloat(Lowerer& l, const Interpretation& to, Operand f) {
  switch (to.component) {
    case Component::Float32: return f;
    case Component::Float16:
      return l.b.convert(Opcode::CvtFF, Type::F32, Type::F16, l.b.convert(Opcode::CvtFF, Type::F16, Type::F32, f));
    case Component::FloatE4M3: return roundToSmall(l, format::FloatEncoding::E4M3, f);
    case Component::FloatE5M2: return roundToSmall(l, format::FloatEncoding::E5M2, f);
    default: {
      const Operand whole = l.b.value(Opcode::FRoundE, Type::F32, f);
      const bool isWide = to.bytes == 4 && !to.isSigned;
      const Operand word = l.b.convert(isWide ? Opcode::CvtFU : Opcode::CvtFS, Type::I32, Type::F32, whole);
      return isWide ? word : saturated(l, to, word, true);
    }
  }
}

/// A component of `Input`, converted to what it is taken for.
Operand converted(Lowerer& l, const Interpretation& to, Type from, bool isSigned, Operand o) {
  if (isa::isFloatType(from))
    return fromFloat(l, to, from == Type::F32 ? o : l.b.convert(Opcode::CvtFF, Type::F32, from, o));
  const Operand word = from == Type::I32 || !isSigned ? o : l.b.convert(Opcode::CvtSS, Type::I32, from, o);
  if (!to.isFloat) return saturated(l, to, word, isSigned);
  return fromFloat(l, to, l.b.convert(isSigned ? Opcode::CvtSF : Opcode::CvtUF, Type::F32, Type::I32, word));
}

/// The `count` numbers that `Input` is taken for.
std::vector<Operand> inputNumbers(Lowerer& l, uint32_t id, const Interpretation& as, uint32_t count, bool isSigned) {
  const std::vector<Operand> in = l.components(id);
  const Type from = l.isaType(l.typeOf(id));
  const uint32_t perWord = as.isPacked() ? 4 : 1;
  std::vector<Operand> out;
  if (in.size() * perWord < count || (as.isPacked() && from != Type::I32)) {
    l.error(ErrorCode::InvalidShader, "a cooperative vector has too few components for its product");
    return out;
  }
  const Opcode unpack = as.isSigned ? Opcode::SBfe : Opcode::UBfe;
  for (uint32_t k = 0; k < count; ++k)
    out.push_back(as.isPacked() ? l.b.value(unpack, Type::I32, in[k / 4], l.imm(k % 4 * 8), l.imm(8))
                                : converted(l, as, from, isSigned, in[k]));
  return out;
}

// --- Matrices in memory

/// Where the elements of a matrix lie. The distance between the rows or columns that are not side by side is known, or
/// an operand.
class PlacedMatrix {
 public:
  /// \param strideId  0: none
  PlacedMatrix(Lowerer& l, uint32_t rows, uint32_t columns, uint32_t elementBytes, uint32_t layoutId, uint32_t strideId,
               bool isTransposed)
      : l_(l), elementBytes_(elementBytes) {
    constexpr uint32_t kRowMajor = 0, kColumnMajor = 1;
    const uint32_t layout = l.constantOr(layoutId, kRowMajor);
    isRows_ = (layout != kColumnMajor) != isTransposed;
    if (mutated(Mutant::VectorProduct)) isRows_ = !isRows_;
    if (layout > kColumnMajor)
      stride_ = (isRows_ ? columns : rows) * elementBytes;
    else if (!strideId || !l.constantU32(strideId, &stride_))
      dynamicStride_ = strideId ? l.toWord(l.scalar(strideId), l.typeOf(strideId)) : l.imm(0);
  }
  bool isRows() const { return isRows_; }
  Pointer row(const Pointer& p, uint32_t number) const { return step(p, isRows_, number); }
  Pointer column(const Pointer& p, uint32_t number) const { return step(p, !isRows_, number); }
  /// A row whose number only the program knows.
  Pointer row(Pointer p, Operand number) const {
    const Operand distance = !isRows_                   ? l_.imm(elementBytes_)
                             : dynamicStride_.present() ? dynamicStride_
                                                        : l_.imm(stride_);
    l_.addProduct(&p, {number, distance});
    return p;
  }

 private:
  Pointer step(Pointer p, bool byStride, uint32_t number) const {
    if (!byStride || !dynamicStride_.present()) return further(l_, p, number * (byStride ? stride_ : elementBytes_));
    if (number) l_.addProduct(&p, {dynamicStride_, l_.imm(number)});
    return p;
  }

  Lowerer& l_;
  uint32_t elementBytes_, stride_ = 0;
  Operand dynamicStride_;
  bool isRows_ = true;  ///< the elements of a row are side by side
};

// --- Products

/// Multiply-adds that are written one after the other; larger products are loops over rows.
constexpr uint32_t kMostUnrolled = 512;

/// The operands of OpCooperativeVectorMatrixMulAddNV; OpCooperativeVectorMatrixMulNV has no bias.
struct Product {
  Lowerer& l;
  uint32_t m = 0, k = 0;
  bool hasBias = false;
  std::vector<Operand> input{};
  Interpretation element{}, biasElement{};
  Type result{};
  Pointer matrix{}, bias{};

  bool isFloat() const { return isa::isFloatType(result); }
  /// One component: the row of the matrix that begins at `row`, and what is added at `added`.
  Operand component(const PlacedMatrix& placed, const Pointer& row, const Pointer& added) const {
    const Type wide = isFloat() ? Type::F32 : Type::I32;
    std::vector<Operand> raw;
    if (placed.isRows()) raw = loadRun(l, row, element.access(), k);
    Operand sum = l.imm(0);
    for (uint32_t i = 0; i < k; ++i) {
      const Operand stored = placed.isRows() ? raw[i] : loadRun(l, placed.column(row, i), element.access(), 1)[0];
      const Operand factor = numberOf(l, element, stored);
      sum = isFloat() ? l.b.value(Opcode::FFma, wide, factor, input[i], sum)
                      : l.b.value(Opcode::IAdd, wide, sum, l.b.value(Opcode::IMul, wide, factor, input[i]));
    }
    if (hasBias) {
      const Operand b = numberOf(l, biasElement, loadRun(l, added, biasElement.access(), 1)[0]);
      sum = l.b.value(isFloat() ? Opcode::FAdd : Opcode::IAdd, wide, sum, b);
    }
    return result == wide ? sum : l.b.convert(Opcode::CvtFF, result, wide, sum);
  }
};

std::vector<Operand> multiply(const Product& p, const PlacedMatrix& placed) {
  Lowerer& l = p.l;
  std::vector<Operand> out;
  if (uint64_t(p.m) * p.k <= kMostUnrolled) {
    for (uint32_t row = 0; row < p.m; ++row)
      out.push_back(p.component(placed, placed.row(p.matrix, row), further(l, p.bias, row * p.biasElement.bytes)));
    return out;
  }
  const WorkingMatrix sums(l, 0, p.m);
  repeat(l, p.m, [&](Operand row) {
    Pointer added = p.bias;
    if (p.hasBias) l.addProduct(&added, {row, l.imm(p.biasElement.bytes)});
    sums.put(row, p.component(placed, placed.row(p.matrix, row), added));
  });
  return sums.all();
}

void lowerProduct(Lowerer& l, const spirv::Instruction& inst) {
  constexpr uint32_t kInputSigned = 2, kMost = 1 << 16;  // MatrixBSignedComponents
  const bool hasBias = inst.op == spirv::kOpCooperativeVectorMatrixMulAdd;
  const uint32_t sizes = hasBias ? 8 : 5, strideAt = sizes + 4;  // M, K, layout, transposed
  Product p{l, l.constantOr(inst.operand(sizes), 0), l.constantOr(inst.operand(sizes + 1), 0), hasBias};
  p.result = l.isaType(inst.type);
  const Interpretation as = interpretationOf(l, inst.operand(1));
  p.element = interpretationOf(l, inst.operand(4));
  if (hasBias) p.biasElement = interpretationOf(l, inst.operand(7));
  if (isEncoded(l, l.typeOf(inst.operand(0))))
    l.error(ErrorCode::Unsupported, "a product of a cooperative vector of bfloat16 or floats of 8 bits");
  if (l.failed()) return;
  const bool isWord = p.result == Type::F32 || p.result == Type::F16 || p.result == Type::I32;
  if (!isWord || p.m != l.type(inst.type).count || p.k == 0 || p.k > kMost || as.isFloat != p.isFloat() ||
      p.element.isFloat != p.isFloat() || p.element.isPacked() ||
      (hasBias && (p.biasElement.isFloat != p.isFloat() || p.biasElement.isPacked())))
    return l.error(ErrorCode::InvalidShader, "a product of a cooperative vector does not fit its matrix");
  p.input = inputNumbers(l, inst.operand(0), as, p.k, inst.operand(strideAt + 1) & kInputSigned);
  p.matrix = placeIn(l, inst.operand(2), inst.operand(3));
  if (hasBias) p.bias = placeIn(l, inst.operand(5), inst.operand(6));
  const bool isTransposed = l.constantOr(inst.operand(sizes + 3), 0) != 0;
  const PlacedMatrix placed(l, p.m, p.k, p.element.bytes, inst.operand(sizes + 2), inst.operand(strideAt),
                            isTransposed);
  if (!l.failed()) l.setResult(inst, multiply(p, placed));
}

// --- Sums in memory

void addTo(Lowerer& l, const Pointer& p, Type type, Operand value) {
  l.b.atomic(p.space, abi::AtomicOp::FAdd, type, p.address, p.offset, value, p.imm);
}

/// OpCooperativeVectorOuterProductAccumulateNV: rows are components of A.
void lowerOuterProduct(Lowerer& l, const spirv::Instruction& inst) {
  const Interpretation element = interpretationOf(l, inst.operand(5));
  const Type from = l.isaType(l.typeOf(inst.operand(2)));
  const std::vector<Operand> a = l.components(inst.operand(2)), b = l.components(inst.operand(3));
  const Pointer p = placeIn(l, inst.operand(0), inst.operand(1));
  if (l.failed()) return;
  const bool isSum = element.component == Component::Float16 || element.component == Component::Float32;
  if (!isSum || !isa::isFloatType(from) || isa::typeWords(from) != 1 || from != l.isaType(l.typeOf(inst.operand(3))))
    return l.error(ErrorCode::InvalidShader, "an outer product is not of floats, or not added to floats");
  const auto m = static_cast<uint32_t>(a.size()), n = static_cast<uint32_t>(b.size());
  const PlacedMatrix placed(l, m, n, element.bytes, inst.operand(4), inst.operand(6), false);
  const Type sum = element.bytes == 2 ? Type::F16 : Type::F32;
  const auto wide = [&](Operand o) { return from == Type::F32 ? o : l.b.convert(Opcode::CvtFF, Type::F32, from, o); };
  const auto addRow = [&](const Pointer& row, Operand factor) {
    for (uint32_t j = 0; j < n; ++j) {
      const Operand product = l.b.value(Opcode::FMul, Type::F32, factor, wide(b[j]));
      addTo(l, placed.column(row, j), sum,
            sum == Type::F32 ? product : l.b.convert(Opcode::CvtFF, sum, Type::F32, product));
    }
  };
  if (uint64_t(m) * n <= kMostUnrolled) {
    for (uint32_t i = 0; i < m; ++i) addRow(placed.row(p, i), wide(a[i]));
    return;
  }
  const WorkingMatrix factors(l, 0, m);
  factors.putAll(a);
  repeat(l, m, [&](Operand i) { addRow(placed.row(p, i), wide(factors.get(i))); });
}

/// OpCooperativeVectorReduceSumAccumulateNV.
void lowerReduceSum(Lowerer& l, const spirv::Instruction& inst) {
  const Type type = l.isaType(l.typeOf(inst.operand(2)));
  const std::vector<Operand> all = l.components(inst.operand(2));
  const Pointer p = placeIn(l, inst.operand(0), inst.operand(1));
  if (l.failed()) return;
  if (!isa::isFloatType(type) || isa::typeWords(type) != 1)
    return l.error(ErrorCode::InvalidShader, "a sum of cooperative vectors is not of floats");
  for (uint32_t i = 0; i < all.size(); ++i) addTo(l, further(l, p, i * isa::typeBytes(type)), type, all[i]);
}

}  // namespace

void addCooperativeVectors(LoweringTable& table) {
  table.add({
      {spirv::kOpCooperativeVectorLoad, lowerLoad},
      {spirv::kOpCooperativeVectorStore, lowerStore},
      {spirv::kOpCooperativeVectorMatrixMul, lowerProduct},
      {spirv::kOpCooperativeVectorMatrixMulAdd, lowerProduct},
      {spirv::kOpCooperativeVectorOuterProductAccumulate, lowerOuterProduct},
      {spirv::kOpCooperativeVectorReduceSumAccumulate, lowerReduceSum},
  });
}

}  // namespace etzel::lower
