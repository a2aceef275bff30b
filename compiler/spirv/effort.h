// How long spirv-val would take for a module. Once it runs nothing can stop it, so that is asked before.
#pragma once

#include <cstdint>
#include <span>

namespace etzel::spirv {

/// Nanoseconds, about, that spirv-val's rules of structured control flow take on a slow machine: each block of each
/// construct looks for the construct's header up the dominator tree ("Structured Control-flow Constructs"), so loops in
/// one another take the third power of their number. The same for the same words everywhere; never above `most` by
/// more than one construct takes. Takes any words, in the host's byte order.
uint64_t validationNs(std::span<const uint32_t> words, uint64_t most);

}  // namespace etzel::spirv
