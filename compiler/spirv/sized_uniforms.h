// Modules for spirv-val, which wants arrays without a size in storage buffers alone. Those that end a block of a
// uniform buffer (VK_EXT_shader_uniform_buffer_unsized_array) are given a size, so that every other rule is checked; of
// what the extension forbids, asking for their length, an array with a size has none either.
#pragma once

#include <span>
#include <vector>

#include "runtime/base/result.h"

namespace etzel::spirv {

/// The module to validate in place of `words`, which are in the host's byte order; empty: `words` as they are. Takes
/// any words; whatever is no module is left for spirv-val to refuse.
Result<std::vector<uint32_t>> withSizedUniforms(std::span<const uint32_t> words);

}  // namespace etzel::spirv
