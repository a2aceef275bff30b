// Multisampled images to one sample a pixel ("Resolving Multisample Images").
#include "runtime/msaa/resolve.h"

#include "runtime/format/convert.h"
#include "runtime/format/transfer_function.h"
#include "runtime/msaa/traffic.h"
#include "runtime/transfer/region.h"

namespace etzel::transfer {

using format::Texel;

namespace {

/// Adds a sample's row to what the ones before gave: depth is a float in the first word, stencil an integer.
void addSample(VkResolveModeFlagBits mode, bool isDepth, const std::vector<Texel>& row, std::vector<Texel>* result) {
  const auto chosen = [&](auto a, auto b) { return mode == VK_RESOLVE_MODE_MIN_BIT ? std::min(a, b) : std::max(a, b); };
  for (size_t i = 0; i < row.size(); ++i) {
    uint32_t& word = (*result)[i].word[0];
    const float a = format::bitsToFloat(word), b = format::bitsToFloat(row[i].word[0]);
    if (!isDepth)
      word = chosen(word, row[i].word[0]);
    else
      word = format::floatToBits(mode == VK_RESOLVE_MODE_AVERAGE_BIT ? a + b : chosen(a, b));
  }
}

/// Rows of what is no average of colours.
class PlainRows {
 public:
  PlainRows(const Image& source, const mem::PlaneLayout& plane, VkResolveModeFlagBits mode, uint32_t width)
      : source_(source), plane_(plane), mode_(mode), bytes_(size_t{width} * plane.blockBytes), other_(width) {
    const format::FormatInfo& info = *format::find(plane.format);
    isDepth_ = info.isDepth();
    // "Resolving Multisample Images": integers, depth and stencil take one sample's value where no mode says more.
    // "VkResolveModeFlagBits": stencil has no average.
    looksAtAll_ = !info.isColor() && (mode == VK_RESOLVE_MODE_MIN_BIT || mode == VK_RESOLVE_MODE_MAX_BIT ||
                                      (mode == VK_RESOLVE_MODE_AVERAGE_BIT && isDepth_));
  }

  void read(uint32_t layer, uint32_t x, uint32_t y, std::vector<Texel>* texels) {
    const uint32_t samples = source_.layout->samples;
    readSample(layer, x, y, 0, texels);
    if (!looksAtAll_) return;
    for (uint32_t sample = 1; sample < samples; ++sample) {
      readSample(layer, x, y, sample, &other_);
      addSample(mode_, isDepth_, other_, texels);
    }
    if (mode_ != VK_RESOLVE_MODE_AVERAGE_BIT) return;
    for (Texel& t : *texels)
      t.word[0] = format::floatToBits(format::bitsToFloat(t.word[0]) / static_cast<float>(samples));
  }

 private:
  void readSample(uint32_t layer, uint32_t x, uint32_t y, uint32_t sample, std::vector<Texel>* texels) {
    const auto width = static_cast<uint32_t>(texels->size());
    if (plane_.tiles.offset)
      msaa::DepthSurface(*source_.layout, plane_, source_.memory, layer).readRow(x, y, width, sample, bytes_.data());
    else
      msaa::FragmentSurface(*source_.layout, plane_, source_.memory, layer).readRow(x, y, width, sample, bytes_.data());
    format::decoder(plane_.format)(bytes_.data(), texels->data(), width);
  }

  const Image& source_;
  const mem::PlaneLayout& plane_;
  VkResolveModeFlagBits mode_;
  bool isDepth_, looksAtAll_;
  std::vector<std::byte> bytes_;
  std::vector<Texel> other_;
};

}  // namespace

void resolveImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageResolve2& r,
                  VkResolveModeFlagBits mode, bool skipTransferFunction) {
  const VkImageSubresourceLayers &s = r.srcSubresource, &d = r.dstSubresource;
  if (s.mipLevel >= source.layout->mipLevels || d.mipLevel >= destination.layout->mipLevels) return;
  const mem::PlaneLayout &sp = source.layout->planeOf(s.aspectMask), &dp = destination.layout->planeOf(d.aspectMask);
  const mem::MipLayout &sm = sp.mip[s.mipLevel], &dm = dp.mip[d.mipLevel];
  const auto seen = [&](VkFormat format) { return skipTransferFunction ? format::codesOf(format) : format; };
  const format::FormatInfo& info = *format::find(seen(sp.format));
  const uint32_t width = std::min(clipExtent(r.srcOffset.x, r.extent.width, sm.width),
                                  clipExtent(r.dstOffset.x, r.extent.width, dm.width));
  const uint32_t height = std::min(clipExtent(r.srcOffset.y, r.extent.height, sm.height),
                                   clipExtent(r.dstOffset.y, r.extent.height, dm.height));
  // A 3D destination takes its slice from dstOffset.z; multisampled images are 2D.
  const uint32_t layers = is3D(destination) ? 1
                                            : std::min(layerCountOf(source, s.baseArrayLayer, s.layerCount),
                                                       layerCountOf(destination, d.baseArrayLayer, d.layerCount));
  const uint32_t samples = source.layout->samples;
  const bool average = info.isColor() && !info.isInteger() && samples > 1 && mode != VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  // Samples that are taken as they are go through the formats themselves.
  const format::EncodeFn encode = format::encoder(average ? seen(dp.format) : dp.format);
  const bool sameFormat = sp.format == dp.format;
  const format::DecodeFn decode = format::decoder(info.format);
  if (!encode || !decode || width == 0 || height == 0) return;
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
                                                                           : msaa::Reading::RowFragments;
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
    PlainRows plain(source, sp, mode, width);
    for (uint32_t i = first; i < last; ++i) {
      const uint32_t layer = i / height, x = static_cast<uint32_t>(r.srcOffset.x);
      const uint32_t y = static_cast<uint32_t>(r.srcOffset.y) + i % height;
      const msaa::FragmentSurface surface(*source.layout, sp, source.memory, s.baseArrayLayer + layer);
      std::byte* out = outAt(layer, i % height);
      if (average) {
        msaa::averageFloats(surface, decode, x, y, width, texels.data());
      } else {
        plain.read(s.baseArrayLayer + layer, x, y, &texels);
      }
      encode(texels.data(), out, width);
    }
  });
}

}  // namespace etzel::transfer
