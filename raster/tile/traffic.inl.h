// Counts what a block moves (raster/tile/traffic.h). Part of the tile code: included once per instruction set, between
// shadeTests() and its caller.

/// The samples that `block` covers. `byGroups`: as shadeGroups() leaves them without alikeOnce, all in `lanes`.
inline BlockSamples coveredSamples(const TileDraw& d, const BlockCoverage& block, bool byGroups) {
  BlockSamples covered;
  const uint32_t groups = block.groups();
  for (uint32_t g = 0; g < 8; ++g) {
    if (!(groups >> g & 1)) continue;
    const bool each = byGroups || block.mixed >> g & 1;
    for (uint32_t s = 0; s < d.samples; ++s) {
      const uint64_t lanes = each ? block.lanes[g][s] : block.alike >> g * 8 & 255;
      covered.mask[s] |= lanes << g * 8;
    }
  }
  return covered;
}

/// shadeTests(), counted.
__attribute__((noinline)) inline void countBlock(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                                 BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!block.groups()) return;
  const BlockTraffic traffic(w, d, p.primitive->layer, x, y, coveredSamples(d, block, false));
  shadeTests(w, p, x, y, block);
  const bool tested = d.tests && p.tested, ended = tested && !d.kernel && !d.countSamples;
  // Where the groups were shaded one by one their lanes are what was written.
  const BlockSamples written = coveredSamples(d, block, !d.alikeOnce && !ended);
  const BlockSamples passed = tested ? coveredSamples(d, block, false) : written;
  const bool replaced = d.replacesAll && block.alike == ~uint64_t{0} && (!d.tests || p.tested);
  traffic.finish(w, passed, written, tested, replaced);
}
