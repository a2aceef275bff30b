// Push constants that programs have as sizes: where they are multiples of what a warp takes at once, all lanes of it
// are on the same side of them, so that loops up to them need no masks, and places in blocks are known from lane to
// lane.
#pragma once

#include <map>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// By the byte where a push constant begins: how many of its low bits are taken to be 0.
using Multiples = std::map<uint32_t, uint8_t>;

/// What analyzeDivergence() is to take for granted then.
std::vector<uint8_t> zerosOf(const Webs& webs, const std::vector<Constant>& constants, const Multiples& multiples);

/// Those with which lanes leave some loop together that may leave it one by one else. Empty: there are none.
Multiples findMultiples(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                        const std::vector<Constant>& constants);

}  // namespace etzel::native
