#include "legend.h"

#include <algorithm>

#include "canvas.h"

namespace inspect {

namespace {

constexpr uint32_t kMargin = 6, kSwatch = 8;

/// Surface pixels between two labels: at least `room` picture pixels, a power of two.
uint32_t tickStep(uint32_t room, uint32_t zoom) {
  uint32_t step = 1;
  while (step * zoom < room) step *= 2;
  return step;
}

}  // namespace

Picture framed(const Picture& p, const Legend& legend, uint32_t x0, uint32_t y0, uint32_t zoom) {
  const uint32_t digits = uint32_t(std::to_string(y0 + p.height / zoom).size());
  const uint32_t left = digits * kAdvance + kMargin, top = kLine + 4;
  const uint32_t width = std::max(left + p.width, left + widthOf(legend.caption)) + 2 * kMargin;
  // Entries flow in lines.
  struct Place {
    uint32_t x, line;
  };
  std::vector<Place> places;
  uint32_t x = left, line = 0;
  for (const LegendEntry& e : legend.entries) {
    const uint32_t wide = kSwatch + 4 + widthOf(e.label) + 2 * kAdvance;
    if (x > left && x + wide > width) x = left, ++line;
    places.push_back({x, line});
    x += wide;
  }
  const uint32_t below = top + p.height + kMargin;
  Canvas canvas(width, below + kLine + (legend.entries.empty() ? 0 : (line + 1) * kLine) + 2);
  canvas.fill(left - 1, top - 1, p.width + 2, p.height + 2, kInk, kInk, kInk);
  canvas.draw(p, left, top);
  const uint32_t stepX = tickStep(48, zoom), stepY = tickStep(32, zoom);
  for (uint32_t at = (x0 + stepX - 1) / stepX * stepX; (at - x0) * zoom < p.width; at += stepX) {
    const uint32_t to = left + (at - x0) * zoom;
    canvas.fill(to, top - 4, 1, 3, kInk, kInk, kInk);
    canvas.write(to, 3, std::to_string(at));
  }
  for (uint32_t at = (y0 + stepY - 1) / stepY * stepY; (at - y0) * zoom < p.height; at += stepY) {
    const uint32_t to = top + (at - y0) * zoom;
    const std::string label = std::to_string(at);
    canvas.fill(left - 4, to, 3, 1, kInk, kInk, kInk);
    canvas.write(left - 5 - widthOf(label), to, label);
  }
  canvas.write(left, below, legend.caption);
  for (size_t i = 0; i < places.size(); ++i) {
    const LegendEntry& e = legend.entries[i];
    const uint32_t y = below + (places[i].line + 1) * kLine;
    canvas.fill(places[i].x, y - 1, kSwatch + 2, kSwatch + 2, kInk, kInk, kInk);
    canvas.fill(places[i].x + 1, y, kSwatch, kSwatch, e.r, e.g, e.b);
    canvas.write(places[i].x + kSwatch + 5, y, e.label);
  }
  return canvas.take();
}

}  // namespace inspect
