// Sample shading by programs that let one invocation stand for several samples (abi::ProgramInfo::sharesSamples): those
// of a pixel whose fetches find the same texels, which is to say one invocation per distinct colour of the pictures
// that it reads. Each invocation finds its inputs at the pixel's centre, and so gives what those for the other samples
// would have given. Part of the tile code: included once per instruction set.

/// Shades the covered samples of one pixel group, a first sample of each lane and those that it stands for at a time.
class SharedGroup {
 public:
  SharedGroup(WorkerState& w, const TileDraw& d, F8 px, F8 py) : w_(w), draw_(d) {
    using abi::SysValue;
    const F8 x = px + splat(0.5f), y = py + splat(0.5f);
    setWords(sysOf(w, SysValue::PosX), x), setWords(sysOf(w, SysValue::PosY), y);
    setWords(sysOf(w, SysValue::FragCoordX), x), setWords(sysOf(w, SysValue::FragCoordY), y);
  }
  /// Lanes some of whose samples, in `left`, have no colour yet.
  ETZEL_INLINE static LaneMask lanesOf(U8 left) { return signs(left != 0); }
  /// Runs the kernel for `lanes`, lanesOf(left). \returns the samples of `left` that it stood for; `alive`: the lanes
  /// that were not discarded
  ETZEL_INLINE U8 run(U8 left, LaneMask lanes, LaneMask& alive) {
    const U8 first = left & (0u - left);
    // The number of a sample's bit: the exponent of a power of two.
    const U8 id = (asU(__builtin_convertvector((I8)first, F8)) >> 23) - 127u;
    setWords(sysOf(w_, abi::SysValue::SampleId), id & (U8)maskOf(lanes));
    setWords(w_.share, splatU(~0u));
    alive = runKernel(w_, draw_, lanes);
    return w_.warp.sampleShare ? left & (first | loadAs<U8>(&w_.share)) : first;
  }

 private:
  WorkerState& w_;
  const TileDraw& draw_;
};

/// One lane mask per sample from the samples of each lane.
ETZEL_INLINE void lanesOfSamples(U8 samplesOfLanes, LaneMask* lanes, uint32_t samples) {
  for (uint32_t s = 0; s < samples; ++s) lanes[s] = signs((I8)(samplesOfLanes << (31 - s)));
}

/// shadeGroup() after the early tests. `coverage` becomes what was written.
inline void shadeShared(WorkerState& w, PrimitiveContext& p, const Group& g, LaneMask* coverage) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = d.samples;
  const bool tests = d.tests && !p.tested;
  if (d.cullBeforeShading && tests) testGroup(p, g, coverage, 0, samples, nullptr, false);
  U8 left = {};
  for (uint32_t s = 0; s < samples; ++s) {
    left |= (U8)maskOf(coverage[s]) & (1u << s);
    w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(coverage[s]));
    coverage[s] = d.skipShading ? coverage[s] : 0;
  }
  if (d.skipShading) return;
  SharedGroup group(w, d, g.px, g.py);
  while (const LaneMask lanes = SharedGroup::lanesOf(left)) {
    LaneMask alive, written[kMaxSamples];
    U8 done = group.run(left, lanes, alive);
    if (w.cancelled) return;
    left &= ~done;
    done &= (U8)maskOf(alive);
    if (d.writesSampleMask) done &= loadAs<U8>(&w.out[abi::kFragOutSampleMask]);
    lanesOfSamples(done, written, samples);
    if (d.alphaToCoverage) alphaToCoverage(w, d, written, 0, samples);
    if (!d.earlyTests) {
      p.tests.stencilRef = d.writesStencilRef ? &w.out[abi::kFragOutStencilRef] : nullptr;
      if (tests) testGroup(p, g, written, 0, samples, shaderDepth(w, d), true);
      count(w, written, 0, samples);
    }
    if (anyOf(written, 0, samples)) writeColors<Mode::Multi>(w, d, g, written, 0, samples);
    for (uint32_t s = 0; s < samples; ++s) coverage[s] |= written[s];
  }
}

/// Nibbles of eight samples for their bits.
ETZEL_INLINE U8 nibblesOfBits(U8 bits) {
  bits = (bits | bits << 12) & 0x000F000Fu;
  bits = (bits | bits << 6) & 0x03030303u;
  return (bits | bits << 3) & 0x11111111u;
}

/// Shades a block of which all samples are covered and get a colour (TileDraw::replacesShared): the nth invocation of
/// a pixel makes its nth fragment, and nothing that the tiles held is read.
template <uint32_t samples>
inline void replaceShared(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y) {
  const TileDraw& d = *p.draw;
  const uint32_t layer = p.primitive->layer;
  TileFragments at[kMaxSharedTargets];
  alignas(32) LaneWords colors[samples][kMaxSharedTargets][4];
  LaneMask planes[samples];
  for (LaneMask& lanes : planes) lanes = kAllLanes;  // lanes without a fragment may get anything in its plane
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    at[i] = tileFragments(d.color[i].surface, layer, tileAt(d.color[i].surface, x, y));
    at[i].edges = 0, at[i].last = 0;
  }
  for (uint32_t index = 0; index < 8; ++index) {
    const Group g = groupOf(p, x, y, index);
    SharedGroup group(w, d, g.px, g.py);
    GroupMasks masks{};
    LaneMask edges = 0;
    U8 left = splatU(msaa::allSamples(samples));
    uint32_t count = 0;
    while (const LaneMask lanes = SharedGroup::lanesOf(left)) {
      LaneMask alive;
      const U8 done = group.run(left, lanes, alive);
      if (w.cancelled) return;
      left &= ~done;
      if (count) {
        masks.low |= nibblesOfBits(done & 255u) * count;
        if (samples == 16) masks.high |= nibblesOfBits(done >> 8) * count;
        edges |= lanes;
      }
      // Written when all is read: the target may be among the pictures.
      for (uint32_t i = 0; i < d.colorCount; ++i)
        __builtin_memcpy(colors[count][i], &w.out[abi::kFragOutColor + 4 * d.color[i].attachment], sizeof colors[0][0]);
      ++count;
    }
    for (uint32_t i = 0; i < d.colorCount; ++i) {
      for (uint32_t k = 0; k < count; ++k) writeTarget(d.color[i], g, planes, k, k + 1, colors[k][i], nullptr);
      if (!edges) continue;
      storeMasks<samples>(at[i].masksOf(index), masks);
      at[i].setEdges(index, edges);
      at[i].last = count - 1 > at[i].last ? count - 1 : at[i].last;
    }
  }
  for (uint32_t i = 0; i < d.colorCount; ++i)
    if (at[i].store()) d.color[i].surface.fragments(layer).expand(tileAt(d.color[i].surface, x, y));
}

/// Shades a whole block if it can be done in one go.
inline bool shadeSharedBlock(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                             const BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  if (!isWholeBlock(d, x, y) || block.alike != ~uint64_t{0} || (d.tests && !p.tested)) return false;
  const uint32_t covered = 64 * d.samples;
  w.fragmentInvocations += covered;
  if (d.countSamples) w.samplesPassed += covered;
  switch (d.samples) {
    case 2: replaceShared<2>(w, p, x, y); break;
    case 4: replaceShared<4>(w, p, x, y); break;
    case 8: replaceShared<8>(w, p, x, y); break;
    default: replaceShared<16>(w, p, x, y); break;
  }
  return true;
}
