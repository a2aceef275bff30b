#include "compiler/regalloc/spill.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::regalloc {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

class Spiller {
 public:
  Spiller(isa::Program& program, const std::vector<bool>& spilled, const std::vector<uint32_t>& groupOf)
      : program_(program), spilled_(spilled), groupOf_(groupOf), slot_(spilled.size(), 0) {}

  void run() {
    uint32_t bytes = alignUp(program_.scratchBytes, 4u);
    for (size_t g = 0; g < spilled_.size(); ++g) {
      if (!spilled_[g]) continue;
      slot_[g] = bytes;
      bytes += 4 * program_.groups[g].words;
    }
    program_.scratchBytes = bytes;

    std::vector<Inst> old = std::move(program_.code);
    program_.code.clear();
    program_.code.reserve(old.size() + old.size() / 2);
    for (const Inst& inst : old) rewrite(inst);
  }

 private:
  bool isSpilled(const Operand& o) const {
    return o.bank == isa::Bank::Temp && o.word < groupOf_.size() && spilled_[groupOf_[o.word]];
  }
  uint32_t address(uint32_t word) const {
    const uint32_t g = groupOf_[word];
    return slot_[g] + 4 * (word - program_.groups[g].first);
  }

  void access(Opcode op, Operand reg, uint32_t words, uint32_t byteOffset, uint32_t line) {
    for (uint32_t at = 0; at < words; at += 8) {
      Inst inst;
      inst.op = op, inst.sub = static_cast<uint8_t>(isa::Space::Scratch), inst.line = line;
      inst.count = static_cast<uint8_t>(std::min(words - at, 8u));
      inst.imm = byteOffset + 4 * at;
      const Operand part = isa::temp(reg.word + at);
      if (op == Opcode::Ld)
        inst.dst = part;
      else
        inst.src[2] = part;
      program_.code.push_back(inst);
    }
  }

  void rewrite(Inst inst) {
    const uint32_t words = inst.dst.present() ? isa::dstWords(inst) : 0;
    // The same value read twice is loaded once.
    Operand loaded[3];
    const Inst original = inst;
    for (uint32_t i = 0; i < 3; ++i) {
      if (!isSpilled(inst.src[i])) continue;
      const uint32_t need = isa::srcWords(original, i);
      if (need == 0) continue;
      for (uint32_t k = 0; k < i; ++k)
        if (original.src[k] == original.src[i] && loaded[k].present() && isa::srcWords(original, k) >= need)
          loaded[i] = loaded[k];
      if (!loaded[i].present()) {
        loaded[i] = program_.newTemp(need);
        access(Opcode::Ld, loaded[i], need, address(original.src[i].word), inst.line);
      }
      inst.src[i] = loaded[i];
    }
    if (!words || !isSpilled(inst.dst)) {
      program_.code.push_back(inst);
      return;
    }
    const uint32_t home = address(inst.dst.word);
    inst.dst = program_.newTemp(words);
    inst.masked = false;  // stores write active lanes only
    const Operand result = inst.dst;
    program_.code.push_back(inst);
    access(Opcode::St, result, words, home, inst.line);
  }

  isa::Program& program_;
  const std::vector<bool>& spilled_;
  const std::vector<uint32_t>& groupOf_;
  std::vector<uint32_t> slot_;
};

}  // namespace

void spillGroups(isa::Program& program, const std::vector<bool>& spilled, const std::vector<uint32_t>& groupOf) {
  Spiller(program, spilled, groupOf).run();
}

}  // namespace etzel::regalloc
