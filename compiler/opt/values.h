// What passes know about virtual words: who writes them how often, and where a definition is sure to have happened.
#pragma once

#include <optional>
#include <unordered_map>

#include "compiler/isa/info.h"
#include "compiler/isa/shadow.h"

namespace etzel::opt {

/// Writes per word (shadows do not count, isa/shadow.h) and the group of each word.
struct WordTable {
  std::vector<uint32_t> writes, groupOf;

  explicit WordTable(const isa::Program& program) : writes(program.tempWords, 0), groupOf(program.tempWords) {
    // Words that nobody grouped are groups of their own: next to each other by number, not in registers.
    for (uint32_t w = 0; w < program.tempWords; ++w) groupOf[w] = static_cast<uint32_t>(program.groups.size()) + w;
    for (uint32_t g = 0; g < program.groups.size(); ++g)
      for (uint32_t w = 0; w < program.groups[g].words; ++w) groupOf[program.groups[g].first + w] = g;
    for (const isa::Inst& inst : program.code)
      if (inst.dst.bank == isa::Bank::Temp && !isa::isShadow(inst))
        for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) ++writes[inst.dst.word + w];
  }
};

/// The value of an operand that is a constant's word.
inline std::optional<uint32_t> constantOf(const isa::Program& program, isa::Operand o) {
  if (o.bank != isa::Bank::Param) return {};
  return program.constants[o.word / 4][o.word % 4];
}

/// Where a load or store begins, in the units of its space, where that is known.
inline std::optional<uint64_t> placeOf(const isa::Program& program, const isa::Inst& inst) {
  if (!inst.src[1].present()) return inst.imm;
  const std::optional<uint32_t> offset = constantOf(program, inst.src[1]);
  return offset ? std::optional(uint64_t{inst.imm} + *offset) : std::nullopt;
}
/// Word `w` of a load or store as a copy, from or to the register `own`.
inline isa::Inst copyOfWord(const isa::Inst& inst, uint32_t w, isa::Operand own) {
  isa::Inst copy;
  copy.op = isa::Opcode::XMov, copy.line = inst.line;
  if (inst.op == isa::Opcode::Ld)
    copy.masked = inst.masked, copy.dst = {inst.dst.bank, inst.dst.word + w}, copy.src[0] = own;
  else
    copy.masked = true, copy.dst = own, copy.src[0] = {inst.src[2].bank, inst.src[2].word + w};
  return copy;
}

/// Calls f(word) for each Temp word that an instruction reads.
template <class F>
void forEachRead(const isa::Inst& inst, F&& f) {
  isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
    for (uint32_t w = 0; o.bank == isa::Bank::Temp && w < words; ++w) f(o.word + w);
  });
}
/// And for each that it writes.
template <class F>
void forEachWritten(const isa::Inst& inst, F&& f) {
  for (uint32_t w = 0, n = isa::dstWords(inst); inst.dst.bank == isa::Bank::Temp && w < n; ++w) f(inst.dst.word + w);
}

/// The PARAM bank as a place for known words.
class ConstantPool {
 public:
  explicit ConstantPool(isa::Program& program)
      : program_(program), wordCount_(static_cast<uint32_t>(program.constants.size() * 4)) {
    for (uint32_t w = 0; w < wordCount_; ++w) pool_.emplace(program.constants[w / 4][w % 4], w);
  }

  /// The operand that holds `bits`, or none when the bank is full: an operand's encoding reaches 1024 words.
  isa::Operand operand(uint32_t bits) {
    auto [it, fresh] = pool_.try_emplace(bits, wordCount_);
    if (fresh) {
      if (wordCount_ >= isa::kMaxTempWords) {
        pool_.erase(it);
        return {};
      }
      if (wordCount_ % 4 == 0) program_.constants.push_back({});
      program_.constants[wordCount_ / 4][wordCount_ % 4] = bits;
      ++wordCount_;
    }
    return {isa::Bank::Param, it->second};
  }
  uint32_t valueOf(const isa::Operand& o) const { return program_.constants[o.word / 4][o.word % 4]; }

 private:
  isa::Program& program_;
  std::unordered_map<uint32_t, uint32_t> pool_;
  uint32_t wordCount_;
};

/// Dominance in structured code: a definition dominates a later instruction exactly when the scope it stands in is
/// still open there, for br only leads to ends of enclosing blocks. Walk the program once and call `step` before each
/// instruction is looked at.
class ScopeTracker {
 public:
  ScopeTracker() { open_.push_back(true), stack_.push_back(0); }

  void step(isa::Opcode op) {
    if (isa::closesScope(op) || op == isa::Opcode::Else) {
      open_[stack_.back()] = false;
      stack_.pop_back();
    }
    if (isa::opensScope(op) || op == isa::Opcode::Else) {
      stack_.push_back(static_cast<uint32_t>(open_.size()));
      open_.push_back(true);
    }
  }
  uint32_t current() const { return stack_.back(); }
  bool isOpen(uint32_t scope) const { return open_[scope]; }

 private:
  std::vector<bool> open_;
  std::vector<uint32_t> stack_;
};

}  // namespace etzel::opt
