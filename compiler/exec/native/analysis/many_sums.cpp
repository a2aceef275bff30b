#include "compiler/exec/native/analysis/many_sums.h"

#include <algorithm>
#include <set>

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;

namespace {

/// One loop: a test that all lanes leave by together, and behind it nothing but computing and loads.
class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, uint32_t loop)
      : webs_(webs), code_(webs.program.code), divergence_(divergence), loop_(loop) {}

  std::optional<ManySums> run(Registers registers, const Crowd& crowd) {
    if (!isPlain()) return {};
    note();
    std::map<uint32_t, uint32_t> sums;  // what makes it, and what carries it on
    for (uint32_t i = leave_ + 1; i < end_; ++i)
      if (std::optional<uint32_t> made = sumCarriedBy(i)) sums[*made] = i;
    constexpr size_t kFewest = 8;  // of a warp: fewer wait for one another
    if (sums.size() < (crowd.possible ? std::min<size_t>(registers.count, kFewest) : registers.count)) return {};
    for (const auto& [made, carried] : sums) summing_.insert(made), summing_.insert(carried);
    ManySums found;
    found.end = end_, found.leave = leave_;
    found.fitsCrowd = crowd.possible && findCommon(crowd, found.common);
    found.forCrowd = sums.size() < registers.count;
    found.ofAll = found.fitsCrowd && isOfAll(crowd, found.common);
    if (found.forCrowd && (!found.fitsCrowd || found.common.empty())) return {};
    for (const uint32_t i : summing_)
      if (!findFactors(i, found.factors)) return {};
    found.again = makesAgain();
    if (!found.fitsCrowd) registers.ofPair = 1;
    while (!sums.empty()) found.groups.push_back(takeGroup(sums, registers));
    return found;
  }

 private:
  /// Takes some of the sums: after the first one always the one that asks for the fewest registers more for what it is
  /// made of. Half of the registers are for that; where vectors of two take many, some more sums go with those there.
  std::vector<uint32_t> takeGroup(std::map<uint32_t, uint32_t>& sums, Registers registers) const {
    const uint32_t ofVector = registers.ofPair;
    const size_t half = std::max(registers.count / 2 / ofVector, 1u), most = ofVector > 1 ? half * 3 / 2 : half;
    std::set<uint32_t> there;
    const auto costs = [&](uint32_t made) {
      uint32_t more = 0;
      forEachFactor(made, [&](uint32_t web) {
        if (!there.count(web)) more += divergence_.shape[web].varying() ? ofVector : 1;
      });
      return more;
    };
    std::vector<uint32_t> group;  // what makes a sum, and what carries it on
    while (group.size() < 2 * most && !sums.empty()) {
      auto least = sums.begin();
      for (auto s = sums.begin(); s != sums.end() && !group.empty(); ++s)
        if (costs(s->first) < costs(least->first)) least = s;
      if (group.size() >= 2 * half && costs(least->first) >= ofVector) break;
      forEachFactor(least->first, [&](uint32_t web) { there.insert(web); });
      group.insert(group.end(), {least->first, least->second});
      sums.erase(least);
    }
    return group;
  }

  /// Webs that a round makes and the instruction reads.
  template <class Body>
  void forEachFactor(uint32_t i, Body body) const {
    isa::forEachSource(code_[i], [&](isa::Operand o, uint32_t words) {
      for (uint32_t w = 0; w < words && o.bank == Bank::Temp; ++w) {
        const uint32_t web = webs_.webOf(o, w);
        const auto writes = writes_.find(web);
        if (writes != writes_.end() && !summing_.count(writes->second[0])) body(web);
      }
    });
  }

  bool isPlain() {
    if (loop_ == 0 || code_[loop_ - 1].op != Opcode::Block) return false;
    for (uint32_t i = loop_ + 1; i + 1 < code_.size(); ++i) {
      const Inst& inst = code_[i];
      if (inst.op == Opcode::EndLoop) {
        end_ = i;
        return leave_ && code_[i + 1].op == Opcode::EndBlock;
      }
      if (inst.op == Opcode::BrC && !leave_ && inst.imm == 0 && divergence_.direct[i])
        leave_ = i;
      else if (isa::opInfo(inst).control || !isa::isPure(inst) || divergence_.blend[i])
        return false;
    }
    return false;
  }

  void note() {
    for (uint32_t i = loop_ + 1; i < end_; ++i) {
      const Inst& inst = code_[i];
      isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
        for (uint32_t w = 0; w < words && o.bank == Bank::Temp; ++w) reads_[webs_.webOf(o, w)].push_back(i);
      });
      for (uint32_t w = 0, n = isa::dstWords(inst); w < n && inst.dst.bank == Bank::Temp; ++w)
        writes_[webs_.webOf(inst.dst, w)].push_back(i);
    }
  }

  /// Of an instruction that says what a sum is in the next round: the one that adds to it, where nobody else looks at
  /// either.
  std::optional<uint32_t> sumCarriedBy(uint32_t i) {
    const Inst& carry = code_[i];
    if (carry.op != Opcode::XMov || carry.count != 1 || carry.dst.bank != Bank::Temp) return {};
    if (carry.src[0].bank != Bank::Temp) return {};
    const uint32_t sum = webs_.webOf(carry.dst), next = webs_.webOf(carry.src[0]);
    if (!divergence_.shape[sum].varying() || !divergence_.shape[next].varying()) return {};
    const auto &of = reads_[sum], &made = writes_[next];
    if (writes_[sum].size() != 1 || made.size() != 1 || reads_[next].size() != 1) return {};
    const uint32_t add = made[0];
    if (add <= leave_ || add > i || of.empty() || std::count(of.begin(), of.end(), add) != std::ssize(of)) return {};
    const Inst& inst = code_[add];
    const bool single = isa::isArithmetic(inst.op) && isa::typeWords(inst.type) == 1 && isa::dstWords(inst) == 1;
    return single ? std::optional(add) : std::nullopt;
  }

  /// \returns false where something is read that is not there when the round is over.
  bool findFactors(uint32_t i, std::vector<uint32_t>& factors) {
    bool fits = true;
    forEachFactor(i, [&](uint32_t web) {
      const auto& writes = writes_[web];
      fits &= writes.size() == 1 && writes[0] < i;
      if (std::find(factors.begin(), factors.end(), web) == factors.end()) factors.push_back(web);
    });
    return fits;
  }

  /// Whether what does not vary freely is made of the like, and of what is near in memory.
  bool makesAgain() const {
    bool all = true;
    for (uint32_t i = loop_ + 1; i < end_; ++i) {
      const Inst& inst = code_[i];
      if (inst.dst.bank != Bank::Temp || divergence_.shape[webs_.webOf(inst.dst)].varying()) continue;
      const auto space = static_cast<isa::Space>(inst.sub);
      all &= inst.op != Opcode::Ld || space == isa::Space::Shared || space == isa::Space::Push;
      forEachFactor(i, [&](uint32_t web) { all &= !divergence_.shape[web].varying(); });
    }
    return all;
  }

  /// What the first pair makes and others read but for making the same.
  /// \returns false where that is not there when the round is over, or some pairs have something in common.
  bool findCommon(const Crowd& crowd, std::vector<uint32_t>& common) const {
    const auto varies = [&](uint32_t web) { return divergence_.shape[web].varying(); };
    const auto isMade = [&](uint32_t i) {
      const uint32_t web = webs_.webOf(code_[i].dst);
      return varies(web) && crowd.isCommon(web);
    };
    for (uint32_t i = leave_ + 1; i < end_; ++i) {
      const Inst& inst = code_[i];
      for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
        if (inst.dst.bank != Bank::Temp) return false;
        const uint32_t web = webs_.webOf(inst.dst, w);
        if (varies(web) != varies(webs_.webOf(inst.dst))) return false;
        if (varies(web) && (crowd.isCommon(web) != isMade(i) || crowd.isCommon(web) == crowd.isAlone(web)))
          return false;
      }
    }
    for (const auto& [web, reads] : reads_) {
      const auto made = writes_.find(web);
      if (made == writes_.end() || !varies(web) || !crowd.isCommon(web)) continue;
      if (summing_.count(made->second[0])) return false;
      for (const uint32_t i : reads) {
        if (i > leave_ && code_[i].dst.bank == Bank::Temp && isMade(i)) continue;
        if (made->second.size() != 1 || made->second[0] > i) return false;
        if (common.empty() || common.back() != web) common.push_back(web);
      }
    }
    return true;
  }

  /// Whether the first crowd may make what is common for all others: they come by the loop once between two barriers,
  /// and look at what is made for pairs nowhere else.
  bool isOfAll(const Crowd& crowd, const std::vector<uint32_t>& common) const {
    if (!std::all_of(common.begin(), common.end(), [&](uint32_t web) { return crowd.ofAll[web]; })) return false;
    std::vector<uint32_t> open, around;
    std::set<uint32_t> waiting;  // scopes with a barrier of their own
    bool all = true;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Inst& inst = code_[i];
      if (i == loop_) around = open;
      if (isa::opensScope(inst.op)) open.push_back(i);
      if (isa::closesScope(inst.op)) open.pop_back();
      if (inst.op == Opcode::Barrier && !open.empty()) waiting.insert(open.back());
      if (i >= loop_ && i <= end_) continue;
      isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
        for (uint32_t w = 0; w < words && o.bank == Bank::Temp; ++w) {
          const uint32_t web = webs_.webOf(o, w);
          all &= !writes_.count(web) || !divergence_.shape[web].varying() || !crowd.isCommon(web);
        }
      });
    }
    for (const uint32_t scope : around) all &= code_[scope].op != Opcode::Loop || waiting.count(scope) != 0;
    return all;
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const uint32_t loop_;
  uint32_t leave_ = 0, end_ = 0;
  std::map<uint32_t, std::vector<uint32_t>> reads_, writes_;  ///< by web: instructions of the loop
  std::set<uint32_t> summing_;
};

}  // namespace

std::optional<size_t> ManySums::groupOf(uint32_t instruction) const {
  for (size_t g = 0; g < groups.size(); ++g)
    if (std::find(groups[g].begin(), groups[g].end(), instruction) != groups[g].end()) return g;
  return {};
}

std::map<uint32_t, ManySums> findManySums(const Webs& webs, const Divergence& divergence, Registers registers,
                                          const Crowd& crowd) {
  std::map<uint32_t, ManySums> all;
  for (uint32_t i = 0; i < webs.program.code.size(); ++i) {
    if (webs.program.code[i].op != Opcode::Loop) continue;
    if (std::optional<ManySums> found = Search(webs, divergence, i).run(registers, crowd)) all[i] = std::move(*found);
  }
  return all;
}

}  // namespace etzel::native
