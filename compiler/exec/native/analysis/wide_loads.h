// Loads of neighbours: of words that lie side by side in each lane, where lanes are further apart. One wide load per
// lane and some shuffling take less time than a load for each word.
#pragma once

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// Words that are loaded together, where the load of the first of them stands.
struct WideLoad {
  std::vector<uint32_t> loads;  ///< the instruction of each word: 2 or 4, the first one stands first
};

/// Loads that nothing stands between which writes memory or decides which lanes run.
std::vector<WideLoad> findWideLoads(const Webs& webs, const Divergence& divergence, const Bounds& bounds);

}  // namespace etzel::native
