// One plane's blit, and the two ways to do it. Internal to transfer/.
#pragma once

#include <cstdlib>
#include <vector>

#include "runtime/tex/cubic.h"
#include "runtime/transfer/region.h"

namespace etzel::transfer {

/// One axis of a blit: maps destination texel centres to source coordinates, exactly.
struct Axis {
  int32_t begin, end;     ///< destination texels, clipped
  int64_t source, first;  ///< texels where both ranges begin
  int64_t step, texels;   ///< the destination's texels (positive), and what the source moves along them
  int64_t limit;          ///< source texels

  /// Offsets beyond any image act as kFarthest, so that nothing below overflows.
  Axis(int32_t s0, int32_t s1, int32_t d0, int32_t d1, uint32_t sourceSize, uint32_t destinationSize) {
    constexpr int32_t kFarthest = 1 << 28;
    for (int32_t* offset : {&s0, &s1, &d0, &d1}) *offset = std::clamp(*offset, -kFarthest, kFarthest);
    begin = std::clamp(std::min(d0, d1), 0, static_cast<int32_t>(destinationSize));
    end = std::clamp(std::max(d0, d1), 0, static_cast<int32_t>(destinationSize));
    source = s0, first = d0;
    step = d1 < d0 ? s0 - s1 : s1 - s0, texels = std::abs(d1 - d0);
    limit = sourceSize;
  }
  uint32_t count() const { return static_cast<uint32_t>(end - begin); }
  uint32_t clampToEdge(int64_t s) const { return static_cast<uint32_t>(std::clamp<int64_t>(s, 0, limit - 1)); }
  uint32_t nearest(int32_t d) const { return clampToEdge(at(d, 0).texel); }

  struct Pair {
    uint32_t first, second;
    float weight;  ///< of the second, below 1; 0: the first alone, whatever the second is
  };
  Pair linear(int32_t d) const {
    const Place p = at(d, 1);
    const float weight = static_cast<float>(p.beyond);
    if (weight > 0 && weight < 1) return {clampToEdge(p.texel), clampToEdge(p.texel + 1), weight};
    const uint32_t alone = clampToEdge(weight == 0 ? p.texel : p.texel + 1);
    return {alone, alone, 0};
  }
  struct Four {
    uint32_t tap[4];
    float weight[4];
  };
  Four cubic(int32_t d) const {
    const Place p = at(d, 1);
    Four four;
    for (int32_t k = 0; k < 4; ++k) four.tap[k] = clampToEdge(p.texel - 1 + k);
    tex::cubicWeights(static_cast<float>(p.beyond), four.weight);
    return four;
  }
  /// Whether centres meet centres everywhere, as without scaling: nearest and linear filters find the same texels.
  bool meetsCentres() const {
    for (int32_t d = begin; d < end; ++d)
      if (linear(d).weight != 0) return false;
    return true;
  }

 private:
  struct Place {
    int64_t texel;
    double beyond;  ///< in [0, 1), texels
  };
  /// The source coordinate of a centre, `halves` halves of a texel less.
  Place at(int32_t d, int64_t halves) const {
    const int64_t numerator = (2 * (d - first) + 1) * step - halves * texels, denominator = 2 * texels;
    int64_t quotient = numerator / denominator, rest = numerator % denominator;
    if (rest < 0) --quotient, rest += denominator;
    return {source + quotient, static_cast<double>(rest) / static_cast<double>(denominator)};
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
    return source.memory +
           source.layout->texelOffset(sp, sMip, sLayer + layer, 0, 0, y / sp.blockHeight, z / sp.blockDepth);
  }
  bool isSourceCompressed() const { return sp.blockWidth > 1; }
};

/// Rows of compressed blocks as numbers: blocks are decoded once for all the rows of texels in them. One object per
/// thread.
class BlockRows {
 public:
  explicit BlockRows(const mem::PlaneLayout& plane) : plane_(plane) {}
  /// Texels [first, first + count) of row `y` of slice `z`, which lies in the row of blocks that begins at `blocks`.
  /// Valid until another is asked for.
  const format::Texel* row(const std::byte* blocks, uint32_t y, uint32_t z, uint32_t first, uint32_t count);

 private:
  void decode();

  const mem::PlaneLayout& plane_;
  const std::byte* blocks_ = nullptr;
  uint32_t first_ = 0, count_ = 0;
  std::vector<format::Texel> texels_;  ///< of each slice of the blocks plane_.blockHeight rows of count_ texels
};

/// Every texel becomes the one of the source whose area its centre lies in.
void blitNearest(task::Pool* pool, const Blit& blit);
/// Every texel becomes the mean, weighted by distance, of the four (in volumes eight) nearest.
void blitLinear(task::Pool* pool, const Blit& blit);
/// Every texel becomes what a cubic filter finds among the sixteen nearest. Not for volumes.
void blitCubic(task::Pool* pool, const Blit& blit);

}  // namespace etzel::transfer
