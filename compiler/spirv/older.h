// Modules for a spirv-val that does not know what newer.h names. Each such instruction is written in older ones with
// the same ids and uses, so that every other rule is checked on the whole module:
//
//   vectors of any length, cooperative vectors and matrices become vectors of four of the same components; what is
//     built of single components, taken apart, shuffled, loaded or multiplied becomes an undefined value behind
//     mentions of what it is made of
//   replicated composites become composites, fused multiply-adds additions
//   bfloat16 and floats of 8 bits become integers of their size, their conversions, of matrices too, and dot products
//     undefined values; that a conversion saturates is left out
//   arrays of data become zeros, and what says of them that they are text or specialized goes; aborts become places
//     that nobody reaches, behind a mention of the message
//   votes of quads become undefined values behind mentions of the vote, and the modes that quads always have are left
//     out
//   tile images become textures, reads of attachments undefined values behind mentions of what they read, and modes
//   that
//     ask for less than there always is are left out
//   the extension that allows derivatives in compute shaders has its older name
//
// How many components there really are is checked by the parser and by the lowering (Lowerer::setResult).
#pragma once

#include <span>
#include <vector>

#include "runtime/base/result.h"

namespace etzel::spirv {

/// The module to go on with in place of `words`, which are in the host's byte order; empty: `words` as they are. Takes
/// any words. InvalidShader where what is replaced breaks a rule itself.
Result<std::vector<uint32_t>> inOlderWords(std::span<const uint32_t> words);

}  // namespace etzel::spirv
