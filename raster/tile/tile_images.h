// What fragment kernels read of the attachments that they are drawn to (abi::Warp::readAttachment): texels of the tile
// in work, wherever it is drawn and however it is stored. One worker has the tile and runs its primitives in order,
// each group of pixels before it is written, so nobody waits and nothing is copied.
#pragma once

#include "raster/attachment/tile_memory.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster {

/// One worker's.
class TileImages {
 public:
  struct Read {
    const abi::Warp* warp;  ///< PosX, PosY and Layer are the pixels
    abi::AttachmentAspect aspect;
    LaneMask lanes;
    const LaneWords *location, *sample;
  };
  /// To be called when another tile begins.
  void forget() { known_ = 0; }
  /// Four words for each of the lanes: as a view of the attachment converts texels, zeros where there is no attachment,
  /// pixel or sample.
  void read(const Attachments& attachments, const TileMemory& memory, const TileDraw& draw, const Read& read,
            LaneWords* result);

 private:
  uint32_t known_ = 0;  ///< attachments whose surface is there
  Surface surface_[Attachments::count];
};

}  // namespace etzel::raster
