#include "compiler/exec/native/analysis/divergence.h"

#include <algorithm>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/isa/info.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {
uint8_t zerosOf(uint32_t value) { return static_cast<uint8_t>(std::countr_zero(value)); }
/// Of a value with `zeros` where only the bits of `mask` are left.
uint8_t zerosOfBits(int zeros, uint32_t mask) { return zerosOf(zeros < 32 ? mask >> zeros << zeros : 0); }
/// And where the lowest bits are gone.
uint8_t zerosWithout(int zeros, uint32_t bits) {
  return static_cast<uint8_t>(zeros == 32 ? 32 : std::max<int>(zeros - int(bits), 0));
}

/// Lanes of eight workgroups, each one invocation wide: x counts workgroups, from any number on.
Shape abreast(abi::SysValue v) {
  const bool counts = v == abi::SysValue::WorkgroupIdX || v == abi::SysValue::GlobalIdX;
  return Shape::growing(counts ? 1 : 0);
}
}  // namespace

Shape shapeOf(const abi::ProgramInfo& info, abi::SysValue v) {
  // A warp's first invocation has a number that is a multiple of 8, in its workgroup and in its row.
  if (abi::groupsLieAbreast(info)) return abreast(v);
  const Shape uniform = Shape::growing(0), step = Shape::growing(1, 3), varying{Shape::Kind::Varying};
  // Invocations fill warps along x: rows of whole warps make x grow by lane and y and z agree.
  const bool compute = info.stage == abi::Stage::Compute, rows = compute && info.localSize[0] % kWarpLanes == 0;
  switch (abi::sysValueInfo(v).lanes) {
    case abi::SysLanes::Any: return varying;
    case abi::SysLanes::Group:
    case abi::SysLanes::Uniform: return uniform;
    case abi::SysLanes::Lane: return compute ? step : varying;
    case abi::SysLanes::Row: return rows ? step : varying;
    case abi::SysLanes::Column: return rows ? uniform : varying;
  }
  return varying;
}

namespace {

/// The shape of a system value over the first lanes of eight warps.
Shape shapeOfWarps(const abi::ProgramInfo& info, abi::SysValue v) {
  constexpr uint32_t kCrowd = kWarpLanes * kWarpLanes;
  const Shape uniform = Shape::growing(0), varying{Shape::Kind::Varying};
  const uint32_t x = info.localSize[0], y = info.localSize[1];
  const bool rows = x % kWarpLanes == 0 && (x % kCrowd == 0 || (kCrowd % x == 0 && y % (kCrowd / x) == 0));
  Shape s = Shape::growing(kWarpLanes, zerosOf(kCrowd));
  switch (v) {
    case abi::SysValue::LaneId: return uniform;
    case abi::SysValue::LocalIndex: return s;
    case abi::SysValue::LocalIdX:
      if (!rows) return varying;
      if (x >= kCrowd) return s;
      for (uint32_t& apart : s.apart) apart %= x;
      s.zeros = 32;
      return s;
    case abi::SysValue::LocalIdY:
      if (!rows) return varying;
      if (x >= kCrowd) return uniform;
      for (uint32_t& apart : s.apart) apart /= x;
      s.zeros = zerosOf(kCrowd / x);
      return s;
    default: return abi::sysValueInfo(v).lanes == abi::SysLanes::Group ? uniform : varying;
  }
}

}  // namespace

std::optional<uint32_t> valueOfComparison(isa::CmpI op) {
  using isa::CmpI;
  switch (op) {
    case CmpI::ULt:
    case CmpI::UGe:
    case CmpI::SLt:
    case CmpI::SGe: return 0;
    case CmpI::UGt:
    case CmpI::ULe:
    case CmpI::SGt:
    case CmpI::SLe: return 1;
    default: return {};
  }
}

Shape shapeOf(const Webs& webs, const Divergence& d, Operand o, uint32_t word) {
  switch (o.bank) {
    case Bank::Temp: return d.shape[webs.webOf(o, word)];
    case Bank::Param: return Shape::growing(0, zerosOf(paramWord(webs.program, o.word + word)));
    case Bank::Param2:
    case Bank::None: return Shape::growing(0);
    default: return {Shape::Kind::Varying};
  }
}

bool isUniform(const Webs& webs, const Divergence& d, Operand o, uint32_t words) {
  for (uint32_t w = 0; w < words; ++w)
    if (!shapeOf(webs, d, o, w).uniform()) return false;
  return true;
}

namespace {

/// One walk over the program under the present assumptions; assumptions only ever get weaker, so repeating ends.
class Walk {
 public:
  /// Of warps side by side.
  struct Warps {
    const Divergence& lanes;
    const std::function<bool(uint32_t load)>& agrees;
  };

  Walk(const Webs& webs, Divergence& d, std::span<const uint8_t> zeros, const Warps* warps = nullptr)
      : webs_(webs), program_(webs.program), d_(d), zeros_(zeros), warps_(warps), elseOf_(program_.code.size()) {
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Opcode op = program_.code[i].op;
      if (isa::opensScope(op)) open.push_back(i);
      if (op == Opcode::Else) elseOf_[open.back()] = i;
      if (isa::closesScope(op)) open.pop_back();
    }
  }

  bool run() {
    changed_ = false;
    scopes_.clear();
    ended_ = false;
    for (uint32_t i = 0; i < program_.code.size(); ++i) visit(i);
    return changed_;
  }

 private:
  struct Scope {
    Opcode kind;
    uint32_t at;
    bool masked;  ///< lanes of the scope's entry may be missing here, waiting inside or outside of it
  };

  void weaken(std::vector<bool>& flags, uint32_t i, bool value) {
    if (flags[i] != value) flags[i] = value, changed_ = true;
  }
  bool uniform(Operand o, uint32_t w = 0) const { return shapeOf(webs_, d_, o, w).uniform(); }
  /// Whether lanes that are not here may still read `web`: lanes that wait inside of the scope that holds it.
  bool othersRead(uint32_t web) const {
    for (size_t s = scopes_.size(); s-- > 0 && scopes_[s].at != webs_.scope[web];)
      if (scopes_[s].masked && (webs_.seenByOthers[web] || readAfterWaiting(s, web))) return true;
    return false;
  }
  /// Whether lanes that are missing in a scope read `web` where they come back.
  bool readAfterWaiting(size_t s, uint32_t web) const {
    const uint32_t at = scopes_[s].at;
    switch (scopes_[s].kind) {
      case Opcode::If: return webs_.neededAt(at, web) || (elseOf_[at] && webs_.neededAt(elseOf_[at], web));
      case Opcode::Block: return d_.target[at] && webs_.neededAt(at, web);
      default:  // a loop's wait at the end of a block around it
        while (s-- > 0)
          if (scopes_[s].kind == Opcode::Block && readAfterWaiting(s, web)) return true;
        return false;
    }
  }

  void visit(uint32_t i) {
    const Inst& inst = program_.code[i];
    bool partial = ended_;
    for (const Scope& s : scopes_) partial |= s.masked;
    if (partial) weaken(d_.partial, i, true);
    switch (inst.op) {
      case Opcode::If: {
        const bool divergent = !uniform(inst.src[0]);
        if (divergent) weaken(d_.divergentIf, i, true);
        scopes_.push_back({Opcode::If, i, divergent});
        return;
      }
      case Opcode::Else: return;
      case Opcode::Block: scopes_.push_back({Opcode::Block, i, false}); return;
      // A loop that lanes leave one by one runs with lanes missing from its second iteration on.
      case Opcode::Loop: scopes_.push_back({Opcode::Loop, i, d_.crossed[i]}); return;
      case Opcode::EndIf:
      case Opcode::EndBlock: scopes_.pop_back(); return;
      case Opcode::EndLoop: {
        const bool missing = scopes_.back().masked;
        scopes_.pop_back();
        // Lanes that left wait at the end of a block around the loop.
        if (missing && !scopes_.empty()) scopes_.back().masked = true;
        return;
      }
      case Opcode::Br: leave(i, targetOf(inst.imm), true); return;
      case Opcode::BrC: leave(i, targetOf(inst.imm), uniform(inst.src[0])); return;
      case Opcode::Ret:
      case Opcode::Kill: leave(i, -1, true); return;
      default: break;
    }
    value(i, inst);
  }

  /// Index in scopes_ of the depth-th enclosing block.
  int targetOf(uint32_t depth) const {
    for (int s = static_cast<int>(scopes_.size()) - 1; s >= 0; --s)
      if (scopes_[s].kind == Opcode::Block && depth-- == 0) return s;
    return -1;
  }

  /// A jump out of everything inside scope `target` (-1: the function).
  void leave(uint32_t i, int target, bool uniformCondition) {
    bool direct = uniformCondition;
    for (int s = static_cast<int>(scopes_.size()) - 1; s > target; --s) {
      const Scope& scope = scopes_[s];
      // Lanes may wait at this scope's end (or for its else side): jumping past it would lose them.
      if (scope.kind == Opcode::If && d_.divergentIf[scope.at]) direct = false;
      if (scope.kind == Opcode::Block && d_.target[scope.at]) direct = false;
    }
    if (direct && d_.direct[i]) return;
    weaken(d_.direct, i, false);
    if (target >= 0) weaken(d_.target, scopes_[target].at, true);
    for (int s = static_cast<int>(scopes_.size()) - 1; s > target; --s) {
      weaken(d_.crossed, scopes_[s].at, true);
      scopes_[s].masked = true;
    }
    if (target >= 0)
      scopes_[target].masked = true;
    else
      ended_ = true;
  }

  void value(uint32_t i, const Inst& inst) {
    if (inst.dst.bank != Bank::Temp) return;
    const uint32_t words = isa::dstWords(inst);
    for (uint32_t w = 0; w < words; ++w) {
      const uint32_t web = webs_.webOf(inst.dst, w);
      const bool blend = inst.masked && othersRead(web);
      if (blend) weaken(d_.blend, i, true);
      write(web, blend ? Shape{Shape::Kind::Varying} : warps_ ? ofWarps(i, inst, w) : result(inst, w));
    }
  }

  void write(uint32_t web, Shape shape) {
    Shape& old = d_.shape[web];
    if (old.kind == Shape::Kind::Varying) return;
    if (old.kind == Shape::Kind::Apart && shape.kind == Shape::Kind::Apart && old.apart == shape.apart) {
      if (shape.zeros >= old.zeros) return;
      old.zeros = shape.zeros;
      changed_ = true;
      return;
    }
    const bool first = old.kind == Shape::Kind::Unknown && !shape.varying();
    old = first ? shape : Shape{Shape::Kind::Varying};
    changed_ = true;
  }

  /// The same of the first lanes of warps; of all lanes where it is uniform.
  Shape ofWarps(uint32_t i, const Inst& inst, uint32_t w) const {
    const Shape varying{Shape::Kind::Varying};
    const isa::Lanes lanes = isa::opInfo(inst).lanes;
    if (lanes == isa::Lanes::Alike && inst.op != Opcode::LdImm) return varying;
    if (lanes == isa::Lanes::BySpace && !warps_->agrees(i)) return varying;
    const Shape s = lanes == isa::Lanes::BySys ? shapeOfWarps(program_.info, static_cast<abi::SysValue>(inst.imm))
                                               : result(inst, w);
    // Where lanes vary freely, or are missing, the first one does not speak for them.
    const bool free = warps_->lanes.shape[webs_.webOf(inst.dst, w)].varying();
    return free && (!s.uniform() || warps_->lanes.partial[i]) ? varying : s;
  }

  Shape result(const Inst& inst, uint32_t w) const {
    const Shape varying{Shape::Kind::Varying};
    bool follows = false;
    switch (isa::opInfo(inst).lanes) {
      case isa::Lanes::Alike: return Shape::growing(0, inst.op == Opcode::LdImm ? zerosOf(inst.imm) : uint8_t{0});
      case isa::Lanes::BySys: return shapeOf(program_.info, static_cast<abi::SysValue>(inst.imm));
      case isa::Lanes::Copy: {
        const Shape s = shapeOf(webs_, d_, inst.src[0], w);
        return s.varying() ? s : Shape{Shape::Kind::Apart, s.zeros, s.apart};
      }
      case isa::Lanes::Follow: follows = true; break;
      case isa::Lanes::BySpace: follows = isa::spaceOf(inst).uniform; break;
      case isa::Lanes::Differ:
      case isa::Lanes::None: break;
    }
    if (!follows) return varying;
    bool all = true;
    isa::forEachSource(inst, [&](Operand o, uint32_t words) {
      for (uint32_t k = 0; k < words; ++k) all = all && uniform(o, k);
    });
    if (!all) return stepping(inst);
    const uint32_t web = webs_.webOf(inst.dst, w);
    const bool taken = inst.op == Opcode::Ld && web < zeros_.size();
    return Shape::growing(0, taken ? zeros_[web] : zerosOfResult(inst));
  }

  /// Low bits that are 0 in lane 0's result, of sources that do not vary freely.
  uint8_t zerosOfResult(const Inst& inst) const {
    if (inst.type != isa::Type::I32) return 0;
    const int a = shapeOf(webs_, d_, inst.src[0]).zeros, b = shapeOf(webs_, d_, inst.src[1]).zeros;
    uint32_t bits = 0;
    switch (inst.op) {
      case Opcode::IAdd:
      case Opcode::ISub:
      case Opcode::Or: return static_cast<uint8_t>(std::min(a, b));
      case Opcode::And:
        return constant(inst.src[1], &bits) ? zerosOfBits(a, bits) : static_cast<uint8_t>(std::max(a, b));
      case Opcode::INeg: return static_cast<uint8_t>(a);
      case Opcode::IMul: return static_cast<uint8_t>(std::min(a + b, 32));
      case Opcode::Shl:
        return constant(inst.src[1], &bits) ? static_cast<uint8_t>(std::min<uint32_t>(a + (bits & 31), 32)) : 0;
      case Opcode::Shr: return constant(inst.src[1], &bits) ? zerosWithout(a, bits & 31) : 0;
      case Opcode::UMod:
        return constant(inst.src[1], &bits) && std::has_single_bit(bits) ? zerosOfBits(a, bits - 1) : 0;
      case Opcode::UDiv:
        return constant(inst.src[1], &bits) && std::has_single_bit(bits) ? zerosWithout(a, zerosOf(bits)) : 0;
      default: return 0;
    }
  }

  /// The result of operands whose lanes are apart by what the program says.
  Shape stepping(const Inst& inst) const {
    const Shape varying{Shape::Kind::Varying};
    if (inst.type != isa::Type::I32) return varying;
    const Shape a = shapeOf(webs_, d_, inst.src[0]), b = shapeOf(webs_, d_, inst.src[1]);
    if (a.varying() || b.varying()) return varying;
    const auto each = [&](auto apart) {
      Shape s{Shape::Kind::Apart, zerosOfResult(inst), {}};
      for (uint32_t i = 0; i < kWarpLanes; ++i) s.apart[i] = apart(i);
      return s;
    };
    uint32_t factor = 0;
    switch (inst.op) {
      case Opcode::IAdd: return each([&](uint32_t i) { return a.apart[i] + b.apart[i]; });
      case Opcode::ISub: return each([&](uint32_t i) { return a.apart[i] - b.apart[i]; });
      case Opcode::INeg: return each([&](uint32_t i) { return 0 - a.apart[i]; });
      case Opcode::IMul:
        if (constant(inst.src[1], &factor)) return each([&](uint32_t i) { return a.apart[i] * factor; });
        if (constant(inst.src[0], &factor)) return each([&](uint32_t i) { return b.apart[i] * factor; });
        return varying;
      case Opcode::Shl:
        if (constant(inst.src[1], &factor)) return each([&](uint32_t i) { return a.apart[i] << (factor & 31); });
        return varying;
      case Opcode::ICmp: return compared(inst, a, b);
      default: break;
    }
    uint32_t by = 0;
    if (!a.lanesInBits() || !constant(inst.src[1], &by)) return varying;
    // What a constant takes out of a value whose lanes have bits of their own it takes out of these and the rest alike.
    switch (inst.op) {
      case Opcode::And: return each([&](uint32_t i) { return a.apart[i] & by; });
      case Opcode::Or: return each([&](uint32_t i) { return a.apart[i] & ~by; });
      case Opcode::Shr: return each([&](uint32_t i) { return a.apart[i] >> (by & 31); });
      case Opcode::UMod:
        return std::has_single_bit(by) ? each([&](uint32_t i) { return a.apart[i] & (by - 1); }) : varying;
      case Opcode::UDiv: return std::has_single_bit(by) ? each([&](uint32_t i) { return a.apart[i] / by; }) : varying;
      default: return varying;
    }
  }

  /// Whether the lanes of `x` are on the same side of a limit that has none of their bits: x < limit, x >= limit.
  Shape compared(const Inst& inst, const Shape& a, const Shape& b) const {
    const auto splits = [](const Shape& x, const Shape& limit) {
      return !x.lanesInBits() || !limit.uniform() || limit.zeros < std::bit_width(x.bits());
    };
    const std::optional<uint32_t> value = valueOfComparison(static_cast<isa::CmpI>(inst.sub));
    if (value && !(*value == 0 ? splits(a, b) : splits(b, a))) return Shape::growing(0);
    return {Shape::Kind::Varying};
  }

  bool constant(Operand o, uint32_t* value) const {
    if (o.bank != Bank::Param) return false;
    *value = paramWord(program_, o.word);
    return true;
  }

  const Webs& webs_;
  const isa::Program& program_;
  Divergence& d_;
  const std::span<const uint8_t> zeros_;  ///< per web: of what is loaded
  const Warps* warps_;                    ///< null: of one warp's lanes
  std::vector<uint32_t> elseOf_;          ///< If: its Else, or 0
  std::vector<Scope> scopes_;
  bool changed_ = false, ended_ = false;
};

}  // namespace

namespace {

/// Nothing known yet, of which a walk takes away.
Divergence nothingDiverges(const Webs& webs) {
  Divergence d;
  const size_t n = webs.program.code.size();
  d.shape.resize(webs.count);
  d.blend.assign(n, false);
  d.partial.assign(n, false);
  d.divergentIf.assign(n, false);
  d.direct.assign(n, true);
  d.target.assign(n, false);
  d.crossed.assign(n, false);
  return d;
}

}  // namespace

Divergence analyzeDivergence(const Webs& webs, std::span<const uint8_t> zeros) {
  const isa::Program& program = webs.program;
  Divergence d = nothingDiverges(webs);
  const uint32_t* size = program.info.localSize;
  d.full = program.info.stage == abi::Stage::Compute && !abi::groupsLieAbreast(program.info) &&
           size[0] * size[1] * size[2] % kWarpLanes == 0;
  Walk walk(webs, d, zeros);
  while (walk.run()) {
  }
  return d;
}

Divergence analyzeWarps(const Webs& webs, const Divergence& lanes, const std::function<bool(uint32_t load)>& agrees) {
  Divergence d = nothingDiverges(webs);
  d.full = true;
  const Walk::Warps warps{lanes, agrees};
  Walk walk(webs, d, {}, &warps);
  while (walk.run()) {
  }
  return d;
}

}  // namespace etzel::native
