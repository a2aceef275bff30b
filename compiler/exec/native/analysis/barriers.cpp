#include "compiler/exec/native/analysis/barriers.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Inst;
using isa::Opcode;

/// Register words, not webs: an instruction that the interpreter runs leaves its result in the word's memory, whichever
/// web lay there.
using Words = std::vector<bool>;

void join(Words& into, const Words& from) {
  for (size_t i = 0; i < into.size(); ++i)
    if (from[i]) into[i] = true;
}

/// One walk over the program with what may have changed at every point. Code that nothing reaches has changed nothing.
class Walk {
 public:
  Walk(const Webs& webs, std::vector<Words>& heads) : webs_(webs), heads_(heads), now_(webs.program.tempWords + 8) {}

  /// \returns false when a loop's head has changed more than was assumed.
  bool run() {
    const auto& code = webs_.program.code;
    bool stable = true;
    for (uint32_t i = 0; i < code.size(); ++i) {
      const Inst& inst = code[i];
      switch (inst.op) {
        case Opcode::If: scopes_.push_back({i, inst.op, now_}); continue;
        case Opcode::Else: std::swap(scopes_.back().other, now_); continue;
        case Opcode::EndIf:
          join(now_, scopes_.back().other);
          scopes_.pop_back();
          continue;
        case Opcode::Block: scopes_.push_back({i, inst.op, Words(now_.size())}); continue;
        case Opcode::EndBlock:
          join(now_, scopes_.back().other);
          scopes_.pop_back();
          continue;
        case Opcode::Loop:
          scopes_.push_back({i, inst.op, {}});
          if (heads_[i].empty()) heads_[i] = now_;
          join(heads_[i], now_);
          now_ = heads_[i];
          continue;
        case Opcode::EndLoop: {
          Words& head = heads_[scopes_.back().at];
          const Words before = head;
          join(head, now_);
          stable = stable && head == before;
          scopes_.pop_back();
          clear();
          continue;
        }
        case Opcode::Br:
        case Opcode::BrC:
          branch(inst.imm);
          if (inst.op == Opcode::Br) clear();
          continue;
        case Opcode::Ret:
        case Opcode::Kill: clear(); continue;
        case Opcode::Barrier:
          barriers_.push_back(now_);
          clear();
          continue;
        default: break;
      }
      if (inst.dst.bank != isa::Bank::Temp) continue;
      for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) now_[webs_.homeOf(inst.dst, w)] = true;
    }
    return stable;
  }

  std::vector<Words> barriers_;  ///< what may have changed at each

 private:
  struct Scope {
    uint32_t at;
    Opcode kind;
    Words other;  ///< If: the other side; Block: what branches bring to its end
  };

  void clear() { std::fill(now_.begin(), now_.end(), false); }
  void branch(uint32_t depth) {
    for (size_t s = scopes_.size(); s-- > 0;)
      if (scopes_[s].kind == Opcode::Block && depth-- == 0) return join(scopes_[s].other, now_);
  }

  const Webs& webs_;
  std::vector<Words>& heads_;
  Words now_;
  std::vector<Scope> scopes_;
};

}  // namespace

std::vector<std::vector<Webs::Live>> valuesToSave(const Webs& webs) {
  if (webs.barriers.empty()) return {};
  std::vector<Words> heads(webs.program.code.size());
  for (;;) {
    Walk walk(webs, heads);
    if (!walk.run()) continue;
    auto saved = webs.barriers;
    for (size_t b = 0; b < saved.size(); ++b)
      std::erase_if(saved[b],
                    [&](const Webs::Live& l) { return !walk.barriers_[b][l.home] && !webs.undefined[l.web]; });
    return saved;
  }
}

}  // namespace etzel::native
