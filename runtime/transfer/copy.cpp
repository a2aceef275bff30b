// Copies that move bytes and never look at them: buffers, image to image, buffer to image and back ("Copying Data
// Between Images", "Copying Data Between Buffers and Images").
#include <cstring>

#include "runtime/msaa/traffic.h"
#include "runtime/mutant/mutant.h"
#include "runtime/simd/cpu.h"
#include "runtime/simd/stream.h"
#include "runtime/transfer/region.h"

namespace etzel::transfer {
namespace {

constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

/// For copies of `bytes`, all together.
const simd::Streams* streamsForCopy(uint64_t bytes) { return simd::streamsFor(2 * bytes); }

/// memcpy() for long pieces: string moves do not read the lines that they fill, as memcpy() does with pieces that
/// caches hold even if the whole copy is larger. `past`: of streamsForCopy().
void copyBytes(std::byte* to, const std::byte* from, uint64_t bytes, const simd::Streams* past) {
  constexpr uint64_t kLong = 64 * 1024;
  if (bytes >= kLong) {
    if (past) return past->copy(to, from, bytes);
    const uint64_t words = bytes / 8;
    simd::copyWords(to, from, words);
    to += 8 * words, from += 8 * words, bytes %= 8;
  }
  std::memcpy(to, from, bytes);
}

/// Rows without gaps are one long piece. Overlap is invalid usage, but must not take the application down.
void copyRows(std::byte* to, uint64_t toPitch, const std::byte* from, uint64_t fromPitch, uint64_t rowBytes,
              uint32_t rows, const simd::Streams* past) {
  if (toPitch == rowBytes && fromPitch == rowBytes) return copyBytes(to, from, rows * rowBytes, past);
  for (uint32_t y = 0; y < rows; ++y) std::memmove(to + y * toPitch, from + y * fromPitch, rowBytes);
}

/// Calls body(slice, y, n) for the rows [first, last) of slices of `rows` rows, as many of a slice at once as there
/// are.
template <class Body>
void forSlices(uint32_t first, uint32_t last, uint32_t rows, const Body& body) {
  for (uint32_t n; first < last; first += n) {
    n = std::min(last - first, rows - first % rows);
    body(first / rows, first % rows, n);
  }
}

template <class Surface>
void postCopy(const Surface& from, const Surface& to, const msaa::CopyTraffic& moved) {
  msaa::addTraffic(from.texels, msaa::Work::Copy, moved.source);
  msaa::addTraffic(to.texels, msaa::Work::Copy, moved.destination);
}

/// Pixels of a source, and where they go.
struct CopyArea {
  uint32_t sx, sy, dx, dy, width, height;
};

/// Compressed images, or one of the two, rows of tiles [firstRow, lastRow) of the destination: whole tiles that lie
/// alike in both are taken over as they are, the others become tiles without compression and get every sample.
void copyFragments(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, const CopyArea& area,
                   uint32_t firstRow, uint32_t lastRow) {
  using msaa::kTile;
  const auto [sx, sy, dx, dy, width, height] = area;
  const bool both = from && to;
  const bool alike = both && sx % kTile == dx % kTile && sy % kTile == dy % kTile;
  const bool counts = both && msaa::countsTraffic();
  msaa::CopyTraffic moved;
  std::byte texels[kTile * mem::kClearColorBytes];
  for (uint32_t ty = firstRow; ty < lastRow; ++ty) {
    const uint32_t y0 = std::max(dy, ty * kTile), y1 = std::min(dy + height, (ty + 1) * kTile);
    for (uint32_t tx = dx / kTile; tx * kTile < dx + width; ++tx) {
      const uint32_t x0 = std::max(dx, tx * kTile), x1 = std::min(dx + width, (tx + 1) * kTile);
      const uint32_t tile = ty * to.tilesX + tx;  // 0 where there are none
      const uint32_t columns = std::min(kTile, to.width - tx * kTile), rows = std::min(kTile, to.height - ty * kTile);
      const bool whole = x1 - x0 == columns && y1 - y0 == rows;
      const uint32_t fx = x0 - dx + sx, fy = y0 - dy + sy;
      if (whole && alike) {
        if (counts) moved += msaa::copyTileTraffic(from, from.tileOf(fx, fy));
        to.copyTile(tile, from, from.tileOf(fx, fy), columns, rows);
        continue;
      }
      if (counts) moved += msaa::copySamplesTraffic(from, {fx, fy, fx + x1 - x0, fy + y1 - y0}, to, tile);
      if (to) to.expand(tile);
      for (uint32_t sample = 0; sample < to.samples; ++sample)
        for (uint32_t y = y0; y < y1; ++y) {
          from.readRow(fx, y - dy + sy, x1 - x0, sample, texels);
          std::memcpy(to.at(x0, y, sample), texels, size_t{x1 - x0} * to.texelBytes);
        }
    }
  }
  if (counts) postCopy(from, to, moved);
}

/// Rows [y0, y1) of a copy between depth or stencil layers of one format, all in the same row of the destination's
/// tiles: whole tiles that keep their place keep their state.
void copyTileRow(const msaa::DepthSurface& from, const msaa::DepthSurface& to, uint32_t sx, uint32_t sy, uint32_t dx,
                 uint32_t width, uint32_t y0, uint32_t y1) {
  using msaa::kTile;
  const bool wholeRows = y0 % kTile == 0 && (y1 % kTile == 0 || y1 == to.height) && y0 == sy && sx == dx;
  const bool sameSize = from.width == to.width && from.height == to.height;
  const bool counts = to.samples > 1 && msaa::countsTraffic();
  msaa::CopyTraffic moved;
  std::byte texels[kTile * 4];
  for (uint32_t x0 = dx; x0 < dx + width;) {
    const uint32_t x1 = std::min(dx + width, (x0 / kTile + 1) * kTile), tile = to.tileOf(x0, y0);
    if (wholeRows && sameSize && x0 % kTile == 0 && (x1 % kTile == 0 || x1 == to.width)) {
      if (counts) moved += msaa::copyTileTraffic(from, tile);
      to.copyTile(tile, from, tile);
    } else {
      const uint32_t fx = x0 - dx + sx;
      if (counts) moved += msaa::copySamplesTraffic(from, {fx, sy, fx + x1 - x0, sy + y1 - y0}, to, tile);
      to.expand(tile);
      for (uint32_t sample = 0; sample < to.samples; ++sample) {
        for (uint32_t y = y0; y < y1; ++y) {
          from.readRow(x0 - dx + sx, y - y0 + sy, x1 - x0, sample, texels);
          std::memcpy(to.at(x0, y, sample), texels, size_t{x1 - x0} * to.texelBytes);
        }
      }
    }
    x0 = x1;
  }
  if (counts) postCopy(from, to, moved);
}

void copyPlane(task::Pool* pool, const Image& source, const mem::PlaneLayout& sp, const Image& destination,
               const mem::PlaneLayout& dp, const VkImageCopy2& r) {
  if (sp.blockBytes != dp.blockBytes) return;
  const uint32_t sMip = r.srcSubresource.mipLevel, dMip = r.dstSubresource.mipLevel;
  if (sMip >= source.layout->mipLevels || dMip >= destination.layout->mipLevels) return;
  const mem::MipLayout &sm = sp.mip[sMip], &dm = dp.mip[dMip];
  // The extent is in texels of the source; blocks are what both sides agree on.
  const uint32_t sx = r.srcOffset.x / sp.blockWidth, sy = r.srcOffset.y / sp.blockHeight;
  const uint32_t dx = r.dstOffset.x / dp.blockWidth, dy = r.dstOffset.y / dp.blockHeight;
  uint32_t columns = divideUp(clipExtent(r.srcOffset.x, r.extent.width, sm.width), sp.blockWidth);
  uint32_t rows = divideUp(clipExtent(r.srcOffset.y, r.extent.height, sm.height), sp.blockHeight);
  columns = clipExtent(static_cast<int32_t>(dx), columns, divideUp(dm.width, dp.blockWidth));
  rows = clipExtent(static_cast<int32_t>(dy), rows, divideUp(dm.height, dp.blockHeight));

  const uint32_t sBase = r.srcSubresource.baseArrayLayer, dBase = r.dstSubresource.baseArrayLayer;
  const bool sDeep = is3D(source), dDeep = is3D(destination);
  const uint32_t sz = r.srcOffset.z / sp.blockDepth, dz = r.dstOffset.z / dp.blockDepth;
  const uint32_t deep = divideUp(r.extent.depth, sp.blockDepth);
  const uint32_t sAvailable = sDeep ? divideUp(clipExtent(r.srcOffset.z, r.extent.depth, sm.depth), sp.blockDepth)
                                    : layerCountOf(source, sBase, r.srcSubresource.layerCount);
  const uint32_t dAvailable = dDeep ? clipExtent(static_cast<int32_t>(dz), deep, dm.slices)
                                    : layerCountOf(destination, dBase, r.dstSubresource.layerCount);
  // Depth slices and layers stand for each other; a layer count of 1 beside a deep extent means that many layers.
  uint32_t slices = std::min(sAvailable, dAvailable);
  if (sDeep != dDeep) {
    const uint32_t layers = sDeep ? layerCountOf(destination, dBase, deep) : layerCountOf(source, sBase, deep);
    slices = std::min(layers, sDeep ? sAvailable : dAvailable);
  }
  const uint32_t samples = std::min(source.layout->samples, destination.layout->samples);
  const size_t rowBytes = size_t{columns} * sp.blockBytes;
  if (rowBytes == 0) return;

  if ((sp.fragments.offset || dp.fragments.offset) && source.layout->samples == destination.layout->samples) {
    const uint32_t firstTile = dy / msaa::kTile, tiles = (dy + rows - 1) / msaa::kTile + 1 - firstTile;
    splitRows(pool, tiles * slices, rowBytes * msaa::kTile, [&](uint32_t first, uint32_t last) {
      for (uint32_t i = first; i < last; ++i) {
        const msaa::FragmentSurface from(*source.layout, sp, source.memory, sBase + i / tiles);
        const msaa::FragmentSurface to(*destination.layout, dp, destination.memory, dBase + i / tiles);
        const uint32_t row = firstTile + i % tiles;
        copyFragments(from, to, {sx, sy, dx, dy, columns, rows}, row, row + 1);
      }
    });
    return;
  }
  if (sp.tiles.offset && dp.tiles.offset && sp.format == dp.format &&
      source.layout->samples == destination.layout->samples) {
    const uint32_t firstTile = dy / msaa::kTile, tiles = (dy + rows - 1) / msaa::kTile + 1 - firstTile;
    splitRows(pool, tiles * slices, rowBytes * msaa::kTile * samples, [&](uint32_t first, uint32_t last) {
      for (uint32_t i = first; i < last; ++i) {
        const msaa::DepthSurface from(*source.layout, sp, source.memory, sBase + i / tiles);
        const msaa::DepthSurface to(*destination.layout, dp, destination.memory, dBase + i / tiles);
        const uint32_t top = (firstTile + i % tiles) * msaa::kTile;
        const uint32_t y0 = std::max(dy, top), y1 = std::min(dy + rows, top + msaa::kTile);
        copyTileRow(from, to, sx, y0 - dy + sy, dx, columns, y0, y1);
      }
    });
    return;
  }
  if (samples > 1 && msaa::countsTraffic())
    for (uint32_t i = 0; i < slices; ++i) {
      // Every sample as it lies there, after expansions of depth, which such copies hardly ever see.
      msaa::CopyTraffic moved;
      moved.source.plainRead = moved.destination.plainWritten = uint64_t{rows} * rowBytes * samples;
      moved.source.texelsRead = moved.destination.texelsWritten = moved.source.plainRead;
      postCopy(msaa::DepthSurface(*source.layout, sp, source.memory, sBase + i),
               msaa::DepthSurface(*destination.layout, dp, destination.memory, dBase + i), moved);
    }
  expandTiles(source, sp, sBase, slices, sx, sy, columns, rows);
  expandTiles(destination, dp, dBase, slices, dx, dy, columns, rows);
  const simd::Streams* past = streamsForCopy(rowBytes * rows * slices * samples);
  for (uint32_t sample = 0; sample < samples; ++sample) {
    splitRows(pool, rows * slices, rowBytes, [&](uint32_t first, uint32_t last) {
      forSlices(first, last, rows, [&](uint32_t i, uint32_t y, uint32_t n) {
        const std::byte* from = slicePointer(source, sp, sMip, sBase, sz, i, sample) + uint64_t{sy + y} * sm.rowPitch +
                                uint64_t{sx} * sp.blockBytes;
        std::byte* to = slicePointer(destination, dp, dMip, dBase, dz, i, sample) + uint64_t{dy + y} * dm.rowPitch +
                        uint64_t{dx} * dp.blockBytes;
        copyRows(to, dm.rowPitch, from, sm.rowPitch, rowBytes, n, past);
      });
    });
  }
  noteWritten(pool, destination, {dMip, dBase, slices, dx, dy, columns, rows});
}

/// Rows of a buffer-image copy: body(offset in the buffer, its pitch, texels, their pitch, bytes of a row, rows,
/// streamsForCopy() of all). \returns the image's part
template <class Body>
mem::BlockArea forBufferRows(task::Pool* pool, const Image& image, const VkBufferImageCopy2& r, const Body& body) {
  const VkImageSubresourceLayers& sub = r.imageSubresource;
  const mem::PlaneLayout& p = image.layout->planeOf(sub.aspectMask);
  if (sub.mipLevel >= image.layout->mipLevels) return {};
  const mem::MipLayout& m = p.mip[sub.mipLevel];
  const bool tight = r.bufferRowLength == 0 || mutated(Mutant::CopyRowLength);
  const uint32_t rowTexels = tight ? r.imageExtent.width : r.bufferRowLength;
  const uint32_t heightTexels = r.bufferImageHeight ? r.bufferImageHeight : r.imageExtent.height;
  const uint64_t bufferRow = uint64_t{divideUp(rowTexels, p.blockWidth)} * p.blockBytes;
  const uint64_t bufferSlice = bufferRow * divideUp(heightTexels, p.blockHeight);
  const uint32_t columns = divideUp(clipExtent(r.imageOffset.x, r.imageExtent.width, m.width), p.blockWidth);
  const uint32_t rows = divideUp(clipExtent(r.imageOffset.y, r.imageExtent.height, m.height), p.blockHeight);
  const uint32_t slices = is3D(image)
                              ? divideUp(clipExtent(r.imageOffset.z, r.imageExtent.depth, m.depth), p.blockDepth)
                              : layerCountOf(image, sub.baseArrayLayer, sub.layerCount);
  const uint32_t x = r.imageOffset.x / p.blockWidth, y = r.imageOffset.y / p.blockHeight;
  const size_t rowBytes = size_t{columns} * p.blockBytes;
  if (rowBytes == 0) return {};
  expandTiles(image, p, sub.baseArrayLayer, slices, x, y, columns, rows);
  const simd::Streams* past = streamsForCopy(rowBytes * rows * slices);
  splitRows(pool, rows * slices, rowBytes, [&](uint32_t first, uint32_t last) {
    forSlices(first, last, rows, [&](uint32_t i, uint32_t j, uint32_t n) {
      std::byte* texels = slicePointer(image, p, sub.mipLevel, sub.baseArrayLayer, r.imageOffset.z / p.blockDepth, i) +
                          uint64_t{y + j} * m.rowPitch + uint64_t{x} * p.blockBytes;
      body(r.bufferOffset + i * bufferSlice + j * bufferRow, bufferRow, texels, m.rowPitch, rowBytes, n, past);
    });
  });
  return {sub.mipLevel, sub.baseArrayLayer, slices, x, y, columns, rows};
}

}  // namespace

void noteWritten(task::Pool* pool, const Image& image, const mem::BlockArea& area) {
  if (!image.decoded || !image.decoded->written(area)) return;
  const uint64_t rowBytes = uint64_t{area.columns} * image.decoded->layout().plane[0].blockBytes * 16;
  splitRows(pool, area.rows * area.layers, rowBytes, [&](uint32_t first, uint32_t last) {
    for (uint32_t i = first; i < last; ++i)
      image.decoded->decode(area.level, area.layer + i / area.rows, area.y + i % area.rows, area.x, area.columns);
  });
}

void copyBuffer(task::Pool* pool, const std::byte* source, std::byte* destination, uint64_t bytes) {
  // Overlap is invalid usage, but must not take the application down: memmove in one piece is the safe choice there.
  constexpr uint64_t kPiece = 64 * 1024;
  if (source < destination + bytes && destination < source + bytes) {
    std::memmove(destination, source, bytes);
    return;
  }
  const simd::Streams* past = streamsForCopy(bytes);
  splitRows(pool, static_cast<uint32_t>(divideUp(bytes, kPiece)), kPiece, [&](uint32_t first, uint32_t last) {
    const uint64_t begin = first * kPiece, end = std::min(last * kPiece, bytes);
    copyBytes(destination + begin, source + begin, end - begin, past);
  });
}

void copyImage(task::Pool* pool, const Image& source, const Image& destination, const VkImageCopy2& region) {
  const VkImageAspectFlags aspects = region.srcSubresource.aspectMask;
  if (aspects & kDepthStencil) {
    for (VkImageAspectFlags aspect : {VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT})
      if (aspects & aspect)
        copyPlane(pool, source, source.layout->planeOf(aspect), destination, destination.layout->planeOf(aspect),
                  region);
    return;
  }
  copyPlane(pool, source, source.layout->planeOf(aspects), destination,
            destination.layout->planeOf(region.dstSubresource.aspectMask), region);
}

void copyBufferToImage(task::Pool* pool, const std::byte* source, const Image& destination,
                       const VkBufferImageCopy2& region) {
  const mem::BlockArea area = forBufferRows(
      pool, destination, region,
      [&](uint64_t offset, uint64_t pitch, std::byte* texels, uint64_t texelPitch, uint64_t rowBytes, uint32_t rows,
          const simd::Streams* past) { copyRows(texels, texelPitch, source + offset, pitch, rowBytes, rows, past); });
  noteWritten(pool, destination, area);
}

void copyImageToBuffer(task::Pool* pool, const Image& source, std::byte* destination,
                       const VkBufferImageCopy2& region) {
  forBufferRows(pool, source, region,
                [&](uint64_t offset, uint64_t pitch, const std::byte* texels, uint64_t texelPitch, uint64_t rowBytes,
                    uint32_t rows, const simd::Streams* past) {
                  copyRows(destination + offset, pitch, texels, texelPitch, rowBytes, rows, past);
                });
}

}  // namespace etzel::transfer
