#include "compiler/exec/native/analysis/webs.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;

constexpr uint32_t kNone = ~0u;

/// A set of register words.
class WordSet {
 public:
  explicit WordSet(uint32_t words = 0) : bits_((words + 63) / 64) {}
  void add(uint32_t w) { bits_[w / 64] |= uint64_t(1) << w % 64; }
  void remove(uint32_t w) { bits_[w / 64] &= ~(uint64_t(1) << w % 64); }
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  /// \returns true when this grew.
  bool join(const WordSet& other) {
    bool grew = false;
    for (size_t i = 0; i < bits_.size(); ++i) {
      const uint64_t all = bits_[i] | other.bits_[i];
      grew |= all != bits_[i];
      bits_[i] = all;
    }
    return grew;
  }
  template <class F>
  void forEach(F&& f) const {
    for (size_t i = 0; i < bits_.size(); ++i)
      for (uint64_t left = bits_[i]; left; left &= left - 1)
        f(static_cast<uint32_t>(i * 64 + static_cast<size_t>(__builtin_ctzll(left))));
  }

 private:
  std::vector<uint64_t> bits_;
};

// Both walks look at the program as one thread sees it: a write ends what the register held before, masked or not. What
// lanes that wait elsewhere hold is either read later together with this write, then a join makes both one web, or it
// is not, then it may as well live elsewhere.
class Finder {
 public:
  explicit Finder(const isa::Program& program) : words_(program.tempWords + 8), in_(program) { out_.program = program; }

  Webs run() {
    out_.needed.resize(in_.code.size());
    findScopes();
    while (liveness()) {
    }
    assign();
    finish();
    return std::move(out_);
  }

 private:
  static bool isScope(Opcode op) { return isa::opensScope(op); }

  /// Every scope's end, and its liveness set: after the end (If, Block), at the head (Loop).
  void findScopes() {
    const size_t n = in_.code.size();
    endOf_.assign(n, kNone);
    scopeAt_.assign(n, kNoScope);
    liveIndex_.assign(n, kNone);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < n; ++i) {
      scopeAt_[i] = open.empty() ? kNoScope : open.back();
      const Opcode op = in_.code[i].op;
      if (isScope(op)) {
        liveIndex_[i] = static_cast<uint32_t>(live_.size());
        live_.emplace_back(words_);
        open.push_back(i);
      } else if (isa::closesScope(op)) {
        endOf_[open.back()] = i;
        openOf_[i] = open.back();
        open.pop_back();
      } else if (op == Opcode::Br || op == Opcode::BrC) {
        uint32_t depth = in_.code[i].imm;
        for (size_t s = open.size(); s-- > 0;)
          if (in_.code[open[s]].op == Opcode::Block && depth-- == 0) {
            target_[i] = open[s];
            break;
          }
      } else if (op == Opcode::Barrier || op == Opcode::Else) {
        liveIndex_[i] = static_cast<uint32_t>(live_.size());
        live_.emplace_back(words_);
      }
    }
  }

  WordSet& liveOf(uint32_t i) { return live_[liveIndex_[i]]; }

  /// One walk backwards. \returns true when a loop needs another one.
  bool liveness() {
    bool changed = false;
    WordSet live(words_);
    std::vector<WordSet> elseLive;
    std::vector<bool> hasElse;
    for (uint32_t i = static_cast<uint32_t>(in_.code.size()); i-- > 0;) {
      const Inst& inst = in_.code[i];
      switch (inst.op) {
        case Opcode::EndIf:
          liveOf(openOf_[i]) = live;
          hasElse.push_back(false);
          elseLive.emplace_back();
          continue;
        case Opcode::Else:
          liveOf(i) = elseLive.back() = live;
          hasElse.back() = true;
          live = liveOf(scopeAt_[i]);
          continue;
        case Opcode::If:
          live.join(hasElse.back() ? elseLive.back() : liveOf(i));
          hasElse.pop_back(), elseLive.pop_back();
          break;
        case Opcode::EndBlock: liveOf(openOf_[i]) = live; continue;
        case Opcode::EndLoop: live = liveOf(openOf_[i]); continue;
        case Opcode::Loop: changed |= liveOf(i).join(live); continue;
        case Opcode::Br: live = liveOf(target_[i]); continue;
        case Opcode::BrC: live.join(liveOf(target_[i])); break;
        case Opcode::Ret:
        case Opcode::Kill: live.clear(); continue;
        case Opcode::Barrier: liveOf(i) = live; continue;
        default: break;
      }
      if (inst.dst.bank == Bank::Temp)
        for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) live.remove(inst.dst.word + w);
      isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
        if (o.bank != Bank::Temp) return;
        for (uint32_t w = 0; w < words; ++w) live.add(o.word + w);
      });
    }
    return changed;
  }

  uint32_t fresh() {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    return static_cast<uint32_t>(parent_.size() - 1);
  }
  uint32_t root(uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  uint32_t join(uint32_t a, uint32_t b) {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    a = root(a), b = root(b);
    parent_[b] = a;
    return a;
  }

  using State = std::vector<uint32_t>;  ///< web of each word
  struct Scope {
    uint32_t at;
    State before;  ///< If: then what the first side ended with
    State exit;    ///< Block: what branches to its end bring
    bool reachable = false, hasExit = false, hasElse = false;
  };

  void merge(State& into, const State& from, const WordSet& live) {
    live.forEach([&](uint32_t w) {
      if ((into[w] == kNone) != (from[w] == kNone)) undefined_.push_back(std::min(into[w], from[w]));
      into[w] = join(into[w], from[w]);
    });
  }

  /// What lanes that wait for this place will read.
  void need(uint32_t i, WordSet& live, const State& now) {
    live.forEach([&](uint32_t w) {
      if (now[w] != kNone) out_.needed[i].push_back(now[w]);
    });
  }

  void assign() {
    now_.assign(words_, kNone);
    for (uint32_t i = 0; i < in_.code.size(); ++i) {
      Inst& inst = out_.program.code[i];
      rename(inst, i);
      follow(inst, i);
    }
  }

  /// Operands name slots from here on.
  void rename(Inst& inst, uint32_t i) {
    for (uint32_t s = 0; s < 3; ++s) {
      isa::Operand& o = inst.src[s];
      if (o.bank != Bank::Temp) continue;
      const uint32_t n = isa::srcWords(inst, s);
      const uint32_t first = static_cast<uint32_t>(out_.web.size());
      for (uint32_t w = 0; w < n; ++w) {
        uint32_t& web = now_[o.word + w];
        if (web == kNone) undefined_.push_back(web = fresh());
        slot(web, o.word + w, i);
      }
      o.word = first;
    }
    if (inst.dst.bank != Bank::Temp) return;
    const uint32_t first = static_cast<uint32_t>(out_.web.size());
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
      now_[inst.dst.word + w] = fresh();
      slot(now_[inst.dst.word + w], inst.dst.word + w, i);
    }
    inst.dst.word = first;
  }

  /// What the words hold behind an instruction that begins or ends a way through the program.
  void follow(const Inst& inst, uint32_t i) {
    switch (inst.op) {
      case Opcode::If: scopes_.push_back({i, now_, {}, reachable_}); return;
      case Opcode::Else: {
        Scope& s = scopes_.back();
        s.hasElse = true;
        std::swap(s.before, now_);
        std::swap(s.reachable, reachable_);
        need(i, liveOf(i), now_);
        return;
      }
      case Opcode::EndIf: endIf(); return;
      case Opcode::Block: scopes_.push_back({i, {}, {}, reachable_}); return;
      case Opcode::EndBlock: endBlock(); return;
      case Opcode::Loop:
        liveOf(i).forEach([&](uint32_t w) {
          if (now_[w] == kNone) undefined_.push_back(now_[w] = fresh());
        });
        scopes_.push_back({i, now_, {}, reachable_});
        return;
      case Opcode::EndLoop: endLoop(); return;
      case Opcode::Br:
      case Opcode::BrC:
        if (reachable_) branch(i);
        if (inst.op == Opcode::Br) reachable_ = false;
        return;
      case Opcode::Ret:
      case Opcode::Kill: reachable_ = false; return;
      case Opcode::Barrier:
        out_.barriers.emplace_back();
        liveOf(i).forEach([&](uint32_t w) {
          if (now_[w] != kNone) out_.barriers.back().push_back({now_[w], w});
        });
        return;
      default: return;
    }
  }

  void endIf() {
    Scope& s = scopes_.back();
    if (!reachable_)
      now_ = std::move(s.before);
    else if (s.reachable)
      merge(now_, s.before, liveOf(s.at));
    reachable_ |= s.reachable;
    need(s.at, liveOf(s.at), now_);
    scopes_.pop_back();
  }

  void endBlock() {
    Scope& s = scopes_.back();
    if (s.hasExit) {
      if (reachable_) merge(s.exit, now_, liveOf(s.at));
      now_ = std::move(s.exit);
      reachable_ = true;
    }
    need(s.at, liveOf(s.at), now_);
    scopes_.pop_back();
  }

  void endLoop() {
    const Scope& s = scopes_.back();
    if (reachable_) merge(now_, s.before, liveOf(s.at));
    liveOf(s.at).forEach([&](uint32_t w) { around_.push_back({s.before[w], s.at}); });
    scopes_.pop_back();
    reachable_ = false;
  }

  void branch(uint32_t i) {
    for (Scope& s : scopes_) {
      if (s.at != target_[i]) continue;
      if (s.hasExit)
        merge(s.exit, now_, liveOf(s.at));
      else
        s.exit = now_, s.hasExit = true;
    }
  }

  void slot(uint32_t web, uint32_t word, uint32_t at) {
    out_.web.push_back(web);
    out_.home.push_back(word);
    at_.push_back(at);
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    const auto depth = [&](uint32_t s) {
      uint32_t d = 0;
      for (; s != kNoScope; s = scopeAt_[s]) ++d;
      return d;
    };
    uint32_t da = depth(a), db = depth(b);
    for (; da > db; --da) a = scopeAt_[a];
    for (; db > da; --db) b = scopeAt_[b];
    while (a != b) a = scopeAt_[a], b = scopeAt_[b];
    return a;
  }

  /// Numbers the webs and finds the scopes that hold them.
  void finish() {
    std::vector<uint32_t> number(parent_.size(), kNone);
    std::vector<bool> seen;
    const auto numberOf = [&](uint32_t node) {
      uint32_t& n = number[root(node)];
      if (n == kNone) {
        n = out_.count++;
        out_.scope.push_back(kNoScope);
        seen.push_back(false);
      }
      return n;
    };
    const auto use = [&](uint32_t web, uint32_t scope) {
      out_.scope[web] = seen[web] ? common(out_.scope[web], scope) : scope;
      seen[web] = true;
    };
    for (size_t s = 0; s < out_.web.size(); ++s) {
      out_.web[s] = numberOf(out_.web[s]);
      use(out_.web[s], scopeAt_[at_[s]]);
    }
    // A value that goes round a loop is needed in all of it.
    for (const auto& [node, loop] : around_) use(numberOf(node), loop);
    out_.undefined.assign(out_.count, false);
    for (uint32_t node : undefined_) {
      const uint32_t web = numberOf(node);
      out_.undefined.resize(out_.count);
      out_.undefined[web] = true;
    }
    for (auto& list : out_.barriers)
      for (Webs::Live& l : list) l.web = numberOf(l.web);
    out_.undefined.resize(out_.count);
    for (auto& list : out_.needed) {
      for (uint32_t& web : list) web = numberOf(web);
      std::sort(list.begin(), list.end());
    }
    out_.seenByOthers.resize(out_.count);
    while (spreadToSources()) {
    }
  }

  /// Whether lanes see what others, perhaps inactive ones, have in the sources.
  static bool looksAcross(const Inst& inst) {
    if (inst.op == Opcode::Tex2) {
      const abi::TexInst tex = abi::TexInst::unpack(inst.imm);
      return tex.lod == abi::LodMode::Implicit || tex.lod == abi::LodMode::Bias || tex.kind == abi::TexKind::QueryLod;
    }
    return isa::opInfo(inst).quad || (inst.op >= Opcode::SgBallot && inst.op <= Opcode::SgProduct);
  }

  /// What makes a value that is seen is seen, but for what masked instructions read: lanes that are missing there keep
  /// what they have. \returns true when something was new.
  bool spreadToSources() {
    bool changed = false;
    for (const Inst& inst : out_.program.code) {
      bool seen = looksAcross(inst);
      if (inst.dst.bank == Bank::Temp && !inst.masked)
        for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) seen |= out_.seenByOthers[out_.webOf(inst.dst, w)];
      if (!seen) continue;
      isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
        if (o.bank != Bank::Temp) return;
        for (uint32_t w = 0; w < words; ++w) {
          const uint32_t web = out_.webOf(o, w);
          changed |= !out_.seenByOthers[web];
          out_.seenByOthers[web] = true;
        }
      });
    }
    return changed;
  }

  const uint32_t words_;
  const isa::Program& in_;
  Webs out_;
  std::vector<uint32_t> endOf_, scopeAt_, liveIndex_;
  std::unordered_map<uint32_t, uint32_t> openOf_, target_;
  std::vector<WordSet> live_;
  std::vector<uint32_t> parent_, at_, undefined_;
  struct Around {
    uint32_t node, loop;
  };
  std::vector<Around> around_;
  // While assign() walks the program
  State now_;
  std::vector<Scope> scopes_;
  bool reachable_ = true;
};

}  // namespace

bool Webs::neededAt(uint32_t instruction, uint32_t web) const {
  const std::vector<uint32_t>& list = needed[instruction];
  return std::binary_search(list.begin(), list.end(), web);
}

Webs findWebs(const isa::Program& program) { return Finder(program).run(); }

}  // namespace etzel::native
