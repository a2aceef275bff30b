// ASTC, LDR profile, 2D blocks of all sizes (Khronos Data Format Specification, "ASTC Compressed Texture Image
// Formats"). Blocks that the LDR profile cannot decode show the error colour, opaque magenta.
#include <algorithm>
#include <cstring>

#include "runtime/format/block_codec.h"
#include "runtime/format/convert.h"

namespace etzel::format {
namespace {

struct Bits128 {
  uint64_t low = 0, high = 0;
  uint32_t get(uint32_t first, uint32_t count) const {  // bits past the end read as 0
    if (count == 0 || first >= 128) return 0;
    const uint64_t v = first >= 64 ? high >> (first - 64) : first == 0 ? low : low >> first | high << (64 - first);
    return static_cast<uint32_t>(v & ((uint64_t{1} << count) - 1));
  }
  Bits128 reversed() const { return {reverse(high), reverse(low)}; }
  /// The lowest `count` bits; everything above becomes 0.
  Bits128 first(uint32_t count) const {
    if (count >= 128) return *this;
    if (count >= 64) return {low, count == 64 ? 0 : high & ((uint64_t{1} << (count - 64)) - 1)};
    return {low & ((uint64_t{1} << count) - 1), 0};
  }
  Bits128 shifted(uint32_t by) const {  // by < 64
    return by == 0 ? *this : Bits128{low >> by | high << (64 - by), high >> by};
  }

 private:
  static uint64_t reverse(uint64_t v) {
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (v & 0x0F0F0F0F0F0F0F0Fu) << 4;
    return __builtin_bswap64(v);
  }
};

/// A range of integer sequence encoding: 2^bits, times 3 or 5.
struct Range {
  uint8_t bits;
  bool trits, quints;
  uint32_t size(uint32_t count) const {
    return count * bits + (trits ? (8 * count + 4) / 5 : 0) + (quints ? (7 * count + 2) / 3 : 0);
  }
};
constexpr Range kColorRanges[17] = {
    {1, true, false}, {3, false, false}, {1, false, true}, {2, true, false}, {4, false, false}, {2, false, true},
    {3, true, false}, {5, false, false}, {3, false, true}, {4, true, false}, {6, false, false}, {4, false, true},
    {5, true, false}, {7, false, false}, {5, false, true}, {6, true, false}, {8, false, false}};
constexpr Range kWeightRanges[12] = {{1, false, false}, {0, true, false},  {2, false, false}, {0, false, true},
                                     {1, true, false},  {3, false, false}, {1, false, true},  {2, true, false},
                                     {4, false, false}, {2, false, true},  {3, true, false},  {5, false, false}};

/// One decoded value of a sequence: its plain bits, and its trit or quint.
struct SequenceValue {
  uint8_t m, d;
};

void decodeTrits(uint32_t T, uint8_t t[5]) {
  const auto bit = [](uint32_t v, int i) { return v >> i & 1; };
  uint32_t C;
  if ((T >> 2 & 7) == 7) {
    C = (T >> 5 & 7) << 2 | (T & 3);
    t[4] = t[3] = 2;
  } else {
    C = T & 31;
    if ((T >> 5 & 3) == 3)
      t[4] = 2, t[3] = bit(T, 7);
    else
      t[4] = bit(T, 7), t[3] = T >> 5 & 3;
  }
  if ((C & 3) == 3) {
    t[2] = 2, t[1] = bit(C, 4), t[0] = static_cast<uint8_t>(bit(C, 3) << 1 | (bit(C, 2) & ~bit(C, 3) & 1));
  } else if ((C >> 2 & 3) == 3) {
    t[2] = 2, t[1] = 2, t[0] = C & 3;
  } else {
    t[2] = bit(C, 4), t[1] = C >> 2 & 3, t[0] = static_cast<uint8_t>(bit(C, 1) << 1 | (bit(C, 0) & ~bit(C, 1) & 1));
  }
}

void decodeQuints(uint32_t Q, uint8_t q[3]) {
  const auto bit = [](uint32_t v, int i) { return v >> i & 1; };
  if ((Q >> 1 & 3) == 3 && (Q >> 5 & 3) == 0) {
    const uint32_t keep = ~bit(Q, 0) & 1;
    q[2] = static_cast<uint8_t>(bit(Q, 0) << 2 | (bit(Q, 4) & keep) << 1 | (bit(Q, 3) & keep));
    q[1] = q[0] = 4;
    return;
  }
  uint32_t C;
  if ((Q >> 1 & 3) == 3) {
    q[2] = 4;
    C = (Q >> 3 & 3) << 3 | (~(Q >> 5) & 3) << 1 | bit(Q, 0);
  } else {
    q[2] = Q >> 5 & 3;
    C = Q & 31;
  }
  if ((C & 7) == 5)
    q[1] = 4, q[0] = C >> 3 & 3;
  else
    q[1] = C >> 3 & 3, q[0] = C & 7;
}

void decodeSequence(const Bits128& bits, uint32_t start, Range range, uint32_t count, SequenceValue* out) {
  // Everything past the sequence's last bit counts as zero, also within its last group.
  const Bits128 data = bits.first(start + range.size(count));
  uint32_t at = start;
  const auto take = [&](uint32_t n) {
    const uint32_t v = data.get(at, n);
    at += n;
    return v;
  };
  const uint32_t b = range.bits;
  if (range.trits) {
    for (uint32_t i = 0; i < count; i += 5) {
      uint8_t m[5], t[5];
      m[0] = static_cast<uint8_t>(take(b));
      uint32_t T = take(2);
      m[1] = static_cast<uint8_t>(take(b)), T |= take(2) << 2;
      m[2] = static_cast<uint8_t>(take(b)), T |= take(1) << 4;
      m[3] = static_cast<uint8_t>(take(b)), T |= take(2) << 5;
      m[4] = static_cast<uint8_t>(take(b)), T |= take(1) << 7;
      decodeTrits(T, t);
      for (uint32_t k = 0; k < 5 && i + k < count; ++k) out[i + k] = {m[k], t[k]};
    }
  } else if (range.quints) {
    for (uint32_t i = 0; i < count; i += 3) {
      uint8_t m[3], q[3];
      m[0] = static_cast<uint8_t>(take(b));
      uint32_t Q = take(3);
      m[1] = static_cast<uint8_t>(take(b)), Q |= take(2) << 3;
      m[2] = static_cast<uint8_t>(take(b)), Q |= take(2) << 5;
      decodeQuints(Q, q);
      for (uint32_t k = 0; k < 3 && i + k < count; ++k) out[i + k] = {m[k], q[k]};
    }
  } else {
    for (uint32_t i = 0; i < count; ++i) out[i] = {static_cast<uint8_t>(take(b)), 0};
  }
}

/// Repeats the `from` bits of v until `to` bits are filled.
uint32_t replicate(uint32_t v, uint32_t from, uint32_t to) {
  uint32_t out = 0;
  for (int shift = static_cast<int>(to) - static_cast<int>(from); shift > -static_cast<int>(from);
       shift -= static_cast<int>(from))
    out |= shift >= 0 ? v << shift : v >> -shift;
  return out & ((1u << to) - 1);
}

uint8_t unquantizeColor(Range r, SequenceValue v) {
  if (!r.trits && !r.quints) return static_cast<uint8_t>(replicate(v.m, r.bits, 8));
  const uint32_t a = v.m & 1 ? 0x1FF : 0;
  const uint32_t x = v.m >> 1;  // the bits b, c, d, e, f
  uint32_t B = 0, C = 0;
  if (r.trits) {
    switch (r.bits) {
      case 1: C = 204; break;
      case 2: C = 93, B = x * 0b100010110; break;
      case 3: C = 44, B = x << 7 | x << 2 | x; break;
      case 4: C = 22, B = x << 6 | x; break;
      case 5: C = 11, B = x << 5 | x >> 2; break;
      case 6: C = 5, B = x << 4 | x >> 4; break;
    }
  } else {
    switch (r.bits) {
      case 1: C = 113; break;
      case 2: C = 54, B = x * 0b100001100; break;
      case 3: C = 26, B = x << 7 | x << 1 | x >> 1; break;
      case 4: C = 13, B = x << 6 | x >> 1; break;
      case 5: C = 6, B = x << 5 | x >> 3; break;
    }
  }
  const uint32_t t = (v.d * C + B) ^ a;
  return static_cast<uint8_t>((a & 0x80) | (t >> 2 & 0x7F));
}

uint8_t unquantizeWeight(Range r, SequenceValue v) {
  uint32_t w = 0;
  if (r.bits == 0) {
    constexpr uint8_t trit[3] = {0, 32, 63}, quint[5] = {0, 16, 32, 47, 63};
    w = r.trits ? trit[v.d] : quint[v.d];
  } else if (!r.trits && !r.quints) {
    w = replicate(v.m, r.bits, 6);
  } else {
    const uint32_t a = v.m & 1 ? 0x7F : 0, x = v.m >> 1;
    uint32_t B = 0, C = 0;
    if (r.trits) {
      if (r.bits == 1)
        C = 50;
      else if (r.bits == 2)
        C = 23, B = x * 0b1000101;
      else
        C = 11, B = x << 5 | x;
    } else {
      if (r.bits == 1)
        C = 28;
      else
        C = 13, B = x * 0b1000010;
    }
    const uint32_t t = (v.d * C + B) ^ a;
    w = (a & 0x20) | (t >> 2 & 0x1F);
  }
  return static_cast<uint8_t>(w > 32 ? w + 1 : w);
}

/// The block mode field and what follows from it.
struct BlockMode {
  uint32_t width = 0, height = 0;  ///< of the weight grid
  bool dual = false;
  Range range{};
};

bool decodeBlockMode(uint32_t mode, BlockMode* out) {
  const uint32_t a = mode >> 5 & 3, b = mode >> 7 & 3;
  uint32_t r = mode >> 4 & 1;
  bool dual = mode >> 10 & 1, highPrecision = mode >> 9 & 1;
  if (mode & 3) {
    r |= (mode & 3) << 1;
    switch (mode >> 2 & 3) {
      case 0: out->width = b + 4, out->height = a + 2; break;
      case 1: out->width = b + 8, out->height = a + 2; break;
      case 2: out->width = a + 2, out->height = b + 8; break;
      default:
        if (mode >> 8 & 1)
          out->width = (b & 1) + 2, out->height = a + 2;
        else
          out->width = a + 2, out->height = (b & 1) + 6;
    }
  } else {
    if ((mode >> 2 & 3) == 0) return false;
    r |= (mode >> 2 & 3) << 1;
    switch (b) {
      case 0: out->width = 12, out->height = a + 2; break;
      case 1: out->width = a + 2, out->height = 12; break;
      case 2:
        out->width = a + 6, out->height = (mode >> 9 & 3) + 6;
        dual = highPrecision = false;
        break;
      default:
        if (a == 0)
          out->width = 6, out->height = 10;
        else if (a == 1)
          out->width = 10, out->height = 6;
        else
          return false;
    }
  }
  if (r < 2) return false;
  out->dual = dual;
  out->range = kWeightRanges[r - 2 + (highPrecision ? 6 : 0)];
  return true;
}

struct Endpoints {
  int e[2][4];
};

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

/// \returns false for the HDR modes
bool decodeEndpoints(uint32_t mode, const uint8_t* values, Endpoints* out) {
  int v[8] = {};
  for (uint32_t i = 0; i < 2 * (mode >> 2) + 2; ++i) v[i] = values[i];
  switch (mode) {
    case 0:
      setEndpoint(out, 0, v[0], v[0], v[0], 255, false);
      setEndpoint(out, 1, v[1], v[1], v[1], 255, false);
      return true;
    case 1: {
      const int l0 = v[0] >> 2 | (v[1] & 0xC0), l1 = l0 + (v[1] & 0x3F);
      setEndpoint(out, 0, l0, l0, l0, 255, false);
      setEndpoint(out, 1, l1, l1, l1, 255, false);
      return true;
    }
    case 4:
      setEndpoint(out, 0, v[0], v[0], v[0], v[2], false);
      setEndpoint(out, 1, v[1], v[1], v[1], v[3], false);
      return true;
    case 5:
      transferBitSigned(v[1], v[0]);
      transferBitSigned(v[3], v[2]);
      setEndpoint(out, 0, v[0], v[0], v[0], v[2], false);
      setEndpoint(out, 1, v[0] + v[1], v[0] + v[1], v[0] + v[1], v[2] + v[3], false);
      return true;
    case 6:
    case 10: {
      const bool alpha = mode == 10;
      setEndpoint(out, 0, v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, alpha ? v[4] : 255, false);
      setEndpoint(out, 1, v[0], v[1], v[2], alpha ? v[5] : 255, false);
      return true;
    }
    case 8:
    case 12: {
      if (mode == 8) v[6] = v[7] = 255;
      const bool swapped = v[1] + v[3] + v[5] < v[0] + v[2] + v[4];
      const int first = swapped ? 1 : 0;
      setEndpoint(out, 0, v[first], v[2 + first], v[4 + first], v[6 + first], swapped);
      setEndpoint(out, 1, v[1 - first], v[3 - first], v[5 - first], v[7 - first], swapped);
      return true;
    }
    case 9:
    case 13: {
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
      return true;
    }
    default: return false;
  }
}

uint32_t hash52(uint32_t p) {
  p ^= p >> 15;
  p -= p << 17;
  p += p << 7;
  p += p << 4;
  p ^= p >> 5;
  p += p << 16;
  p ^= p >> 7;
  p ^= p >> 3;
  p ^= p << 6;
  p ^= p >> 17;
  return p;
}

/// The partition function of the specification, for 2D blocks.
class Partitioner {
 public:
  Partitioner(uint32_t index, uint32_t count, bool smallBlock) : count_(count), small_(smallBlock) {
    const uint32_t seed = index + (count - 1) * 1024;
    hash_ = hash52(seed);
    for (int i = 0; i < 8; ++i) {
      const uint32_t nibble = hash_ >> (4 * i) & 15;
      seed_[i] = nibble * nibble;
    }
    const uint32_t two = seed & 2 ? 4 : 5, three = count == 3 ? 6 : 5;
    const uint32_t shift[2] = {seed & 1 ? two : three, seed & 1 ? three : two};
    for (int i = 0; i < 8; ++i) seed_[i] >>= shift[i & 1];
  }
  uint32_t at(uint32_t x, uint32_t y) const {
    if (count_ == 1) return 0;
    if (small_) x <<= 1, y <<= 1;
    const uint32_t a = (seed_[0] * x + seed_[1] * y + (hash_ >> 14)) & 0x3F;
    const uint32_t b = (seed_[2] * x + seed_[3] * y + (hash_ >> 10)) & 0x3F;
    const uint32_t c = count_ < 3 ? 0 : (seed_[4] * x + seed_[5] * y + (hash_ >> 6)) & 0x3F;
    const uint32_t d = count_ < 4 ? 0 : (seed_[6] * x + seed_[7] * y + (hash_ >> 2)) & 0x3F;
    if (a >= b && a >= c && a >= d) return 0;
    if (b >= c && b >= d) return 1;
    return c >= d ? 2 : 3;
  }

 private:
  uint32_t count_;
  bool small_;
  uint32_t hash_, seed_[8];
};

Texel errorTexel() {
  const uint32_t one = floatToBits(1.0f);
  return {{one, 0, one, one}};
}

/// A 16-bit colour component to what a shader sees.
float component16(uint32_t v) { return v == 65535 ? 1.0f : static_cast<float>(v) / 65536.0f; }

bool decodeVoidExtent(const Bits128& bits, bool srgb, uint32_t texelCount, Texel* texels) {
  if (bits.get(9, 1)) return false;  // HDR. The reserved bits 10 and 11 are not looked at.
  const uint32_t s0 = bits.get(12, 13), s1 = bits.get(25, 13), t0 = bits.get(38, 13), t1 = bits.get(51, 13);
  const bool everywhere = s0 == 0x1FFF && s1 == 0x1FFF && t0 == 0x1FFF && t1 == 0x1FFF;
  if (!everywhere && (s0 >= s1 || t0 >= t1)) return false;
  Texel t;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t v = bits.get(64 + 16 * c, 16);
    float f = component16(v);
    if (srgb) f = c < 3 ? kSrgbToLinear[v >> 8] : static_cast<float>(v >> 8) / 255.0f;
    t.word[c] = floatToBits(f);
  }
  std::fill_n(texels, texelCount, t);
  return true;
}

/// What the fields of a block say before any texel is looked at.
struct LdrBlock {
  BlockMode mode;
  uint32_t weightCount, partitions;
  uint32_t endpointMode[4] = {};
  uint32_t colorStart = 17;  ///< first bit of the colour endpoints
  uint32_t belowWeights;     ///< where the bits end that are neither weights nor further modes
  uint32_t dualComponent = 0;
  Endpoints endpoints[4];
  bool decodable[4] = {};           ///< texels of an HDR partition show the error colour, the others do not
  uint8_t weight[2][64 + 16] = {};  ///< by plane; a row more: corners of the grid are read with weight 0
};

/// Block mode, partitions, the modes of the colour endpoints.
bool readModes(const FormatInfo& info, const Bits128& bits, LdrBlock* b) {
  BlockMode& mode = b->mode;
  if (!decodeBlockMode(bits.get(0, 11), &mode) || mode.width > info.blockWidth || mode.height > info.blockHeight)
    return false;
  b->weightCount = mode.width * mode.height * (mode.dual ? 2 : 1);
  const uint32_t weightBits = mode.range.size(b->weightCount), partitions = b->partitions = bits.get(11, 2) + 1;
  if (b->weightCount > 64 || weightBits < 24 || weightBits > 96 || (mode.dual && partitions == 4)) return false;
  b->belowWeights = 128 - weightBits;
  if (partitions == 1) {
    b->endpointMode[0] = bits.get(13, 4);
  } else {
    b->colorStart = 29;
    const uint32_t selector = bits.get(23, 2);
    if (selector == 0) {
      std::fill_n(b->endpointMode, partitions, bits.get(25, 4));
    } else {
      const uint32_t extra = 3 * partitions - 4;
      b->belowWeights -= extra;
      const uint32_t field = bits.get(25, 4) | bits.get(b->belowWeights, extra) << 4;
      for (uint32_t p = 0; p < partitions; ++p)
        b->endpointMode[p] = (selector - 1 + (field >> p & 1)) << 2 | (field >> (partitions + 2 * p) & 3);
    }
  }
  if (mode.dual) b->dualComponent = bits.get(b->belowWeights -= 2, 2);
  return true;
}

/// Colour endpoints, in the largest range that fits.
bool readEndpoints(const Bits128& bits, LdrBlock* b) {
  uint32_t valueCount = 0;
  for (uint32_t p = 0; p < b->partitions; ++p) valueCount += 2 * (b->endpointMode[p] >> 2) + 2;
  if (valueCount > 18 || b->belowWeights < b->colorStart) return false;
  const Range* range = nullptr;
  for (const Range& r : kColorRanges)
    if (r.size(valueCount) <= b->belowWeights - b->colorStart) range = &r;
  if (!range) return false;
  SequenceValue sequence[64];
  uint8_t values[18 + 8] = {};
  decodeSequence(bits, b->colorStart, *range, valueCount, sequence);
  for (uint32_t i = 0; i < valueCount; ++i) values[i] = unquantizeColor(*range, sequence[i]);
  for (uint32_t p = 0, at = 0; p < b->partitions; ++p) {
    b->decodable[p] = decodeEndpoints(b->endpointMode[p], values + at, &b->endpoints[p]);
    at += 2 * (b->endpointMode[p] >> 2) + 2;
  }
  return true;
}

/// Weights are read from the top of the block, backwards.
void readWeights(const Bits128& bits, LdrBlock* b) {
  SequenceValue sequence[64];
  decodeSequence(bits.reversed(), 0, b->mode.range, b->weightCount, sequence);
  const uint32_t planes = b->mode.dual ? 2 : 1;
  for (uint32_t i = 0; i < b->weightCount; ++i)
    b->weight[i % planes][i / planes] = unquantizeWeight(b->mode.range, sequence[i]);
}

/// Component `c` of a texel between two endpoints, `k` of 64 parts from the first.
float interpolate(const Endpoints& e, uint32_t c, uint32_t k, bool srgb) {
  uint32_t c0 = static_cast<uint32_t>(e.e[0][c]), c1 = static_cast<uint32_t>(e.e[1][c]);
  c0 = srgb ? c0 << 8 | 0x80 : c0 * 257;
  c1 = srgb ? c1 << 8 | 0x80 : c1 * 257;
  const uint32_t v = (c0 * (64 - k) + c1 * k + 32) >> 6;
  if (!srgb) return component16(v);
  return c < 3 ? kSrgbToLinear[v >> 8] : static_cast<float>(v >> 8) / 255.0f;
}

bool decodeLdr(const FormatInfo& info, const Bits128& bits, Texel* texels) {
  const uint32_t bw = info.blockWidth, bh = info.blockHeight;
  const bool srgb = info.numeric == Numeric::Srgb;
  if (bits.get(0, 9) == 0x1FC) return decodeVoidExtent(bits, srgb, bw * bh, texels);
  LdrBlock b;
  if (!readModes(info, bits, &b) || !readEndpoints(bits, &b)) return false;
  readWeights(bits, &b);
  const BlockMode& mode = b.mode;
  const Partitioner partitioner(bits.get(13, 10), b.partitions, bw * bh < 31);
  const uint32_t ds = (1024 + bw / 2) / (bw - 1), dt = (1024 + bh / 2) / (bh - 1);
  for (uint32_t y = 0; y < bh; ++y) {
    const uint32_t gt = (dt * y * (mode.height - 1) + 32) >> 6, jt = gt >> 4, ft = gt & 15;
    for (uint32_t x = 0; x < bw; ++x) {
      const uint32_t gs = (ds * x * (mode.width - 1) + 32) >> 6, js = gs >> 4, fs = gs & 15;
      const uint32_t w11 = (fs * ft + 8) >> 4, w10 = ft - w11, w01 = fs - w11, w00 = 16 - fs - ft + w11;
      const uint32_t at = js + jt * mode.width;
      uint32_t w[2];
      for (uint32_t p = 0; p < (mode.dual ? 2u : 1u); ++p) {
        const uint8_t* grid = b.weight[p] + at;
        w[p] = (grid[0] * w00 + grid[1] * w01 + grid[mode.width] * w10 + grid[mode.width + 1] * w11 + 8) >> 4;
      }
      const uint32_t partition = partitioner.at(x, y);
      Texel& out = texels[y * bw + x];
      if (!b.decodable[partition]) {
        out = errorTexel();
        continue;
      }
      for (uint32_t c = 0; c < 4; ++c) {
        const uint32_t k = mode.dual && c == b.dualComponent ? w[1] : w[0];
        out.word[c] = floatToBits(interpolate(b.endpoints[partition], c, k, srgb));
      }
    }
  }
  return true;
}

}  // namespace

void decodeAstc(const FormatInfo& info, const std::byte* block, Texel* texels) {
  Bits128 bits;
  std::memcpy(&bits.low, block, 8);
  std::memcpy(&bits.high, block + 8, 8);
  if (decodeLdr(info, bits, texels)) return;
  std::fill_n(texels, info.blockWidth * info.blockHeight, errorTexel());
}

}  // namespace etzel::format
