// Modules for a spirv-val that knows no pointers without a type (SPV_KHR_untyped_pointers) and no chains into rows of
// bytes (SPV_NV_raw_access_chains), and no descriptor heaps (SPV_EXT_descriptor_heap). "Untyped Pointers": an access
// behaves as if the pointer were one to the type that is accessed, so that is what spirv-val sees:
//
//   values that are such pointers have an empty structure for a type, so that nothing else is done with them than
//   moving each access, and each step of an access chain, goes through a pointer of the same storage class to the
//   accessed type variables have pointers to their data type
//
// A heap is a variable of private memory to it, and the type of a buffer in it an empty structure.
//
// What spirv-val cannot see then is checked here.
#pragma once

#include <span>
#include <vector>

#include "runtime/base/result.h"

namespace etzel::spirv {

/// The module to go on with in place of `words`, which are in the host's byte order; empty: `words` as they are. Takes
/// any words. InvalidShader where what is replaced breaks a rule itself.
Result<std::vector<uint32_t>> withTypedPointers(std::span<const uint32_t> words);

}  // namespace etzel::spirv
