#include "raster/front/clip/clipper.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace etzel::raster {
namespace {

float wordAsFloat(const uint32_t* record, uint32_t word) { return std::bit_cast<float>(record[word]); }

}  // namespace

uint32_t Clipper::outcode(const RasterState& state, const uint32_t* record) {
  const float x = wordAsFloat(record, 0), y = wordAsFloat(record, 1), z = wordAsFloat(record, 2),
              w = wordAsFloat(record, 3);
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z) || !std::isfinite(w)) return kClipInvalid;
  uint32_t code = 0;
  if (x < -w) code |= kClipLeft;
  if (x > w) code |= kClipRight;
  if (y < -w) code |= kClipTop;
  if (y > w) code |= kClipBottom;
  if (state.draw->depthClip) {
    if (z < (state.draw->negativeOneToOne ? -w : 0.0f)) code |= kClipNear;
    if (z > w) code |= kClipFar;
  }
  if (w < kMinW) code |= kClipW;
  return code | distanceCodes(state, record);
}

uint32_t Clipper::distanceCodes(const RasterState& state, const uint32_t* record) {
  uint32_t code = 0;
  for (uint32_t i = 0; i < state.clipDistances; ++i) {
    if (!(wordAsFloat(record, abi::kWordClipDistance + i) >= 0)) code |= kClipDistance0 << i;
  }
  return code;
}

uint32_t Clipper::planesOf(uint32_t codes) {
  // Where w reaches zero only the cone of the sides bounds the screen position.
  if (codes & kClipW) return codes | kClipSides;
  if (codes & kClipGuard) return codes;
  return codes & ~kClipSides;
}

float Clipper::distance(const ClipVertex& v, uint32_t plane) const {
  const float* p = v.position;
  switch (plane) {
    case kClipLeft: return p[3] + p[0];
    case kClipRight: return p[3] - p[0];
    case kClipTop: return p[3] + p[1];
    case kClipBottom: return p[3] - p[1];
    case kClipNear: return state_.draw->negativeOneToOne ? p[3] + p[2] : p[2];
    case kClipFar: return p[3] - p[2];
    case kClipW: return p[3] - kMinW;
    default: {
      const uint32_t i = uint32_t(std::countr_zero(plane / kClipDistance0));
      const float d = v.clipDistance[i];
      return d >= 0 ? d : std::isnan(d) ? -1.0f : d;
    }
  }
}

ClipVertex Clipper::vertex(const uint32_t* record, uint32_t corner) const {
  ClipVertex v;
  v.record = record;
  std::memcpy(v.position, record, sizeof v.position);
  std::memcpy(v.clipDistance, record + abi::kWordClipDistance, sizeof v.clipDistance);
  for (uint32_t i = 0; i < abi::kBarycentricWords; ++i) v.barycentric[i] = i % 3 == corner ? 1.0f : 0.0f;
  return v;
}

// Always from the vertex that is smaller in clip space: two primitives that share an edge, or two halves of a primitive
// on both sides of the plane, get the same new vertex.
ClipVertex Clipper::cut(const ClipVertex& inside, const ClipVertex& outside, float in, float out, uint32_t plane) {
  const bool swap =
      std::lexicographical_compare(outside.position, outside.position + 4, inside.position, inside.position + 4);
  const ClipVertex &from = swap ? outside : inside, &to = swap ? inside : outside;
  const float dFrom = swap ? out : in, dTo = swap ? in : out;
  const float t = dFrom / (dFrom - dTo);
  uint32_t* record = sink_.words(state_.recordStride);
  for (uint32_t i = 0; i < state_.recordStride; ++i) {
    const float a = wordAsFloat(from.record, i), b = wordAsFloat(to.record, i);
    record[i] = std::bit_cast<uint32_t>(a + t * (b - a));
  }
  std::memcpy(record + abi::kWordLayer, inside.record + abi::kWordLayer, 3 * 4);  // integers
  ClipVertex v;
  v.record = record;
  for (int i = 0; i < 4; ++i) v.position[i] = from.position[i] + t * (to.position[i] - from.position[i]);
  for (uint32_t i = 0; i < state_.clipDistances; ++i)
    v.clipDistance[i] = from.clipDistance[i] + t * (to.clipDistance[i] - from.clipDistance[i]);
  switch (plane) {  // exactly on the plane, whatever the interpolation rounded to
    case kClipLeft: v.position[0] = -v.position[3]; break;
    case kClipRight: v.position[0] = v.position[3]; break;
    case kClipTop: v.position[1] = -v.position[3]; break;
    case kClipBottom: v.position[1] = v.position[3]; break;
    case kClipNear: v.position[2] = state_.draw->negativeOneToOne ? -v.position[3] : 0.0f; break;
    case kClipFar: v.position[2] = v.position[3]; break;
    case kClipW: v.position[3] = kMinW; break;
    default:
      v.clipDistance[std::countr_zero(plane / kClipDistance0)] = 0;
      record[abi::kWordClipDistance + std::countr_zero(plane / kClipDistance0)] = 0;
      break;
  }
  // "Clipping Shader Outputs": without perspective, t is where the new vertex divides the edge on the screen. A vertex
  // that was cut near w = 0 has huge values and a tiny weight: the other one is where to start from.
  const float weightFrom = (1 - t) * from.position[3] / v.position[3], weightTo = t * to.position[3] / v.position[3];
  auto onScreen = [&](float a, float b) {
    return std::fabs(weightFrom) < std::fabs(weightTo) ? b + weightFrom * (a - b) : a + weightTo * (b - a);
  };
  for (uint64_t groups = state_.linearInputs; groups; groups &= groups - 1) {
    const uint32_t first = 4 * uint32_t(std::countr_zero(groups));
    for (uint32_t i = first; i < first + 4 && i < state_.recordStride; ++i) {
      const float a = wordAsFloat(from.record, i), b = wordAsFloat(to.record, i);
      record[i] = std::bit_cast<uint32_t>(onScreen(a, b));
    }
  }
  if (state_.readsVertices) {
    for (uint32_t i = 0; i < abi::kBarycentricWords; ++i) {
      const float a = from.barycentric[i], b = to.barycentric[i];
      v.barycentric[i] = i < 3 ? a + t * (b - a) : onScreen(a, b);
    }
  }
  std::memcpy(record, v.position, sizeof v.position);
  return v;
}

uint32_t Clipper::polygon(ClipVertex* vertex, uint32_t count, uint32_t codes) {
  ClipVertex other[kMaxClipVertices];
  ClipVertex *from = vertex, *to = other;
  for (uint32_t planes = planesOf(codes) & kClipReject; planes && count >= 3;) {
    // w first: the sides need a positive w to mean anything.
    const uint32_t plane = planes & kClipW ? uint32_t(kClipW) : planes & (~planes + 1);
    planes &= ~plane;
    float d[kMaxClipVertices];
    bool any = false;
    for (uint32_t i = 0; i < count; ++i) {
      d[i] = distance(from[i], plane);
      any = any || d[i] < 0;
    }
    if (!any) continue;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && n + 2 < kMaxClipVertices; ++i) {
      const uint32_t j = i + 1 == count ? 0 : i + 1;
      if (d[i] >= 0) to[n++] = from[i];
      if ((d[i] >= 0) != (d[j] >= 0)) {
        to[n++] = d[i] >= 0 ? cut(from[i], from[j], d[i], d[j], plane) : cut(from[j], from[i], d[j], d[i], plane);
      }
    }
    std::swap(from, to);
    count = n;
  }
  if (from != vertex) std::memcpy(static_cast<void*>(vertex), from, count * sizeof(ClipVertex));
  return count;
}

bool Clipper::line(ClipVertex* vertex, uint32_t codes) {
  auto against = [&](uint32_t plane) {
    const float d0 = distance(vertex[0], plane), d1 = distance(vertex[1], plane);
    if (d0 < 0 && d1 < 0) return false;
    if (d0 < 0) vertex[0] = cut(vertex[1], vertex[0], d1, d0, plane);
    if (d1 < 0) vertex[1] = cut(vertex[0], vertex[1], d0, d1, plane);
    return true;
  };
  if (codes & kClipW) {
    if (!against(kClipW)) return false;
    codes |= kClipSides;
  }
  for (uint32_t planes = codes & kClipReject & ~uint32_t(kClipW); planes; planes &= planes - 1) {
    if (!against(planes & (~planes + 1))) return false;
  }
  return true;
}

}  // namespace etzel::raster
