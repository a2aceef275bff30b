// Values that all who run a program have alike each time that they come by, and places that all come by alike, given
// what is alike to begin with.
#pragma once

#include <functional>

#include "compiler/exec/native/analysis/bounds.h"

namespace etzel::native {

class Agreement {
 public:
  /// `given` says of what does more than computing whether the result is alike where its operands are.
  Agreement(const Webs& webs, const Bounds& bounds, std::function<bool(uint32_t instruction)> given);

  bool isAlike(isa::Operand o, uint32_t w = 0) const;
  bool isAlike(uint32_t web) const { return alike_[web]; }
  /// Whether all come by an instruction, equally often.
  bool comesBy(uint32_t instruction) const;

 private:
  bool look(uint32_t instruction);
  bool looksAlike(uint32_t instruction) const;
  bool part(uint32_t instruction);

  const Webs& webs_;
  const Bounds& bounds_;
  const std::function<bool(uint32_t instruction)> given_;
  std::vector<bool> alike_;   ///< per web
  std::vector<bool> parted_;  ///< per instruction that opens a scope: some may go another way in it
  bool ended_ = false;        ///< some may have ended
};

}  // namespace etzel::native
