// Captured multisampled surfaces: one layer of one attachment as it lies in memory, compression and all. The driver
// writes such files where ETZEL_CAPTURE says (icd/debug/capture.h), tools/etzel-inspect shows them. Little-endian, only
// for the version that wrote it: a file is a look inside, not an exchange format.
//
//   CaptureHeader, then at planeOffset `samples` planes of planeBytes each. Colour: the planes of fragments, then at
//   metaOffset metaBytes of what FragmentSurface calls meta (none where the surface is not compressed). Depth and
//   stencil: the samples' values, then at stateOffset the states of the tiles (none where there are no states).
//   Pages of zeros are holes.
#pragma once

#include "runtime/msaa/traffic.h"

namespace etzel::msaa {

inline constexpr char kCaptureMagic[8] = {'E', 'T', 'Z', 'S', 'U', 'R', 'F', '2'};

struct CaptureHeader {
  char magic[8];
  uint32_t format = 0;           ///< VkFormat of the plane: D32_SFLOAT or S8_UINT for depth and stencil
  uint32_t frame = 0, pass = 0;  ///< presents before it; subpasses with multisampled attachments before it
  uint32_t attachment = 0;       ///< colour attachment; ~0u: depth or stencil
  uint32_t layer = 0;
  uint32_t width = 0, height = 0, samples = 0;
  uint32_t rowPitch = 0, texelBytes = 0, tilesX = 0, tilesY = 0;
  uint64_t edgeOffset = 0, maskOffset = 0;
  uint64_t planeOffset = 0, planeBytes = 0, metaOffset = 0, metaBytes = 0;
  uint64_t stateOffset = 0, stateBytes = 0;  ///< depth and stencil: DepthSurface's state byte of each tile
  uint64_t residentBytes = 0;                ///< of the layer's planes and meta, in pages that exist
  uint64_t surface = 0;                      ///< the same number: the same layer of memory, captured again
  /// Since the frame began: up to the capture, and in a surface's last file of the frame up to the frame's end.
  Traffic traffic;
};

}  // namespace etzel::msaa
