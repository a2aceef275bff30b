#include "compiler/exec/native/analysis/wide_loads.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr size_t kMaxTerms = 4;
constexpr uint64_t kFar = uint64_t(1) << 32;
constexpr uint32_t kMostApart = 1 << 19;  // bytes from the first lane

using Joins = std::function<bool(uint32_t load)>;

/// A word as a sum modulo 2^32: constant + factor * web + ...
struct Sum {
  struct Term {
    uint32_t web, version, factor;  ///< version: which of the web's values
    bool operator==(const Term&) const = default;
    bool operator<(const Term& o) const {
      return std::tie(web, version, factor) < std::tie(o.web, o.version, o.factor);
    }
  };
  uint32_t constant = 0;
  std::vector<Term> terms;  ///< ordered
  bool operator==(const Sum& o) const { return constant == o.constant && terms == o.terms; }

  void add(const Sum& other, uint32_t factor) {
    constant += other.constant * factor;
    for (const Term& t : other.terms) {
      auto it = std::find_if(terms.begin(), terms.end(),
                             [&](const Term& o) { return o.web == t.web && o.version == t.version; });
      if (it == terms.end()) it = terms.insert(it, {t.web, t.version, 0});
      it->factor += t.factor * factor;
    }
    std::erase_if(terms, [](const Term& t) { return t.factor == 0; });
    std::sort(terms.begin(), terms.end());
  }
};

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const Joins& joins,
         const std::vector<bool>& turned)
      : webs_(webs), program_(webs.program), divergence_(divergence), bounds_(bounds), joins_(joins), turned_(turned) {}

  std::vector<WideLoad> run() {
    writes_.assign(webs_.count, 0);
    version_.assign(webs_.count, 0);
    for (const Inst& inst : program_.code)
      if (inst.dst.bank == isa::Bank::Temp)
        for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) ++writes_[webs_.webOf(inst.dst, w)];
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      if (isa::opInfo(inst).control || !isa::isPure(inst)) {
        endRun();
        runStart_ = i + 1;
      } else {
        look(inst, i);
      }
      follow(inst, i);
    }
    endRun();
    return std::move(found_);
  }

 private:
  struct Candidate {
    uint32_t at, constant, imm;
    uint64_t address() const { return uint64_t(constant) + imm; }
  };
  struct Key {
    uint8_t space;
    uint32_t bytes;   ///< of a load
    isa::Bank bank;   ///< of the handle
    uint32_t handle;  ///< its web, or its word
    bool turned;      ///< rows of a matrix
    std::vector<Sum::Term> terms;
    bool operator<(const Key& o) const {
      return std::tie(space, bytes, bank, handle, turned, terms) <
             std::tie(o.space, o.bytes, o.bank, o.handle, o.turned, o.terms);
    }
  };

  /// Webs of many writes are told apart by the instruction that wrote last, or by the run: in another one, it may have
  /// been any of them.
  uint32_t versionOf(uint32_t web) const { return writes_[web] == 1 ? 0 : std::max(version_[web], runStart_) + 1; }

  Sum sumOf(Operand o) const {
    Sum sum;
    if (o.bank == isa::Bank::Param) {
      sum.constant = paramWord(program_, o.word);
    } else if (o.bank == isa::Bank::Temp) {
      const uint32_t web = webs_.webOf(o);
      const auto known = sums_.find(web);
      if (known != sums_.end()) return known->second;
      sum.terms.push_back({web, versionOf(web), 1});
    }
    return sum;
  }

  /// What values are sums of others, where they are written once.
  void follow(const Inst& inst, uint32_t i) {
    if (inst.dst.bank != isa::Bank::Temp) return;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) version_[webs_.webOf(inst.dst, w)] = i;
    const uint32_t web = webs_.webOf(inst.dst);
    if (inst.type != isa::Type::I32 || isa::dstWords(inst) != 1 || writes_[web] != 1) return;
    const auto known = [](Operand o) { return o.bank == isa::Bank::Temp || o.bank == isa::Bank::Param; };
    if (!known(inst.src[0]) || (inst.op != Opcode::XMov && !known(inst.src[1]))) return;
    Sum sum = sumOf(inst.src[0]), other = inst.op == Opcode::XMov ? Sum{} : sumOf(inst.src[1]);
    const bool constant = other.terms.empty();
    switch (inst.op) {
      case Opcode::XMov: break;
      case Opcode::IAdd: sum.add(other, 1); break;
      case Opcode::ISub: sum.add(other, ~0u); break;
      case Opcode::Shl:
      case Opcode::IMul: {
        if (!constant) return;
        const uint32_t factor = inst.op == Opcode::Shl ? 1u << (other.constant & 31) : other.constant;
        Sum product;
        product.add(sum, factor);
        sum = std::move(product);
        break;
      }
      case Opcode::And:
      case Opcode::Shr:
      case Opcode::UDiv:
      case Opcode::UMod: {            // no sum, but perhaps what was computed before
        constexpr size_t kMost = 64;  // that are remembered
        const auto first = std::find_if(computed_.begin(), computed_.end(), [&](const Computed& c) {
          return c.op == inst.op && c.source[0] == sum && c.source[1] == other;
        });
        if (first != computed_.end())
          sums_[web] = Sum{0, {{first->web, 0, 1}}};
        else if (computed_.size() < kMost)
          computed_.push_back({inst.op, web, {sum, other}});
        return;
      }
      default: return;
    }
    if (sum.terms.size() <= kMaxTerms) sums_[web] = std::move(sum);
  }

  void look(const Inst& inst, uint32_t i) {
    if (inst.op != Opcode::Ld || isa::typeBytes(inst.type) > 4) return;
    const bool four = joins_ && inst.count == 4 && isa::typeBytes(inst.type) == 4 && joins_(i);
    const bool isTurned = !turned_.empty() && turned_[i];
    if (inst.count != 1 && !four && !isTurned) return;
    const auto space = static_cast<isa::Space>(inst.sub);
    if (space != isa::Space::Shared && space != isa::Space::Buffer) return;
    if (inst.src[1].bank != isa::Bank::Temp || inst.dst.bank != isa::Bank::Temp) return;
    const Shape shape = shapeOf(webs_, divergence_, inst.src[1]);
    const uint32_t bytes = inst.count * isa::typeBytes(inst.type);
    if (four && (shape.varying() || shape.stride() != 2 * bytes)) return;
    if (isTurned && shape.varying()) return;
    if (!shape.varying() && (shape.uniform() || shape.stride() == bytes || shape.farthest() > kMostApart)) return;
    Key key{inst.sub, bytes, inst.src[0].bank, 0, isTurned, {}};
    if (inst.src[0].bank == isa::Bank::Temp) {
      key.handle = webs_.webOf(inst.src[0]);
      if (writes_[key.handle] != 1 || !shapeOf(webs_, divergence_, inst.src[0]).uniform()) return;
    } else {
      key.handle = inst.src[0].word;
    }
    Sum sum = sumOf(inst.src[1]);
    key.terms = std::move(sum.terms);
    candidates_[key].push_back({i, sum.constant, inst.imm});
  }

  void endRun() {
    for (auto& [key, list] : candidates_) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Candidate& a, const Candidate& b) { return a.address() < b.address(); });
      for (size_t i = 0; i < list.size();) {
        size_t n = 1;
        while (i + n < list.size() && list[i + n].address() == list[i].address() + key.bytes * n) ++n;
        const Shape shape = shapeOf(webs_, divergence_, program_.code[list[i].at].src[1]);
        const bool apart = shape.varying() || shape.stride().value_or(kMostApart) >= 4 * key.bytes;
        const size_t most = apart && !key.turned ? 4 : 2;
        const size_t count = std::min<size_t>(n >= 4 ? 4 : n >= 2 ? 2 : 1, most);
        const std::span<const Candidate> together = std::span(list).subspan(i, count);
        WideLoad load;
        for (const Candidate& c : together) load.loads.push_back(c.at);
        const bool first = *std::min_element(load.loads.begin(), load.loads.end()) == list[i].at;
        load.turns = !sideBySide(key, together);
        // A load's own elements never turn.
        const bool mayTurn = (key.turned || program_.code[list[i].at].count == 1) && isAlike(together);
        if (count > 1 && first && (!load.turns || mayTurn)) found_.push_back(std::move(load));
        i += count;
      }
    }
    candidates_.clear();
    computed_.clear();
  }

  /// Whether addresses whose constants are next to each other are so themselves: their sums do not wrap in between.
  bool sideBySide(const Key& key, std::span<const Candidate> list) const {
    const auto [low, high] = std::minmax_element(
        list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.constant < b.constant; });
    if (low->constant == high->constant) return true;
    uint64_t most = high->constant;
    int zeros = 32;
    for (const Sum::Term& t : key.terms) {
      const uint32_t value = bounds_.mostOf(t.web, list[0].at);
      most = std::min(most + (value == Bounds::kNone ? kFar : std::min(uint64_t(value) * t.factor, kFar)), kFar);
      const Shape shape = divergence_.shape[t.web];
      // A lane's own part has the zeros of its distance.
      const int own = shape.varying() ? 0 : std::min<int>(shape.zeros, std::countr_zero(shape.bits()));
      zeros = std::min(zeros, own + std::countr_zero(t.factor));
    }
    if (most < kFar) return true;
    // The low bits are the constants' alone.
    return isAlike(list) && (zeros >= 32 || low->constant >> zeros == high->constant >> zeros);
  }

  /// Whether all that tells them apart is part of their offsets.
  static bool isAlike(std::span<const Candidate> list) {
    return std::all_of(list.begin(), list.end(), [&](const Candidate& c) { return c.imm == list[0].imm; });
  }

  const Webs& webs_;
  const isa::Program& program_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  std::vector<uint32_t> writes_, version_;  ///< by web; version_: the last write before this instruction
  std::map<uint32_t, Sum> sums_;            ///< by web
  std::map<Key, std::vector<Candidate>> candidates_;
  struct Computed {
    Opcode op;
    uint32_t web;
    Sum source[2];
  };
  std::vector<Computed> computed_;  ///< in this run
  uint32_t runStart_ = 0;
  const Joins& joins_;
  const std::vector<bool>& turned_;
  std::vector<WideLoad> found_;
};

}  // namespace

std::vector<WideLoad> findWideLoads(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                    const Joins& joins, const std::vector<bool>& turned) {
  return Search(webs, divergence, bounds, joins, turned).run();
}

}  // namespace etzel::native
