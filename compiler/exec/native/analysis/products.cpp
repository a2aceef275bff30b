#include "compiler/exec/native/analysis/products.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {

/// Longer ways are searched for too long.
constexpr uint32_t kMostBetween = 512;

bool isPlain(const Inst& inst) { return isa::isExtension(inst.op) && isa::opInfo(inst).effect == isa::Effect::None; }

template <class F>
void forEachRead(const Webs& webs, const Inst& inst, F&& f) {
  isa::forEachSource(inst, [&](Operand o, uint32_t words) {
    for (uint32_t w = 0; o.bank == Bank::Temp && w < words; ++w) f(webs.webOf(o, w));
  });
}
template <class F>
void forEachWritten(const Webs& webs, const Inst& inst, F&& f) {
  for (uint32_t w = 0, n = isa::dstWords(inst); inst.dst.bank == Bank::Temp && w < n; ++w) f(webs.webOf(inst.dst, w));
}

class Search {
 public:
  /// `readers`: instructions that read a web; `early`: what is emitted before its turn, with the groups before this
  /// one.
  Search(const Webs& webs, uint32_t first, const std::vector<uint32_t>& readers, const std::vector<bool>& fixed,
         std::vector<bool>& early)
      : webs_(webs), code_(webs.program.code), first_(first), readers_(readers), fixed_(fixed), early_(early) {
    group_.products = {first};
    early_[first] = true;
    end_ = first + 1;
    const auto most = static_cast<uint32_t>(std::min<size_t>(code_.size(), first_ + kMostBetween));
    while (end_ < most && isPlain(code_[end_])) ++end_;
  }

  ProductGroup run(uint32_t most) {
    for (uint32_t i = first_ + 1; i < end_ && group_.products.size() < most; ++i)
      if (!early_[i] && isAlike(code_[i])) add(i);
    for (const uint32_t i : group_.products) {
      group_.results.push_back(resultOf(i));
      early_[group_.results.back()] = true;
    }
    std::sort(group_.before.begin(), group_.before.end());
    return std::move(group_);
  }

 private:
  bool isAlike(const Inst& inst) const {
    const Inst& first = code_[first_];
    if (inst.op != first.op || inst.type != first.type || inst.count != first.count) return false;
    return areSame(inst.src[1], first.src[1], inst.count);
  }
  bool areSame(Operand a, Operand b, uint32_t words) const {
    if (a.bank != b.bank) return false;
    if (a.bank != Bank::Temp) return a.word == b.word;
    for (uint32_t w = 0; w < words; ++w)
      if (webs_.webOf(a, w) != webs_.webOf(b, w)) return false;
    return true;
  }

  static bool isAmong(uint32_t web, const std::vector<uint32_t>& webs) {
    return std::find(webs.begin(), webs.end(), web) != webs.end();
  }
  bool writesAny(const Inst& inst, const std::vector<uint32_t>& webs) const {
    bool any = false;
    forEachWritten(webs_, inst, [&](uint32_t web) { any |= isAmong(web, webs); });
    return any;
  }
  bool readsAny(const Inst& inst, const std::vector<uint32_t>& webs) const {
    bool any = false;
    forEachRead(webs_, inst, [&](uint32_t web) { any |= isAmong(web, webs); });
    return any;
  }
  /// Moves product `at` and what it needs up to the first one, if nothing that stays between them minds.
  void add(uint32_t at) {
    std::vector<uint32_t> needed, made, stay, moved;
    const auto moveUp = [&](const Inst& inst) {
      forEachRead(webs_, inst, [&](uint32_t web) { needed.push_back(web); });
      forEachWritten(webs_, inst, [&](uint32_t web) { made.push_back(web); });
    };
    moveUp(code_[at]);
    for (uint32_t i = at - 1; i > first_; --i) {
      if (early_[i]) continue;
      if (!writesAny(code_[i], needed)) {
        stay.push_back(i);
        continue;
      }
      if (fixed_[i] || code_[i].op == Opcode::SgProduct || code_[i].dst.bank != Bank::Temp) return;
      moveUp(code_[i]);
      moved.push_back(i);
    }
    // The products before read what they had before anything moved.
    stay.insert(stay.end(), group_.products.begin(), group_.products.end());
    for (const uint32_t i : stay)
      if (writesAny(code_[i], needed) || writesAny(code_[i], made) || readsAny(code_[i], made)) return;
    for (const uint32_t i : moved) early_[i] = true, group_.before.push_back(i);
    early_[at] = true;
    group_.products.push_back(at);
  }

  /// The only reader of a product, where that moves it to a variable that nobody touches between the first product and
  /// the move.
  uint32_t resultOf(uint32_t product) const {
    const Inst& inst = code_[product];
    if (inst.dst.bank != Bank::Temp || inst.masked) return product;
    for (uint32_t w = 0; w < inst.count; ++w)
      if (readers_[webs_.webOf(inst.dst, w)] != 1) return product;
    uint32_t move = product + 1;
    std::vector<uint32_t> moved;
    forEachWritten(webs_, inst, [&](uint32_t web) { moved.push_back(web); });
    while (move < end_ && !readsAny(code_[move], moved)) ++move;
    if (move == end_) return product;
    const Inst& to = code_[move];
    if (to.op != Opcode::XMov || to.dst.bank != Bank::Temp || to.count != inst.count || early_[move] ||
        !areSame(to.src[0], inst.dst, inst.count))
      return product;
    std::vector<uint32_t> variable;
    forEachWritten(webs_, to, [&](uint32_t web) { variable.push_back(web); });
    for (uint32_t i = first_ + 1; i < move; ++i)
      if (!early_[i] && (readsAny(code_[i], variable) || writesAny(code_[i], variable))) return product;
    return move;
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const uint32_t first_;
  uint32_t end_;
  const std::vector<uint32_t>& readers_;
  const std::vector<bool>& fixed_;
  std::vector<bool>& early_;
  ProductGroup group_;
};

/// Whether the group that begins at `second` may be made at once with the one that begins at `first`.
bool goesOn(const Webs& webs, const std::map<uint32_t, ProductGroup>& groups, uint32_t first, uint32_t second,
            const std::vector<uint32_t>& readers) {
  const std::vector<Inst>& code = webs.program.code;
  const ProductGroup &a = groups.at(first), &b = groups.at(second);
  if (!b.before.empty() || a.products != a.results || a.products.size() != b.products.size()) return false;
  for (uint32_t i = first + 1; i < second; ++i)
    if (std::find(a.products.begin(), a.products.end(), i) == a.products.end()) return false;
  for (size_t i = 0; i < a.products.size(); ++i) {
    const Inst &made = code[a.products[i]], &taken = code[b.products[i]];
    if (made.masked || made.type != taken.type || made.count != taken.count || made.dst.bank != Bank::Temp ||
        taken.src[2].bank != Bank::Temp)
      return false;
    for (uint32_t w = 0; w < made.count; ++w) {
      const uint32_t web = webs.webOf(made.dst, w);
      if (web != webs.webOf(taken.src[2], w) || readers[web] != 1) return false;
    }
  }
  return true;
}

}  // namespace

std::map<uint32_t, ProductGroup> findProducts(const Webs& webs, uint32_t most, const std::vector<bool>& fixed) {
  const std::vector<Inst>& code = webs.program.code;
  std::map<uint32_t, ProductGroup> groups;
  if (std::none_of(code.begin(), code.end(), [](const Inst& inst) { return inst.op == Opcode::SgProduct; }))
    return groups;
  std::vector<uint32_t> readers(webs.count);
  for (const Inst& inst : code) forEachRead(webs, inst, [&](uint32_t web) { ++readers[web]; });
  std::vector<bool> early(code.size());
  for (uint32_t i = 0; i < code.size(); ++i)
    if (code[i].op == Opcode::SgProduct && !early[i]) groups[i] = Search(webs, i, readers, fixed, early).run(most);
  std::vector<bool> isNext(code.size());
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    const auto second = std::next(group);
    if (second == groups.end() || isNext[group->first]) continue;
    if (!goesOn(webs, groups, group->first, second->first, readers)) continue;
    group->second.next = second->first;
    isNext[second->first] = true;
  }
  return groups;
}

}  // namespace etzel::native
