// Pictures as files of "Portable Network Graphics (PNG) Specification", for debuggers to show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace etzel::icd {

/// 24 bits a pixel, row by row; not compressed. \pre rgb has 3 * width * height bytes
std::vector<std::byte> toPng(uint32_t width, uint32_t height, std::span<const std::byte> rgb);

}  // namespace etzel::icd
