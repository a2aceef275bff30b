// Pictures of a captured surface, one pixel per pixel.
#pragma once

#include <string>
#include <vector>

#include "captured_surface.h"

namespace inspect {

struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgb;
};
/// What a colour of a picture stands for.
struct LegendEntry {
  uint8_t r, g, b;
  std::string label;
};
struct Legend {
  std::string caption;
  std::vector<LegendEntry> entries;
};

/// The average of the samples; integer formats and stencil: sample 0; depth: grey from the least (white) to the
/// greatest value.
Picture resolvedPicture(const CapturedSurface& s);
Legend resolvedLegend(const CapturedSurface& s);
/// Heat map: black for clear tiles, then from dark blue (one fragment) over green to yellow (as many as samples); each
/// step is lighter than the one before.
Picture fragmentPicture(const CapturedSurface& s);
Legend fragmentLegend(const CapturedSurface& s);
/// Tile states, those of depth with the number of planes.
Picture tilePicture(const CapturedSurface& s);
Legend tileLegend(const CapturedSurface& s);
/// Grey: the share of samples that something was drawn to since the clear.
Picture coveragePicture(const CapturedSurface& s);
Legend coverageLegend(const CapturedSurface& s);

/// Repeats every pixel of a part of the picture `factor` times in both directions.
Picture magnified(const Picture& p, uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t factor);
/// \returns false when the file can't be written
bool writePng(const Picture& p, const std::string& path);

}  // namespace inspect
