// Bytes that work on multisampled surfaces moves, for captures (ETZEL_CAPTURE). Off, nothing is counted.
//
// Counted is what an operation has to read and write by its meaning: texels of fragments or samples, and what describes
// tiles (states, clear colours by index, edge words, masks; words and planes of depth). Not counted are cache lines,
// vector stores that put back what was there, and the other side of a resolve. Beside it stands what a surface that
// stores every sample would have moved for the same work.
#pragma once

#include "runtime/msaa/depth_surface.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::msaa {

/// Bytes.
struct Moved {
  uint64_t texelsRead = 0, texelsWritten = 0;  ///< fragments, samples, colours of clear tiles
  uint64_t metaRead = 0, metaWritten = 0;      ///< what describes tiles
  uint64_t plainRead = 0, plainWritten = 0;    ///< what storing every sample would have moved

  Moved& operator+=(const Moved& o) {
    texelsRead += o.texelsRead, texelsWritten += o.texelsWritten;
    metaRead += o.metaRead, metaWritten += o.metaWritten;
    plainRead += o.plainRead, plainWritten += o.plainWritten;
    return *this;
  }
  uint64_t all() const { return texelsRead + texelsWritten + metaRead + metaWritten; }
  uint64_t plain() const { return plainRead + plainWritten; }
  bool operator==(const Moved&) const = default;
};

/// Load: from the single-sampled image of multisampled rendering to single-sampled attachments; other load operations
/// move nothing, since attachments are drawn to where they lie.
enum class Work : uint32_t { Clear, Load, Draw, Copy, Resolve };
inline constexpr uint32_t kWorkKinds = 5;

/// Of one layer of a surface.
struct Traffic {
  Moved moved[kWorkKinds];
  bool operator==(const Traffic&) const = default;
};

/// Whether bytes are counted. One relaxed load.
bool countsTraffic();
/// Starts or ends counting; starting forgets what was counted. Nothing that counts may be under way.
void countTraffic(bool on);
/// \param layer pixel (0, 0) of plane 0 of a layer, by which it is known. Any thread.
void addTraffic(const std::byte* layer, Work work, const Moved& moved);
Traffic trafficOf(const std::byte* layer);

// What an operation on the rectangle [x0, x1) x [y0, y1) is about to move; call before it runs.

struct Rect {
  uint32_t x0, y0, x1, y1;
};
/// FragmentSurface::clear(). `byState`: with a clear colour
Moved clearTraffic(const FragmentSurface& s, const Rect& r, bool byState);
/// DepthSurface::clear().
Moved clearTraffic(const DepthSurface& s, const Rect& r, uint32_t value);
/// FragmentSurface::expand() and DepthSurface::expand(); no tile that is expanded moves anything.
Moved expandTraffic(const FragmentSurface& s, uint32_t tile);
Moved expandTraffic(const DepthSurface& s, uint32_t tile);

/// What a reader of all pixels needs.
enum class Reading : uint8_t {
  Fragments,     ///< each group of eight pixels its fragments once (averageBytes)
  RowFragments,  ///< each row of a tile its fragments once (averageFloats)
  OneSample,     ///< sample 0
};
Moved resolveTraffic(const FragmentSurface& s, const Rect& r, Reading reading);
/// Every sample is read after an expansion; OneSample as it lies there.
Moved resolveTraffic(const DepthSurface& s, const Rect& r, Reading reading);

/// A tile that is taken over as it is (copyTile()).
struct CopyTraffic {
  Moved source, destination;
  CopyTraffic& operator+=(const CopyTraffic& o) {
    source += o.source, destination += o.destination;
    return *this;
  }
};
CopyTraffic copyTileTraffic(const FragmentSurface& from, uint32_t tile);
CopyTraffic copyTileTraffic(const DepthSurface& from, uint32_t tile);
/// Pixels `r`, in whatever tiles, are read sample by sample and stored in `tile`, which is expanded first.
CopyTraffic copySamplesTraffic(const FragmentSurface& from, const Rect& r, const FragmentSurface& to, uint32_t tile);
CopyTraffic copySamplesTraffic(const DepthSurface& from, const Rect& r, const DepthSurface& to, uint32_t tile);

}  // namespace etzel::msaa
