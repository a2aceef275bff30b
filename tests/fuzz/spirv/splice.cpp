#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "tests/fuzz/spirv/module.h"

namespace etzel::fuzz {
namespace {

using spv::Op;

bool is(const Instruction& inst, Op op) { return inst.opcode == uint16_t(op); }

/// Logical Layout of a Module: instructions of a lower section come first.
int section(const Instruction& inst) {
  switch (Op(inst.opcode)) {
    case Op::OpCapability: return 0;
    case Op::OpExtension: return 1;
    case Op::OpExtInstImport: return 2;
    case Op::OpMemoryModel: return 3;
    case Op::OpEntryPoint: return 4;
    case Op::OpExecutionMode:
    case Op::OpExecutionModeId: return 5;
    case Op::OpString:
    case Op::OpSourceExtension:
    case Op::OpSource:
    case Op::OpSourceContinued:
    case Op::OpName:
    case Op::OpMemberName:
    case Op::OpModuleProcessed: return 6;
    case Op::OpDecorate:
    case Op::OpMemberDecorate:
    case Op::OpDecorationGroup:
    case Op::OpGroupDecorate:
    case Op::OpGroupMemberDecorate:
    case Op::OpDecorateId:
    case Op::OpDecorateString:
    case Op::OpMemberDecorateString: return 7;
    default: return 8;
  }
}

bool isPlainType(const Instruction& inst) {
  return inst.opcode >= uint16_t(Op::OpTypeVoid) && inst.opcode <= uint16_t(Op::OpTypeFunction) &&
         !is(inst, Op::OpTypeStruct) && !is(inst, Op::OpTypeArray) && !is(inst, Op::OpTypeRuntimeArray);
}

/// What of an instruction makes it the same as another: all words but the result.
std::vector<uint32_t> keyOf(const Instruction& inst) {
  std::vector<uint32_t> key{inst.opcode};
  for (size_t i = 1; i < inst.words.size(); ++i)
    if (inst.words[i] != inst.result) key.push_back(inst.words[i]);
  return key;
}

/// Built-ins and locations of variables: (decoration, number) by id.
std::map<uint32_t, std::pair<uint32_t, uint32_t>> placesOf(const Module& module) {
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> places;
  for (const Instruction& inst : module.code)
    if (is(inst, Op::OpDecorate) && inst.words.size() == 4 &&
        (inst.words[2] == uint32_t(spv::Decoration::BuiltIn) || inst.words[2] == uint32_t(spv::Decoration::Location)))
      places[inst.words[1]] = {inst.words[2], inst.words[3]};
  return places;
}

class Splicer {
 public:
  Splicer(Module& into, const Module& from) : into_(into), from_(from), offset_(into.bound()) {
    for (const Instruction& inst : into.code) {
      if (section(inst) < 3 || isPlainType(inst)) known_[keyOf(inst)] = inst.result;
      if (is(inst, Op::OpEntryPoint) && inst.words.size() > 2) entry_ = inst.words[2];
    }
    into_.bound() += from.header[3];
  }

  void run() {
    findVariables();
    uint32_t called = 0;
    for (const Instruction& inst : from_.code) {
      if (is(inst, Op::OpEntryPoint) && inst.words.size() > 2 && !called) called = renamed(inst.words[2]);
      take(inst);
    }
    std::stable_sort(into_.code.begin(), into_.code.begin() + ptrdiff_t(globals_),
                     [](const Instruction& a, const Instruction& b) { return section(a) < section(b); });
    if (called && entry_) call(called);
  }

 private:
  uint32_t renamed(uint32_t id) const {
    const auto it = same_.find(id);
    return it == same_.end() ? id + offset_ : it->second;
  }

  /// Inputs and outputs of a place that `into` has too are the same variable.
  void findVariables() {
    const auto ours = placesOf(into_), theirs = placesOf(from_);
    for (const Instruction& mine : into_.code)
      for (const Instruction& inst : from_.code)
        if (is(mine, Op::OpVariable) && is(inst, Op::OpVariable) && mine.words[3] == inst.words[3])
          if (const auto a = ours.find(mine.result), b = theirs.find(inst.result);
              a != ours.end() && b != theirs.end() && a->second == b->second)
            same_[inst.result] = mine.result;
    globals_ = firstFunction(into_);
  }

  void take(const Instruction& inst) {
    const int where = section(inst);
    if (where >= 3 && where <= 6) return;
    if (same_.count(inst.result) && inst.result) return;
    if (where == 7 && inst.words.size() > 1 && same_.count(inst.words[1])) return;
    Instruction copy = inst;
    for (const Operand& o : copy.operands)
      if (isId(o)) copy.words[o.at] = renamed(copy.words[o.at]);
    copy.type = inst.type ? renamed(inst.type) : 0;
    copy.result = inst.result ? inst.result + offset_ : 0;
    if (where < 3 || isPlainType(copy)) {
      const auto [it, isNew] = known_.try_emplace(keyOf(copy), copy.result);
      if (!isNew) {
        if (inst.result) same_[inst.result] = it->second;
        return;
      }
    }
    inFunctions_ |= is(inst, Op::OpFunction);
    if (inFunctions_) {
      into_.code.push_back(std::move(copy));
      return;
    }
    if (is(copy, Op::OpVariable)) addToInterface(copy);
    into_.code.insert(into_.code.begin() + ptrdiff_t(globals_++), std::move(copy));
  }

  void addToInterface(const Instruction& variable) {
    const bool shown = variable.words[3] == uint32_t(spv::StorageClass::Input) ||
                       variable.words[3] == uint32_t(spv::StorageClass::Output) || into_.header[1] >= 0x10400;
    for (Instruction& inst : into_.code)
      if (shown && is(inst, Op::OpEntryPoint)) inst.words.push_back(variable.result);
  }

  /// Before the last return of the entry point.
  void call(uint32_t function) {
    uint32_t nothing = 0;
    for (const Instruction& inst : into_.code)
      if (is(inst, Op::OpTypeVoid)) nothing = inst.result;
    size_t last = 0;
    bool inside = false;
    for (size_t i = 0; i < into_.code.size(); ++i) {
      const Instruction& inst = into_.code[i];
      if (is(inst, Op::OpFunction)) inside = inst.result == entry_;
      if (inside && is(inst, Op::OpReturn)) last = i;
    }
    const uint32_t result = into_.newId();
    Instruction made = instruction(uint16_t(Op::OpFunctionCall), {nothing, result, function});
    if (last && nothing) into_.code.insert(into_.code.begin() + ptrdiff_t(last), std::move(made));
  }

  Module& into_;
  const Module& from_;
  const uint32_t offset_;
  uint32_t entry_ = 0;
  size_t globals_ = 0;  ///< where the functions of `into` begin
  bool inFunctions_ = false;
  std::map<std::vector<uint32_t>, uint32_t> known_;
  std::map<uint32_t, uint32_t> same_;
};

}  // namespace

void splice(Module& into, const Module& from) { Splicer(into, from).run(); }

}  // namespace etzel::fuzz
