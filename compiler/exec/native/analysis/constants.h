// Values that one instruction makes of nothing but the program and what stays the same while it runs: immediates,
// handles of descriptors, system values and push constants.
#pragma once

#include <optional>

#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

struct Constant {
  uint32_t writes = 0, value = 0;
  bool known = false;                ///< `value` is what the last write gives
  std::optional<abi::SysValue> sys;  ///< a system value
  std::optional<uint32_t> pushed;    ///< a push constant: where it begins, a multiple of 4
};

/// A word of the PARAM bank: 0 behind what the program has of it.
inline uint32_t paramWord(const isa::Program& program, uint32_t word) {
  return word / 4 < program.constants.size() ? program.constants[word / 4][word % 4] : 0;
}

/// Bytes that there are of push constants (abi::DispatchContext).
inline constexpr uint32_t kPushBytes = 256;
/// Where the words begin that a load takes from push constants; nothing where that is not known, or not all are there.
std::optional<uint32_t> pushedAt(const Webs& webs, const std::vector<Constant>& constants, const isa::Inst& inst);

/// Per web.
std::vector<Constant> findConstants(const Webs& webs);

/// An operand's value when it is the same in every invocation that runs.
std::optional<uint32_t> constantOf(const Webs& webs, const std::vector<Constant>& constants, isa::Operand o);

}  // namespace etzel::native
