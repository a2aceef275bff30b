// Composites: construction, extraction, insertion, shuffles, dynamic vector access, and matrix algebra. On flattened
// values most of these only choose operands.
#include "compiler/lower/encoded_float.h"
#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"

namespace etzel::lower {
namespace {

using O = spv::Op;

/// First component and type of the part that literal indices name.
bool locate(Lowerer& l, uint32_t typeId, std::span<const uint32_t> indices, uint32_t* first, uint32_t* part) {
  *first = 0;
  for (uint32_t index : indices) {
    const spirv::Type& t = l.type(typeId);
    if (t.kind == TypeKind::Struct) {
      if (index >= t.members.size()) return false;
      for (uint32_t i = 0; i < index; ++i) *first += l.type(t.members[i]).components;
      typeId = t.members[index];
    } else {
      if (!t.element || index >= t.count) return false;
      *first += index * l.type(t.element).components;
      typeId = t.element;
    }
  }
  *part = typeId;
  return true;
}

/// sum of x[i] * y[i], left to right.
Operand dot(Lowerer& l, isa::Type t, std::span<const Operand> x, std::span<const Operand> y) {
  Operand sum;
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    const Operand product = l.b.value(Opcode::FMul, t, x[i], y[i]);
    sum = sum.present() ? l.b.value(Opcode::FAdd, t, sum, product) : product;
  }
  return sum;
}

/// columns x rows matrix in column order.
struct Matrix {
  std::vector<Operand> at;
  uint32_t columns = 0, rows = 0;
  Operand get(uint32_t column, uint32_t row) const { return at[column * rows + row]; }
};
bool matrixOf(Lowerer& l, uint32_t id, Matrix* m) {
  const spirv::Type& t = l.typeOfValue(id);
  m->at = l.components(id);
  if (t.kind == TypeKind::Matrix)
    m->columns = t.count, m->rows = l.type(t.element).count;
  else
    m->columns = 1, m->rows = static_cast<uint32_t>(m->at.size());
  return m->at.size() == size_t(m->columns) * m->rows && m->rows;
}

std::vector<Operand> multiply(Lowerer& l, const spirv::Instruction& inst, bool rowVector) {
  Matrix x, y;
  const isa::Type t = l.isaType(inst.type);
  if (!matrixOf(l, inst.operand(0), &x) || !matrixOf(l, inst.operand(1), &y)) return {};
  if (rowVector) std::swap(x.columns, x.rows);  // 1 row
  if (x.columns != y.rows) return {};
  std::vector<Operand> out;
  for (uint32_t column = 0; column < y.columns; ++column)
    for (uint32_t row = 0; row < x.rows; ++row) {
      std::vector<Operand> left(x.columns), right(x.columns);
      for (uint32_t k = 0; k < x.columns; ++k) left[k] = x.get(k, row), right[k] = y.get(column, k);
      out.push_back(dot(l, t, left, right));
    }
  return out;
}

void lowerUndef(Lowerer& l, const spirv::Instruction& inst) {
  std::vector<Operand> out;
  for (uint32_t s : l.scalarsOf(inst.type)) out.push_back(l.immOf(s, 0));
  l.setResult(inst, out);
}

void lowerConstruct(Lowerer& l, const spirv::Instruction& inst) {
  std::vector<Operand> out;
  for (uint32_t id : inst.operands) {
    const std::vector<Operand>& part = l.components(id);
    out.insert(out.end(), part.begin(), part.end());
  }
  const spirv::Type& t = l.type(inst.type);
  if (t.isCooperative && !out.empty()) out.assign(t.components, Operand(out[0]));  // one number for the whole matrix
  l.setResult(inst, out);
}

void lowerReplicate(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> part = l.components(inst.operand(0));
  // A few words must not ask for much memory.
  constexpr uint32_t kMostComponents = 1u << 16;
  if (l.type(inst.type).components > kMostComponents)
    return l.error(ErrorCode::Unsupported, "a replicated composite of more than 65536 components");
  const size_t count = l.scalarsOf(inst.type).size();
  if (part.empty() || count % part.size() != 0)
    return l.error(ErrorCode::InvalidShader, "OpCompositeConstructReplicateEXT: the part does not fit its type");
  std::vector<Operand> out;
  while (out.size() < count) out.insert(out.end(), part.begin(), part.end());
  l.setResult(inst, out);
}

void lowerExtract(Lowerer& l, const spirv::Instruction& inst) {
  uint32_t first = 0, part = 0;
  const std::vector<Operand> whole = l.components(inst.operand(0));
  if (!locate(l, l.typeOf(inst.operand(0)), inst.operands.subspan(std::min<size_t>(1, inst.size())), &first, &part) ||
      first + l.type(part).components > whole.size()) {
    l.error(ErrorCode::InvalidShader, "OpCompositeExtract: an index is out of range");
    return;
  }
  l.setResult(inst, std::vector<Operand>(whole.begin() + first, whole.begin() + first + l.type(part).components));
}

void lowerInsert(Lowerer& l, const spirv::Instruction& inst) {
  uint32_t first = 0, part = 0;
  const std::vector<Operand> object = l.components(inst.operand(0));
  std::vector<Operand> whole = l.components(inst.operand(1));
  if (!locate(l, inst.type, inst.operands.subspan(std::min<size_t>(2, inst.size())), &first, &part) ||
      first + object.size() > whole.size()) {
    l.error(ErrorCode::InvalidShader, "OpCompositeInsert: an index is out of range");
    return;
  }
  std::copy(object.begin(), object.end(), whole.begin() + first);
  l.setResult(inst, whole);
}

void lowerShuffle(Lowerer& l, const spirv::Instruction& inst) {
  std::vector<Operand> both = l.components(inst.operand(0));
  const std::vector<Operand> second = l.components(inst.operand(1));
  both.insert(both.end(), second.begin(), second.end());
  std::vector<Operand> out;
  for (size_t i = 2; i < inst.size(); ++i)
    out.push_back(inst.operand(i) < both.size() ? both[inst.operand(i)] : l.immOf(l.scalarTypeOf(inst.type), 0));
  l.setResult(inst, out);
}

void lowerExtractDynamic(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> v = l.components(inst.operand(0));
  const uint32_t indexType = l.typeOf(inst.operand(1)), words = l.wordsOfScalar(inst.type);
  const Operand index = l.toWord(l.scalar(inst.operand(1)), indexType);
  Operand out = v.empty() ? l.imm(0) : v[0];
  for (uint32_t i = 1; i < v.size(); ++i)
    out = l.b.select(l.b.icmp(isa::CmpI::Eq, isa::Type::I32, index, l.imm(i)), v[i], out, words);
  l.setResult(inst, out);
}

void lowerInsertDynamic(Lowerer& l, const spirv::Instruction& inst) {
  std::vector<Operand> v = l.components(inst.operand(0));
  const Operand value = l.scalar(inst.operand(1));
  const uint32_t words = l.wordsOfScalar(inst.type);
  const Operand index = l.toWord(l.scalar(inst.operand(2)), l.typeOf(inst.operand(2)));
  for (uint32_t i = 0; i < v.size(); ++i)
    v[i] = l.b.select(l.b.icmp(isa::CmpI::Eq, isa::Type::I32, index, l.imm(i)), value, v[i], words);
  l.setResult(inst, v);
}

void lowerTranspose(Lowerer& l, const spirv::Instruction& inst) {
  Matrix m;
  std::vector<Operand> out;
  if (matrixOf(l, inst.operand(0), &m))
    for (uint32_t row = 0; row < m.rows; ++row)
      for (uint32_t column = 0; column < m.columns; ++column) out.push_back(m.get(column, row));
  l.setResult(inst, out);
}

/// OpMatrixTimesVector, OpMatrixTimesMatrix.
void lowerMatrixTimes(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, multiply(l, inst, false)); }

void lowerVectorTimes(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, multiply(l, inst, true)); }

void lowerOuterProduct(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> column = l.components(inst.operand(0)), row = l.components(inst.operand(1));
  std::vector<Operand> out;
  for (Operand r : row)
    for (Operand c : column) out.push_back(l.b.value(Opcode::FMul, l.isaType(inst.type), c, r));
  l.setResult(inst, out);
}

void lowerDot(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> x = l.components(inst.operand(0)), y = l.components(inst.operand(1));
  if (const FloatEncoding e = encodingOf(l, inst.type); e != FloatEncoding::Ieee)
    return l.setResult(inst,
                       narrowEncoded(l, e, {dot(l, isa::Type::F32, widenEncoded(l, e, x), widenEncoded(l, e, y))}));
  l.setResult(inst, dot(l, l.isaType(inst.type), x, y));
}

}  // namespace

void addComposites(LoweringTable& table) {
  table.add({
      {O::OpUndef, lowerUndef},
      {O::OpCompositeConstruct, lowerConstruct},
      {spirv::kOpCompositeConstructReplicate, lowerReplicate},
      {O::OpCompositeExtract, lowerExtract},
      {O::OpCompositeInsert, lowerInsert},
      {O::OpVectorShuffle, lowerShuffle},
      {O::OpVectorExtractDynamic, lowerExtractDynamic},
      {O::OpVectorInsertDynamic, lowerInsertDynamic},
      {O::OpTranspose, lowerTranspose},
      {O::OpMatrixTimesVector, lowerMatrixTimes},
      {O::OpMatrixTimesMatrix, lowerMatrixTimes},
      {O::OpVectorTimesMatrix, lowerVectorTimes},
      {O::OpOuterProduct, lowerOuterProduct},
      {O::OpDot, lowerDot},
  });
}

}  // namespace etzel::lower
