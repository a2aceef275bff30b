// See block_decoders.h.
#include "cts-subset/cases/format/block_decoders.h"

#include <algorithm>
#include <cstring>

namespace etzel::cts {
namespace {

uint64_t little(const uint8_t* b, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; ++i) v |= uint64_t(b[i]) << (8 * i);
  return v;
}
uint64_t big(const uint8_t* b) {
  uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v = v << 8 | b[i];
  return v;
}

// --- BC: "S3TC Compressed Texture Image Formats", "RGTC" ---

/// Colours of BC1; `opaque`: always four of them (BC2, BC3); `punch`: the fourth of three is transparent.
Block bcColors(const uint8_t* b, bool opaque, bool punch) {
  Block r;
  uint32_t c[2] = {uint32_t(little(b, 2)), uint32_t(little(b + 2, 2))};
  std::array<double, 4> palette[4];
  for (int i = 0; i < 2; ++i) palette[i] = {(c[i] >> 11) / 31.0, (c[i] >> 5 & 63) / 63.0, (c[i] & 31) / 31.0, 1};
  bool four = opaque || c[0] > c[1];
  for (size_t k = 0; k < 4; ++k) {
    double x = palette[0][k], y = palette[1][k];
    palette[2][k] = four ? (2 * x + y) / 3 : (x + y) / 2;
    palette[3][k] = four ? (x + 2 * y) / 3 : 0;
  }
  palette[2][3] = 1;
  palette[3][3] = four || !punch ? 1 : 0;
  uint64_t indices = little(b + 4, 4);
  for (int i = 0; i < 16; ++i) r.texels[i] = palette[indices >> (2 * i) & 3];
  return r;
}

/// One channel of BC3's alpha, BC4, BC5.
void bcChannel(Block& r, const uint8_t* b, size_t channel, bool isSigned) {
  double e[2], palette[8];
  for (int i = 0; i < 2; ++i) e[i] = isSigned ? std::max(-127, int(int8_t(b[i]))) / 127.0 : b[i] / 255.0;
  bool eight = isSigned ? int8_t(b[0]) > int8_t(b[1]) : b[0] > b[1];
  palette[0] = e[0], palette[1] = e[1];
  for (int i = 2; i < 8; ++i)
    palette[i] = eight ? ((8 - i) * e[0] + (i - 1) * e[1]) / 7 : ((6 - i) * e[0] + (i - 1) * e[1]) / 5;
  if (!eight) palette[6] = isSigned ? -1 : 0, palette[7] = 1;
  uint64_t indices = little(b + 2, 6);
  for (int i = 0; i < 16; ++i) r.texels[i][channel] = palette[indices >> (3 * i) & 7];
}

Block blank() {
  Block r;
  for (auto& t : r.texels) t = {0, 0, 0, 1};
  return r;
}

// --- ETC2 and EAC: bits are numbered from the last byte's lowest; texel i is in column i / 4, row i % 4 ---

const int etcTable[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
const int etcDistance[8] = {3, 6, 11, 16, 23, 32, 41, 64};
const int eacTable[16][4] = {{-3, -6, -9, -15}, {-3, -7, -10, -13}, {-2, -5, -8, -13}, {-2, -4, -6, -13},
                             {-3, -6, -8, -12}, {-3, -7, -9, -11},  {-4, -7, -8, -11}, {-3, -5, -8, -11},
                             {-2, -6, -8, -10}, {-2, -5, -8, -10},  {-2, -4, -8, -10}, {-2, -5, -7, -10},
                             {-3, -4, -7, -10}, {-1, -2, -3, -10},  {-4, -6, -8, -9},  {-3, -5, -7, -9}};
int eacModifier(int table, int index) { return index < 4 ? eacTable[table][index] : -eacTable[table][index - 4] - 1; }

uint32_t field(uint64_t v, int high, int low) {
  return uint32_t(v >> low) & uint32_t((uint64_t(1) << (high - low + 1)) - 1);
}
int widen(uint32_t v, int bits) {
  return int(bits == 4 ? v << 4 | v : bits == 5 ? v << 3 | v >> 2 : bits == 6 ? v << 2 | v >> 4 : v << 1 | v >> 6);
}
std::array<double, 4> rgb(int r, int g, int b, double a = 1) {
  return {std::clamp(r, 0, 255) / 255.0, std::clamp(g, 0, 255) / 255.0, std::clamp(b, 0, 255) / 255.0, a};
}

Block etc2(const uint8_t* bytes, bool punchThrough) {
  uint64_t v = big(bytes);
  Block r;
  bool differential = punchThrough || field(v, 33, 33), opaque = !punchThrough || field(v, 33, 33);
  auto index = [&](int i) { return int(field(v, i + 16, i + 16) * 2 + field(v, i, i)); };
  auto put = [&](int i, std::array<double, 4> c) { r.texels[i % 4 * 4 + i / 4] = c; };
  int base[2][3];
  if (!differential) {
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 2; ++k) base[k][c] = widen(field(v, 63 - 8 * c - 4 * k, 60 - 8 * c - 4 * k), 4);
  } else {
    int sum[3];
    for (int c = 0; c < 3; ++c) {
      int five = int(field(v, 63 - 8 * c, 59 - 8 * c)), delta = int(field(v, 58 - 8 * c, 56 - 8 * c));
      sum[c] = five + (delta >= 4 ? delta - 8 : delta);
      base[0][c] = widen(uint32_t(five), 5);
      base[1][c] = widen(uint32_t(sum[c]) & 31, 5);
    }
    auto over = [](int s) { return s < 0 || s > 31; };
    if (over(sum[0]) || (!over(sum[0]) && over(sum[1]))) {  // modes T and H: four paint colours
      bool t = over(sum[0]);
      int a[3], b[3], distance;
      if (t) {
        a[0] = widen(field(v, 60, 59) << 2 | field(v, 57, 56), 4), a[1] = widen(field(v, 55, 52), 4),
        a[2] = widen(field(v, 51, 48), 4);
        b[0] = widen(field(v, 47, 44), 4), b[1] = widen(field(v, 43, 40), 4), b[2] = widen(field(v, 39, 36), 4);
        distance = etcDistance[field(v, 35, 34) << 1 | field(v, 32, 32)];
      } else {
        a[0] = widen(field(v, 62, 59), 4), a[1] = widen(field(v, 58, 56) << 1 | field(v, 52, 52), 4);
        a[2] = widen(field(v, 51, 51) << 3 | field(v, 49, 47), 4);
        b[0] = widen(field(v, 46, 43), 4), b[1] = widen(field(v, 42, 39), 4), b[2] = widen(field(v, 38, 35), 4);
        bool order = (a[0] << 16 | a[1] << 8 | a[2]) >= (b[0] << 16 | b[1] << 8 | b[2]);
        distance = etcDistance[field(v, 34, 34) << 2 | field(v, 32, 32) << 1 | uint32_t(order)];
      }
      auto shifted = [](const int* c, int d) { return rgb(c[0] + d, c[1] + d, c[2] + d); };
      std::array<double, 4> paint[4];
      if (t)
        paint[0] = shifted(a, 0), paint[1] = shifted(b, distance), paint[2] = shifted(b, 0),
        paint[3] = shifted(b, -distance);
      else
        paint[0] = shifted(a, distance), paint[1] = shifted(a, -distance), paint[2] = shifted(b, distance),
        paint[3] = shifted(b, -distance);
      for (int i = 0; i < 16; ++i) put(i, !opaque && index(i) == 2 ? std::array<double, 4>{} : paint[index(i)]);
      return r;
    }
    if (over(sum[2])) {  // planar
      int o[3] = {widen(field(v, 62, 57), 6), widen(field(v, 56, 56) << 6 | field(v, 54, 49), 7),
                  widen(field(v, 48, 48) << 5 | field(v, 44, 43) << 3 | field(v, 41, 39), 6)};
      int h[3] = {widen(field(v, 38, 34) << 1 | field(v, 32, 32), 6), widen(field(v, 31, 25), 7),
                  widen(field(v, 24, 19), 6)};
      int w[3] = {widen(field(v, 18, 13), 6), widen(field(v, 12, 6), 7), widen(field(v, 5, 0), 6)};
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
          int c[3];
          for (int k = 0; k < 3; ++k) c[k] = (x * (h[k] - o[k]) + y * (w[k] - o[k]) + 4 * o[k] + 2) >> 2;
          r.texels[y * 4 + x] = rgb(c[0], c[1], c[2]);
        }
      return r;
    }
  }
  bool flip = field(v, 32, 32);
  uint32_t tables[2] = {field(v, 39, 37), field(v, 36, 34)};
  for (int i = 0; i < 16; ++i) {
    int x = i / 4, y = i % 4, half = flip ? y / 2 : x / 2, k = index(i);
    int small = opaque ? etcTable[tables[half]][0] : 0, large = etcTable[tables[half]][1];
    int d = k == 0 ? small : k == 1 ? large : k == 2 ? -small : -large;
    put(i, !opaque && k == 2 ? std::array<double, 4>{} : rgb(base[half][0] + d, base[half][1] + d, base[half][2] + d));
  }
  return r;
}

void eacAlpha(Block& r, const uint8_t* bytes) {
  uint64_t v = big(bytes);
  int base = int(field(v, 63, 56)), multiplier = int(field(v, 55, 52)), table = int(field(v, 51, 48));
  for (int i = 0; i < 16; ++i) {
    int modifier = eacModifier(table, int(field(v, 47 - 3 * i, 45 - 3 * i)));
    r.texels[i % 4 * 4 + i / 4][3] = std::clamp(base + modifier * multiplier, 0, 255) / 255.0;
  }
}

void eac11(Block& r, const uint8_t* bytes, size_t channel, bool isSigned) {
  uint64_t v = big(bytes);
  int base = int(field(v, 63, 56)), multiplier = int(field(v, 55, 52)), table = int(field(v, 51, 48));
  if (isSigned) base = std::max(-127, int(int8_t(base)));
  for (int i = 0; i < 16; ++i) {
    int modifier = eacModifier(table, int(field(v, 47 - 3 * i, 45 - 3 * i))) * (multiplier ? multiplier * 8 : 1);
    r.texels[i % 4 * 4 + i / 4][channel] = isSigned ? std::clamp(base * 8 + modifier, -1023, 1023) / 1023.0
                                                    : std::clamp(base * 8 + 4 + modifier, 0, 2047) / 2047.0;
  }
}

}  // namespace

Block decodeBc1Rgb(const uint8_t* b) { return bcColors(b, false, false); }
Block decodeBc1Rgba(const uint8_t* b) { return bcColors(b, false, true); }
Block decodeBc2(const uint8_t* b) {
  Block r = bcColors(b + 8, true, false);
  uint64_t alpha = little(b, 8);
  for (int i = 0; i < 16; ++i) r.texels[i][3] = double(alpha >> (4 * i) & 15) / 15;
  return r;
}
Block decodeBc3(const uint8_t* b) {
  Block r = bcColors(b + 8, true, false);
  bcChannel(r, b, 3, false);
  return r;
}
Block decodeBc4(const uint8_t* b) {
  Block r = blank();
  bcChannel(r, b, 0, false);
  return r;
}
Block decodeBc4Snorm(const uint8_t* b) {
  Block r = blank();
  bcChannel(r, b, 0, true);
  return r;
}
Block decodeBc5(const uint8_t* b) {
  Block r = decodeBc4(b);
  bcChannel(r, b + 8, 1, false);
  return r;
}
Block decodeBc5Snorm(const uint8_t* b) {
  Block r = decodeBc4Snorm(b);
  bcChannel(r, b + 8, 1, true);
  return r;
}

Block decodeBc7Mode6(const uint8_t* b) {
  // Mode bits 0000001, two endpoints of 7 bits a channel, one shared low bit each, sixteen 4-bit indices.
  static const int weights[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
  uint64_t low = little(b, 8), high = little(b + 8, 8);
  auto bits = [&](int at, int n) {
    uint64_t v = at < 64 ? low >> at : high >> (at - 64);
    if (at < 64 && at + n > 64) v |= high << (64 - at);
    return int(v & ((uint64_t(1) << n) - 1));
  };
  Block r;
  int e[2][4];
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k < 2; ++k) e[k][c] = bits(7 + c * 14 + k * 7, 7) << 1 | bits(63 + k, 1);
  for (int i = 0, at = 65; i < 16; ++i) {
    int n = i == 0 ? 3 : 4, w = weights[bits(at, n)];
    at += n;
    for (size_t c = 0; c < 4; ++c) r.texels[i][c] = ((64 - w) * e[0][c] + w * e[1][c] + 32) / 64 / 255.0;
  }
  return r;
}

Block decodeEtc2Rgb(const uint8_t* b) { return etc2(b, false); }
Block decodeEtc2Rgba1(const uint8_t* b) { return etc2(b, true); }
Block decodeEtc2Rgba(const uint8_t* b) {
  Block r = etc2(b + 8, false);
  eacAlpha(r, b);
  return r;
}
Block decodeEacR11(const uint8_t* b) {
  Block r = blank();
  eac11(r, b, 0, false);
  return r;
}
Block decodeEacR11Snorm(const uint8_t* b) {
  Block r = blank();
  eac11(r, b, 0, true);
  return r;
}
Block decodeEacRg11(const uint8_t* b) {
  Block r = decodeEacR11(b);
  eac11(r, b + 8, 1, false);
  return r;
}
Block decodeEacRg11Snorm(const uint8_t* b) {
  Block r = decodeEacR11Snorm(b);
  eac11(r, b + 8, 1, true);
  return r;
}
Block decodeAstcVoid(const uint8_t* b) {
  Block r;
  r.uniform = true;
  for (size_t c = 0; c < 4; ++c) r.texels[0][c] = double(little(b + 8 + 2 * c, 2)) / 65535;
  return r;
}

}  // namespace etzel::cts
