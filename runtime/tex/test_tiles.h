// What tests of compressed samples share: tiles of every kind.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/msaa/fragment_surface.h"

namespace etzel::tex::test {

/// Puts every tile into some state.
inline void mixTiles(const msaa::FragmentSurface& surface, std::mt19937& random) {
  ASSERT_TRUE(surface);
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (uint32_t tile = 0; tile < surface.tilesX * surface.tilesY; ++tile) {
    const uint32_t x = surface.tileLeft(tile), y = surface.tileTop(tile);
    std::byte texel[16];
    for (std::byte& b : texel) b = static_cast<std::byte>(pick(60));
    const uint32_t kind = pick(5);
    if (kind == 0) {
      const int32_t color = surface.reserveClearColor(texel, false, false);
      surface.clear(x, y, std::min(x + 8, surface.width), std::min(y + 8, surface.height), texel, color);
    }
    if (kind == 1) surface.expand(tile);  // with what is written below, or one texel a pixel
    for (uint32_t n = kind > 2 || (kind == 1 && pick(2)) ? 3 + pick(60) : 0; n > 0; --n) {
      texel[0] = static_cast<std::byte>(n);
      surface.writeSamples(std::min(x + pick(8), surface.width - 1), std::min(y + pick(8), surface.height - 1),
                           1 + pick((1u << surface.samples) - 1), texel);
    }
  }
}

}  // namespace etzel::tex::test
