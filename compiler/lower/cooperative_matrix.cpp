// Cooperative matrices (SPV_KHR_cooperative_matrix). Every matrix is 8 by 8, and lane i holds row i: the columns are
// its components. A product reads the rows of B from the lanes that hold them, and all else is component by component.
#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using isa::Space;
using isa::Type;

constexpr uint32_t kSize = spirv::kCooperativeMatrixSize;
static_assert(kSize == kWarpLanes, "a lane holds a row");

/// Where one lane's row of a matrix lies in memory, and how its components follow.
class RowPlace {
 public:
  /// \param matrix  type id
  RowPlace(Lowerer& l, uint32_t pointerId, uint32_t matrix, uint32_t layoutId, uint32_t strideId)
      : l_(l), row_(l.resolve(l.pointer(pointerId))) {
    constexpr uint32_t kRowMajor = 0;
    const uint32_t componentBytes = l.widthOf(matrix) / 8;
    // "Stride": elements of what is pointed to, which may be vectors.
    const uint32_t elementBytes = static_cast<uint32_t>(l.typeBytes(row_.type, row_.layout));
    if (row_.kind != Pointer::Kind::Memory || row_.space == Space::Scratch) {
      l.error(ErrorCode::InvalidShader, "a cooperative matrix is not in memory");
      return;
    }
    row_.type = l.type(matrix).element, row_.matrixStride = row_.componentStride = 0;
    Operand pitch = strideId ? l.toWord(l.scalar(strideId), l.typeOf(strideId)) : l.imm(0);
    pitch = l.b.value(Opcode::IMul, Type::I32, pitch, l.imm(elementBytes));
    const Operand component = l.imm(componentBytes);
    const bool rowMajor = (l.constantOr(layoutId, kRowMajor) == kRowMajor) != mutated(Mutant::CooperativeLayout);
    step_ = rowMajor ? component : pitch;
    move(&row_, l.b.value(Opcode::IMul, Type::I32, l.sys(abi::SysValue::LaneId), rowMajor ? pitch : component));
  }
  Pointer at(uint32_t column) const {
    Pointer p = row_;
    if (column) move(&p, l_.b.value(Opcode::IMul, Type::I32, step_, l_.imm(column)));
    return p;
  }

 private:
  void move(Pointer* p, Operand bytes) const {
    if (p->space == Space::Global)
      p->address =
          l_.b.value(Opcode::IAdd, Type::I64, p->address, l_.b.convert(Opcode::CvtUU, Type::I64, Type::I32, bytes));
    else
      p->offset = p->offset.present() ? l_.b.value(Opcode::IAdd, Type::I32, p->offset, bytes) : bytes;
  }

  Lowerer& l_;
  Pointer row_;
  Operand step_;
};

void lowerLoad(Lowerer& l, const spirv::Instruction& inst) {
  const RowPlace place(l, inst.operand(0), inst.type, inst.operand(1), inst.size() > 2 ? inst.operand(2) : 0);
  std::vector<Operand> row;
  for (uint32_t column = 0; column < kSize && !l.failed(); ++column) row.push_back(l.load(place.at(column))[0]);
  row.resize(kSize, l.imm(0));
  l.setResult(inst, row);
}

void lowerStore(Lowerer& l, const spirv::Instruction& inst) {
  const RowPlace place(l, inst.operand(0), l.typeOf(inst.operand(1)), inst.operand(2),
                       inst.size() > 3 ? inst.operand(3) : 0);
  const std::vector<Operand> row = l.components(inst.operand(1));
  for (uint32_t column = 0; column < kSize && column < row.size() && !l.failed(); ++column)
    l.store(place.at(column), {row[column]});
}

/// Numbers that sums are made of: floats of 32 bits, integers of 32 bits that wrap.
std::vector<Operand> widened(Lowerer& l, uint32_t id, bool isSigned) {
  const Type t = l.isaType(l.typeOf(id));
  const bool isFloat = isa::isFloatType(t);
  const Type wide = isFloat ? Type::F32 : Type::I32;
  std::vector<Operand> out = l.components(id);
  if (t != wide)
    for (Operand& o : out)
      o = l.b.convert(isFloat ? Opcode::CvtFF : isSigned ? Opcode::CvtSS : Opcode::CvtUU, wide, t, o);
  return out;
}

void lowerMulAdd(Lowerer& l, const spirv::Instruction& inst) {
  constexpr uint32_t kASigned = 1, kBSigned = 2, kCSigned = 4, kSaturates = 16;
  const uint32_t mask = inst.operand(3);
  if (mask & kSaturates) return l.unsupported(inst, "saturating accumulation");
  const std::vector<Operand> a = widened(l, inst.operand(0), mask & kASigned);
  const std::vector<Operand> b = widened(l, inst.operand(1), mask & kBSigned);
  std::vector<Operand> sum = widened(l, inst.operand(2), mask & kCSigned);
  if (a.size() != kSize || b.size() != kSize || sum.size() != kSize)
    return l.error(ErrorCode::InvalidShader, "OpCooperativeMatrixMulAddKHR: operands are no cooperative matrices");
  const Type result = l.isaType(inst.type);
  const bool isFloat = isa::isFloatType(result);
  const Type wide = isFloat ? Type::F32 : Type::I32;
  const Operand run = l.consecutive(b);
  for (uint32_t k = 0; k < kSize; ++k) {
    const Operand row = l.b.value(Opcode::SgShuffle, Type::I32, run, l.imm(k), {}, 0, 0, uint8_t(kSize));
    for (uint32_t j = 0; j < kSize; ++j) {
      const Operand other = Lowerer::word(row, j);
      sum[j] = isFloat ? l.b.value(Opcode::FFma, wide, a[k], other, sum[j])
                       : l.b.value(Opcode::IAdd, wide, sum[j], l.b.value(Opcode::IMul, wide, a[k], other));
    }
  }
  if (result != wide)
    for (Operand& o : sum) o = l.b.convert(isFloat ? Opcode::CvtFF : Opcode::CvtUU, result, wide, o);
  l.setResult(inst, sum);
}

void lowerLength(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, l.imm(kSize)); }

}  // namespace

void addCooperativeMatrices(LoweringTable& table) {
  table.add({
      {spirv::kOpCooperativeMatrixLoad, lowerLoad},
      {spirv::kOpCooperativeMatrixStore, lowerStore},
      {spirv::kOpCooperativeMatrixMulAdd, lowerMulAdd},
      {spirv::kOpCooperativeMatrixLength, lowerLength},
  });
}

}  // namespace etzel::lower
