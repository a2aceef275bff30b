// What images and texel buffers of a format are filled with.
#pragma once

#include "../scenario.h"

namespace vkbench {

/// What an upload of a format consists of.
enum class Numbers { Codes, Halves, Floats, Depths };

struct Texels {
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  uint32_t bytes = 4;  ///< of a block
  uint32_t block = 1;  ///< texels of a block along each axis
  Numbers numbers = Numbers::Codes;
};

/// So many blocks of noise that are numbers, from 0 to 1 where they are floats.
std::vector<uint32_t> noiseOf(const Texels& texels, uint64_t blocks, uint64_t seed);

}  // namespace vkbench
