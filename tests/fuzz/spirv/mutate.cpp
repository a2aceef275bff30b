#include "tests/fuzz/spirv/mutate.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "tests/fuzz/core/raw.h"
#include "tests/fuzz/spirv/module.h"

namespace etzel::fuzz {
namespace {

using spv::Op;

bool is(const Instruction& inst, Op op) { return inst.opcode == uint16_t(op); }

/// Opcodes of one shape: operands of the same kinds, so that each may stand for another.
const std::vector<std::vector<Op>>& shapes() {
  static const std::vector<std::vector<Op>> kShapes = {
      {Op::OpIAdd, Op::OpISub, Op::OpIMul, Op::OpUDiv, Op::OpSDiv, Op::OpUMod, Op::OpSRem, Op::OpSMod, Op::OpBitwiseOr,
       Op::OpBitwiseXor, Op::OpBitwiseAnd, Op::OpShiftLeftLogical, Op::OpShiftRightLogical, Op::OpShiftRightArithmetic},
      {Op::OpFAdd, Op::OpFSub, Op::OpFMul, Op::OpFDiv, Op::OpFRem, Op::OpFMod},
      {Op::OpSNegate, Op::OpNot, Op::OpBitReverse, Op::OpBitCount},
      {Op::OpFNegate, Op::OpDPdx, Op::OpDPdy, Op::OpFwidth, Op::OpDPdxFine, Op::OpDPdyFine, Op::OpFwidthFine,
       Op::OpDPdxCoarse, Op::OpDPdyCoarse, Op::OpFwidthCoarse, Op::OpQuantizeToF16},
      {Op::OpIEqual, Op::OpINotEqual, Op::OpULessThan, Op::OpSLessThan, Op::OpUGreaterThan, Op::OpSGreaterThan,
       Op::OpULessThanEqual, Op::OpSLessThanEqual, Op::OpUGreaterThanEqual, Op::OpSGreaterThanEqual},
      {Op::OpFOrdEqual, Op::OpFUnordEqual, Op::OpFOrdNotEqual, Op::OpFUnordNotEqual, Op::OpFOrdLessThan,
       Op::OpFUnordLessThan, Op::OpFOrdGreaterThan, Op::OpFUnordGreaterThan, Op::OpFOrdLessThanEqual,
       Op::OpFUnordLessThanEqual, Op::OpFOrdGreaterThanEqual, Op::OpFUnordGreaterThanEqual},
      {Op::OpLogicalEqual, Op::OpLogicalNotEqual, Op::OpLogicalOr, Op::OpLogicalAnd},
      {Op::OpConvertFToU, Op::OpConvertFToS, Op::OpBitcast},
      {Op::OpConvertSToF, Op::OpConvertUToF, Op::OpBitcast},
      {Op::OpUConvert, Op::OpSConvert},
      {Op::OpIsNan, Op::OpIsInf},
      {Op::OpAny, Op::OpAll},
      {Op::OpAtomicExchange, Op::OpAtomicIAdd, Op::OpAtomicISub, Op::OpAtomicSMin, Op::OpAtomicUMin, Op::OpAtomicSMax,
       Op::OpAtomicUMax, Op::OpAtomicAnd, Op::OpAtomicOr, Op::OpAtomicXor},
      {Op::OpGroupNonUniformIAdd, Op::OpGroupNonUniformIMul, Op::OpGroupNonUniformSMin, Op::OpGroupNonUniformUMin,
       Op::OpGroupNonUniformSMax, Op::OpGroupNonUniformUMax, Op::OpGroupNonUniformBitwiseAnd,
       Op::OpGroupNonUniformBitwiseOr, Op::OpGroupNonUniformBitwiseXor},
      {Op::OpGroupNonUniformFAdd, Op::OpGroupNonUniformFMul, Op::OpGroupNonUniformFMin, Op::OpGroupNonUniformFMax},
      {Op::OpGroupNonUniformShuffle, Op::OpGroupNonUniformShuffleXor, Op::OpGroupNonUniformShuffleUp,
       Op::OpGroupNonUniformShuffleDown, Op::OpGroupNonUniformBroadcast, Op::OpGroupNonUniformQuadBroadcast},
      {Op::OpImageSampleImplicitLod, Op::OpImageFetch, Op::OpImageRead},
      {Op::OpImageSampleDrefImplicitLod, Op::OpImageDrefGather, Op::OpImageGather},
      {Op::OpReturn, Op::OpKill, Op::OpUnreachable, Op::OpTerminateInvocation},
      {Op::OpConstantTrue, Op::OpConstantFalse, Op::OpSpecConstantTrue, Op::OpSpecConstantFalse},
      {Op::OpMatrixTimesVector, Op::OpVectorTimesMatrix},
      {Op::OpConstantNull, Op::OpUndef},
  };
  return kShapes;
}

bool swapOpcode(Module& m, Random& random) {
  for (int tries = 0; tries < 16; ++tries) {
    Instruction& inst = m.code[pick(random, m.code.size())];
    for (const std::vector<Op>& shape : shapes())
      if (std::find(shape.begin(), shape.end(), Op(inst.opcode)) != shape.end()) {
        inst.opcode = uint16_t(shape[pick(random, shape.size())]);
        return true;
      }
  }
  return false;
}

bool changeConstant(Module& m, Random& random) {
  std::vector<Instruction*> constants;
  for (Instruction& inst : m.code)
    if ((is(inst, Op::OpConstant) || is(inst, Op::OpSpecConstant)) && inst.words.size() > 3) constants.push_back(&inst);
  if (constants.empty()) return false;
  Instruction& inst = *constants[pick(random, constants.size())];
  uint32_t& word = inst.words[3 + pick(random, inst.words.size() - 3)];
  word = pick(random, 2) ? interesting(random) : word + pick(random, 9) - 4;
  return true;
}

bool isLiteralOrEnum(const Operand& o) { return !isId(o) && o.type != SPV_OPERAND_TYPE_LITERAL_STRING && o.words == 1; }

/// Decorations, built-ins, execution modes, storage classes, literals, image operands, instructions of GLSL.std.450.
bool changeLiteral(Module& m, Random& random) {
  for (int tries = 0; tries < 24; ++tries) {
    Instruction& inst = m.code[pick(random, m.code.size())];
    std::vector<const Operand*> able;
    for (const Operand& o : inst.operands)
      if (isLiteralOrEnum(o)) able.push_back(&o);
    if (able.empty()) continue;
    const Operand& o = *able[pick(random, able.size())];
    uint32_t& word = inst.words[o.at];
    if (o.type == SPV_OPERAND_TYPE_EXTENSION_INSTRUCTION_NUMBER)
      word = 1 + pick(random, GLSLstd450Count - 1);
    else if (pick(random, 2))
      word = word + pick(random, 5) - 2;
    else
      word = pick(random, 3) ? pick(random, 64) : interesting(random);
    return true;
  }
  return false;
}

/// Types of all ids that have one.
std::map<uint32_t, uint32_t> typesOf(const Module& m) {
  std::map<uint32_t, uint32_t> types;
  for (const Instruction& inst : m.code)
    if (inst.result) types[inst.result] = inst.type;
  return types;
}

/// An operand becomes another id of the same type: mostly one that is defined before.
bool changeId(Module& m, Random& random) {
  const std::map<uint32_t, uint32_t> types = typesOf(m);
  for (int tries = 0; tries < 16; ++tries) {
    const size_t at = pick(random, m.code.size());
    Instruction& inst = m.code[at];
    std::vector<const Operand*> able;
    for (const Operand& o : inst.operands)
      if (isId(o) && o.type != SPV_OPERAND_TYPE_RESULT_ID) able.push_back(&o);
    if (able.empty()) continue;
    uint32_t& word = inst.words[able[pick(random, able.size())]->at];
    const auto type = types.find(word);
    std::vector<uint32_t> others;
    const size_t end = pick(random, 8) ? at : m.code.size();
    for (size_t i = 0; i < end && type != types.end(); ++i)
      if (m.code[i].result && m.code[i].type == type->second && m.code[i].result != word)
        if (type->second || m.code[i].opcode < uint16_t(Op::OpFunction)) others.push_back(m.code[i].result);
    if (others.empty()) continue;
    word = others[pick(random, others.size())];
    return true;
  }
  return false;
}

/// An instruction of a function once more, here or elsewhere, with a new result that may be used instead of the old.
bool repeatInstruction(Module& m, Random& random) {
  const size_t begin = firstFunction(m);
  if (begin >= m.code.size()) return false;
  const size_t at = begin + pick(random, m.code.size() - begin);
  Instruction copy = m.code[at];
  if (copy.result) {
    const uint32_t old = copy.result;
    copy.result = m.newId();
    for (const Operand& o : copy.operands)
      if (o.type == SPV_OPERAND_TYPE_RESULT_ID) copy.words[o.at] = copy.result;
    const uint32_t result = copy.result;
    for (size_t i = at + 1; i < m.code.size(); ++i)
      for (const Operand& o : m.code[i].operands)
        if (o.type == SPV_OPERAND_TYPE_ID && m.code[i].words[o.at] == old && pick(random, 2))
          m.code[i].words[o.at] = result;
  }
  const size_t to = pick(random, 2) ? at + 1 : std::min(m.code.size(), at + 1 + pick(random, 12));
  m.code.insert(m.code.begin() + ptrdiff_t(to), std::move(copy));
  return true;
}

/// Takes an instruction out; its uses get another id of its type.
bool deleteInstruction(Module& m, Random& random) {
  if (m.code.size() < 2) return false;
  const size_t begin = pick(random, 4) ? firstFunction(m) : 0;
  if (begin >= m.code.size()) return false;
  const size_t at = begin + pick(random, m.code.size() - begin);
  const Instruction gone = m.code[at];
  m.code.erase(m.code.begin() + ptrdiff_t(at));
  if (!gone.result || !gone.type) return true;
  uint32_t instead = 0;
  for (size_t i = 0; i < at; ++i)
    if (m.code[i].type == gone.type && (!instead || pick(random, 3) == 0)) instead = m.code[i].result;
  for (Instruction& inst : m.code)
    for (const Operand& o : inst.operands)
      if (instead && o.type == SPV_OPERAND_TYPE_ID && inst.words[o.at] == gone.result) inst.words[o.at] = instead;
  return true;
}

bool swapNeighbours(Module& m, Random& random) {
  const size_t begin = firstFunction(m);
  if (begin + 2 > m.code.size()) return false;
  const size_t at = begin + pick(random, m.code.size() - begin - 1);
  std::swap(m.code[at], m.code[at + 1]);
  return true;
}

/// Another execution mode, decoration or capability beside those that are there.
bool addDeclaration(Module& m, Random& random) {
  std::vector<size_t> places;
  for (size_t i = 0; i < m.code.size(); ++i)
    if (is(m.code[i], Op::OpExecutionMode) || is(m.code[i], Op::OpDecorate) || is(m.code[i], Op::OpMemberDecorate))
      places.push_back(i);
  if (places.empty()) return false;
  const size_t at = places[pick(random, places.size())];
  Instruction copy = m.code[at];
  for (const Operand& o : copy.operands)
    if (isLiteralOrEnum(o) && pick(random, 2)) copy.words[o.at] = pick(random, 48);
  if (pick(random, 2) && copy.words.size() < 6)
    copy.words.push_back(pick(random, 8));
  else if (pick(random, 4) == 0 && copy.words.size() > 3)
    copy.words.pop_back();
  m.code.insert(m.code.begin() + ptrdiff_t(at), std::move(copy));
  return true;
}

/// A branch goes elsewhere, or a conditional one the same way for both.
bool changeBranch(Module& m, Random& random) {
  std::vector<uint32_t> labels;
  std::vector<Instruction*> branches;
  for (Instruction& inst : m.code) {
    if (is(inst, Op::OpLabel)) labels.push_back(inst.result);
    if (is(inst, Op::OpBranch) || is(inst, Op::OpBranchConditional) || is(inst, Op::OpSwitch) ||
        is(inst, Op::OpLoopMerge) || is(inst, Op::OpSelectionMerge))
      branches.push_back(&inst);
  }
  if (branches.empty() || labels.empty()) return false;
  Instruction& inst = *branches[pick(random, branches.size())];
  const size_t first = is(inst, Op::OpBranchConditional) || is(inst, Op::OpSwitch) ? 2 : 1;
  if (inst.words.size() <= first) return false;
  if (is(inst, Op::OpBranchConditional) && pick(random, 2))
    std::swap(inst.words[2], inst.words[3]);
  else
    inst.words[first + pick(random, inst.words.size() - first)] = labels[pick(random, labels.size())];
  return true;
}

using Mutation = bool (*)(Module&, Random&);
constexpr Mutation kMutations[] = {swapOpcode,     swapOpcode,        changeConstant,    changeConstant,
                                   changeLiteral,  changeLiteral,     changeId,          changeId,
                                   changeId,       repeatInstruction, repeatInstruction, deleteInstruction,
                                   swapNeighbours, addDeclaration,    changeBranch};

/// Whether operands still say what the words are; mutations that rewrite words leave them behind.
bool refresh(Module& m) {
  std::optional<Module> again = parse(write(m));
  if (!again) return false;
  m = std::move(*again);
  return true;
}

}  // namespace

void mutateModule(Bytes& input, const Bytes& other, Random& random) {
  input.resize(input.size() & ~size_t{3});
  std::optional<Module> module;
  if (pick(random, 12)) module = parse(wordsOf(input));
  if (!module || module->code.size() < 4) {
    mutateRaw(input, other, random);
    return;
  }
  if (pick(random, 16) == 0)
    if (const std::optional<Module> donor = parse(wordsOf(other)); donor && donor->code.size() > 4)
      splice(*module, *donor);
  const uint32_t changes = 1 + pick(random, 4);
  for (uint32_t i = 0; i < changes; ++i) {
    kMutations[pick(random, std::size(kMutations))](*module, random);
    if (i + 1 < changes && !refresh(*module)) break;
  }
  if (pick(random, 8) == 0) module->header[2] = random();  // what a rig does with it (vk/rig.h)
  input = bytesOf(write(*module));
}

}  // namespace etzel::fuzz
