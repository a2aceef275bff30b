#include "raster/tile/probe/sibling_samples.h"

#include <bit>
#include <cmath>

#include "raster/tile/probe/cut_primitives.h"
#include "raster/tile/probe/fragment_story.h"

namespace etzel::raster {
namespace {

using abi::SysValue;

thread_local const SiblingSamples* running = nullptr;

/// 1 / clip w (abi::PrimitiveSetup).
float inverseWAt(const abi::PrimitiveSetup& s, float x, float y) {
  const float dx = x - s.x0, dy = y - s.y0;
  const float l1 = dx * s.l1dx + dy * s.l1dy, l2 = dx * s.l2dx + dy * s.l2dy;
  return s.w[0] + l1 * (s.w[1] - s.w[0]) + l2 * (s.w[2] - s.w[0]);
}

/// All lanes of the quads of `lanes`.
LaneMask quadsOf(LaneMask lanes) { return static_cast<LaneMask>((lanes & 15 ? 15 : 0) | (lanes & 240 ? 240 : 0)); }

}  // namespace

const SiblingSamples* SiblingSamples::current() { return running; }

SiblingSamples::SiblingSamples(const FragmentVisit& visit, const abi::Warp& warp, uint32_t lane, int32_t x, int32_t y)
    : visit_(visit), warp_(warp), lane_(lane), x_(x), y_(y), outer_(running) {
  shaded_ = shadedSamples(visit, cutAt(*visit.primitive, x, y), x, y);
  running = this;
}

SiblingSamples::~SiblingSamples() { running = outer_; }

void SiblingSamples::become(uint32_t sample, abi::Warp& warp) const {
  const TileDraw& d = *visit_.draw;
  const BinnedPrimitive& p = *visit_.primitive;
  const float offsetX = static_cast<float>(d.positions.x[sample]) * 0.0625f;
  const float offsetY = static_cast<float>(d.positions.y[sample]) * 0.0625f;
  LaneMask covered = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const auto set = [&](SysValue v, uint32_t word) { warp.sys[static_cast<uint32_t>(v)][i] = word; };
    const auto place = [&](SysValue v) {
      return std::floor(std::bit_cast<float>(warp_.sys[static_cast<uint32_t>(v)][i]));
    };
    const float left = place(SysValue::PosX), top = place(SysValue::PosY);
    const auto px = static_cast<int32_t>(left), py = static_cast<int32_t>(top);
    const float x = left + offsetX, y = top + offsetY;
    const bool isIn =
        i == lane_ ? shaded_ >> sample & 1
                   : cutAt(p, px, py) == SampleEnd::Kept && (coverageOf(p, d, px, py) & d.sampleMask) >> sample & 1;
    covered |= static_cast<LaneMask>(uint32_t{isIn} << i);
    const uint32_t wordX = std::bit_cast<uint32_t>(x), wordY = std::bit_cast<uint32_t>(y);
    for (const SysValue v : {SysValue::PosX, SysValue::CentroidX, SysValue::SamplePixelX, SysValue::FragCoordX})
      set(v, wordX);
    for (const SysValue v : {SysValue::PosY, SysValue::CentroidY, SysValue::SamplePixelY, SysValue::FragCoordY})
      set(v, wordY);
    set(SysValue::FragCoordZ, std::bit_cast<uint32_t>(depthAt(p, x, y)));
    set(SysValue::FragCoordW, std::bit_cast<uint32_t>(inverseWAt(p.setup, x, y)));
    set(SysValue::SampleId, sample);
    set(SysValue::SamplePosX, std::bit_cast<uint32_t>(offsetX));
    set(SysValue::SamplePosY, std::bit_cast<uint32_t>(offsetY));
    set(SysValue::SampleMaskIn, isIn ? 1u << sample : 0);
    if (!p.isPoint) continue;
    set(SysValue::PointCoordX, std::bit_cast<uint32_t>(0.5f + (x - p.pointX) * p.pointInvSize));
    set(SysValue::PointCoordY, std::bit_cast<uint32_t>(0.5f + (y - p.pointY) * p.pointInvSize));
  }
  warp.active = quadsOf(covered);
  warp.helper = warp.active & static_cast<LaneMask>(~covered);
  warp.killed = 0, warp.resume = 0;
}

}  // namespace etzel::raster
