#include "raster/tile/probe/probed_tile.h"

#include <algorithm>

#include "raster/attachment/pixel_contents.h"
#include "raster/tile/probe/fragment_story.h"

namespace etzel::raster {
namespace {

constexpr int32_t kSize = kTileSize, kBlockSize = mem::kFragmentTile;

bool holds(const PixelRect& r, int64_t x, int64_t y) { return x >= r.minX && x < r.maxX && y >= r.minY && y < r.maxY; }

/// Extends a rectangle by the block of a pixel.
void addBlock(PixelRect& to, int32_t x, int32_t y) {
  const PixelRect block{x & -kBlockSize, y & -kBlockSize, (x & -kBlockSize) + kBlockSize,
                        (y & -kBlockSize) + kBlockSize};
  if (isEmpty(to)) {
    to = block;
    return;
  }
  to.minX = std::min(to.minX, block.minX), to.minY = std::min(to.minY, block.minY);
  to.maxX = std::max(to.maxX, block.maxX), to.maxY = std::max(to.maxY, block.maxY);
}

/// Calls f(draw) for the draws of a job, for each at least once, until one gives true. \returns whether one did
template <class F>
bool anyDraw(const TileJob& job, const F& f) {
  const DrawRecord* last = nullptr;
  for (uint32_t i = 0; i < job.count; ++i) {
    const BinnedPrimitive& p = *job.primitives[i];
    if (p.kind == PrimitiveKind::Clear || p.draw == last) continue;
    if (f(*p.draw)) return true;
    last = p.draw;
  }
  return false;
}

}  // namespace

ProbedTile::ProbedTile(const TileJob& job, CutPrimitives& cut, Run run, SurfaceOf surfaceOf)
    : job_(job),
      probe_(*job.attachments->probe),
      tile_{job.x, job.y, job.x + kSize, job.y + kSize},
      tells_(probe_.isAt(tile_.minX, tile_.minY, tile_.maxX, tile_.maxY, job.layer)),
      place_(probe_.place()),
      isWatched_(holdsWatched()),
      cut_(cut),
      run_(std::move(run)),
      surfaceOf_(std::move(surfaceOf)),
      kernels_(probe_.x, probe_.y) {
  if (tells_) told_ = std::make_unique<Told>();
}

bool ProbedTile::holdsWatched() const {
  if (!place_ || place_->layer.value_or(job_.layer) != job_.layer) return false;
  if (place_->pixel && !holds(tile_, place_->pixel->first, place_->pixel->second)) return false;
  return anyDraw(job_, [&](const DrawRecord& draw) { return probe_.kernelOf(draw) != nullptr; });
}

/// What is to be drawn apart.
PixelRect ProbedTile::focus() const {
  PixelRect focus;
  if (tells_) addBlock(focus, probe_.x, probe_.y);
  if (isWatched_) {
    if (!place_->pixel) return tile_;
    addBlock(focus, static_cast<int32_t>(place_->pixel->first), static_cast<int32_t>(place_->pixel->second));
  }
  // What kernels store may show the order of pixels. Nobody may rely on it, but a look shall not change it either.
  const auto stores = [](const DrawRecord& d) { return d.tile->kernel && d.tile->kernel->info.hasSideEffects; };
  return !isEmpty(focus) && anyDraw(job_, stores) ? tile_ : focus;
}

bool ProbedTile::run() {
  const PixelRect focus = this->focus();
  if (isEmpty(focus)) return run_(cut_.cut(job_, tile_, false));
  const PixelRect around[] = {{tile_.minX, tile_.minY, tile_.maxX, focus.minY},
                              {tile_.minX, focus.minY, focus.minX, focus.maxY},
                              {focus.maxX, focus.minY, tile_.maxX, focus.maxY},
                              {tile_.minX, focus.maxY, tile_.maxX, tile_.maxY}};
  for (const PixelRect& r : around) {
    if (isEmpty(r)) continue;
    const TileJob part = cut_.cut(job_, r, false);
    if (part.count && !run_(part)) return false;
  }
  return runFocus(focus);
}

bool ProbedTile::runFocus(const PixelRect& focus) {
  const TileJob part = cut_.cut(job_, focus, tells_);
  if (isWatched_) watch(part);
  if (tells_) return tell(part);
  return !part.count || run_(part);
}

/// Gives fragments at place() the kernels that watch them.
void ProbedTile::watch(const TileJob& part) {
  for (uint32_t i = 0; i < part.count; ++i) {
    const BinnedPrimitive& p = *part.primitives[i];
    if (p.kind == PrimitiveKind::Clear || place_->primitive.value_or(p.primitiveId) != p.primitiveId ||
        place_->view.value_or(p.viewIndex) != p.viewIndex)
      continue;
    if (const abi::Kernel* kernel = probe_.kernelOf(*p.draw)) cut_.setDraw(i, watched(*p.draw, kernel));
  }
}

const DrawRecord* ProbedTile::watched(const DrawRecord& draw, const abi::Kernel* kernel) {
  std::unique_ptr<DrawRecord>& made = watched_[&draw];
  if (made) return made.get();
  made = std::make_unique<DrawRecord>(draw);
  made->state.fragment = kernel;
  prepareDraw(*made, arena_);
  return made.get();
}

const DrawRecord* ProbedTile::told(const DrawRecord& draw) {
  if (told_->of == &draw) return &told_->record;
  told_->of = &draw;
  told_->record = draw, told_->tile = *draw.tile;
  told_->record.tile = &told_->tile;
  told_->tile.kernel = kernels_.of(draw.tile->kernel);
  told_->tile.oneColor = told_->tile.fillsRects = false;  // the pixel's own invocation is to be seen
  return &told_->record;
}

/// Runs a part with the probe's pixel and tells of it.
bool ProbedTile::tell(const TileJob& all) {
  TileJob part = all;
  part.count = 0;
  const auto runPart = [&] { return !part.count || run_(part); };
  for (uint32_t i = 0; i < all.count; ++i) {
    const BinnedPrimitive& p = cut_.whole(i);
    const bool isClear = p.kind == PrimitiveKind::Clear;
    const bool wanted = isClear ? probe_.isAt(p.minX, p.minY, p.maxX, p.maxY, job_.layer)
                                : coverageOf(p, *p.draw->tile, probe_.x, probe_.y) != 0;
    if (!part.count) part.primitives = all.primitives + i;
    if (!wanted) {
      ++part.count;
      continue;
    }
    if (!runPart()) return false;
    part.primitives = all.primitives + i, part.count = 1;
    if (!(isClear ? runClear(part) : runFragment(p, part))) return false;
    part.count = 0;
  }
  if (!runPart()) return false;
  PixelContents contents[Attachments::count];
  read(contents);
  probe_.tileDone(contents);
  return true;
}

bool ProbedTile::runClear(const TileJob& part) {
  ClearVisit visit;
  visit.clear = part.primitives[0]->clear;
  read(visit.before);
  const bool ok = run_(part);
  read(visit.after);
  probe_.cleared(visit);
  return ok;
}

bool ProbedTile::runFragment(const BinnedPrimitive& whole, const TileJob& part) {
  BinnedPrimitive primitive = *part.primitives[0];
  const BinnedPrimitive* const only = &primitive;
  TileJob alone = part;
  alone.primitives = &only;
  FragmentVisit& v = told_->visit;
  v.draw = primitive.draw->tile, v.primitive = &whole;
  v.samples = v.draw->samples;
  v.results.clear();
  v.covered = coverageOf(whole, *v.draw, probe_.x, probe_.y);
  primitive.draw = told(*primitive.draw);
  read(v.before);
  kernels_.tell(&v);
  const bool ok = run_(alone);
  kernels_.tell(nullptr);
  read(v.after);
  // One that stands for several samples may have seen samples of which an earlier one took care.
  msaa::SampleMask done = 0;
  for (FragmentResult& r : v.results) r.samples &= ~done, done |= r.samples;
  tellStory(v, cutAt(whole, probe_.x, probe_.y), probe_.x, probe_.y);
  if (ok) probe_.fragment(v);
  return ok;
}

void ProbedTile::read(PixelContents* to) const {
  for (uint32_t i = 0; i < Attachments::count; ++i)
    to[i] = job_.attachments->view(i) ? readPixel(surfaceOf_(i), probe_.x, probe_.y, probe_.layer) : PixelContents{};
}

}  // namespace etzel::raster
