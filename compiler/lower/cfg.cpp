// Structured control flow of SPIR-V to the ISA's if, block and loop, with every call inlined.
//
// A construct becomes a block that its merge label names: branches to the label leave the block. While a construct is
// open, its labels are in exits_; the region walk emits blocks one after the other and turns branches to those labels
// into br. Phis are registers that every predecessor writes, masked, before it branches.
#include <algorithm>

#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"

namespace etzel::lower {
namespace {

constexpr uint32_t kLabelled = 0x80000000u;  // imm of control flow that names a block until resolveBranches()
constexpr uint32_t kMaxEmittedBlocks = 200000;
constexpr uint32_t kMaxCallDepth = 128;
constexpr size_t kFreeInstructions = 32 * 1024, kInstructionsPerWord = 16;
/// Further ones for modules with cooperative matrices: every lane has up to 8,192 components of one.
constexpr size_t kMatrixInstructions = 512 * 1024;

}  // namespace

// --- Labelled blocks

uint32_t Lowerer::beginBlock() {
  b.control(Opcode::Block, {}, kLabelled | blockCount_);
  return blockCount_++;
}
void Lowerer::endBlock(uint32_t block) {
  // A branch to the place right behind it is nothing.
  while (!program.code.empty() && program.code.back().op == Opcode::Br &&
         program.code.back().imm == (kLabelled | block))
    program.code.pop_back();
  b.control(Opcode::EndBlock, {}, kLabelled | block);
}
void Lowerer::br(uint32_t block) { b.control(Opcode::Br, {}, kLabelled | block); }
void Lowerer::brIf(Operand cond, uint32_t block) { b.control(Opcode::BrC, cond, kLabelled | block); }

/// Drops blocks that nothing leaves and replaces labels by depths.
void Lowerer::resolveBranches() {
  std::vector<bool> used(blockCount_);
  for (const isa::Inst& inst : program.code)
    if ((inst.op == Opcode::Br || inst.op == Opcode::BrC) && inst.imm & kLabelled) used[inst.imm & ~kLabelled] = true;
  std::vector<uint32_t> open;
  std::vector<isa::Inst> out;
  out.reserve(program.code.size());
  for (isa::Inst inst : program.code) {
    const bool labelled = inst.imm & kLabelled;
    const uint32_t label = inst.imm & ~kLabelled;
    switch (inst.op) {
      case Opcode::Block:
        if (labelled && !used[label]) continue;
        open.push_back(labelled ? label : ~0u);
        inst.imm = 0;
        break;
      case Opcode::EndBlock:
        if (labelled && !used[label]) continue;
        if (!open.empty()) open.pop_back();
        inst.imm = 0;
        break;
      case Opcode::Br:
      case Opcode::BrC:
        if (labelled) {
          auto it = std::find(open.rbegin(), open.rend(), label);
          if (it == open.rend()) error(ErrorCode::InvalidShader, "a branch leaves a construct that is not open");
          inst.imm = static_cast<uint32_t>(it - open.rbegin());
        }
        break;
      default: break;
    }
    out.push_back(std::move(inst));
  }
  program.code = std::move(out);
}

// --- Regions

Lowerer::Exit* Lowerer::findExit(uint32_t label) {
  for (auto it = exits_.rbegin(); it != exits_.rend(); ++it)
    if (it->label == label) return &*it;
  return nullptr;
}
void Lowerer::leave(Exit& exit) {
  exit.reached = true;
  if (exit.flag.present()) b.moveMasked(exit.flag, imm(~0u));
  br(exit.block);
}
const spirv::Block* Lowerer::blockOf(const Frame& frame, uint32_t label) const {
  auto it = frame.function->blockIndex.find(label);
  return it == frame.function->blockIndex.end() ? nullptr : &frame.function->blocks[it->second];
}

/// Opens the construct that ends at `label`; closeConstruct() tells whether anything gets there. What nothing reaches
/// is not emitted: after a branch on a constant it may use values that were never made.
uint32_t Lowerer::openConstruct(uint32_t label) {
  const uint32_t block = beginBlock();
  exits_.push_back({label, block, {}, false});
  return block;
}
bool Lowerer::closeConstruct(uint32_t block) {
  const bool reached = exits_.back().reached;
  exits_.pop_back();
  endBlock(block);
  return reached;
}

void Lowerer::region(Frame& frame, uint32_t label, uint32_t fall, bool insideHeader) {
  blocks(frame, label, fall, insideHeader);
  if (debug) debugBetweenLines();
}

/// Emits from `label` on. A branch to `fall` just ends the region: what the caller emits next is that label's place.
void Lowerer::blocks(Frame& frame, uint32_t label, uint32_t fall, bool insideHeader) {
  while (!failed()) {
    if (!insideHeader) {
      Exit* exit = findExit(label);
      if (label == fall) {
        if (exit) exit->reached = true;
        return;
      }
      if (exit) return leave(*exit);
    }
    const spirv::Block* block = blockOf(frame, label);
    if (!block) return error(ErrorCode::InvalidShader, "a branch goes to a missing block");
    if (++emitted_ > kMaxEmittedBlocks) return error(ErrorCode::Unsupported, "the control flow is too large");
    if (block->loopMerge() && !insideHeader) {
      if (!loop(frame, *block)) return;
      label = block->loopMerge();
      continue;
    }
    insideHeader = false;
    blockCode(frame, *block);
    uint32_t next = 0;
    if (failed() || !terminate(frame, *block, fall, &next)) return;
    label = next;
  }
}

void Lowerer::blockCode(Frame& frame, const spirv::Block& block) {
  for (const spirv::Instruction& inst : block.code) {
    b.setLine(inst.line);
    if (debug) debugSite(inst);
    if (isDebugInstruction(inst)) {
      debugInstruction(inst);
      continue;
    }
    if (inst.op == spv::Op::OpPhi)
      phiRegisters(inst);
    else if (inst.op == spv::Op::OpFunctionCall)
      call(inst);
    else
      instruction(inst);
    if (failed()) return;
    if (debug) debugResult(inst);
  }
  b.setLine(block.terminator.line);
  if (debug) debugSite(block.terminator);
}

/// block(merge) { loop { block(continue) { body } block(header) { continue construct } } }
bool Lowerer::loop(Frame& frame, const spirv::Block& header) {
  const uint32_t next = header.loopContinue();
  if (debug) debugBetweenLines();  // who comes back does not come back to what stands in front
  const uint32_t mergeBlock = openConstruct(header.loopMerge());
  b.control(Opcode::Loop);
  if (next != header.label) {
    const uint32_t continueBlock = openConstruct(next);
    region(frame, header.label, next, true);
    if (closeConstruct(continueBlock)) {
      const uint32_t backBlock = openConstruct(header.label);
      region(frame, next, header.label);
      closeConstruct(backBlock);
    }
  } else {
    const uint32_t backBlock = openConstruct(header.label);
    region(frame, header.label, header.label, true);
    closeConstruct(backBlock);
  }
  b.control(Opcode::EndLoop);
  return closeConstruct(mergeBlock);
}

// --- Phis

const std::vector<Operand>& Lowerer::phiRegisters(const spirv::Instruction& phi) {
  Value& v = values_[phi.result];
  if (!v.present) {
    v.type = phi.type;
    v.components.clear();
    // One register per phi, so that vectors stay together.
    const std::vector<uint32_t>& scalars = scalarsOf(phi.type);
    uint32_t words = 0;
    for (uint32_t s : scalars) words += wordsOfScalar(s);
    if (words) {
      Operand at = newTemp(words);
      for (uint32_t s : scalars) {
        v.components.push_back(at);
        at.word += wordsOfScalar(s);
      }
    }
    v.present = true;
  }
  return v.components;
}

bool Lowerer::hasPhis(const Frame& frame, uint32_t label) const {
  const spirv::Block* block = blockOf(frame, label);
  return block && !block->code.empty() && block->code[0].op == spv::Op::OpPhi;
}

void Lowerer::phiCopies(Frame& frame, uint32_t from, uint32_t to) {
  const spirv::Block* block = blockOf(frame, to);
  if (!block) return;
  struct Copy {
    Operand dst, src;
    uint32_t words;
  };
  std::vector<Copy> copies;
  for (const spirv::Instruction& phi : block->code) {
    if (phi.op != spv::Op::OpPhi) break;
    for (size_t i = 0; i + 1 < phi.size(); i += 2) {
      if (phi.operand(i + 1) != from) continue;
      const spirv::Constant* constant = module.constant(phi.operand(i));
      const std::vector<Operand> dst = phiRegisters(phi);
      if (constant && constant->undefined) break;
      const std::vector<Operand> src = components(phi.operand(i));
      const std::vector<uint32_t>& scalars = scalarsOf(phi.type);
      for (size_t k = 0; k < dst.size() && k < src.size(); ++k)
        if (!(dst[k] == src[k])) copies.push_back({dst[k], src[k], wordsOfScalar(scalars[k])});
      break;
    }
  }
  // All phis change at once: sources that are destinations of this edge are saved first.
  for (Copy& c : copies) {
    const bool clobbered = std::any_of(copies.begin(), copies.end(), [&](const Copy& other) {
      return &other != &c && other.dst.bank == c.src.bank && other.dst.word < c.src.word + c.words &&
             c.src.word < other.dst.word + other.words;
    });
    if (!clobbered) continue;
    const Operand saved = newTemp(c.words);
    b.move(saved, c.src, c.words);
    c.src = saved;
  }
  for (size_t i = 0; i < copies.size(); ++i) {
    Copy c = copies[i];
    while (i + 1 < copies.size() && c.words + copies[i + 1].words <= 8 &&
           c.dst.word + c.words == copies[i + 1].dst.word && c.src.bank == copies[i + 1].src.bank &&
           c.src.word + c.words == copies[i + 1].src.word && c.src.bank != isa::Bank::Temp &&
           isOneRegister(c.dst, c.words + copies[i + 1].words))
      c.words += copies[++i].words;
    b.moveMasked(c.dst, c.src, c.words);
  }
}

void Lowerer::edge(Frame& frame, uint32_t from, uint32_t to, uint32_t fall) {
  phiCopies(frame, from, to);
  region(frame, to, fall);
}

// --- Terminators. True: emission goes on at *next.

bool Lowerer::terminate(Frame& frame, const spirv::Block& block, uint32_t fall, uint32_t* next) {
  const spirv::Instruction& t = block.terminator;
  switch (t.op) {
    case spv::Op::OpBranch: {
      const uint32_t target = t.operand(0);
      // A selection header may end with a plain branch (spirv-opt leaves such): its merge still ends the construct.
      phiCopies(frame, block.label, target);
      if (const uint32_t merge = block.selectionMerge()) {
        const uint32_t mergeBlock = openConstruct(merge);
        region(frame, target, merge);
        *next = merge;
        return closeConstruct(mergeBlock);
      }
      *next = target;
      return true;
    }
    case spv::Op::OpBranchConditional: return conditional(frame, block, fall, next);
    case spv::Op::OpSwitch: return switchOver(frame, block, fall, next);
    case spv::Op::OpReturn:
      if (frame.depth == 0)
        b.ret();
      else
        br(frame.returnBlock);
      return false;
    case spv::Op::OpReturnValue: {
      const std::vector<Operand> value = components(t.operand(0));
      const std::vector<uint32_t>& scalars = scalarsOf(frame.function->resultType);
      for (size_t i = 0; i < frame.result.size() && i < value.size(); ++i)
        b.moveMasked(frame.result[i], value[i], wordsOfScalar(scalars[i]));
      br(frame.returnBlock);
      return false;
    }
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
      info().discards = true;
      b.control(Opcode::Kill);
      return false;
    case spv::Op::OpUnreachable: return false;
    default:
      if (t.op == spirv::kOpAbort)
        lowerAbort(*this, t);
      else
        unsupported(t, "as a terminator");
      return false;
  }
}

bool Lowerer::conditional(Frame& frame, const spirv::Block& block, uint32_t fall, uint32_t* next) {
  const spirv::Instruction& t = block.terminator;
  const uint32_t yes = t.operand(1), no = t.operand(2), merge = block.selectionMerge();
  uint32_t known = 0;
  const bool isKnown = yes == no || constantU32(t.operand(0), &known);
  const Operand cond = isKnown ? Operand{} : scalar(t.operand(0));
  auto negated = [&] { return b.value(Opcode::Not, isa::Type::I32, cond); };
  auto empty = [&](uint32_t target, uint32_t end) { return target == end && !hasPhis(frame, target); };

  if (merge) {
    const uint32_t mergeBlock = openConstruct(merge);
    if (empty(yes, merge) || empty(no, merge)) exits_.back().reached = !isKnown;
    if (isKnown) {
      edge(frame, block.label, known || yes == no ? yes : no, merge);
    } else if (empty(yes, merge)) {
      if (!empty(no, merge)) {
        b.ifBegin(negated());
        edge(frame, block.label, no, merge);
        b.ifEnd();
      }
    } else {
      b.ifBegin(cond);
      edge(frame, block.label, yes, merge);
      if (!empty(no, merge)) {
        b.elseBegin();
        edge(frame, block.label, no, merge);
      }
      b.ifEnd();
    }
    *next = merge;
    return closeConstruct(mergeBlock);
  }
  if (isKnown) {
    *next = known || yes == no ? yes : no;
    phiCopies(frame, block.label, *next);
    return true;
  }
  // No merge: usually one side, or both, leaves a construct.
  auto leaveIf = [&](bool onTrue, uint32_t target) {
    Exit& exit = *findExit(target);
    exit.reached = true;
    const Operand c = onTrue ? cond : negated();
    if (!hasPhis(frame, target) && !exit.flag.present()) return brIf(c, exit.block);
    b.ifBegin(c);
    phiCopies(frame, block.label, target);
    leave(exit);
    b.ifEnd();
  };
  if (findExit(yes)) {
    leaveIf(true, yes);
    *next = no;
    phiCopies(frame, block.label, no);
    return true;
  }
  if (findExit(no)) {
    leaveIf(false, no);
    *next = yes;
    phiCopies(frame, block.label, yes);
    return true;
  }
  // Both go on inside, e.g. below a loop header: what they share is emitted on both sides.
  b.ifBegin(cond);
  edge(frame, block.label, yes, fall);
  b.elseBegin();
  edge(frame, block.label, no, fall);
  b.ifEnd();
  return false;
}

/// The cases of an OpSwitch, in the order of its operands.
struct Lowerer::Switch {
  struct Case {
    uint32_t label;
    std::vector<uint64_t> literals;
    bool isDefault = false;
    Operand flag;
  };
  std::vector<Case> cases;
  uint32_t defaultLabel = 0, merge = 0;

  Case* find(uint32_t label) {
    const auto at = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.label == label; });
    return at == cases.end() ? nullptr : &*at;
  }
};

Lowerer::Switch Lowerer::readSwitch(const spirv::Block& block) {
  const spirv::Instruction& t = block.terminator;
  Switch s;
  s.defaultLabel = t.operand(1), s.merge = block.selectionMerge();
  const uint32_t width = widthOf(typeOf(t.operand(0)));
  const uint32_t literalWords = width == 64 ? 2 : 1;
  for (size_t i = 2; i + literalWords < t.size(); i += literalWords + 1) {
    uint64_t literal = t.operand(i);
    if (literalWords == 2)
      literal |= uint64_t(t.operand(i + 1)) << 32;
    else if (width < 32)
      literal &= (1u << width) - 1;
    const uint32_t label = t.operand(i + literalWords);
    if (!s.find(label)) s.cases.push_back({label, {}, false, {}});
    s.find(label)->literals.push_back(literal);
  }
  return s;
}

/// Whether code of the case `from` falls into the case `to`.
bool Lowerer::fallsInto(const Frame& frame, Switch& s, uint32_t from, uint32_t to) {
  std::unordered_set<uint32_t> seen;
  std::vector<uint32_t> stack{from};
  while (!stack.empty()) {
    const uint32_t label = stack.back();
    stack.pop_back();
    if (label == to && seen.size()) return true;
    if (!seen.insert(label).second || label == s.merge || findExit(label)) continue;
    if (label != from && s.find(label)) continue;
    const spirv::Block* at = blockOf(frame, label);
    if (!at) continue;
    const spirv::Instruction& term = at->terminator;
    if (term.op == spv::Op::OpBranch) stack.push_back(term.operand(0));
    if (term.op == spv::Op::OpBranchConditional) stack.push_back(term.operand(1)), stack.push_back(term.operand(2));
    if (term.op == spv::Op::OpSwitch)
      for (size_t i = 1; i < term.size(); ++i) stack.push_back(term.operand(i));
  }
  return false;
}

/// The default construct has no place in the order of the operands: it goes before a case that it falls into, behind a
/// case that falls into it ("Structured Control-flow Constraints", OpSwitch), else to the end.
void Lowerer::placeDefault(const Frame& frame, Switch& s) {
  if (Switch::Case* c = s.find(s.defaultLabel)) {
    c->isDefault = true;
    return;
  }
  size_t place = s.cases.size();
  if (s.defaultLabel != s.merge && !findExit(s.defaultLabel))
    for (size_t i = 0; i < s.cases.size(); ++i) {
      const uint32_t label = s.cases[i].label;
      if (label == s.merge || findExit(label)) continue;
      if (fallsInto(frame, s, s.defaultLabel, label)) {
        place = i;
        break;
      }
      if (fallsInto(frame, s, label, s.defaultLabel)) {
        place = i + 1;
        break;
      }
    }
  s.cases.insert(s.cases.begin() + static_cast<ptrdiff_t>(place), Switch::Case{s.defaultLabel, {}, true, {}});
}

/// Computes in which lanes each case runs, and the phis of its first block.
void Lowerer::chooseCases(Frame& frame, const spirv::Block& block, Switch& s) {
  const uint32_t selectorId = block.terminator.operand(0), selectorType = typeOf(selectorId);
  const bool wide = widthOf(selectorType) == 64;
  const Operand selector = scalar(selectorId);
  const isa::Type selectorIsa = isaType(selectorType);
  Operand anyMatch;
  auto either = [&](Operand x, Operand y) { return x.present() ? b.value(Opcode::Or, isa::Type::I32, x, y) : y; };
  for (Switch::Case& c : s.cases)
    for (uint64_t literal : c.literals)
      c.flag =
          either(c.flag, b.icmp(isa::CmpI::Eq, selectorIsa, selector, wide ? imm64(literal) : imm(uint32_t(literal))));
  for (const Switch::Case& c : s.cases)
    if (c.flag.present() && !c.isDefault) anyMatch = either(anyMatch, c.flag);
  for (Switch::Case& c : s.cases) {
    if (c.isDefault) c.flag = anyMatch.present() ? b.value(Opcode::Not, isa::Type::I32, anyMatch) : imm(~0u);
    // The flag changes in some lanes when a case falls through: its own register.
    const Operand own = newTemp(1);
    b.moveMasked(own, c.flag);
    c.flag = own;
    if (hasPhis(frame, c.label)) {
      b.ifBegin(c.flag);
      phiCopies(frame, block.label, c.label);
      b.ifEnd();
    }
  }
}

/// The one case of a selector that is known.
bool Lowerer::onlyCase(Frame& frame, const spirv::Block& block, const Switch& s, uint64_t selector, uint32_t* next) {
  uint32_t target = s.defaultLabel;
  for (const Switch::Case& c : s.cases)
    if (std::count(c.literals.begin(), c.literals.end(), selector)) target = c.label;
  phiCopies(frame, block.label, target);
  if (!s.merge) {
    *next = target;
    return true;
  }
  const uint32_t mergeBlock = openConstruct(s.merge);
  region(frame, target, s.merge);
  *next = s.merge;
  return closeConstruct(mergeBlock);
}

/// block(merge) { flags of the cases; for each case: block { if (flag) { body } } }. A case that falls through sets the
/// next one's flag.
bool Lowerer::switchOver(Frame& frame, const spirv::Block& block, uint32_t fall, uint32_t* next) {
  Switch s = readSwitch(block);
  const spirv::Constant* known = module.constant(block.terminator.operand(0));
  if (known && known->scalars.size() == 1) return onlyCase(frame, block, s, known->scalars[0], next);
  placeDefault(frame, s);
  const uint32_t mergeBlock = openConstruct(s.merge);
  if (s.find(s.merge)) exits_.back().reached = true;
  chooseCases(frame, block, s);
  // The cases that others may fall into, the next one at the end. Built once: there may be 16,383 of them.
  const size_t base = exits_.size();
  std::vector<Exit> later;
  for (auto c = s.cases.rbegin(); c != s.cases.rend(); ++c)
    if (c->label != s.merge && !findExit(c->label)) later.push_back({c->label, 0, c->flag, false});
  exits_.insert(exits_.end(), later.begin(), later.end());
  for (size_t i = 0; i < s.cases.size() && !failed(); ++i) {
    if (exits_.size() > base && exits_.back().label == s.cases[i].label) exits_.pop_back();
    if (s.cases[i].label == s.merge) continue;
    const uint32_t caseBlock = beginBlock();
    for (auto exit = exits_.begin() + ptrdiff_t(base); exit != exits_.end(); ++exit)
      exit->block = caseBlock, exit->reached = false;
    b.ifBegin(s.cases[i].flag);
    region(frame, s.cases[i].label, s.merge ? s.merge : fall);
    b.ifEnd();
    endBlock(caseBlock);
  }
  exits_.resize(base);
  *next = s.merge;
  return closeConstruct(mergeBlock) && s.merge;
}

// --- Calls

void Lowerer::call(const spirv::Instruction& inst) {
  auto it = module.functions.find(inst.operand(0));
  std::vector<Argument> arguments;
  if (it != module.functions.end())
    for (size_t i = 0; i < it->second.parameters.size(); ++i) {
      const uint32_t id = inst.operand(i + 1);
      if (type(it->second.parameters[i].type).kind == TypeKind::Pointer)
        arguments.push_back({pointer(id), {}});
      else
        arguments.push_back({{}, components(id)});
    }
  std::vector<Operand> result = inlineFunction(inst, inst.operand(0), arguments);
  if (!failed() && type(it->second.resultType).kind != TypeKind::Void) setResult(inst, std::move(result));
}

std::vector<Operand> Lowerer::inlineFunction(const spirv::Instruction& inst, uint32_t function,
                                             const std::vector<Argument>& arguments) {
  auto it = module.functions.find(function);
  if (it == module.functions.end() || it->second.blocks.empty()) {
    error(ErrorCode::InvalidShader, "a called function has no body");
    return {};
  }
  const spirv::Function& f = it->second;
  if (callStack_.size() > kMaxCallDepth || std::count(callStack_.begin(), callStack_.end(), f.id)) {
    error(ErrorCode::InvalidShader, "functions call each other in a circle");
    return {};
  }
  for (size_t i = 0; i < f.parameters.size() && i < arguments.size(); ++i) {
    const spirv::Instruction& p = f.parameters[i];
    if (type(p.type).kind == TypeKind::Pointer) {
      values_.erase(p.result);
      pointers_[p.result] = arguments[i].pointer;
    } else {
      values_[p.result] = Value{p.type, arguments[i].value, true};
    }
  }
  Frame frame;
  frame.function = &f;
  frame.depth = static_cast<uint32_t>(callStack_.size());
  for (uint32_t s : scalarsOf(f.resultType)) frame.result.push_back(newTemp(wordsOfScalar(s)));
  frame.returnBlock = beginBlock();
  callStack_.push_back(f.id);
  if (debug) debugEnter(f);
  region(frame, f.blocks[0].label, 0);
  if (debug) debugLeave(inst);
  callStack_.pop_back();
  endBlock(frame.returnBlock);
  return frame.result;
}

void Lowerer::instruction(const spirv::Instruction& inst) {
  if (inst.op == spv::Op::OpNop || inst.op == spv::Op::OpLine || inst.op == spv::Op::OpNoLine) return;
  if (program.code.size() + prologue_.size() - shadows_ > instructionLimit_)
    return error(ErrorCode::Unsupported,
                 "more than " + std::to_string(instructionLimit_) + " instructions when all calls are inlined");
  const size_t first = program.code.size();
  struct Contraction {  // at every way out
    Lowerer& l;
    const spirv::Instruction& inst;
    size_t first;
    ~Contraction() { l.allowContraction(inst, first); }
  } contraction{*this, inst, first};
  if (const Lowering lowering = loweringTable().find(inst.op)) return lowering(*this, inst);
  unsupported(inst);
}

/// Marks what was made of `inst` where the module lets a product and a sum be one operation ("Contraction" in the
/// SPIR-V specification: unless NoContraction says otherwise).
void Lowerer::allowContraction(const spirv::Instruction& inst, size_t first) {
  switch (inst.op) {
    case spv::Op::OpFAdd:
    case spv::Op::OpFSub:
    case spv::Op::OpFMul:
    case spv::Op::OpDot:
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpMatrixTimesScalar:
    case spv::Op::OpVectorTimesMatrix:
    case spv::Op::OpMatrixTimesVector:
    case spv::Op::OpMatrixTimesMatrix: break;
    default: return;
  }
  if (!contracts_ || module.decorationsOf(inst.result).has(spv::Decoration::NoContraction)) return;
  for (size_t i = first; i < program.code.size(); ++i) {
    const Opcode op = program.code[i].op;
    if (op == Opcode::FMul || op == Opcode::FAdd || op == Opcode::FSub) program.code[i].contract = true;
  }
}

/// Invariant outputs must not depend on what else a shader computes, and float controls ask for the plain operations.
bool Lowerer::mayContract() const {
  for (spv::ExecutionMode m : {spv::ExecutionMode::DenormPreserve, spv::ExecutionMode::DenormFlushToZero,
                               spv::ExecutionMode::SignedZeroInfNanPreserve, spv::ExecutionMode::RoundingModeRTE,
                               spv::ExecutionMode::RoundingModeRTZ, spv::ExecutionMode::ContractionOff})
    if (module.hasMode(m)) return false;
  // "FloatControls2": nothing is contracted unless its instruction allows it. None is.
  if (std::find(module.capabilities.begin(), module.capabilities.end(), spirv::kFloatControls2) !=
      module.capabilities.end())
    return false;
  for (const auto& [id, d] : module.decorations)
    if (d.has(spv::Decoration::Invariant)) return false;
  for (const auto& [member, d] : module.memberDecorations)
    if (d.has(spv::Decoration::Invariant)) return false;
  return true;
}

// --- Entry

Result<void> Lowerer::run() {
  program.info.stage = source.stage;
  program.locations = module.locations;
  program.name = source.entryPoint;
  contracts_ = mayContract();
  instructionLimit_ = kFreeInstructions + kInstructionsPerWord * module.words.size();
  const auto& capabilities = module.capabilities;
  if (std::find(capabilities.begin(), capabilities.end(), spirv::kCooperativeMatrix) != capabilities.end())
    instructionLimit_ += kMatrixInstructions;
  analyse();
  if (error_) return *error_;
  const spirv::Function& f = module.functions.at(module.entryFunction);
  if (f.blocks.empty()) return Error{ErrorCode::InvalidShader, "the entry point has no body"};
  fillInfo();
  declareInterfaces();
  Frame frame;
  frame.function = &f;
  callStack_.push_back(f.id);
  if (debug) debugEnter(f);
  if (!error_) region(frame, f.blocks[0].label, 0);
  callStack_.pop_back();
  if (!error_) {
    b.setLine(0);
    if (program.code.empty() || program.code.back().op != Opcode::Ret) b.ret();
    if (debug) debugGlobals();
    std::vector<isa::Inst> body = std::move(program.code);
    program.code.clear();
    zeroShared();
    program.code.insert(program.code.end(), prologue_.begin(), prologue_.end());
    program.code.insert(program.code.end(), body.begin(), body.end());
    resolveBranches();
    if (debug) finishDebug();
    finishInfo();
  }
  if (error_) return *error_;
  return {};
}

Result<isa::Program> lowerModule(const spirv::Module& module, const ShaderSource& source, DebugRecord* debug) {
  isa::Program program;
  Lowerer lowerer(module, source, program, debug);
  ETZEL_TRY(lowerer.run());
  return program;
}

}  // namespace etzel::lower
