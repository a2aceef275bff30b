#include "report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace inspect {

using namespace etzel;

namespace {

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
  char buffer[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  return buffer;
}

std::string bytes(uint64_t n) {
  if (n >= 10 << 20) return text("%.1f MiB", double(n) / (1 << 20));
  if (n >= 10 << 10) return text("%.1f KiB", double(n) / (1 << 10));
  return text("%" PRIu64 " bytes", n);
}

const char* nameOf(TileKind kind) {
  switch (kind) {
    case TileKind::One:
      return "one fragment";
    case TileKind::Clear:
      return "clear";
    case TileKind::General:
      return "general";
    case TileKind::Expanded:
      return "expanded";
  }
  return "";
}

std::string colorText(const CapturedSurface& s, const Color& c) {
  const uint32_t channels = s.isDepthOrStencil() ? 1 : std::max<uint32_t>(s.format().components(), 1);
  std::string out;
  for (uint32_t i = 0; i < channels; ++i)
    out += text(s.format().isInteger() ? "%s%.0f" : "%s%.6g", i ? ", " : "", c.c[i]);
  return out;
}

std::string share(uint64_t part, uint64_t whole) { return text("%5.1f %%", whole ? 100.0 * part / whole : 0); }

}  // namespace

std::string report(const CapturedSurface& s) {
  const msaa::CaptureHeader& h = s.header();
  std::string out = text("frame %u, subpass %u, ", h.frame, h.pass);
  out += h.attachment == ~0u ? "depth/stencil attachment" : text("colour attachment %u", h.attachment);
  out += text(", layer %u: %ux%u, %u samples, %s\n", h.layer, h.width, h.height, h.samples, s.format().name);

  uint64_t kinds[4] = {}, stored = 0;
  for (uint32_t t = 0; t < s.tiles(); ++t) ++kinds[uint32_t(s.kind(t))], stored += s.storedBytes(t);
  out += "\ntiles of 8x8 pixels\n";
  for (TileKind k : {TileKind::Clear, TileKind::One, TileKind::General, TileKind::Expanded})
    out += text("  %-13s %8" PRIu64 "  ", nameOf(k), kinds[uint32_t(k)]) + share(kinds[uint32_t(k)], s.tiles()) + "\n";

  uint64_t counts[msaa::kMaxSamples + 1] = {}, partly = 0;
  for (uint32_t y = 0; y < h.height; ++y)
    for (uint32_t x = 0; x < h.width; ++x) {
      ++counts[s.fragments(x, y)];
      const uint32_t covered = s.coveredSamples(x, y);
      partly += covered != 0 && covered != h.samples;
    }
  const uint64_t pixels = uint64_t{h.width} * h.height;
  out += "\npixels by number of fragments\n";
  for (uint32_t n = 0; n <= h.samples; ++n)
    if (counts[n]) out += text("  %2u %19" PRIu64 "  ", n, counts[n]) + share(counts[n], pixels) + "\n";
  out += text("  partly covered %7" PRIu64 "  ", partly) + share(partly, pixels) + "\n";

  const uint64_t plain = pixels * h.texelBytes * h.samples;
  out += "\nmemory\n  every sample stored  " + bytes(plain) + "\n  what the states use  " + bytes(stored) + "  " +
         share(stored, plain) + "\n  resident             " + bytes(h.residentBytes) + "  " +
         share(h.residentBytes, plain) + "\n";
  if (h.bytesMovedPlain)
    out += "\nmoved by this subpass's colour writes\n  every sample stored  " + bytes(h.bytesMovedPlain) +
           "\n  as it was            " + bytes(h.bytesMoved) + "  " + share(h.bytesMoved, h.bytesMovedPlain) + "\n";
  return out;
}

std::string pixelTable(const CapturedSurface& s, uint32_t x, uint32_t y) {
  const msaa::CaptureHeader& h = s.header();
  if (x >= h.width || y >= h.height) return text("pixel (%u, %u) is outside of %ux%u\n", x, y, h.width, h.height);
  const FragmentSurface& f = s.surface();
  const uint32_t tile = f.tileOf(x, y);
  const FragmentMask mask = f ? f.maskAt(x, y) : msaa::identityMask(h.samples);
  std::string out = text("pixel (%u, %u): tile %u is %s, %u fragments, mask 0x%0*" PRIx64 "\n", x, y, tile,
                         nameOf(s.kind(tile)), s.fragments(x, y), int(h.samples), mask);
  out += "sample  fragment  value\n";
  for (uint32_t k = 0; k < h.samples; ++k)
    out += text("%6u  %8u  ", k, msaa::fragmentOf(mask, k, h.samples)) + colorText(s, s.sample(x, y, k)) + "\n";
  return out;
}

}  // namespace inspect
