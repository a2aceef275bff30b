// Cooperative matrices as the lanes of a warp hold them (SPV_KHR_cooperative_matrix, SPV_NV_cooperative_matrix2).
//
// Rows are lanes: lane i holds the rows i, i + 8, i + 16, ... one behind the other as components, so blocks of 8 rows
// lie side by side in registers and a column is the same component of a block in all lanes. Of a subgroup that is half
// a warp, lane i holds the rows i, i + 4, i + 8, ..., and blocks have 4 rows. A matrix of a workgroup belongs to its
// first warp alone. The warps of a workgroup run on one core, so sharing the work would save
// nothing, and nobody waits for anybody at barriers. The others have no components (OpCooperativeMatrixLengthKHR); what
// they compute in registers on the way reaches no memory.
#pragma once

#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"

namespace etzel::lower {

struct MatrixShape {
  uint32_t rows = 0, columns = 0;
  uint32_t lanes = kWarpLanes;  ///< that have the matrix
  uint32_t blocks = 0;          ///< of so many rows
  uint32_t count = 0;           ///< components of a lane: blocks * columns
  bool isWorkgroups = false;
  isa::Type component{};
  bool isFloat = false;  ///< floats of another encoding, whose component is an integer, too
  uint32_t componentBytes = 0;
};

/// The shape of a cooperative matrix's type; an error and no rows for any other type.
MatrixShape shapeOf(Lowerer& l, uint32_t typeId);

/// The lane's row of each block.
Operand rowOfLane(Lowerer& l, const MatrixShape& shape);
/// The first row of a block.
Operand firstRow(Lowerer& l, const MatrixShape& shape, Operand block);
/// The condition under which a warp has a workgroup's matrices.
Operand isFirstWarp(Lowerer& l);

/// Lets those who have the matrix run `f`, which leaves results in memory alone.
template <class F>
void forOwners(Lowerer& l, const MatrixShape& shape, F&& f) {
  if (!shape.isWorkgroups) return f();
  l.b.ifBegin(isFirstWarp(l));
  f();
  l.b.ifEnd();
}

/// A loop of the program: `f(i)` for each i below `count`.
template <class F>
void repeat(Lowerer& l, uint32_t count, F&& f) {
  if (count == 1) return f(l.imm(0));
  const Operand i = l.newTemp();
  l.b.moveMasked(i, l.imm(0));
  const uint32_t done = l.beginBlock();
  l.b.control(Opcode::Loop);
  f(i);
  l.b.moveMasked(i, l.b.value(Opcode::IAdd, isa::Type::I32, i, l.imm(1)));
  l.brIf(l.b.icmp(isa::CmpI::Eq, isa::Type::I32, i, l.imm(count)), done);
  l.b.control(Opcode::EndLoop);
  l.endBlock(done);
}

/// A loop over the components of a lane: f(index, row, column), numbers of 32 bits.
template <class F>
void forEachComponent(Lowerer& l, const MatrixShape& shape, F&& f) {
  const Operand lane = rowOfLane(l, shape);
  repeat(l, shape.blocks, [&](Operand block) {
    const Operand first = l.b.value(Opcode::IMul, isa::Type::I32, block, l.imm(shape.columns));
    const Operand row = l.b.value(Opcode::IAdd, isa::Type::I32, firstRow(l, shape, block), lane);
    repeat(l, shape.columns,
           [&](Operand column) { f(l.b.value(Opcode::IAdd, isa::Type::I32, first, column), row, column); });
  });
}

/// Components in scratch memory while an instruction is lowered, where loops find them by number.
class WorkingMatrix {
 public:
  /// \param slot  of Lowerer::workingMemory()
  WorkingMatrix(Lowerer& l, uint32_t slot, uint32_t count)
      : l_(l), count_(count), first_(l.workingMemory(slot, count)) {}

  void putAll(const std::vector<Operand>& components) const;
  std::vector<Operand> all() const;
  /// `count` components from `index` + `further` on, at most 8.
  Operand get(Operand index, uint32_t further = 0, uint32_t count = 1) const;
  void put(Operand index, Operand value, uint32_t further = 0, uint32_t count = 1) const;

 private:
  Operand bytes(Operand index) const { return l_.b.value(Opcode::Shl, isa::Type::I32, index, l_.imm(2)); }

  Lowerer& l_;
  uint32_t count_, first_;
};

/// Where a matrix lies: what `pointerId` points to, as the first of components of a matrix. An error unless that is
/// memory.
Pointer matrixMemory(Lowerer& l, uint32_t pointerId, const MatrixShape& shape, uint32_t matrixType);

}  // namespace etzel::lower
