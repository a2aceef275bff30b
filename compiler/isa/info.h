// What isa.def says about each opcode, as a table to look things up in. Everything that must know an instruction's
// shape (builder, verifier, passes, encoders, executors) asks here; nobody switches over opcodes for it. Pure, any
// thread.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::isa {

/// How many words an operand takes.
enum class OperandShape : uint8_t {
  None,       ///< the instruction has no such operand
  One,        ///< one word
  Two,        ///< two words
  Four,       ///< four words
  Element,    ///< one element of the instruction's type
  Count,      ///< `count` elements of the instruction's type
  Address,    ///< first operand of memory instructions: as the space says
  TexArgs,    ///< argument block of a texture instruction
  TexResult,  ///< result block of a texture instruction
  Gather,     ///< blocks of tld4: result, coordinates, the rest
};

/// Which enumeration Inst::sub belongs to.
enum class SubKind : uint8_t { None, CmpF, CmpI, Space, Reduce, SourceType, Bary, PixLd, Sampler };

struct OpInfo {
  const char* name = nullptr;  ///< null: the opcode does not exist
  const char* mnemonic = nullptr;
  const char* semantics = nullptr;
  bool extension = false;
  // Extension rows
  OperandShape dst = OperandShape::None;
  std::array<OperandShape, 3> src{};
  uint8_t srcCount = 0;
  uint8_t typeMask = 0;  ///< bit per Type
  SubKind sub = SubKind::None;
  bool control = false, memory = false, sideEffect = false, quad = false, immediate = false, atomic = false;
  // Base rows
  uint8_t baseOperands = 0;  ///< operands written in the text, unit and sample numbers included
  char baseKind = 0;         ///< V vector, S scalar select, P predicate, T texture, L sample, A attribute, 0 none
  char baseResult = 0;       ///< R register, P predicate, A accumulator, 0 none
  bool baseInteger = false;  ///< immediates are integers
};

/// The row of an opcode; `name` is null for numbers without one.
const OpInfo& opInfo(Opcode op);
inline const OpInfo& opInfo(const Inst& inst) { return opInfo(inst.op); }

const char* typeName(Type t);           ///< "f32"
const char* bankName(Bank b);           ///< "i", "o", "c", "r", "a", "c", "#", "-"
const char* subName(const Inst& inst);  ///< name of the sub-operation, "" when the row has none
const char* sysValueName(abi::SysValue v);
uint32_t subCount(SubKind kind);  ///< legal sub values are below this
const char* subNameOf(SubKind kind, uint32_t sub);
const char* atomicName(abi::AtomicOp op);

/// Words that the destination takes; 0 without one.
uint32_t dstWords(const Inst& inst);
/// Words that source `i` takes; 0 where the row has no such operand. Present or not is up to the instruction.
uint32_t srcWords(const Inst& inst, uint32_t i);

/// Calls f(Operand, words) for every source that is present.
template <class F>
void forEachSource(const Inst& inst, F&& f) {
  for (uint32_t i = 0; i < 3; ++i)
    if (inst.src[i].present()) f(inst.src[i], srcWords(inst, i));
}

/// Completes the ProgramInfo of a hand-written program of a known stage with what its instructions do: system values
/// and inputs read, outputs written, side effects. Facts that are set already stay.
void deriveInfo(Program& program);

/// True when removing the instruction changes nothing but its destination.
bool isPure(const Inst& inst);
/// Opens (If, Block, Loop), continues (Else) or closes (EndIf, EndBlock, EndLoop) a structure.
inline bool opensScope(Opcode op) { return op == Opcode::If || op == Opcode::Block || op == Opcode::Loop; }
inline bool closesScope(Opcode op) { return op == Opcode::EndIf || op == Opcode::EndBlock || op == Opcode::EndLoop; }

}  // namespace etzel::isa
