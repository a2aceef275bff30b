// What a program does with values and buffers, as far as it decides how loads are done.
#pragma once

#include <set>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

struct Uses {
  std::vector<bool> otherThanHalf;  ///< per web: read as something else than a float of 16 bits
  std::set<uint32_t> written;       ///< handles of buffers that are stored to, or have atomics
  bool writesAnywhere = false;      ///< some are stored to whose handles are not constant
};

Uses findUses(const Webs& webs, const std::vector<Constant>& constants);

}  // namespace etzel::native
