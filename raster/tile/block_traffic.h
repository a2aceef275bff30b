// What drawing one block of 8x8 pixels moves in each multisampled attachment, from its coverage and from its tiles'
// states before and after (runtime/msaa/traffic.h). Only while a capture is wanted (TileDraw::countsTraffic).
//
// Colour counts samples that are written, after all tests and discards: one texel for each distinct colour a pixel gets
// (or, where the old colour is needed, a read and a write for each covered fragment, and a copy for each that is
// split), materialized and expanded tiles, and the masks and edge words of pixels with edges. A tile that expands while
// its block is drawn counts as expanded at the block's end.
//
// Depth and stencil count a read for each covered sample that is tested one by one, a write for each that passes, the
// scan of expanded tiles whose bounds are not known, and what describes the tile otherwise. At most that is moved:
// bounds that the worker keeps often decide without memory. Tests after shading count all samples that reached the
// block; tests before it, where shading discards too, may miss stores of samples that were discarded then. What bounds
// reject for many blocks at once (isHidden()) is counted on neither side.
#pragma once

#include "raster/tile/draw/tile_draw.h"
#include "runtime/msaa/traffic.h"

namespace etzel::raster {

struct WorkerState;

/// Covered samples of a block, a word per sample; bits as msaa::pixelIndex() numbers them.
struct BlockSamples {
  uint64_t mask[kMaxSamples] = {};
};

/// One block, from before its tests to after its last write.
class BlockTraffic {
 public:
  /// `tested`: what is covered before the tests of depth and stencil
  BlockTraffic(const WorkerState& worker, const TileDraw& draw, uint32_t layer, int32_t x, int32_t y,
               const BlockSamples& tested);
  /// `passed`: samples that passed the tests; `written`: those that got a colour. `byBlock`: testBlock() did the tests;
  /// `replaced`: nothing of the old tiles was needed. Adds to WorkerState::moved.
  void finish(WorkerState& worker, const BlockSamples& passed, const BlockSamples& written, bool byBlock,
              bool replaced) const;

 private:
  struct ColorBefore {
    uint8_t state = 0;
    uint64_t edges = 0;
    uint64_t masks[mem::fragmentMaskWords(kMaxSamples)];
  };
  struct DepthBefore {
    uint8_t state = 0;
    uint32_t word = 0;
    msaa::DepthPlane planes[mem::depthPlanes(2)];
    uint64_t masks[mem::depthPlanes(2) * kMaxSamples];
  };
  /// What the tests of an attachment did with samples.
  struct DepthWork {
    uint64_t read = 0, written = 0;  ///< samples, as if each were stored
    bool scans = false;              ///< all texels were read to know their bounds
    bool unread = false;             ///< bounds rejected the block
    bool directly = false;           ///< all samples were stored, nothing before them is of interest
  };
  void keep(const msaa::DepthSurface& s, DepthBefore& b) const;
  /// The pixels that a surface has of the block.
  template <class Surface>
  uint64_t areaOf(const Surface& s) const;
  /// `moved` with what is written where nothing of before is needed: fragments of new colours, with masks where a pixel
  /// has several.
  msaa::Moved replacedColor(const msaa::FragmentSurface& s, uint32_t tile, msaa::Moved moved) const;
  /// `moved` with what happens to the fragments of a tile that was not expanded, pixel by pixel.
  msaa::Moved fragmentColor(const ColorTarget& target, const msaa::FragmentSurface& s, uint32_t tile,
                            const ColorBefore& before, const BlockSamples& written, msaa::Moved moved) const;
  msaa::Moved color(const ColorTarget& target, const ColorBefore& before, const BlockSamples& written,
                    bool replaced) const;
  msaa::Moved depth(const msaa::DepthSurface& s, const DepthBefore& before, const DepthWork& work) const;

  const TileDraw& draw_;
  uint32_t layer_, x_, y_;
  BlockSamples tested_;
  bool boundsKnown_;
  ColorBefore color_[kMaxColorAttachments];
  DepthBefore depth_, stencil_;
};

/// Adds what `job`'s worker counted to the surfaces, and begins again.
void postTraffic(WorkerState& worker, const TileJob& job);

}  // namespace etzel::raster
