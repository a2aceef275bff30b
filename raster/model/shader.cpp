#include "raster/model/shader.h"

#include <bit>
#include <cstring>

namespace etzel::raster::model {
namespace {

uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

uint32_t maxOf(uint32_t channelBits) { return channelBits >= 32 ? ~0u : (1u << channelBits) - 1; }

}  // namespace

format::Texel colorFor(const format::FormatInfo& info, uint32_t hash, bool inRange) {
  using format::Numeric;
  constexpr float kUnit[8] = {0, 1, 0.5f, 51.0f / 255, 0.25f, 0.8f, -0.5f, 1.5f};
  constexpr float kSigned[8] = {0, 1, -1, 0.5f, -0.25f, 0.75f, -1.5f, 1.25f};
  constexpr float kFloat[8] = {0, 1, 0.5f, 2, 0.125f, 3.5f, 0.3f, 0.75f};
  format::Texel t;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t pick = hash >> 4 * c & 7, limit = maxOf(info.channel[c].bits);
    const bool sign = hash >> (4 * c + 3) & 1;
    switch (info.numeric) {
      case Numeric::Unorm:
      case Numeric::Srgb: t.word[c] = bits(kUnit[inRange ? pick % 6 : pick]); break;
      case Numeric::Snorm: t.word[c] = bits(kSigned[inRange ? pick % 6 : pick]); break;
      case Numeric::Float: t.word[c] = bits(sign ? -kFloat[pick] + 0.0f : kFloat[pick]); break;
      case Numeric::Uint: t.word[c] = (pick < 4 ? pick : pick < 6 ? limit - pick : hash * 0x9E3779B1u) & limit; break;
      case Numeric::Sint: {
        const int32_t v = static_cast<int32_t>(pick * 13 & limit >> 1);
        t.word[c] = static_cast<uint32_t>(sign ? -v : v);
        break;
      }
      default: t.word[c] = bits(kFloat[pick]); break;
    }
  }
  return t;
}

void madeUpTexel(VkFormat format, uint32_t hash, std::byte* texel) {
  const format::FormatInfo& info = *format::find(format);
  if (info.isDepth() && format != VK_FORMAT_D32_SFLOAT) {
    // Codes, with garbage in the bits that are not depth.
    std::memcpy(texel, &hash, info.blockBytes);
    return;
  }
  format::Texel t = colorFor(info, hash, true);
  if (info.isDepth()) t.word[0] = bits(static_cast<float>(hash % 17) / 16);
  if (info.isStencil()) t.word[0] = hash % 3 ? hash % 4 : hash & 255;
  format::encoder(format)(&t, texel, 1);
}

Outputs shade(const ShaderTraits& traits, const format::FormatInfo* const color[2], const Invocation& in) {
  Outputs out;
  uint32_t h = in.seed;
  if (traits.varies) h = mix(h, in.x / 2 * 331 + in.y);
  const uint32_t sample = traits.shares ? 0 : in.sample;
  h = sample ? mix(h, sample) : h;
  if (traits.readsMask) h = mix(h, in.maskIn);
  if (traits.fetches != kNoImage) h = mix(h, in.fetched);
  for (uint32_t i = 0; i < 2; ++i) {
    const bool written = color[i] && traits.outputs >> i & 1;
    out.color[i] = written ? colorFor(*color[i], mix(h, i), false) : format::Texel{};
  }
  out.second = color[0] && traits.secondSource ? colorFor(*color[0], mix(h, 7), false) : format::Texel{};
  const uint32_t place = in.x * 7 + in.y * 13 + sample * 3 + in.seed % 5;
  out.killed = traits.discards && place % 5 == 0;
  if (traits.writesSampleMask) out.sampleMask = place % 3 == 0 ? mix(h, 11) : ~0u;
  if (traits.writesStencilRef) out.stencilRef = mix(in.seed, place % 4) % 300;
  if (traits.writesDepth) out.depth = static_cast<float>(mix(in.seed, place % 6) % 17) / 16;
  return out;
}

Place fetchPlace(const World& world, const ShaderTraits& traits, const Invocation& in) {
  return {in.x, in.y, in.seed >> 8 & 1, traits.shares ? in.sample : (in.seed + in.sample) % world.samples};
}
Place storePlace(const World& world, const Invocation& in) {
  return {world.width - 1 - in.x, in.y, in.seed >> 9 & 1, (in.seed + in.sample) % world.samples};
}
uint32_t storeValue(const Invocation& in) { return mix(mix(in.seed, in.x), in.y * 16 + in.sample) % 5; }

}  // namespace etzel::raster::model
