// An attribute of a draw's vertices: where its elements lie, and how eight of them become words of a warp. Any thread.
#pragma once

#include "runtime/format/format.h"
#include "runtime/simd/target.h"

namespace etzel::raster {

struct FetchAttribute;
/// Converts element[i] of the attribute, which all lie inside of their binding, to to[c].lane[i], c its component.
using FetchEight = void (*)(const FetchAttribute& attribute, const uint32_t* element, LaneWords* to);

struct FetchAttribute {
  enum class Kind : uint8_t {
    Words,    ///< 32-bit components, taken as they are
    Words64,  ///< 64-bit components, two words each
    Decode,   ///< through the format table
  };

  const std::byte* at(uint64_t element) const { return data + element * stride + offset; }

  const std::byte* data = nullptr;
  uint64_t elements = 0;  ///< that lie wholly inside of the binding
  uint32_t stride = 0, offset = 0, bytes = 0;
  uint32_t divisor = 0;
  uint32_t inWord = 0;
  uint32_t alpha = 0;  ///< of formats without one
  const format::FormatInfo* info = nullptr;
  format::DecodeFn decode = nullptr;
  FetchEight eight = nullptr;  ///< null: one element at a time
  Kind kind = Kind::Decode;
  uint8_t components = 4;
  uint8_t binding = 0;
  bool perInstance = false;
};

/// The elements that lanes read of an attribute per instance.
inline LaneWords elementsOf(const FetchAttribute& a, uint32_t firstInstance, const LaneWords& instance) {
  LaneWords elements;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    elements.lane[i] = firstInstance + (a.divisor ? instance.lane[i] / a.divisor : 0);
  return elements;
}

/// One target's functions.
struct FetchLanes {
  /// VertexFetch::fetch() of up to 32 attributes. \returns a bit for each that is left to be converted lane by lane
  uint32_t (*all)(const FetchAttribute* attribute, uint32_t count, uint32_t firstInstance, const LaneWords& vertex,
                  const LaneWords& instance, LaneWords* in);
  FetchEight words[4];  ///< Kind::Words, by the number of components from 1 on
  FetchEight codes[4];  ///< of formats with codes in words (format::hasCodesInWords()), of 1, 2, 4 and 8 bytes
  FetchEight bytes[2];  ///< TexelLayout::Rgba8 and Bgra8
};
ETZEL_PER_TARGET(extern const FetchLanes kFetchLanes;)

}  // namespace etzel::raster
