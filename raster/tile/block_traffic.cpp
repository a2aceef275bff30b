#include "raster/tile/block_traffic.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "raster/tile/shade/worker_state.h"

namespace etzel::raster {
namespace {

using msaa::DepthKind;
using msaa::Moved;
using msaa::TileKind;

uint64_t count(const BlockSamples& samples, uint32_t n) {
  uint64_t total = 0;
  for (uint32_t s = 0; s < n; ++s) total += static_cast<uint64_t>(std::popcount(samples.mask[s]));
  return total;
}

/// Coverage of an attachment with fewer samples than rasterization has ("Coverage Reduction").
BlockSamples reduced(const TileDraw& d, const BlockSamples& covered, uint32_t samples) {
  BlockSamples r;
  const bool merges = d.coverage.reduction == CoverageReduction::Merge;
  for (uint32_t s = 0; s < d.samples; ++s)
    if (merges || s < samples) r.mask[s % samples] |= covered.mask[s];
  return r;
}

bool changesStencil(const StencilFace& f) {
  const bool keeps = f.fail == VK_STENCIL_OP_KEEP && f.pass == VK_STENCIL_OP_KEEP && f.depthFail == VK_STENCIL_OP_KEEP;
  return !keeps && (f.writeMask & 255);
}

}  // namespace

BlockTraffic::BlockTraffic(const WorkerState& worker, const TileDraw& draw, uint32_t layer, int32_t x, int32_t y,
                           const BlockSamples& tested)
    : draw_(draw),
      layer_(layer),
      x_(static_cast<uint32_t>(x)),
      y_(static_cast<uint32_t>(y)),
      tested_(tested),
      boundsKnown_(worker.depth.knows(DepthHierarchy::blockOf(x, y))) {
  for (uint32_t i = 0; i < draw.colorCount; ++i) {
    const msaa::FragmentSurface s = draw.color[i].surface.fragments(layer);
    if (!s) continue;
    ColorBefore& b = color_[i];
    const uint32_t tile = s.tileOf(x_, y_);
    b.state = s.state(tile), b.edges = s.edges(tile);
    std::memcpy(b.masks, s.masks(tile), mem::fragmentMaskWords(s.samples) * sizeof *b.masks);
  }
  if (draw.depthStencil.depth) keep(draw.depthStencil.depth.depth(layer), depth_);
  if (draw.depthStencil.stencil) keep(draw.depthStencil.stencil.depth(layer), stencil_);
}

template <class Surface>
uint64_t BlockTraffic::areaOf(const Surface& s) const {
  return uint64_t{std::min(msaa::kTile, s.width - x_)} * std::min(msaa::kTile, s.height - y_);
}

void BlockTraffic::keep(const msaa::DepthSurface& s, DepthBefore& b) const {
  if (!s) return;
  const uint32_t tile = s.tileOf(x_, y_);
  b.state = s.state(tile), b.word = s.word(tile);
  if (s.kindOf(b.state) != DepthKind::Planes) return;
  const uint32_t planes = s.planeCount(b.state);
  std::memcpy(b.planes, s.planes(tile), planes * sizeof *b.planes);
  if (planes > 1) std::memcpy(b.masks, s.masks(tile, 0), size_t{planes} * s.samples * sizeof *b.masks);
}

Moved BlockTraffic::replacedColor(const msaa::FragmentSurface& s, uint32_t tile, Moved m) const {
  const uint64_t bytes = s.texelBytes;
  const uint8_t after = s.state(tile);
  const bool expanded = msaa::kindOf(after) == TileKind::Expanded;
  m.texelsWritten = (expanded ? areaOf(s) * s.samples : s.countFragments(tile)) * bytes;
  if (expanded) m.texelsRead = m.texelsWritten, m.texelsWritten += areaOf(s) * bytes;
  if (msaa::kindOf(after) == TileKind::General) m.metaWritten += sizeof(uint64_t) + msaa::maskBytes(after, s.samples);
  return m;
}

Moved BlockTraffic::fragmentColor(const ColorTarget& t, const msaa::FragmentSurface& s, uint32_t tile,
                                  const ColorBefore& before, const BlockSamples& written, Moved m) const {
  const uint64_t bytes = s.texelBytes;
  const uint8_t after = s.state(tile);
  const TileKind kind = msaa::kindOf(before.state);
  const uint64_t edgesBefore = kind == TileKind::General ? before.edges : 0;
  const uint64_t edgesAfter = msaa::kindOf(after) == TileKind::General ? s.edges(tile) : 0;
  const msaa::SampleMask full = msaa::allSamples(s.samples);
  const uint32_t bits = msaa::maskBits(before.state, s.samples);
  uint64_t edges = edgesBefore;
  const bool expanded = msaa::kindOf(after) == TileKind::Expanded;
  bool readsMasks = false, writesMasks = false;
  for (uint32_t pixel = 0; pixel < 64; ++pixel) {
    msaa::SampleMask covered = 0;
    for (uint32_t k = 0; k < s.samples; ++k) covered |= static_cast<uint32_t>(written.mask[k] >> pixel & 1) << k;
    if (!covered) continue;
    const bool edge = edgesBefore >> pixel & 1;
    const msaa::FragmentMask mask = edge ? msaa::maskIn(before.masks, s.samples, bits, pixel) : 0;
    msaa::FragmentMask next = edgesAfter >> pixel & 1 ? s.loadMask(tile, pixel) : 0;
    const msaa::SampleMask shown = msaa::fragmentsOf(next, covered, s.samples);
    if (expanded) next = msaa::allocateFragment(mask, covered, s.samples).mask;
    if (t.reads) {
      const msaa::FragmentSplit split = msaa::splitFragments(mask, covered, s.samples);
      for (uint32_t i = 0; i < split.count; ++i) {
        const uint64_t moves = split.step[i].from != split.step[i].to ? 2 : 1;
        m.texelsRead += moves * bytes, m.texelsWritten += moves * bytes;
      }
    } else {
      // More than one where each of several invocations gave its samples a colour.
      m.texelsWritten += bytes * static_cast<uint64_t>(std::popcount(shown));
    }
    readsMasks |= edge && (covered != full || t.reads);
    writesMasks |= next && next != mask;
    edges = (edges & ~(uint64_t{1} << pixel)) | uint64_t{next != 0} << pixel;
  }
  // Words of all pixels, once. A tile that has just been expanded had them in between.
  const uint64_t wordsAfter =
      expanded ? mem::fragmentMaskWords(s.samples) * sizeof edges : msaa::maskBytes(after, s.samples);
  if (readsMasks) m.metaRead += msaa::maskBytes(before.state, s.samples);
  if (writesMasks) m.metaWritten += wordsAfter;
  if (kind == TileKind::General) m.metaRead += sizeof edges;
  if (msaa::kindOf(after) == TileKind::General && (kind != TileKind::General || edgesAfter != edgesBefore))
    m.metaWritten += sizeof edges;
  if (expanded) {
    m.texelsRead += areaOf(s) * bytes * s.samples, m.texelsWritten += areaOf(s) * bytes * s.samples;
    m.metaRead += edges ? wordsAfter : 0;
  }
  return m;
}

Moved BlockTraffic::color(const ColorTarget& t, const ColorBefore& before, const BlockSamples& all,
                          bool replaced) const {
  const msaa::FragmentSurface s = t.surface.fragments(layer_);
  const uint64_t bytes = s.texelBytes;
  const BlockSamples written = s.samples < draw_.samples ? reduced(draw_, all, s.samples) : all;
  const uint64_t samples = count(written, s.samples);
  Moved m;
  m.plainWritten = samples * bytes;
  if (t.reads) m.plainRead = m.plainWritten;
  if (!s) {
    m.texelsRead = m.plainRead, m.texelsWritten = m.plainWritten;
    return m;
  }
  const uint32_t tile = s.tileOf(x_, y_);
  const uint8_t after = s.state(tile);
  if (!samples && after == before.state) return m;
  m.metaRead = 1;
  m.metaWritten = after != before.state;
  TileKind kind = msaa::kindOf(before.state);
  if (replaced) return replacedColor(s, tile, m);
  const uint64_t area = areaOf(s);
  if (kind != TileKind::Expanded && msaa::kindOf(after) == TileKind::Expanded &&
      ((draw_.perSample && !draw_.sharesSamples && draw_.samplesEach == 1) || draw_.expandsColors)) {
    // Expanded before anything is written.
    m.texelsRead = kind == TileKind::Clear ? bytes : kind == TileKind::One ? area * bytes : area * bytes * s.samples;
    m.texelsWritten = area * bytes * (kind == TileKind::One ? s.samples - 1 : s.samples);
    if (kind == TileKind::General) m.metaRead += sizeof before.edges + msaa::maskBytes(before.state, s.samples);
    kind = TileKind::Expanded;
  }
  if (kind == TileKind::Expanded) {
    m.texelsRead += m.plainRead, m.texelsWritten += m.plainWritten;
    return m;
  }
  if (kind == TileKind::Clear) m.texelsRead += bytes, m.texelsWritten += area * bytes;
  return fragmentColor(t, s, tile, before, written, m);
}

Moved BlockTraffic::depth(const msaa::DepthSurface& s, const DepthBefore& before, const DepthWork& work) const {
  Moved m;
  m.plainRead = work.read * s.texelBytes, m.plainWritten = work.written * s.texelBytes;
  if (!s) {
    m.texelsRead = m.plainRead, m.texelsWritten = m.plainWritten;
    return m;
  }
  const uint32_t tile = s.tileOf(x_, y_);
  const uint8_t after = s.state(tile);
  const DepthKind from = s.kindOf(before.state), to = s.kindOf(after);
  const uint64_t texels = areaOf(s) * s.samples * s.texelBytes;
  m.metaRead = 1;
  m.metaWritten = after != before.state;
  const uint32_t planesBefore = from == DepthKind::Planes ? s.planeCount(before.state) : 0;
  if (from == DepthKind::Clear) m.metaRead += sizeof before.word;
  m.metaRead += planesBefore * sizeof(msaa::DepthPlane);
  if (planesBefore > 1) m.metaRead += planesBefore * s.samples * sizeof(uint64_t);
  if (from == DepthKind::Expanded && work.scans) m.texelsRead += texels;
  switch (to) {
    case DepthKind::Clear:
      if (from != DepthKind::Clear || s.word(tile) != before.word) m.metaWritten += sizeof before.word;
      break;
    case DepthKind::Planes: {
      const uint32_t planes = s.planeCount(after);
      for (uint32_t i = 0; i < planes; ++i) {
        const bool same = i < planesBefore && s.planes(tile)[i] == before.planes[i];
        m.metaWritten += same ? 0 : sizeof(msaa::DepthPlane);
        for (uint32_t k = 0; k < s.samples && planes > 1; ++k) {
          const bool sameMask =
              planesBefore > i && planesBefore > 1 && s.masks(tile, i)[k] == before.masks[i * s.samples + k];
          m.metaWritten += sameMask ? 0 : sizeof(uint64_t);
        }
      }
      break;
    }
    case DepthKind::Expanded:
      if (from != DepthKind::Expanded && !work.directly) m.texelsWritten += texels;
      if (!work.directly && !work.unread && !(work.scans && from == DepthKind::Expanded)) m.texelsRead += m.plainRead;
      m.texelsWritten += m.plainWritten;
      break;
  }
  return m;
}

void BlockTraffic::finish(WorkerState& worker, const BlockSamples& passed, const BlockSamples& written, bool byBlock,
                          bool replaced) const {
  worker.movedSome = true;
  for (uint32_t i = 0; i < draw_.colorCount; ++i) {
    const ColorTarget& t = draw_.color[i];
    if (t.surface.samples > 1) worker.moved[t.attachment] += color(t, color_[i], written, replaced);
  }
  const DepthStencilState& ds = draw_.depthStencil;
  const uint64_t tested = count(tested_, draw_.samples), left = count(passed, draw_.samples);
  if (!tested) return;
  if ((ds.depthTest || ds.boundsTest) && ds.depth.samples > 1) {
    const bool compares = ds.depthTest && ds.compare != VK_COMPARE_OP_ALWAYS && ds.compare != VK_COMPARE_OP_NEVER;
    DepthWork work;
    work.read = compares || ds.boundsTest ? tested : 0;
    work.written = ds.depthWrite ? left : 0;
    const bool known = worker.depth.knows(DepthHierarchy::blockOf(static_cast<int32_t>(x_), static_cast<int32_t>(y_)));
    work.scans = ds.depthTest && !boundsKnown_ && known;
    work.unread = byBlock && boundsKnown_ && left == 0;
    work.directly = byBlock && ds.depthWrite && left == uint64_t{64} * draw_.samples;
    worker.moved[Attachments::depthIndex] += depth(ds.depth.depth(layer_), depth_, work);
  }
  if (ds.stencilTest && ds.stencil.samples > 1) {
    DepthWork work;
    work.read = tested;
    work.written = changesStencil(ds.front) || changesStencil(ds.back) ? tested : 0;
    worker.moved[Attachments::stencilIndex] += depth(ds.stencil.depth(layer_), stencil_, work);
  }
}

void postTraffic(WorkerState& worker, const TileJob& job) {
  if (!worker.movedSome) return;
  const Attachments& a = *job.attachments;
  for (uint32_t i = 0; i < Attachments::count; ++i) {
    if (const Surface s = surfaceOf(a.view(i)); s)
      msaa::addTraffic(s.at(0, 0, job.layer, 0), msaa::Work::Draw, worker.moved[i]);
    worker.moved[i] = {};
  }
  worker.movedSome = false;
}

}  // namespace etzel::raster
