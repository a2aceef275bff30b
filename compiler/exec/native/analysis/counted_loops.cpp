#include "compiler/exec/native/analysis/counted_loops.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {

/// What is longer takes its time for other reasons.
constexpr uint32_t kMostInstructions = 256;
/// Steps from a load's place back to the counter.
constexpr uint32_t kMostSteps = 12;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const std::vector<Constant>& constants)
      : webs_(webs), code_(webs.program.code), divergence_(divergence), bounds_(bounds), constants_(constants) {}

  /// \returns a loop without loads where there is none that counts
  CountedLoop look(uint32_t begin) {
    begin_ = begin, loop_ = {};
    if (!findEnd()) return {};
    for (uint32_t i = begin + 1; i < loop_.end; ++i) {
      if (code_[i].op != Opcode::BrC || bounds_.opener(i) != begin || !findCounter(i)) continue;
      for (uint32_t k = i + 1; k < loop_.end; ++k)
        if (isFollowed(k)) loop_.loads.push_back(k);
      break;
    }
    return loop_;
  }

 private:
  bool findEnd() {
    uint32_t depth = 0;
    for (uint32_t i = begin_ + 1; i < code_.size() && i <= begin_ + kMostInstructions; ++i) {
      const Opcode op = code_[i].op;
      if (op == Opcode::Loop || op == Opcode::Barrier) return false;
      if (op == Opcode::EndLoop && depth == 0) {
        loop_.end = i;
        return true;
      }
      depth += isa::opensScope(op), depth -= isa::closesScope(op);
    }
    return false;
  }

  /// `if (counter >= limit) leave`.
  bool findCounter(uint32_t leave) {
    using isa::CmpI;
    if (!divergence_.direct[leave] || code_[leave].src[0].bank != Bank::Temp) return false;
    const auto& writes = bounds_.writes(webs_.webOf(code_[leave].src[0]));
    if (writes.size() != 1 || writes[0] < begin_ || writes[0] > leave || bounds_.opener(writes[0]) != begin_)
      return false;
    const Inst& test = code_[writes[0]];
    if (test.op != Opcode::ICmp || test.type != isa::Type::I32) return false;
    const auto op = static_cast<CmpI>(test.sub);
    const bool left = op == CmpI::UGe || op == CmpI::SGe, right = op == CmpI::ULe || op == CmpI::SLe;
    if (!left && !right) return false;
    const Operand counter = test.src[left ? 0 : 1];
    loop_.limit = test.src[left ? 1 : 0];
    loop_.isSigned = op == CmpI::SGe || op == CmpI::SLe;
    // All lanes leave together, so each of them is below the limit where one is.
    if (counter.bank != Bank::Temp || shapeOf(webs_, divergence_, counter).varying()) return false;
    if (!shapeOf(webs_, divergence_, loop_.limit).uniform()) return false;
    if (loop_.isSigned ? changes(loop_.limit) : !stays(loop_.limit, kMostSteps)) return false;
    loop_.counter = webs_.webOf(counter);
    known_ = {leave, std::min(bounds_.staysUntil(loop_.counter, writes[0]), loop_.end)};
    return known_.to > leave && (!loop_.isSigned || bounds_.countsUp(loop_.counter, leave, known_.to));
  }

  /// Whether a value is written in the loop, or may differ at each use.
  bool changes(Operand o) const {
    if (o.bank == Bank::Param || o.bank == Bank::Param2 || o.bank == Bank::None) return false;
    if (o.bank != Bank::Temp) return true;
    const uint32_t web = webs_.webOf(o);
    const auto& writes = bounds_.writes(web);
    return !constants_[web].pushed &&
           std::any_of(writes.begin(), writes.end(), [&](uint32_t w) { return w > begin_ && w < loop_.end; });
  }

  /// Whether a value is made in each round, but of what stays the same.
  bool stays(Operand o, uint32_t steps) const {
    if (!changes(o)) return true;
    if (o.bank != Bank::Temp || steps == 0) return false;
    const auto& writes = bounds_.writes(webs_.webOf(o));
    if (writes.size() != 1 || bounds_.opener(writes[0]) != begin_) return false;
    const Inst& inst = code_[writes[0]];
    return inst.type == isa::Type::I32 && rises(inst) && stays(inst.src[0], steps - 1) && stays(inst.src[1], steps - 1);
  }

  /// What makes `web` in the loop, once in each round: web = web + some operand; null: nothing of that kind.
  const Inst* sumOf(uint32_t web) const {
    const Inst* move = nullptr;
    uint32_t moved = 0;
    for (uint32_t w : bounds_.writes(web)) {
      if (w < begin_ || w > loop_.end) continue;
      if (move) return nullptr;
      move = &code_[w], moved = w;
    }
    if (!move || move->op != Opcode::XMov || move->count != 1 || bounds_.opener(moved) != begin_ ||
        move->src[0].bank != Bank::Temp)
      return nullptr;
    const auto& writes = bounds_.writes(webs_.webOf(move->src[0]));
    if (writes.size() != 1 || writes[0] < begin_ || writes[0] > moved || bounds_.opener(writes[0]) != begin_)
      return nullptr;
    const Inst& sum = code_[writes[0]];
    const bool isSum = sum.op == Opcode::IAdd && sum.type == isa::Type::I32 && sum.src[0].bank == Bank::Temp &&
                       webs_.webOf(sum.src[0]) == web;
    return isSum && !changes(sum.src[1]) && shapeOf(webs_, divergence_, sum.src[1]).uniform() ? &sum : nullptr;
  }

  /// Whether `web` grows with the counter, and has not done so in its round when instruction `at` reads it.
  bool isCarried(uint32_t web, uint32_t at) {
    const Inst *own = sumOf(web), *counts = sumOf(loop_.counter);
    const std::optional<uint32_t> step = counts ? constantOf(webs_, constants_, counts->src[1]) : std::nullopt;
    if (!own || step.value_or(0) == 0 || at > bounds_.staysUntil(web, begin_)) return false;
    loop_.step = counts->src[1], loop_.carried[web] = own->src[1];
    return true;
  }

  bool isFollowed(uint32_t i) {
    const Inst& inst = code_[i];
    if (inst.op != Opcode::Ld || static_cast<isa::Space>(inst.sub) != isa::Space::Buffer) return false;
    const Operand offset = inst.src[1];
    return constantOf(webs_, constants_, inst.src[0]) && offset.bank == Bank::Temp && changes(offset) &&
           follows(offset, i, kMostSteps);
  }

  /// Whether what instruction `at` reads is made of the counter and of what stays the same.
  bool follows(Operand o, uint32_t at, uint32_t steps) {
    if (shapeOf(webs_, divergence_, o).varying()) return false;
    if (!changes(o)) return true;
    if (o.bank != Bank::Temp || steps == 0) return false;
    const uint32_t web = webs_.webOf(o);
    if (web == loop_.counter) return at > known_.from && at <= known_.to;
    if (isCarried(web, at)) return true;
    const auto& writes = bounds_.writes(web);
    if (writes.size() != 1 || writes[0] <= known_.from || writes[0] >= at || at > bounds_.until(writes[0]))
      return false;
    const Inst& inst = code_[writes[0]];
    if (inst.type != isa::Type::I32) return false;
    return rises(inst) && follows(inst.src[0], writes[0], steps - 1) && follows(inst.src[1], writes[0], steps - 1);
  }

  /// Whether more of what an instruction reads never gives less, or less than a number that is known.
  bool rises(const Inst& inst) const {
    const std::optional<uint32_t> by =
        inst.src[1].bank == Bank::Param ? constantOf(webs_, constants_, inst.src[1]) : std::nullopt;
    switch (inst.op) {
      case Opcode::IAdd:
      case Opcode::IMul: return true;
      case Opcode::Shl:
      case Opcode::Shr:
      case Opcode::And: return by.has_value();
      case Opcode::UDiv:
      case Opcode::UMod: return by.value_or(0) != 0;
      case Opcode::ISub: return shapeOf(webs_, divergence_, inst.src[1]).zeros == 32;  // lane 0's is 0
      default: return false;
    }
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  const std::vector<Constant>& constants_;
  uint32_t begin_ = 0;
  CountedLoop loop_;
  struct {
    uint32_t from, to;
  } known_{};  ///< behind which instruction, and until which, the counter is below the limit
};

}  // namespace

std::optional<uint32_t> madeInLoop(const Bounds& bounds, const Webs& webs, const std::vector<Constant>& constants,
                                   const CountedLoop& loop, uint32_t begin, Operand o) {
  if (o.bank != Bank::Temp || webs.webOf(o) == loop.counter) return {};
  const auto& writes = bounds.writes(webs.webOf(o));
  if (constants[webs.webOf(o)].pushed || writes.size() != 1 || writes[0] < begin || writes[0] > loop.end) return {};
  return writes[0];
}

std::map<uint32_t, CountedLoop> findCountedLoops(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                                 const std::vector<Constant>& constants) {
  std::map<uint32_t, CountedLoop> loops;
  Search search(webs, divergence, bounds, constants);
  const auto& code = webs.program.code;
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (code[i].op != Opcode::Loop) continue;
    CountedLoop loop = search.look(i);
    if (!loop.loads.empty()) loops.emplace(i, std::move(loop));
  }
  return loops;
}

}  // namespace etzel::native
