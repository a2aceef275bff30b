// Scaled copies with format conversion ("Image Copies With Scaling") and resolves ("Resolving Multisample Images").
#include <cmath>
#include <cstring>

#include "runtime/format/convert.h"
#include "runtime/msaa/resolve.h"
#include "runtime/msaa/traffic.h"
#include "runtime/transfer/texel_rows.h"

namespace etzel::transfer {
namespace {

using format::Texel;

/// One axis of a blit: maps destination texel centres to source coordinates.
struct Axis {
  int32_t begin, end;    ///< destination texels, clipped
  double origin, scale;  ///< source = origin + (destination + 0.5) * scale
  int32_t limit;         ///< source texels

  Axis(int32_t s0, int32_t s1, int32_t d0, int32_t d1, uint32_t sourceSize, uint32_t destinationSize) {
    begin = std::clamp(std::min(d0, d1), 0, static_cast<int32_t>(destinationSize));
    end = std::clamp(std::max(d0, d1), 0, static_cast<int32_t>(destinationSize));
    scale = d1 == d0 ? 0 : static_cast<double>(s1 - s0) / (d1 - d0);
    origin = s0 - d0 * scale;
    limit = static_cast<int32_t>(sourceSize);
  }
  uint32_t count() const { return static_cast<uint32_t>(end - begin); }
  double at(int32_t d) const { return origin + (d + 0.5) * scale; }
  uint32_t clampToEdge(int32_t s) const { return static_cast<uint32_t>(std::clamp(s, 0, limit - 1)); }
  uint32_t nearest(int32_t d) const { return clampToEdge(static_cast<int32_t>(std::floor(at(d)))); }

  struct Pair {
    uint32_t first, second;
    float weight;  ///< of the second
  };
  Pair linear(int32_t d) const {
    const double s = at(d) - 0.5, base = std::floor(s);
    const int32_t i = static_cast<int32_t>(base);
    return {clampToEdge(i), clampToEdge(i + 1), static_cast<float>(s - base)};
  }
};

struct Blit {
  const Image& source;
  const mem::PlaneLayout& sp;
  uint32_t sMip, sLayer;
  const Image& destination;
  const mem::PlaneLayout& dp;
  uint32_t dMip, dLayer;
  Axis x, y, z;
  bool linear, sameFormat;

  std::byte* destinationRow(uint32_t layer, int32_t dy, int32_t dz) const {
    return destination.memory +
           destination.layout->texelOffset(dp, dMip, dLayer + layer, 0, static_cast<uint32_t>(x.begin), dy, dz);
  }
};

/// Nearest without conversion: texels move as bytes.
void blitBytes(const Blit& b, uint32_t layer, int32_t dy, int32_t dz, const std::vector<uint32_t>& columns) {
  const std::byte* from = b.source.memory + b.source.layout->texelOffset(b.sp, b.sMip, b.sLayer + layer, 0, 0,
                                                                         b.y.nearest(dy), b.z.nearest(dz));
  std::byte* to = b.destinationRow(layer, dy, dz);
  const uint32_t bytes = b.sp.blockBytes;
  for (uint32_t column : columns) {
    std::memcpy(to, from + size_t{column} * bytes, bytes);
    to += bytes;
  }
}

void blitLinearRow(const Blit& b, TexelRows& rows, uint32_t layer, int32_t dy, int32_t dz,
                   const std::vector<Axis::Pair>& columns, Texel* out) {
  const Axis::Pair py = b.y.linear(dy), pz = b.z.linear(dz);
  // With one slice the weight along z has no effect; reading two rows instead of four is only quicker.
  const bool deep = pz.first != pz.second;
  const Texel* row[4];
  row[0] = rows.row(b.sLayer + layer, 0, py.first, pz.first);
  row[1] = rows.row(b.sLayer + layer, 0, py.second, pz.first);
  row[2] = deep ? rows.row(b.sLayer + layer, 0, py.first, pz.second) : row[0];
  row[3] = deep ? rows.row(b.sLayer + layer, 0, py.second, pz.second) : row[1];
  for (size_t i = 0; i < columns.size(); ++i) {
    const Axis::Pair& px = columns[i];
    for (int c = 0; c < 4; ++c) {
      float line[4];
      for (int k = 0; k < (deep ? 4 : 2); ++k) {
        const float a = format::bitsToFloat(row[k][px.first].word[c]);
        const float e = format::bitsToFloat(row[k][px.second].word[c]);
        line[k] = a * (1 - px.weight) + e * px.weight;
      }
      float value = line[0] * (1 - py.weight) + line[1] * py.weight;
      if (deep) value = value * (1 - pz.weight) + (line[2] * (1 - py.weight) + line[3] * py.weight) * pz.weight;
      out[i].word[c] = format::floatToBits(value);
    }
  }
}

/// Integer blits keep values that both sides can hold; a sign change between Uint and Sint saturates at zero or the
/// greatest positive number.
void convertSign(format::Numeric from, format::Numeric to, Texel* texels, size_t count) {
  if (from == to || (from != format::Numeric::Uint && from != format::Numeric::Sint)) return;
  for (size_t i = 0; i < count; ++i)
    for (uint32_t& w : texels[i].word)
      if (w >> 31) w = from == format::Numeric::Sint ? 0 : 0x7FFFFFFFu;
}

void blitPlane(task::Pool* pool, const Blit& b, uint32_t layers) {
  const format::EncodeFn encode = format::encoder(b.dp.format);
  if (!encode || b.x.count() == 0) return;
  const format::Numeric from = format::find(b.sp.format)->numeric, to = format::find(b.dp.format)->numeric;
  const uint32_t perLayer = b.y.count() * b.z.count();
  splitRows(pool, perLayer * layers, uint64_t{b.x.count()} * 64, [&](uint32_t first, uint32_t last) {
    TexelRows rows(b.source, b.sp, b.sMip);
    std::vector<uint32_t> nearest;
    std::vector<Axis::Pair> pairs;
    for (int32_t x = b.x.begin; x < b.x.end; ++x)
      if (b.linear)
        pairs.push_back(b.x.linear(x));
      else
        nearest.push_back(b.x.nearest(x));
    std::vector<Texel> out(b.x.count());
    for (uint32_t i = first; i < last; ++i) {
      const uint32_t layer = i / perLayer;
      const int32_t dy = b.y.begin + static_cast<int32_t>(i % perLayer % b.y.count());
      const int32_t dz = b.z.begin + static_cast<int32_t>(i % perLayer / b.y.count());
      if (!b.linear && b.sameFormat) {
        blitBytes(b, layer, dy, dz, nearest);
        continue;
      }
      if (b.linear) {
        blitLinearRow(b, rows, layer, dy, dz, pairs, out.data());
      } else {
        const Texel* row = rows.row(b.sLayer + layer, 0, b.y.nearest(dy), b.z.nearest(dz));
        for (size_t k = 0; k < out.size(); ++k) out[k] = row[nearest[k]];
        convertSign(from, to, out.data(), out.size());
      }
      encode(out.data(), b.destinationRow(layer, dy, dz), out.size());
    }
  });
}

}  // namespace

/// A blit between equal formats that neither scales nor mirrors nor leaves an image is a copy, and much faster as one.
static bool copyInstead(task::Pool* pool, const Image& source, const Image& destination, const VkImageBlit2& r) {
  if (source.layout->format != destination.layout->format || source.layout->type != destination.layout->type)
    return false;
  const mem::MipLayout& sm = source.layout->plane[0].mip[r.srcSubresource.mipLevel];
  const mem::MipLayout& dm = destination.layout->plane[0].mip[r.dstSubresource.mipLevel];
  const auto fits = [](int32_t s0, int32_t s1, int32_t d0, int32_t d1, uint32_t sourceSize, uint32_t destinationSize) {
    return s1 > s0 && s1 - s0 == d1 - d0 && s0 >= 0 && d0 >= 0 && static_cast<uint32_t>(s1) <= sourceSize &&
           static_cast<uint32_t>(d1) <= destinationSize;
  };
  const VkOffset3D *s = r.srcOffsets, *d = r.dstOffsets;
  if (!fits(s[0].x, s[1].x, d[0].x, d[1].x, sm.width, dm.width) ||
      !fits(s[0].y, s[1].y, d[0].y, d[1].y, sm.height, dm.height) ||
      !fits(s[0].z, s[1].z, d[0].z, d[1].z, sm.depth, dm.depth))
    return false;
  VkImageCopy2 copy{VK_STRUCTURE_TYPE_IMAGE_COPY_2};
  copy.srcSubresource = r.srcSubresource;
  copy.srcOffset = s[0];
  copy.dstSubresource = r.dstSubresource;
  copy.dstOffset = d[0];
  copy.extent = {static_cast<uint32_t>(s[1].x - s[0].x), static_cast<uint32_t>(s[1].y - s[0].y),
                 static_cast<uint32_t>(s[1].z - s[0].z)};
  copyImage(pool, source, destination, copy);
  return true;
}

void blitImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageBlit2& r,
               VkFilter filter) {
  const VkImageSubresourceLayers &s = r.srcSubresource, &d = r.dstSubresource;
  if (s.mipLevel >= source.layout->mipLevels || d.mipLevel >= destination.layout->mipLevels) return;
  if (copyInstead(pool, source, destination, r)) return;
  const uint32_t layers = std::min(layerCountOf(source, s.baseArrayLayer, s.layerCount),
                                   layerCountOf(destination, d.baseArrayLayer, d.layerCount));
  for (uint32_t bit = 0; bit < 8; ++bit) {
    const VkImageAspectFlags aspect = s.aspectMask & 1u << bit;
    if (!aspect) continue;
    const mem::PlaneLayout &sp = source.layout->planeOf(aspect), &dp = destination.layout->planeOf(aspect);
    const mem::MipLayout &sm = sp.mip[s.mipLevel], &dm = dp.mip[d.mipLevel];
    const format::FormatInfo& info = *format::find(sp.format);
    const bool linear = filter == VK_FILTER_LINEAR && info.isColor() && !info.isInteger();
    const Blit blit{
        source,
        sp,
        s.mipLevel,
        s.baseArrayLayer,
        destination,
        dp,
        d.mipLevel,
        d.baseArrayLayer,
        Axis(r.srcOffsets[0].x, r.srcOffsets[1].x, r.dstOffsets[0].x, r.dstOffsets[1].x, sm.width, dm.width),
        Axis(r.srcOffsets[0].y, r.srcOffsets[1].y, r.dstOffsets[0].y, r.dstOffsets[1].y, sm.height, dm.height),
        Axis(r.srcOffsets[0].z, r.srcOffsets[1].z, r.dstOffsets[0].z, r.dstOffsets[1].z, sm.depth, dm.depth),
        linear,
        sp.format == dp.format && sp.blockWidth == 1};
    expandTiles(source, sp, s.baseArrayLayer, layers, 0, 0, sm.width, sm.height);
    expandTiles(destination, dp, d.baseArrayLayer, layers, 0, 0, dm.width, dm.height);
    blitPlane(pool, blit, layers);
  }
}

void resolveImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageResolve2& r) {
  const VkImageSubresourceLayers &s = r.srcSubresource, &d = r.dstSubresource;
  if (s.mipLevel >= source.layout->mipLevels || d.mipLevel >= destination.layout->mipLevels) return;
  const mem::PlaneLayout &sp = source.layout->planeOf(s.aspectMask), &dp = destination.layout->planeOf(d.aspectMask);
  const mem::MipLayout &sm = sp.mip[s.mipLevel], &dm = dp.mip[d.mipLevel];
  const format::FormatInfo& info = *format::find(sp.format);
  const format::EncodeFn encode = format::encoder(dp.format);
  if (!encode) return;
  const uint32_t width = std::min(clipExtent(r.srcOffset.x, r.extent.width, sm.width),
                                  clipExtent(r.dstOffset.x, r.extent.width, dm.width));
  const uint32_t height = std::min(clipExtent(r.srcOffset.y, r.extent.height, sm.height),
                                   clipExtent(r.dstOffset.y, r.extent.height, dm.height));
  // A 3D destination takes its slice from dstOffset.z; multisampled images are 2D.
  const uint32_t layers = is3D(destination) ? 1
                                            : std::min(layerCountOf(source, s.baseArrayLayer, s.layerCount),
                                                       layerCountOf(destination, d.baseArrayLayer, d.layerCount));
  const uint32_t samples = source.layout->samples;
  const bool average = info.isColor() && !info.isInteger() && samples > 1;
  const bool sameFormat = sp.format == dp.format;
  const format::DecodeFn decode = format::decoder(sp.format);
  if (!decode || width == 0 || height == 0) return;
  expandTiles(destination, dp, d.baseArrayLayer, layers, static_cast<uint32_t>(r.dstOffset.x),
              static_cast<uint32_t>(r.dstOffset.y), width, height);
  auto outAt = [&](uint32_t layer, uint32_t row) {
    return destination.memory + destination.layout->texelOffset(dp, d.mipLevel, d.baseArrayLayer + layer, 0,
                                                                r.dstOffset.x, r.dstOffset.y + row, r.dstOffset.z);
  };
  if (samples > 1 && msaa::countsTraffic()) {
    const uint32_t x = static_cast<uint32_t>(r.srcOffset.x), y = static_cast<uint32_t>(r.srcOffset.y);
    const msaa::Rect area = {x, y, x + width, y + height};
    const msaa::Reading reading = !average                                 ? msaa::Reading::OneSample
                                  : sameFormat && msaa::isBytesUnorm(info) ? msaa::Reading::Fragments
                                                                           : msaa::Reading::EverySample;
    for (uint32_t i = 0; i < layers; ++i) {
      const msaa::FragmentSurface color(*source.layout, sp, source.memory, s.baseArrayLayer + i);
      const msaa::DepthSurface depth(*source.layout, sp, source.memory, s.baseArrayLayer + i);
      msaa::addTraffic(
          color.texels, msaa::Work::Resolve,
          info.isColor() ? msaa::resolveTraffic(color, area, reading) : msaa::resolveTraffic(depth, area, reading));
    }
  }
  if (average && sameFormat && msaa::isBytesUnorm(info)) {
    // Rows of tiles: strips end between them.
    const uint32_t x = static_cast<uint32_t>(r.srcOffset.x), y = static_cast<uint32_t>(r.srcOffset.y);
    const uint32_t firstTile = y / msaa::kTile, tiles = (y + height - 1) / msaa::kTile + 1 - firstTile;
    splitRows(pool, tiles * layers, uint64_t{width} * sp.blockBytes * 2 * msaa::kTile,
              [&](uint32_t first, uint32_t last) {
                for (uint32_t i = first; i < last; ++i) {
                  const uint32_t layer = i / tiles, from = std::max(y, (firstTile + i % tiles) * msaa::kTile);
                  const uint32_t to = std::min(y + height, (firstTile + i % tiles + 1) * msaa::kTile);
                  msaa::averageBytes({*source.layout, sp, source.memory, s.baseArrayLayer + layer}, x, from, width,
                                     to - from, outAt(layer, from - y), dm.rowPitch);
                }
              });
    return;
  }
  splitRows(pool, height * layers, uint64_t{width} * 16 * samples, [&](uint32_t first, uint32_t last) {
    std::vector<Texel> texels(width);
    std::vector<std::byte> bytes(size_t{width} * sp.blockBytes);
    for (uint32_t i = first; i < last; ++i) {
      const uint32_t layer = i / height, x = static_cast<uint32_t>(r.srcOffset.x);
      const uint32_t y = static_cast<uint32_t>(r.srcOffset.y) + i % height;
      const msaa::FragmentSurface surface(*source.layout, sp, source.memory, s.baseArrayLayer + layer);
      std::byte* out = outAt(layer, i % height);
      if (average) {
        msaa::averageFloats(surface, decode, x, y, width, texels.data());
      } else {
        // "Resolving Multisample Images": integers, depth and stencil take one sample's value.
        if (sp.tiles.offset)
          msaa::DepthSurface(*source.layout, sp, source.memory, s.baseArrayLayer + layer)
              .readRow(x, y, width, 0, bytes.data());
        else
          surface.readRow(x, y, width, 0, bytes.data());
        decode(bytes.data(), texels.data(), width);
      }
      encode(texels.data(), out, width);
    }
  });
}

}  // namespace etzel::transfer
