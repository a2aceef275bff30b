#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

class Peephole {
 public:
  explicit Peephole(isa::Program& program) : program_(program), table_(program) {}

  void run() {
    compareOf_.assign(program_.tempWords, kNone);
    version_.assign(program_.tempWords, 0);
    boolean_.assign(program_.tempWords, false);
    std::vector<Inst> code = std::move(program_.code);
    out_.reserve(code.size());
    for (Inst& inst : code) {
      if (isa::isShadow(inst)) {
        out_.push_back(inst);
        continue;
      }
      scopes_.step(inst.op);
      simplify(inst);
      if (inst.op == Opcode::EndIf && mergeBranch()) continue;
      out_.push_back(inst);
      learn(inst);
    }
    program_.code = std::move(out_);
  }

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Compare {
    Inst inst;
    uint32_t scope, versions;
  };

  bool isConstant(const Operand& o, uint32_t value) const {
    return o.bank == isa::Bank::Param && program_.constants[o.word / 4][o.word % 4] == value;
  }
  bool isBoolean(const Operand& o) const {
    if (o.bank == isa::Bank::Param) return isConstant(o, 0) || isConstant(o, ~0u);
    return o.bank == isa::Bank::Temp && boolean_[o.word];
  }
  /// Grows whenever a source word is written.
  uint32_t versions(const Inst& inst) const {
    uint32_t sum = 0;
    isa::forEachSource(inst, [&](Operand o, uint32_t words) {
      if (o.bank != isa::Bank::Temp) return;
      for (uint32_t w = 0; w < words; ++w) sum += version_[o.word + w];
    });
    return sum;
  }

  void toMove(Inst& inst, Operand from) {
    inst.op = Opcode::XMov, inst.type = isa::Type::I32, inst.sub = 0, inst.count = 1, inst.src = {from, {}, {}};
  }

  void simplify(Inst& inst) {
    const bool word = inst.type == isa::Type::I32;
    switch (inst.op) {
      case Opcode::Not:
        if (word && inst.src[0].bank == isa::Bank::Temp) invertCompare(inst);
        break;
      case Opcode::ICmp: {  // booleans are 0 or ~0 already
        if (!word || !isConstant(inst.src[1], 0) || !isBoolean(inst.src[0])) break;
        if (inst.sub == static_cast<uint8_t>(isa::CmpI::Ne)) {
          toMove(inst, inst.src[0]);
        } else if (inst.sub == static_cast<uint8_t>(isa::CmpI::Eq)) {
          const Operand a = inst.src[0];
          inst.op = Opcode::Not, inst.sub = 0, inst.src = {a, {}, {}};
          if (a.bank == isa::Bank::Temp) invertCompare(inst);
        }
        break;
      }
      case Opcode::Sel:
        if (inst.count != 1) break;
        if (isConstant(inst.src[0], 0))
          toMove(inst, inst.src[2]);
        else if (inst.src[0].bank == isa::Bank::Param || inst.src[1] == inst.src[2])
          toMove(inst, inst.src[1]);
        else if (isBoolean(inst.src[0]) && isConstant(inst.src[1], ~0u) && isConstant(inst.src[2], 0))
          toMove(inst, inst.src[0]);
        break;
      case Opcode::IAdd:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::ISub:
        if (!word) break;
        if (isConstant(inst.src[1], 0))
          toMove(inst, inst.src[0]);
        else if (inst.op != Opcode::ISub && isConstant(inst.src[0], 0))
          toMove(inst, inst.src[1]);
        break;
      case Opcode::Shl:
      case Opcode::Shr:
      case Opcode::Sar:
        if (word && isConstant(inst.src[1], 0)) toMove(inst, inst.src[0]);
        break;
      case Opcode::IMul:
        if (!word) break;
        if (isConstant(inst.src[1], 1))
          toMove(inst, inst.src[0]);
        else if (isConstant(inst.src[0], 1))
          toMove(inst, inst.src[1]);
        break;
      default: break;
    }
  }

  /// not(a < b) is the opposite comparison, if a and b still hold what was compared.
  void invertCompare(Inst& inst) {
    const uint32_t found = compareOf_[inst.src[0].word];
    if (found == kNone || found < firstValid_) return;
    const Compare& c = compares_[found];
    if (!scopes_.isOpen(c.scope) || versions(c.inst) != c.versions || c.inst.masked) return;
    const Operand dst = inst.dst;
    const bool masked = inst.masked;
    const uint32_t line = inst.line;
    inst = c.inst;
    inst.dst = dst, inst.masked = masked, inst.line = line;
    inst.sub = inst.op == Opcode::FCmp ? static_cast<uint8_t>(isa::inverse(static_cast<isa::CmpF>(inst.sub)))
                                       : static_cast<uint8_t>(isa::inverse(static_cast<isa::CmpI>(inst.sub)));
  }

  /// The last instruction before `end` that is no shadow; `end` where there is none.
  size_t lastBefore(size_t end) const {
    for (size_t i = end; i-- > 0;)
      if (!isa::isShadow(out_[i])) return i;
    return end;
  }

  /// if x, br k, endif: brc x, k
  bool mergeBranch() {
    const size_t n = out_.size(), at = lastBefore(n), begin = at < n ? lastBefore(at) : n;
    if (begin >= at || out_[at].op != Opcode::Br || out_[begin].op != Opcode::If) return false;
    Inst branch = out_[at];
    branch.op = Opcode::BrC;
    branch.src[0] = out_[begin].src[0];
    // All come to it now, also those that do not branch: it stands where the condition does.
    branch.line = out_[begin].line;
    if (begin + 2 == n) {
      out_.resize(begin);
    } else {  // shadows in front of the branch keep the if; what is behind them stands in no line
      isa::makeShadow(out_[begin]);
      out_.resize(at);
      Inst close;
      close.op = Opcode::EndIf, branch.line = 0;
      isa::makeShadow(close);
      out_.push_back(close);
    }
    out_.push_back(branch);
    return true;
  }

  void learn(const Inst& inst) {
    // What was compared before a loop may be written again on the way round.
    if (inst.op == Opcode::Loop || inst.op == Opcode::EndLoop) firstValid_ = static_cast<uint32_t>(compares_.size());
    if (inst.dst.bank != isa::Bank::Temp) return;
    const uint32_t words = isa::dstWords(inst);
    for (uint32_t w = 0; w < words; ++w) ++version_[inst.dst.word + w];
    if (words != 1 || table_.writes[inst.dst.word] != 1) return;
    const uint32_t to = inst.dst.word;
    if (inst.op == Opcode::ICmp || inst.op == Opcode::FCmp) {
      compareOf_[to] = static_cast<uint32_t>(compares_.size());
      compares_.push_back({inst, scopes_.current(), versions(inst)});
    }
    boolean_[to] = isa::opInfo(inst).boolean;
    switch (inst.op) {
      case Opcode::XMov:
      case Opcode::Not: boolean_[to] = isBoolean(inst.src[0]); break;
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor: boolean_[to] = isBoolean(inst.src[0]) && isBoolean(inst.src[1]); break;
      default: break;
    }
  }

  isa::Program& program_;
  const WordTable table_;
  ScopeTracker scopes_;
  std::vector<Inst> out_;
  std::vector<Compare> compares_;
  std::vector<uint32_t> compareOf_, version_;
  std::vector<bool> boolean_;
  uint32_t firstValid_ = 0;  ///< older comparisons are forgotten
};

}  // namespace

void simplifyInstructions(isa::Program& program) { Peephole(program).run(); }

}  // namespace etzel::opt
