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
  uint32_t staysUntil(uint32_t web, uint32_t at) const;
  bool countsUp(uint32_t web, uint32_t from, uint32_t to) const;
  bool isWord(isa::Operand o) const { return o.bank == isa::Bank::Temp; }

  const Webs& webs_;
  std::vector<uint32_t> until_;                ///< per instruction: where the innermost scope, or its side, ends
  std::vector<uint32_t> opener_;               ///< per instruction: what opens that scope
  std::vector<std::vector<uint32_t>> writes_;  ///< per web: where it is written
  std::vector<uint32_t> most_;                 ///< per web that is written once
  std::vector<std::vector<Fact>> facts_;       ///< per web
};

}  // namespace etzel::native
