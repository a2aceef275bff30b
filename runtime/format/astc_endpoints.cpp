// The modes in the order of the specification's table: luminance, base and scale, RGB; each also relative to a base,
// with alpha, or with a high dynamic range, whose numbers are sent in parts that the mode's own field spreads.
#include "runtime/format/astc_endpoints.h"

#include <algorithm>
#include <utility>

#include "runtime/format/block_codec.h"

namespace etzel::format {
namespace {

constexpr int kHdrOne = 0x780;  // 1.0 among the 12-bit numbers
constexpr int kHdrMost = 0xFFF;

void transferBitSigned(int& a, int& b) {
  b = b >> 1 | (a & 0x80);
  a = a >> 1 & 0x3F;
  if (a & 0x20) a -= 0x40;
}

void setEndpoint(Endpoints* out, int which, int r, int g, int b, int a, bool blueContract) {
  if (blueContract) r = (r + b) >> 1, g = (g + b) >> 1;
  const int v[4] = {r, g, b, a};
  for (int c = 0; c < 4; ++c) out->e[which][c] = std::clamp(v[c], 0, 255);
}

void setHdrEndpoint(Endpoints* out, int which, int r, int g, int b) {
  const int v[3] = {r, g, b};
  for (int c = 0; c < 3; ++c) out->e[which][c] = std::clamp(v[c], 0, kHdrMost);
  out->e[which][3] = kHdrOne;
}

int bitOf(int v, int bit) { return v >> bit & 1; }

/// Components in an order that begins with the greatest, back to R, G, B.
void restoreOrder(Endpoints* out, int majorComponent) {
  for (auto& e : out->e)
    if (majorComponent > 0) std::swap(e[0], e[majorComponent]);
}

void hdrLuminance(const int* v, Endpoints* out) {
  const bool ordered = v[1] >= v[0];
  const int y0 = ordered ? v[0] << 4 : (v[1] << 4) + 8, y1 = ordered ? v[1] << 4 : (v[0] << 4) - 8;
  setHdrEndpoint(out, 0, y0, y0, y0);
  setHdrEndpoint(out, 1, y1, y1, y1);
}

void hdrLuminanceSmallRange(const int* v, Endpoints* out) {
  const bool coarse = v[0] & 0x80;
  const int y0 = coarse ? (v[1] & 0xE0) << 4 | (v[0] & 0x7F) << 2 : (v[1] & 0xF0) << 4 | (v[0] & 0x7F) << 1;
  const int y1 = y0 + (coarse ? (v[1] & 0x1F) << 2 : (v[1] & 0x0F) << 1);
  setHdrEndpoint(out, 0, y0, y0, y0);
  setHdrEndpoint(out, 1, y1, y1, y1);
}

void hdrBaseAndScale(const int* v, Endpoints* out) {
  const int field = v[0] >> 6 | (v[1] >> 5 & 4) | (v[2] >> 4 & 8);
  const bool named = (field & 12) != 12;
  const int major = named ? field >> 2 : field != 15 ? field & 3 : 0, mode = named ? field & 3 : field != 15 ? 4 : 5;
  int red = v[0] & 0x3F, green = v[1] & 0x1F, blue = v[2] & 0x1F, scale = v[3] & 0x1F;
  const int x0 = bitOf(v[1], 6), x1 = bitOf(v[1], 5), x2 = bitOf(v[2], 6), x3 = bitOf(v[2], 5);
  const int x4 = bitOf(v[3], 7), x5 = bitOf(v[3], 6), x6 = bitOf(v[3], 5);
  const auto in = [&](int modes) { return modes >> mode & 1; };
  if (in(0x30)) green |= x0 << 6;
  if (in(0x3A)) green |= x1 << 5;
  if (in(0x30)) blue |= x2 << 6;
  if (in(0x3A)) blue |= x3 << 5;
  if (in(0x3D)) scale |= x6 << 5;
  if (in(0x2D)) scale |= x5 << 6;
  if (in(0x04)) scale |= x4 << 7;
  if (in(0x3B)) red |= x4 << 6;
  if (in(0x04)) red |= x3 << 6;
  if (in(0x10)) red |= x5 << 7;
  if (in(0x0F)) red |= x2 << 7;
  if (in(0x05)) red |= x1 << 8;
  if (in(0x0A)) red |= x0 << 8;
  if (in(0x05)) red |= x0 << 9;
  if (in(0x02)) red |= x6 << 9;
  if (in(0x01)) red |= x3 << 10;
  if (in(0x02)) red |= x5 << 10;
  constexpr int kShift[6] = {1, 1, 2, 3, 4, 5};
  for (int* c : {&red, &green, &blue, &scale}) *c <<= kShift[mode];
  if (mode != 5) green = red - green, blue = red - blue;
  setHdrEndpoint(out, 0, red - scale, green - scale, blue - scale);
  setHdrEndpoint(out, 1, red, green, blue);
  restoreOrder(out, major);
}

void hdrRgb(const int* v, Endpoints* out) {
  const int major = bitOf(v[4], 7) | bitOf(v[5], 7) << 1;
  if (major == 3) {
    setHdrEndpoint(out, 0, v[0] << 4, v[2] << 4, (v[4] & 0x7F) << 5);
    setHdrEndpoint(out, 1, v[1] << 4, v[3] << 4, (v[5] & 0x7F) << 5);
    return;
  }
  const int mode = bitOf(v[1], 7) | bitOf(v[2], 7) << 1 | bitOf(v[3], 7) << 2;
  constexpr uint32_t kDifferenceBits[8] = {7, 6, 7, 6, 5, 6, 5, 6};
  int a = v[0] | (v[1] & 0x40) << 2, b0 = v[2] & 0x3F, b1 = v[3] & 0x3F, c = v[1] & 0x3F;
  int d0 = signExtend(v[4], kDifferenceBits[mode]);
  int d1 = signExtend(v[5], kDifferenceBits[mode]);
  const int x0 = bitOf(v[2], 6), x1 = bitOf(v[3], 6), x2 = bitOf(v[4], 6), x3 = bitOf(v[5], 6);
  const int x4 = bitOf(v[4], 5), x5 = bitOf(v[5], 5);
  const auto in = [&](int modes) { return modes >> mode & 1; };
  if (in(0xA4)) a |= x0 << 9;
  if (in(0x08)) a |= x2 << 9;
  if (in(0x50)) a |= x4 << 9;
  if (in(0x50)) a |= x5 << 10;
  if (in(0xA0)) a |= x1 << 10;
  if (in(0xC0)) a |= x2 << 11;
  if (in(0x04)) c |= x1 << 6;
  if (in(0xE8)) c |= x3 << 6;
  if (in(0x20)) c |= x2 << 7;
  if (in(0x5B)) b0 |= x0 << 6, b1 |= x1 << 6;
  if (in(0x12)) b0 |= x2 << 7, b1 |= x3 << 7;
  const int scale = 1 << ((mode >> 1) ^ 3);
  for (int* n : {&a, &b0, &b1, &c, &d0, &d1}) *n *= scale;
  setHdrEndpoint(out, 0, a - c, a - b0 - c - d0, a - b1 - c - d1);
  setHdrEndpoint(out, 1, a, a - b0, a - b1);
  restoreOrder(out, major);
}

void hdrAlpha(int v6, int v7, Endpoints* out) {
  const int mode = bitOf(v6, 7) | bitOf(v7, 7) << 1;
  v6 &= 0x7F, v7 &= 0x7F;
  if (mode == 3) {
    out->e[0][3] = v6 << 5, out->e[1][3] = v7 << 5;
    return;
  }
  v6 |= v7 << (mode + 1) & 0x780;
  v7 = signExtend(v7, 6 - mode);
  const int scale = 1 << (4 - mode);
  out->e[0][3] = v6 * scale, out->e[1][3] = std::clamp((v6 + v7) * scale, 0, kHdrMost);
}

void ldrRgb(uint32_t mode, int* v, Endpoints* out) {
  if (mode == 8) v[6] = v[7] = 255;
  const bool swapped = v[1] + v[3] + v[5] < v[0] + v[2] + v[4];
  const int first = swapped ? 1 : 0;
  setEndpoint(out, 0, v[first], v[2 + first], v[4 + first], v[6 + first], swapped);
  setEndpoint(out, 1, v[1 - first], v[3 - first], v[5 - first], v[7 - first], swapped);
}

void ldrRgbBaseAndOffset(uint32_t mode, int* v, Endpoints* out) {
  transferBitSigned(v[1], v[0]);
  transferBitSigned(v[3], v[2]);
  transferBitSigned(v[5], v[4]);
  if (mode == 13)
    transferBitSigned(v[7], v[6]);
  else
    v[6] = 255, v[7] = 0;
  const bool swapped = v[1] + v[3] + v[5] < 0;
  const int base = swapped ? 1 : 0;
  setEndpoint(out, base, v[0], v[2], v[4], v[6], swapped);
  setEndpoint(out, 1 - base, v[0] + v[1], v[2] + v[3], v[4] + v[5], v[6] + v[7], swapped);
}

void ldrLuminance(uint32_t mode, int* v, Endpoints* out) {
  int l0 = v[0], l1 = v[1], a0 = 255, a1 = 255;
  if (mode == 1) l0 = v[0] >> 2 | (v[1] & 0xC0), l1 = l0 + (v[1] & 0x3F);
  if (mode == 4) a0 = v[2], a1 = v[3];
  if (mode == 5) {
    transferBitSigned(v[1], v[0]);
    transferBitSigned(v[3], v[2]);
    l0 = v[0], l1 = v[0] + v[1], a0 = v[2], a1 = v[2] + v[3];
  }
  setEndpoint(out, 0, l0, l0, l0, a0, false);
  setEndpoint(out, 1, l1, l1, l1, a1, false);
}

}  // namespace

Endpoints decodeEndpoints(uint32_t mode, const uint8_t* values) {
  Endpoints out{};
  int v[8] = {};
  for (uint32_t i = 0; i < 2 * (mode >> 2) + 2; ++i) v[i] = values[i];
  switch (mode) {
    case 0:
    case 1:
    case 4:
    case 5: ldrLuminance(mode, v, &out); return out;
    case 6:
    case 10:
      setEndpoint(&out, 0, v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, mode == 10 ? v[4] : 255, false);
      setEndpoint(&out, 1, v[0], v[1], v[2], mode == 10 ? v[5] : 255, false);
      return out;
    case 8:
    case 12: ldrRgb(mode, v, &out); return out;
    case 9:
    case 13: ldrRgbBaseAndOffset(mode, v, &out); return out;
    case 2: hdrLuminance(v, &out); break;
    case 3: hdrLuminanceSmallRange(v, &out); break;
    case 7: hdrBaseAndScale(v, &out); break;
    default: hdrRgb(v, &out); break;  // 11, 14, 15
  }
  out.isHdr = true, out.isAlphaHdr = mode != 14;
  if (mode == 14) out.e[0][3] = v[6], out.e[1][3] = v[7];
  if (mode == 15) hdrAlpha(v[6], v[7], &out);
  return out;
}

}  // namespace etzel::format
