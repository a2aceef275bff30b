#include "compiler/exec/native/analysis/multiples.h"

#include <algorithm>
#include <set>

#include "compiler/isa/info.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::native {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

/// Longer programs take their time for other reasons, and compiling them twice costs.
constexpr size_t kMostInstructions = 1024;
constexpr uint32_t kMostZeros = 12;
constexpr uint32_t kMostSteps = 16;
/// Times that what was found shows more.
constexpr uint32_t kRounds = 4;

/// One look at all instructions under what is taken for granted.
class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const std::vector<Constant>& constants)
      : webs_(webs), divergence_(divergence), bounds_(bounds), constants_(constants) {}

  /// Adds to `wanted` what makes results the same in all lanes, or apart by what is known.
  void look(Multiples& wanted) {
    for (const Inst& inst : webs_.program.code) {
      if (inst.type != isa::Type::I32) continue;
      if (inst.op == Opcode::ICmp) {
        const std::optional<uint32_t> value = valueOfComparison(static_cast<isa::CmpI>(inst.sub));
        if (value) want({inst.src[*value], inst.src[1 - *value]}, wanted);
      } else if (inst.op == Opcode::And || inst.op == Opcode::Shr || inst.op == Opcode::UMod ||
                 inst.op == Opcode::UDiv) {
        if (inst.src[1].bank == Bank::Param) want({inst.src[0]}, wanted);
      }
    }
  }

 private:
  Shape shape(Operand o) const { return shapeOf(webs_, divergence_, o); }

  /// Low bits of the first operand's lane 0, and of the others, that are none of its lanes' own.
  void want(std::initializer_list<Operand> operands, Multiples& wanted) {
    const Shape value = shape(*operands.begin());
    if (value.varying() || value.uniform()) return;
    const auto zeros = static_cast<uint32_t>(std::bit_width(value.bits()));
    wanted_ = wanted;
    for (Operand o : operands)
      if (shape(o).varying() || !find(o, zeros, kMostSteps)) return;
    wanted = wanted_;
  }

  /// Whether push constants can see to it that lane 0 of an operand has so many zeros.
  bool find(Operand o, uint32_t zeros, uint32_t steps) {
    if (shape(o).varying()) return false;
    if (shape(o).zeros >= zeros) return true;
    if (o.bank != Bank::Temp || steps == 0 || zeros > kMostZeros) return false;
    const uint32_t web = webs_.webOf(o);
    if (constants_[web].pushed) {
      uint8_t& most = wanted_[*constants_[web].pushed];
      most = std::max(most, static_cast<uint8_t>(zeros));
      return true;
    }
    // What comes back to itself has them if all else has.
    if (!open_.insert(web).second) return true;
    const auto& writes = bounds_.writes(web);
    const auto has = [&](uint32_t at) { return findIn(webs_.program.code[at], zeros, steps - 1); };
    const bool all = !writes.empty() && std::all_of(writes.begin(), writes.end(), has);
    open_.erase(web);
    return all;
  }

  bool findIn(const Inst& inst, uint32_t zeros, uint32_t steps) {
    if (isa::dstWords(inst) != 1) return false;
    const auto both = [&](uint32_t a, uint32_t b) {
      return find(inst.src[a], zeros, steps) && find(inst.src[b], zeros, steps);
    };
    if (inst.op == Opcode::XMov) return find(inst.src[0], zeros, steps);
    if (inst.op == Opcode::Sel) return both(1, 2);
    if (inst.type != isa::Type::I32) return false;
    const std::optional<uint32_t> by = constantOf(webs_, constants_, inst.src[1]);
    const auto less = [&](uint32_t bits) { return zeros - std::min(zeros, bits); };
    switch (inst.op) {
      case Opcode::IAdd:
      case Opcode::ISub:
      case Opcode::Or: return both(0, 1);
      case Opcode::IMul:
        if (by) return find(inst.src[0], less(std::countr_zero(*by)), steps);
        return either(inst, zeros, steps);
      case Opcode::Shl: return by && find(inst.src[0], less(*by & 31), steps);
      case Opcode::Shr: return by && find(inst.src[0], zeros + (*by & 31), steps);
      case Opcode::UDiv:
        return by && std::has_single_bit(*by) && find(inst.src[0], zeros + std::countr_zero(*by), steps);
      case Opcode::And: return by && find(inst.src[0], zeros, steps);
      default: return false;
    }
  }

  /// Of a product.
  bool either(const Inst& inst, uint32_t zeros, uint32_t steps) {
    const Multiples before = wanted_;
    for (Operand o : {inst.src[0], inst.src[1]}) {
      if (find(o, zeros, steps)) return true;
      wanted_ = before;
    }
    return false;
  }

  const Webs& webs_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  const std::vector<Constant>& constants_;
  Multiples wanted_;
  std::set<uint32_t> open_;  ///< webs that are looked at
};

/// Branches out of loops that lanes take together.
size_t joint(const Webs& webs, const Divergence& d) {
  size_t count = 0, depth = 0;
  for (uint32_t i = 0; i < webs.program.code.size(); ++i) {
    const Opcode op = webs.program.code[i].op;
    if (op == Opcode::Loop) ++depth;
    if (op == Opcode::EndLoop) --depth;
    if (op == Opcode::BrC && depth && d.direct[i]) ++count;
  }
  return count;
}

}  // namespace

std::vector<uint8_t> zerosOf(const Webs& webs, const std::vector<Constant>& constants, const Multiples& multiples) {
  std::vector<uint8_t> zeros;
  if (multiples.empty()) return zeros;
  zeros.resize(webs.count);
  for (uint32_t web = 0; web < webs.count; ++web) {
    if (!constants[web].pushed) continue;
    const auto taken = multiples.find(*constants[web].pushed);
    if (taken != multiples.end()) zeros[web] = taken->second;
  }
  return zeros;
}

Multiples findMultiples(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                        const std::vector<Constant>& constants) {
  const isa::Program& program = webs.program;
  const bool loops =
      std::any_of(program.code.begin(), program.code.end(), [](const Inst& i) { return i.op == Opcode::Loop; });
  if (program.info.stage != abi::Stage::Compute || !loops || program.code.size() > kMostInstructions ||
      abi::groupsLieAbreast(program.info))
    return {};
  Multiples found;
  Divergence now = divergence;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const Multiples before = found;
    Search(webs, now, bounds, constants).look(found);
    if (found == before) break;
    now = analyzeDivergence(webs, zerosOf(webs, constants, found));
  }
  return joint(webs, now) > joint(webs, divergence) ? found : Multiples{};
}

}  // namespace etzel::native
