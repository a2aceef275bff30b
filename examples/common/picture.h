// Pictures in memory, written as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace demo {

struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgba;
};

/// \returns false when the file can't be written.
bool writePng(const Picture& picture, const std::string& path);
/// The same crop of pictures of one size, magnified without filtering, side by side.
Picture besideMagnified(const std::vector<const Picture*>& pictures, uint32_t x, uint32_t y, uint32_t size,
                        uint32_t factor);

}  // namespace demo
