#include "raster/attachment/resolve_job.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "runtime/base/assert.h"
#include "runtime/format/transfer_function.h"
#include "runtime/msaa/resolve.h"
#include "runtime/msaa/traffic.h"

namespace etzel::raster {
namespace {

constexpr uint32_t kChunk = 64;  ///< pixels that are decoded together

using Kind = ResolveJob::Kind;

float floatOf(uint32_t w) { return std::bit_cast<float>(w); }

void resolveRow(const ResolveJob& j, const Surface& from, uint32_t x0, uint32_t x1, uint32_t y, uint32_t layer) {
  const msaa::FragmentSurface source = from.fragments(layer);
  std::byte* out = j.destination.at(x0, y, layer, 0);
  if (j.kind == Kind::Copy && from.depthTiles) return from.depth(layer).readRow(x0, y, x1 - x0, 0, out);
  if (j.kind == Kind::Copy) return source.readRow(x0, y, x1 - x0, 0, out);
  format::Texel total[kChunk], texel[kChunk];
  for (uint32_t x = x0; x < x1; x += kChunk) {
    uint32_t count = std::min(kChunk, x1 - x);
    if (j.kind == Kind::AverageFloat) {
      msaa::averageFloats(source, j.decode, x, y, count, total);
      j.encode(total, j.destination.at(x, y, layer, 0), count);
      continue;
    }
    j.decode(from.at(x, y, layer, 0), total, count);  // minimum and maximum: depth and stencil, plain planes
    for (uint32_t s = 1; s < from.samples; ++s) {
      j.decode(from.at(x, y, layer, s), texel, count);
      for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t c = 0; c < 4; ++c) {
          uint32_t &a = total[i].word[c], b = texel[i].word[c];
          switch (j.kind) {
            case Kind::Minimum: a = floatOf(b) < floatOf(a) ? b : a; break;
            case Kind::Maximum: a = floatOf(b) > floatOf(a) ? b : a; break;
            case Kind::StencilMinimum: a = std::min(a, b); break;
            default: a = std::max(a, b); break;
          }
        }
      }
    }
    j.encode(total, j.destination.at(x, y, layer, 0), count);
  }
}

void countResolve(const ResolveJob& j, const msaa::Rect& area, uint32_t layer) {
  using msaa::Reading;
  const Reading reading = j.kind == Kind::Copy           ? Reading::OneSample
                          : j.kind == Kind::AverageBytes ? Reading::Fragments
                                                         : Reading::RowFragments;
  const msaa::Moved moved = j.source.depthFormat != msaa::DepthFormat::None || j.source.depthTiles
                                ? msaa::resolveTraffic(j.source.depth(layer), area, reading)
                                : msaa::resolveTraffic(j.source.fragments(layer), area, reading);
  msaa::addTraffic(j.source.at(0, 0, layer, 0), msaa::Work::Resolve, moved);
}

/// What a colour attachment's samples are averaged as.
VkFormat averagedAs(const tex::ImageView& view, bool skipTransferFunction) {
  return skipTransferFunction ? format::codesOf(view.format) : view.format;
}

Kind kindOf(const AttachmentResolve& resolve) {
  const tex::ImageView &source = *resolve.from, &destination = *resolve.to;
  const VkImageAspectFlagBits aspect = resolve.aspect;
  const VkResolveModeFlagBits mode = resolve.mode;
  bool same = source.plane->format == destination.plane->format || source.format == destination.format;
  if (aspect & VK_IMAGE_ASPECT_STENCIL_BIT) {
    if (mode == VK_RESOLVE_MODE_MIN_BIT) return Kind::StencilMinimum;
    return mode == VK_RESOLVE_MODE_MAX_BIT ? Kind::StencilMaximum : Kind::Copy;
  }
  if (source.samples <= 1 && same) return Kind::Copy;
  if (mode == VK_RESOLVE_MODE_MIN_BIT) return Kind::Minimum;
  if (mode == VK_RESOLVE_MODE_MAX_BIT) return Kind::Maximum;
  bool color = !(aspect & VK_IMAGE_ASPECT_DEPTH_BIT);
  // Integer formats have no average: sample 0 ("VkResolveModeFlagBits").
  if (mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT || (color && source.info && source.info->isInteger())) return Kind::Copy;
  const format::FormatInfo* info = format::find(averagedAs(source, resolve.skipTransferFunction));
  if (color && same && info && msaa::isBytesUnorm(*info)) return Kind::AverageBytes;
  return Kind::AverageFloat;
}

}  // namespace

ResolveJob prepareResolve(const AttachmentResolve& resolve, const VkRect2D& area, uint32_t layers, uint32_t viewMask) {
  const tex::ImageView &source = *resolve.from, &destination = *resolve.to;
  ResolveJob j;
  j.source = surfaceOf(&source), j.destination = surfaceOf(&destination);
  j.layers = layers, j.viewMask = viewMask;
  if (!j.source || !j.destination || resolve.mode == VK_RESOLVE_MODE_NONE) return j;
  const bool color = !(resolve.aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT));
  const bool skip = resolve.skipTransferFunction;
  j.decode = format::decoder(color ? averagedAs(source, skip) : source.plane->format);
  j.encode = format::encoder(color ? averagedAs(destination, skip) : destination.plane->format);
  j.kind = kindOf(resolve);
  if (j.kind != Kind::Copy && j.kind != Kind::AverageBytes && (!j.decode || !j.encode)) return j;
  if (j.source.texelBytes != j.destination.texelBytes && j.kind <= Kind::AverageBytes) return j;
  auto bound = [](int64_t v, uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(std::clamp<int64_t>(v, 0, std::min(a, b)));
  };
  j.x0 = bound(area.offset.x, j.source.width, j.destination.width);
  j.x1 = bound(int64_t(area.offset.x) + area.extent.width, j.source.width, j.destination.width);
  j.y0 = bound(area.offset.y, j.source.height, j.destination.height);
  j.y1 = bound(int64_t(area.offset.y) + area.extent.height, j.source.height, j.destination.height);
  return j;
}

void resolveRect(const ResolveJob& j, const Surface& source, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                 uint32_t layer) {
  ETZEL_ASSERT((y0 % 8 == 0 || y0 == j.y0) && (y1 % 8 == 0 || y1 == j.y1));
  // What is not a copy works on texels.
  if (j.kind != Kind::Copy) source.depth(layer).expandShared(x0, y0, x1, y1);
  j.destination.depth(layer).expandShared(x0, y0, x1, y1);
  if (j.kind == Kind::AverageBytes)
    return msaa::averageBytes(source.fragments(layer), x0, y0, x1 - x0, y1 - y0, j.destination.at(x0, y0, layer, 0),
                              j.destination.rowPitch);
  for (uint32_t y = y0; y < y1; ++y) resolveRow(j, source, x0, x1, y, layer);
}

void resolveAttachment(task::Pool* pool, const AttachmentResolve& resolve, const VkRect2D& area, uint32_t layers,
                       uint32_t viewMask) {
  const ResolveJob j = prepareResolve(resolve, area, layers, viewMask);
  if (j.empty()) return;
  std::vector<uint32_t> list;
  for (uint32_t i = 0; i < (viewMask ? 32 : layers); ++i)
    if (j.hasLayer(i)) list.push_back(i);
  if (j.source.samples > 1 && msaa::countsTraffic())
    for (uint32_t layer : list) countResolve(j, {j.x0, j.y0, j.x1, j.y1}, layer);
  constexpr uint32_t kStripRows = 32;
  const uint32_t firstRow = j.y0 / kStripRows * kStripRows;
  const uint32_t strips = divideUp(j.y1 - firstRow, kStripRows);
  auto strip = [&](uint32_t index, uint32_t) {
    // Strips end between tiles.
    const uint32_t from = std::max(j.y0, firstRow + index % strips * kStripRows);
    const uint32_t to = std::min(firstRow + (index % strips + 1) * kStripRows, j.y1);
    resolveRect(j, j.source, j.x0, from, j.x1, to, list[index / strips]);
  };
  uint32_t count = static_cast<uint32_t>(list.size()) * strips;
  if (pool && pool->threads() > 1 && uint64_t(j.x1 - j.x0) * (j.y1 - j.y0) * list.size() >= 64 * 1024) {
    pool->parallelFor(count, strip);
  } else {
    for (uint32_t i = 0; i < count; ++i) strip(i, 0);
  }
}

}  // namespace etzel::raster
