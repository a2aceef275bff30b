// ETC2 and EAC (Khronos Data Format Specification, "ETC2 Compressed Texture Image Formats"). Blocks are big-endian
// 64-bit words; bit numbers below are those of the specification. Texel (x, y) has index 4x + y.
#include <algorithm>

#include "runtime/format/block_codec.h"
#include "runtime/format/convert.h"

namespace etzel::format {
namespace {

constexpr int kModifier[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
constexpr int kDistance[8] = {3, 6, 11, 16, 23, 32, 41, 64};
constexpr int kEacModifier[16][8] = {
    {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
    {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
    {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
    {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
    {-3, -5, -7, -9, 2, 4, 6, 8}};

uint64_t loadBigEndian(const std::byte* p) {
  uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v = v << 8 | static_cast<uint8_t>(p[i]);
  return v;
}
int bits(uint64_t block, int high, int low) {
  return static_cast<int>(block >> low & ((uint64_t{1} << (high - low + 1)) - 1));
}
uint8_t clamp8(int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }
int extend4(int v) { return v * 17; }
int extend5(int v) { return v << 3 | v >> 2; }
int extend6(int v) { return v << 2 | v >> 4; }
int extend7(int v) { return v << 1 | v >> 6; }
int indexOf(uint64_t block, int texel) {
  return static_cast<int>((block >> (16 + texel) & 1) << 1 | (block >> texel & 1));
}

struct Rgb {
  int c[3];
};

void put(Rgba8* out, int texel, const Rgb& base, int add) {
  Rgba8& t = out[(texel & 3) * 4 + (texel >> 2)];
  for (int c = 0; c < 3; ++c) t.c[c] = clamp8(base.c[c] + add);
  t.c[3] = 255;
}
void putTransparent(Rgba8* out, int texel) { out[(texel & 3) * 4 + (texel >> 2)] = {{0, 0, 0, 0}}; }

/// Individual and differential mode: a base colour and a modifier table for each half of the block.
void decodeHalves(uint64_t block, const Rgb base[2], bool opaque, Rgba8* out) {
  const int table[2] = {bits(block, 39, 37), bits(block, 36, 34)};
  const bool flip = block >> 32 & 1;
  for (int texel = 0; texel < 16; ++texel) {
    const int half = flip ? (texel & 3) >> 1 : texel >> 3;
    const int index = indexOf(block, texel);
    if (!opaque && index == 2) {
      putTransparent(out, texel);
      continue;
    }
    const int* modifier = kModifier[table[half]];
    int add = modifier[index & 1];
    if (!opaque && index == 0) add = 0;
    put(out, texel, base[half], index & 2 ? -add : add);
  }
}

void decodePaints(uint64_t block, const Rgb paint[4], const int add[4], bool opaque, Rgba8* out) {
  for (int texel = 0; texel < 16; ++texel) {
    const int index = indexOf(block, texel);
    if (!opaque && index == 2)
      putTransparent(out, texel);
    else
      put(out, texel, paint[index], add[index]);
  }
}

void decodeT(uint64_t b, bool opaque, Rgba8* out) {
  const Rgb first = {
      {extend4(bits(b, 60, 59) << 2 | bits(b, 57, 56)), extend4(bits(b, 55, 52)), extend4(bits(b, 51, 48))}};
  const Rgb second = {{extend4(bits(b, 47, 44)), extend4(bits(b, 43, 40)), extend4(bits(b, 39, 36))}};
  const int d = kDistance[bits(b, 35, 34) << 1 | bits(b, 32, 32)];
  const Rgb paint[4] = {first, second, second, second};
  const int add[4] = {0, d, 0, -d};
  decodePaints(b, paint, add, opaque, out);
}

void decodeH(uint64_t b, bool opaque, Rgba8* out) {
  const int r1 = bits(b, 62, 59), g1 = bits(b, 58, 56) << 1 | bits(b, 52, 52),
            b1 = bits(b, 51, 51) << 3 | bits(b, 49, 47);
  const int r2 = bits(b, 46, 43), g2 = bits(b, 42, 39), b2 = bits(b, 38, 35);
  const bool ordered = (r1 << 8 | g1 << 4 | b1) >= (r2 << 8 | g2 << 4 | b2);
  const int d = kDistance[bits(b, 34, 34) << 2 | bits(b, 32, 32) << 1 | static_cast<int>(ordered)];
  const Rgb first = {{extend4(r1), extend4(g1), extend4(b1)}}, second = {{extend4(r2), extend4(g2), extend4(b2)}};
  const Rgb paint[4] = {first, first, second, second};
  const int add[4] = {d, -d, d, -d};
  decodePaints(b, paint, add, opaque, out);
}

void decodePlanar(uint64_t b, Rgba8* out) {
  const int o[3] = {extend6(bits(b, 62, 57)), extend7(bits(b, 56, 56) << 6 | bits(b, 54, 49)),
                    extend6(bits(b, 48, 48) << 5 | bits(b, 44, 43) << 3 | bits(b, 41, 39))};
  const int h[3] = {extend6(bits(b, 38, 34) << 1 | bits(b, 32, 32)), extend7(bits(b, 31, 25)),
                    extend6(bits(b, 24, 19))};
  const int v[3] = {extend6(bits(b, 18, 13)), extend7(bits(b, 12, 6)), extend6(bits(b, 5, 0))};
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      Rgba8& t = out[y * 4 + x];
      for (int c = 0; c < 3; ++c) t.c[c] = clamp8((x * (h[c] - o[c]) + y * (v[c] - o[c]) + 4 * o[c] + 2) >> 2);
      t.c[3] = 255;
    }
  }
}

void decodeRgb(uint64_t b, bool punchThrough, Rgba8* out) {
  const bool flag = b >> 33 & 1;  // differential, or opaque in formats with one bit of alpha
  const bool opaque = !punchThrough || flag;
  if (!punchThrough && !flag) {
    const Rgb base[2] = {{{extend4(bits(b, 63, 60)), extend4(bits(b, 55, 52)), extend4(bits(b, 47, 44))}},
                         {{extend4(bits(b, 59, 56)), extend4(bits(b, 51, 48)), extend4(bits(b, 43, 40))}}};
    return decodeHalves(b, base, true, out);
  }
  int first[3], second[3];
  for (int c = 0; c < 3; ++c) {
    const int low = 56 - 8 * c, delta = bits(b, low + 2, low);
    first[c] = bits(b, low + 7, low + 3);
    second[c] = first[c] + (delta < 4 ? delta : delta - 8);
  }
  // A sum outside of 5 bits is how the block says that it is something else.
  const auto overflows = [&](int c) { return second[c] < 0 || second[c] > 31; };
  if (overflows(0)) return decodeT(b, opaque, out);
  if (overflows(1)) return decodeH(b, opaque, out);
  if (overflows(2)) return decodePlanar(b, out);
  Rgb base[2];
  for (int c = 0; c < 3; ++c) base[0].c[c] = extend5(first[c]), base[1].c[c] = extend5(second[c]);
  decodeHalves(b, base, opaque, out);
}

/// Calls put(texel number in rows, base codeword, modifier, multiplier) for 16 texels.
template <class Put>
void decodeEac(uint64_t b, const Put& put) {
  const int* table = kEacModifier[bits(b, 51, 48)];
  const int multiplier = bits(b, 55, 52), base = bits(b, 63, 56);
  for (int texel = 0; texel < 16; ++texel) {
    const int modifier = table[b >> (45 - 3 * texel) & 7];
    put((texel & 3) * 4 + (texel >> 2), base, modifier, multiplier);
  }
}

void decodeEac11(const std::byte* block, bool isSigned, int component, Texel* texels) {
  decodeEac(loadBigEndian(block), [&](int texel, int base, int modifier, int multiplier) {
    const int delta = multiplier ? modifier * multiplier * 8 : modifier;
    float value;
    if (isSigned) {
      const int start = std::max<int>(static_cast<int8_t>(base), -127);
      value = static_cast<float>(std::clamp(start * 8 + delta, -1023, 1023)) / 1023.0f;
    } else {
      value = static_cast<float>(std::clamp(base * 8 + 4 + delta, 0, 2047)) / 2047.0f;
    }
    texels[texel].word[component] = floatToBits(value);
  });
}

}  // namespace

bool decodeEtcCodes(const FormatInfo& info, const std::byte* block, Rgba8 texels[16]) {
  if (info.numeric == Numeric::Snorm || info.components() < 3) return false;
  const bool separateAlpha = info.blockBytes == 16;
  decodeRgb(loadBigEndian(block + (separateAlpha ? 8 : 0)), info.components() == 4 && !separateAlpha, texels);
  if (separateAlpha)
    decodeEac(loadBigEndian(block), [&](int texel, int base, int modifier, int multiplier) {
      texels[texel].c[3] = clamp8(base + modifier * multiplier);
    });
  return true;
}

void decodeEtc(const FormatInfo& info, const std::byte* block, Texel* texels) {
  for (int t = 0; t < 16; ++t) texels[t] = {{0, 0, 0, floatToBits(1.0f)}};
  for (int c = 0; c < info.components(); ++c) decodeEac11(block + 8 * c, info.numeric == Numeric::Snorm, c, texels);
}

}  // namespace etzel::format
