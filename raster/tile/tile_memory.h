// Tile memory: where workers draw attachments whose contents end with the pass (Attachments::transient). A worker draws
// one tile of 64x64 pixels at a time, so that this much memory stands for all of an attachment, and never leaves the
// core's own cache. Resolves happen tile by tile, before the next tile takes its place. The arrangement is that of
// images (runtime/mem/image_layout.h), with rows, planes and tile states of one tile.
#pragma once

#include <memory>

#include "raster/bin.h"
#include "raster/rop/resolve.h"
#include "raster/tile/tile_draw.h"

namespace etzel::raster {

/// What becomes of a pass whose tiles run once, at its end.
struct TilePlan {
  uint64_t id = 0;                    ///< of this plan alone
  uint32_t attachments = 0;           ///< in tile memory: a bit each, as in Attachments::transient
  uint32_t undefined = 0;             ///< of those: begin as zeros, the others as the image
  Surface image[Attachments::count];  ///< of those
  struct Resolve {
    uint32_t attachment;  ///< its number
    ResolveJob job;
  };
  std::vector<Resolve> resolves;  ///< of those
  bool stores = false;            ///< Attachments::keepsTransient
};

/// Plans a pass whose tiles run once: attachments go to tile memory that are transient, `allowed`, and small enough
/// together, and have tile states, which say what a tile begins with. \returns whether there are any
bool planTiles(const Attachments& attachments, uint32_t allowed, const AttachmentResolve* resolves, size_t count,
               TilePlan& plan);
/// The attachment in tile memory that a resolve reads, or Attachments::count.
uint32_t tileAttachmentOf(const Attachments& attachments, const TilePlan& plan, const AttachmentResolve& resolve);

/// One worker's.
class TileMemory {
 public:
  /// Makes room, and gives the tile its first contents.
  void begin(const TilePlan& plan, const TileJob& job);
  /// Points a draw at the tile.
  void redirect(TileDraw& draw) const;
  /// Writes the tile back to the images.
  void store(const TilePlan& plan, const TileJob& job) const;
  /// Resolves the tile. \param drawn false: nothing was drawn, the images have it
  void resolve(const TilePlan& plan, const TileJob& job, bool drawn) const;

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  void arrange(const TilePlan& plan);
  static void loadColor(const msaa::FragmentSurface& from, const msaa::FragmentSurface& to, bool undefined);
  static void loadDepth(const msaa::DepthSurface& from, const msaa::DepthSurface& to, bool undefined);

  uint64_t plan_ = 0;  ///< TilePlan::id that the memory is arranged for
  uint32_t attachments_ = 0;
  Surface local_[Attachments::count];
  mem::DepthTileLayout depth_[2];  ///< depth, stencil
  std::unique_ptr<std::byte, Free> memory_;
  size_t bytes_ = 0;
};

}  // namespace etzel::raster
