#include "runtime/task/dispatch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/abi/groups_abreast.h"
#include "runtime/task/delayed_atomics.h"

namespace etzel::task {
namespace {

using abi::SysValue;

/// Fewer warps than this are done before a sleeping worker wakes up.
constexpr uint64_t kInlineWarps = 8;

constexpr bool reads(uint64_t mask, SysValue v) { return mask >> static_cast<uint32_t>(v) & 1; }

/// What all workgroups of a dispatch have in common.
struct Plan {
  const abi::Kernel& kernel;
  const abi::DispatchContext& context;
  const DispatchSize& size;
  uint32_t localSize[3];
  uint32_t abreast = 1;  ///< workgroups that run as one, from left to right, a lane each where there are several
  uint32_t columns = 0;  ///< of those
  uint32_t invocations = 0, warps = 0;
  uint64_t groups = 0;
  bool keepWarps = false;           ///< barriers: every warp of a workgroup has registers of its own
  std::vector<LaneWords> localIds;  ///< x, y, z of each warp
  /// A system value of three axes that changes from warp to warp or from workgroup to workgroup: the axes that the
  /// kernel reads. Small dispatches take no longer than their preparations.
  struct Axes {
    uint32_t count = 0, axis[3];
  };
  Axes localId, workgroupId, globalId;
  std::atomic<bool> cancelled{false};

  Plan(const abi::Kernel& k, const abi::DispatchContext& c, const DispatchSize& s) : kernel(k), context(c), size(s) {
    for (int i = 0; i < 3; ++i) localSize[i] = std::max(1u, k.info.localSize[i]);
    if (abi::groupsLieAbreast(k.info)) abreast = kWarpLanes;
    invocations = localSize[0] * localSize[1] * localSize[2];
    warps = abreast > 1 ? invocations : divideUp(invocations, kWarpLanes);
    columns = static_cast<uint32_t>(divideUp(uint64_t(s.count[0]), uint64_t(abreast)));
    groups = uint64_t(columns) * s.count[1] * s.count[2];
    keepWarps = k.info.usesBarrier && warps > 1;
    localIds.resize(3 * warps);
    for (uint32_t i = 0; i < warps * kWarpLanes; ++i) {
      // LocalInvocationIndex is the lane order, so subgroups are runs of 8 consecutive indices.
      LaneWords* row = &localIds[3 * (i / kWarpLanes)];
      const uint32_t lane = i % kWarpLanes, index = std::min(localIndex(i / kWarpLanes, lane), invocations - 1);
      row[0][lane] = index % localSize[0];
      row[1][lane] = index / localSize[0] % localSize[1];
      row[2][lane] = index / (localSize[0] * localSize[1]);
    }
    localId = axesOf(SysValue::LocalIdX);
    workgroupId = axesOf(SysValue::WorkgroupIdX);
    globalId = axesOf(SysValue::GlobalIdX);
  }

  Axes axesOf(SysValue x) const {
    Axes found;
    for (uint32_t a = 0; a < 3; ++a)
      if (reads(kernel.info.sysValues, SysValue(uint32_t(x) + a))) found.axis[found.count++] = a;
    return found;
  }

  uint32_t localIndex(uint32_t warp, uint32_t lane) const { return abreast > 1 ? warp : warp * kWarpLanes + lane; }
  /// The lanes of a warp that exist; `x` is its workgroup's, or that of the first of several.
  LaneMask lanes(uint32_t warp, uint32_t x) const {
    const uint32_t left = abreast > 1 ? size.base[0] + size.count[0] - x : invocations - warp * kWarpLanes;
    return left >= kWarpLanes ? kAllLanes : (1u << left) - 1;
  }
};

/// Two lines, since caches fetch them in pairs: what one worker writes must not lie in another's.
constexpr size_t kApart = 128;

/// The memory of one worker: one block, cut into the arrays that warps point to.
class alignas(kApart) WorkerState {
 public:
  WorkerState() = default;
  ~WorkerState() { std::free(block_); }
  WorkerState(const WorkerState&) = delete;
  WorkerState& operator=(const WorkerState&) = delete;

  /// For so many warps, and as many each time after. \throws std::bad_alloc
  void prepare(const Plan& plan, uint64_t warps) {
    if (block_) return;
    constexpr uint64_t kWorthPlaces = abi::DelayedAtomics::kPlaces / 2;  // four atomics for each of them
    delayed_.allowPlaces(warps >= kWorthPlaces);
    const abi::Kernel& k = plan.kernel;
    const abi::Executable* executable = k.choose(&plan.context);
    if (!plan.keepWarps && executable->abreast) executable_ = executable, strands_ = executable->strands;
    const uint32_t copies = plan.keepWarps ? plan.warps : strands_;
    const size_t sysBytes = abi::kSysValueCount * sizeof(LaneWords);
    const size_t registerBytes = std::max<size_t>(k.registerWords, 1) * sizeof(LaneWords);
    const size_t scratchBytes = alignUp<size_t>(size_t(k.scratchBytes) * kWarpLanes, 64);
    const size_t stateBytes = alignUp<size_t>(k.stateBytes, 64);
    const size_t sharedBytes = alignUp<size_t>(std::max(k.sharedBytes, k.info.sharedBytes), 64);
    const size_t warpBytes = alignUp<size_t>(sizeof(abi::Warp), 64) + alignUp<size_t>(sysBytes, 64) +
                             alignUp<size_t>(registerBytes, 64) + scratchBytes + stateBytes;
    block_ = static_cast<std::byte*>(std::aligned_alloc(64, warpBytes * copies + sharedBytes + 64));
    if (!block_) throw std::bad_alloc();
    std::byte* at = block_;
    auto take = [&](size_t bytes) {
      std::byte* p = at;
      at += alignUp<size_t>(bytes, 64);
      return p;
    };
    shared_ = take(sharedBytes);
    sharedBytes_ = sharedBytes;
    warps_ = reinterpret_cast<abi::Warp*>(take(sizeof(abi::Warp) * copies));
    for (uint32_t i = 0; i < copies; ++i) {
      abi::Warp* w = new (&warps_[i]) abi::Warp();
      w->context = &plan.context;
      w->kernel = &k;
      w->sys = reinterpret_cast<LaneWords*>(take(sysBytes));
      std::memset(static_cast<void*>(w->sys), 0, sysBytes);
      w->registers = reinterpret_cast<LaneWords*>(take(registerBytes));
      w->scratch = take(scratchBytes);
      w->executorState = take(stateBytes);
      w->shared = shared_;
      w->delayed = delayed_.slots();
      prepareDispatch(plan, *w);
      if (plan.keepWarps) prepareWarp(plan, *w, i);
    }
  }

  /// To be called before the worker turns to something else.
  void finishAtomics() { delayed_.flush(); }

  /// Runs workgroup `g` (linear, x fastest), or as many as run as one. \returns false when cancelled.
  bool runGroup(const Plan& plan, uint64_t g) {
    const DispatchSize& s = plan.size;
    const uint64_t row = g / plan.columns;
    const uint32_t group[3] = {s.base[0] + uint32_t(g % plan.columns) * plan.abreast,
                               s.base[1] + uint32_t(row % s.count[1]), s.base[2] + uint32_t(row / s.count[1])};
    // Contents are undefined, but the same input must give the same bytes.
    if (sharedBytes_) std::memset(shared_, 0, sharedBytes_);
    const abi::Executable* executable = plan.kernel.choose(&plan.context);
    if (!plan.keepWarps) {
      uint32_t w = 0;
      for (uint32_t s = 0; s < strands_; ++s) startGroup(plan, warps_[s], group);
      for (; strands_ > 1 && w + strands_ <= plan.warps; w += strands_) {
        for (uint32_t s = 0; s < strands_; ++s) {
          prepareWarp(plan, warps_[s], w + s);
          startWarp(plan, warps_[s], w + s, group, executable_);
        }
        if (executable_->abreast(executable_->code, warps_) == abi::WarpStatus::Cancelled) return false;
      }
      for (; w < plan.warps; ++w) {
        prepareWarp(plan, warps_[0], w);
        startWarp(plan, warps_[0], w, group, executable);
        abi::WarpStatus status;
        do status = executable->entry(executable->code, &warps_[0]);
        while (status == abi::WarpStatus::AtBarrier);  // a workgroup of one warp waits for nobody
        if (status == abi::WarpStatus::Cancelled) return false;
      }
      return true;
    }
    for (uint32_t w = 0; w < plan.warps; ++w) {
      startGroup(plan, warps_[w], group);
      startWarp(plan, warps_[w], w, group, executable);
    }
    if (executable->workgroup)
      return executable->workgroup(executable->code, warps_, plan.warps) != abi::WarpStatus::Cancelled;
    bool waiting = true;
    while (waiting) {
      waiting = false;
      for (uint32_t w = 0; w < plan.warps; ++w) {
        abi::Warp& warp = warps_[w];
        if (!warp.user) continue;
        const abi::WarpStatus status = plan.kernel.run(&warp);
        if (status == abi::WarpStatus::Cancelled) return false;
        if (status == abi::WarpStatus::AtBarrier)
          waiting = true;
        else
          warp.user = nullptr;
      }
    }
    return true;
  }

 private:
  static LaneWords& row(abi::Warp& warp, SysValue v, uint32_t axis = 0) { return warp.sys[uint32_t(v) + axis]; }
  static void fill(const Plan& plan, abi::Warp& warp, SysValue v, uint32_t axis, uint32_t value) {
    if (!reads(plan.kernel.info.sysValues, SysValue(uint32_t(v) + axis))) return;
    const LaneWords all{{value, value, value, value, value, value, value, value}};
    row(warp, v, axis) = all;
  }

  /// What every warp of the dispatch sees.
  void prepareDispatch(const Plan& plan, abi::Warp& warp) {
    for (uint32_t a = 0; a < 3; ++a) fill(plan, warp, SysValue::NumWorkgroupsX, a, plan.size.count[a]);
    fill(plan, warp, SysValue::NumSubgroups, 0, plan.warps);
    for (uint32_t i = 0; i < kWarpLanes; ++i) row(warp, SysValue::LaneId)[i] = i;
  }

  /// What warp `w` sees in every workgroup.
  void prepareWarp(const Plan& plan, abi::Warp& warp, uint32_t w) {
    for (uint32_t i = 0; i < plan.localId.count; ++i)
      row(warp, SysValue::LocalIdX, plan.localId.axis[i]) = plan.localIds[3 * w + plan.localId.axis[i]];
    fill(plan, warp, SysValue::SubgroupId, 0, w);
    if (reads(plan.kernel.info.sysValues, SysValue::LocalIndex))
      for (uint32_t i = 0; i < kWarpLanes; ++i) row(warp, SysValue::LocalIndex)[i] = plan.localIndex(w, i);
  }

  /// `first`, and what `apart` says by lane; from left to right where lanes are workgroups.
  static void setRow(const Plan& plan, LaneWords& to, uint32_t axis, uint32_t first, const LaneWords& apart) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) to[lane] = first + apart[lane];
    if (plan.abreast > 1 && axis == 0)
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane) to[lane] += lane;
  }

  /// What all warps of a workgroup see.
  static void startGroup(const Plan& plan, abi::Warp& warp, const uint32_t group[3]) {
    static constexpr LaneWords kTogether{};
    for (uint32_t i = 0; i < plan.workgroupId.count; ++i) {
      const uint32_t a = plan.workgroupId.axis[i];
      setRow(plan, row(warp, SysValue::WorkgroupIdX, a), a, group[a], kTogether);
    }
  }

  void startWarp(const Plan& plan, abi::Warp& warp, uint32_t w, const uint32_t group[3],
                 const abi::Executable* executable) {
    warp.active = plan.lanes(w, group[0]);
    warp.helper = warp.killed = 0;
    warp.resume = 0;
    warp.executable = executable;
    warp.user = this;  // "not done yet"
    for (uint32_t i = 0; i < plan.globalId.count; ++i) {
      const uint32_t a = plan.globalId.axis[i];
      setRow(plan, row(warp, SysValue::GlobalIdX, a), a, group[a] * plan.localSize[a], plan.localIds[3 * w + a]);
    }
  }

  std::byte* block_ = nullptr;
  std::byte* shared_ = nullptr;
  abi::Warp* warps_ = nullptr;
  size_t sharedBytes_ = 0;
  DelayedAtomics delayed_;
  const abi::Executable* executable_ = nullptr;  ///< runs `strands_` warps side by side; null: none does
  uint32_t strands_ = 1;
};

void runGroups(Plan& plan, WorkerState& state, uint64_t first, uint64_t last) {
  state.prepare(plan, (last - first) * plan.warps);
  for (uint64_t g = first; g < last; ++g) {
    const auto* cancel = plan.context.cancel;
    if ((cancel && cancel->load(std::memory_order_relaxed)) || !state.runGroup(plan, g))
      plan.cancelled.store(true, std::memory_order_relaxed);
    if (plan.cancelled.load(std::memory_order_relaxed)) break;
    plan.context.madeProgress();
  }
  state.finishAtomics();
}

}  // namespace

bool dispatch(Pool& pool, const abi::Kernel& kernel, const abi::DispatchContext& context, const DispatchSize& size) {
  Plan plan(kernel, context, size);
  if (plan.groups == 0) return true;
  const uint64_t totalWarps = plan.groups * plan.warps;
  kernel.countWarps(totalWarps);  // before they run: a large dispatch may change over to native code midway
  if (pool.threads() == 1 || plan.groups == 1 || totalWarps <= kInlineWarps) {
    WorkerState state;
    runGroups(plan, state, 0, plan.groups);
    return !plan.cancelled.load(std::memory_order_relaxed);
  }
  // About 16 tasks per thread: uneven workgroups still balance, and claiming one costs nothing beside its work.
  const uint64_t perTask = std::max<uint64_t>(1, plan.groups / (uint64_t(pool.threads()) * 16));
  const uint32_t tasks = static_cast<uint32_t>(divideUp(plan.groups, perTask));
  std::vector<WorkerState> states(pool.threads());
  pool.parallelFor(tasks, [&](uint32_t task, uint32_t worker) {
    if (plan.cancelled.load(std::memory_order_relaxed)) return;
    runGroups(plan, states[worker], task * perTask, std::min(plan.groups, (task + 1) * perTask));
  });
  return !plan.cancelled.load(std::memory_order_relaxed);
}

}  // namespace etzel::task
