// Loops over products of matrices do two rounds at once: the sums, which are more than registers hold, are read and
// written half as often, and a cache line has the rows of both (opt::chainProducts brings together what belongs
// together). Whether there is a second round is asked before the first one; what is left is a round of the old loop.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "compiler/exec/interp/evaluate.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr uint32_t kNone = ~0u;
constexpr uint32_t kRounds = 2;              ///< that become one
constexpr uint32_t kLeastProducts = 2;       ///< fewer sums stay in registers anyway
constexpr uint32_t kMostInstructions = 600;  ///< of a round
constexpr uint32_t kMostCounted = 4096;      ///< rounds, to find out how many there are
/// Of registers: sums, and the factors of all rounds. What there are not enough registers for would be stored and
/// loaded.
constexpr size_t kMostWords = isa::kMaxTempWords * 3 / 4;

/// A loop that is left in one place, and computes and loads besides.
struct Loop {
  uint32_t begin, exit, end;  ///< its Loop, BrC and EndLoop
};

/// One that products are worth the room of another round for. Lanes that leave in the middle of two rounds would be
/// missed by what looks at others, so nothing but products does: those need all lanes of a subgroup.
std::optional<Loop> loopAt(const std::vector<Inst>& code, uint32_t begin) {
  Loop loop{begin, kNone, kNone};
  uint32_t products = 0;
  for (uint32_t i = begin + 1; i < code.size(); ++i) {
    const Inst& inst = code[i];
    if (isa::isShadow(inst) || i - begin > kMostInstructions) return {};
    if (inst.op == Opcode::EndLoop) {
      loop.end = i;
      break;
    }
    if (inst.op == Opcode::BrC && inst.imm == 0 && loop.exit == kNone && products == 0) {
      loop.exit = i;
      continue;
    }
    const bool asksLanes = inst.op >= Opcode::SgBallot && inst.op < Opcode::SgProduct;
    if (!isa::isPure(inst) || inst.dst.bank != Bank::Temp || asksLanes || isa::opInfo(inst).quad) return {};
    products += inst.op == Opcode::SgProduct;
  }
  const bool isWhole = loop.end != kNone && loop.exit != kNone && loop.end + 1 < code.size();
  if (!isWhole || products < kLeastProducts || code[loop.end + 1].op != Opcode::EndBlock) return {};
  return loop;
}

/// How often a loop goes round; nothing where that is not known.
class RoundCount {
 public:
  RoundCount(const isa::Program& program, const Loop& loop) : program_(program), code_(program.code), loop_(loop) {}

  std::optional<uint32_t> run() {
    findSteps();
    findStart();
    for (uint32_t rounds = 0; rounds < kMostCounted; ++rounds)
      for (uint32_t i = loop_.begin + 1; i < loop_.end; ++i) {
        if (i == loop_.exit) {
          const auto leaves = valueOf(code_[i].src[0]);
          if (!leaves) return {};
          if (*leaves) return rounds;
        } else if (decides_[i - loop_.begin] && !step(code_[i])) {
          return {};
        }
      }
    return {};
  }

 private:
  /// The instructions that decide when the loop is left.
  void findSteps() {
    decides_.assign(loop_.end - loop_.begin, false);
    std::unordered_set<uint32_t> needed;
    forEachRead(code_[loop_.exit], [&](uint32_t word) { needed.insert(word); });
    for (bool more = true; more;) {
      more = false;
      for (uint32_t i = loop_.end; --i > loop_.begin;) {
        bool isNeeded = false;
        forEachWritten(code_[i], [&](uint32_t word) { isNeeded |= needed.contains(word); });
        if (!isNeeded || decides_[i - loop_.begin]) continue;
        decides_[i - loop_.begin] = more = true;
        forEachRead(code_[i], [&](uint32_t word) { needed.insert(word); });
      }
    }
  }

  /// What words hold before the first round: constants that are written once before the loop.
  void findStart() {
    std::unordered_map<uint32_t, uint32_t> writes;
    ScopeTracker scopes;
    std::unordered_map<uint32_t, uint32_t> scopeOf;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (isa::isShadow(code_[i])) continue;
      scopes.step(code_[i].op);
      if (i == loop_.begin) {
        for (const auto& [word, scope] : scopeOf)
          if (!scopes.isOpen(scope)) known_.erase(word);
      }
      if (i > loop_.begin && i < loop_.end) continue;
      forEachWritten(code_[i], [&](uint32_t word) { ++writes[word]; });
      if (i > loop_.begin || code_[i].op != Opcode::XMov || code_[i].dst.bank != Bank::Temp) continue;
      for (uint32_t w = 0; w < code_[i].count; ++w)
        if (const auto value = valueOf({code_[i].src[0].bank, code_[i].src[0].word + w})) {
          known_[code_[i].dst.word + w] = *value;
          scopeOf[code_[i].dst.word + w] = scopes.current();
        }
    }
    std::erase_if(known_, [&](const auto& known) { return writes[known.first] != 1; });
  }

  std::optional<uint32_t> valueOf(Operand o) const {
    if (const auto constant = constantOf(program_, o)) return constant;
    const auto known = o.bank == Bank::Temp ? known_.find(o.word) : known_.end();
    if (known == known_.end()) return {};
    return known->second;
  }
  bool step(const Inst& inst) {
    if (isa::dstWords(inst) != 1) return false;
    uint32_t values[3][interp::kEvaluateWords] = {}, result[interp::kEvaluateWords];
    for (uint32_t i = 0; i < 3; ++i) {
      if (!inst.src[i].present()) continue;
      const auto value = isa::srcWords(inst, i) == 1 ? valueOf(inst.src[i]) : std::nullopt;
      if (!value) return false;
      values[i][0] = *value;
    }
    if (inst.op == Opcode::XMov)
      result[0] = values[0][0];
    else if (!interp::canEvaluate(inst.op) || !interp::evaluate(inst, values, result))
      return false;
    known_[inst.dst.word] = result[0];
    return true;
  }

  const isa::Program& program_;
  const std::vector<Inst>& code_;
  const Loop loop_;
  std::vector<bool> decides_;  ///< by instruction of the loop
  std::unordered_map<uint32_t, uint32_t> known_;
};

/// Rounds of a loop, one after the other, in which every register is written once.
class Rounds {
 public:
  Rounds(isa::Program& program, const WordTable& table, const Loop& loop)
      : program_(program), table_(table), loop_(loop) {}

  /// The body of the new loop; empty where it cannot be. `asks`: whether every round may be the last one.
  std::vector<Inst> run(bool asks) {
    if (leavesWords() || !fits()) return {};
    for (uint32_t round = 0; round < kRounds && !failed_; ++round)
      for (uint32_t i = loop_.begin + 1; i < loop_.end; ++i) {
        if (i == loop_.exit && round && !asks) continue;
        if (i == loop_.exit) exits_.push_back(static_cast<uint32_t>(all_.size()));
        copy(program_.code[i]);
      }
    if (failed_) return {};
    writeBack();
    emitted_.assign(all_.size(), false);
    for (const uint32_t exit : exits_) emit(exit);
    for (const Inst& inst : out_)
      if (inst.op != Opcode::BrC && inst.op != Opcode::XMov && inst.op != Opcode::Sys && !interp::canEvaluate(inst.op))
        return {};
    for (uint32_t i = 0; i < all_.size(); ++i) emit(i);
    return std::move(out_);
  }

 private:
  /// Finds what a round has from the one before, and what is read behind the loop. \returns whether the way to the exit
  /// writes any of it: the last round ends there
  bool leavesWords() {
    std::unordered_map<uint32_t, uint32_t> writer;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      const bool inside = i > loop_.begin && i < loop_.end;
      forEachRead(inst, [&](uint32_t word) {
        if (!inside || !writer.contains(word)) outlive_.insert(word);
      });
      if (inside) forEachWritten(inst, [&](uint32_t word) { writer.try_emplace(word, i); });
    }
    return std::any_of(writer.begin(), writer.end(),
                       [&](const auto& write) { return write.second < loop_.exit && outlive_.contains(write.first); });
  }

  bool fits() const {
    std::unordered_set<uint32_t> sums, factors;
    for (uint32_t i = loop_.begin + 1; i < loop_.end; ++i) {
      const Inst& inst = program_.code[i];
      forEachWritten(inst, [&](uint32_t word) {
        if (outlive_.contains(word)) sums.insert(word);
      });
      for (uint32_t s = 0; s < 2 && inst.op == Opcode::SgProduct; ++s)
        for (uint32_t w = 0, n = isa::srcWords(inst, s); w < n; ++w) factors.insert(inst.src[s].word + w);
    }
    return sums.size() + kRounds * factors.size() <= kMostWords;
  }

  Operand renamed(Operand o, uint32_t words) {
    if (o.bank != Bank::Temp) return o;
    const auto now = [&](uint32_t word) {
      const auto found = now_.find(word);
      return found == now_.end() ? word : found->second;
    };
    for (uint32_t w = 1; w < words; ++w) failed_ |= now(o.word + w) != now(o.word) + w;
    return isa::temp(now(o.word));
  }

  /// Where an instruction writes: a word that was written is in a new copy of its register.
  Operand written(Operand o, uint32_t words) {
    const uint32_t g = table_.groupOf[o.word];
    const isa::TempGroup group = g < program_.groups.size() ? program_.groups[g] : isa::TempGroup{o.word, 1};
    Version& version = versions_[g];
    bool isFresh = version.first == kNone;
    for (uint32_t w = 0; w < words; ++w) isFresh |= version.written.contains(o.word + w);
    if (isFresh) version = {program_.newTemp(group.words).word, {}};
    for (uint32_t w = 0; w < words; ++w) {
      version.written.insert(o.word + w);
      now_[o.word + w] = version.first + o.word + w - group.first;
    }
    return isa::temp(version.first + o.word - group.first);
  }

  void copy(Inst inst) {
    for (uint32_t s = 0; s < 3; ++s)
      if (inst.src[s].present()) inst.src[s] = renamed(inst.src[s], isa::srcWords(inst, s));
    if (inst.dst.present()) {
      inst.dst = written(inst.dst, isa::dstWords(inst));
      inst.masked = false;
      forEachWritten(inst, [&](uint32_t word) { writerOf_[word] = static_cast<uint32_t>(all_.size()); });
    }
    all_.push_back(inst);
  }

  /// Gives variables what the last round left.
  void writeBack() {
    std::vector<std::pair<uint32_t, uint32_t>> words(now_.begin(), now_.end());
    std::erase_if(words, [&](const auto& word) { return !outlive_.contains(word.first); });
    std::sort(words.begin(), words.end());
    for (size_t i = 0; i < words.size();) {
      const auto [to, from] = words[i];
      uint8_t count = 1;
      while (count < 8 && i + count < words.size() && words[i + count].first == to + count &&
             words[i + count].second == from + count && table_.groupOf[to + count] == table_.groupOf[to])
        ++count;
      Inst move;
      move.op = Opcode::XMov, move.masked = true, move.count = count, move.line = program_.code[loop_.end].line;
      move.dst = isa::temp(to), move.src[0] = isa::temp(from);
      all_.push_back(move);
      i += count;
    }
  }

  void emit(uint32_t i) {
    if (emitted_[i]) return;
    emitted_[i] = true;
    forEachRead(all_[i], [&](uint32_t word) {
      if (const auto writer = writerOf_.find(word); writer != writerOf_.end()) emit(writer->second);
    });
    out_.push_back(all_[i]);
  }

  struct Version {
    uint32_t first = kNone;  ///< word of the copy
    std::unordered_set<uint32_t> written;
  };

  isa::Program& program_;
  const WordTable& table_;
  const Loop loop_;
  bool failed_ = false;                              ///< a register is read whole that several copies have parts of
  std::unordered_set<uint32_t> outlive_;             ///< words that the next round or what follows reads
  std::unordered_map<uint32_t, Version> versions_;   ///< by group
  std::unordered_map<uint32_t, uint32_t> now_;       ///< where a word of the program is
  std::unordered_map<uint32_t, uint32_t> writerOf_;  ///< by word of a copy, in `all_`
  std::vector<Inst> all_, out_;
  std::vector<uint32_t> exits_;  ///< in `all_`
  std::vector<bool> emitted_;
};

/// Appends the loop with two rounds in one. \returns false where it stays as it is
bool unroll(isa::Program& program, const WordTable& table, const Loop& loop, std::vector<Inst>& out) {
  const std::optional<uint32_t> rounds = RoundCount(program, loop).run();
  if (rounds && *rounds < kRounds) return false;
  const bool isWhole = rounds && *rounds % kRounds == 0;
  const size_t groups = program.groups.size();
  const uint32_t words = program.tempWords;
  const std::vector<Inst> body = Rounds(program, table, loop).run(!isWhole);
  if (body.empty()) {
    program.groups.resize(groups);
    program.tempWords = words;
    return false;
  }
  const auto code = program.code.begin();
  Inst block, endBlock;
  block.op = Opcode::Block, endBlock.op = Opcode::EndBlock;
  block.line = endBlock.line = code[loop.begin].line;
  if (!isWhole) out.push_back(block);
  out.push_back(code[loop.begin]);
  out.insert(out.end(), body.begin(), body.end());
  out.push_back(code[loop.end]);
  if (isWhole) return true;
  out.push_back(endBlock);
  out.insert(out.end(), code + loop.begin, code + loop.end + 1);
  return true;
}

}  // namespace

bool unrollProducts(isa::Program& program) {
  const auto multiplies = [](const Inst& inst) { return inst.op == Opcode::SgProduct; };
  if (std::none_of(program.code.begin(), program.code.end(), multiplies)) return false;
  const WordTable table(program);
  std::vector<Inst> out;
  bool any = false;
  for (uint32_t i = 0; i < program.code.size(); ++i) {
    const std::optional<Loop> loop =
        program.code[i].op == Opcode::Loop && !isa::isShadow(program.code[i]) ? loopAt(program.code, i) : std::nullopt;
    if (loop && unroll(program, table, *loop, out)) {
      any = true;
      i = loop->end;
      continue;
    }
    out.push_back(program.code[i]);
  }
  program.code = std::move(out);
  return any;
}

}  // namespace etzel::opt
