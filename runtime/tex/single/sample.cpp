// Filtered reads of a group of lanes: coordinates, level of detail, then one or two filtered levels per probe.
#include <algorithm>
#include <cmath>

#include "runtime/tex/single/address.h"
#include "runtime/tex/single/filter.h"
#include "runtime/tex/single/group.h"
#include "runtime/tex/single/lod.h"

namespace etzel::tex {
namespace {

using abi::LodMode;
using abi::TexKind;

/// "Unnormalized Texel Coordinate Operations": the layer is rounded to nearest even, then clamped.
int32_t selectLayer(float a, int32_t layers) {
  if (!(a > 0)) return 0;
  if (a >= static_cast<float>(layers)) return layers > 0 ? layers - 1 : 0;
  return std::min(format::roundToInt(a), layers - 1);
}

class LaneSampler {
 public:
  explicit LaneSampler(const Group& g) : g_(g), state_(*g.view, *g.sampler, g.inst), spatial_(g.inst.spatialDims()) {
    const mem::MipLayout& m = g.view->plane->mip[g.view->baseMip];
    size_[0] = static_cast<float>(m.width), size_[1] = static_cast<float>(m.height);
    size_[2] = static_cast<float>(m.depth);
    layers_ = static_cast<int32_t>(g.view->depthCount ? g.view->depthCount : g.view->layerCount);
    if (state_.cube) layers_ = layers_ / 6;
    // Without levels or footprint-dependent filters the level of detail changes nothing.
    lodMatters_ = g.inst.kind == TexKind::QueryLod ||
                  (!g.sampler->unnormalized &&
                   (g.view->mipCount > 1 || g.sampler->magFilter != g.sampler->minFilter || g.sampler->anisotropic));
    sharedPerQuad_ = !state_.cube && g.inst.lod == LodMode::Implicit && !g.inst.minLod;
  }

  void run() {
    forLanes(g_.lanes, [&](uint32_t lane) {
      state_.reader.absent = false;
      runLane(lane);
      g_.setResidency(lane, state_.reader.absent);
    });
  }

 private:
  CubeCoord cubeCoord(uint32_t lane) const {
    return selectCubeFace(g_.number(0, lane), g_.number(1, lane), g_.number(2, lane));
  }

  LaneCoord coordinates(uint32_t lane, const CubeCoord* cube) const {
    LaneCoord at;
    const abi::TexInst& inst = g_.inst;
    if (cube) {
      at.c[0] = cube->s, at.c[1] = cube->t;
      at.layer = cube->face;
    } else {
      for (uint32_t d = 0; d < spatial_; ++d) at.c[d] = g_.number(d, lane);
    }
    if (inst.arrayed) {
      const int32_t layer = selectLayer(g_.number(spatial_, lane), layers_);
      at.layer = cube ? layer * 6 + cube->face : layer;
    }
    if (inst.dref) at.reference = g_.number(inst.argDref(), lane);
    if (inst.offset)
      for (uint32_t d = 0; d < inst.offsetDims(); ++d) at.offset[d] = g_.integer(inst.argOffset() + d, lane);
    return at;
  }

  /// "Scale Factor Operation": derivatives of a lane, in texels of the base level.
  Footprint footprint(uint32_t lane, const CubeCoord* cube) const {
    Footprint f;
    const uint32_t quad = lane & 4;
    float dx[3], dy[3];
    for (uint32_t d = 0; d < spatial_; ++d) {
      if (g_.inst.lod == LodMode::Grad) {
        dx[d] = g_.number(g_.inst.argGradX() + d, lane);
        dy[d] = g_.number(g_.inst.argGradY() + d, lane);
      } else {
        const float origin = g_.number(d, quad);
        dx[d] = g_.number(d, quad + 1) - origin;
        dy[d] = g_.number(d, quad + 2) - origin;
      }
    }
    if (cube) {
      cubeDerivative(*cube, dx, &f.dx[0], &f.dx[1]);
      cubeDerivative(*cube, dy, &f.dy[0], &f.dy[1]);
      for (int d = 0; d < 2; ++d) f.dx[d] *= size_[d], f.dy[d] *= size_[d];
    } else {
      for (uint32_t d = 0; d < spatial_; ++d) f.dx[d] = dx[d] * size_[d], f.dy[d] = dy[d] * size_[d];
    }
    return f;
  }

  Lod levelOfDetail(uint32_t lane, const CubeCoord* cube) {
    if (!lodMatters_) return Lod{};
    const uint32_t quad = lane >> 2;
    if (sharedPerQuad_ && quadLodKnown_[quad]) return quadLod_[quad];
    Lod lod;
    const abi::TexInst& inst = g_.inst;
    float base = 0, bias = 0;
    if (inst.lod == LodMode::Explicit)
      base = g_.number(inst.argLod(), lane);
    else if (inst.lod != LodMode::Zero)
      base = footprintLod(*g_.view, *g_.sampler, footprint(lane, cube), state_.dims, &lod);
    if (inst.lod == LodMode::Bias) bias = g_.number(inst.argLod(), lane);
    selectLevels(*g_.view, *g_.sampler, base, bias, inst.minLod ? g_.number(inst.argMinLod(), lane) : 0.0f, &lod);
    if (sharedPerQuad_) quadLod_[quad] = lod, quadLodKnown_[quad] = true;
    return lod;
  }

  const Level& level(uint32_t index) {
    for (uint32_t i = 0; i < 2; ++i)
      if (levelKnown_[i] && levelIndex_[i] == index) return level_[i];
    const uint32_t slot = nextLevel_++ & 1;
    level_[slot] = state_.reader.level(index);
    levelIndex_[slot] = index;
    levelKnown_[slot] = true;
    return level_[slot];
  }

  Vec4 probe(const Lod& lod, const LaneCoord& at) {
    const VkFilter filter = lod.magnify ? g_.sampler->magFilter : g_.sampler->minFilter;
    const Vec4 first = sampleLevel(state_, level(lod.level[0]), at, filter);
    if (lod.level[1] == lod.level[0]) return first;
    const Vec4 second = sampleLevel(state_, level(lod.level[1]), at, filter);
    switch (g_.sampler->reduction) {
      case VK_SAMPLER_REDUCTION_MODE_MIN: return lesser(g_.view->info->numeric, first, second);
      case VK_SAMPLER_REDUCTION_MODE_MAX: return greater(g_.view->info->numeric, first, second);
      default: break;
    }
    const Vec4 mixed = first * splat<Vec4>(1 - lod.weight) + second * splat<Vec4>(lod.weight);
    if (!format::showsFloats(state_.view.info->layout)) return mixed;
    const Vec4 low = first < second ? first : second, high = first < second ? second : first;
    return mixed < low ? low : mixed > high ? high : mixed;
  }

  /// "Texel Anisotropic Filtering": probes i of n lie at -1/2 + i / (n + 1) along the major axis.
  Vec4 filtered(const Lod& lod, const LaneCoord& at) {
    if (lod.probes <= 1) return probe(lod, at);
    Vec4 sum{};
    for (uint32_t i = 1; i <= lod.probes; ++i) {
      const float step = static_cast<float>(i) / static_cast<float>(lod.probes + 1) - 0.5f;
      LaneCoord moved = at;
      for (uint32_t d = 0; d < 2; ++d) moved.c[d] += lod.axis[d] / size_[d] * step;
      const Vec4 v = probe(lod, moved);
      if (i == 1 || g_.sampler->reduction == VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE)
        sum += v;
      else
        sum = g_.sampler->reduction == VK_SAMPLER_REDUCTION_MODE_MIN ? (v < sum ? v : sum) : (v > sum ? v : sum);
    }
    if (g_.sampler->reduction != VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE) return sum;
    return sum / splat<Vec4>(static_cast<float>(lod.probes));
  }

  void runLane(uint32_t lane) {
    CubeCoord cube;
    const CubeCoord* onCube = nullptr;
    if (state_.cube) cube = cubeCoord(lane), onCube = &cube;

    if (g_.inst.kind == TexKind::QueryLod) {
      const Lod lod = levelOfDetail(lane, onCube);
      g_.result[0].lane[lane] = format::floatToBits(static_cast<float>(lod.level[0]) + lod.weight);
      g_.result[1].lane[lane] = format::floatToBits(lod.lambdaPrime);
      return;
    }
    const LaneCoord at = coordinates(lane, onCube);
    if (g_.inst.kind == TexKind::Gather) {
      // "Image View Min LOD": the base level is what gathers read, and out of bounds below floor(minLod).
      if (g_.view->minLod >= static_cast<float>(g_.view->baseMip) + 1) return;
      int32_t offsets[4][2];
      if (g_.inst.offsets4)
        for (uint32_t k = 0; k < 8; ++k) offsets[k / 2][k % 2] = g_.integer(g_.inst.argOffsets4() + k, lane);
      g_.setResult(lane, toTexel(gather(state_, level(0), at, g_.inst.offsets4 ? offsets : nullptr)));
      return;
    }
    Vec4 value = filtered(levelOfDetail(lane, onCube), at);
    // Weights round: their sum may lie an ulp above one, and averages of -1 must not leave the format's range.
    if (g_.view->info->numeric == format::Numeric::Snorm)
      value = value < splat<Vec4>(-1.0f) ? splat<Vec4>(-1.0f) : value > splat<Vec4>(1.0f) ? splat<Vec4>(1.0f) : value;
    g_.setResult(lane, toTexel(g_.inst.dref ? value : swizzled(*g_.view, value)));
  }

  const Group& g_;
  SampleState state_;
  const uint32_t spatial_;
  float size_[3];
  int32_t layers_;
  bool lodMatters_, sharedPerQuad_;
  bool quadLodKnown_[2] = {};
  Lod quadLod_[2];
  Level level_[2];
  uint32_t levelIndex_[2] = {};
  bool levelKnown_[2] = {};
  uint32_t nextLevel_ = 0;
};

}  // namespace

void runSample(const Group& g) {
  if (!g.view->plane) return;  // a texel buffer cannot be filtered
  LaneSampler(g).run();
}

}  // namespace etzel::tex
