#include "icd/debug/sibling_warps.h"

#include <algorithm>

namespace etzel::icd {

using debugger::laneOf;
using debugger::Thread;
using debugger::warpOf;

bool SiblingWarps::has(Thread stopped) const {
  return pixel_ && pixel_->perSample() && laneOf(stopped) == pixel_->lane();
}

void SiblingWarps::take(debugger::GroupRun& run, Thread stopped) {
  drop(run);
  if (!has(stopped) || run.isApart(warpOf(stopped))) return;
  stopped_ = stopped;
  const abi::Warp& running = run.warp(warpOf(stopped));
  const uint32_t lane = laneOf(stopped);
  const uint32_t own = running.sys[static_cast<uint32_t>(abi::SysValue::SampleId)][lane];
  for (uint32_t sample = 0; sample < pixel_->count(); ++sample) {
    if (sample == own || !(pixel_->shaded() >> sample & 1)) continue;
    Sibling& s = all_.emplace_back();
    s.sample = sample;
    s.sys.assign(running.sys, running.sys + abi::kSysValueCount);
    s.out.resize(abi::kFragmentOutWords);
    s.warp = running;
    s.warp.sys = s.sys.data(), s.warp.out = s.out.data();
    if (running.sampleShare) s.warp.sampleShare = &s.share;
    pixel_->become(sample, s.warp);
    s.thread = run.addApart(&s.warp, static_cast<LaneMask>(1u << lane)) * kWarpLanes + lane;
  }
}

void SiblingWarps::drop(debugger::GroupRun& run) {
  run.dropApart();
  all_.clear();
}

void SiblingWarps::look(debugger::GroupRun& run, Thread t) {
  const auto known = std::find_if(all_.begin(), all_.end(), [&](const Sibling& s) { return s.thread == t; });
  if (known == all_.end() || known->brought) return;
  known->brought = true;
  const uint32_t here = run.instruction(warpOf(stopped_));
  run.bring(t, here, run.visits(stopped_, here));
}

}  // namespace etzel::icd
