#include "raster/front/fetch/vertex_fetch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/simd/cpu.h"
#include "runtime/simd/vec.h"

namespace etzel::raster {
namespace {

using Kind = FetchAttribute::Kind;

/// Null where elements are converted one by one.
FetchEight findEight(const FetchAttribute& a, const FetchLanes& lanes) {
  if (a.kind == Kind::Words) return lanes.words[a.components - 1];
  if (a.info->layout == format::TexelLayout::Rgba8) return lanes.bytes[0];
  if (a.info->layout == format::TexelLayout::Bgra8) return lanes.bytes[1];
  const bool codes = a.kind == Kind::Decode && a.bytes <= 8 && format::hasCodesInWords(*a.info);
  return codes ? lanes.codes[std::countr_zero(a.bytes)] : nullptr;
}

}  // namespace

void VertexFetch::prepare(const DrawState& state, uint64_t inputLocations, uint32_t firstInstance) {
  static_assert(kMaxVertexAttributes <= 32);
  lanes_ = &ETZEL_CHOOSE(kFetchLanes);
  count_ = 0;
  firstInstance_ = firstInstance;
  for (uint32_t location = 0; location < kMaxVertexAttributes; ++location) {
    const VertexAttribute& source = state.attribute[location];
    if (!source.enabled || source.binding >= kMaxVertexBindings) continue;
    const format::FormatInfo* info = format::find(source.format);
    if (!info || info->compression != format::Compression::None) continue;
    const bool is64 = info->channel[0].bits == 64;
    // A 64-bit attribute of more than two components also fills the location behind it.
    const uint64_t uses = is64 && info->components() > 2 ? uint64_t(3) << location : uint64_t(1) << location;
    if (!(inputLocations & uses)) continue;
    FetchAttribute& a = attribute_[count_];
    a = {};
    a.binding = source.binding;
    a.info = info;
    a.offset = source.offset;
    a.bytes = info->blockBytes;
    bind(a, state.binding[source.binding]);
    a.inWord = abi::attributeWord(location, 0);
    a.components = info->components();
    a.alpha = info->isInteger() ? 1u : std::bit_cast<uint32_t>(1.0f);
    a.decode = format::decoder(source.format);
    bool words = true;
    for (uint32_t c = 0; c < a.components; ++c) {
      words = words && info->channel[c].bits == 32 && info->channel[c].shift == 32 * c;
    }
    words = words && (info->isInteger() || info->numeric == format::Numeric::Float);
    a.kind = is64 ? Kind::Words64 : words && a.bytes == 4u * a.components ? Kind::Words : Kind::Decode;
    if (a.kind == Kind::Decode && !a.decode) continue;
    a.eight = findEight(a, *lanes_);
    ++count_;
  }
}

void VertexFetch::rebind(const DrawState& state, uint32_t firstInstance) {
  firstInstance_ = firstInstance;
  for (uint32_t i = 0; i < count_; ++i) bind(attribute_[i], state.binding[attribute_[i].binding]);
}

// "Robust Buffer Access": what of a binding counts as an element.

void VertexFetch::bind(FetchAttribute& a, const VertexBinding& binding) {
  a.data = binding.data;
  a.stride = binding.stride;
  a.divisor = binding.divisor;
  a.perInstance = binding.perInstance;
  const uint64_t first = uint64_t{a.offset} + a.bytes;
  if (!a.data || binding.size < first)
    a.elements = 0;
  else
    a.elements = a.stride ? (binding.size - first) / a.stride + 1 : ~uint64_t{0};
}

void VertexFetch::fetch(const LaneWords& vertex, const LaneWords& instance, LaneWords* in) const {
  uint32_t left = lanes_->all(attribute_, count_, firstInstance_, vertex, instance, in);
  for (; left; left &= left - 1) {
    const FetchAttribute& a = attribute_[std::countr_zero(left)];
    const LaneWords element = a.perInstance ? elementsOf(a, firstInstance_, instance) : vertex;
    convert(a, ~LaneMask{}, element, in + a.inWord, abi::kAttributeWords - a.inWord);
  }
}

void VertexFetch::fetchElement(uint32_t location, LaneMask lanes, const LaneWords& element, LaneWords* result) const {
  LaneWords words[4] = {};
  for (uint32_t i = 0; i < count_; ++i) {
    if (attribute_[i].inWord == abi::attributeWord(location, 0)) convert(attribute_[i], lanes, element, words, 4);
  }
  for (uint32_t c = 0; c < 4; ++c)
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      if (lanes >> lane & 1) result[c].lane[lane] = words[c].lane[lane];
}

// "Robust Buffer Access": an attribute that is not wholly inside its buffer reads zeros, then converts.
void VertexFetch::convert(const FetchAttribute& a, LaneMask lanes, const LaneWords& element, LaneWords* to,
                          uint32_t words) {
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    const uint64_t number = element.lane[lane];
    const std::byte* source = lanes >> lane & 1 && number < a.elements ? a.at(number) : nullptr;
    // Where there is no alpha, it is no zero either.
    uint32_t word[8] = {0, 0, 0, a.kind == Kind::Words64 || (a.components == 4 && !source) ? 0 : a.alpha};
    uint32_t count = 4;
    if (a.kind == Kind::Decode) {
      format::Texel texel;
      if (source) a.decode(source, &texel, 1), std::copy(texel.word, texel.word + 4, word);
    } else {
      if (a.kind == Kind::Words64) count = std::min(2u * a.components, words);
      if (source) std::memcpy(word, source, a.bytes);
    }
    for (uint32_t c = 0; c < count; ++c) to[c].lane[lane] = word[c];
  }
}

}  // namespace etzel::raster
