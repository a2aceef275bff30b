#include "raster/tile/probe/probed_tile.h"

#include "raster/attachment/pixel_contents.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/probe/fragment_story.h"

namespace etzel::raster {

void ProbedTile::read(PixelContents* to) const {
  for (uint32_t i = 0; i < Attachments::count; ++i)
    to[i] = attachments_.view(i) ? readPixel(surfaceOf_(i), probe_.x, probe_.y, probe_.layer) : PixelContents{};
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
  FragmentVisit& v = visit_;
  v.draw = whole.draw->tile, v.primitive = &whole;
  v.samples = v.draw->samples;
  v.results.clear();
  v.covered = coverageOf(whole, *v.draw, probe_.x, probe_.y);
  read(v.before);
  kernels_.tell(&v);
  const bool ok = run_(part);
  kernels_.tell(nullptr);
  read(v.after);
  // One that stands for several samples may have seen samples of which an earlier one took care.
  msaa::SampleMask done = 0;
  for (FragmentResult& r : v.results) r.samples &= ~done, done |= r.samples;
  tellStory(v, cutAt(whole, probe_.x, probe_.y), probe_.x, probe_.y);
  if (ok) probe_.fragment(v);
  return ok;
}

bool ProbedTile::run(const TileJob& job, const TileJob& cut) {
  TileJob part = cut;
  part.count = 0;
  const auto runPart = [&] { return !part.count || run_(part); };
  for (uint32_t i = 0; i < cut.count; ++i) {
    const BinnedPrimitive& p = *job.primitives[i];
    const bool isClear = p.kind == PrimitiveKind::Clear;
    const bool wanted = isClear ? probe_.isAt(p.minX, p.minY, p.maxX, p.maxY, job.layer)
                                : coverageOf(p, *p.draw->tile, probe_.x, probe_.y) != 0;
    if (!part.count) part.primitives = cut.primitives + i;
    if (!wanted) {
      ++part.count;
      continue;
    }
    if (!runPart()) return false;
    part.primitives = cut.primitives + i, part.count = 1;
    if (!(isClear ? runClear(part) : runFragment(p, part))) return false;
    part.count = 0;
  }
  if (!runPart()) return false;
  PixelContents contents[Attachments::count];
  read(contents);
  probe_.tileDone(contents);
  return true;
}

}  // namespace etzel::raster
