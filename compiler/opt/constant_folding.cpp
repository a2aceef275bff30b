#include "compiler/exec/interp/evaluate.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

class Folder {
 public:
  explicit Folder(isa::Program& program) : program_(program), table_(program), pool_(program) {}

  void run() {
    value_.assign(program_.tempWords, 0);
    known_.assign(program_.tempWords, false);
    std::vector<isa::Inst> code;
    code.reserve(program_.code.size());
    for (isa::Inst& inst : program_.code) {
      if (isa::isShadow(inst)) {
        code.push_back(inst);
        continue;
      }
      useKnown(inst);
      fold(inst, code);
      learn(inst);
    }
    program_.code = std::move(code);
  }

 private:
  bool isKnown(const isa::Operand& o) const {
    return o.bank == isa::Bank::Param || (o.bank == isa::Bank::Temp && known_[o.word]);
  }
  uint32_t valueOf(const isa::Operand& o) const {
    return o.bank == isa::Bank::Param ? pool_.valueOf(o) : value_[o.word];
  }

  void useKnown(isa::Inst& inst) {
    for (uint32_t i = 0; i < 3; ++i) {
      isa::Operand& s = inst.src[i];
      if (s.bank != isa::Bank::Temp || isa::srcWords(inst, i) != 1 || !known_[s.word]) continue;
      const isa::Operand c = pool_.operand(value_[s.word]);
      if (c.present()) s = c;
    }
  }

  // Reads many words that are all constants: leave it, unless the instruction can be evaluated whole.
  void fold(isa::Inst& inst, std::vector<isa::Inst>& code) {
    const uint32_t words = inst.dst.bank == isa::Bank::Temp ? isa::dstWords(inst) : 0;
    uint32_t result[interp::kEvaluateWords];
    if (words == 0 || words > 2 ||
        !(tableWords(inst, words, result) || (interp::canEvaluate(inst.op) && evaluate(inst, result)))) {
      code.push_back(inst);
      return;
    }
    for (uint32_t w = 0; w < words; ++w) {
      isa::Inst load;
      load.op = isa::Opcode::LdImm, load.line = inst.line, load.masked = inst.masked;
      load.dst = isa::temp(inst.dst.word + w), load.imm = result[w];
      code.push_back(load);
      if (table_.writes[inst.dst.word + w] == 1)
        known_[inst.dst.word + w] = true, value_[inst.dst.word + w] = result[w];
    }
  }

  /// Loads from a known place of the program's own table; what lies outside reads 0.
  bool tableWords(const isa::Inst& inst, uint32_t words, uint32_t* result) const {
    if (inst.op != isa::Opcode::Ld || static_cast<isa::Space>(inst.sub) != isa::Space::Table) return false;
    if (inst.type != isa::Type::I32 || (inst.src[1].present() && !isKnown(inst.src[1]))) return false;
    const uint64_t at = uint64_t(inst.src[1].present() ? valueOf(inst.src[1]) : 0) + inst.imm;
    if (at % 4) return false;
    for (uint32_t w = 0; w < words; ++w)
      result[w] = at / 4 + w < program_.table.size() ? program_.table[at / 4 + w] : 0;
    return true;
  }

  bool evaluate(const isa::Inst& inst, uint32_t* result) {
    uint32_t values[3][interp::kEvaluateWords];
    for (uint32_t i = 0; i < 3; ++i) {
      if (!inst.src[i].present()) continue;
      const uint32_t n = isa::srcWords(inst, i);
      if (n > interp::kEvaluateWords) return false;
      for (uint32_t w = 0; w < n; ++w) {
        const isa::Operand o{inst.src[i].bank, inst.src[i].word + w};
        if (!isKnown(o)) return false;
        values[i][w] = valueOf(o);
      }
    }
    return interp::evaluate(inst, values, result);
  }

  void learn(const isa::Inst& inst) {
    if (inst.dst.bank != isa::Bank::Temp) return;
    if (inst.op == isa::Opcode::LdImm && table_.writes[inst.dst.word] == 1) {
      known_[inst.dst.word] = true, value_[inst.dst.word] = inst.imm;
    } else if (inst.op == isa::Opcode::XMov) {
      for (uint32_t w = 0; w < inst.count; ++w) {
        const isa::Operand from{inst.src[0].bank, inst.src[0].word + w};
        if (isKnown(from) && table_.writes[inst.dst.word + w] == 1)
          known_[inst.dst.word + w] = true, value_[inst.dst.word + w] = valueOf(from);
      }
    }
  }

  isa::Program& program_;
  WordTable table_;
  std::vector<uint32_t> value_;
  std::vector<bool> known_;
  ConstantPool pool_;
};

}  // namespace

void foldConstants(isa::Program& program) { Folder(program).run(); }

}  // namespace etzel::opt
