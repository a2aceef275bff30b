#include "compiler/jit/divergence.h"

#include "compiler/isa/info.h"

namespace etzel::jit {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

bool isUniform(abi::SysValue v) {
  using S = abi::SysValue;
  switch (v) {
    case S::WorkgroupIdX: case S::WorkgroupIdY: case S::WorkgroupIdZ:
    case S::NumWorkgroupsX: case S::NumWorkgroupsY: case S::NumWorkgroupsZ:
    case S::SubgroupId: case S::NumSubgroups:
      return true;
    default:
      return false;
  }
}

bool isUniform(const Divergence& d, Operand o, uint32_t word) {
  switch (o.bank) {
    case Bank::Temp: return d.uniformWord[o.word + word];
    case Bank::Param: case Bank::Param2: case Bank::None: return true;
    default: return false;
  }
}

namespace {

/// One walk over the program under the present assumptions; assumptions only ever get weaker, so repeating ends.
class Walk {
 public:
  Walk(const isa::Program& program, Divergence& d) : program_(program), d_(d) {}

  bool run() {
    changed_ = false;
    scopes_.clear();
    functionMasked_ = false;
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
  bool anyMasked() const {
    if (functionMasked_) return true;
    for (const Scope& s : scopes_)
      if (s.masked) return true;
    return false;
  }

  void visit(uint32_t i) {
    const Inst& inst = program_.code[i];
    if (anyMasked()) weaken(d_.masked, i, true);
    switch (inst.op) {
      case Opcode::If: {
        const bool divergent = !isUniform(d_, inst.src[0]);
        if (divergent) weaken(d_.divergentIf, i, true);
        scopes_.push_back({Opcode::If, i, divergent});
        return;
      }
      case Opcode::Else: return;
      case Opcode::Block: scopes_.push_back({Opcode::Block, i, false}); return;
      // A loop that lanes leave one by one runs with lanes missing from its second iteration on.
      case Opcode::Loop: scopes_.push_back({Opcode::Loop, i, d_.crossed[i]}); return;
      case Opcode::EndIf: case Opcode::EndBlock: scopes_.pop_back(); return;
      case Opcode::EndLoop: {
        const bool missing = scopes_.back().masked;
        scopes_.pop_back();
        // Lanes that left wait at the end of a block around the loop.
        if (missing && !scopes_.empty()) scopes_.back().masked = true;
        return;
      }
      case Opcode::Br: leave(i, targetOf(inst.imm), true); return;
      case Opcode::BrC: leave(i, targetOf(inst.imm), isUniform(d_, inst.src[0])); return;
      case Opcode::Ret: case Opcode::Kill: leave(i, -1, true); return;
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
      functionMasked_ = true;
  }
  void value(uint32_t i, const Inst& inst) {
    if (inst.dst.bank != Bank::Temp) return;
    bool uniform = uniformResult(inst);
    // The active lanes agree on these whatever their operands are.
    const bool agreed = inst.op == Opcode::Flat || inst.op == Opcode::SgBallot || inst.op == Opcode::SgFirst;
    if (uniform && !agreed)
      isa::forEachSource(inst, [&](Operand o, uint32_t words) {
        for (uint32_t w = 0; w < words; ++w) uniform = uniform && isUniform(d_, o, w);
      });
    if (inst.masked && anyMasked()) uniform = false;
    if (uniform) return;
    for (uint32_t w = 0; w < isa::dstWords(inst); ++w) weaken(d_.uniformWord, inst.dst.word + w, false);
  }

  /// Whether equal operands give an equal result in every lane.
  static bool uniformResult(const Inst& inst) {
    const isa::OpInfo& info = isa::opInfo(inst);
    switch (inst.op) {
      case Opcode::Sys: return isUniform(static_cast<abi::SysValue>(inst.imm));
      case Opcode::Helper: case Opcode::Bary: case Opcode::Intrp: case Opcode::SmpPos:
      case Opcode::Clock: case Opcode::Atom: case Opcode::Tex2:
      case Opcode::SgReduce: case Opcode::SgScanI: case Opcode::SgScanE:
        return false;
      case Opcode::Ld: {
        const auto space = static_cast<isa::Space>(inst.sub);
        return space == isa::Space::Buffer || space == isa::Space::Shared || space == isa::Space::Push;
      }
      default: return info.extension && !info.control;
    }
  }

  const isa::Program& program_;
  Divergence& d_;
  std::vector<Scope> scopes_;
  bool functionMasked_ = false, changed_ = false;
};

}  // namespace

Divergence analyzeDivergence(const isa::Program& program) {
  Divergence d;
  const size_t n = program.code.size();
  d.uniformWord.assign(program.tempWords + 8, true);
  d.masked.assign(n, false);
  d.divergentIf.assign(n, false);
  d.direct.assign(n, true);
  d.target.assign(n, false);
  d.crossed.assign(n, false);
  Walk walk(program, d);
  while (walk.run()) {
  }
  return d;
}

}  // namespace etzel::jit
