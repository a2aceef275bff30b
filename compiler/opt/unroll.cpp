// Unrolling: the body is walked as often as the loop goes round, with the words that hold one known value in all active
// lanes written down on the way. It ends where a known condition leaves the loop.
#include <algorithm>
#include <optional>

#include "compiler/exec/interp/evaluate.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr uint32_t kMaxRounds = 65;  // the last one leaves
// Of one loop's copies, inner loops unrolled: a 5x5 filter. More would not stay in the instruction caches.
constexpr size_t kMaxInstructions = 1000;
constexpr size_t kMaxCopied = 4000;  // those included of which nothing is left
constexpr size_t kMaxProgram = 4000;

class Unroller {
 public:
  explicit Unroller(isa::Program& program) : program_(program), pool_(program) {}

  bool run() {
    collect();
    known_.assign(program_.tempWords, {});
    written_.assign(1, {});
    const std::vector<Inst> code = std::move(program_.code);
    code_ = &code;
    bool any = false;
    size_t left = static_cast<size_t>(
        std::count_if(code.begin(), code.end(), [](const Inst& inst) { return !isa::isShadow(inst); }));
    uint32_t counted = 0;
    for (uint32_t i = 0; i < code.size(); ++i) {
      for (; counted < i; ++counted) left -= !isa::isShadow(code[counted]);
      if (code[i].op == Opcode::Loop) {
        const uint32_t end = endOf(i);
        if (plain_ + left < kMaxProgram && unroll(i, end)) {
          i = end, any = true;
          continue;
        }
        for (uint32_t k = i; k < end; ++k) forget(code[k]);  // a later round may come with other values
      }
      append(code[i]);
    }
    program_.code = std::move(out_);
    return any;
  }

 private:
  static constexpr uint32_t kNone = ~0u;

  void append(const Inst& inst) {
    out_.push_back(inst);
    if (isa::isShadow(inst)) return;
    step(inst);
    ++copied_;
    if (!isFree(inst)) ++plain_;
  }

  /// Whether nothing of the instruction is left in the end: what it computes is known, or the place in an array is,
  /// which becomes a register then.
  bool isFree(const Inst& inst) const {
    if ((inst.op == Opcode::Ld || inst.op == Opcode::St) && static_cast<isa::Space>(inst.sub) == isa::Space::Scratch)
      return !inst.src[1].present() || valueOf(inst.src[1]);
    if (inst.dst.bank != isa::Bank::Temp) return false;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
      if (!known_[inst.dst.word + w]) return false;
    return true;
  }

  /// The group of each word, and where each group is first and last named.
  void collect() {
    const WordTable table(program_);
    groupOf_ = table.groupOf;
    const size_t groups = program_.groups.size();
    first_.assign(groups, kNone), last_.assign(groups, 0), shown_.assign(groups, false);
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      const auto name = [&](Operand o, uint32_t words) {
        if (o.bank != isa::Bank::Temp) return;
        for (uint32_t w = 0; w < words; ++w) {
          const uint32_t g = groupOf_[o.word + w];
          if (g >= groups) continue;
          if (isa::isShadow(inst)) {
            shown_[g] = true;
            continue;
          }
          first_[g] = std::min(first_[g], i), last_[g] = i;
        }
      };
      isa::forEachSource(inst, name);
      if (inst.dst.present()) name(inst.dst, isa::dstWords(inst));
    }
  }

  uint32_t endOf(uint32_t loop) const {
    uint32_t depth = 0;
    for (uint32_t i = loop;; ++i) {
      depth += (*code_)[i].op == Opcode::Loop;
      if ((*code_)[i].op == Opcode::EndLoop && --depth == 0) return i;
    }
  }

  // --- What is known of words: their value in the lanes that are active.

  std::optional<uint32_t> valueOf(const Operand& o) const {
    if (o.bank == isa::Bank::Param) return pool_.valueOf(o);
    if (o.bank != isa::Bank::Temp) return {};
    return known_[o.word];
  }

  void forget(const Inst& inst) {
    if (inst.dst.bank != isa::Bank::Temp) return;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) known_[inst.dst.word + w].reset();
  }

  void step(const Inst& inst) {
    // Lanes that come from elsewhere have not written what was written here.
    if (inst.op == Opcode::Else || isa::closesScope(inst.op)) {
      for (uint32_t word : written_.back()) known_[word].reset();
      if (inst.op != Opcode::Else) {
        const std::vector<uint32_t> inner = std::move(written_.back());
        written_.pop_back();
        written_.back().insert(written_.back().end(), inner.begin(), inner.end());
      }
    }
    if (isa::opensScope(inst.op)) written_.push_back({});
    if (inst.dst.bank != isa::Bank::Temp) return;
    const uint32_t words = isa::dstWords(inst);
    std::optional<uint32_t> values[interp::kEvaluateWords];
    if (words <= interp::kEvaluateWords) evaluate(inst, words, values);
    for (uint32_t w = 0; w < words; ++w) {
      known_[inst.dst.word + w] = words <= interp::kEvaluateWords ? values[w] : std::nullopt;
      written_.back().push_back(inst.dst.word + w);
    }
  }

  void evaluate(const Inst& inst, uint32_t words, std::optional<uint32_t>* result) const {
    if (inst.op == Opcode::LdImm) {
      result[0] = inst.imm;
      return;
    }
    if (inst.op == Opcode::XMov) {
      for (uint32_t w = 0; w < words; ++w) result[w] = valueOf({inst.src[0].bank, inst.src[0].word + w});
      return;
    }
    if (words > 2 || !interp::canEvaluate(inst.op)) return;
    uint32_t values[3][interp::kEvaluateWords];
    for (uint32_t i = 0; i < 3; ++i) {
      if (!inst.src[i].present()) continue;
      const uint32_t n = isa::srcWords(inst, i);
      if (n > interp::kEvaluateWords) return;
      for (uint32_t w = 0; w < n; ++w) {
        const std::optional<uint32_t> v = valueOf({inst.src[i].bank, inst.src[i].word + w});
        if (!v) return;
        values[i][w] = *v;
      }
    }
    uint32_t words32[interp::kEvaluateWords];
    if (!interp::evaluate(inst, values, words32)) return;
    for (uint32_t w = 0; w < words; ++w) result[w] = words32[w];
  }

  // --- Copies of the body

  /// Whether knowing the round says more of the instruction than a sum: which texel, which word of an array.
  static bool gains(const Inst& inst) {
    if (inst.op == Opcode::Tex2) return true;
    if (inst.op != Opcode::Ld && inst.op != Opcode::St) return false;
    return isa::spaceOf(inst).indexed && inst.src[1].bank == isa::Bank::Temp;
  }

  /// The loop may be copied and that is worth it: native code unrolls plain loops itself, later. Finds the registers
  /// that no round hands to the next or to what follows.
  bool examine(uint32_t loop, uint32_t end) {
    local_.assign(program_.groups.size(), false);
    std::vector<uint32_t> named;
    std::unordered_map<uint32_t, uint32_t> writtenIn;  // word: scope of its first write
    ScopeTracker scopes;
    bool leaves = false, pays = false;
    uint32_t depth = 0;
    std::vector<uint32_t> shared;
    for (uint32_t i = loop + 1; i < end; ++i) {
      const Inst& inst = (*code_)[i];
      if (isa::isShadow(inst)) continue;
      if (inst.op == Opcode::Loop || inst.op == Opcode::Barrier) return false;
      scopes.step(inst.op);
      depth += isa::opensScope(inst.op);
      depth -= isa::closesScope(inst.op);
      leaves |= depth == 0 && inst.op == Opcode::BrC;
      pays |= gains(inst);
      isa::forEachSource(inst, [&](Operand o, uint32_t words) {
        if (o.bank != isa::Bank::Temp) return;
        for (uint32_t w = 0; w < words; ++w) {
          auto write = writtenIn.find(o.word + w);
          if (write == writtenIn.end() || !scopes.isOpen(write->second)) shared.push_back(groupOf_[o.word + w]);
        }
      });
      if (inst.dst.bank != isa::Bank::Temp) continue;
      for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
        writtenIn.try_emplace(inst.dst.word + w, scopes.current());
        named.push_back(groupOf_[inst.dst.word + w]);
      }
    }
    for (uint32_t g : named)
      if (g < local_.size()) local_[g] = first_[g] > loop && last_[g] < end;
    for (uint32_t g : shared)
      if (g < local_.size()) local_[g] = false;
    return leaves && pays;
  }

  Operand renamed(Operand o) {
    if (o.bank != isa::Bank::Temp) return o;
    const uint32_t g = groupOf_[o.word];
    if (g >= local_.size() || !local_[g]) return o;
    const isa::TempGroup group = program_.groups[g];
    auto [copy, fresh] = copies_.try_emplace(g, program_.tempWords);
    if (fresh) {
      program_.newTemp(group.words);
      known_.resize(program_.tempWords);
    }
    return isa::temp(copy->second + o.word - group.first);
  }

  bool unroll(uint32_t loop, uint32_t end) {
    if (!examine(loop, end)) return false;
    const auto known = known_;
    const auto written = written_;
    const size_t start = out_.size(), plain = plain_, copied = copied_, groups = program_.groups.size();
    const uint32_t words = program_.tempWords;
    for (uint32_t round = 0; round < kMaxRounds; ++round) {
      copies_.clear();
      switch (copyRound(loop, end, plain, copied)) {
        case Round::Left: return true;
        case Round::GoesOn: continue;
        case Round::TooLong: break;
      }
      break;
    }
    known_ = known, written_ = written, plain_ = plain, copied_ = copied;
    out_.resize(start);
    program_.groups.resize(groups);
    program_.tempWords = words;
    return false;
  }

  enum class Round { GoesOn, Left, TooLong };
  /// Shadows name the registers that the loop had: what a round writes elsewhere is copied there for them.
  void showWrite(const Inst& inst, Operand original) {
    if (inst.dst == original || original.bank != isa::Bank::Temp || !shown_[groupOf_[original.word]]) return;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; w += 8) {
      Inst copy;
      copy.op = Opcode::XMov, copy.masked = true, copy.line = inst.line;
      copy.count = static_cast<uint8_t>(std::min(n - w, 8u));
      copy.dst = isa::temp(original.word + w), copy.src[0] = isa::temp(inst.dst.word + w);
      isa::makeShadow(copy);
      append(copy);
    }
  }

  /// What stands behind `i`, shadows left out.
  Opcode nextPlain(uint32_t i) const {
    do ++i;
    while (isa::isShadow((*code_)[i]));
    return (*code_)[i].op;
  }

  /// `plain`, `copied`: what was counted before the first round.
  Round copyRound(uint32_t loop, uint32_t end, size_t plain, size_t copied) {
    uint32_t depth = 0;
    bool mayLeave = false;  // a round without an exit that was decided is no progress
    for (uint32_t i = loop + 1; i < end; ++i) {
      Inst inst = (*code_)[i];
      if (isa::isShadow(inst)) {
        append(inst);
        continue;
      }
      const Operand written = inst.dst;
      depth += isa::opensScope(inst.op);
      depth -= isa::closesScope(inst.op);
      for (uint32_t s = 0; s < 3; ++s) {
        if (!inst.src[s].present()) continue;
        inst.src[s] = renamed(inst.src[s]);
        const std::optional<uint32_t> value = valueOf(inst.src[s]);
        if (!value || isa::srcWords(inst, s) != 1) continue;
        const Operand constant = pool_.operand(*value);
        if (constant.present()) inst.src[s] = constant;
      }
      if (inst.dst.present()) inst.dst = renamed(inst.dst);
      if (inst.op == Opcode::BrC && depth == 0) {
        const std::optional<uint32_t> value = valueOf(inst.src[0]);
        mayLeave |= value.has_value();
        if (value && *value == 0) continue;
        if (value) inst.op = Opcode::Br, inst.src[0] = {};
      }
      const bool ends = depth == 0 && (inst.op == Opcode::Br || inst.op == Opcode::Ret || inst.op == Opcode::Kill);
      // The end of the block around the loop is where it goes on anyway.
      if (ends && inst.op == Opcode::Br && inst.imm == 0 && nextPlain(end) == Opcode::EndBlock) return Round::Left;
      if (plain_ - plain >= kMaxInstructions || copied_ - copied >= kMaxCopied) return Round::TooLong;
      append(inst);
      showWrite(inst, written);
      if (ends) return Round::Left;
    }
    return mayLeave ? Round::GoesOn : Round::TooLong;
  }

  isa::Program& program_;
  ConstantPool pool_;
  const std::vector<Inst>* code_ = nullptr;
  std::vector<Inst> out_;
  std::vector<uint32_t> groupOf_, first_, last_;
  std::vector<bool> shown_;                        ///< per group: shadows name it
  size_t plain_ = 0;                               ///< instructions in out_ that cost something
  size_t copied_ = 0;                              ///< all that are no shadows
  std::vector<bool> local_;                        ///< per group: every round may have a register of its own
  std::unordered_map<uint32_t, uint32_t> copies_;  ///< group: first word of this round's register
  std::vector<std::optional<uint32_t>> known_;     ///< per word
  std::vector<std::vector<uint32_t>> written_;     ///< per open scope
};

}  // namespace

bool unrollLoops(isa::Program& program) {
  bool any = false;
  // A loop around loops that are gone may be next.
  for (uint32_t nesting = 0; nesting < 4; ++nesting) {
    bool loops = false;
    for (const Inst& inst : program.code) loops |= inst.op == Opcode::Loop;
    if (!loops || !Unroller(program).run()) break;
    removeUnusedBlocks(program);
    any = true;
  }
  return any;
}

}  // namespace etzel::opt
