// The most that a value can be, as far as the program says it: which accesses need no check.
#pragma once

#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

/// Upper bounds of 32-bit words, taken as numbers without sign, in the lanes that run.
class Bounds {
 public:
  static constexpr uint32_t kNone = ~0u;  ///< nothing is known

  explicit Bounds(const Webs& webs);

  /// The most that an operand's first word holds when instruction `at` reads it.
  uint32_t most(isa::Operand o, uint32_t at) const;
  uint32_t mostOf(uint32_t web, uint32_t at) const;

  /// Where the innermost scope around an instruction, or the side of an if, ends.
  uint32_t until(uint32_t instruction) const { return until_[instruction]; }
  /// The instruction that opens that scope; kNoScope: the function.
  uint32_t opener(uint32_t instruction) const { return opener_[instruction]; }
  /// The instructions that write a web, in order.
  const std::vector<uint32_t>& writes(uint32_t web) const { return writes_[web]; }
  /// Until when the value that `web` has at an instruction is not written again, while lanes that ran there run.
  uint32_t staysUntil(uint32_t web, uint32_t at) const;
  /// Whether `web` begins at a small number and grows by a small one, once each time its lanes have come by the
  /// instructions between `from` and `to`.
  bool countsUp(uint32_t web, uint32_t from, uint32_t to) const;

 private:
  /// Between two instructions a value is not above `most`: lanes with more have left.
  struct Fact {
    uint32_t from, to, most;
  };
  void findScopes();
  void findWrites();
  uint32_t ofResult(const isa::Inst& inst, uint32_t at) const;
  uint32_t ofSystemValue(abi::SysValue v) const;
  void learn(const isa::Inst& leave, uint32_t at);
  bool isWord(isa::Operand o) const { return o.bank == isa::Bank::Temp; }

  const Webs& webs_;
  std::vector<uint32_t> until_;                ///< per instruction
  std::vector<uint32_t> opener_;               ///< per instruction
  std::vector<std::vector<uint32_t>> writes_;  ///< per web
  std::vector<uint32_t> most_;                 ///< per web that is written once
  std::vector<std::vector<Fact>> facts_;       ///< per web
};

}  // namespace etzel::native
