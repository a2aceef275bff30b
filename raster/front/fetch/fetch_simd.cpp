// Eight elements of an attribute at a time, compiled per target.
#include "raster/front/fetch/attribute.h"
#include "raster/lanes.h"
#include "runtime/format/shape_lanes.h"

namespace etzel::raster::ETZEL_TARGET {
namespace {

using namespace format::ETZEL_TARGET;

/// The first `components` words of a row; the others are 0.
template <uint32_t components>
ETZEL_INLINE F32x4 loadRow(const std::byte* p) {
  if constexpr (components == 4) return load<F32x4>(p);
  const F32x4 two = bitCast<F32x4>(U64x2{load<uint64_t>(p)});
  if constexpr (components == 2) return two;
  return __builtin_shufflevector(two, F32x4{load<float>(p + 8)}, 0, 1, 4, 5);
}

/// Numbers of up to four bytes each.
template <class Number>
ETZEL_INLINE U32x8 loadNumbers(const FetchAttribute& a, const uint32_t* element) {
  const auto at = [&](uint32_t i) __attribute__((always_inline)) { return uint32_t{load<Number>(a.at(element[i]))}; };
  return U32x8{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
}

template <uint32_t components>
void fetchWords(const FetchAttribute& a, const uint32_t* element, LaneWords* to) {
  if constexpr (components == 1) {
    store(to[0], loadNumbers<uint32_t>(a, element));
  } else {
    const Rows8 r =
        columnsOf([&](uint32_t i) __attribute__((always_inline)) { return loadRow<components>(a.at(element[i])); });
    store(to[0], r.a), store(to[1], r.b), store(to[2], r.c), store(to[3], r.d);
  }
  for (uint32_t c = components; c < 3; ++c) store(to[c], U32x8{});
  if (components < 4) store(to[3], splat(a.alpha));
}

template <uint32_t bytes>
void fetchCodes(const FetchAttribute& a, const uint32_t* element, LaneWords* to) {
  TexelWords words = {};
  if constexpr (bytes == 8) {
    const Rows8 r = columnsOf([&](uint32_t i) __attribute__((always_inline)) { return loadRow<2>(a.at(element[i])); });
    words.word[0] = bitCast<U32x8>(r.a), words.word[1] = bitCast<U32x8>(r.b);
  } else {
    using Number = std::conditional_t<bytes == 1, uint8_t, std::conditional_t<bytes == 2, uint16_t, uint32_t>>;
    words.word[0] = loadNumbers<Number>(a, element);
  }
  Source8 numbers;
  decodeLanes(*a.info, words, numbers);
  for (uint32_t c = 0; c < 4; ++c) store(to[c], numbers.c[c]);
}

/// The four bytes of a colour, as most programs store it.
template <format::TexelLayout layout>
void fetchBytes(const FetchAttribute& a, const uint32_t* element, LaneWords* to) {
  const Source8 numbers = decodeShape<layout>({{loadNumbers<uint32_t>(a, element)}});
  for (uint32_t c = 0; c < 4; ++c) store(to[c], numbers.c[c]);
}

uint32_t greatest(const LaneWords& w) {
  const U32x8 all = words(w);
  U32x4 most = maximum(lowHalf(all), highHalf(all));
  most = maximum(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
  return most[0] > most[1] ? most[0] : most[1];
}

uint32_t fetchAll(const FetchAttribute* attribute, uint32_t count, uint32_t firstInstance, const LaneWords& vertex,
                  const LaneWords& instance, LaneWords* in) {
  const uint32_t last = greatest(vertex);
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const FetchAttribute& a = attribute[i];
    LaneWords ofInstances;
    if (a.perInstance) ofInstances = elementsOf(a, firstInstance, instance);
    if (a.eight && (a.perInstance ? greatest(ofInstances) : last) < a.elements)
      a.eight(a, a.perInstance ? ofInstances.lane : vertex.lane, in + a.inWord);
    else
      left |= 1u << i;
  }
  return left;
}

}  // namespace

extern const FetchLanes kFetchLanes = {
    fetchAll,
    {fetchWords<1>, fetchWords<2>, fetchWords<3>, fetchWords<4>},
    {fetchCodes<1>, fetchCodes<2>, fetchCodes<4>, fetchCodes<8>},
    {fetchBytes<format::TexelLayout::Rgba8>, fetchBytes<format::TexelLayout::Bgra8>}};

}  // namespace etzel::raster::ETZEL_TARGET
