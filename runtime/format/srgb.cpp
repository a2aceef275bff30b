// sRGB and shared-exponent conversions. The tables are computed by the compiler, so that every machine has the same
// bytes and nothing runs at load time.
#include <cmath>

#include "runtime/format/srgb_curve.h"
#include "runtime/format/srgb_lanes.h"

namespace etzel::format {
namespace {

/// x to the power of 1/5, 0 < x <= 1, by Newton's iteration from above.
constexpr double fifthRoot(double x) {
  for (double root = 1;;) {
    const double next = root - (root - x / (root * root * root * root)) / 5;
    if (next >= root) return root;
    root = next;
  }
}

constexpr double decodeSrgb(double c) {
  if (c <= 0.04045) return c / 12.92;
  const double x = (c + 0.055) / 1.055, root = fifthRoot(x);
  return x * x * root * root;  // x to the power of 2.4
}

/// The number that a code becomes. Products of floats are exact in doubles, and no sum lies in the middle of two
/// floats, so each step is rounded once.
constexpr float linearOfCode(uint32_t code) {
  const auto c = static_cast<float>(code);
  if (code <= kSrgbLineEnd) return c * kSrgbSlope;
  float sum = kSrgbCurve[kSrgbDegree];
  for (uint32_t k = kSrgbDegree; k-- > 0;)
    sum = static_cast<float>(static_cast<double>(sum) * static_cast<double>(c) + static_cast<double>(kSrgbCurve[k]));
  return sum;
}

struct SrgbTables {
  float linear[256] = {};
  float least[256] = {};
  SrgbEncoding encoding;
};

constexpr SrgbTables makeTables() {
  SrgbTables t;
  float threshold[257] = {};  // least float that encodes to at least this code; [256] is out of reach
  for (uint32_t i = 0; i < 256; ++i) t.linear[i] = linearOfCode(i);
  for (int i = 1; i < 256; ++i) threshold[i] = static_cast<float>(decodeSrgb((i - 0.5) / 255.0));
  threshold[256] = 2.0f;
  for (int i = 1; i < 256; ++i) t.least[i] = threshold[i];
  uint32_t code = 0;
  for (uint32_t i = 0; i < SrgbEncoding::kCount; ++i) {
    const uint32_t least = (i + SrgbEncoding::kFirst) << 16;
    while (threshold[code + 1] <= std::bit_cast<float>(least)) ++code;
    // At most one code begins within these floats.
    const uint32_t next = std::bit_cast<uint32_t>(threshold[code + 1]);
    t.encoding.word[i] = code << 16 | (next >> 16 == least >> 16 ? 0x10000 - (next & 0xFFFF) : 0);
  }
  return t;
}
constexpr SrgbTables kTables = makeTables();

constexpr simd::ByteTable byBytes(const float* numbers) {
  simd::ByteTable t{};
  for (int i = 0; i < 256; ++i)
    for (int k = 0; k < 4; ++k) t.plane[k][i] = static_cast<uint8_t>(std::bit_cast<uint32_t>(numbers[i]) >> (8 * k));
  return t;
}

}  // namespace

#define ETZEL_ROW8(n)                                                                                            \
  kTables.linear[n], kTables.linear[n + 1], kTables.linear[n + 2], kTables.linear[n + 3], kTables.linear[n + 4], \
      kTables.linear[n + 5], kTables.linear[n + 6], kTables.linear[n + 7]
#define ETZEL_ROW64(n)                                                                                              \
  ETZEL_ROW8(n), ETZEL_ROW8(n + 8), ETZEL_ROW8(n + 16), ETZEL_ROW8(n + 24), ETZEL_ROW8(n + 32), ETZEL_ROW8(n + 40), \
      ETZEL_ROW8(n + 48), ETZEL_ROW8(n + 56)
constinit const float kSrgbToLinear[256] = {ETZEL_ROW64(0), ETZEL_ROW64(64), ETZEL_ROW64(128), ETZEL_ROW64(192)};

constinit const simd::ByteTable kSrgbBytes = byBytes(kTables.linear);
constinit const simd::ByteTable kSrgbLeast = byBytes(kTables.least);

constinit const SrgbEncoding kSrgbEncoding = kTables.encoding;

void sharedExponentToFloat(uint32_t packed, float rgb[3]) {
  // 2^(exponent - 15 - 9), always a normal float.
  const float scale = bitsToFloat(((packed >> 27) + 127 - 24) << 23);
  for (int i = 0; i < 3; ++i) rgb[i] = static_cast<float>(packed >> (9 * i) & 511) * scale;
}

uint32_t floatToSharedExponent(const float rgb[3]) {
  // "RGB to Shared Exponent": N = 9, B = 15, Emax = 31.
  constexpr float maximum = 511.0f / 512.0f * 65536.0f;
  float c[3], greatest = 0.0f;
  for (int i = 0; i < 3; ++i) {
    c[i] = rgb[i] > 0.0f ? (rgb[i] < maximum ? rgb[i] : maximum) : 0.0f;
    greatest = greatest > c[i] ? greatest : c[i];
  }
  const int floorLog2 = static_cast<int>(floatToBits(greatest) >> 23) - 127;  // denormals and 0: -127, clamped below
  int exponent = (floorLog2 > -16 ? floorLog2 : -16) + 1 + 15;
  const auto scaled = [](float v, int e) {
    const double power = std::bit_cast<double>(static_cast<uint64_t>(1023 + 24 - e) << 52);
    return static_cast<uint32_t>(std::floor(static_cast<double>(v) * power + 0.5));
  };
  if (scaled(greatest, exponent) == 512) ++exponent;
  uint32_t packed = static_cast<uint32_t>(exponent) << 27;
  for (int i = 0; i < 3; ++i) packed |= scaled(c[i], exponent) << (9 * i);
  return packed;
}

}  // namespace etzel::format
