#include "raster/front/fetch/vertex_fetch.h"

#include <bit>
#include <cstring>

#include "runtime/simd/vec.h"

namespace etzel::raster {

void VertexFetch::prepare(const DrawState& state, uint64_t inputLocations, uint32_t firstInstance) {
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
    Attribute& a = attribute_[count_];
    a = {};
    a.binding = source.binding;
    bind(a, state.binding[source.binding]);
    a.offset = source.offset;
    a.bytes = info->blockBytes;
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
    a.isUnorm8 = info->layout == format::TexelLayout::Rgba8 || info->layout == format::TexelLayout::Bgra8;
    for (uint32_t c = 0; c < 4; ++c) a.shift[c] = info->channel[c].shift;
    if (a.kind == Kind::Decode && !a.decode) continue;
    ++count_;
  }
}

void VertexFetch::rebind(const DrawState& state, uint32_t firstInstance) {
  firstInstance_ = firstInstance;
  for (uint32_t i = 0; i < count_; ++i) bind(attribute_[i], state.binding[attribute_[i].binding]);
}

void VertexFetch::bind(Attribute& a, const VertexBinding& binding) {
  a.data = binding.data;
  a.size = binding.size;
  a.stride = binding.stride;
  a.divisor = binding.divisor;
  a.perInstance = binding.perInstance;
}

void VertexFetch::fetch(const uint32_t* vertex, const uint32_t* instance, uint32_t lanes, LaneWords* in) const {
  for (uint32_t i = 0; i < count_; ++i) {
    const Attribute& a = attribute_[i];
    const std::byte* source[kWarpLanes] = {};
    bool inside = true;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      uint64_t index = vertex[lane];
      if (a.perInstance) index = uint64_t(firstInstance_) + (a.divisor ? instance[lane] / a.divisor : 0);
      source[lane] = locate(a, index);
      inside = inside && source[lane];
    }
    for (uint32_t lane = lanes; lane < kWarpLanes; ++lane) source[lane] = source[0];
    if (inside && convertAll(a, source, in + a.inWord)) continue;
    convert(a, source, lanes, in + a.inWord, abi::kAttributeWords - a.inWord);
  }
}

namespace {

using namespace simd;

/// The first `components` of a vector, the others as in `rest`.
ETZEL_INLINE F32x4 loadWords(const std::byte* p, uint32_t components, F32x4 rest) {
  const auto word = [&](uint32_t i) { return load<float>(p + 4 * i); };
  const auto two = [&] { return bitCast<F32x4>(U64x2{load<uint64_t>(p)}); };
  switch (components) {
    case 1: return __builtin_shufflevector(F32x4{word(0)}, rest, 0, 5, 6, 7);
    case 2: return __builtin_shufflevector(two(), rest, 0, 1, 6, 7);
    case 3: return __builtin_shufflevector(two(), F32x4{word(2), rest[3]}, 0, 1, 4, 5);
    default: return load<F32x4>(p);
  }
}

}  // namespace

bool VertexFetch::convertAll(const Attribute& a, const std::byte* const* source, LaneWords* to) {
  if (a.kind == Kind::Words) {
    const F32x4 rest = {0, 0, 0, std::bit_cast<float>(a.alpha)};
    auto copy = [&](uint32_t components) __attribute__((always_inline)) {
      for (uint32_t half = 0; half < kWarpLanes; half += 4) {
        const auto row = [&](uint32_t i) { return loadWords(source[half + i], components, rest); };
        F32x4 column[4] = {row(0), row(1), row(2), row(3)};
        transpose(column[0], column[1], column[2], column[3]);
        for (uint32_t c = 0; c < 4; ++c) store(to[c].lane + half, column[c]);
      }
    };
    switch (a.components) {
      case 1: copy(1); break;
      case 2: copy(2); break;
      case 3: copy(3); break;
      default: copy(4); break;
    }
    return true;
  }
  if (!a.isUnorm8) return false;
  alignas(16) uint32_t texel[kWarpLanes];
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) std::memcpy(&texel[lane], source[lane], 4);
  for (uint32_t half = 0; half < kWarpLanes; half += 4) {
    const I32x4 words = load<I32x4>(texel + half);
    for (uint32_t c = 0; c < 4; ++c)
      store(to[c].lane + half, simd::convert<F32x4>(words >> int32_t{a.shift[c]} & 255) / 255.0f);
  }
  return true;
}

void VertexFetch::fetchElement(uint32_t location, LaneMask lanes, const LaneWords& element, LaneWords* result) const {
  LaneWords words[4] = {};
  for (uint32_t i = 0; i < count_; ++i) {
    const Attribute& a = attribute_[i];
    if (a.inWord != abi::attributeWord(location, 0)) continue;
    const std::byte* source[kWarpLanes];
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      source[lane] = lanes >> lane & 1 ? locate(a, element.lane[lane]) : nullptr;
    convert(a, source, kWarpLanes, words, 4);
  }
  for (uint32_t c = 0; c < 4; ++c)
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      if (lanes >> lane & 1) result[c].lane[lane] = words[c].lane[lane];
}

const std::byte* VertexFetch::locate(const Attribute& a, uint64_t element) {
  const uint64_t at = element * a.stride + a.offset;
  return a.data && at + a.bytes <= a.size ? a.data + at : nullptr;
}

void VertexFetch::convert(const Attribute& a, const std::byte* const* source, uint32_t lanes, LaneWords* to,
                          uint32_t words) {
  if (a.kind == Kind::Words) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      // "Robust Buffer Access": an attribute that is not wholly inside its buffer reads zeros, then converts.
      uint32_t word[4] = {0, 0, 0, a.components == 4 && !source[lane] ? 0u : a.alpha};
      if (source[lane]) std::memcpy(word, source[lane], a.bytes);
      for (uint32_t c = 0; c < 4; ++c) to[c].lane[lane] = word[c];
    }
  } else if (a.kind == Kind::Decode) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      format::Texel texel = {{0, 0, 0, a.components == 4 ? 0u : a.alpha}};
      if (source[lane]) a.decode(source[lane], &texel, 1);
      for (uint32_t c = 0; c < 4; ++c) to[c].lane[lane] = texel.word[c];
    }
  } else {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      uint32_t word[8] = {};
      if (source[lane]) std::memcpy(word, source[lane], a.bytes);
      for (uint32_t c = 0; c < 2u * a.components && c < words; ++c) to[c].lane[lane] = word[c];
    }
  }
}

}  // namespace etzel::raster
