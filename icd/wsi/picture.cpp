#include "icd/wsi/picture.h"

#include <algorithm>
#include <cstring>

namespace etzel::icd {
namespace {

/// How far from the window's near side a picture begins that is `room` smaller than the window (larger: negative).
int32_t offsetOf(VkPresentGravityFlagsEXT gravity, int64_t room) {
  if (gravity & VK_PRESENT_GRAVITY_MIN_BIT_EXT) return 0;
  if (gravity & VK_PRESENT_GRAVITY_MAX_BIT_EXT) return int32_t(room);
  return int32_t(room / 2);
}

/// The column or row of the picture under the middle of a pixel that is `i` pixels inside of its place.
uint32_t nearest(uint64_t i, uint32_t pictureSize, uint32_t placeSize) {
  return uint32_t((2 * i + 1) * pictureSize / (2 * uint64_t{placeSize}));
}

uint32_t swapRedBlue(uint32_t pixel) { return (pixel & 0xFF00FF00u) | (pixel & 0xFFu) << 16 | (pixel >> 16 & 0xFFu); }

/// Pixels [begin, end) of a window's row.
void drawRow(const Picture& picture, const std::byte* from, const Placement& place, uint32_t begin, uint32_t end,
             std::byte* to) {
  const bool scaled = place.width != picture.extent.width;
  if (!scaled && !picture.redIsLowest) {
    std::memcpy(to + size_t(begin) * 4, from + (int64_t(begin) - place.x) * 4, size_t(end - begin) * 4);
    return;
  }
  for (uint32_t x = begin; x < end; ++x) {
    const auto inside = uint64_t(x - int64_t(place.x));
    uint32_t pixel;
    std::memcpy(&pixel, from + (scaled ? nearest(inside, picture.extent.width, place.width) : inside) * 4, 4);
    if (picture.redIsLowest) pixel = swapRedBlue(pixel);
    std::memcpy(to + size_t(x) * 4, &pixel, 4);
  }
}

/// The part of [at, at + size) that lies in a window of that size.
struct Span {
  uint32_t begin, end;
};
Span inside(int32_t at, uint32_t size, uint32_t window) {
  const auto clamp = [&](int64_t v) { return uint32_t(std::clamp<int64_t>(v, 0, window)); };
  return {clamp(at), clamp(int64_t(at) + size)};
}

}  // namespace

Placement placePicture(VkExtent2D picture, VkExtent2D window, const PresentScaling& scaling) {
  Placement p{0, 0, picture.width, picture.height};
  if (!scaling.behavior) return p;
  if (scaling.behavior & VK_PRESENT_SCALING_STRETCH_BIT_EXT) return {0, 0, window.width, window.height};
  if (scaling.behavior & VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT) {
    // The largest size of the picture's shape that fits.
    const bool wider = uint64_t{picture.width} * window.height > uint64_t{picture.height} * window.width;
    const auto scaled = [](uint32_t side, uint32_t to, uint32_t of) {
      return std::max(uint32_t(uint64_t{side} * to / of), 1u);
    };
    p.width = wider ? window.width : scaled(picture.width, window.height, picture.height);
    p.height = wider ? scaled(picture.height, window.width, picture.width) : window.height;
  }
  p.x = offsetOf(scaling.gravityX, int64_t{window.width} - p.width);
  p.y = offsetOf(scaling.gravityY, int64_t{window.height} - p.height);
  return p;
}

void drawPicture(const Picture& picture, const Placement& place, VkExtent2D window, std::byte* frame) {
  const Span columns = inside(place.x, place.width, window.width);
  const Span rows = inside(place.y, place.height, window.height);
  for (uint32_t y = 0; y < window.height; ++y) {
    std::byte* const to = frame + size_t(y) * window.width * 4;
    if (y < rows.begin || y >= rows.end) {
      std::memset(to, 0, size_t(window.width) * 4);
      continue;
    }
    std::memset(to, 0, size_t(columns.begin) * 4);
    const uint32_t row = nearest(y - int64_t(place.y), picture.extent.height, place.height);
    drawRow(picture, picture.pixels + row * picture.rowBytes, place, columns.begin, columns.end, to);
    std::memset(to + size_t(columns.end) * 4, 0, size_t(window.width - columns.end) * 4);
  }
}

}  // namespace etzel::icd
