// A product that only one sum reads becomes a fused multiply-add with it, where the shader allows that. The pattern is
// local, so the same expression is fused the same way in every shader that holds it alone.
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Opcode;

class Contraction {
 public:
  explicit Contraction(isa::Program& program) : program_(program), table_(program) {}

  void run() {
    countReaders();
    version_.assign(program_.tempWords, 0);
    product_.assign(program_.tempWords, {});
    std::vector<isa::Inst> code = std::move(program_.code);
    program_.code.clear();
    program_.code.reserve(code.size());
    for (isa::Inst& inst : code) {
      if (isa::isShadow(inst)) {
        program_.code.push_back(inst);
        continue;
      }
      scopes_.step(inst.op);
      if (inst.op == Opcode::Loop) loops_.push_back(++loopCount_);
      if (inst.op == Opcode::EndLoop) loops_.pop_back();
      const bool contract = inst.contract;
      inst.contract = false;
      if (contract && inst.type != isa::Type::F16 && inst.op != Opcode::FMul) fuse(inst);
      program_.code.push_back(inst);
      if (inst.dst.bank == isa::Bank::Temp)
        for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) ++version_[inst.dst.word + w];
      if (contract && inst.op == Opcode::FMul) learn(inst);
    }
  }

 private:
  struct Product {
    isa::Inst inst;
    uint32_t scope = 0, loop = 0;
    std::array<uint32_t, 2> version{};
    bool known = false;
  };

  uint32_t loop() const { return loops_.empty() ? 0 : loops_.back(); }

  void countReaders() {
    readers_.assign(program_.tempWords, 0);
    for (const isa::Inst& inst : program_.code) {
      if (isa::isShadow(inst)) continue;
      isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
        if (o.bank != isa::Bank::Temp) return;
        for (uint32_t w = 0; w < words; ++w) ++readers_[o.word + w];
      });
    }
  }

  uint32_t versionOf(isa::Operand o) const { return o.bank == isa::Bank::Temp ? version_[o.word] : 0; }

  void learn(const isa::Inst& inst) {
    if (inst.dst.bank != isa::Bank::Temp || inst.masked) return;
    if (table_.writes[inst.dst.word] != 1 || readers_[inst.dst.word] != 1) return;
    if (inst.src[0].bank == isa::Bank::Out || inst.src[1].bank == isa::Bank::Out) return;
    product_[inst.dst.word] = {inst, scopes_.current(), loop(), {versionOf(inst.src[0]), versionOf(inst.src[1])}, true};
  }

  /// The product that `o` holds, if its factors still have their values.
  const isa::Inst* productOf(isa::Operand o, isa::Type type) const {
    if (o.bank != isa::Bank::Temp) return nullptr;
    const Product& p = product_[o.word];
    if (!p.known || p.inst.type != type || !scopes_.isOpen(p.scope) || p.loop != loop()) return nullptr;
    for (uint32_t i = 0; i < 2; ++i)
      if (versionOf(p.inst.src[i]) != p.version[i]) return nullptr;
    return &p.inst;
  }

  isa::Operand negated(isa::Operand o, const isa::Inst& like) {
    isa::Inst neg;
    neg.op = Opcode::FNeg, neg.type = like.type, neg.line = like.line;
    neg.src[0] = o;
    neg.dst = program_.newTemp(isa::typeWords(like.type));
    version_.resize(program_.tempWords, 1);
    product_.resize(program_.tempWords);
    program_.code.push_back(neg);
    return neg.dst;
  }

  void fuse(isa::Inst& inst) {
    // The second operand first: sums of products grow to the right, and so do the accumulators.
    const bool second = productOf(inst.src[1], inst.type);
    const isa::Inst* found = second ? productOf(inst.src[1], inst.type) : productOf(inst.src[0], inst.type);
    if (!found) return;
    isa::Operand a = found->src[0], other = inst.src[second ? 0 : 1];
    const isa::Operand b = found->src[1];
    if (inst.op == Opcode::FSub) {
      if (second)
        a = negated(a, inst);  // c - a * b
      else
        other = negated(other, inst);  // a * b - c
    }
    inst.op = Opcode::FFma;
    inst.src = {a, b, other};
  }

  isa::Program& program_;
  const WordTable table_;
  ScopeTracker scopes_;
  std::vector<uint32_t> loops_, readers_, version_;
  uint32_t loopCount_ = 0;
  std::vector<Product> product_;
};

}  // namespace

void contract(isa::Program& program) {
  for (const isa::Inst& inst : program.code)
    if (inst.contract) return Contraction(program).run();
}

}  // namespace etzel::opt
