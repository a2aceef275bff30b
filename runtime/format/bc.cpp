// BC1 to BC7 (Khronos Data Format Specification, "S3TC", "RGTC" and "BPTC" chapters).
#include <cstring>

#include "runtime/base/assert.h"
#include "runtime/format/bc_tables.h"
#include "runtime/format/block_codec.h"
#include "runtime/format/convert.h"

namespace etzel::format {
namespace {

struct Block128 {
  uint64_t low, high;
  explicit Block128(const std::byte* p) {
    std::memcpy(&low, p, 8);
    std::memcpy(&high, p + 8, 8);
  }
  /// \pre count <= 32
  uint32_t bits(uint32_t first, uint32_t count) const {
    ETZEL_ASSERT(count <= 32);
    if (count == 0) return 0;
    uint64_t v = first >= 64 ? high >> (first - 64) : first == 0 ? low : low >> first | high << (64 - first);
    return static_cast<uint32_t>(v & ((uint64_t{1} << count) - 1));
  }
};

/// The colour half of BC1, BC2 and BC3.
void decodeColors(const std::byte* block, bool alwaysFour, Rgba8 out[16]) {
  uint16_t c[2];
  uint32_t indices;
  std::memcpy(c, block, 4);
  std::memcpy(&indices, block + 4, 4);
  Rgba8 palette[4];
  for (int i = 0; i < 2; ++i) {
    const uint32_t r = c[i] >> 11, g = c[i] >> 5 & 63, b = c[i] & 31;
    palette[i] = {{static_cast<uint8_t>(r << 3 | r >> 2), static_cast<uint8_t>(g << 2 | g >> 4),
                   static_cast<uint8_t>(b << 3 | b >> 2), 255}};
  }
  const bool four = alwaysFour || c[0] > c[1];
  for (int k = 0; k < 3; ++k) {
    const uint32_t a = palette[0].c[k], b = palette[1].c[k];
    palette[2].c[k] = static_cast<uint8_t>(four ? (2 * a + b) / 3 : (a + b) / 2);
    palette[3].c[k] = static_cast<uint8_t>(four ? (a + 2 * b) / 3 : 0);
  }
  palette[2].c[3] = 255;
  palette[3].c[3] = four ? 255 : 0;
  for (int t = 0; t < 16; ++t) out[t] = palette[indices >> (2 * t) & 3];
}

/// BC3's alpha, BC4 and BC5: of each texel the number in a palette of eight, whose first two are in the block.
struct Ramp {
  uint64_t bits;
  int e0, e1, steps;
  Ramp(const std::byte* block, bool isSigned) {
    std::memcpy(&bits, block, 8);
    e0 = isSigned ? static_cast<int8_t>(bits) : static_cast<uint8_t>(bits);
    e1 = isSigned ? static_cast<int8_t>(bits >> 8) : static_cast<uint8_t>(bits >> 8);
    steps = e0 > e1 ? 7 : 5;
  }
  uint32_t indexOf(int texel) const { return bits >> (16 + 3 * texel) & 7; }
};

/// Those without sign: numbers of the palette as codes of which `most` is 1, rounded. \pre most is a multiple of 255
template <int most, class Put>
void decodeRampCodes(const std::byte* block, const Put& put) {
  const Ramp ramp(block, false);
  constexpr int kScale = most / 255;
  int palette[8] = {ramp.e0 * kScale, ramp.e1 * kScale, 0, 0, 0, 0, 0, most};
  for (int i = 1; i < ramp.steps; ++i)
    palette[i + 1] = ((ramp.e0 * (ramp.steps - i) + ramp.e1 * i) * kScale + ramp.steps / 2) / ramp.steps;
  for (int t = 0; t < 16; ++t) put(t, palette[ramp.indexOf(t)]);
}

void decodeSignedRamp(const std::byte* block, float out[16]) {
  const Ramp ramp(block, true);
  float palette[8] = {snormToFloat<8>(ramp.e0), snormToFloat<8>(ramp.e1)};
  const float steps = static_cast<float>(ramp.steps);
  for (int i = 1; i < ramp.steps; ++i)
    palette[i + 1] = (palette[0] * static_cast<float>(ramp.steps - i) + palette[1] * static_cast<float>(i)) / steps;
  if (ramp.steps == 5) palette[6] = -1.0f, palette[7] = 1.0f;
  for (int t = 0; t < 16; ++t) out[t] = palette[ramp.indexOf(t)];
}

constexpr uint8_t kWeights2[4] = {0, 21, 43, 64};
constexpr uint8_t kWeights3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
constexpr uint8_t kWeights4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

int32_t interpolate(int32_t a, int32_t b, uint32_t index, uint32_t indexBits) {
  const int32_t w = indexBits == 2 ? kWeights2[index] : indexBits == 3 ? kWeights3[index] : kWeights4[index];
  return ((64 - w) * a + w * b + 32) >> 6;
}

uint32_t subsetOf(uint32_t subsets, uint32_t partition, uint32_t texel) {
  if (subsets == 2) return bptc::kPartition2[partition] >> texel & 1;
  if (subsets == 3) return bptc::kPartition3[partition] >> (2 * texel) & 3;
  return 0;
}
bool isAnchor(uint32_t subsets, uint32_t partition, uint32_t subset, uint32_t texel) {
  if (subset == 0) return texel == 0;
  if (subsets == 2) return texel == bptc::kAnchor2[partition];
  return texel == (subset == 1 ? bptc::kAnchor3Second[partition] : bptc::kAnchor3Third[partition]);
}

struct Bc7Mode {
  uint8_t subsets, partitionBits, rotationBits, selectorBits, colorBits, alphaBits, uniquePBits, sharedPBits, indexBits,
      secondIndexBits;
};
constexpr Bc7Mode kBc7Modes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                                  {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                                  {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                                  {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

void decodeBc7(const std::byte* p, Rgba8 out[16]) {
  const Block128 block(p);
  const uint32_t modeByte = static_cast<uint8_t>(block.low);
  if (modeByte == 0) {  // reserved
    for (int t = 0; t < 16; ++t) out[t] = {{0, 0, 0, 0}};
    return;
  }
  const uint32_t number = static_cast<uint32_t>(std::countr_zero(modeByte));
  const Bc7Mode& m = kBc7Modes[number];
  uint32_t at = number + 1;
  const auto take = [&](uint32_t count) {
    const uint32_t v = block.bits(at, count);
    at += count;
    return v;
  };
  const uint32_t partition = take(m.partitionBits), rotation = take(m.rotationBits), selector = take(m.selectorBits);
  const uint32_t endpoints = m.subsets * 2;
  uint32_t e[6][4];
  for (uint32_t c = 0; c < 4; ++c)
    for (uint32_t i = 0; i < endpoints; ++i) e[i][c] = take(c < 3 ? m.colorBits : m.alphaBits);
  uint32_t pBit[6] = {};
  if (m.uniquePBits)
    for (uint32_t i = 0; i < endpoints; ++i) pBit[i] = take(1);
  if (m.sharedPBits)
    for (uint32_t s = 0; s < m.subsets; ++s) pBit[2 * s] = pBit[2 * s + 1] = take(1);
  const uint32_t extra = m.uniquePBits | m.sharedPBits;
  for (uint32_t i = 0; i < endpoints; ++i) {
    for (uint32_t c = 0; c < 4; ++c) {
      const uint32_t bits = (c < 3 ? m.colorBits : m.alphaBits) + extra;
      uint32_t v = e[i][c];
      if (extra) v = v << 1 | pBit[i];
      v <<= 8 - bits;
      e[i][c] = c == 3 && m.alphaBits == 0 ? 255 : v | v >> bits;
    }
  }

  uint32_t first[16], second[16];
  for (uint32_t t = 0; t < 16; ++t) {
    const bool anchor = isAnchor(m.subsets, partition, subsetOf(m.subsets, partition, t), t);
    first[t] = take(m.indexBits - anchor);
  }
  for (uint32_t t = 0; t < 16; ++t) second[t] = m.secondIndexBits ? take(m.secondIndexBits - (t == 0)) : first[t];
  const uint32_t secondBits = m.secondIndexBits ? m.secondIndexBits : m.indexBits;
  for (uint32_t t = 0; t < 16; ++t) {
    const uint32_t* a = e[2 * subsetOf(m.subsets, partition, t)];
    const uint32_t* b = a + 4;
    const uint32_t colorIndex = selector ? second[t] : first[t], alphaIndex = selector ? first[t] : second[t];
    const uint32_t colorBits = selector ? secondBits : m.indexBits, alphaBits = selector ? m.indexBits : secondBits;
    for (uint32_t c = 0; c < 4; ++c)
      out[t].c[c] = static_cast<uint8_t>(interpolate(static_cast<int32_t>(a[c]), static_cast<int32_t>(b[c]),
                                                     c < 3 ? colorIndex : alphaIndex, c < 3 ? colorBits : alphaBits));
    if (rotation) {
      const uint8_t alpha = out[t].c[3];
      out[t].c[3] = out[t].c[rotation - 1];
      out[t].c[rotation - 1] = alpha;
    }
  }
}

int32_t unquantizeBc6(int32_t v, uint32_t bits, bool isSigned) {
  if (!isSigned) {
    if (bits >= 15 || v == 0) return v;
    if (v == (1 << bits) - 1) return 0xFFFF;
    return ((v << 15) + 0x4000) >> (bits - 1);
  }
  if (bits >= 16) return v;
  const int32_t magnitude = v < 0 ? -v : v;
  int32_t u = 0;
  if (magnitude >= (1 << (bits - 1)) - 1)
    u = 0x7FFF;
  else if (magnitude)
    u = ((magnitude << 15) + 0x4000) >> (bits - 1);
  return v < 0 ? -u : u;
}

uint32_t finishBc6(int32_t v, bool isSigned) {  // to half-float bits
  if (!isSigned) return static_cast<uint32_t>(v * 31 / 64);
  return v < 0 ? 0x8000u | static_cast<uint32_t>((-v * 31) >> 5) : static_cast<uint32_t>((v * 31) >> 5);
}

void decodeBc6(const std::byte* p, bool isSigned, Texel out[16]) {
  const Block128 block(p);
  const uint32_t code = (block.low & 2) ? block.low & 31 : block.low & 3;
  const bptc::Bc6Mode* m = nullptr;
  for (const bptc::Bc6Mode& candidate : bptc::kBc6Modes)
    if (candidate.code == code) m = &candidate;
  if (!m) {  // reserved
    for (int t = 0; t < 16; ++t) out[t] = {{0, 0, 0, floatToBits(1.0f)}};
    return;
  }
  int32_t e[12] = {};  // 4 * channel + endpoint
  for (uint32_t i = 0; i < m->fieldCount; ++i) {
    const bptc::Field& f = m->field[i];
    e[f.value] |= static_cast<int32_t>(block.bits(f.first, f.count) << f.shift);
  }
  const uint32_t bits = m->endpointBits, endpoints = m->regions * 2;
  for (uint32_t c = 0; c < 3; ++c) {
    int32_t* v = e + 4 * c;
    if (isSigned) v[0] = signExtend(v[0], bits);
    for (uint32_t i = 1; i < endpoints; ++i) {
      if (m->transformed) v[i] = (v[0] + signExtend(v[i], m->deltaBits[c])) & ((1 << bits) - 1);
      if (isSigned) v[i] = signExtend(v[i], bits);
    }
    for (uint32_t i = 0; i < endpoints; ++i) v[i] = unquantizeBc6(v[i], bits, isSigned);
  }
  const uint32_t partition = m->regions == 2 ? block.bits(77, 5) : 0, indexBits = m->regions == 2 ? 3 : 4;
  uint32_t at = m->regions == 2 ? 82 : 65;
  for (uint32_t t = 0; t < 16; ++t) {
    const uint32_t subset = subsetOf(m->regions, partition, t);
    const uint32_t count = indexBits - isAnchor(m->regions, partition, subset, t);
    const uint32_t index = block.bits(at, count);
    at += count;
    for (uint32_t c = 0; c < 3; ++c) {
      const int32_t* v = e + 4 * c + 2 * subset;
      out[t].word[c] = floatToBits(halfToFloat(finishBc6(interpolate(v[0], v[1], index, indexBits), isSigned)));
    }
    out[t].word[3] = floatToBits(1.0f);
  }
}

}  // namespace

bool decodeBcCodes(const FormatInfo& info, const std::byte* block, Rgba8 texels[16]) {
  switch (info.format) {
    case VK_FORMAT_BC1_RGB_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGB_SRGB_BLOCK:
    case VK_FORMAT_BC1_RGBA_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGBA_SRGB_BLOCK:
      decodeColors(block, false, texels);
      if (info.components() == 3)
        for (int t = 0; t < 16; ++t) texels[t].c[3] = 255;
      return true;
    case VK_FORMAT_BC2_UNORM_BLOCK:
    case VK_FORMAT_BC2_SRGB_BLOCK: {
      uint64_t alpha;
      std::memcpy(&alpha, block, 8);
      decodeColors(block + 8, true, texels);
      for (int t = 0; t < 16; ++t) texels[t].c[3] = static_cast<uint8_t>((alpha >> (4 * t) & 15) * 17);
      return true;
    }
    case VK_FORMAT_BC3_UNORM_BLOCK:
    case VK_FORMAT_BC3_SRGB_BLOCK:
      decodeColors(block + 8, true, texels);
      decodeRampCodes<255>(block, [&](int t, int alpha) { texels[t].c[3] = static_cast<uint8_t>(alpha); });
      return true;
    case VK_FORMAT_BC7_UNORM_BLOCK:
    case VK_FORMAT_BC7_SRGB_BLOCK: decodeBc7(block, texels); return true;
    default: return false;
  }
}

void decodeBc(const FormatInfo& info, const std::byte* block, Texel* texels) {
  if (info.numeric == Numeric::Ufloat || info.numeric == Numeric::Float)
    return decodeBc6(block, info.numeric == Numeric::Float, texels);
  for (int t = 0; t < 16; ++t) texels[t] = {{0, 0, 0, floatToBits(1.0f)}};
  for (int c = 0; c < info.components(); ++c) {
    if (info.numeric == Numeric::Snorm) {
      float ramp[16];
      decodeSignedRamp(block + 8 * c, ramp);
      for (int t = 0; t < 16; ++t) texels[t].word[c] = floatToBits(ramp[t]);
    } else {
      decodeRampCodes<65535>(block + 8 * c, [&](int t, int code) {
        texels[t].word[c] = floatToBits(static_cast<float>(code) / 65535.0f);
      });
    }
  }
}

}  // namespace etzel::format
