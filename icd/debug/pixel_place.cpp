#include "icd/debug/pixel_place.h"

#include <algorithm>

#include "icd/debug/numbers.h"

namespace etzel::icd {
namespace {

constexpr std::string_view kIdBegins = "pixel:", kMaskOf = "mask of ";

std::string withoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ') out += c;
  return out;
}

/// "color 0, image 1" is image 1, whatever it is attached as.
bool isNamed(const TouchedImage& image, const std::string& subject) {
  if (subject.empty() || subject == image.attachment || subject == image.name) return true;
  if (subject == "image " + std::to_string(image.image)) return true;
  return subject.ends_with(", " + image.name);
}

}  // namespace

std::string PixelPlace::id() const {
  std::string out(kIdBegins);
  for (const uint32_t n : {x, y, layer, sample.value_or(raster::kMaxSamples), uint32_t{mask}})
    out += std::to_string(n) + ':';
  return out + subject;
}

std::optional<PixelPlace> PixelPlace::read(const std::string& id) {
  if (!id.starts_with(kIdBegins)) return {};
  size_t end = kIdBegins.size() - 1;
  for (int i = 0; i < 5 && end != std::string::npos; ++i) end = id.find(':', end + 1);
  if (end == std::string::npos) return {};
  const auto numbers = numbersIn<uint32_t>(std::string_view(id).substr(0, end).substr(kIdBegins.size()), ':');
  if (!numbers || numbers->size() != 5) return {};
  const std::vector<uint32_t>& n = *numbers;
  PixelPlace place{n[0], n[1], n[2], id.substr(end + 1), {}, n[4] != 0};
  if (n[3] < raster::kMaxSamples) place.sample = n[3];
  return place;
}

Result<PixelPlace> PixelPlace::named(const std::string& text) {
  const auto wrong = [&](const char* what) { return Error{ErrorCode::InvalidArgument, "'" + text + "': " + what}; };
  const size_t open = text.rfind('(');
  if (open == std::string::npos || !text.ends_with(')')) return wrong("a name and a pixel are expected: color 0(3, 4)");
  const auto numbers =
      numbersIn<uint32_t>(withoutBlanks(std::string_view(text).substr(open + 1, text.size() - open - 2)), ',');
  if (!numbers || numbers->size() < 2 || numbers->size() > 3) return wrong("x, y and perhaps a sample are expected");
  PixelPlace place{(*numbers)[0], (*numbers)[1], 0, text.substr(0, open), {}, false};
  if (numbers->size() == 3) place.sample = (*numbers)[2];
  if (place.sample && *place.sample >= raster::kMaxSamples) return wrong("there is no such sample");
  if (place.subject == "mask" || place.subject.starts_with(kMaskOf)) {
    if (place.sample) return wrong("a mask is of all samples");
    place.subject.erase(0, std::min(kMaskOf.size(), place.subject.size()));
    place.mask = true;
  }
  if (place.subject == "pixel") place.subject.clear();
  return place;
}

std::string PixelPlace::description() const {
  std::string out = mask ? "the fragment mask" : sample ? "sample " + std::to_string(*sample) : "what is written";
  if (!subject.empty()) out += " of " + subject;
  out += " at pixel (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  if (layer) out += ", layer " + std::to_string(layer);
  return out;
}

bool PixelPlace::isWritten(const TouchedImage& image) const {
  if (!isNamed(image, subject)) return false;
  if (mask) return maskChanged(image);
  if (!image.written || !image.writtenSamples) return false;
  return !sample || image.before.samples <= 1 || image.writtenSamples >> *sample & 1;
}

bool PixelPlace::isSamePixel(const HistorySubject& subject) const {
  return subject.x == x && subject.y == y && subject.layer == layer;
}

bool maskChanged(const TouchedImage& image) {
  const bool hasMask = image.aspect == VK_IMAGE_ASPECT_COLOR_BIT && image.before.samples > 1;
  return hasMask && image.before.mask != image.after.mask;
}

}  // namespace etzel::icd
