#include "report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "runtime/msaa/resolve.h"

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

const char* nameOf(TileState state) {
  switch (state) {
    case TileState::Clear: return "clear";
    case TileState::One: return "one fragment";
    case TileState::General: return "general";
    case TileState::Planes: return "planes";
    case TileState::Expanded: return "expanded";
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

/// How many pixels have how many fragments, and how many only part of their samples drawn.
std::string pixelCounts(const CapturedSurface& s) {
  const msaa::CaptureHeader& h = s.header();
  uint64_t counts[msaa::kMaxSamples + 1] = {}, partly = 0;
  for (uint32_t y = 0; y < h.height; ++y)
    for (uint32_t x = 0; x < h.width; ++x) {
      ++counts[s.fragments(x, y)];
      const uint32_t covered = s.coveredSamples(x, y);
      partly += covered != 0 && covered != h.samples;
    }
  const uint64_t pixels = uint64_t{h.width} * h.height;
  std::string out = "\npixels by number of fragments\n";
  for (uint32_t n = 0; n <= h.samples; ++n)
    if (counts[n]) out += text("  %2u %19" PRIu64 "  ", n, counts[n]) + share(counts[n], pixels) + "\n";
  return out + text("  partly covered %7" PRIu64 "  ", partly) + share(partly, pixels) + "\n";
}

/// Bytes of each kind of work, as Etzel moved them and as a surface that stores every sample would have.
std::string movedTable(const msaa::Traffic& t) {
  static constexpr const char* kNames[] = {"clear", "load", "draw", "copy", "resolve"};
  static_assert(std::size(kNames) == msaa::kWorkKinds);
  const auto row = [](const char* name, const msaa::Moved& m) {
    return text("  %-8s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %14" PRIu64 " %12" PRIu64 "\n", name,
                m.texelsRead, m.texelsWritten, m.metaRead, m.metaWritten, m.plainRead, m.plainWritten);
  };
  std::string out =
      "\nbytes moved in this frame\n"
      "                 texels                  tile records           every sample stored\n"
      "                 read      written         read      written           read      written\n";
  for (uint32_t i = 0; i < msaa::kWorkKinds; ++i)
    if (t.moved[i] != msaa::Moved{}) out += row(kNames[i], t.moved[i]);
  const msaa::Moved all = totalOf(t);
  return out + row("total", all) + "  " + bytes(all.all()) + " instead of " + bytes(all.plain()) + "  " +
         share(all.all(), all.plain()) + "\n";
}

}  // namespace

msaa::Moved totalOf(const msaa::Traffic& t) {
  msaa::Moved all;
  for (const msaa::Moved& m : t.moved) all += m;
  return all;
}

std::string report(const CapturedSurface& s) {
  const msaa::CaptureHeader& h = s.header();
  std::string out = text("frame %u, subpass %u, ", h.frame, h.pass);
  out += h.attachment == ~0u ? "depth/stencil attachment" : text("colour attachment %u", h.attachment);
  out += text(", layer %u: %ux%u, %u samples, %s\n", h.layer, h.width, h.height, h.samples, s.format().name);

  uint64_t states[5] = {}, stored = 0;
  for (uint32_t t = 0; t < s.tiles(); ++t) ++states[uint32_t(s.state(t))], stored += s.storedBytes(t);
  out += "\ntiles of 8x8 pixels\n";
  for (TileState k : {TileState::Clear, TileState::One, TileState::General, TileState::Planes, TileState::Expanded})
    if (s.isDepthOrStencil() ? k != TileState::One && k != TileState::General : k != TileState::Planes)
      out +=
          text("  %-13s %8" PRIu64 "  ", nameOf(k), states[uint32_t(k)]) + share(states[uint32_t(k)], s.tiles()) + "\n";
  if (!s.isDepthOrStencil()) out += pixelCounts(s);
  const uint64_t pixels = uint64_t{h.width} * h.height;
  const uint64_t plain = pixels * h.texelBytes * h.samples;
  out += "\nmemory\n  every sample stored  " + bytes(plain) + "\n  what the states use  " + bytes(stored) + "  " +
         share(stored, plain) + "\n  resident             " + bytes(h.residentBytes) + "  " +
         share(h.residentBytes, plain) + "\n";
  if (!s.isDepthOrStencil()) {
    const msaa::Reading reading = s.format().isInteger()           ? msaa::Reading::OneSample
                                  : msaa::isBytesUnorm(s.format()) ? msaa::Reading::Fragments
                                                                   : msaa::Reading::RowFragments;
    const msaa::Moved read = msaa::resolveTraffic(s.surface(), {0, 0, h.width, h.height}, reading);
    out += "\na resolve reads\n  every sample stored  " + bytes(read.plain()) + "\n  as it is             " +
           bytes(read.all()) + "  " + share(read.all(), read.plain()) + "\n";
  }
  return out + movedTable(h.traffic);
}

uint64_t storedBytes(const CapturedSurface& s) {
  uint64_t stored = 0;
  for (uint32_t t = 0; t < s.tiles(); ++t) stored += s.storedBytes(t);
  return stored;
}

std::string totals(const std::vector<SurfaceTotals>& surfaces) {
  SurfaceTotals sum{"all", 0, 0, 0, {}};
  std::string out =
      "bytes of each surface, in its last state of the frame\n"
      "                                        takes    plainly   resident      moved    plainly\n";
  const auto row = [](const SurfaceTotals& t) {
    return text("  %-33s %10s %10s %10s %10s %10s\n", t.name.c_str(), bytes(t.stored).c_str(), bytes(t.plain).c_str(),
                bytes(t.resident).c_str(), bytes(t.moved.all()).c_str(), bytes(t.moved.plain()).c_str());
  };
  for (const SurfaceTotals& t : surfaces) {
    out += row(t);
    sum.stored += t.stored, sum.plain += t.plain, sum.resident += t.resident, sum.moved += t.moved;
  }
  return out + row(sum) + "  takes " + share(sum.stored, sum.plain) + ", moves " +
         share(sum.moved.all(), sum.moved.plain()) + " of what storing every sample would\n";
}

std::string pixelTable(const CapturedSurface& s, uint32_t x, uint32_t y) {
  const msaa::CaptureHeader& h = s.header();
  if (x >= h.width || y >= h.height) return text("pixel (%u, %u) is outside of %ux%u\n", x, y, h.width, h.height);
  const FragmentSurface& f = s.surface();
  const uint32_t tile = f.tileOf(x, y);
  const FragmentMask mask = f ? f.maskAt(x, y) : msaa::identityMask(h.samples);
  std::string out = text("pixel (%u, %u): tile %u is %s", x, y, tile, nameOf(s.state(tile)));
  if (!s.isDepthOrStencil()) out += text(", %u fragments, mask 0x%0*" PRIx64, s.fragments(x, y), int(h.samples), mask);
  const bool color = !s.isDepthOrStencil();
  out += color ? "\nsample  fragment  value\n" : "\nsample  value\n";
  for (uint32_t k = 0; k < h.samples; ++k) {
    out += text("%6u  ", k);
    if (color) out += text("%8u  ", msaa::fragmentOf(mask, k, h.samples));
    out += colorText(s, s.sample(x, y, k)) + "\n";
  }
  return out;
}

}  // namespace inspect
