// What a program does whose control group limits its memory: it asks for more than there is, in ways that a driver can
// refuse.
#pragma once

#include <cstdint>

namespace limits {

/// Each returns 0, or 1 after it said on stderr what is wrong. The driver is the loader's.

/// Heaps and budgets fit into the limit; memory of each type is written until it is refused; then shaders still run.
int fillHeaps(uint64_t limitBytes);
/// The same while half of the limit is the program's own memory.
int fillHeapsBesideOthers(uint64_t limitBytes);
/// An implicit multisampled image (VK_EXT_multisampled_render_to_single_sampled) larger than what the heap has left
/// loses the device, and a new one works.
int drawToTooManySamples(uint64_t limitBytes);

}  // namespace limits
