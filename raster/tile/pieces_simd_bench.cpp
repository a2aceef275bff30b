#include <bit>
#include <random>

#include "raster/tile/cover/cover_block.h"
#include "raster/tile/cover/tile_edges.h"
#include "raster/tile/pieces_bench.h"
#include "raster/tile/test_scene.h"
#include "raster/tile/write/byte_block.h"
#include "raster/tile/write/fragment_places.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

struct Pieces {
  testing::TestImage image;
  testing::TestKernel kernel{[](abi::Warp&) {}};
  DrawRecord record;
  Arena arena;
  alignas(32) LaneWords color[4];

  Pieces(uint32_t samples, bool blend) : image(VK_FORMAT_R8G8B8A8_UNORM, 64, 64, samples) {
    DrawState& s = record.state;
    s.fragment = &kernel, s.samples = samples;
    s.attachments.color[0] = &image.view, s.attachments.colorCount = 1;
    s.blend[0].enable = blend;
    s.blend[0].srcColor = VK_BLEND_FACTOR_SRC_ALPHA, s.blend[0].dstColor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    prepareDraw(record, arena);
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t i = 0; i < kWarpLanes; ++i) color[c].lane[i] = std::bit_cast<uint32_t>(0.1f * c + 0.07f * i);
  }
  const TileDraw& draw() const { return *record.tile; }
};

}  // namespace

/// One edge through a block, at range(0) samples.
void edgeFunctionsPerBlock(benchmark::State& state) {
  Pieces pieces(static_cast<uint32_t>(state.range(0)), false);
  BinnedPrimitive p = testing::rectangle(pieces.record, 64, 64);
  p.edgeCount = 1;
  p.edge[0] = testing::edgeThrough(100, -300, 16384, 15000);
  const SamplePositions& samples = pieces.draw().positions;
  TileEdges edges;
  tileEdges(p, pieces.draw(), 0, 0, {0, 0, 64, 64}, edges);
  const TileEdge* crossing[4] = {edges.edge};
  BlockCoverage block;
  uint32_t step = 0;
  for (auto _ : state) {
    const uint32_t column = step++ % 8;
    BlockRow row;
    blockRow(edges.edge, edges.count, static_cast<int32_t>(column) * kBlock, row);
    const uint32_t corner[4] = {row.corner[0][column]};
    if (samples.count == 1)
      coverSingle(crossing, corner, 1, samples, ~uint64_t{0}, block);
    else
      coverSamples(crossing, corner, 1, samples.count, ~uint64_t{0}, block);
    benchmark::DoNotOptimize(block);
  }
}

/// Random coverage of all pixels of a tile that keep two or three fragments.
template <uint32_t samples>
void mergeMasks(benchmark::State& state) {
  Pieces pieces(samples, false);
  TileFragments f = tileFragments(pieces.draw().color[0].surface.fragments(0), 0);
  std::mt19937_64 random(1);
  uint64_t coverage[64][samples];
  for (auto& c : coverage) {
    const uint32_t cut = static_cast<uint32_t>(random() % samples);
    for (uint32_t s = 0; s < samples; ++s) c[s] = s <= cut ? random() : 0;
  }
  uint64_t planes[samples];
  uint32_t step = 0;
  for (auto _ : state) {
    const SampleSet<samples> covered = SampleSet<samples>::load(coverage[step++ % 64]);
    benchmark::DoNotOptimize(allocateFragments<samples>(f, covered, covered.any(), planes));
    benchmark::DoNotOptimize(planes);
    if (f.last > 2) f.edges = 0, f.last = 0;
  }
}

void fragmentMaskMergePerBlock(benchmark::State& state) {
  switch (state.range(0)) {
    case 2: return mergeMasks<2>(state);
    case 4: return mergeMasks<4>(state);
    case 8: return mergeMasks<8>(state);
    default: return mergeMasks<16>(state);
  }
}

namespace {

/// Writes the image's blocks in turn; of each group the lanes of range(0).
void writeBlocks(benchmark::State& state, bool blend) {
  Pieces pieces(1, blend);
  const ColorTarget& t = pieces.draw().color[0];
  const uint64_t pixels = static_cast<uint64_t>(state.range(0)) * 0x0101010101010101;
  uint32_t step = 0;
  for (auto _ : state) {
    const uint32_t block = step++ % 64;
    writeByteBlock(t, pieces.color, 0, pixels, t.surface.at(block % 8 * kBlock, block / 8 * kBlock, 0, 0));
    benchmark::ClobberMemory();
  }
}

}  // namespace

void packBytesPerBlock(benchmark::State& state) { writeBlocks(state, false); }
void blendBytesPerBlock(benchmark::State& state) { writeBlocks(state, true); }

}  // namespace etzel::raster::ETZEL_TARGET
