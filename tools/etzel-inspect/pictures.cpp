#include "pictures.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace inspect {

using namespace etzel;

namespace {

struct Rgb {
  uint8_t r, g, b;
};

template <class F>
Picture paint(const CapturedSurface& s, F color) {
  const uint32_t w = s.header().width, h = s.header().height;
  Picture p{w, h, {}};
  p.rgb.reserve(size_t{w} * h * 3);
  for (uint32_t y = 0; y < h; ++y)
    for (uint32_t x = 0; x < w; ++x) {
      const Rgb c = color(x, y);
      p.rgb.insert(p.rgb.end(), {c.r, c.g, c.b});
    }
  return p;
}

uint8_t byteOf(double v) { return uint8_t(std::lrint(std::clamp(v, 0.0, 1.0) * 255)); }

/// Linear light to a display's code: what sRGB and float formats need, and UNORM ones don't.
double displayed(const format::FormatInfo& f, double v) {
  const bool linear =
      f.numeric == format::Numeric::Srgb || f.numeric == format::Numeric::Float || f.numeric == format::Numeric::Ufloat;
  if (!linear) return v;
  return v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

/// Stops of the heat map, dark to bright.
constexpr double kHeat[][3] = {
    {0.10, 0.14, 0.35}, {0.13, 0.42, 0.56}, {0.20, 0.66, 0.47}, {0.60, 0.83, 0.25}, {1, 0.92, 0.2}};

Rgb heat(double t) {
  const double at = std::clamp(t, 0.0, 1.0) * 4;
  const int i = std::min(int(at), 3);
  auto mix = [&](int c) { return byteOf(kHeat[i][c] + (kHeat[i + 1][c] - kHeat[i][c]) * (at - i)); };
  return {mix(0), mix(1), mix(2)};
}

struct DepthBounds {
  double low = INFINITY, high = -INFINITY;
};
DepthBounds boundsOf(const CapturedSurface& s) {
  DepthBounds b;
  for (uint32_t y = 0; y < s.header().height; ++y)
    for (uint32_t x = 0; x < s.header().width; ++x) {
      const double v = s.sample(x, y, 0).c[0];
      b.low = std::min(b.low, v), b.high = std::max(b.high, v);
    }
  return b;
}

Picture depthPicture(const CapturedSurface& s) {
  const auto [low, high] = boundsOf(s);
  const double scale = high > low ? 1 / (high - low) : 0;
  return paint(s, [&, low = low](uint32_t x, uint32_t y) {
    const uint8_t grey = byteOf(1 - (s.sample(x, y, 0).c[0] - low) * scale);
    return Rgb{grey, grey, grey};
  });
}

Rgb fragmentColor(uint32_t fragments, uint32_t samples) {
  return fragments == 0 ? Rgb{0, 0, 0} : heat((fragments - 1.0) / std::max(samples - 1, 1u));
}

/// Hues and lightness that people with any colour vision tell apart (Okabe and Ito's).
constexpr Rgb kClear = {0, 0, 0}, kOne = {0, 114, 178}, kGeneral = {240, 228, 66}, kExpanded = {213, 94, 0};
/// Tiles of depth planes, by their number.
struct PlaneColor {
  uint32_t most;
  const char* label;
  Rgb color;
};
constexpr PlaneColor kPlanes[] = {{1, "1 plane", {86, 180, 233}},
                                  {2, "2 planes", {0, 158, 115}},
                                  {4, "3 or 4 planes", {204, 121, 167}},
                                  {8, "5 to 8 planes", {240, 228, 66}}};

Rgb planesColor(uint32_t count) {
  const PlaneColor* p = kPlanes;
  while (p->most < count) ++p;
  return p->color;
}
static_assert(mem::depthPlanes(2) == 8);

Rgb tileColor(const CapturedSurface& s, uint32_t tile) {
  switch (s.state(tile)) {
    case TileState::Clear: return kClear;
    case TileState::One: return kOne;
    case TileState::General: return kGeneral;
    case TileState::Planes: return planesColor(s.planes(tile));
    case TileState::Expanded: break;
  }
  return kExpanded;
}

LegendEntry entry(Rgb c, const std::string& label) { return {c.r, c.g, c.b, label}; }
std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", v);
  return text;
}

}  // namespace

Picture resolvedPicture(const CapturedSurface& s) {
  if (s.isDepthOrStencil()) return depthPicture(s);
  const format::FormatInfo& f = s.format();
  const uint32_t channels = std::max<uint32_t>(f.components(), 1);
  return paint(s, [&](uint32_t x, uint32_t y) {
    double sum[3] = {};
    const uint32_t n = f.isInteger() ? 1 : s.header().samples;
    for (uint32_t k = 0; k < n; ++k) {
      const Color c = s.sample(x, y, k);
      for (int i = 0; i < 3; ++i) sum[i] += c.c[channels < 3 && i >= int(channels) ? 0 : i] / n;
    }
    if (f.isInteger()) return Rgb{uint8_t(int64_t(sum[0])), uint8_t(int64_t(sum[1])), uint8_t(int64_t(sum[2]))};
    return Rgb{byteOf(displayed(f, sum[0])), byteOf(displayed(f, sum[1])), byteOf(displayed(f, sum[2]))};
  });
}

Legend resolvedLegend(const CapturedSurface& s) {
  if (!s.isDepthOrStencil()) return {s.format().isInteger() ? "sample 0, low bytes" : "average of the samples", {}};
  const auto [low, high] = boundsOf(s);
  return {s.format().isInteger() ? "stencil of sample 0" : "depth of sample 0",
          {entry({255, 255, 255}, number(low) + " least"), entry({128, 128, 128}, number((low + high) / 2)),
           entry({0, 0, 0}, number(high) + " greatest")}};
}

Picture fragmentPicture(const CapturedSurface& s) {
  return paint(s, [&](uint32_t x, uint32_t y) { return fragmentColor(s.fragments(x, y), s.header().samples); });
}

Legend fragmentLegend(const CapturedSurface& s) {
  Legend l{"fragments per pixel, of " + std::to_string(s.header().samples) + " samples", {}};
  l.entries.push_back(entry(fragmentColor(0, 2), "clear"));
  for (uint32_t n = 1; n <= s.header().samples; ++n)
    l.entries.push_back(entry(fragmentColor(n, s.header().samples), std::to_string(n)));
  l.entries.back().label += ", and in expanded tiles";
  return l;
}

Picture tilePicture(const CapturedSurface& s) {
  return paint(s, [&](uint32_t x, uint32_t y) {
    Rgb c = tileColor(s, s.surface().tileOf(x, y));
    // Tile borders, nearer to grey.
    if (x % msaa::kTile == 0 || y % msaa::kTile == 0)
      for (uint8_t* v : {&c.r, &c.g, &c.b}) *v = uint8_t((*v * 4 + 128) / 5);
    return c;
  });
}

Legend tileLegend(const CapturedSurface& s) {
  Legend l{"states of tiles of 8x8 pixels", {entry(kClear, "clear")}};
  if (s.isDepthOrStencil()) {
    if (!s.format().isInteger())
      for (const PlaneColor& p : kPlanes) l.entries.push_back(entry(p.color, p.label));
  } else {
    l.entries.push_back(entry(kOne, "one fragment a pixel"));
    l.entries.push_back(entry(kGeneral, "general (masks)"));
  }
  l.entries.push_back(entry(kExpanded, "expanded (every sample)"));
  return l;
}

Legend coverageLegend(const CapturedSurface& s) {
  const uint32_t n = s.header().samples;
  return {"samples that differ from the clear colour",
          {entry({0, 0, 0}, "0"), entry({128, 128, 128}, std::to_string(n / 2)),
           entry({255, 255, 255}, "all " + std::to_string(n))}};
}

Picture coveragePicture(const CapturedSurface& s) {
  return paint(s, [&](uint32_t x, uint32_t y) {
    const uint8_t grey = byteOf(double(s.coveredSamples(x, y)) / s.header().samples);
    return Rgb{grey, grey, grey};
  });
}

Picture magnified(const Picture& p, uint32_t x0, uint32_t y0, uint32_t width, uint32_t height, uint32_t factor) {
  x0 = std::min(x0, p.width), y0 = std::min(y0, p.height);
  width = std::min(width, p.width - x0), height = std::min(height, p.height - y0);
  Picture out{width * factor, height * factor, {}};
  out.rgb.reserve(size_t{out.width} * out.height * 3);
  for (uint32_t y = 0; y < out.height; ++y)
    for (uint32_t x = 0; x < out.width; ++x) {
      const uint8_t* c = &p.rgb[(size_t{y0 + y / factor} * p.width + x0 + x / factor) * 3];
      out.rgb.insert(out.rgb.end(), c, c + 3);
    }
  return out;
}

bool writePng(const Picture& p, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = p.width, image.height = p.height;
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, p.rgb.data(), 0, nullptr);
}

}  // namespace inspect
