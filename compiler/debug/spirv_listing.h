// A module as text, and which of its instructions stands in which line. Pure, any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::debugger {

struct SpirvListing {
  std::string text;
  std::vector<uint32_t> wordOfLine;  ///< by line, from 1: where its instruction begins in the module; 0: there is none

  /// The line of the instruction that begins at a word; 0: there is none.
  uint32_t lineOf(uint32_t word) const;
};

/// Empty where the module cannot be read.
SpirvListing listSpirv(std::span<const uint32_t> spirv);

}  // namespace etzel::debugger
