#include "raster/tile/probe/watched_kernel.h"

#include <bit>
#include <cmath>
#include <optional>

#include "raster/tile/probe/sibling_samples.h"

namespace etzel::raster {
namespace {

using abi::SysValue;

uint32_t word(const abi::Warp& warp, SysValue v, uint32_t lane) { return warp.sys[static_cast<uint32_t>(v)][lane]; }
/// That of the warp's fragments. Pixels in draws without rates.
ShadingRate rateOf(const abi::Warp& warp) { return static_cast<ShadingRate>(word(warp, SysValue::ShadingRate, 0)); }
float number(const abi::Warp& warp, SysValue v, uint32_t lane) { return std::bit_cast<float>(word(warp, v, lane)); }

}  // namespace

struct WatchedKernels::Watched : abi::Kernel {
  WatchedKernels* owner;
  const abi::Kernel* ordinary;
  abi::Executable code;

  Watched(WatchedKernels* o, const abi::Kernel& k) : owner(o), ordinary(&k) {
    info = k.info;
    registerWords = k.registerWords, scratchBytes = k.scratchBytes;
    sharedBytes = k.sharedBytes, stateBytes = k.stateBytes;
    code.entry = WatchedKernels::run, code.code = this;
    executable.store(&code, std::memory_order_release);
  }
};

WatchedKernels::WatchedKernels(int32_t x, int32_t y) : x_(x), y_(y) {}
WatchedKernels::~WatchedKernels() = default;

const abi::Kernel* WatchedKernels::of(const abi::Kernel* kernel) {
  if (!kernel) return nullptr;
  std::unique_ptr<Watched>& watched = kernels_[kernel];
  if (!watched) watched = std::make_unique<Watched>(this, *kernel);
  return watched.get();
}

int WatchedKernels::laneOf(const abi::Warp& warp) const {
  const auto fragment = rateOf(warp);
  const auto holds = [](float position, int32_t pixel, uint32_t logSize) {
    const auto size = static_cast<float>(1u << logSize);
    return std::floor(position / size) == static_cast<float>(pixel >> logSize);
  };
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    if ((warp.active & ~warp.helper) >> lane & 1 &&
        holds(number(warp, SysValue::PosX, lane), x_, logWidthOf(fragment)) &&
        holds(number(warp, SysValue::PosY, lane), y_, logHeightOf(fragment)))
      return static_cast<int>(lane);
  return -1;
}

/// After the warp has run.
msaa::SampleMask WatchedKernels::samplesOf(const abi::Warp& warp, uint32_t lane) const {
  const TileDraw& d = *visit_->draw;
  if (!d.perSample) return msaa::allSamples(d.samples);
  if (d.sharesSamples) {
    const msaa::SampleMask own = 1u << word(warp, SysValue::SampleId, lane);
    return warp.sampleShare ? own | (*warp.sampleShare)[lane] : own;
  }
  // Positions may repeat where the application has set them: of equal ones the first that has not had its turn.
  msaa::SampleMask done = 0;
  for (const FragmentResult& r : visit_->results) done |= r.samples;
  const float x = (number(warp, SysValue::SamplePixelX, lane) - static_cast<float>(x_)) * 16;
  const float y = (number(warp, SysValue::SamplePixelY, lane) - static_cast<float>(y_)) * 16;
  for (uint32_t s = 0; s < d.samples; s += d.samplesEach)
    if (!(done >> s & 1) && static_cast<float>(d.positions.x[s]) == x && static_cast<float>(d.positions.y[s]) == y)
      return msaa::allSamples(d.samplesEach) << s;
  return 0;
}

/// The bit that the pixel's first sample has in the masks of its fragment ("Multisampling", coverage index).
uint32_t WatchedKernels::firstSampleOf(const abi::Warp& warp) const {
  const uint32_t logWidth = logWidthOf(rateOf(warp)), logHeight = logHeightOf(rateOf(warp));
  const uint32_t column = static_cast<uint32_t>(x_) & ((1u << logWidth) - 1);
  const uint32_t row = static_cast<uint32_t>(y_) & ((1u << logHeight) - 1);
  return visit_->draw->samples * ((1u << (logWidth + logHeight)) - 1 - (column + (row << logWidth)));
}

abi::WarpStatus WatchedKernels::run(const void* code, abi::Warp* warp) {
  const auto& watched = *static_cast<const Watched*>(code);
  WatchedKernels& self = *watched.owner;
  const int lane = self.visit_ ? self.laneOf(*warp) : -1;
  watched.ordinary->countWarps(1);
  const abi::Executable* executable = watched.ordinary->executable.load(std::memory_order_acquire);
  std::optional<SiblingSamples> siblings;
  if (lane >= 0) siblings.emplace(*self.visit_, *warp, static_cast<uint32_t>(lane), self.x_, self.y_);
  const abi::WarpStatus status = executable->entry(executable->code, warp);
  siblings.reset();
  if (lane < 0 || status != abi::WarpStatus::Done) return status;
  const auto out = [&](uint32_t at) { return warp->out[at][static_cast<uint32_t>(lane)]; };
  FragmentResult r;
  r.samples = self.samplesOf(*warp, static_cast<uint32_t>(lane));
  r.discarded = warp->killed >> lane & 1;
  for (uint32_t i = 0; i < kMaxColorAttachments; ++i)
    for (uint32_t c = 0; c < 4; ++c) r.color[i][c] = out(abi::kFragOutColor + 4 * i + c);
  for (uint32_t c = 0; c < 4; ++c) r.second[c] = out(abi::kFragOutColorIndex1 + c);
  r.sampleMask = out(abi::kFragOutSampleMask) >> self.firstSampleOf(*warp),
  r.stencilReference = out(abi::kFragOutStencilRef);
  const bool each = watched.info.writesSampleDepth;
  for (uint32_t s = 0; s < (each ? kMaxSamples : 1); ++s)
    r.depth[s] = std::bit_cast<float>(out((each ? abi::kFragOutSampleDepth : abi::kFragOutDepth) + s));
  self.visit_->results.push_back(r);
  return status;
}

}  // namespace etzel::raster
