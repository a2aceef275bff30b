// Matrices whose rows are lanes, kept as their transposes: what is register w of a lane is lane w of a register then.
// (A * B)' = B' * A', so products only exchange their factors; what is done to each number by itself does not change;
// and loads and stores of rows that lie in memory need not turn them to columns and back.
#pragma once

#include <vector>

#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// Decides for all matrices of the program, and exchanges the factors of products where they are turned.
/// \returns per instruction: the load or store moves turned rows; empty where no matrix is turned
std::vector<bool> turnMatrices(Webs& webs, const Divergence& divergence);

}  // namespace etzel::native
