// Which build this is: what caches and shader binaries of another build must not be taken for. From the build's
// content: the hash that the linker makes of all code and data (--build-id), so any change of the compiler is another
// build.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

namespace etzel::icd {

/// Of the library or program that this code is part of. Where the linker left none, a number of this process alone:
/// nothing that it writes is taken by others.
std::array<uint8_t, VK_UUID_SIZE> buildId();

}  // namespace etzel::icd
