#include "picture.h"

#include <png.h>

#include <cstring>

namespace demo {

bool writePng(const Picture& picture, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGBA;
  return png_image_write_to_file(&image, path.c_str(), 0, picture.rgba.data(), 0, nullptr);
}

Picture besideMagnified(const std::vector<const Picture*>& pictures, uint32_t x, uint32_t y, uint32_t size,
                        uint32_t factor) {
  const uint32_t gap = 4, side = size * factor, width = uint32_t(pictures.size()) * (side + gap) - gap;
  Picture out{width, side, std::vector<uint8_t>(size_t(width) * side * 4, 255)};
  for (size_t i = 0; i < pictures.size(); ++i)
    for (uint32_t v = 0; v < side; ++v)
      for (uint32_t u = 0; u < side; ++u)
        std::memcpy(&out.rgba[(size_t(v) * width + i * (side + gap) + u) * 4],
                    &pictures[i]->rgba[(size_t(y + v / factor) * pictures[i]->width + x + u / factor) * 4], 4);
  return out;
}

}  // namespace demo
