#include "compiler/exec/native/analysis/streams.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

/// Bytes from round to round: what is farther apart leaves most of the memory out.
constexpr uint32_t kMostOfRound = 1024;
/// Steps from a load's place back to what changes, and to the workgroup's number.
constexpr uint32_t kMostSteps = 12;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const std::vector<Constant>& constants)
      : webs_(webs), code_(webs.program.code), divergence_(divergence), bounds_(bounds), constants_(constants) {}

  std::set<uint32_t> run() {
    std::set<uint32_t> found;
    std::vector<uint32_t> loops;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_[i].op == Opcode::Loop) loops.push_back(i);
      if (code_[i].op == Opcode::EndLoop) loops.pop_back();
      if (loops.empty() || !isApart(code_[i])) continue;
      loop_ = loops.back();
      const uint32_t round = perRound(code_[i].src[1], kMostSteps);
      if (round && round <= kMostOfRound && isOfWorkgroup(code_[i].src[1], kMostSteps)) found.insert(i);
    }
    return found;
  }

 private:
  bool isApart(const Inst& inst) const {
    if (inst.op != Opcode::Ld || static_cast<isa::Space>(inst.sub) != isa::Space::Buffer) return false;
    const Shape shape = shapeOf(webs_, divergence_, inst.src[1]);
    return constantOf(webs_, constants_, inst.src[0]) && !shape.varying() && !shape.uniform();
  }

  const std::vector<uint32_t>& writes(Operand o) const { return bounds_.writes(webs_.webOf(o)); }
  std::optional<uint32_t> numberOf(Operand o) const { return constantOf(webs_, constants_, o); }

  /// How much more an operand is in the next round, about; 0 where that is not known.
  uint32_t perRound(Operand o, uint32_t steps) const {
    if (o.bank != Bank::Temp || steps == 0) return 0;
    if (writes(o).size() != 1) return stepOf(o);
    const uint32_t at = writes(o)[0];
    if (at < loop_ || code_[at].type != isa::Type::I32) return 0;
    const Inst& inst = code_[at];
    const auto of = [&](uint32_t i) { return perRound(inst.src[i], steps - 1); };
    const uint32_t by = numberOf(inst.src[1]).value_or(0);
    switch (inst.op) {
      case Opcode::IAdd: return of(0) + of(1);
      case Opcode::ISub: return of(0) - of(1);
      case Opcode::IMul: return of(0) * by;
      case Opcode::Shl: return of(0) << (by & 31);
      case Opcode::Shr: return of(0) >> (by & 31);
      case Opcode::And: return of(0) & by;
      case Opcode::UDiv: return by ? of(0) / by : 0;
      case Opcode::UMod: return by ? of(0) % by : 0;
      default: return 0;
    }
  }

  /// Of a counter of the loop: x = x + step.
  uint32_t stepOf(Operand counter) const {
    for (uint32_t at : writes(counter)) {
      const Inst& move = code_[at];
      if (at < loop_ || move.op != Opcode::XMov || move.src[0].bank != Bank::Temp) continue;
      if (writes(move.src[0]).size() != 1) continue;
      const Inst& sum = code_[writes(move.src[0])[0]];
      const bool counts = sum.op == Opcode::IAdd && sum.type == isa::Type::I32 && sum.src[0].bank == Bank::Temp &&
                          webs_.webOf(sum.src[0]) == webs_.webOf(counter);
      if (counts) return numberOf(sum.src[1]).value_or(0);
    }
    return 0;
  }

  /// Whether an operand is made of the workgroup's number in its row: the next one to run reads something else.
  bool isOfWorkgroup(Operand o, uint32_t steps) const {
    if (o.bank != Bank::Temp || steps == 0) return false;
    return std::any_of(writes(o).begin(), writes(o).end(), [&](uint32_t at) {
      const Inst& inst = code_[at];
      if (inst.op == Opcode::Sys) {
        const auto v = static_cast<abi::SysValue>(inst.imm);
        return v == abi::SysValue::WorkgroupIdX || v == abi::SysValue::GlobalIdX;
      }
      bool found = false;
      if (inst.op != Opcode::Ld)
        isa::forEachSource(inst, [&](Operand s, uint32_t) { found = found || isOfWorkgroup(s, steps - 1); });
      return found;
    });
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  const std::vector<Constant>& constants_;
  uint32_t loop_ = 0;  ///< the innermost around
};

}  // namespace

std::set<uint32_t> findStreams(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                               const std::vector<Constant>& constants) {
  if (webs.program.info.stage != abi::Stage::Compute) return {};
  return Search(webs, divergence, bounds, constants).run();
}

}  // namespace etzel::native
