// Cooperative matrices: what lanes hold of them, in memory with a stride, transposed and of another use. All that is
// component by component needs nothing of its own.
#include "compiler/lower/cooperative_matrix.h"

#include <algorithm>
#include <bit>

#include "compiler/lower/encoded_float.h"
#include "compiler/lower/subgroup_lanes.h"
#include "runtime/abi/limits.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using isa::CmpI;
using isa::Space;
using isa::Type;

static_assert(abi::kCooperativeMatrixSize == kWarpLanes, "a lane holds at least a row");

MatrixShape shapeOf(Lowerer& l, uint32_t typeId) {
  const spirv::Type& t = l.type(typeId);
  MatrixShape s;
  if (!t.isCooperative) {
    l.error(ErrorCode::InvalidShader, "an operand is no cooperative matrix");
    return s;
  }
  s.isWorkgroups = t.isWorkgroups;
  s.lanes = t.isWorkgroups ? kWarpLanes : subgroupSize(l);
  s.rows = t.rows, s.blocks = t.rows / s.lanes, s.count = t.count, s.columns = t.count / s.blocks;
  s.component = l.isaType(t.element), s.componentBytes = l.widthOf(t.element) / 8;
  s.isFloat = l.type(t.element).kind == TypeKind::Float;
  return s;
}

Operand rowOfLane(Lowerer& l, const MatrixShape& shape) {
  return shape.lanes == kWarpLanes ? laneOfWarp(l) : laneOfSubgroup(l);
}
Operand firstRow(Lowerer& l, const MatrixShape& shape, Operand block) {
  return l.b.value(Opcode::Shl, Type::I32, block, l.imm(uint32_t(std::countr_zero(shape.lanes))));
}
Operand isFirstWarp(Lowerer& l) { return l.b.icmp(CmpI::Eq, Type::I32, l.sys(abi::SysValue::SubgroupId), l.imm(0)); }

// --- Working memory

void WorkingMatrix::putAll(const std::vector<Operand>& components) const {
  const std::span<const Operand> all(components);
  for (uint32_t i = 0; i < count_ && i < all.size(); i += 8) {
    const uint32_t n = std::min<uint32_t>(8, count_ - i);
    l_.b.store(Space::Scratch, Type::I32, {}, {}, l_.consecutive(all.subspan(i, n)), first_ + 4 * i, n);
  }
}
std::vector<Operand> WorkingMatrix::all() const {
  std::vector<Operand> out;
  for (uint32_t i = 0; i < count_; i += 8) {
    const uint32_t n = std::min<uint32_t>(8, count_ - i);
    const Operand run = l_.b.load(Space::Scratch, Type::I32, {}, {}, first_ + 4 * i, n);
    for (uint32_t k = 0; k < n; ++k) out.push_back(Lowerer::word(run, k));
  }
  return out;
}
Operand WorkingMatrix::get(Operand index, uint32_t further, uint32_t count) const {
  return l_.b.load(Space::Scratch, Type::I32, {}, bytes(index), first_ + 4 * further, count);
}
void WorkingMatrix::put(Operand index, Operand value, uint32_t further, uint32_t count) const {
  l_.b.store(Space::Scratch, Type::I32, {}, bytes(index), value, first_ + 4 * further, count);
}

// --- Memory

Pointer matrixMemory(Lowerer& l, uint32_t pointerId, const MatrixShape& shape, uint32_t matrixType) {
  Pointer p = l.resolve(l.pointer(pointerId));
  if (p.kind != Pointer::Kind::Memory || p.space == Space::Scratch || !shape.rows)
    l.error(ErrorCode::InvalidShader, "a cooperative matrix is not in memory");
  p.type = l.type(matrixType).element, p.matrixStride = p.componentStride = 0;
  return p;
}

namespace {

/// A matrix in memory, whose rows or columns are a stride apart.
class StridedMatrix {
 public:
  StridedMatrix(Lowerer& l, uint32_t pointerId, uint32_t matrix, uint32_t layoutId, uint32_t strideId)
      : l_(l), shape_(shapeOf(l, matrix)) {
    constexpr uint32_t kRowMajor = 0;
    const Pointer pointed = l.resolve(l.pointer(pointerId));
    // "Stride": elements of what is pointed to, which may be vectors.
    const uint32_t elementBytes = static_cast<uint32_t>(l.typeBytes(pointed.type, pointed.layout));
    start_ = matrixMemory(l, pointerId, shape_, matrix);
    if (l.failed()) return;
    stride_ = strideId ? l.toWord(l.scalar(strideId), l.typeOf(strideId)) : l.imm(0);
    elementBytes_ = l.imm(elementBytes);
    isRowMajor_ = (l.constantOr(layoutId, kRowMajor) == kRowMajor) != mutated(Mutant::CooperativeLayout);
    if (isRowMajor_)
      l.addProduct(&start_, {rowOfLane(l, shape_), stride_, elementBytes_});
    else
      l.addProduct(&start_, {rowOfLane(l, shape_), l.imm(shape_.componentBytes)});
  }
  const MatrixShape& shape() const { return shape_; }

  /// Visits runs of components that lie side by side: f(place, first component, how many).
  template <class F>
  void forEachRun(F&& f) const {
    if (l_.failed()) return;
    const uint32_t outer = isRowMajor_ ? shape_.blocks : shape_.columns;
    for (uint32_t i = 0; i < outer && !l_.failed(); ++i) {
      Pointer p = start_;
      const uint32_t pitches = isRowMajor_ ? i * shape_.lanes : i;
      if (pitches) l_.addProduct(&p, {l_.imm(pitches), stride_, elementBytes_});
      const uint32_t imm = p.imm;
      if (isRowMajor_)
        for (uint32_t c = 0; c < shape_.columns; c += 8) {  // an instruction takes 8
          p.imm = imm + c * shape_.componentBytes;
          f(p, i * shape_.columns + c, 8);
        }
      else
        for (uint32_t block = 0; block < shape_.blocks; ++block) {
          p.imm = imm + block * shape_.lanes * shape_.componentBytes;
          f(p, block * shape_.columns + i, 1);
        }
    }
  }
  Type access() const {
    return shape_.componentBytes == 1 ? Type::I8 : shape_.componentBytes == 2 ? Type::I16 : Type::I32;
  }

 private:
  Lowerer& l_;
  MatrixShape shape_;
  Pointer start_;  ///< the lane's first row
  Operand stride_, elementBytes_;
  bool isRowMajor_ = true;
};

void lowerLoad(Lowerer& l, const spirv::Instruction& inst) {
  const StridedMatrix m(l, inst.operand(0), inst.type, inst.operand(1), inst.size() > 2 ? inst.operand(2) : 0);
  std::vector<Operand> out(m.shape().count, l.imm(0));
  m.forEachRun([&](const Pointer& p, uint32_t first, uint32_t count) {
    const Operand run = l.b.load(p.space, m.access(), p.address, p.offset, p.imm, count);
    for (uint32_t k = 0; k < count; ++k) out[first + k] = Lowerer::word(run, k);
  });
  l.setResult(inst, out);
}

void lowerStore(Lowerer& l, const spirv::Instruction& inst) {
  const StridedMatrix m(l, inst.operand(0), l.typeOf(inst.operand(1)), inst.operand(2),
                        inst.size() > 3 ? inst.operand(3) : 0);
  const std::vector<Operand> all = l.components(inst.operand(1));
  if (all.size() < m.shape().count) return l.error(ErrorCode::InvalidShader, "a matrix has too few components");
  forOwners(l, m.shape(), [&] {
    m.forEachRun([&](const Pointer& p, uint32_t first, uint32_t count) {
      const Operand run = l.consecutive(std::span(all).subspan(first, count));
      l.b.store(p.space, m.access(), p.address, p.offset, run, p.imm, count);
    });
  });
}

void lowerLength(Lowerer& l, const spirv::Instruction& inst) {
  const MatrixShape shape = shapeOf(l, inst.operand(0));
  const Operand count = l.imm(shape.count);
  const bool isShared = shape.isWorkgroups && !mutated(Mutant::MatrixOwner);
  l.setResult(inst, isShared ? l.b.select(isFirstWarp(l), count, l.imm(0)) : count);
}

/// Uses look alike in registers.
void lowerConvert(Lowerer& l, const spirv::Instruction& inst) {
  const std::vector<Operand> same = l.components(inst.operand(0));
  l.setResult(inst, same);
}

/// As many rows as columns, 8 or 4, the other way round: in three steps, or two, words change places that differ in a
/// bit of their number with words of the lane that differs in that bit.
void transposeBlock(Lowerer& l, std::span<Operand> words) {
  const Operand lane = laneOfWarp(l);
  for (uint32_t bit = 1; bit < words.size(); bit *= 2) {
    const Operand isUpper = l.b.value(Opcode::And, Type::I32, lane, l.imm(bit));
    const Operand partner = l.b.value(Opcode::Xor, Type::I32, lane, l.imm(bit));
    for (uint32_t w = 0; w < words.size(); ++w) {
      if (w & bit) continue;
      Operand &low = words[w], &high = words[w + bit];
      const Operand sent = l.b.select(isUpper, low, high);
      const Operand got = l.b.value(Opcode::SgShuffle, Type::I32, sent, partner, {}, 0, 0, uint8_t(1));
      const Operand newLow = l.b.select(isUpper, got, low);
      high = l.b.select(isUpper, high, got);
      low = newLow;
    }
  }
}

/// A component of one matrix as one of another, whose numbers may be of another kind.
Operand converted(Lowerer& l, Operand o, const spirv::Type& from, const spirv::Type& to) {
  const Type source = l.isaType(from.id), result = l.isaType(to.id);
  const bool wasFloat = from.kind == TypeKind::Float, isFloat = to.kind == TypeKind::Float;
  if (source == result && wasFloat == isFloat && from.encoding == to.encoding) return o;
  const Opcode op = wasFloat && isFloat ? Opcode::CvtFF
                    : wasFloat          ? (to.isSigned ? Opcode::CvtFS : Opcode::CvtFU)
                    : isFloat           ? (from.isSigned ? Opcode::CvtSF : Opcode::CvtUF)
                                        : (from.isSigned ? Opcode::CvtSS : Opcode::CvtUU);
  if (isEncoded(l, from.id) || isEncoded(l, to.id)) return convertEncoded(l, op, from.id, to.id, {o})[0];
  return l.b.convert(op, result, source, o);
}

/// OpCooperativeMatrixTransposeNV, which may change the type of components as well.
void lowerTranspose(Lowerer& l, const spirv::Instruction& inst) {
  const MatrixShape from = shapeOf(l, l.typeOf(inst.operand(0))), to = shapeOf(l, inst.type);
  const std::vector<Operand> in = l.components(inst.operand(0));
  if (from.rows != to.columns || from.columns != to.rows || in.size() != to.count)
    return l.error(ErrorCode::InvalidShader, "OpCooperativeMatrixTransposeNV: the sizes do not fit");
  const spirv::Type &source = l.type(l.typeOfValue(inst.operand(0)).element),
                    &result = l.type(l.type(inst.type).element);
  std::vector<Operand> out(to.count), words(from.lanes);
  for (uint32_t fromBlock = 0; fromBlock < from.blocks; ++fromBlock)
    for (uint32_t toBlock = 0; toBlock < to.blocks; ++toBlock) {
      for (uint32_t j = 0; j < from.lanes; ++j) words[j] = in[fromBlock * from.columns + toBlock * from.lanes + j];
      transposeBlock(l, words);
      for (uint32_t j = 0; j < from.lanes; ++j)
        out[toBlock * to.columns + fromBlock * from.lanes + j] = converted(l, words[j], source, result);
    }
  l.setResult(inst, out);
}

}  // namespace

void addCooperativeMatrices(LoweringTable& table) {
  table.add({
      {spirv::kOpCooperativeMatrixLoad, lowerLoad},
      {spirv::kOpCooperativeMatrixStore, lowerStore},
      {spirv::kOpCooperativeMatrixLength, lowerLength},
      {spirv::kOpCooperativeMatrixConvert, lowerConvert},
      {spirv::kOpCooperativeMatrixTranspose, lowerTranspose},
  });
  addMatrixProducts(table);
  addMatrixFunctions(table);
  addTensors(table);
}

}  // namespace etzel::lower
