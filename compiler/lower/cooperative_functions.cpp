// Functions of the shader on the elements of cooperative matrices: one by one, and two by two until rows, columns or
// squares of four are one (SPV_NV_cooperative_matrix2). A function is lowered once or twice for each instruction, in
// loops.
#include <bit>

#include "compiler/lower/cooperative_matrix.h"
#include "compiler/lower/subgroup_lanes.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using isa::Type;

/// OpCooperativeMatrixPerElementOpNV: operands 0 matrix, 1 function, then what it is given besides.
void lowerPerElement(Lowerer& l, const spirv::Instruction& inst) {
  const MatrixShape shape = shapeOf(l, inst.type);
  const std::vector<Operand> in = l.components(inst.operand(0));
  const auto function = l.module.functions.find(inst.operand(1));
  if (l.failed() || l.typeOf(inst.operand(0)) != inst.type || function == l.module.functions.end() ||
      function->second.parameters.size() + 1 != inst.size() + 2)
    return l.error(ErrorCode::InvalidShader, "OpCooperativeMatrixPerElementOpNV: the function does not fit");
  std::vector<WorkingMatrix> matrices;  // the matrix, and further ones that give one element each
  std::vector<Lowerer::Argument> arguments(3);
  for (size_t i = 2; i < inst.size(); ++i) {
    const uint32_t id = inst.operand(i);
    Lowerer::Argument argument;
    if (l.typeOfValue(id).kind == TypeKind::Pointer)
      argument.pointer = l.pointer(id);
    else
      argument.value = l.components(id);
    arguments.push_back(std::move(argument));
  }
  const auto isMatrix = [&](size_t i) {
    const spirv::Type& t = l.typeOfValue(inst.operand(i));
    return t.isCooperative && t.count == shape.count;
  };
  forOwners(l, shape, [&] {
    matrices.emplace_back(l, 0, shape.count).putAll(in);
    for (size_t i = 2; i < inst.size(); ++i)
      if (isMatrix(i))
        matrices.emplace_back(l, static_cast<uint32_t>(matrices.size()), shape.count).putAll(arguments[i + 1].value);
    forEachComponent(l, shape, [&](Operand index, Operand row, Operand column) {
      arguments[0].value = {row}, arguments[1].value = {column}, arguments[2].value = {matrices[0].get(index)};
      size_t next = 1;
      for (size_t i = 2; i < inst.size(); ++i)
        if (isMatrix(i)) arguments[i + 1].value = {matrices[next++].get(index)};
      const std::vector<Operand> result = l.inlineFunction(inst, inst.operand(1), arguments);
      if (!result.empty()) matrices[0].put(index, result[0]);
    });
  });
  l.setResult(inst, matrices[0].all());
}

/// OpCooperativeMatrixReduceNV: operands 0 matrix, 1 what is reduced, 2 the function of two elements.
class Reduction {
 public:
  Reduction(Lowerer& l, const spirv::Instruction& inst)
      : l_(l), inst_(inst), from_(shapeOf(l, l.typeOf(inst.operand(0)))), to_(shapeOf(l, inst.type)) {}

  void lower() {
    constexpr uint32_t kRow = 1, kColumn = 2, kSquare = 4;
    const uint32_t mode = inst_.operand(1);
    const std::vector<Operand> in = l_.components(inst_.operand(0));
    const auto function = l_.module.functions.find(inst_.operand(2));
    const bool fits = mode == kSquare            ? from_.rows == 2 * to_.rows && from_.columns == 2 * to_.columns
                      : mode == kRow             ? from_.rows == to_.rows
                      : mode == kColumn          ? from_.columns == to_.columns
                      : mode == (kRow | kColumn) ? true
                                                 : false;
    if (l_.failed() || !fits || in.size() != from_.count || function == l_.module.functions.end() ||
        function->second.parameters.size() != 2 || from_.component != to_.component)
      return l_.error(ErrorCode::InvalidShader, "OpCooperativeMatrixReduceNV: the sizes or the function do not fit");
    const WorkingMatrix matrix(l_, 0, from_.count);
    forOwners(l_, from_, [&] {
      matrix.putAll(in);
      if (mode == kSquare) return squares(matrix);
      if (mode & kRow) rows(matrix);
      if (mode & kColumn) columns(matrix, mode & kRow ? 1 : from_.columns);
    });
    l_.setResult(inst_, mode == kSquare ? gathered(matrix.all()) : repeated(matrix.all(), mode));
  }

 private:
  Operand i32(Opcode op, Operand x, Operand y) { return l_.b.value(op, Type::I32, x, y); }
  Operand combine(Operand x, Operand y) {
    const std::vector<Operand> r = l_.inlineFunction(inst_, inst_.operand(2), {{{}, {x}}, {{}, {y}}});
    return r.empty() ? l_.imm(0) : r[0];
  }
  /// With the lane whose number differs in `bit`; of both the lower lane's element comes first, so both get the same.
  Operand combineLanes(Operand x, Operand bit) {
    const Operand lane = laneOfWarp(l_);
    const Operand isUpper = i32(Opcode::And, lane, bit);
    const Operand other =
        l_.b.value(Opcode::SgShuffle, Type::I32, x, i32(Opcode::Xor, lane, bit), {}, 0, 0, uint8_t(1));
    return combine(l_.b.select(isUpper, other, x), l_.b.select(isUpper, x, other));
  }
  /// Column 0 of each block becomes the row's.
  void rows(const WorkingMatrix& m) {
    if (from_.columns == 1) return;
    repeat(l_, from_.blocks, [&](Operand block) {
      const Operand first = i32(Opcode::IMul, block, l_.imm(from_.columns));
      repeat(l_, from_.columns - 1,
             [&](Operand column) { m.put(first, combine(m.get(first), m.get(i32(Opcode::IAdd, first, column), 1))); });
    });
  }
  /// Block 0 becomes the reduction of the first `count` columns.
  void columns(const WorkingMatrix& m, uint32_t count) {
    repeat(l_, count, [&](Operand column) {
      const uint32_t blocks = from_.blocks - (mutated(Mutant::MatrixReduction) && from_.blocks > 1 ? 1 : 0);
      if (blocks > 1)
        repeat(l_, blocks - 1, [&](Operand block) {
          const Operand at = i32(Opcode::IAdd, i32(Opcode::IMul, block, l_.imm(from_.columns)), column);
          m.put(column, combine(m.get(column), m.get(at, from_.columns)));
        });
      repeat(l_, uint32_t(std::countr_zero(from_.lanes)),
             [&](Operand step) { m.put(column, combineLanes(m.get(column), i32(Opcode::Shl, l_.imm(1), step))); });
    });
  }
  /// Squares of four: in pairs of lanes, in the first half of the columns.
  void squares(const WorkingMatrix& m) {
    repeat(l_, from_.blocks, [&](Operand block) {
      const Operand first = i32(Opcode::IMul, block, l_.imm(from_.columns));
      repeat(l_, to_.columns, [&](Operand column) {
        const Operand pair = i32(Opcode::IAdd, first, i32(Opcode::Shl, column, l_.imm(1)));
        const Operand across = combine(m.get(pair), m.get(pair, 1));
        m.put(i32(Opcode::IAdd, first, column), combineLanes(across, l_.imm(1)));
      });
    });
  }
  /// Rows of the result out of pairs of lanes: the first half of the lower block, the others of the one behind it.
  std::vector<Operand> gathered(const std::vector<Operand>& in) {
    std::vector<Operand> out(to_.count);
    const uint32_t half = from_.lanes / 2;
    const Operand row = rowOfLane(l_, from_);
    const Operand pair = i32(Opcode::Shl, i32(Opcode::And, row, l_.imm(half - 1)), l_.imm(1));
    const Operand source = from_.lanes == kWarpLanes ? pair : laneOfOwnSubgroup(l_, pair);
    const Operand isLower = i32(Opcode::And, row, l_.imm(half));
    const auto moved = [&](uint32_t block, uint32_t column) {
      return l_.b.value(Opcode::SgShuffle, Type::I32, in[block * from_.columns + column], source, {}, 0, 0, uint8_t(1));
    };
    for (uint32_t block = 0; block < to_.blocks; ++block)
      for (uint32_t column = 0; column < to_.columns; ++column)
        out[block * to_.columns + column] =
            l_.b.select(isLower, moved(2 * block + 1, column), moved(2 * block, column));
    return out;
  }
  std::vector<Operand> repeated(const std::vector<Operand>& in, uint32_t mode) {
    constexpr uint32_t kRow = 1, kColumn = 2;
    std::vector<Operand> out(to_.count);
    for (uint32_t block = 0; block < to_.blocks; ++block)
      for (uint32_t column = 0; column < to_.columns; ++column)
        out[block * to_.columns + column] =
            in[(mode & kColumn ? 0 : block * from_.columns) + (mode & kRow ? 0 : column)];
    return out;
  }

  Lowerer& l_;
  const spirv::Instruction& inst_;
  MatrixShape from_, to_;
};

void lowerReduce(Lowerer& l, const spirv::Instruction& inst) { Reduction(l, inst).lower(); }

}  // namespace

void addMatrixFunctions(LoweringTable& table) {
  table.add({
      {spirv::kOpCooperativeMatrixPerElement, lowerPerElement},
      {spirv::kOpCooperativeMatrixReduce, lowerReduce},
  });
}

}  // namespace etzel::lower
