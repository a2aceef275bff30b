// Tile memory: where workers draw attachments that nobody else looks at meanwhile (Attachments::alone). A worker draws
// one tile of 64x64 pixels at a time, so that this much memory stands for all of an attachment, and never leaves the
// core's own cache. Resolves happen tile by tile, before the next tile takes its place; what the pass keeps is written
// back then as well, and what it discards never reaches the image. The arrangement is that of images
// (runtime/mem/image_layout.h), with rows, planes and tile states of one tile.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "raster/attachment/resolve_job.h"
#include "raster/bin.h"

namespace etzel::raster {

/// What becomes of the tiles that run next.
struct TilePlan {
  uint64_t id = 0;                    ///< of this plan alone
  uint32_t attachments = 0;           ///< may be in tile memory: a bit each, as in Attachments::alone
  uint32_t undefined = 0;             ///< of those: tiles in the render area begin as zeros, others as the image
  uint32_t kept = 0;                  ///< of those: written back to the image
  Surface image[Attachments::count];  ///< of those
  struct Resolve {
    uint32_t attachment;  ///< its number
    ResolveJob job;
  };
  std::vector<Resolve> resolves;  ///< of those
};

/// Plans tiles: attachments can go to tile memory that are `alone`, small enough together, and have tile states, which
/// say what a tile begins with. \param last these are the pass' last tiles, which resolve and may discard; \param first
/// and its first, which find undefined attachments. \returns whether there are any
bool planTiles(const Attachments& attachments, bool first, bool last, const AttachmentResolve* resolves, size_t count,
               TilePlan& plan);
/// The attachment in tile memory that a resolve reads, or Attachments::count.
uint32_t tileAttachmentOf(const Attachments& attachments, const TilePlan& plan, const AttachmentResolve& resolve);

/// One worker's.
class TileMemory {
 public:
  /// Makes room, and gives the tile its first contents. Attachments whose pixels would have to be moved in stay in
  /// their images where few primitives wait; all do where there is no memory.
  void begin(const TilePlan& plan, const TileJob& job);
  /// Nothing is in tile memory.
  void leave() { held_ = 0; }
  /// Where an attachment's pixels are in the tile, `image` if not here.
  const Surface& surface(uint32_t index, const Surface& image) const {
    return held_ >> index & 1 ? local_[index] : image;
  }
  /// Writes back what is kept.
  void store(const TilePlan& plan, const TileJob& job) const;
  /// Resolves the tile.
  void resolve(const TilePlan& plan, const TileJob& job) const;

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  bool arrange(const TilePlan& plan);
  void load(const TilePlan& plan, const TileJob& job, uint32_t index);

  uint64_t plan_ = 0;  ///< TilePlan::id that the memory is arranged for
  uint32_t held_ = 0;  ///< attachments that the tile in work has here
  Surface local_[Attachments::count];
  mem::DepthTileLayout depth_[2];  ///< depth, stencil
  std::unique_ptr<std::byte, Free> memory_;
  size_t bytes_ = 0;
};

}  // namespace etzel::raster
