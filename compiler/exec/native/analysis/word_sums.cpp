#include "compiler/exec/native/analysis/word_sums.h"

#include <algorithm>
#include <bit>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {
constexpr size_t kMaxTerms = 4;
constexpr uint64_t kFar = uint64_t(1) << 32;
}  // namespace

void WordSum::add(const WordSum& other, uint32_t factor) {
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

WordSums::WordSums(const Webs& webs) : webs_(webs), writes_(webs.count), version_(webs.count) {
  for (const Inst& inst : webs.program.code)
    if (inst.dst.bank == isa::Bank::Temp)
      for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) ++writes_[webs.webOf(inst.dst, w)];
}

/// Webs of many writes are told apart by the instruction that wrote last, or by the run: in another one, it may have
/// been any of them.
uint32_t WordSums::versionOf(uint32_t web) const {
  return writes_[web] == 1 ? 0 : std::max(version_[web], runStart_) + 1;
}

WordSum WordSums::of(Operand o) const {
  WordSum sum;
  if (o.bank == isa::Bank::Param) {
    sum.constant = paramWord(webs_.program, o.word);
  } else if (o.bank == isa::Bank::Temp) {
    const uint32_t web = webs_.webOf(o);
    const auto known = sums_.find(web);
    if (known != sums_.end()) return known->second;
    sum.terms.push_back({web, versionOf(web), 1});
  }
  return sum;
}

/// What values are sums of others, where they are written once.
void WordSums::pass(const Inst& inst, uint32_t i) {
  if (inst.dst.bank != isa::Bank::Temp) return;
  for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) version_[webs_.webOf(inst.dst, w)] = i;
  const uint32_t web = webs_.webOf(inst.dst);
  if (inst.type != isa::Type::I32 || isa::dstWords(inst) != 1 || writes_[web] != 1) return;
  const auto known = [](Operand o) { return o.bank == isa::Bank::Temp || o.bank == isa::Bank::Param; };
  if (!known(inst.src[0]) || (inst.op != Opcode::XMov && !known(inst.src[1]))) return;
  WordSum sum = of(inst.src[0]), other = inst.op == Opcode::XMov ? WordSum{} : of(inst.src[1]);
  const bool constant = other.terms.empty();
  switch (inst.op) {
    case Opcode::XMov: break;
    case Opcode::IAdd: sum.add(other, 1); break;
    case Opcode::ISub: sum.add(other, ~0u); break;
    case Opcode::Shl:
    case Opcode::IMul: {
      if (!constant) return;
      const uint32_t factor = inst.op == Opcode::Shl ? 1u << (other.constant & 31) : other.constant;
      WordSum product;
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
        sums_[web] = WordSum{0, {{first->web, 0, 1}}};
      else if (computed_.size() < kMost)
        computed_.push_back({inst.op, web, {sum, other}});
      return;
    }
    default: return;
  }
  if (sum.terms.size() <= kMaxTerms) sums_[web] = std::move(sum);
}

bool differInOffsets(const std::vector<WordPlace>& places) {
  return std::all_of(places.begin(), places.end(), [&](const WordPlace& p) { return p.imm == places[0].imm; });
}

bool lieSideBySide(const Divergence& divergence, const Bounds& bounds, const std::vector<WordSum::Term>& terms,
                   const std::vector<WordPlace>& places) {
  const auto [low, high] = std::minmax_element(
      places.begin(), places.end(), [](const WordPlace& a, const WordPlace& b) { return a.constant < b.constant; });
  if (low->constant == high->constant) return true;
  uint64_t most = high->constant;
  int zeros = 32;
  for (const WordSum::Term& t : terms) {
    const uint32_t value = bounds.mostOf(t.web, places[0].at);
    most = std::min(most + (value == Bounds::kNone ? kFar : std::min(uint64_t(value) * t.factor, kFar)), kFar);
    const Shape shape = divergence.shape[t.web];
    // A lane's own part has the zeros of its distance.
    const int own = shape.varying() ? 0 : std::min<int>(shape.zeros, std::countr_zero(shape.bits()));
    zeros = std::min(zeros, own + std::countr_zero(t.factor));
  }
  if (most < kFar) return true;
  // The low bits are the constants' alone.
  return differInOffsets(places) && (zeros >= 32 || low->constant >> zeros == high->constant >> zeros);
}

}  // namespace etzel::native
