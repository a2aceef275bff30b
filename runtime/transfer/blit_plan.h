// One plane's blit, and the two ways to do it. Internal to transfer/.
#pragma once

#include <cmath>
#include <vector>

#include "runtime/transfer/region.h"

namespace etzel::transfer {

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
  /// Centres meet centres: nearest and linear filters find the same texels.
  bool isUnscaled() const { return scale == 1 || scale == -1; }

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
  uint32_t layers;

  uint32_t rows() const { return y.count() * z.count() * layers; }
  uint64_t texels() const { return uint64_t{rows()} * x.count(); }

  /// Row i of rows(), which run through y, then z, then layers.
  struct Row {
    uint32_t layer;
    int32_t y, z;
    std::byte* texels;  ///< of the destination, from x.begin
  };
  Row row(uint32_t i) const {
    const uint32_t perLayer = y.count() * z.count(), layer = i / perLayer;
    const int32_t dy = y.begin + static_cast<int32_t>(i % perLayer % y.count());
    const int32_t dz = z.begin + static_cast<int32_t>(i % perLayer / y.count());
    return {layer, dy, dz,
            destination.memory + destination.layout->texelOffset(dp, dMip, dLayer + layer, 0,
                                                                 static_cast<uint32_t>(x.begin),
                                                                 static_cast<uint32_t>(dy), static_cast<uint32_t>(dz))};
  }
  /// The first texel (or block) of a row of the source.
  const std::byte* sourceRow(uint32_t layer, uint32_t y, uint32_t z) const {
    return source.memory + source.layout->texelOffset(sp, sMip, sLayer + layer, 0, 0, y / sp.blockHeight, z);
  }
  bool isSourceCompressed() const { return sp.blockWidth > 1; }
};

/// Rows of compressed blocks as numbers: blocks are decoded once for all the rows of texels in them. One object per
/// thread.
class BlockRows {
 public:
  explicit BlockRows(const mem::PlaneLayout& plane) : plane_(plane) {}
  /// Texels [first, first + count) of row `y`, which lies in the row of blocks that begins at `blocks`. Valid until
  /// another is asked for.
  const format::Texel* row(const std::byte* blocks, uint32_t y, uint32_t first, uint32_t count);

 private:
  void decode();

  const mem::PlaneLayout& plane_;
  const std::byte* blocks_ = nullptr;
  uint32_t first_ = 0, count_ = 0;
  std::vector<format::Texel> texels_;  ///< plane_.blockHeight rows of count_ texels
};

/// Every texel becomes the one of the source whose area its centre lies in.
void blitNearest(task::Pool* pool, const Blit& blit);
/// Every texel becomes the mean, weighted by distance, of the four (in volumes eight) nearest.
void blitLinear(task::Pool* pool, const Blit& blit);

}  // namespace etzel::transfer
