// vec.h and half.h against plain loops over numbers.
#include "runtime/simd/vec_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "runtime/simd/half.h"
#include "runtime/simd/word_table.h"

namespace etzel::simd::ETZEL_TARGET {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Numbers where rules differ: halves, ends of ranges, both zeros, denormals, infinities, NaN, and random bits.
class Numbers {
 public:
  float next() {
    constexpr float kSpecial[] = {0.0f,        -0.0f,       0.5f,       -0.5f,         1.5f,        2.5f,
                                  -2.5f,       0x1p-149f,   -0x1p-140f, 2147483520.0f, 0x1p31f,     -0x1p31f,
                                  0x1p40f,     kInf,        -kInf,      kNan,          255.5f,      8388607.5f,
                                  -8388608.5f, 16777217.0f, 1e-20f,     3e38f,         0.99999994f, -1.5f};
    const uint32_t bits = random_();
    if (at_ < std::size(kSpecial)) return kSpecial[at_++];
    if (bits % 8 == 0) return kSpecial[bits / 8 % std::size(kSpecial)];
    if (bits % 8 < 4) return static_cast<float>(static_cast<int32_t>(random_())) * 0x1p-20f;
    return std::bit_cast<float>(static_cast<uint32_t>(random_()));
  }
  F32x8 vector() {
    F32x8 v;
    for (int i = 0; i < 8; ++i) v[i] = next();
    return v;
  }
  uint32_t word() { return static_cast<uint32_t>(random_()); }
  template <class V>
  V words() {
    V v;
    for (size_t i = 0; i < kLanes<V>; ++i) v[i] = static_cast<Element<V>>(word());
    return v;
  }

 private:
  std::mt19937 random_{1};
  size_t at_ = 0;
};

uint32_t bitsOf(float f) { return std::bit_cast<uint32_t>(f); }
/// The same bits, or both NaN.
bool same(float a, float b) { return bitsOf(a) == bitsOf(b) || (a != a && b != b); }
bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (a != a && b != b); }

int32_t integer(double whole) {
  return std::abs(whole) < 2147483648.0 || whole == -2147483648.0 ? int32_t(whole) : INT32_MIN;
}

constexpr int kRounds = 2000;

void bothZerosAreSplat() {
  const F32x8 v = splat<F32x8>(-0.0f);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bitsOf(v[i]), 0x80000000u);
  EXPECT_EQ(splat<U8x4>(7)[3], 7);
  EXPECT_EQ(splat<I64x8>(-3)[7], -3);
}

void minimumAndMaximumTakeTheSecondOperandWhereOneIsNan() {
  Numbers n;
  for (int round = 0; round < kRounds; ++round) {
    const F32x8 a = n.vector(), b = n.vector();
    const F32x8 low = minimum(a, b), high = maximum(a, b), cut = clamp(a, -1.0f, 2.0f), size = simd::abs(a);
    const F32x4 low4 = minimum(lowHalf(a), lowHalf(b)), high4 = maximum(highHalf(a), highHalf(b));
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(bitsOf(low[i]), bitsOf(a[i] < b[i] ? a[i] : b[i])) << a[i] << " " << b[i];
      EXPECT_EQ(bitsOf(high[i]), bitsOf(a[i] > b[i] ? a[i] : b[i])) << a[i] << " " << b[i];
      EXPECT_EQ(bitsOf(i < 4 ? low4[i & 3] : high4[i & 3]), bitsOf(i < 4 ? low[i] : high[i]));
      const float above = a[i] > -1.0f ? a[i] : -1.0f;
      EXPECT_EQ(bitsOf(cut[i]), bitsOf(above < 2.0f ? above : 2.0f)) << a[i];
      EXPECT_EQ(bitsOf(size[i]), bitsOf(a[i]) & 0x7FFFFFFFu);
    }
    const I32x8 x = n.words<I32x8>(), y = n.words<I32x8>();
    const I64x8 wide = convert<I64x8>(x) << 20;
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(minimum(x, y)[i], std::min(x[i], y[i]));
      EXPECT_EQ(maximum((U32x8)x, (U32x8)y)[i], std::max(uint32_t(x[i]), uint32_t(y[i])));
      EXPECT_EQ(minimum(wide, I64x8{})[i], std::min<int64_t>(wide[i], 0));
    }
  }
}

void roundingFollowsCmath() {
  Numbers n;
  for (int round = 0; round < kRounds; ++round) {
    const F32x8 v = n.vector();
    const F32x8 down = floor(v), up = ceil(v), zero = trunc(v), near = simd::round(v), root = simd::sqrt(v);
    const F64x8 d = convert<F64x8>(v) * 1.000000001;
    const F64x8 downD = floor(d), upD = ceil(d), zeroD = trunc(d), nearD = simd::round(d), rootD = simd::sqrt(d);
    for (int i = 0; i < 8; ++i) {
      EXPECT_TRUE(same(down[i], std::floor(v[i])) && same(up[i], std::ceil(v[i])) && same(zero[i], std::trunc(v[i])) &&
                  same(near[i], std::nearbyint(v[i])) && same(root[i], std::sqrt(v[i])))
          << v[i];
      EXPECT_TRUE(same(downD[i], std::floor(d[i])) && same(upD[i], std::ceil(d[i])) &&
                  same(zeroD[i], std::trunc(d[i])) && same(nearD[i], std::nearbyint(d[i])) &&
                  same(rootD[i], std::sqrt(d[i])))
          << d[i];
    }
  }
}

void integersAreWhatTheProcessorMakes() {
  Numbers n;
  for (int round = 0; round < kRounds; ++round) {
    const F32x8 v = n.vector();
    const I32x8 cut = truncateToInt(v), near = roundToInt(v), scaled = roundScaledToInt(v, 16777215.0);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(cut[i], integer(std::trunc(v[i]))) << v[i];
      EXPECT_EQ(near[i], integer(std::nearbyint(v[i]))) << v[i];
      EXPECT_EQ(scaled[i], integer(std::nearbyint(v[i] * 16777215.0))) << v[i];
      EXPECT_EQ(roundToInt(double{v[i]}), near[i]);
    }
    const F32x8 inside = clamp(v, -1e9f, 1e9f);
    const I32x8 floors = floorToInt(inside);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(floors[i], int32_t(std::floor(inside[i])));
  }
}

void fusedMultiplyAddRoundsOnce() {
  Numbers n;
  for (int round = 0; round < 4 * kRounds; ++round) {
    const F32x8 a = n.vector(), b = n.vector();
    // Half of the time a sum that cancels, or that lies beside a tie.
    const F32x8 c = round % 2 ? n.vector() : (F32x8)((I32x8)(-(a * b)) + (round % 3));
    const F32x8 r = simd::fma(a, b, c);
    const F64x8 x = convert<F64x8>(a), z = convert<F64x8>(c) * 1.1, rd = simd::fma(x, x, z);
    for (int i = 0; i < 8; ++i) {
      EXPECT_TRUE(same(r[i], std::fma(a[i], b[i], c[i]))) << a[i] << " * " << b[i] << " + " << c[i];
      EXPECT_TRUE(same(rd[i], std::fma(x[i], x[i], z[i])));
    }
  }
  // Sums that doubles round to the middle of two floats, normal and denormal: the exact ones lie below and above it.
  const F32x8 a = {0x1.000002p-12f, 0x1.000002p-75f, 0x1.000002p-12f, 0x1.000002p-75f, 0x1p-75f, 0, 1, -0.0f};
  const F32x8 b = {0x1.fffffcp-13f, 0x1.fffffcp-76f, 0x1.fffffep-13f, 0x1.fffffep-76f, 0x1p-75f, 0, 0x1p127f, 1};
  const F32x8 c = {0x1.000002p0f, 0x1.000004p-127f, 1, 0x1p-126f, 0, 0, 0x1.fffffep127f, 0};
  const F32x8 r = simd::fma(a, b, c), down = simd::fma(-a, b, -c);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(bitsOf(r[i]), bitsOf(std::fma(a[i], b[i], c[i]))) << i;
    EXPECT_EQ(bitsOf(down[i]), bitsOf(std::fma(-a[i], b[i], -c[i]))) << i;
  }
}

void comparisonsAreThoseOfNumbers() {
  Numbers n;
  const auto check = [](auto a, auto b) {
    const auto lessThan = less(a, b), more = greater(a, b), notLess = atLeast(a, b), notMore = atMost(a, b);
    const auto alike = equal(a, b), others = unequal(a, b);
    for (size_t i = 0; i < kLanes<decltype(a)>; ++i) {
      EXPECT_EQ(lessThan[i], -(a[i] < b[i]));
      EXPECT_EQ(more[i], -(a[i] > b[i]));
      EXPECT_EQ(notLess[i], -(a[i] >= b[i]));
      EXPECT_EQ(notMore[i], -(a[i] <= b[i]));
      EXPECT_EQ(alike[i], -(a[i] == b[i]));
      EXPECT_EQ(others[i], -(a[i] != b[i]));
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    const F32x8 v = n.vector(), w = round % 4 ? n.vector() : v;
    const I32x8 x = n.words<I32x8>(), y = round % 4 ? n.words<I32x8>() : x;
    check(v, w), check(lowHalf(v), highHalf(w)), check(convert<F64x8>(v), convert<F64x8>(w));
    check(x, y), check((U32x8)x, (U32x8)y), check(convert<I64x8>(x) << 20, convert<I64x8>(y));
  }
}

void masksAndLanes() {
  Numbers n;
  for (Mask8 lanes = 0; lanes < 256; ++lanes) {
    const I32x8 mask = fromLaneMask(lanes);
    EXPECT_EQ(laneMask(mask), lanes);
    const U32x8 a = n.words<U32x8>(), b = n.words<U32x8>(), chosen = select(mask, a, b);
    const F64x8 wide = select(widenMask((U32x8)mask), splat<F64x8>(1.0), splat<F64x8>(2.0));
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(chosen[i], lanes >> i & 1 ? a[i] : b[i]);
      EXPECT_EQ(wide[i], lanes >> i & 1 ? 1.0 : 2.0);
      EXPECT_EQ(narrowMask(widenMask((U32x8)mask))[i], uint32_t(mask[i]));
    }
    const Mask8 other[4] = {lanes, ~lanes & 255, lanes * 37 & 255, lanes * 91 & 255};
    uint32_t signs = 0;
    for (int i = 0; i < 4; ++i) signs |= (other[i] & 15) << (4 * i) | other[i] >> 4 << (16 + 4 * i);
    EXPECT_EQ(signs32(fromLaneMask(other[0]), fromLaneMask(other[1]), fromLaneMask(other[2]), fromLaneMask(other[3])),
              signs);
  }
  U8x16 bytes{};
  bytes[0] = 0x80, bytes[9] = 0xFF, bytes[15] = 0x7F;
  EXPECT_EQ(signs16(bytes), 0x0201u);
  EXPECT_FALSE(anyBit(I64x4{}));
  EXPECT_TRUE(anyBit(I64x4{0, 0, 0, 1}));
  EXPECT_EQ(unitedBits(I64x4{1, 2, 4, int64_t{1} << 40}), 7u | uint64_t{1} << 40);
}

void lanesMoveWhereTheyAreSaid() {
  const I32x8 a = {0, 1, 2, 3, 4, 5, 6, 7}, b = a + 10;
  const I32x8 both = join(lowHalf(b), highHalf(a));
  const I32x8 halves = shuffleHalves<1, 0, 4, 7>(a, b);
  const I32x8 parts = lowAndHigh(a, b), wantParts = {0, 1, 2, 3, 14, 15, 16, 17};
  const I32x8 wantBoth = {10, 11, 12, 13, 4, 5, 6, 7}, wantHalves = {1, 0, 10, 13, 5, 4, 14, 17};
  I32x4 r[4] = {lowHalf(a), highHalf(a), lowHalf(b), highHalf(b)};
  transpose(r[0], r[1], r[2], r[3]);
  I32x8 w[4] = {a, a + 10, a + 20, a + 30};
  transposeHalves(w[0], w[1], w[2], w[3]);
  const I32x4 rows[4] = {lowHalf(a), highHalf(a), lowHalf(b), highHalf(b)};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(parts[i], wantParts[i]);
    EXPECT_EQ(both[i], wantBoth[i]);
    EXPECT_EQ(halves[i], wantHalves[i]);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(w[k][i], 10 * (i % 4) + (i / 4 * 4 + k));
    for (int k = 0; k < 4; ++k) EXPECT_EQ(r[k][i & 3], rows[i & 3][k]);
  }
  EXPECT_EQ(interleaveLow(rows[0], rows[1])[3], 5);
  EXPECT_EQ(interleaveHigh(rows[0], rows[1])[2], 3);
}

void wordsOfTablesAreNumbered() {
  Numbers n;
  alignas(32) int32_t table[16];
  for (int32_t& w : table) w = static_cast<int32_t>(n.word());
  for (int trial = 0; trial < 20; ++trial) {
    const I32x8 number = n.words<I32x8>() & 15;
    const I32x8 of16 = wordsOf16(table, number), of8 = wordsOf8(table, number & 7);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(of16[i], table[number[i]]);
      EXPECT_EQ(of8[i], table[number[i] & 7]);
    }
  }
}

void memoryIsReadInAnyOrder() {
  Numbers n;
  alignas(32) std::byte memory[64];
  for (std::byte& b : memory) b = static_cast<std::byte>(n.word());
  const I32x8 offset = {0, 3, 17, 40, 9, 22, 1, 56};
  const I32x8 words = gatherWords(memory, offset);
  I32x8 pair[2];
  gatherPairs(memory, offset, pair);
  const U32x8 bytes = loadBytes(memory + 5), high = widenHigh(load<U8x16>(memory + 3)),
              shorts = widen(load<U16x8>(memory + 7));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(words[i], load<int32_t>(memory + offset[i]));
    EXPECT_EQ(pair[0][i], words[i]);
    EXPECT_EQ(pair[1][i], load<int32_t>(memory + offset[i] + 4));
    EXPECT_EQ(bytes[i], uint32_t(memory[5 + i]));
    EXPECT_EQ(high[i], uint32_t(memory[11 + i]));
    EXPECT_EQ(shorts[i], load<uint16_t>(memory + 7 + 2 * i));
    EXPECT_EQ(narrow(shorts)[i], shorts[i]);
  }
  const I32x8 offsets = {0, 3, 17, 40, 9, 22, 1, 56}, even = offsets & ~1;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(gatherNumbers<uint8_t>(memory, offsets)[i], int(memory[offsets[i]]));
    EXPECT_EQ(gatherNumbers<uint16_t>(memory, even)[i], load<uint16_t>(memory + even[i]));
  }
  const U32x8 low = n.words<U32x8>(), upper = n.words<U32x8>();
  const U64x8 wide = joinWords(low, upper);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(wide[i], low[i] | uint64_t{upper[i]} << 32);
    EXPECT_EQ(lowWords(wide)[i], low[i]);
    EXPECT_EQ(highWords(wide)[i], upper[i]);
  }
}

void bytesSaturate() {
  Numbers n;
  for (int round = 0; round < kRounds; ++round) {
    I32x8 v[4];
    for (I32x8& part : v) part = n.words<I32x8>() >> static_cast<int>(n.word() % 32);
    const U8x32 bytes = saturatedBytes(v[0], v[1], v[2], v[3]);
    const U32x8 words = saturatedWords(v[0], v[1], v[2], v[3]);
    for (int i = 0; i < 32; ++i) {
      const int want = std::clamp(v[i / 8][i % 8], 0, 255);
      EXPECT_EQ(bytes[i], want);
      EXPECT_EQ(words[i % 8] >> (8 * (i / 8)) & 255u, uint32_t(want));
    }
  }
}

/// By the definition: the sign, then 2^(exponent - 15) * 1.mantissa, or 2^-14 * 0.mantissa.
double halfNumber(uint32_t h) {
  const uint32_t exponent = h >> 10 & 31, mantissa = h & 1023;
  const double size = exponent ? std::ldexp(1.0 + mantissa / 1024.0, int(exponent) - 15) : std::ldexp(mantissa, -24);
  return h & 0x8000 ? -size : size;
}

void everyHalfBecomesItsFloatAndComesBack() {
  for (uint32_t h = 0; h < 0x10000; h += 8) {
    const U32x8 codes = h + U32x8{0, 1, 2, 3, 4, 5, 6, 7};
    const F32x8 kept = halfToFloat(codes | 0xABCD0000u), quiet = halfToFloatQuiet(codes);
    const U32x8 back = floatToHalf(kept), cut = floatToHalfTowardZero(kept);
    const U16x8 packed = floatToHalves(kept);
    const F32x8 quietToo = halfToFloatQuiet(narrow(codes));
    const F32x4 four = halfToFloat(lowHalf(codes));
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t code = h + i, rest = code & 0x7FFF;
      EXPECT_EQ(bitsOf(kept[i]), bitsOf(halfToFloat(code))) << code;
      EXPECT_EQ(bitsOf(four[i & 3]), bitsOf(kept[i & 3]));
      EXPECT_EQ(bitsOf(quietToo[i]), bitsOf(quiet[i]));
      if (rest > 0x7C00) {
        EXPECT_EQ(bitsOf(kept[i]), (code & 0x8000u) << 16 | 0x7F800000u | (code & 1023) << 13);
        EXPECT_EQ(bitsOf(quiet[i]), bitsOf(kept[i]) | 0x400000u);
        EXPECT_EQ(back[i], code | 0x200);
        EXPECT_EQ(cut[i], code | 0x200);
      } else {
        const double want = rest == 0x7C00 ? (code & 0x8000 ? -HUGE_VAL : HUGE_VAL) : halfNumber(code);
        EXPECT_EQ(double{kept[i]}, want) << code;
        EXPECT_EQ(bitsOf(quiet[i]), bitsOf(kept[i]));
        EXPECT_EQ(back[i], code);
        EXPECT_EQ(cut[i], code);
      }
      EXPECT_EQ(packed[i], back[i]);
      EXPECT_EQ(floatToHalf(kept[i]), back[i]);
    }
  }
}

void floatsRoundToTheNearestHalfOrTowardZero() {
  Numbers n;
  const auto check = [](F32x8 v) {
    const U32x8 near = floatToHalf(v), cut = floatToHalfTowardZero(v);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(near[i], floatToHalf(v[i])) << v[i];
      if (v[i] != v[i]) {
        EXPECT_EQ(cut[i], near[i]);
        continue;
      }
      const double size = std::abs(double{v[i]});
      const uint32_t rest = cut[i] & 0x7FFF;
      EXPECT_EQ(cut[i] >> 15, uint32_t(std::signbit(v[i])));
      if (size == HUGE_VAL) {
        EXPECT_EQ(rest, 0x7C00u);
        EXPECT_EQ(near[i], cut[i]);
        continue;
      }
      ASSERT_LE(rest, 0x7BFFu);
      EXPECT_LE(halfNumber(rest), size);
      EXPECT_TRUE(rest == 0x7BFF || halfNumber(rest + 1) > size) << size;
      // The nearest of both neighbours; of two as near the even one. 0x7C00 stands where 65536 would.
      const double below = size - halfNumber(rest), above = (rest == 0x7BFF ? 65536.0 : halfNumber(rest + 1)) - size;
      const uint32_t want = below < above ? rest : below > above || rest & 1 ? rest + 1 : rest;
      EXPECT_EQ(near[i] & 0x7FFF, std::min(want, 0x7C00u)) << v[i];
    }
  };
  // Beside every half and beside every middle between two.
  for (uint32_t h = 0; h < 0x7C00; h += 4) {
    F32x8 v;
    for (uint32_t i = 0; i < 4; ++i) {
      const float f = halfToFloat(h + i),
                  middle = float((double{f} + std::min(double{halfToFloat(h + i + 1)}, 65536.0)) / 2);
      v[2 * i] = middle, v[2 * i + 1] = -f;
    }
    check(v);
    check((F32x8)((I32x8)v + 1)), check((F32x8)((I32x8)v - (((I32x8)v << 1 != 0) & 1)));
  }
  for (int round = 0; round < kRounds; ++round) check(n.vector());
}

void doublesRoundToTheNearestHalfOnce() {
  Numbers n;
  const auto check = [](double d) {
    const uint32_t h = doubleToHalf(d), rest = h & 0x7FFF;
    const double size = std::abs(d);
    EXPECT_EQ(h >> 15, uint32_t(std::signbit(d))) << d;
    if (size >= 65520.0) {
      EXPECT_EQ(rest, 0x7C00u) << d;
      return;
    }
    const double error = std::abs(halfNumber(rest) - size);
    const double above = (rest == 0x7BFF ? 65536.0 : halfNumber(rest + 1)) - size;
    const double below = rest ? size - halfNumber(rest - 1) : HUGE_VAL;
    const bool isNearest = error < above && error < below,
               isEvenOfTwo = error <= above && error <= below && !(rest & 1);
    EXPECT_TRUE(isNearest || isEvenOfTwo) << d;
  };
  for (uint32_t h = 0; h < 0x7BFF; h += 3) {
    const double middle = (halfNumber(h) + halfNumber(h + 1)) / 2;
    // Doubles that floats cannot tell from the middle.
    for (double d : {middle, std::nextafter(middle, 0.0), -std::nextafter(middle, 1e9), middle + 0x1p-60}) check(d);
  }
  for (int round = 0; round < kRounds; ++round)
    if (const double d = double(n.next()) * 1.000000001; d == d) check(d);
  EXPECT_EQ(doubleToHalf(1e300), 0x7C00u);
  EXPECT_EQ(doubleToHalf(1e-300), 0u);
  EXPECT_EQ(doubleToHalf(-1e-300), 0x8000u);
}

#define ETZEL_CASE(name) \
  { #name, name }
constexpr VecCase kCases[] = {
    ETZEL_CASE(bothZerosAreSplat),
    ETZEL_CASE(minimumAndMaximumTakeTheSecondOperandWhereOneIsNan),
    ETZEL_CASE(roundingFollowsCmath),
    ETZEL_CASE(integersAreWhatTheProcessorMakes),
    ETZEL_CASE(fusedMultiplyAddRoundsOnce),
    ETZEL_CASE(comparisonsAreThoseOfNumbers),
    ETZEL_CASE(masksAndLanes),
    ETZEL_CASE(lanesMoveWhereTheyAreSaid),
    ETZEL_CASE(wordsOfTablesAreNumbered),
    ETZEL_CASE(memoryIsReadInAnyOrder),
    ETZEL_CASE(bytesSaturate),
    ETZEL_CASE(everyHalfBecomesItsFloatAndComesBack),
    ETZEL_CASE(floatsRoundToTheNearestHalfOrTowardZero),
    ETZEL_CASE(doublesRoundToTheNearestHalfOnce),
};
#undef ETZEL_CASE

}  // namespace

constexpr std::span<const VecCase> kAll = kCases;
const std::span<const VecCase> kVecCases = kAll;

}  // namespace etzel::simd::ETZEL_TARGET
