// The memory of one warp, kept for many runs of one kernel: front-end stages fill `sys` and `in`, run, read `out`.
// One per stage and worker; not thread safe.
#pragma once

#include <cstring>
#include <vector>

#include "runtime/abi/kernel.h"

namespace etzel::raster {

class WarpMemory {
 public:
  /// Gets ready for runs of `kernel`; warp().context is up to the caller, draw by draw. Keeps the memory of earlier
  /// kernels. Results of a warp never depend on what an earlier warp left behind: prepare() and clearOutputs() zero
  /// what kernels may leave unwritten.
  void prepare(const abi::Kernel* kernel) {
    if (sys_.empty()) {
      sys_.resize(abi::kSysValueCount);
      in_.resize(abi::kAttributeWords);
      out_.resize(abi::kRecordWords);
    }
    if (registers_.size() < kernel->registerWords) registers_.resize(kernel->registerWords);
    const size_t scratchWords = (size_t(kernel->scratchBytes) + 3) / 4;
    if (scratch_.size() < scratchWords) scratch_.resize(scratchWords);
    const size_t stateWords = (size_t(kernel->stateBytes) + 31) / 32;
    if (state_.size() < stateWords) state_.resize(stateWords);
    std::memset(static_cast<void*>(out_.data()), 0, out_.size() * sizeof(LaneWords));
    std::memset(static_cast<void*>(in_.data()), 0, in_.size() * sizeof(LaneWords));
    std::memset(static_cast<void*>(sys_.data()), 0, sys_.size() * sizeof(LaneWords));
    warp_ = abi::Warp{};
    warp_.kernel = kernel;
    warp_.sys = sys_.data();
    warp_.in = in_.data();
    warp_.out = out_.data();
    warp_.registers = registers_.data();
    warp_.scratch = reinterpret_cast<std::byte*>(scratch_.data());
    warp_.executorState = state_.data();
    stateBytes_ = kernel->stateBytes;
  }

  abi::Warp& warp() { return warp_; }
  LaneWords& sys(abi::SysValue value) { return sys_[static_cast<uint32_t>(value)]; }
  void setAll(abi::SysValue value, uint32_t word) {
    for (uint32_t& lane : sys(value).lane) lane = word;
  }
  LaneWords* in() { return in_.data(); }
  LaneWords* out() { return out_.data(); }

  /// Forgets the run before, so that the next call starts the program from its top.
  void restart(LaneMask active) {
    warp_.active = active;
    warp_.helper = warp_.killed = 0;
    warp_.resume = 0;
    warp_.executable = nullptr;
    ++warp_.order;
    if (stateBytes_) std::memset(static_cast<void*>(state_.data()), 0, stateBytes_);
  }
  /// Runs a program that has no barriers from its top. \returns false when it was cancelled.
  bool run(LaneMask active) {
    restart(active);
    abi::WarpStatus status;
    do {
      status = warp_.kernel->run(&warp_);
    } while (status == abi::WarpStatus::AtBarrier);  // a barrier of a stage with one warp holds nobody up
    return status == abi::WarpStatus::Done;
  }

 private:
  std::vector<LaneWords> sys_, in_, out_, registers_, scratch_, state_;
  abi::Warp warp_;
  uint32_t stateBytes_ = 0;
};

/// Lanes [0, count).
constexpr LaneMask firstLanes(uint32_t count) { return (1u << count) - 1; }

}  // namespace etzel::raster
