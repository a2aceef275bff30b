// Tests of passes: text of a program in, text of a program out.
//
//   TEST(DeadCodePass, WhatNobodyReadsGoes) {
//     expectPass("dead-code", "ldimm r0.x, #1\n", "");
//   }
//
// Listings are programs over virtual registers: every register rN is a group of its own. Those without a stage are of
// the fragment stage, and c0 is (0, 1, ~0, 2) where they give no constants.
#pragma once

#include <functional>
#include <string>

#include "compiler/isa/program.h"

namespace etzel::opt {

/// Expects that the pass `name` makes the program `after` of `before`, and says whether it found something to do.
/// `prepare` may add what text cannot say.
bool expectPass(const std::string& name, const std::string& before, const std::string& after,
                const std::function<void(isa::Program&)>& prepare = {});

/// A listing's instructions and constants, as the disassembler writes them.
std::string normalized(const std::string& listing);

}  // namespace etzel::opt
