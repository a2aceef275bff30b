// The reference's clears, copies, resolves and accesses of shaders.
#include "raster/model/reference.h"

#include <bit>

namespace etzel::raster::model {
namespace {

constexpr VkImageAspectFlags kAspects[] = {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT,
                                           VK_IMAGE_ASPECT_STENCIL_BIT};

VkFormat depthOf(VkFormat f) {
  switch (f) {
    case VK_FORMAT_D16_UNORM_S8_UINT: return VK_FORMAT_D16_UNORM;
    case VK_FORMAT_D24_UNORM_S8_UINT: return VK_FORMAT_X8_D24_UNORM_PACK32;
    case VK_FORMAT_D32_SFLOAT_S8_UINT: return VK_FORMAT_D32_SFLOAT;
    default: return f;
  }
}

float asFloat(uint32_t w) { return std::bit_cast<float>(w); }

/// Neighbours are added pairwise, then the sums of pairs, and so on: the fixed form of averages
/// (runtime/msaa/resolve.h).
float sum(const float* v, uint32_t n) { return n == 1 ? v[0] : sum(v, n / 2) + sum(v + n / 2, n / 2); }

bool isBytesUnorm(const format::FormatInfo& info) {
  if (info.numeric != format::Numeric::Unorm || !info.isColor()) return false;
  for (const format::Channel& c : info.channel)
    if (c.bits && c.bits != 8) return false;
  return true;
}

}  // namespace

Reference::Reference(const World& world) : world_(world) {
  for (uint32_t i = 0; i < kImageCount; ++i) {
    const ImageId id = static_cast<ImageId>(i);
    const VkFormat f = world.formatOf(id);
    const uint32_t n = world.samplesOf(id);
    const VkImageAspectFlags aspects = world.aspectsOf(id);
    if (aspects & ~VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT})
      planes_[i] = PlainPlane(depthOf(f), world.width, world.height, n);
    if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
      stencil_[i] = PlainPlane(VK_FORMAT_S8_UINT, world.width, world.height, n);
  }
}

void Reference::changed(ImageId id, const Rect& r) {
  Rect& c = changes_[id];
  c = c.empty() ? r : Rect{std::min(c.x0, r.x0), std::min(c.y0, r.y0), std::max(c.x1, r.x1), std::max(c.y1, r.y1)};
}

std::array<Rect, kImageCount> Reference::takeChanges() {
  const std::array<Rect, kImageCount> all = changes_;
  changes_.fill({});
  return all;
}

void Reference::clear(ImageId id, VkImageAspectFlags aspects, const VkClearValue& value, const Rect& rect,
                      uint32_t layer) {
  for (VkImageAspectFlags aspect : kAspects) {
    PlainPlane& p = plane(id, aspect);
    if (!(aspects & aspect) || !p) continue;
    format::Texel t{};
    std::memcpy(&t, &value, sizeof t);
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) t.word[0] = value.depthStencil.stencil & 255;
    std::byte texel[16] = {};
    p.encode(&t, texel, 1);
    p.fill(rect, layer, texel);
  }
  changed(id, rect);
}

void Reference::clearAttachment(const Pass& pass, const Operation& o) {
  const ImageId id = o.color == ~0u ? pass.depth : pass.color[o.color];
  if (id == kNoImage) return;
  const Rect r = {std::max(o.rect.x0, pass.area.x0), std::max(o.rect.y0, pass.area.y0),
                  std::min(o.rect.x1, pass.area.x1), std::min(o.rect.y1, pass.area.y1)};
  if (r.empty()) return;
  for (uint32_t layer = 0; layer < kLayers; ++layer) {
    const bool cleared = pass.viewMask ? pass.viewMask >> layer & 1
                                       : layer >= o.toLayer && layer < o.toLayer + o.layers && layer < pass.layers;
    if (cleared) clear(id, o.aspects, o.value, r, pass.baseLayer + layer);
  }
}

void Reference::copy(const Operation& o) {
  for (VkImageAspectFlags aspect : kAspects) {
    if (!(o.aspects & aspect)) continue;
    PlainPlane &from = plane(o.from, aspect), &to = plane(o.to, aspect);
    if (!from || !to) continue;
    for (uint32_t layer = 0; layer < o.layers; ++layer)
      for (uint32_t k = 0; k < to.samples; ++k)
        for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
          std::memcpy(to.at(o.rect.x0, y, o.toLayer + layer, k),
                      from.at(o.fromX, o.fromY + y - o.rect.y0, o.fromLayer + layer, k),
                      size_t{o.rect.width()} * to.bytes);
  }
  changed(o.to, o.rect);
}

void Reference::resolve(const Operation& o, uint32_t fromLayer, uint32_t toLayer) {
  PlainPlane &from = plane(o.from, o.aspects), &to = plane(o.to, o.aspects);
  const uint32_t n = from.samples;
  const bool color = o.aspects & VK_IMAGE_ASPECT_COLOR_BIT;
  const bool average = o.mode == VK_RESOLVE_MODE_AVERAGE_BIT && !(color && from.info->isInteger());
  for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y) {
    for (uint32_t x = o.rect.x0; x < o.rect.x1; ++x) {
      const uint32_t fx = o.fromX + x - o.rect.x0, fy = o.fromY + y - o.rect.y0;
      std::byte* out = to.at(x, y, toLayer, 0);
      if (average && isBytesUnorm(*from.info)) {
        for (uint32_t b = 0; b < from.bytes; ++b) {
          uint32_t total = n / 2;
          for (uint32_t k = 0; k < n; ++k) total += std::to_integer<uint32_t>(from.at(fx, fy, fromLayer, k)[b]);
          out[b] = static_cast<std::byte>(total / n);
        }
        continue;
      }
      if (average) {
        format::Texel texel[16], result;
        for (uint32_t k = 0; k < n; ++k) texel[k] = from.texel(fx, fy, fromLayer, k);
        for (uint32_t c = 0; c < 4; ++c) {
          float v[16];
          for (uint32_t k = 0; k < n; ++k) v[k] = asFloat(texel[k].word[c]);
          result.word[c] = std::bit_cast<uint32_t>(sum(v, n) / static_cast<float>(n));
        }
        to.encode(&result, out, 1);
        continue;
      }
      // Which sample's texel it is.
      uint32_t chosen = 0;
      const auto value = [&](uint32_t k) {
        const uint32_t w = from.word(fx, fy, fromLayer, k);
        return from.format == VK_FORMAT_D32_SFLOAT ? double{asFloat(w)} : double(w);
      };
      for (uint32_t k = 1; k < n; ++k) {
        if (o.mode == VK_RESOLVE_MODE_MIN_BIT && value(k) < value(chosen)) chosen = k;
        if (o.mode == VK_RESOLVE_MODE_MAX_BIT && value(k) > value(chosen)) chosen = k;
      }
      std::memcpy(out, from.at(fx, fy, fromLayer, chosen), to.bytes);
    }
  }
  changed(o.to, o.rect);
}

void Reference::replicate(const Operation& o, uint32_t layer) {
  PlainPlane &from = plane(o.from, o.aspects), &to = plane(o.to, o.aspects);
  for (uint32_t k = 0; k < to.samples; ++k)
    for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
      std::memcpy(to.at(o.rect.x0, y, layer, k), from.at(o.rect.x0, y, layer, 0), size_t{o.rect.width()} * to.bytes);
  changed(o.to, o.rect);
}

std::vector<uint32_t> Reference::run(const Sequence& sequence, const Operation& o) {
  std::vector<uint32_t> seen;
  const auto eachPixel = [&](auto&& body) {
    for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
      for (uint32_t x = o.rect.x0; x < o.rect.x1; ++x) body(x, y);
  };
  const auto eachLayer = [&](auto&& body) {
    for (uint32_t i = 0; i < kLayers; ++i)
      if (o.viewMask ? o.viewMask >> i & 1 : i < o.layers) body(i);
  };
  switch (o.kind) {
    case Kind::Draw: draw(sequence.passes[o.pass], *o.draw); break;
    case Kind::ClearAttachment: clearAttachment(sequence.passes[o.pass], o); break;
    case Kind::Flush: break;
    case Kind::ClearImage:
      for (uint32_t i = 0; i < o.layers; ++i)
        clear(o.to, o.aspects, o.value, {0, 0, world_.width, world_.height}, o.toLayer + i);
      break;
    case Kind::Copy: copy(o); break;
    case Kind::BufferToImage: {
      PlainPlane& p = plane(o.to, o.aspects);
      uint32_t i = 0;
      eachPixel([&](uint32_t x, uint32_t y) { madeUpTexel(p.format, mix(o.seed, i++), p.at(x, y, o.toLayer, 0)); });
      changed(o.to, o.rect);
      break;
    }
    case Kind::ImageToBuffer: {
      PlainPlane& p = plane(o.from, o.aspects);
      eachPixel([&](uint32_t x, uint32_t y) {
        uint32_t w[4] = {};
        std::memcpy(w, p.at(x, y, o.fromLayer, 0), p.bytes);
        for (uint32_t i = 0; i < (p.bytes + 3) / 4; ++i) seen.push_back(w[i] & p.meaning);
      });
      break;
    }
    case Kind::ResolveAttachment: eachLayer([&](uint32_t i) { resolve(o, i, i); }); break;
    case Kind::ResolveImage:
      for (uint32_t i = 0; i < o.layers; ++i) resolve(o, o.fromLayer + i, o.toLayer + i);
      break;
    case Kind::Replicate: eachLayer([&](uint32_t i) { replicate(o, i); }); break;
    case Kind::StoreSamples: {
      PlainPlane& p = plane(o.to, VK_IMAGE_ASPECT_COLOR_BIT);
      for (uint32_t k = 0; k < p.samples; ++k)
        eachPixel([&](uint32_t x, uint32_t y) {
          if (o.samples >> k & 1) {
            const format::Texel t = colorFor(*p.info, mix(mix(o.seed, k), x + y * 64), false);
            p.encode(&t, p.at(x, y, o.toLayer, k), 1);
          } else {
            seen.push_back(p.texel(x, y, o.toLayer, k).word[0]);
          }
        });
      changed(o.to, o.rect);
      break;
    }
    case Kind::AtomicAdd: {
      PlainPlane& p = planes_[kStorage];
      for (uint32_t k = 0; k < p.samples; ++k)
        eachPixel([&](uint32_t x, uint32_t y) {
          if (!(o.samples >> k & 1)) return;
          const uint32_t old = p.word(x, y, o.toLayer, k), now = old + 1 + k;
          std::memcpy(p.at(x, y, o.toLayer, k), &now, 4);
          seen.push_back(old);
        });
      changed(kStorage, o.rect);
      break;
    }
    case Kind::FetchSamples:
    case Kind::FetchFragments: {
      PlainPlane& p = plane(o.from, o.aspects);
      for (uint32_t k = 0; k < p.samples; ++k)
        eachPixel([&](uint32_t x, uint32_t y) {
          const format::Texel t = p.texel(x, y, o.fromLayer, k);
          seen.insert(seen.end(), t.word, t.word + 4);
        });
      break;
    }
  }
  return seen;
}

}  // namespace etzel::raster::model
