// What isa.def says about each opcode, as a table to look things up in. Everything that must know an instruction's
// shape (builder, verifier, passes, encoders, executors) asks here; nobody switches over opcodes for it. Pure, any
// thread.
#pragma once

#include "compiler/isa/program.h"
#include "compiler/isa/sub_operations.h"

namespace etzel::isa {

/// How many words an operand takes.
enum class OperandShape : uint8_t {
  None,       ///< the instruction has no such operand
  One,        ///< one word
  Two,        ///< two words
  Four,       ///< four words
  Eight,      ///< eight words
  Element,    ///< one element of the instruction's type
  Count,      ///< `count` elements of the instruction's type
  Address,    ///< first operand of memory instructions: as the space says
  TexArgs,    ///< argument block of a texture instruction
  TexResult,  ///< result block of a texture instruction
  Gather,     ///< blocks of tld4: result, coordinates, the rest
};

/// What an instruction does beside giving a result.
enum class Effect : uint8_t {
  None,     ///< nothing
  ByImm,    ///< as the immediate says (isPure)
  Flow,     ///< where lanes go on
  Kill,     ///< lanes are discarded and end
  Demote,   ///< lanes are discarded and go on as helpers
  Barrier,  ///< waits for the workgroup
  Store,    ///< writes memory
  Fence,    ///< orders memory
  Vertex,   ///< emits vertices
  Time,     ///< asks for the time
  Print,    ///< tells those who listen
  Output,   ///< base instructions: writes an output of its own
  State,    ///< base instructions: the accumulator, the sample counter
};

/// How the lanes of a result relate.
enum class Lanes : uint8_t {
  None,     ///< there is no result
  Alike,    ///< the active lanes agree, whatever the operands are
  Follow,   ///< lanes with equal operands get equal results
  Differ,   ///< lanes may differ although their operands are equal
  Copy,     ///< as the source's, word by word
  BySys,    ///< as the system value says (abi::SysLanes)
  BySpace,  ///< Follow where the space is uniform, else Differ
};

/// Whether an instruction that repeats another one, with the same sources, gives the same result wherever it stands: no
/// memory that others write, no dependence on which lanes run, no state that changes on the way.
enum class Merge : uint8_t {
  No,
  Yes,
  BySpace,  ///< where the space is constant
};

/// Whether one invocation may run the instruction for several samples of a pixel (abi::ProgramInfo::sharesSamples).
enum class Samples : uint8_t {
  Never,    ///< it stores, looks at other lanes, or its result differs by sample
  Same,     ///< its result is the same for all samples if its operands are
  Copy,     ///< the result holds what the source holds, word by word
  Floor,    ///< as Same; positions within a pixel become the pixel's
  BySys,    ///< as the system value says (abi::SysFragments)
  ByImage,  ///< as the texture operation says
  ByPlace,  ///< as the place of interpolation says
  BySpace,  ///< as the space says: the lane's own are fine
};

/// Which part of the native executor translates an instruction (compiler/jit/emitter.h); Call: the interpreter's
/// handler is called for this one instruction.
enum class Native : uint8_t { Flow, Move, Float, Scale, Math, Integer, Convert, Lanes, Memory, Texture, Call };

/// Operand shapes and properties of an opcode. Those of extension rows that a pass asks for have no default: isa.def
/// gives them all.
struct OpInfo {
  const char* name = nullptr;  ///< null: the opcode does not exist
  const char* mnemonic = nullptr;
  const char* semantics = nullptr;
  bool extension = false;
  // Extension rows
  OperandShape dst = OperandShape::None;
  std::array<OperandShape, 3> src{};
  uint8_t srcCount = 0;
  std::array<bool, 3> optional{};  ///< the source may be absent
  uint8_t typeMask = 0;            ///< bit per Type
  SubKind sub = SubKind::None;
  bool memory = false, immediate = false, atomic = false;
  bool quad = false;       ///< looks at the lanes of its quad
  bool boolean = false;    ///< gives 0 or ~0
  bool fromFloat = false;  ///< SubKind::SourceType: the source is a float
  bool fragment = false;   ///< in fragment programs only
  bool slow = false;       ///< costs more than a branch around it
  Lanes lanes = Lanes::None;
  Merge merge = Merge::No;
  Samples samples = Samples::Never;
  Native native = Native::Call;
  // All rows
  Effect effect = Effect::None;
  bool control = false, sideEffect = false;  ///< what `effect` means for extension instructions
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
const char* stageName(abi::Stage s);    ///< "compute"
const char* bankName(Bank b);           ///< "i", "o", "c", "r", "a", "c", "#", "-"
const char* subName(const Inst& inst);  ///< name of the sub-operation, "" when the row has none
const char* sysValueName(abi::SysValue v);
const char* atomicName(abi::AtomicOp op);

/// Words that the destination takes; 0 without one.
uint32_t dstWords(const Inst& inst);
/// Words that source `i` takes; 0 where the row has no such operand. Present or not is up to the instruction.
uint32_t srcWords(const Inst& inst, uint32_t i);

/// Whether Inst::count says how many elements an operand has.
inline bool countsElements(const OpInfo& info) {
  return info.dst == OperandShape::Count || info.src[0] == OperandShape::Count || info.src[2] == OperandShape::Count;
}

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
/// True when one that repeats it, with the same sources, may take its result instead (Merge).
bool isMergeable(const Inst& inst);
/// True when the result is a function of the operands alone, so that it may be computed while compiling.
bool isArithmetic(Opcode op);
/// Opens (If, Block, Loop), continues (Else) or closes (EndIf, EndBlock, EndLoop) a structure.
inline bool opensScope(Opcode op) { return op == Opcode::If || op == Opcode::Block || op == Opcode::Loop; }
inline bool closesScope(Opcode op) { return op == Opcode::EndIf || op == Opcode::EndBlock || op == Opcode::EndLoop; }

}  // namespace etzel::isa
