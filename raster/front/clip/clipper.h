// Clipping ("Primitive Clipping"): polygons and lines against the view volume and user clip distances, in clip space.
// New vertices get records in the sink's arena. One instance per worker.
#pragma once

#include "raster/front/setup/raster_state.h"

namespace etzel::raster {

/// Outcode bits of a vertex: the sides of the volume it lies outside of.
enum ClipCode : uint32_t {
  kClipLeft = 1 << 0,
  kClipRight = 1 << 1,
  kClipTop = 1 << 2,
  kClipBottom = 1 << 3,
  kClipNear = 1 << 4,
  kClipFar = 1 << 5,
  kClipW = 1 << 6,          ///< w is not safely positive
  kClipDistance0 = 1 << 8,  ///< and the seven bits above it: user clip distances
  kClipGuard = 1 << 16,     ///< on the screen, beyond the guard band
  kClipInvalid = 1 << 17,   ///< not a number: the primitive is dropped
};
inline constexpr uint32_t kClipSides = kClipLeft | kClipRight | kClipTop | kClipBottom;
inline constexpr uint32_t kClipDistances = 0xFF * kClipDistance0;
/// Outside all vertices of a primitive: nothing of it is visible.
inline constexpr uint32_t kClipReject = kClipSides | kClipNear | kClipFar | kClipW | kClipDistances;
/// Outside any vertex: the primitive has to be cut. Sides are left to the guard band.
inline constexpr uint32_t kClipCut = kClipNear | kClipFar | kClipW | kClipDistances | kClipGuard;

struct ClipVertex {
  const uint32_t* record;
  float position[4];
  float clipDistance[8];  ///< the first RasterState::clipDistances; with perspective, which the record's may not have
  float barycentric[abi::kBarycentricWords];  ///< in the primitive that is clipped; only kept where fragments read it
};

inline constexpr uint32_t kMaxClipVertices = 3 + 6 + 8 + 2;
/// Smallest w that a vertex may keep: far below any that a projection makes, far above where 1 / w overflows.
inline constexpr float kMinW = 1e-20f;

class Clipper {
 public:
  Clipper(const RasterState& state, BinSink& sink) : state_(state), sink_(sink) {}

  /// Codes of a vertex, kClipGuard aside (that depends on the viewport).
  static uint32_t outcode(const RasterState& state, const uint32_t* record);
  /// The codes of user clip distances alone.
  static uint32_t distanceCodes(const RasterState& state, const uint32_t* record);

  /// Corner `corner` (0 to 2) of a primitive.
  ClipVertex vertex(const uint32_t* record, uint32_t corner) const;
  /// Cuts a convex polygon of `count` vertices against the planes of `codes` (the vertices' codes or'ed).
  /// \returns the number of vertices left; below 3 nothing is left.
  uint32_t polygon(ClipVertex* vertex, uint32_t count, uint32_t codes);
  /// The same for a line. \returns false when nothing is left.
  bool line(ClipVertex* vertex, uint32_t codes);

 private:
  float distance(const ClipVertex& v, uint32_t plane) const;
  ClipVertex cut(const ClipVertex& inside, const ClipVertex& outside, float in, float out, uint32_t plane);
  static uint32_t planesOf(uint32_t codes);

  const RasterState& state_;
  BinSink& sink_;
};

}  // namespace etzel::raster
