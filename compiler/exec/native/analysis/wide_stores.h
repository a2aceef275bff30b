// Stores of neighbours: of words that lie side by side in each lane, as the rows of a block of results, one store after
// the other. One check and a few long stores do for all of them.
#pragma once

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// Words that are stored together, where the store of the last of them stands.
struct WideStore {
  std::vector<uint32_t> stores;  ///< 2, 4 or 8 instructions, in order of places and of the program
  bool turns = false;            ///< offsets may turn over 2^32 in between: they are the first one's plus some bytes
};

/// Stores that nothing stands between which looks at memory or decides which lanes run, of lanes that lie a distance
/// apart that the program says, further than what they have.
std::vector<WideStore> findWideStores(const Webs& webs, const Divergence& divergence, const Bounds& bounds);

}  // namespace etzel::native
