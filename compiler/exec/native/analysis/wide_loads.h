// Loads of neighbours: of elements of one size that lie side by side in each lane, where lanes are further apart, or
// anywhere. One wide load per lane and some shuffling take less time than a load for each element.
#pragma once

#include <functional>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// Elements that are loaded together, where the load of the first of them stands.
struct WideLoad {
  std::vector<uint32_t> loads;  ///< 2 or 4 instructions of an element each, or 2 of four; the first one stands first
  bool turns = false;           ///< offsets may turn over 2^32 in between: they are the first one's plus some bytes
};

/// Loads that nothing stands between which writes memory or decides which lanes run. Those of four words that `joins`
/// says yes to, and of the next four, where all that the lanes have lies side by side. Those of `turned` rows of
/// matrices (by instruction; turned_matrices.h) that lie side by side, two by two.
std::vector<WideLoad> findWideLoads(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                    const std::function<bool(uint32_t load)>& joins = {},
                                    const std::vector<bool>& turned = {});

}  // namespace etzel::native
