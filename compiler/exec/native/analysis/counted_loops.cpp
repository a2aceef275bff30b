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
constexpr uint32_t kMostInstructions = 64;
/// Steps from a load's place back to the counter.
constexpr uint32_t kMostSteps = 8;

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
    if (counter.bank != Bank::Temp || !uniform(counter) || !uniform(loop_.limit) || changes(loop_.limit)) return false;
    loop_.counter = webs_.webOf(counter);
    known_ = {leave, std::min(bounds_.staysUntil(loop_.counter, writes[0]), loop_.end)};
    return known_.to > leave && (!loop_.isSigned || bounds_.countsUp(loop_.counter, leave, known_.to));
  }

  bool uniform(Operand o) const { return shapeOf(webs_, divergence_, o).uniform(); }
  /// Whether a value is written in the loop, or may differ at each use.
  bool changes(Operand o) const {
    if (o.bank == Bank::Param || o.bank == Bank::Param2 || o.bank == Bank::None) return false;
    if (o.bank != Bank::Temp) return true;
    const uint32_t web = webs_.webOf(o);
    const auto& writes = bounds_.writes(web);
    return !constants_[web].pushed &&
           std::any_of(writes.begin(), writes.end(), [&](uint32_t w) { return w > begin_ && w < loop_.end; });
  }

  bool isFollowed(uint32_t i) const {
    const Inst& inst = code_[i];
    if (inst.op != Opcode::Ld || static_cast<isa::Space>(inst.sub) != isa::Space::Buffer) return false;
    const Operand offset = inst.src[1];
    return constantOf(webs_, constants_, inst.src[0]) && offset.bank == Bank::Temp && changes(offset) &&
           follows(offset, i, kMostSteps);
  }

  /// Whether what instruction `at` reads is made of the counter and of what stays the same.
  bool follows(Operand o, uint32_t at, uint32_t steps) const {
    if (shapeOf(webs_, divergence_, o).varying()) return false;
    if (!changes(o)) return true;
    if (o.bank != Bank::Temp || steps == 0) return false;
    const uint32_t web = webs_.webOf(o);
    if (web == loop_.counter) return at > known_.from && at <= known_.to;
    const auto& writes = bounds_.writes(web);
    if (writes.size() != 1 || writes[0] <= known_.from || writes[0] >= at || at > bounds_.until(writes[0]))
      return false;
    const Inst& inst = code_[writes[0]];
    if (inst.type != isa::Type::I32) return false;
    const bool shifts = inst.op == Opcode::Shl && inst.src[1].bank == Bank::Param;
    if (inst.op != Opcode::IAdd && inst.op != Opcode::IMul && !shifts) return false;
    return follows(inst.src[0], writes[0], steps - 1) && follows(inst.src[1], writes[0], steps - 1);
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
