// Fragment sizes that the texels of a density map ask for ("Fragment Density Map Operations").
#pragma once

#include "raster/draw.h"

namespace etzel::raster {

/// Immutable plain data, made for each draw.
struct DensityRates {
  static constexpr uint32_t kWhole = 5;  ///< for a component: density 1
  static constexpr uint32_t kNone = 4;   ///< density 0

  const std::byte* texels = nullptr;  ///< two bytes each; null: there is no map
  uint64_t layerPitch = 0;
  uint32_t rowPitch = 0;
  uint32_t width = 0, height = 0, layers = 1;  ///< of the map
  int64_t endX = 0, endY = 0;                  ///< of the framebuffer
  uint32_t logTexel[2] = {};                   ///< pixels of the framebuffer that a texel stands for
  uint32_t logLargest[2] = {};                 ///< of fragments, whatever their density
  uint8_t component[2] = {0, 1};  ///< of a texel, for the density in x and in y; 2 or more: kNone or kWhole
  bool byLayer = false;           ///< layers and views have their own; else the first one is for all
  const VkOffset2D* offsets = nullptr;
  uint32_t offsetCount = 0;

  explicit operator bool() const { return texels != nullptr; }

  /// The rate of the block at (x, y), whose centre decides. Fragments at the framebuffer's edge are pixels: the centre
  /// of a larger one, where input attachments are read, could lie outside.
  ShadingRate at(int32_t x, int32_t y, uint32_t layer, uint32_t samples) const {
    if (x + 2 * kHalfBlock > endX || y + 2 * kHalfBlock > endY) return 0;
    const uint32_t slice = byLayer ? std::min(layer, layers - 1) : 0;
    const VkOffset2D moved = slice < offsetCount ? offsets[slice] : VkOffset2D{0, 0};
    const auto texelAt = [](int64_t pixel, uint32_t log, uint32_t count) {
      return static_cast<uint64_t>(std::clamp<int64_t>(pixel >> log, 0, count - 1));
    };
    const uint64_t column = texelAt(int64_t{x} + kHalfBlock - moved.x, logTexel[0], width);
    const uint64_t row = texelAt(int64_t{y} + kHalfBlock - moved.y, logTexel[1], height);
    const std::byte* texel = texels + slice * layerPitch + row * rowPitch + column * 2;
    const auto logSize = [&](uint32_t i) {
      return std::min(logDensityArea(densityOf(texel, component[i])), logLargest[i]);
    };
    return clampRate(logSize(0), logSize(1), samples);
  }

 private:
  static constexpr int64_t kHalfBlock = 4;
  static uint8_t densityOf(const std::byte* texel, uint8_t component) {
    if (component < 2) return static_cast<uint8_t>(texel[component]);
    return component == kWhole ? 255 : 0;
  }
};

/// Those of a pass that has a density map.
DensityRates densityRates(const Attachments& attachments);

}  // namespace etzel::raster
