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

  /// Whether an element lies inside of its binding.
  bool contains(uint64_t element) const { return data && element * stride + offset + bytes <= size; }
  const std::byte* at(uint64_t element) const { return data + element * stride + offset; }

  const std::byte* data = nullptr;
  uint64_t size = 0;
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

/// One target's functions.
struct FetchLanes {
  FetchEight words[4];  ///< Kind::Words, by the number of components from 1 on
  FetchEight codes[4];  ///< of formats with codes in words (format::hasCodesInWords()), of 1, 2, 4 and 8 bytes
  FetchEight bytes[2];  ///< TexelLayout::Rgba8 and Bgra8
};
ETZEL_PER_TARGET(extern const FetchLanes kFetchLanes;)

}  // namespace etzel::raster
