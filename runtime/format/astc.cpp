// ASTC, blocks of all sizes, flat ones and volumes (Khronos Data Format Specification, "ASTC Compressed Texture Image
// Formats"). SFLOAT formats have the HDR profile, all others LDR. Blocks that the profile cannot decode show the error
// colour, opaque magenta.
#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/format/astc_endpoints.h"
#include "runtime/format/block_codec.h"
#include "runtime/format/convert.h"
#include "runtime/mutant/mutant.h"

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
  uint32_t width = 0, height = 0, depth = 1;  ///< of the weight grid
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

/// The same field of blocks that have depth.
bool decodeVolumeMode(uint32_t mode, BlockMode* out) {
  const uint32_t a = mode >> 5 & 3, b = mode >> 7 & 3, c = mode >> 2 & 3;
  uint32_t r = mode >> 4 & 1;
  bool dual = mode >> 10 & 1, highPrecision = mode >> 9 & 1;
  if (mode & 3) {
    r |= (mode & 3) << 1;
    out->width = a + 2, out->height = b + 2, out->depth = c + 2;
  } else {
    if (c == 0) return false;
    r |= c << 1;
    const uint32_t d = mode >> 9 & 3;
    if (b != 3) dual = highPrecision = false;
    switch (b) {
      case 0: out->width = 6, out->height = d + 2, out->depth = a + 2; break;
      case 1: out->width = a + 2, out->height = 6, out->depth = d + 2; break;
      case 2: out->width = a + 2, out->height = d + 2, out->depth = 6; break;
      default:
        if (a == 3) return false;
        out->width = a == 0 ? 6 : 2, out->height = a == 1 ? 6 : 2, out->depth = a == 2 ? 6 : 2;
    }
  }
  if (r < 2) return false;
  out->dual = dual;
  out->range = kWeightRanges[r - 2 + (highPrecision ? 6 : 0)];
  return true;
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

/// The partition function of the specification.
class Partitioner {
 public:
  Partitioner(uint32_t index, uint32_t count, bool smallBlock) : count_(count), small_(smallBlock) {
    const uint32_t seed = index + (count - 1) * 1024;
    hash_ = hash52(seed);
    for (uint32_t i = 0; i < 12; ++i) {
      constexpr uint8_t kFirstBit[12] = {0, 4, 8, 12, 16, 20, 24, 28, 18, 22, 26, 30};
      const uint32_t nibble = (hash_ >> kFirstBit[i] | (i == 11 ? hash_ << 2 : 0)) & 15;
      seed_[i] = nibble * nibble;
    }
    const uint32_t two = seed & 2 ? 4 : 5, three = count == 3 ? 6 : 5;
    const uint32_t shift[2] = {seed & 1 ? two : three, seed & 1 ? three : two};
    for (uint32_t i = 0; i < 8; ++i) seed_[i] >>= shift[i & 1];
    for (uint32_t i = 8; i < 12; ++i) seed_[i] >>= shift[seed & 16 ? 0 : 1];
  }
  uint32_t at(uint32_t x, uint32_t y, uint32_t z) const {
    if (count_ == 1) return 0;
    if (small_) x <<= 1, y <<= 1, z <<= 1;
    const uint32_t a = (seed_[0] * x + seed_[1] * y + seed_[10] * z + (hash_ >> 14)) & 0x3F;
    const uint32_t b = (seed_[2] * x + seed_[3] * y + seed_[11] * z + (hash_ >> 10)) & 0x3F;
    const uint32_t c = count_ < 3 ? 0 : (seed_[4] * x + seed_[5] * y + seed_[8] * z + (hash_ >> 6)) & 0x3F;
    const uint32_t d = count_ < 4 ? 0 : (seed_[6] * x + seed_[7] * y + seed_[9] * z + (hash_ >> 2)) & 0x3F;
    if (a >= b && a >= c && a >= d) return 0;
    if (b >= c && b >= d) return 1;
    return c >= d ? 2 : 3;
  }

 private:
  uint32_t count_;
  bool small_;
  uint32_t hash_, seed_[12];
};

Texel errorTexel() {
  const uint32_t one = floatToBits(1.0f);
  return {{one, 0, one, one}};
}

/// Component `c` of a colour, 16 bits, to what a shader sees: a half float, rounded toward zero (Khronos Data Format
/// Specification, "ASTC Compressed Texture Image Formats", decode_float16). Of sRGB colours eight bits count, alpha's
/// linear.
float component16(uint32_t v, uint32_t c, bool srgb) {
  if (srgb) return c < 3 ? kSrgbToLinear[v >> 8] : static_cast<float>(v >> 8) / 255.0f;
  constexpr uint32_t kHalfBits = ~0x1FFFu;  // numbers below 2^-14 have 2 bits
  return v == 65535 ? 1.0f : bitsToFloat(floatToBits(static_cast<float>(v) / 65536.0f) & kHalfBits);
}

/// Whether the extents of a block of one colour are ones that a block may have: none, or from low to high.
bool isVoidExtent(const FormatInfo& info, const Bits128& bits) {
  const bool volume = info.blockDepth > 1;
  const uint32_t width = volume ? 9 : 13,
                 first = volume ? 10 : 12;  // flat: the reserved bits 10 and 11 are not looked at
  bool everywhere = true, ordered = true;
  for (uint32_t axis = 0; axis < (volume ? 3u : 2u); ++axis) {
    const uint32_t low = bits.get(first + 2 * axis * width, width),
                   high = bits.get(first + (2 * axis + 1) * width, width);
    everywhere = everywhere && low == (1u << width) - 1 && high == low;
    ordered = ordered && low < high;
  }
  return everywhere || ordered;
}

bool decodeVoidExtent(const FormatInfo& info, const Bits128& bits, Texel* texels) {
  const bool isHalf = bits.get(9, 1), srgb = info.numeric == Numeric::Srgb;
  if ((isHalf && info.numeric != Numeric::Float) || !isVoidExtent(info, bits)) return false;
  Texel t;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t v = bits.get(64 + 16 * c, 16);
    t.word[c] = floatToBits(isHalf ? halfToFloat(static_cast<uint16_t>(v)) : component16(v, c, srgb));
  }
  std::fill_n(texels, info.blockWidth * info.blockHeight * info.blockDepth, t);
  return true;
}

/// What the fields of a block say before any texel is looked at.
struct Block {
  BlockMode mode;
  uint32_t weightCount, partitions;
  uint32_t endpointMode[4] = {};
  uint32_t colorStart = 17;  ///< first bit of the colour endpoints
  uint32_t belowWeights;     ///< where the bits end that are neither weights nor further modes
  uint32_t dualComponent = 0;
  Endpoints endpoints[4];
  bool decodable[4] = {};           ///< LDR: texels of an HDR partition show the error colour, the others do not
  uint8_t weight[2][64 + 48] = {};  ///< by plane; a slice more: corners of the grid are read with weight 0
};

/// Block mode, partitions, the modes of the colour endpoints.
bool readModes(const FormatInfo& info, const Bits128& bits, Block* b) {
  BlockMode& mode = b->mode;
  const bool known =
      info.blockDepth > 1 ? decodeVolumeMode(bits.get(0, 11), &mode) : decodeBlockMode(bits.get(0, 11), &mode);
  if (!known || mode.width > info.blockWidth || mode.height > info.blockHeight || mode.depth > info.blockDepth)
    return false;
  b->weightCount = mode.width * mode.height * mode.depth * (mode.dual ? 2 : 1);
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
bool readEndpoints(const FormatInfo& info, const Bits128& bits, Block* b) {
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
    b->endpoints[p] = decodeEndpoints(b->endpointMode[p], values + at);
    b->decodable[p] = info.numeric == Numeric::Float || !b->endpoints[p].isHdr;
    at += 2 * (b->endpointMode[p] >> 2) + 2;
  }
  return true;
}

/// Weights are read from the top of the block, backwards.
void readWeights(const Bits128& bits, Block* b) {
  SequenceValue sequence[64];
  decodeSequence(bits.reversed(), 0, b->mode.range, b->weightCount, sequence);
  const uint32_t planes = b->mode.dual ? 2 : 1;
  for (uint32_t i = 0; i < b->weightCount; ++i)
    b->weight[i % planes][i / planes] = unquantizeWeight(b->mode.range, sequence[i]);
}

/// A 16-bit number of the HDR modes, which is piecewise linear between powers of two, as a float.
float logarithmic16(uint32_t v) {
  const uint32_t m = v & 0x7FF, mantissa = m < 512 ? 3 * m : m >= 1536 ? 5 * m - 2048 : 4 * m - 512;
  const uint32_t half = (v >> 11 << 10) + (mantissa >> 3);
  return halfToFloat(static_cast<uint16_t>(std::min(half, 0x7BFFu)));
}

/// Component `c` of a texel between two endpoints, `k` of 64 parts from the first.
float interpolate(const Endpoints& e, uint32_t c, uint32_t k, bool srgb) {
  uint32_t c0 = static_cast<uint32_t>(e.e[0][c]), c1 = static_cast<uint32_t>(e.e[1][c]);
  const bool isHdr = c < 3 ? e.isHdr : e.isAlphaHdr;
  c0 = isHdr ? c0 << 4 : srgb ? c0 << 8 | 0x80 : c0 * 257;
  c1 = isHdr ? c1 << 4 : srgb ? c1 << 8 | 0x80 : c1 * 257;
  const uint32_t v = (c0 * (64 - k) + c1 * k + 32) >> 6;
  return isHdr && !mutated(Mutant::AstcHdr) ? logarithmic16(v) : component16(v, c, srgb);
}

/// Where a texel lies on an axis of the weight grid: behind weight `at`, by 16ths.
struct GridPlace {
  uint32_t at, fraction;
};
GridPlace gridPlace(uint32_t texel, uint32_t texels, uint32_t weights) {
  if (texels == 1) return {0, 0};
  const uint32_t place = ((1024 + texels / 2) / (texels - 1) * texel * (weights - 1) + 32) >> 6;
  return {place >> 4, place & 15};
}

/// The four weights that a texel's is made of, as distances in the grid, and how much of each (of 16).
struct Corners {
  uint32_t offset[4], part[4];
};
Corners cornersOf(GridPlace x, GridPlace y, uint32_t width) {
  const uint32_t at = x.at + y.at * width, p11 = (x.fraction * y.fraction + 8) >> 4;
  return {{at, at + 1, at + width, at + width + 1},
          {16 - x.fraction - y.fraction + p11, x.fraction - p11, y.fraction - p11, p11}};
}
/// "Weight Infill", simplex interpolation: along the axis with the greatest fraction first.
Corners cornersOf(GridPlace x, GridPlace y, GridPlace z, const BlockMode& mode) {
  std::pair<uint32_t, uint32_t> step[3] = {
      {x.fraction, 1}, {y.fraction, mode.width}, {z.fraction, mode.width * mode.height}};
  std::sort(step, step + 3, [](const auto& a, const auto& b) { return a.first > b.first; });
  Corners c;
  c.offset[0] = x.at + y.at * mode.width + z.at * mode.width * mode.height;
  for (uint32_t i = 0; i < 3; ++i) c.offset[i + 1] = c.offset[i] + step[i].second;
  c.part[0] = 16 - step[0].first, c.part[1] = step[0].first - step[1].first;
  c.part[2] = step[1].first - step[2].first, c.part[3] = step[2].first;
  return c;
}

bool decodeTexels(const FormatInfo& info, const Bits128& bits, Texel* texels) {
  const uint32_t bw = info.blockWidth, bh = info.blockHeight, bd = info.blockDepth;
  const bool srgb = info.numeric == Numeric::Srgb;
  if (bits.get(0, 9) == 0x1FC) return decodeVoidExtent(info, bits, texels);
  Block b;
  if (!readModes(info, bits, &b) || !readEndpoints(info, bits, &b)) return false;
  readWeights(bits, &b);
  const BlockMode& mode = b.mode;
  const Partitioner partitioner(bits.get(13, 10), b.partitions, bw * bh * bd < 31);
  GridPlace across[12];
  for (uint32_t x = 0; x < bw; ++x) across[x] = gridPlace(x, bw, mode.width);
  Texel* out = texels;
  for (uint32_t row = 0; row < bh * bd; ++row) {
    const uint32_t y = row % bh, z = row / bh;
    const GridPlace down = gridPlace(y, bh, mode.height), inward = gridPlace(z, bd, mode.depth);
    for (uint32_t x = 0; x < bw; ++x, ++out) {
      const uint32_t partition = partitioner.at(x, y, z);
      if (!b.decodable[partition]) {
        *out = errorTexel();
        continue;
      }
      const Corners corners =
          bd > 1 ? cornersOf(across[x], down, inward, mode) : cornersOf(across[x], down, mode.width);
      uint32_t w[2] = {};
      for (uint32_t p = 0; p < (mode.dual ? 2u : 1u); ++p) {
        uint32_t sum = 8;
        for (uint32_t i = 0; i < 4; ++i) sum += b.weight[p][corners.offset[i]] * corners.part[i];
        w[p] = sum >> 4;
      }
      for (uint32_t c = 0; c < 4; ++c) {
        const uint32_t k = mode.dual && c == b.dualComponent ? w[1] : w[0];
        out->word[c] = floatToBits(interpolate(b.endpoints[partition], c, k, srgb));
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
  if (decodeTexels(info, bits, texels)) return;
  std::fill_n(texels, info.blockWidth * info.blockHeight * info.blockDepth, errorTexel());
}

}  // namespace etzel::format
