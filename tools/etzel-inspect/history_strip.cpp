// A history as a strip of pictures: the samples of the pixel after each event.
#include <algorithm>
#include <cmath>

#include "canvas.h"
#include "history.h"

namespace inspect {
namespace {

constexpr uint32_t kCell = 48, kGap = 6, kNames = 20 * kAdvance;

struct Rgb {
  uint8_t r, g, b;
};

/// `counts`: the format is one of integers.
uint8_t byteOf(const Json& v, bool counts) {
  if (counts) return uint8_t(v.get<int64_t>() & 255);
  const double number = v.is_number() ? v.get<double>() : 0;
  return uint8_t(std::lrint(std::clamp(number, 0.0, 1.0) * 255));
}

/// One component is grey.
Rgb colorOf(const Json& components, bool counts) {
  const uint8_t r = byteOf(components.at(0), counts);
  if (components.size() == 1) return {r, r, r};
  return {r, byteOf(components[1], counts), components.size() > 2 ? byteOf(components[2], counts) : uint8_t{0}};
}

/// Samples as squares, row by row, as many side by side as fit a square best.
void paint(Canvas& canvas, uint32_t x, uint32_t y, const Json& image) {
  const Json& samples = image["after"];
  const bool counts = image.value("format", "").find("INT") != std::string::npos;
  const auto count = uint32_t(samples.size());
  uint32_t columns = 1;
  while (columns * columns < count) columns *= 2;
  const uint32_t rows = count ? (count + columns - 1) / columns : 1, side = kCell / columns;
  canvas.fill(x, y, columns * side + 1, rows * side + 1, kInk, kInk, kInk);
  for (uint32_t s = 0; s < count; ++s) {
    const Rgb c = colorOf(samples[s], counts);
    canvas.fill(x + s % columns * side + 1, y + s / columns * side + 1, side - 1, side - 1, c.r, c.g, c.b);
  }
}

std::string rowOf(const Json& image) {
  const std::string attachment = image.value("attachment", ""), name = image.value("image", "");
  return attachment.empty() || attachment == "resolve" ? name : attachment + " " + name;
}

}  // namespace

Picture historyStrip(const std::vector<Json>& events) {
  std::vector<std::string> rows;
  for (const Json& event : events)
    for (const Json& image : event["images"])
      if (std::find(rows.begin(), rows.end(), rowOf(image)) == rows.end()) rows.push_back(rowOf(image));
  const uint32_t width = kNames + uint32_t(events.size()) * (kCell + kGap) + kGap;
  Canvas canvas(width, kLine + uint32_t(rows.size()) * (kCell + kGap) + kGap);
  for (size_t r = 0; r < rows.size(); ++r)
    canvas.write(4, kLine + uint32_t(r) * (kCell + kGap) + kCell / 2 - 4, rows[r].substr(0, kNames / kAdvance - 1));
  for (size_t e = 0; e < events.size(); ++e) {
    const uint32_t x = kNames + uint32_t(e) * (kCell + kGap);
    canvas.write(x, 3, events[e]["number"].dump());
    for (const Json& image : events[e]["images"]) {
      const auto row = uint32_t(std::find(rows.begin(), rows.end(), rowOf(image)) - rows.begin());
      paint(canvas, x, kLine + row * (kCell + kGap), image);
    }
  }
  return canvas.take();
}

}  // namespace inspect
