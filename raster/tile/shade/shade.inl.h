// From covered groups to attachments: early tests, the fragment kernel, late tests, colour output ("Fragment
// Operations" and "Fragment Shading" decide the order). Part of the tile code: included once per instruction set.

ETZEL_INLINE LaneWords& sysOf(WorkerState& w, abi::SysValue v) { return w.sys[static_cast<uint32_t>(v)]; }

/// System values that the groups of one primitive do not share, beside PosX and PosY.
constexpr uint64_t kPixelValues = abi::kPlaceSysValues | abi::kFragmentSysValues;

/// What the groups of one primitive share.
struct PrimitiveContext {
  const TileDraw* draw;
  const BinnedPrimitive* primitive;
  TestInput tests;
  uint64_t sys;                  ///< system values that the kernel reads
  alignas(32) DepthPlane plane;  ///< with tests
  bool tested;                   ///< testBlock() has done all tests of the block in work
};

ETZEL_INLINE bool reads(const PrimitiveContext& p, abi::SysValue v) { return p.sys >> static_cast<uint32_t>(v) & 1; }

/// The depth plane of a primitive.
ETZEL_INLINE DepthPlane planeOf(const TileDraw& d, const BinnedPrimitive& p) {
  return {p.setup.x0, p.setup.y0, p.z0,       p.dzdx,
          p.dzdy,     p.minDepth, p.maxDepth, d.depthStencil.depthClamp ? DepthPlane::Clamped : DepthPlane::Open};
}

/// System values that are the same for all fragments of a primitive.
inline PrimitiveContext beginPrimitive(WorkerState& w, const BinnedPrimitive& primitive) {
  PrimitiveContext p{};
  p.draw = w.draw;
  p.primitive = &primitive;
  p.tests = {primitive.setup.frontFacing != 0, primitive.minDepth, primitive.maxDepth, nullptr};
  if (p.draw->tests) p.plane = planeOf(*p.draw, primitive);
  if (!p.draw->kernel) return p;
  p.sys = p.draw->kernel->info.sysValues;
  w.warp.primitive = &primitive.setup;
  auto uniform = [&](abi::SysValue v, uint32_t value) {
    if (reads(p, v)) setWords(sysOf(w, v), splatU(value));
  };
  uniform(abi::SysValue::FrontFacing, primitive.setup.frontFacing);
  uniform(abi::SysValue::PrimitiveId, primitive.primitiveId);
  uniform(abi::SysValue::Layer, primitive.layer);
  uniform(abi::SysValue::ViewportIndex, primitive.viewportIndex);
  uniform(abi::SysValue::ViewIndex, primitive.viewIndex);
  return p;
}

/// Depth of the plane at positions (x, y); the order of operations is part of the contract (bin.h).
ETZEL_INLINE F8 depthAt(const BinnedPrimitive& p, F8 x, F8 y) {
  return ((x - splat(p.setup.x0)) * splat(p.dzdx) + splat(p.z0)) + (y - splat(p.setup.y0)) * splat(p.dzdy);
}
/// 1 / clip w at positions (x, y) (abi::PrimitiveSetup).
ETZEL_INLINE F8 inverseWAt(const abi::PrimitiveSetup& s, F8 x, F8 y) {
  F8 dx = x - splat(s.x0), dy = y - splat(s.y0);
  F8 l1 = dx * splat(s.l1dx) + dy * splat(s.l1dy), l2 = dx * splat(s.l2dx) + dy * splat(s.l2dy);
  return splat(s.w[0]) + l1 * splat(s.w[1] - s.w[0]) + l2 * splat(s.w[2] - s.w[0]);
}
ETZEL_INLINE float sampleX(const TileDraw& d, uint32_t s) { return static_cast<float>(d.positions.x[s]) * 0.0625f; }
ETZEL_INLINE float sampleY(const TileDraw& d, uint32_t s) { return static_cast<float>(d.positions.y[s]) * 0.0625f; }

/// What is known about a group at compile time.
enum class Mode : uint8_t {
  Single,    ///< one sample per pixel
  Interior,  ///< all samples of a pixel are covered alike and stay so: coverage[0] stands for all (alikeOnce)
  Multi,
};

/// Entries of the coverage of a group.
template <Mode mode>
ETZEL_INLINE uint32_t samplesOf(const TileDraw& d) {
  return mode == Mode::Multi ? d.samples : 1;
}

/// Tests samples [first, end) and trims their coverage. `shaderDepth`: the shader's own depth, or null; one of each
/// sample where TileDraw::writesSampleDepth is set.
inline void testGroup(const PrimitiveContext& p, const Group& g, LaneMask* coverage, uint32_t first, uint32_t end,
                      const LaneWords* shaderDepth, bool write) {
  const TileDraw& d = *p.draw;
  const F8 x = g.px, y = g.py;
  bool depthOnly = g.whole && !d.depthStencil.boundsTest && !d.depthStencil.stencilTest;
  if (depthOnly && d.depthStencil.format == DepthFormat::D32F) {
    for (uint32_t s = first; s < end; ++s) {
      if (!coverage[s]) continue;
      F8 z = shaderDepth ? wordsF(shaderDepth[d.writesSampleDepth ? s : 0])
                         : depthAt(*p.primitive, x + splat(sampleX(d, s)), y + splat(sampleY(d, s)));
      coverage[s] = testFloatDepth(d.depthStencil, p.tests, g, s, coverage[s], z, write);
    }
    return;
  }
  for (uint32_t s = first; s < end; ++s) {
    if (!coverage[s]) continue;
    F8 z = shaderDepth ? wordsF(shaderDepth[d.writesSampleDepth ? s : 0])
                       : depthAt(*p.primitive, x + splat(sampleX(d, s)), y + splat(sampleY(d, s)));
    coverage[s] = testSample(d.depthStencil, p.tests, g, s, coverage[s], z, write);
  }
}

ETZEL_INLINE LaneMask anyOf(const LaneMask* coverage, uint32_t first, uint32_t end) {
  LaneMask any = 0;
  for (uint32_t s = first; s < end; ++s) any |= coverage[s];
  return any;
}
ETZEL_INLINE void count(WorkerState& w, const LaneMask* coverage, uint32_t first, uint32_t end) {
  if (!w.draw->countSamples) return;
  for (uint32_t s = first; s < end; ++s) w.samplesPassed += static_cast<uint32_t>(__builtin_popcount(coverage[s]));
}

/// System values of one group. `sample`: the sample that a per-sample invocation stands for.
template <Mode mode>
ETZEL_INLINE void fillGroup(WorkerState& w, const PrimitiveContext& p, const Group& g, const LaneMask* coverage,
                            const LaneMask* maskIn, uint32_t sample) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const F8 px = g.px, py = g.py;
  constexpr bool single = mode == Mode::Single, multi = mode == Mode::Multi;
  float offsetX = single ? sampleX(d, 0) : multi && d.perSample ? sampleX(d, sample) : 0.5f;
  float offsetY = single ? sampleY(d, 0) : multi && d.perSample ? sampleY(d, sample) : 0.5f;
  F8 x = px + splat(offsetX), y = py + splat(offsetY);
  setWords(sysOf(w, SysValue::PosX), x);
  setWords(sysOf(w, SysValue::PosY), y);
  F8 cx = x, cy = y;
  if (multi && !d.perSample) {
    // Centroid: the centre where all samples are covered, else the first covered sample. Helper lanes: the centre.
    LaneMask all = kAllLanes, found = 0;
    for (uint32_t s = 0; s < d.samples; ++s) all &= coverage[s];
    found = all;
    for (uint32_t s = 0; s < d.samples && found != kAllLanes; ++s) {
      LaneMask fresh = coverage[s] & ~found;
      if (!fresh) continue;
      I8 m = maskOf(fresh);
      cx = select(m, px + splat(sampleX(d, s)), cx);
      cy = select(m, py + splat(sampleY(d, s)), cy);
      found |= fresh;
    }
  }
  setWords(sysOf(w, SysValue::CentroidX), cx);
  setWords(sysOf(w, SysValue::CentroidY), cy);
  uint32_t s = multi && d.perSample ? sample : 0;
  setWords(sysOf(w, SysValue::SamplePixelX), single ? x : px + splat(sampleX(d, s)));
  setWords(sysOf(w, SysValue::SamplePixelY), single ? y : py + splat(sampleY(d, s)));
  if (!(p.sys & abi::kFragmentSysValues)) return;
  if (reads(p, SysValue::FragCoordX)) setWords(sysOf(w, SysValue::FragCoordX), x);
  if (reads(p, SysValue::FragCoordY)) setWords(sysOf(w, SysValue::FragCoordY), y);
  if (d.usesFragCoordZ) setWords(sysOf(w, SysValue::FragCoordZ), depthAt(*p.primitive, x, y));
  if (d.usesFragCoordW) setWords(sysOf(w, SysValue::FragCoordW), inverseWAt(p.primitive->setup, x, y));
  if (reads(p, SysValue::PointCoordX) || reads(p, SysValue::PointCoordY)) {
    const BinnedPrimitive& b = *p.primitive;
    F8 scale = splat(b.pointInvSize), half = splat(0.5f);
    setWords(sysOf(w, SysValue::PointCoordX), b.isPoint ? half + (x - splat(b.pointX)) * scale : splat(0.0f));
    setWords(sysOf(w, SysValue::PointCoordY), b.isPoint ? half + (y - splat(b.pointY)) * scale : splat(0.0f));
  }
  if (reads(p, SysValue::SampleId)) setWords(sysOf(w, SysValue::SampleId), splatU(s));
  if (reads(p, SysValue::SamplePosX)) setWords(sysOf(w, SysValue::SamplePosX), splat(sampleX(d, s)));
  if (reads(p, SysValue::SamplePosY)) setWords(sysOf(w, SysValue::SamplePosY), splat(sampleY(d, s)));
  if (reads(p, SysValue::SampleMaskIn) || reads(p, SysValue::FullyCovered)) {
    U8 mask = {};
    for (uint32_t i = d.perSample ? sample : 0; i < (d.perSample ? sample + 1 : d.samples); ++i)
      mask |= (U8)maskOf(maskIn[i]) & (1u << i);
    setWords(sysOf(w, SysValue::SampleMaskIn), mask);
    LaneMask all = kAllLanes;
    for (uint32_t i = 0; i < d.samples; ++i) all &= maskIn[i];
    setWords(sysOf(w, SysValue::FullyCovered), (U8)maskOf(all));
  }
}

/// Outputs that a path leaves unwritten are undefined, but must not depend on what was shaded before.
__attribute__((noinline)) inline void zeroOtherOutputs(WorkerState& w, const TileDraw& d) {
  const abi::ProgramInfo& info = d.kernel->info;
  const U8 zero = {};
  if (d.dualSource || info.writesColorIndex1)
    for (uint32_t c = 0; c < 4; ++c) setWords(w.out[abi::kFragOutColorIndex1 + c], zero);
  if (info.writesDepth) setWords(w.out[abi::kFragOutDepth], zero);
  for (uint32_t s = 0; info.writesSampleDepth && s < kMaxSamples; ++s)
    setWords(w.out[abi::kFragOutSampleDepth + s], zero);
  if (info.writesStencilRef) setWords(w.out[abi::kFragOutStencilRef], zero);
  if (info.writesSampleMask) setWords(w.out[abi::kFragOutSampleMask], zero);
}

/// All lanes of the quads of `lanes`, of one group or of all of a block.
ETZEL_INLINE uint64_t quadsOf(uint64_t lanes) {
  lanes |= lanes >> 2;
  lanes |= lanes >> 1;
  return (lanes & 0x1111111111111111) * 15;
}

/// Runs the kernel for the quads that `covered` touches. \returns the lanes that survive.
ETZEL_INLINE LaneMask runKernel(WorkerState& w, const TileDraw& d, LaneMask covered) {
  abi::Warp& warp = w.warp;
  const auto active = static_cast<LaneMask>(quadsOf(covered));
  warp.active = active;
  warp.helper = active & ~covered;
  warp.killed = 0;
  warp.resume = 0;
  const U8 zero = {};
  for (uint32_t m = d.colorOutputs; m; m &= m - 1) {
    LaneWords* out = &w.out[abi::kFragOutColor + 4 * static_cast<uint32_t>(__builtin_ctz(m))];
    setWords(out[0], zero), setWords(out[1], zero), setWords(out[2], zero), setWords(out[3], zero);
  }
  if (d.otherOutputs) zeroOtherOutputs(w, d);
  if (d.kernel->stateBytes) __builtin_memset(warp.executorState, 0, d.kernel->stateBytes);
  ++w.warps;
  if (d.kernel->run(&warp) == abi::WarpStatus::Cancelled) w.cancelled = true;
  return covered & ~warp.killed;
}

/// Colour of samples [first, end) to all targets.
template <Mode mode>
ETZEL_INLINE void writeColors(WorkerState& w, const TileDraw& d, const Group& g, const LaneMask* coverage,
                              uint32_t first, uint32_t end) {
  const LaneWords* second = d.dualSource ? &w.out[abi::kFragOutColorIndex1] : nullptr;
  if (d.alphaToOne) setWords(w.out[abi::kFragOutColorIndex1 + 3], splat(1.0f));
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const ColorTarget& t = d.color[i];
    LaneWords* source = &w.out[abi::kFragOutColor + 4 * t.attachment];
    if (d.alphaToOne && !t.integer) setWords(source[3], splat(1.0f));
    if (mode == Mode::Interior) {
      writeInterior(t, g, coverage[0], source, second);
      continue;
    }
    if (d.reducesCoverage)
      writeReduced(d, t, g, coverage, first, end, source, second);
    else if (mode == Mode::Multi && t.surface.meta)
      writeFragments(t, g, coverage, first, end, d.perSample && !d.sharesSamples, source, second);
    else
      writeTarget(t, g, coverage, first, end, source, second);
  }
}

/// "Multisample Coverage": the first round(alpha * samples) samples stay.
inline void alphaToCoverage(WorkerState& w, const TileDraw& d, LaneMask* coverage, uint32_t first, uint32_t end) {
  if (!(d.kernel->info.outputLocations & 1)) return;
  F8 alpha = clampF(wordsF(w.out[abi::kFragOutColor + 3]), 0.0f, 1.0f);
  I8 ones = roundI(alpha * splat(static_cast<float>(d.samples)));
  for (uint32_t s = first; s < end; ++s) coverage[s] &= signs(ones > splatI(static_cast<int32_t>(s)));
}

/// testGroup's shaderDepth.
ETZEL_INLINE const LaneWords* shaderDepth(const WorkerState& w, const TileDraw& d) {
  if (!d.writesDepth) return nullptr;
  return &w.out[d.writesSampleDepth ? abi::kFragOutSampleDepth : abi::kFragOutDepth];
}

/// Shades samples [first, end) of a group with one invocation per pixel: all samples, or one of them.
template <Mode mode>
ETZEL_INLINE void shadeSamples(WorkerState& w, PrimitiveContext& p, const Group& g, LaneMask* coverage,
                               const LaneMask* maskIn, uint32_t first, uint32_t end) {
  const TileDraw& d = *p.draw;
  bool tests = d.tests && !p.tested;
  LaneMask covered = anyOf(coverage, first, end);
  if (!covered) return;
  if (d.cullBeforeShading && tests) {
    testGroup(p, g, coverage, first, end, nullptr, false);
    covered = anyOf(coverage, first, end);
    if (!covered) return;
  }
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcount(covered));
  if (d.skipShading) return;
  fillGroup<mode>(w, p, g, coverage, maskIn, first);
  LaneMask alive = runKernel(w, d, covered);
  if (w.cancelled) return;
  for (uint32_t s = first; s < end; ++s) coverage[s] &= alive;
  if (d.writesSampleMask) {
    U8 mask = loadAs<U8>(&w.out[abi::kFragOutSampleMask]);
    for (uint32_t s = first; s < end; ++s) coverage[s] &= signs((I8)(mask << (31 - s)));
  }
  if (d.alphaToCoverage) alphaToCoverage(w, d, coverage, first, end);
  if (!d.earlyTests) {
    p.tests.stencilRef = d.writesStencilRef ? &w.out[abi::kFragOutStencilRef] : nullptr;
    if (tests) testGroup(p, g, coverage, first, end, shaderDepth(w, d), true);
    count(w, coverage, first, end);
  }
  if (anyOf(coverage, first, end)) writeColors<mode>(w, d, g, coverage, first, end);
}

/// The same for all samples of programs that let an invocation stand for several (shade_shared.inl.h).
inline void shadeShared(WorkerState& w, PrimitiveContext& p, const Group& g, LaneMask* coverage);

/// Everything for one 4x2 group; `coverage` has one entry per sample and is used up.
template <Mode mode>
ETZEL_INLINE void shadeGroup(WorkerState& w, PrimitiveContext& p, const Group& g, LaneMask* coverage) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = samplesOf<mode>(d);
  LaneMask before[kMaxSamples];
  const LaneMask* maskIn = before;
  if (p.sys & (abi::sysBit(abi::SysValue::SampleMaskIn) | abi::sysBit(abi::SysValue::FullyCovered)))
    for (uint32_t s = 0; s < samples; ++s) before[s] = coverage[s];
  if (d.earlyTests) {
    if (d.tests && !p.tested) testGroup(p, g, coverage, 0, samples, nullptr, true);
    if (d.lateSampleMask != ~0u)
      for (uint32_t s = 0; s < samples; ++s) coverage[s] = d.lateSampleMask >> s & 1 ? coverage[s] : 0;
    count(w, coverage, 0, samples);
    if (!d.kernel) return;
    if (d.kernel->info.postDepthCoverage) maskIn = coverage;
  }
  if (mode == Mode::Multi && d.sharesSamples) return shadeShared(w, p, g, coverage);
  if (mode != Mode::Multi || !d.perSample) return shadeSamples<mode>(w, p, g, coverage, maskIn, 0, samples);
  for (uint32_t s = 0; s < samples && !w.cancelled; ++s) shadeSamples<Mode::Multi>(w, p, g, coverage, maskIn, s, s + 1);
}
