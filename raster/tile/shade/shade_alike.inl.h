// Pixels that are covered in all samples or in none, the bulk of every picture: one colour a pixel, written to one
// fragment. The short way of shadeGroup() for draws without special wishes (TileDraw::alikeOnce), with all that a
// block's groups have in common done once. Part of the tile code: included once per instruction set.

/// Where an attachment holds a block.
struct TargetBlock {
  std::byte* texels;  ///< its first pixel, plane 0
  uint64_t edges;     ///< pixels with several fragments
  uint64_t expanded;  ///< all bits of expanded tiles: a wide word, since narrow stores could not be forwarded to copies
};

/// The block at (x, y), some pixels of which are about to be written in all samples.
ETZEL_INLINE TargetBlock targetBlock(const Surface& s, uint32_t layer, int32_t x, int32_t y) {
  TargetBlock b{s.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), layer, 0), 0, 0};
  if (!s.meta) return b;
  const uint32_t tile = tileAt(s, x, y);
  const uint8_t state = static_cast<uint8_t>(s.meta[layer * s.metaPitch + mem::kTileStateOffset + tile]);
  switch (msaa::kindOf(state)) {
    case msaa::TileKind::Clear: materializeTile(s, layer, tile, x, y); break;
    case msaa::TileKind::General: b.edges = s.fragments(layer).edges(tile); break;
    case msaa::TileKind::Expanded: b.expanded = ~uint64_t{0}; break;
    default: break;
  }
  return b;
}

/// Pixels of a General tile that are about to get one fragment.
ETZEL_INLINE void clearEdges(const Surface& s, uint32_t layer, int32_t x, int32_t y, uint64_t pixels) {
  TileFragments f = tileFragments(s, layer, tileAt(s, x, y));
  f.edges &= ~pixels;
  f.store();
}

/// The pixel group `group` of the block at (x, y).
ETZEL_INLINE Group groupOf(const PrimitiveContext& p, int32_t x, int32_t y, uint32_t group) {
  const TileDraw& d = *p.draw;
  Group g;
  g.x = x + static_cast<int32_t>(group & 1) * 4;
  g.y = y + static_cast<int32_t>(group & 6);
  g.px = splat(static_cast<float>(g.x)) + laneXs();
  g.py = splat(static_cast<float>(g.y)) + laneYs();
  g.layer = p.primitive->layer;
  g.whole = static_cast<uint32_t>(g.x) + 4 <= d.safeWidth && static_cast<uint32_t>(g.y) + 2 <= d.safeHeight;
  return g;
}

/// System values beside PosX and PosY, which have been set.
template <bool single>
__attribute__((noinline)) void fillOtherValues(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                               uint32_t group, LaneMask lanes) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const Group g = groupOf(p, x, y, group);
  if (p.sys & abi::kFragmentSysValues & ~abi::kPlaceSysValues)
    return fillGroup < single ? Mode::Single : Mode::Interior > (w, p, g, &lanes, &lanes, 0);
  const F8 cx = wordsF(sysOf(w, SysValue::PosX)), cy = wordsF(sysOf(w, SysValue::PosY));
  setWords(sysOf(w, SysValue::FragCoordX), cx), setWords(sysOf(w, SysValue::FragCoordY), cy);
  setWords(sysOf(w, SysValue::CentroidX), cx), setWords(sysOf(w, SysValue::CentroidY), cy);
  setWords(sysOf(w, SysValue::SamplePixelX), g.px + splat(sampleX(d, 0)));
  setWords(sysOf(w, SysValue::SamplePixelY), g.py + splat(sampleY(d, 0)));
}

/// Writes a group where it is not just bytes in plane 0.
__attribute__((noinline)) inline void writeAlike(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                                 uint32_t group, LaneMask lanes, const ColorTarget& t, TargetBlock& b) {
  const Group g = groupOf(p, x, y, group);
  const LaneWords* source = &w.out[abi::kFragOutColor + 4 * t.attachment];
  const LaneMask edges = static_cast<LaneMask>(b.edges >> group * 8 & 255);
  if (b.expanded || (edges & lanes && t.reads)) return writeEverySample(t, g, lanes, source, nullptr);
  if (edges & lanes) {
    TileFragments f = tileFragments(t.surface, g.layer, tileAt(t.surface, x, y));
    f.setEdges(group, edges & ~lanes);
    f.store();
    b.edges = f.edges;
  }
  writeTarget(t, g, &lanes, 0, 1, source, nullptr);
}
template <bool single>
__attribute__((noinline)) void writeOddColors(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y,
                                              uint32_t group, LaneMask lanes) {
  writeColors<single ? Mode::Single : Mode::Interior>(w, *p.draw, groupOf(p, x, y, group), &lanes, 0, 1);
}

/// Whether PlainKernel and one target of bytes do for the block at (x, y).
ETZEL_INLINE bool isPlainBlock(const PrimitiveContext& p, int32_t x, int32_t y) {
  return p.draw->bytesOnly && isWholeBlock(*p.draw, x, y) && !(p.sys & kPixelValues);
}

/// abi::FragmentGroups::offset of a block.
struct GroupOffsets {
  alignas(32) LaneWords word[abi::FragmentGroups::kCount][2];
  constexpr GroupOffsets() : word() {
    for (uint32_t group = 0; group < abi::FragmentGroups::kCount; ++group)
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        word[group][0].lane[i] = __builtin_bit_cast(uint32_t, group & 1 ? 4.0f : 0.0f);
        word[group][1].lane[i] = __builtin_bit_cast(uint32_t, static_cast<float>(group & 6));
      }
  }
};
constexpr GroupOffsets kGroupOffsets;

/// A fragment kernel that needs no more than PosX and PosY and writes one colour, for one block.
class PlainKernel {
 public:
  ETZEL_INLINE PlainKernel(WorkerState& w, const TileDraw& d)
      : w_(w), color_(&w.out[abi::kFragOutColor + 4 * d.color[0].attachment]), stateBytes_(d.kernel->stateBytes) {
    if (!w.warp.executable) w.warp.executable = d.kernel->executable.load(std::memory_order_acquire);
    entry_ = w.warp.executable->entry, code_ = w.warp.executable->code;
    fragments_ = d.writesTarget ? w.warp.executable->fragments : nullptr;
  }

  /// Shades `pixels` of the block whose first group has its pixels at (left, top), and calls body(group, lanes, color)
  /// for each of their groups: the lanes that survive. \returns false when cancelled
  template <class Body>
  ETZEL_INLINE bool shade(F8 left, F8 top, uint64_t pixels, const Body& body) {
    if (__builtin_expect(fragments_ != nullptr, true)) return shadeTogether(left, top, pixels, body);
    for (uint32_t groups = someBytes(pixels); groups; groups &= groups - 1) {
      const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
      const LaneMask lanes = run(left + splat(group & 1 ? 4.0f : 0.0f), top + splat(static_cast<float>(group & 6)),
                                 static_cast<LaneMask>(pixels >> group * 8 & 255));
      if (w_.cancelled) return false;
      body(group, lanes, color_);
    }
    return true;
  }

 private:
  /// All groups in one call.
  template <class Body>
  ETZEL_INLINE bool shadeTogether(F8 left, F8 top, uint64_t pixels, const Body& body) {
    alignas(32) LaneWords place[2], color[8][4];
    setWords(place[0], left), setWords(place[1], top);
    const uint64_t active = quadsOf(pixels);
    abi::FragmentGroups input;
    input.groups = someBytes(pixels);
    input.active = active, input.helper = active & ~pixels;
    input.place = place, input.offset = kGroupOffsets.word[0], input.color = color[0];
    w_.warp.resume = 0;
    w_.warps += static_cast<uint32_t>(__builtin_popcount(input.groups));
    if (fragments_(code_, &w_.warp, &input) == abi::WarpStatus::Cancelled) {
      w_.cancelled = true;
      return false;
    }
    pixels &= ~input.killed;
    for (uint32_t groups = input.groups; groups; groups &= groups - 1) {
      const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
      body(group, static_cast<LaneMask>(pixels >> group * 8 & 255), color[group]);
    }
    return true;
  }

  /// Shades `lanes` at the given places. \returns those that survive: none when cancelled
  ETZEL_INLINE LaneMask run(F8 x, F8 y, LaneMask lanes) {
    abi::Warp& warp = w_.warp;
    const U8 zero = {};
    setWords(sysOf(w_, abi::SysValue::PosX), x), setWords(sysOf(w_, abi::SysValue::PosY), y);
    setWords(color_[0], zero), setWords(color_[1], zero), setWords(color_[2], zero), setWords(color_[3], zero);
    const auto active = static_cast<LaneMask>(quadsOf(lanes));
    warp.active = active, warp.helper = active & ~lanes;
    warp.killed = 0, warp.resume = 0;
    if (stateBytes_) __builtin_memset(warp.executorState, 0, stateBytes_);
    ++w_.warps;
    if (entry_(code_, &warp) == abi::WarpStatus::Cancelled) {
      w_.cancelled = true;
      return 0;
    }
    return lanes & ~warp.killed;
  }

  WorkerState& w_;
  LaneWords* color_;
  size_t stateBytes_;
  abi::KernelEntry entry_;
  decltype(abi::Executable::fragments) fragments_;
  const void* code_;
};

/// The shortest way: a plain kernel, one target of bytes.
template <bool single, ByteWrite bytes>
inline void shadeBytes(WorkerState& w, const TileDraw& d, int32_t x, int32_t y, uint64_t alike, std::byte* texels) {
  const ColorTarget& t = d.color[0];
  const uint32_t rowPitch = t.surface.rowPitch;
  const F8 left = splat(static_cast<float>(x) + (single ? sampleX(d, 0) : 0.5f)) + laneXs();
  const F8 top = splat(static_cast<float>(y) + (single ? sampleY(d, 0) : 0.5f)) + laneYs();
  PlainKernel(w, d).shade(
      left, top, alike, [&](uint32_t group, LaneMask lanes, const LaneWords* color) __attribute__((always_inline)) {
        std::byte* const at = texels + (group & 6) * rowPitch + (group & 1) * 16;
        if (bytes == ByteWrite::Store)
          storeRows(at, rowPitch, lanes, packSource(t, color));
        else
          blendBytes4(t, at, lanes, color);
      });
}

/// targetBlock() for `pixels` that are about to be written in all samples: where nothing of them is kept their edges
/// go.
template <bool single>
ETZEL_INLINE TargetBlock replacedBlock(const TileDraw& d, const Surface& s, uint32_t layer, int32_t x, int32_t y,
                                       uint64_t pixels) {
  TargetBlock b = targetBlock(s, layer, x, y);
  if (!single && d.replacesAll && (b.edges & pixels)) {
    clearEdges(s, layer, x, y, pixels);
    b.edges &= ~pixels;
  }
  return b;
}

/// shadeAlike() for draws and blocks of any kind.
template <bool single>
__attribute__((noinline)) void shadeAnyAlike(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y,
                                             uint64_t alike) {
  using abi::SysValue;
  const TileDraw& d = *p.draw;
  const uint32_t colorCount = d.plainColors ? d.colorCount : 0;
  const bool otherValues = p.sys & kPixelValues, oddColors = !d.plainColors;
  const bool whole = isWholeBlock(d, x, y);
  TargetBlock at[kMaxColorAttachments];
  for (uint32_t i = 0; i < colorCount; ++i)
    at[i] = replacedBlock<single>(d, d.color[i].surface, p.primitive->layer, x, y, alike);
  const F8 left = splat(static_cast<float>(x) + (single ? sampleX(d, 0) : 0.5f)) + laneXs();
  const F8 top = splat(static_cast<float>(y) + (single ? sampleY(d, 0) : 0.5f)) + laneYs();
  while (alike) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctzll(alike)) / 8;
    LaneMask lanes = static_cast<LaneMask>(alike >> group * 8 & 255);
    alike &= ~(uint64_t{255} << group * 8);
    setWords(sysOf(w, SysValue::PosX), left + splat(group & 1 ? 4.0f : 0.0f));
    setWords(sysOf(w, SysValue::PosY), top + splat(static_cast<float>(group & 6)));
    if (otherValues) fillOtherValues<single>(w, p, x, y, group, lanes);
    lanes = runKernel(w, d, lanes);
    if (w.cancelled) return;
    if (!lanes) continue;
    if (oddColors) writeOddColors<single>(w, p, x, y, group, lanes);
    for (uint32_t i = 0; i < colorCount; ++i) {
      const ColorTarget& t = d.color[i];
      if (t.bytes == ByteWrite::None || !whole || (!single && (at[i].edges != 0 || at[i].expanded))) {
        writeAlike(w, p, x, y, group, lanes, t, at[i]);
        continue;
      }
      std::byte* texels = at[i].texels + (group & 6) * t.surface.rowPitch + (group & 1) * 16;
      const LaneWords* source = &w.out[abi::kFragOutColor + 4 * t.attachment];
      if (t.bytes == ByteWrite::Store)
        storeRows(texels, t.surface.rowPitch, lanes, packSource(t, source));
      else
        blendBytes4(t, texels, lanes, source);
    }
  }
}

/// Shades and writes the pixels of `alike`, which have passed all tests.
template <bool single>
inline void shadeAlike(WorkerState& w, PrimitiveContext& p, int32_t x, int32_t y, uint64_t alike) {
  const TileDraw& d = *p.draw;
  w.fragmentInvocations += static_cast<uint32_t>(__builtin_popcountll(alike));
  if (isPlainBlock(p, x, y)) {
    const TargetBlock at = replacedBlock<single>(d, d.color[0].surface, p.primitive->layer, x, y, alike);
    if (!((at.edges | at.expanded) & alike)) {
      if (d.color[0].bytes == ByteWrite::Store)
        return shadeBytes<single, ByteWrite::Store>(w, d, x, y, alike, at.texels);
      return shadeBytes<single, ByteWrite::Blend>(w, d, x, y, alike, at.texels);
    }
  }
  shadeAnyAlike<single>(w, p, x, y, alike);
}

/// Early tests group by group where testBlock() did not do them, and the count of what passes. Groups of which all
/// samples pass alike are no longer mixed.
template <bool single>
inline void testGroups(WorkerState& w, const PrimitiveContext& p, int32_t x, int32_t y, BlockCoverage& block) {
  const TileDraw& d = *p.draw;
  const uint32_t samples = single ? 1 : d.samples;
  for (uint32_t groups = d.tests && !p.tested ? block.groups() : 0; groups; groups &= groups - 1) {
    const uint32_t group = static_cast<uint32_t>(__builtin_ctz(groups));
    const Group g = groupOf(p, x, y, group);
    LaneMask lanes = static_cast<LaneMask>(block.alike >> group * 8 & 255);
    if (single) {
      testGroup(p, g, &lanes, 0, 1, nullptr, true);
      block.alike = (block.alike & ~(uint64_t{255} << group * 8)) | uint64_t{lanes} << group * 8;
    } else {
      LaneMask each[kMaxSamples];
      block.load(group, samples, each);
      testGroup(p, g, each, 0, samples, nullptr, true);
      block.store(group, samples, each);
    }
  }
  if (!d.countSamples) return;
  w.samplesPassed += static_cast<uint32_t>(__builtin_popcountll(block.alike)) * samples;
  for (uint32_t s = 0; s < samples && block.mixed; ++s)
    w.samplesPassed += static_cast<uint32_t>(__builtin_popcountll(block.each[s]));
}
