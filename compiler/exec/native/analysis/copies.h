// What words are copies of, and whether a value is there already where an instruction stands.
#pragma once

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

class Copies {
 public:
  Copies(const Webs& webs, const std::vector<Constant>& constants);

  struct Writer {
    uint32_t at = 0, word = 0;  ///< instruction, word of its result
  };
  /// Who writes a web last.
  Writer writerOf(uint32_t web) const { return writer_[web]; }
  /// Whether one instruction writes it, and always before it is read.
  bool isKnown(uint32_t web) const { return constants_[web].writes == 1 && !webs_.undefined[web]; }
  /// What a word is a copy of: itself, or what was copied, a few times, by instructions that alone write a word.
  isa::Operand original(isa::Operand o) const;
  /// Whether what an operand reads is there before an instruction.
  bool isBefore(isa::Operand o, uint32_t at) const;

 private:
  const Webs& webs_;
  const std::vector<Constant>& constants_;
  std::vector<Writer> writer_;
};

/// The word that is `w` words behind an operand's first.
inline isa::Operand wordOf(isa::Operand o, uint32_t w) {
  o.word += w;
  return o;
}

}  // namespace etzel::native
