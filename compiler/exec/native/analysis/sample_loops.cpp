#include "compiler/exec/native/analysis/sample_loops.h"

#include <algorithm>
#include <set>

#include "compiler/exec/native/analysis/copies.h"
#include "compiler/exec/native/analysis/sample_groups.h"
#include "compiler/isa/info.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::native {
namespace {

using abi::TexInst;
using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr uint32_t kMostImages = 4;
/// Instructions that are worth a branch around them, fetches apart; those of a loop count several times.
constexpr uint32_t kLeastSkipped = 24, kRounds = 8;

template <class Body>
void forEachRead(const Webs& webs, const Inst& inst, Body body) {
  isa::forEachSource(inst, [&](Operand o, uint32_t words) {
    for (uint32_t w = 0; o.bank == Bank::Temp && w < words; ++w) body(webs.webOf(o, w));
  });
}
template <class Body>
void forEachWrite(const Webs& webs, const Inst& inst, Body body) {
  for (uint32_t w = 0, n = isa::dstWords(inst); inst.dst.bank == Bank::Temp && w < n; ++w)
    body(webs.webOf(inst.dst, w));
}

/// Finds the end of what may be skipped in a loop: instructions that read what does not change in it, what the fetches
/// give, and what they made of that themselves.
class Skip {
 public:
  /// \param begin the first fetch, in no scope of the loop's
  Skip(const Webs& webs, const SampleLoop& loop, uint32_t begin, uint32_t loopBegin, uint32_t loopEnd)
      : webs_(webs), code_(webs.program.code), loop_(loop), begin_(begin), loopBegin_(loopBegin), loopEnd_(loopEnd) {
    for (uint32_t i = loopBegin; i < loopEnd; ++i)
      forEachWrite(webs_, code_[i], [&](uint32_t web) { inLoop_.insert(web); });
  }

  /// \returns `begin` where nothing is worth it. \param counter the web of the sample
  uint32_t end(uint32_t counter) {
    for (uint32_t i = loopBegin_; i < loopEnd_; ++i)
      if (!isa::isPure(code_[i]) && !isFlow(code_[i])) return begin_;
    uint32_t end = begin_, weight = 0, skipped = 0, loops = 0;
    for (uint32_t i = begin_; i < loopEnd_ && isSame(i); ++i) {
      if (code_[i].op == Opcode::Loop) ++loops;
      if (code_[i].op == Opcode::EndLoop) --loops;
      weight += isFetch(i) ? 0 : loops ? kRounds : 1;
      if (scopes_.empty()) end = i + 1, skipped = weight;
    }
    return skipped >= kLeastSkipped && isAlone(end, counter) ? end : begin_;
  }

 private:
  struct Scope {
    Opcode kind;
    std::set<uint32_t> before;  ///< what was made when it began
  };

  /// Flow that no lane leaves the function or the fragment by.
  static bool isFlow(const Inst& inst) {
    return isa::opInfo(inst).effect == isa::Effect::Flow && inst.op != Opcode::Ret;
  }
  bool isFetch(uint32_t i) const {
    return std::any_of(loop_.fetches.begin(), loop_.fetches.end(), [&](const auto& f) { return f.at == i; });
  }

  /// Whether an instruction does what it did the round before, if those from begin_ on did.
  bool isSame(uint32_t i) {
    const Inst& inst = code_[i];
    if (isFlow(inst)) return isSameFlow(inst);
    const isa::OpInfo& info = isa::opInfo(inst);
    if (!isa::isPure(inst) || inst.dst.bank != Bank::Temp) return false;
    if (isFetch(i)) return scopes_.empty() && note(inst, true);
    if (info.native == isa::Native::Texture || info.native == isa::Native::Call || info.samples == isa::Samples::Never)
      return false;
    if (readsOutput(inst)) return false;
    if (readsSame(inst)) return note(inst, true);
    // Copies of what changes, the sample's number, are for the fetches alone.
    return inst.op == Opcode::XMov && scopes_.empty() && note(inst, false);
  }

  bool isSameFlow(const Inst& inst) {
    if (!readsSame(inst)) return false;
    if (isa::opensScope(inst.op)) {
      scopes_.push_back({inst.op, made_});
    } else if (inst.op == Opcode::Else) {
      if (scopes_.empty()) return false;
      made_ = scopes_.back().before;
    } else if (isa::closesScope(inst.op)) {
      if (scopes_.empty()) return false;
      made_ = scopes_.back().before, scopes_.pop_back();
    } else {
      const auto blocks =
          std::count_if(scopes_.begin(), scopes_.end(), [](auto& s) { return s.kind == Opcode::Block; });
      return inst.imm < blocks;
    }
    return true;
  }

  static bool readsOutput(const Inst& inst) {
    bool reads = inst.op == Opcode::Ld && static_cast<isa::Space>(inst.sub) == isa::Space::OutRegister;
    isa::forEachSource(inst, [&](Operand o, uint32_t) { reads |= o.bank == Bank::Out; });
    return reads;
  }
  bool readsSame(const Inst& inst) const {
    bool all = true;
    forEachRead(webs_, inst, [&](uint32_t web) { all &= made_.count(web) || !inLoop_.count(web); });
    return all;
  }
  bool note(const Inst& inst, bool isMade) {
    forEachWrite(webs_, inst, [&](uint32_t web) {
      if (isMade)
        made_.insert(web);
      else
        made_.erase(web), changing_.insert(web);
    });
    return true;
  }

  /// Whether nothing else in the loop writes what the instructions write, and nobody reads numbers of samples there.
  bool isAlone(uint32_t end, uint32_t counter) const {
    std::set<uint32_t> written;
    for (uint32_t i = begin_; i < end; ++i) forEachWrite(webs_, code_[i], [&](uint32_t web) { written.insert(web); });
    if (written.count(counter)) return false;
    bool alone = true;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (i >= begin_ && i < end) continue;
      forEachRead(webs_, code_[i], [&](uint32_t web) { alone &= !(written.count(web) && changing_.count(web)); });
      if (i >= loopBegin_ && i < loopEnd_)
        forEachWrite(webs_, code_[i], [&](uint32_t web) { alone &= !written.count(web); });
    }
    return alone;
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const SampleLoop& loop_;
  const uint32_t begin_, loopBegin_, loopEnd_;
  std::set<uint32_t> inLoop_;  ///< webs that the loop writes
  std::set<uint32_t> made_;  ///< that certainly have been written since begin_, with what was written the round before
  std::set<uint32_t> changing_;
  std::vector<Scope> scopes_;
};

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const std::vector<Constant>& constants)
      : webs_(webs),
        code_(webs.program.code),
        divergence_(divergence),
        constants_(constants),
        copies_(webs, constants) {}

  std::map<uint32_t, SampleLoop> run() const {
    std::map<uint32_t, SampleLoop> found;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_[i].op != Opcode::Loop) continue;
      const uint32_t end = endOf(i);
      SampleLoop loop = loopAt(i, end);
      if (loop.fetches.empty()) continue;
      findSkipped(loop, i, end);
      found[i] = std::move(loop);
      i = end;
    }
    return found;
  }

 private:
  uint32_t endOf(uint32_t loop) const {
    uint32_t i = loop;
    for (uint32_t depth = 0;; ++i) {
      depth += code_[i].op == Opcode::Loop;
      if (code_[i].op == Opcode::EndLoop && --depth == 0) return i;
    }
  }
  Operand argument(const Inst& inst, uint32_t w) const { return copies_.original(wordOf(inst.src[1], w)); }
  Operand sampleOf(const Inst& inst) const { return argument(inst, TexInst::unpack(inst.imm).argSample()); }

  /// Fetches that no branch of the loop's is around: others may be seldom.
  SampleLoop loopAt(uint32_t begin, uint32_t end) const {
    SampleLoop loop;
    for (uint32_t i = begin + 1, depth = 0; i < end; ++i) {
      const Inst& inst = code_[i];
      if (isa::opInfo(inst).effect == isa::Effect::Barrier) return {};  // other warps run
      if (inst.op == Opcode::If || inst.op == Opcode::Loop) ++depth;
      if (inst.op == Opcode::EndIf || inst.op == Opcode::EndLoop) --depth;
      if (depth == 0 && fetchesSample(webs_, divergence_, inst)) add(loop, begin, i);
    }
    return loop;
  }

  void add(SampleLoop& loop, uint32_t begin, uint32_t at) const {
    const Inst& inst = code_[at];
    const Operand sample = wordOf(inst.src[1], TexInst::unpack(inst.imm).argSample());
    const SampleLoop::Image image{copies_.original(inst.src[0]), argument(inst, 0), argument(inst, 1)};
    if (copies_.isBefore(sampleOf(inst), begin) || !shapeOf(webs_, divergence_, sample).uniform()) return;
    for (Operand o : {image.handle, image.x, image.y})
      if (!copies_.isBefore(o, begin)) return;
    uint32_t i = 0;
    const auto isIt = [&](const SampleLoop::Image& other) {
      return same(other.handle, image.handle) && same(other.x, image.x) && same(other.y, image.y);
    };
    while (i < loop.images.size() && !isIt(loop.images[i])) ++i;
    if (i == loop.images.size()) {
      if (i == kMostImages) return;
      loop.images.push_back(image);
    }
    loop.fetches.push_back({at, i});
  }

  bool same(Operand a, Operand b) const {
    if (a.bank == Bank::Temp && b.bank == Bank::Temp) return webs_.webOf(a) == webs_.webOf(b);
    const std::optional<uint32_t> value = constantOf(webs_, constants_, a);
    return value && value == constantOf(webs_, constants_, b);
  }

  void findSkipped(SampleLoop& loop, uint32_t begin, uint32_t end) const {
    const uint32_t first = loop.fetches[0].at;
    for (uint32_t i = begin + 1, depth = 0; i < first; ++i) {
      if (isa::opensScope(code_[i].op)) ++depth;
      if (isa::closesScope(code_[i].op)) --depth;
      if (i + 1 == first && depth) return;
    }
    const Operand sample = sampleOf(code_[first]);
    if (sample.bank != Bank::Temp) return;
    SampleLoop same = loop;  // other fetches may be of other samples
    std::erase_if(same.fetches, [&](const auto& f) {
      const Operand other = sampleOf(code_[f.at]);
      return other.bank != Bank::Temp || webs_.webOf(other) != webs_.webOf(sample);
    });
    loop.skipBegin = first;
    loop.skipEnd = Skip(webs_, same, first, begin, end).end(webs_.webOf(sample));
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const std::vector<Constant>& constants_;
  const Copies copies_;
};

}  // namespace

std::map<uint32_t, SampleLoop> findSampleLoops(const Webs& webs, const Divergence& divergence,
                                               const std::vector<Constant>& constants) {
  return Search(webs, divergence, constants).run();
}

}  // namespace etzel::native
