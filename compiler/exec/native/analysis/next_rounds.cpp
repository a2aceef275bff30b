#include "compiler/exec/native/analysis/next_rounds.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

/// From a load's place back to the counter.
constexpr uint32_t kMostSteps = 12;
/// That a counter makes in a round: loops over products do two rounds at once.
constexpr size_t kMostCounted = 4;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, bool products)
      : webs_(webs), code_(webs.program.code), divergence_(divergence), bounds_(bounds), products_(products) {}

  std::map<uint32_t, NextRound> run() {
    std::map<uint32_t, NextRound> found;
    std::vector<std::optional<NextRound>> loops;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Inst& inst = code_[i];
      if (inst.op == Opcode::Loop) loops.push_back(waits(i) ? counterOf(i) : std::nullopt);
      if (inst.op == Opcode::EndLoop) loops.pop_back();
      if (inst.op != Opcode::Ld || static_cast<isa::Space>(inst.sub) != isa::Space::Buffer) continue;
      for (const auto& next : loops)
        if (next && grows(inst.src[1], *next, kMostSteps) == Growth::Known) found[i] = *next;
    }
    return found;
  }

 private:
  enum class Growth : uint8_t { None, Known, Unknown };

  /// Whether there is a barrier in a loop, or a product.
  bool waits(uint32_t loop) const {
    for (uint32_t i = loop + 1, end = bounds_.until(loop + 1); i < end; ++i)
      if (code_[i].op == Opcode::Barrier || (products_ && code_[i].op == Opcode::SgProduct)) return true;
    return false;
  }

  /// counter = start; loop: ... counter = counter + step, or more steps.
  std::optional<NextRound> counterOf(uint32_t loop) const {
    for (uint32_t i = loop + 1, end = bounds_.until(loop + 1); i < end; ++i) {
      const Inst& carry = code_[i];
      if (carry.op != Opcode::XMov || carry.count != 1 || carry.dst.bank != Bank::Temp) continue;
      if (bounds_.opener(i) != loop || carry.src[0].bank != Bank::Temp) continue;
      const uint32_t counter = webs_.webOf(carry.dst);
      const auto& writes = bounds_.writes(counter);
      if (!divergence_.shape[counter].uniform() || writes.size() != 2 || writes[0] > loop) continue;
      NextRound next{loop, counter, {}};
      if (countedFrom(carry.src[0], next)) return next;
    }
    return {};
  }

  /// Whether an operand is the counter and some steps.
  bool countedFrom(Operand o, NextRound& next) const {
    while (o.bank == Bank::Temp && webs_.webOf(o) != next.counter) {
      const auto& made = bounds_.writes(webs_.webOf(o));
      if (made.size() != 1 || next.steps.size() == kMostCounted) return false;
      const Inst& sum = code_[made[0]];
      if (sum.op != Opcode::IAdd || sum.type != isa::Type::I32) return false;
      if (!isUniform(webs_, divergence_, sum.src[1]) || !isBefore(sum.src[1], next.loop)) return false;
      next.steps.push_back(sum.src[1]);
      o = sum.src[0];
    }
    return o.bank == Bank::Temp && !next.steps.empty();
  }

  bool isBefore(Operand o, uint32_t loop) const {
    if (o.bank != Bank::Temp) return true;
    const auto& writes = bounds_.writes(webs_.webOf(o));
    return std::all_of(writes.begin(), writes.end(), [&](uint32_t at) { return at < loop; });
  }

  Growth grows(Operand o, const NextRound& next, uint32_t steps) const {
    if (o.bank == Bank::Temp && webs_.webOf(o) == next.counter) return Growth::Known;
    const std::optional<uint32_t> at = madeInRound(webs_, bounds_, next, o);
    if (!at) return Growth::None;
    const Inst& inst = code_[*at];
    if (steps == 0 || inst.op == Opcode::Ld) return inst.op == Opcode::Ld ? Growth::None : Growth::Unknown;
    const Growth a = grows(inst.src[0], next, steps - 1);
    const Growth b = inst.src[1].present() ? grows(inst.src[1], next, steps - 1) : Growth::None;
    if (a == Growth::None && b == Growth::None) return Growth::None;
    if (a == Growth::Unknown || b == Growth::Unknown) return Growth::Unknown;
    const bool one = a == Growth::None || b == Growth::None;
    const auto evenly = [&](Operand factor) { return !shapeOf(webs_, divergence_, factor).varying(); };
    switch (inst.op) {
      case Opcode::IAdd:
      case Opcode::ISub: return inst.type == isa::Type::I32 ? Growth::Known : Growth::Unknown;
      case Opcode::Shl: return b == Growth::None && evenly(inst.src[1]) ? Growth::Known : Growth::Unknown;
      case Opcode::IMul:
        return inst.type == isa::Type::I32 && one && evenly(inst.src[a == Growth::None ? 0 : 1]) ? Growth::Known
                                                                                                 : Growth::Unknown;
      default: return Growth::Unknown;
    }
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  const bool products_;
};

}  // namespace

std::optional<uint32_t> madeInRound(const Webs& webs, const Bounds& bounds, const NextRound& next, Operand o) {
  if (o.bank != Bank::Temp) return {};
  const auto& writes = bounds.writes(webs.webOf(o));
  if (writes.size() != 1 || writes[0] < next.loop) return {};
  return writes[0];
}

std::map<uint32_t, NextRound> findNextRounds(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                             bool products) {
  if (!webs.program.info.usesBarrier && !products) return {};
  return Search(webs, divergence, bounds, products).run();
}

}  // namespace etzel::native
