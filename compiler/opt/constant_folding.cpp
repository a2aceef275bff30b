#include <unordered_map>

#include "compiler/interp/evaluate.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

class Folder {
 public:
  explicit Folder(isa::Program& program) : program_(program), table_(program) {}

  void run() {
    value_.assign(program_.tempWords, 0);
    known_.assign(program_.tempWords, false);
    wordCount_ = static_cast<uint32_t>(program_.constants.size() * 4);
    for (uint32_t w = 0; w < wordCount_; ++w) pool_.emplace(program_.constants[w / 4][w % 4], w);
    std::vector<isa::Inst> code;
    code.reserve(program_.code.size());
    for (isa::Inst& inst : program_.code) {
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
    return o.bank == isa::Bank::Param ? program_.constants[o.word / 4][o.word % 4] : value_[o.word];
  }

  // The operand's encoding reaches 1024 words; later constants stay loads.
  isa::Operand pooled(uint32_t bits) {
    auto [it, fresh] = pool_.try_emplace(bits, wordCount_);
    if (fresh) {
      if (wordCount_ >= isa::kMaxTempWords) {
        pool_.erase(it);
        return {};
      }
      if (wordCount_ % 4 == 0) program_.constants.push_back({});
      program_.constants[wordCount_ / 4][wordCount_ % 4] = bits;
      ++wordCount_;
      return {isa::Bank::Param, wordCount_ - 1};
    }
    return {isa::Bank::Param, it->second};
  }

  void useKnown(isa::Inst& inst) {
    for (uint32_t i = 0; i < 3; ++i) {
      isa::Operand& s = inst.src[i];
      if (s.bank != isa::Bank::Temp || isa::srcWords(inst, i) != 1 || !known_[s.word]) continue;
      const isa::Operand c = pooled(value_[s.word]);
      if (c.present()) s = c;
    }
  }

  // Reads many words that are all constants: leave it, unless the instruction can be evaluated whole.
  void fold(isa::Inst& inst, std::vector<isa::Inst>& code) {
    const uint32_t words = inst.dst.bank == isa::Bank::Temp ? isa::dstWords(inst) : 0;
    uint32_t result[interp::kEvaluateWords];
    if (words == 0 || words > 2 || !(tableWords(inst, words, result) ||
                                     (interp::canEvaluate(inst.op) && evaluate(inst, result)))) {
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
  std::unordered_map<uint32_t, uint32_t> pool_;
  uint32_t wordCount_ = 0;
};

}  // namespace

void foldConstants(isa::Program& program) { Folder(program).run(); }

}  // namespace etzel::opt
