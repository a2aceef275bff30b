// Values that one instruction makes from nothing but the program: immediates, handles of descriptors, and system
// values, which are read again where they are needed.
#pragma once

#include <optional>

#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

struct Constant {
  uint32_t writes = 0, value = 0;
  bool known = false;                ///< `value` is what the last write gives
  std::optional<abi::SysValue> sys;  ///< a system value
};

/// Per web.
std::vector<Constant> findConstants(const Webs& webs);

/// An operand's value when it is the same in every invocation that runs.
std::optional<uint32_t> constantOf(const Webs& webs, const std::vector<Constant>& constants, isa::Operand o);

}  // namespace etzel::native
