#include "compiler/exec/native/analysis/staying.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;

namespace {

constexpr uint32_t kNever = 1 << 20;

/// Per instruction: about how often a warp comes by it from one barrier to the next one; kNever where what is written
/// may be put together later.
std::vector<uint32_t> roundsOf(const std::vector<Inst>& code) {
  constexpr uint32_t kRounds = 8;
  struct Scope {
    Opcode op;
    uint32_t begin;
    bool waits = false;  ///< has a barrier
  };
  std::vector<uint32_t> rounds(code.size(), 1);
  std::vector<Scope> open;
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (isa::opensScope(code[i].op)) open.push_back({code[i].op, i});
    for (Scope& s : open) s.waits |= code[i].op == Opcode::Barrier;
    if (!isa::closesScope(code[i].op)) continue;
    const Scope s = open.back();
    open.pop_back();
    const uint32_t factor = s.op == Opcode::If ? kNever : s.op == Opcode::Loop && !s.waits ? kRounds : 1;
    for (uint32_t k = s.begin; k < i; ++k) rounds[k] = std::min(kNever, rounds[k] * factor);
  }
  return rounds;
}

}  // namespace

Staying findStaying(const Webs& webs, const Divergence& divergence, const std::vector<uint32_t>& regions,
                    const std::map<uint32_t, ManySums>& sums) {
  constexpr uint32_t kMost = 2;  // a load and a store
  Staying staying;
  const auto& code = webs.program.code;
  // Sums of matrices' products have their homes to themselves, whenever they are written.
  if (std::any_of(code.begin(), code.end(), [](const Inst& inst) { return inst.op == Opcode::SgProduct; })) return {};
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> homes, looks;  // by region and web
  for (uint32_t i = 0, barrier = 0; i < code.size(); ++i) {
    if (code[i].op != Opcode::Barrier) continue;
    for (const Webs::Live& l : webs.barriers[barrier]) {
      if (!divergence.shape[l.web].varying() || webs.undefined[l.web]) continue;
      homes[{regions[i], l.web}] = l.home;
      if (i + 1 < code.size()) homes[{regions[i + 1], l.web}] = l.home;
    }
    ++barrier;
  }
  if (homes.empty()) return staying;
  std::vector<uint32_t> rounds = roundsOf(code);
  for (const auto& [loop, many] : sums)
    for (const auto& group : many.groups)
      for (const uint32_t i : group) rounds[i] = rounds[loop - 1];
  // By region and home. Other lanes than those that run may have a value in the register that they use for another
  // one, and the interpreter's handlers find that in memory.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> users;
  for (uint32_t i = 0; i < code.size(); ++i) {
    const auto look = [&](isa::Operand o, uint32_t words) {
      for (uint32_t w = 0; w < words && o.bank == isa::Bank::Temp; ++w) {
        const std::pair here{regions[i], webs.webOf(o, w)};
        looks[here] += rounds[i];
        if (divergence.partial[i] && !homes.count(here)) users[{regions[i], webs.homeOf(o, w)}] = kMost;
      }
    };
    isa::forEachSource(code[i], look);
    look(code[i].dst, isa::dstWords(code[i]));
  }
  for (const auto& [where, home] : homes) ++users[{where.first, home}];
  for (const auto& [where, home] : homes)
    if (looks[where] <= kMost && users[{where.first, home}] == 1) staying[where] = home;
  return staying;
}

}  // namespace etzel::native
