// Random worlds, passes, and what happens between them.
#include <algorithm>

#include "raster/model/generator.h"

namespace etzel::raster::model {
namespace {

using format::Numeric;

/// By bytes of a texel: 1, 2, 4, 8, 16.
const std::vector<VkFormat> kColors[5] = {
    {VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UINT, VK_FORMAT_R8_SNORM},
    {VK_FORMAT_R8G8_UNORM, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16_UINT, VK_FORMAT_R5G6B5_UNORM_PACK16},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R32_SFLOAT,
     VK_FORMAT_R32_UINT, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R16G16_SINT,
     VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_UINT},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R32G32_UINT},
    {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_UINT}};
constexpr VkFormat kDepths[] = {VK_FORMAT_D16_UNORM,          VK_FORMAT_X8_D24_UNORM_PACK32,
                                VK_FORMAT_D32_SFLOAT,         VK_FORMAT_D24_UNORM_S8_UINT,
                                VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT,
                                VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_S8_UINT};

ImageId twinOf(ImageId id) {
  switch (id) {
    case kColor0: return kTwin0;
    case kTwin0: return kColor0;
    case kColor1: return kTwin1;
    case kTwin1: return kColor1;
    case kDepth: return kDepthTwin;
    case kDepthTwin: return kDepth;
    default: return id;
  }
}
ImageId flatOf(ImageId id) {
  if (isDepthStencil(id)) return kFlatDepth;
  return id == kColor0 || id == kTwin0 ? kFlat0 : kFlat1;
}

}  // namespace

Sequence generate(uint32_t seed) { return Generator(seed).run(); }

Generator::Generator(uint32_t seed) : random_(seed) { makeWorld(seed); }

void Generator::makeWorld(uint32_t seed) {
  World& w = sequence_.world;
  w.seed = seed;
  const uint32_t size = random_.below(10);
  const auto extent = [&] {
    return size < 6 ? 3 + random_.below(50) : size < 9 ? 40 + random_.below(60) : 100 + random_.below(70);
  };
  w.width = extent(), w.height = extent();
  w.samples = 2u << random_.below(4);
  while (w.width * w.height * w.samples > 120000) w.height = (w.height + 1) / 2;
  constexpr uint32_t threads[] = {1, 2, 2, 4};
  w.threads = threads[random_.below(4)];
  w.compressed = random_.below(8);
  for (VkFormat& f : w.color) {
    // Bytes that have short ways of their own are half of all.
    const std::vector<VkFormat>& formats = kColors[random_.below(2) ? 2 : random_.below(5)];
    f = random_.in(4) && &formats == &kColors[2] ? formats[random_.below(2)]
                                                 : formats[random_.below(uint32_t(formats.size()))];
  }
  w.depthStencil = kDepths[random_.below(std::size(kDepths))];
}

Rect Generator::rect(bool tiles) {
  const uint32_t unit = tiles ? 8 : 1;
  const auto range = [&](uint32_t limit, uint32_t& low, uint32_t& high) {
    low = random_.below(divideUp(limit, unit)) * unit;
    high = std::min(limit, low + (1 + random_.below(limit / unit + 1)) * unit);
  };
  Rect r;
  range(world().width, r.x0, r.x1), range(world().height, r.y0, r.y1);
  if (random_.in(3)) r = {0, 0, world().width, world().height};
  return r;
}
Rect Generator::smallRect() {
  Rect r = rect(false);
  r.x0 = random_.below(world().width), r.y0 = random_.below(world().height);
  r.x1 = std::min(world().width, r.x0 + 1 + random_.below(12));
  r.y1 = std::min(world().height, r.y0 + 1 + random_.below(12));
  return r;
}

VkImageAspectFlags Generator::aspects(ImageId id, bool several) {
  const VkImageAspectFlags all = world().aspectsOf(id);
  if (all != (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) return all;
  const uint32_t pick = random_.below(several ? 3 : 2);
  return pick == 2 ? all : VkImageAspectFlags(pick ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT);
}

VkClearValue Generator::clearValue(ImageId id) {
  VkClearValue v{};
  if (isDepthStencil(id)) {
    v.depthStencil = {float(random_.below(17)) / 16, random_.below(4)};
    return v;
  }
  // Few colours: tiles have room for four.
  const format::Texel t = colorFor(*format::find(world().formatOf(id)), mix(random_.below(7), 3), false);
  std::copy(t.word, t.word + 4, v.color.uint32);
  return v;
}

void Generator::layersOrViews(Operation& o) {
  o.layers = 1 + random_.below(kLayers);
  if (random_.in(3)) o.viewMask = 1 + random_.below(3);
}

Operation Generator::clearAttachment(const Pass& pass) {
  Operation o;
  o.kind = Kind::ClearAttachment;
  const uint32_t pick = random_.below(3);
  ImageId id = pick < 2 ? pass.color[pick] : pass.depth;
  o.color = pick;
  if (id == kNoImage || pick == 2) id = pass.depth, o.color = ~0u;
  if (id == kNoImage) o.color = pass.color[0] != kNoImage ? 0 : 1, id = pass.color[o.color];
  o.aspects = aspects(id, true);
  o.value = clearValue(id);
  o.rect = rect(random_.below(2));
  o.toLayer = pass.viewMask ? 0 : random_.below(pass.layers);
  o.layers = pass.viewMask ? 1 : 1 + random_.below(pass.layers - o.toLayer);
  return o;
}

void Generator::passInstance() {
  Pass p;
  const uint32_t attached = 1 + random_.below(7);
  if (attached & 1) p.color[0] = random_.in(4) ? kTwin0 : kColor0;
  if (attached & 2) p.color[1] = random_.in(4) ? kTwin1 : kColor1;
  if (attached & 4 || random_.below(2)) p.depth = random_.in(4) ? kDepthTwin : kDepth;
  const uint32_t layering = random_.below(8);
  if (layering == 0) p.viewMask = 1 + random_.below(3);
  if (layering == 1) p.layers = kLayers;
  if (layering > 1) p.baseLayer = random_.below(kLayers);
  p.area = random_.below(3) ? Rect{0, 0, world().width, world().height} : rect(random_.below(2));
  if (random_.below(3)) {
    const uint32_t some = 1 + random_.below(15);
    p.alone = (some & 3) | (some & 4 ? Attachments::depthBit : 0) | (some & 8 ? Attachments::stencilBit : 0);
  }
  const uint32_t index = uint32_t(sequence_.passes.size());
  const uint32_t steps = random_.in(3) ? 20 + random_.below(30) : 1 + random_.below(10);
  for (uint32_t i = 0; i < steps; ++i) {
    const uint32_t pick = random_.below(20);
    Operation o;
    if (pick < 2 || (i == 0 && random_.below(2))) {
      o = clearAttachment(p);
    } else if (pick > 2) {
      o.kind = Kind::Draw, o.draw = draw(p);
    }
    o.pass = index;
    sequence_.operations.push_back(std::move(o));
  }
  sequence_.passes.push_back(p);
}

Operation Generator::copy() {
  Operation o;
  o.kind = Kind::Copy;
  const ImageId all[] = {kColor0, kTwin0, kColor1, kTwin1, kDepth, kDepthTwin};
  o.from = all[random_.below(6)], o.to = twinOf(o.from);
  if (random_.in(5)) {
    // Between layers of one image, or between formats of one size, or of single samples.
    const ImageId other = static_cast<ImageId>(random_.below(kImageCount));
    const format::FormatInfo &a = *format::find(world().formatOf(o.from)), &b = *format::find(world().formatOf(other));
    const bool floats = b.numeric == Numeric::Float || b.numeric == Numeric::Ufloat;  // bits of others may be NaN
    const bool fits = isDepthStencil(o.from) == isDepthStencil(other) && isFlat(other) == isFlat(o.from) &&
                      a.blockBytes == b.blockBytes && (!floats || a.format == b.format);
    o.to = fits ? other : o.from;
  } else if (random_.in(6)) {
    o.from = random_.below(2) ? kFlat0 : kFlatDepth, o.to = o.from;
  }
  o.aspects = aspects(o.to, true);
  if (random_.in(4) && o.from != o.to) {
    o.layers = kLayers;
  } else {
    o.fromLayer = random_.below(kLayers), o.toLayer = o.from == o.to ? 1 - o.fromLayer : random_.below(kLayers);
  }
  o.rect = rect(random_.below(3));
  o.fromX = o.rect.x0, o.fromY = o.rect.y0;
  const uint32_t moved = random_.below(3);
  if (moved) {
    const uint32_t unit = moved == 1 ? 8 : 1;
    o.fromX = random_.below((world().width - o.rect.width()) / unit + 1) * unit;
    o.fromY = random_.below((world().height - o.rect.height()) / unit + 1) * unit;
  }
  return o;
}

Operation Generator::resolve() {
  Operation o;
  o.kind = Kind::ResolveAttachment;
  o.from = static_cast<ImageId>(random_.below(kDepthTwin + 1));
  if (o.from == kStorage) o.from = kColor0;
  o.to = flatOf(o.from);
  o.aspects = aspects(o.from, false);
  constexpr VkResolveModeFlagBits modes[] = {VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, VK_RESOLVE_MODE_MIN_BIT,
                                             VK_RESOLVE_MODE_MAX_BIT, VK_RESOLVE_MODE_AVERAGE_BIT};
  if (o.aspects & VK_IMAGE_ASPECT_COLOR_BIT)
    o.mode = format::find(world().formatOf(o.from))->isInteger() ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
                                                                 : VK_RESOLVE_MODE_AVERAGE_BIT;
  else
    o.mode = modes[random_.below(o.aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? 3 : 4)];
  o.rect = rect(random_.below(2));
  o.fromX = o.rect.x0, o.fromY = o.rect.y0;
  layersOrViews(o);
  return o;
}

Operation Generator::resolveImage() {
  Operation o;
  o.kind = Kind::ResolveImage;
  o.from = static_cast<ImageId>(random_.below(4));
  o.to = flatOf(o.from);
  o.mode = VK_RESOLVE_MODE_AVERAGE_BIT;
  o.fromLayer = random_.below(kLayers), o.toLayer = random_.below(kLayers);
  o.rect = rect(random_.below(2));
  o.fromX = random_.below(world().width - o.rect.width() + 1);
  o.fromY = random_.below(world().height - o.rect.height() + 1);
  return o;
}

Operation Generator::replicate() {
  Operation o;
  o.kind = Kind::Replicate;
  o.to = static_cast<ImageId>(random_.below(kDepthTwin + 1));
  if (o.to == kStorage) o.to = kDepth;
  o.from = flatOf(o.to);
  o.aspects = aspects(o.to, false);
  o.rect = rect(true);
  layersOrViews(o);
  return o;
}

void Generator::outside() {
  Operation o;
  switch (random_.below(12)) {
    case 0:
    case 1:
    case 2: o = copy(); break;
    case 3: o = resolve(); break;
    case 4: o = random_.below(2) ? resolve() : resolveImage(); break;
    case 5: o = replicate(); break;
    case 6:
      o.kind = Kind::ClearImage;
      o.to = static_cast<ImageId>(random_.below(kImageCount));
      o.aspects = aspects(o.to, true);
      o.value = clearValue(o.to);
      o.toLayer = random_.below(kLayers), o.layers = 1 + random_.below(kLayers - o.toLayer);
      break;
    case 7: {
      o.kind = random_.below(2) ? Kind::BufferToImage : Kind::ImageToBuffer;
      o.from = o.to = static_cast<ImageId>(kFlat0 + random_.below(3));
      o.aspects = aspects(o.to, false);
      o.rect = rect(random_.below(2));
      o.fromLayer = o.toLayer = random_.below(kLayers);
      break;
    }
    case 8:
    case 9: {
      o.kind = random_.in(3) ? Kind::AtomicAdd : Kind::StoreSamples;
      o.to = o.kind == Kind::AtomicAdd ? kStorage : static_cast<ImageId>(random_.below(kStorage + 1));
      if (!isStored(o.to)) o.to = kColor0;
      // There is no storage access to sRGB.
      if (format::find(world().formatOf(o.to))->numeric == Numeric::Srgb) o.to = kStorage;
      o.toLayer = random_.below(kLayers);
      o.samples = random_.below(2) ? random_.word() : ~0u;
      o.rect = smallRect();
      break;
    }
    case 10:
      o.kind = Kind::FetchSamples;
      o.from = static_cast<ImageId>(random_.below(kDepthTwin + 1));
      o.aspects = aspects(o.from, false);
      o.fromLayer = random_.below(kLayers);
      o.rect = smallRect();
      break;
    default:
      o.kind = Kind::FetchFragments;
      o.from = static_cast<ImageId>(random_.below(4));
      o.fromLayer = random_.below(kLayers);
      o.rect = smallRect();
      break;
  }
  o.seed = random_.word();
  sequence_.operations.push_back(std::move(o));
}

Sequence Generator::run() {
  const uint32_t count = 120 + random_.below(100);
  while (sequence_.operations.size() < count) {
    passInstance();
    for (uint32_t n = random_.below(8); n > 0; --n) outside();
  }
  return std::move(sequence_);
}

}  // namespace etzel::raster::model
