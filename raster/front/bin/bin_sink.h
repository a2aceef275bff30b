// Where one front-end worker puts finished primitives: its own arena, and a private list of (tile, primitive) pairs in
// the order of the primitives. The render pass joins the lists of all batches in API order.
#pragma once

#include <vector>

#include "raster/bin.h"
#include "runtime/base/arena.h"

namespace etzel::raster {

/// The tiles of a render pass: tilesX * tilesY per layer, numbered layer by layer, row by row.
struct TileGrid {
  uint32_t tilesX = 0, tilesY = 0, layers = 0;
  uint32_t perLayer() const { return tilesX * tilesY; }
};

struct BinItem {
  uint32_t tile;
  const BinnedPrimitive* primitive;
};

struct BinSink {
  Arena arena{256 * 1024};     ///< primitives, records, spans: until flush
  std::vector<BinItem> items;  ///< of the current batch
  uint64_t arenaBytes = 0;     ///< handed out since the last flush, roughly
  uint64_t pixelEstimate = 0;  ///< how much work the tiles will have, roughly

  template <class T>
  T* make(size_t count = 1) {
    arenaBytes += sizeof(T) * count;
    return arena.make<T>(count);
  }
  /// A primitive to be filled by the caller, up to its third edge.
  BinnedPrimitive* triangle() {
    arenaBytes += sizeof(BinnedPrimitive);
    return static_cast<BinnedPrimitive*>(arena.allocate(sizeof(BinnedPrimitive), alignof(BinnedPrimitive)));
  }
  uint32_t* words(size_t count) {
    arenaBytes += 4 * count;
    return static_cast<uint32_t*>(arena.allocate(4 * count, 16));
  }

  /// What is allocated at the beginning of a batch.
  struct Mark {
    Arena::Mark arena;
    uint64_t bytes;
  };
  Mark mark() const { return {arena.mark(), arenaBytes}; }
  /// Gives back what a batch without items has allocated: nobody looks at it, and the next one finds it in the cache.
  void rewind(const Mark& mark) {
    arena.rewind(mark.arena);
    arenaBytes = mark.bytes;
  }
};

/// Adds `primitive` to every tile that its bbox meets and its edges do not exclude.
void binPrimitive(const BinnedPrimitive* primitive, const TileGrid& grid, BinSink& sink);

}  // namespace etzel::raster
