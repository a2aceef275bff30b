#include "raster/tile/tile_worker.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

#include "raster/attachment/clear.h"
#include "raster/attachment/tile_memory.h"
#include "raster/tile/block_traffic.h"
#include "raster/tile/probe/probed_tile.h"
#include "raster/tile/run_tile.h"
#include "raster/tile/tile_images.h"
#include "runtime/base/debug_flags.h"
#include "runtime/simd/cpu.h"
#include "runtime/task/delayed_atomics.h"

namespace etzel::raster {
namespace {

struct Memory : WorkerState {
  std::vector<LaneWords> registers;
  std::vector<LaneWords> scratch;  // LaneWords for the alignment
  std::vector<LaneWords> state;
  TileMemory tile;
  const TilePlan* plan = nullptr;            ///< of the job in work
  TileDraw tileDraw;                         ///< the draw in work as it is for tile memory
  const TileDraw* tileDrawOf = nullptr;      ///< what it was made of, for this job
  const TileDraw* cleanFor = nullptr;        ///< whose kernel alone has used what lanes read and write, in this job
  CutPrimitives cut;                         ///< of jobs in passes with a probe
  const Attachments* attachments = nullptr;  ///< of the job in work
  TileImages images;                         ///< of the same, as far as kernels have read them
  const abi::Kernel* counted = nullptr;      ///< ran `countedWarps` that it has not heard of
  uint64_t countedWarps = 0;
  task::DelayedAtomics delayed;  ///< of kernel `delayedOf`
  const abi::Kernel* delayedOf = nullptr;

  /// Where a kernel's atomics are put off to, after those of others are done.
  abi::DelayedAtomics* delayedBy(const abi::Kernel* kernel) {
    if (kernel != delayedOf) delayed.flush(), delayed.allowPlaces(true), delayedOf = kernel;
    return delayed.slots();
  }

  void tellKernel() {
    if (countedWarps) counted->countWarps(countedWarps);
    counted = nullptr, countedWarps = 0;
  }
  /// Tiles of one colour run few warps, and a locked addition waits for all that was stored before it.
  void countWarps(const abi::Kernel& kernel, uint64_t warps) {
    constexpr uint64_t kWorthTelling = 256;
    if (counted != &kernel) tellKernel();
    counted = &kernel;
    countedWarps += warps;
    if (countedWarps >= kWorthTelling) tellKernel();
  }
};

/// abi::Warp::readAttachment
void readAttachment(abi::Warp* warp, abi::AttachmentAspect aspect, LaneMask lanes, const LaneWords* location,
                    const LaneWords* sample, LaneWords* result) {
  Memory& memory = *static_cast<Memory*>(warp->user);
  if (!memory.attachments) return;
  memory.images.read(*memory.attachments, memory.tile, *memory.draw, {warp, aspect, lanes, location, sample}, result);
}

/// Without the targets that the draw does not have.
void copyDraw(const TileDraw& from, TileDraw& to) {
  static_assert(std::is_trivially_copyable_v<TileDraw>);
  std::memcpy(static_cast<void*>(&to), &from, offsetof(TileDraw, color) + from.colorCount * sizeof(ColorTarget));
}

/// Points a draw at what is in tile memory.
void redirect(const TileMemory& tile, TileDraw& draw) {
  DepthStencilState& ds = draw.depthStencil;
  if (ds.depth) ds.depth = tile.surface(Attachments::depthIndex, ds.depth);
  if (ds.stencil) ds.stencil = tile.surface(Attachments::stencilIndex, ds.stencil);
  for (uint32_t i = 0; i < draw.colorCount; ++i) {
    ColorTarget& t = draw.color[i];
    t.surface = tile.surface(t.attachment, t.surface);
  }
}

template <class T>
void addRelaxed(T& counter, T amount) {
  if (amount) std::atomic_ref<T>(counter).fetch_add(amount, std::memory_order_relaxed);
}

using RunTileFn = bool (*)(WorkerState& worker, const TileJob& job);

class Worker final : public TileWorker {
 public:
  explicit Worker(RunTileFn run) : run_(run) {}
  bool run(const TileJob& job) override {
    memory_.plan = job.plan, memory_.tileDrawOf = memory_.cleanFor = nullptr;
    memory_.attachments = job.attachments, memory_.images.forget();
    memory_.tile.leave();
    if (job.plan && job.count) memory_.tile.begin(*job.plan, job);
    const bool ok = job.attachments && job.attachments->probe ? runProbed(job) : run_(memory_, job);
    switchDraw(memory_, nullptr);
    postTraffic(memory_, job);
    if (!job.plan) return ok;
    if (ok) memory_.tile.resolve(*job.plan, job);
    memory_.tile.store(*job.plan, job);
    return ok;
  }
  void finish() override { memory_.tellKernel(), memory_.delayed.flush(); }

 private:
  bool runProbed(const TileJob& job) {
    const auto run = [&](const TileJob& part) {
      const bool ok = run_(memory_, part);
      switchDraw(memory_, nullptr);
      memory_.tileDrawOf = memory_.cleanFor = nullptr;  // some draws are the probed tile's own
      return ok;
    };
    const auto surface = [&](uint32_t index) {
      return memory_.tile.surface(index, surfaceOf(job.attachments->view(index)));
    };
    return ProbedTile(job, memory_.cut, run, surface).run();
  }

  Memory memory_;
  RunTileFn run_;
};

}  // namespace

void switchDraw(WorkerState& worker, const DrawRecord* record) {
  if (worker.record) {
    if (Statistics* statistics = worker.record->state.statistics) {
      addRelaxed(statistics->fragmentInvocations, worker.fragmentInvocations);
      addRelaxed(statistics->samplesPassed, worker.samplesPassed);
    }
    if (worker.draw->kernel && worker.warps)
      static_cast<Memory&>(worker).countWarps(*worker.draw->kernel, worker.warps);
  }
  worker.fragmentInvocations = worker.samplesPassed = worker.warps = 0;
  worker.record = record;
  Memory& memory = static_cast<Memory&>(worker);
  if (record && memory.cleanFor == record->tile && (!memory.plan || memory.tileDrawOf == record->tile)) {
    // Draws that are alike find what those before them left, as a draw's own primitives do.
    worker.draw = memory.plan ? &memory.tileDraw : record->tile;
    worker.warp.context = &record->state.context;
    worker.warp.executable = nullptr;
    return;
  }
  worker.draw = record ? record->tile : nullptr;
  if (!record) return;
  if (memory.plan) {
    worker.draw = &memory.tileDraw;
    if (memory.tileDrawOf != record->tile) {
      copyDraw(*record->tile, memory.tileDraw);
      redirect(memory.tile, memory.tileDraw);
      memory.tileDrawOf = record->tile;
    }
  }
  const abi::Kernel* kernel = worker.draw->kernel;
  if (!kernel) return;
  auto room = [](std::vector<LaneWords>& v, size_t words) {
    if (v.size() < words) v.resize(words);
  };
  room(memory.registers, kernel->registerWords);
  room(memory.scratch, (size_t{kernel->scratchBytes} + 3) / 4);
  room(memory.state, (size_t{kernel->stateBytes} + sizeof(LaneWords) - 1) / sizeof(LaneWords));
  abi::Warp& warp = worker.warp;
  warp = {};
  warp.context = &record->state.context;
  warp.kernel = kernel;
  warp.sys = worker.sys;
  warp.out = worker.out;
  if (worker.draw->readsTile) warp.user = &memory, warp.readAttachment = readAttachment;
  if (worker.draw->sharesSamples && !debug(DebugFlag::NoShare)) warp.sampleShare = &worker.share;
  if (!memory.attachments || !memory.attachments->probe) warp.delayed = memory.delayedBy(kernel);
  warp.registers = memory.registers.data();
  warp.scratch = reinterpret_cast<std::byte*>(memory.scratch.data());
  warp.executorState = memory.state.data();
  memory.cleanFor = record->tile;
  std::memset(worker.sys, 0, sizeof worker.sys);
  std::memset(worker.out, 0, sizeof worker.out);
  for (uint32_t i = 0; i < kWarpLanes; ++i) worker.sys[static_cast<uint32_t>(abi::SysValue::LaneId)][i] = i;
}

void runClear(WorkerState& worker, const TileJob& job, const BinnedPrimitive& primitive) {
  int32_t x0 = std::max(primitive.minX, job.x), y0 = std::max(primitive.minY, job.y);
  int32_t x1 = std::min(primitive.maxX, job.x + static_cast<int32_t>(job.across * kTileSize));
  int32_t y1 = std::min(primitive.maxY, job.y + int32_t{kTileSize});
  if (x0 >= x1 || y0 >= y1) return;
  VkRect2D rect{{x0, y0}, {static_cast<uint32_t>(x1 - x0), static_cast<uint32_t>(y1 - y0)}};
  const ClearRecord& clear = *primitive.clear;
  const Attachments& a = *job.attachments;
  const TileMemory& tile = static_cast<const Memory&>(worker).tile;
  const auto surface = [&](uint32_t index) { return tile.surface(index, surfaceOf(a.view(index))); };
  if (clear.color != ~0u) {
    if (const tex::ImageView* view = a.view(clear.color))
      clearColorIn(*view, surface(clear.color), clear.value.color, rect, job.layer, clear.clearColor);
    return;
  }
  if ((clear.aspects & VK_IMAGE_ASPECT_DEPTH_BIT) && a.depth) {
    const uint32_t word =
        clearDepthIn(*a.depth, surface(Attachments::depthIndex), clear.value.depthStencil.depth, rect, job.layer);
    const DepthRange range = rangeOfWord(msaa::depthFormatOf(a.depth->plane->format), word);
    constexpr int32_t kBlock = mem::kFragmentTile;
    for (int32_t y = y0 & ~(kBlock - 1); y < y1; y += kBlock) {
      for (int32_t x = x0 & ~(kBlock - 1); x < x1; x += kBlock) {
        const bool whole = x >= x0 && y >= y0 && x + kBlock <= x1 && y + kBlock <= y1;
        const uint32_t block = DepthHierarchy::blockOf(x, y);
        whole ? worker.depth.set(block, range) : worker.depth.forget(block);
      }
    }
  }
  if ((clear.aspects & VK_IMAGE_ASPECT_STENCIL_BIT) && a.stencil)
    clearStencilIn(*a.stencil, surface(Attachments::stencilIndex), clear.value.depthStencil.stencil, rect, job.layer);
}

std::unique_ptr<TileWorker> makeTileWorkerFor(simd::Target target) {
  for (const auto& variant : ETZEL_VARIANTS(runTile))
    if (variant.target == target) return std::make_unique<Worker>(variant.of);
  return nullptr;
}
std::unique_ptr<TileWorker> makeTileWorker() { return makeTileWorkerFor(simd::target()); }

}  // namespace etzel::raster
