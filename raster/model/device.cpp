// Images of the device, transfers, and accesses of shaders outside of draws.
#include "raster/model/device.h"

#include <bit>
#include <sstream>

#include "raster/attachment/replicate.h"
#include "raster/attachment/resolve_job.h"
#include "raster/attachment/surface.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::raster::model {
namespace {

VkOffset3D offset(uint32_t x, uint32_t y) { return {static_cast<int32_t>(x), static_cast<int32_t>(y), 0}; }

/// Runs texture instructions on single texels of one descriptor.
struct Access {
  abi::DispatchContext context;
  abi::Warp warp;
  LaneWords sys[abi::kSysValueCount] = {};
  explicit Access(const std::vector<abi::ImageDescriptor>& table) {
    context.table[0] = reinterpret_cast<const std::byte*>(table.data());
    context.tableBytes[0] = static_cast<uint32_t>(table.size() * sizeof(abi::ImageDescriptor));
    warp.context = &context, warp.sys = sys;
  }
  struct Words {
    uint32_t word[4];
  };
  /// In lane `x % 8`, so that all lanes have their turn.
  Words run(const abi::TexInst& inst, uint32_t slot, uint32_t x, uint32_t y, uint32_t layer, uint32_t sample,
            const uint32_t* data = nullptr) {
    const uint32_t lane = x % kWarpLanes;
    LaneWords handle{}, args[12] = {}, out[8] = {};
    handle[lane] = abi::makeHandle(0, slot * abi::kDescriptorBytes);
    args[0][lane] = x, args[1][lane] = y, args[2][lane] = layer;
    if (inst.hasSample()) args[inst.argSample()][lane] = sample;
    for (uint32_t i = 0; i < inst.dataWords(); ++i) args[inst.argData() + i][lane] = data[i];
    tex::execute(&warp, inst.pack(), LaneMask{1} << lane, &handle, &handle, args, out);
    return {{out[0][lane], out[1][lane], out[2][lane], out[3][lane]}};
  }
};

abi::TexInst instruction(abi::TexKind kind, const format::FormatInfo& info) {
  abi::TexInst t;
  t.kind = kind, t.arrayed = t.multisampled = true;
  if (!t.isImageAccess()) t.lod = abi::LodMode::Zero;
  t.type = info.numeric == format::Numeric::Sint ? abi::TexType::Sint
           : info.isInteger()                    ? abi::TexType::Uint
                                                 : abi::TexType::Float;
  return t;
}

}  // namespace

Device::Device(const World& world, task::Pool* pool) : world_(world), pool_(pool), renderPass_(pool) {
  table_.resize(2 * kImageCount);
  for (uint32_t i = 0; i < kImageCount; ++i) makeImage(static_cast<ImageId>(i));
}

void Device::makeImage(ImageId id) {
  images_[id] = std::make_unique<Image>();
  Image& image = *images_[id];
  mem::ImageShape shape;
  shape.type = VK_IMAGE_TYPE_2D;
  shape.format = world_.formatOf(id);
  shape.extent = {world_.width, world_.height, 1};
  shape.mipLevels = 1, shape.arrayLayers = kLayers;
  shape.samples = world_.samplesOf(id);
  shape.tiling = VK_IMAGE_TILING_OPTIMAL;
  if (isDepthStencil(id)) shape.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  if (isStored(id)) shape.usage = VK_IMAGE_USAGE_STORAGE_BIT;
  image.layout = mem::layoutImage(shape);
  if (!world_.compressed)
    for (mem::PlaneLayout& p : image.layout.plane) p.fragments = {}, p.tiles = {};
  image.memory.resize(image.layout.size);
  for (uint32_t i = 0; i < 2; ++i) {
    const VkImageAspectFlags aspect =
        i ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_DEPTH_BIT;
    if (!(world_.aspectsOf(id) & aspect)) continue;
    tex::ImageView& v = image.view[i];
    v.layout = &image.layout, v.plane = &image.layout.planeOf(aspect), v.memory = image.memory.data();
    v.format = v.plane->format;
    v.info = format::find(v.format);
    v.decode = format::decoder(v.format), v.encode = format::encoder(v.format);
    v.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    v.layerCount = kLayers, v.samples = image.layout.samples;
    tex::prepare(v);
    table_[2 * id + i] = {.view = &v, .sampler = &image.sampler};
  }
}

tex::ImageView& Device::viewOf(ImageId id, VkImageAspectFlags aspect) {
  return images_[id]->view[aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? 1 : 0];
}

std::string Device::comparePlane(ImageId id, const Rect& rect, const mem::PlaneLayout& real, PlainPlane& plain) {
  const mem::ImageLayout& layout = images_[id]->layout;
  std::byte* const memory = images_[id]->memory.data();
  std::vector<std::byte> row(size_t{rect.width()} * plain.bytes);
  for (uint32_t layer = 0; layer < kLayers; ++layer) {
    const bool color = plain.info->isColor();
    const msaa::FragmentSurface fragments =
        color ? msaa::FragmentSurface(layout, real, memory, layer) : msaa::FragmentSurface();
    const msaa::DepthSurface depth = color ? msaa::DepthSurface() : msaa::DepthSurface(layout, real, memory, layer);
    for (uint32_t k = 0; k < plain.samples; ++k) {
      for (uint32_t y = rect.y0; y < rect.y1; ++y) {
        if (color)
          fragments.readRow(rect.x0, y, rect.width(), k, row.data());
        else
          depth.readRow(rect.x0, y, rect.width(), k, row.data());
        const std::byte* want = plain.at(rect.x0, y, layer, k);
        if (std::memcmp(row.data(), want, row.size()) == 0) continue;
        for (uint32_t x = rect.x0; x < rect.x1; ++x) {
          const std::byte *g = &row[size_t{x - rect.x0} * plain.bytes], *w = plain.at(x, y, layer, k);
          uint32_t got[4] = {}, wanted[4] = {};
          std::memcpy(got, g, plain.bytes), std::memcpy(wanted, w, plain.bytes);
          got[0] &= plain.meaning, wanted[0] &= plain.meaning;
          if (std::memcmp(got, wanted, sizeof got) == 0) continue;
          std::ostringstream s;
          const uint32_t state = color   ? fragments ? fragments.state(fragments.tileOf(x, y)) : 0u
                                 : depth ? depth.state(depth.tileOf(x, y))
                                         : 0u;
          s << "image " << uint32_t{id} << ' ' << plain.info->name << " pixel " << x << ", " << y << " layer " << layer
            << " sample " << k << " of " << plain.samples << std::hex << ": is";
          for (uint32_t i = 0; i < (plain.bytes + 3) / 4; ++i) s << ' ' << got[i];
          s << ", should be";
          for (uint32_t i = 0; i < (plain.bytes + 3) / 4; ++i) s << ' ' << wanted[i];
          s << ", tile state " << state;
          return s.str();
        }
      }
    }
  }
  return {};
}

std::string Device::compare(ImageId id, const Rect& rect, PlainPlane& depthOrColor, PlainPlane& stencil) {
  if (rect.empty()) return {};
  const mem::ImageLayout& layout = images_[id]->layout;
  std::string difference;
  if (depthOrColor)
    difference =
        comparePlane(id, rect, layout.planeOf(VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_DEPTH_BIT), depthOrColor);
  if (difference.empty() && stencil)
    difference = comparePlane(id, rect, layout.planeOf(VK_IMAGE_ASPECT_STENCIL_BIT), stencil);
  return difference;
}

std::vector<uint32_t> Device::bufferCopy(const Operation& o) {
  const bool write = o.kind == Kind::BufferToImage;
  const ImageId id = write ? o.to : o.from;
  const VkFormat f = viewOf(id, o.aspects).format;
  const uint32_t bytes = viewOf(id, o.aspects).plane->blockBytes, pitch = o.rect.width() + o.seed % 3;
  const uint32_t meaning = f == VK_FORMAT_X8_D24_UNORM_PACK32 ? 0xFFFFFF : ~0u;
  std::vector<std::byte> buffer(size_t{pitch} * o.rect.height() * bytes + 16);
  VkBufferImageCopy2 region{};
  region.bufferOffset = 16, region.bufferRowLength = pitch;
  region.imageSubresource = {o.aspects, 0, write ? o.toLayer : o.fromLayer, 1};
  region.imageOffset = offset(o.rect.x0, o.rect.y0);
  region.imageExtent = {o.rect.width(), o.rect.height(), 1};
  const auto at = [&](uint32_t x, uint32_t y) { return &buffer[16 + (size_t{y} * pitch + x) * bytes]; };
  uint32_t i = 0;
  for (uint32_t y = 0; y < o.rect.height() && write; ++y)
    for (uint32_t x = 0; x < o.rect.width(); ++x) madeUpTexel(f, mix(o.seed, i++), at(x, y));
  if (write) {
    transfer::copyBufferToImage(pool_, buffer.data(), transferImage(id), region);
    return {};
  }
  transfer::copyImageToBuffer(pool_, transferImage(id), buffer.data(), region);
  std::vector<uint32_t> seen;
  for (uint32_t y = 0; y < o.rect.height(); ++y)
    for (uint32_t x = 0; x < o.rect.width(); ++x) {
      uint32_t w[4] = {};
      std::memcpy(w, at(x, y), bytes);
      for (i = 0; i < (bytes + 3) / 4; ++i) seen.push_back(w[i] & meaning);
    }
  return seen;
}

std::vector<uint32_t> Device::storeSamples(const Operation& o) {
  const tex::ImageView& view = viewOf(o.to, VK_IMAGE_ASPECT_COLOR_BIT);
  const abi::TexInst write = instruction(abi::TexKind::ImageWrite, *view.info);
  const abi::TexInst reads[] = {instruction(abi::TexKind::ImageRead, *view.info),
                                instruction(abi::TexKind::Fetch, *view.info)};
  std::vector<uint32_t> seen[16];
  // One task for each sample: all of them meet in every tile.
  pool_->parallelFor(world_.samples, [&](uint32_t k, uint32_t) {
    Access access(table_);
    for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
      for (uint32_t x = o.rect.x0; x < o.rect.x1; ++x) {
        if (!(o.samples >> k & 1)) {
          seen[k].push_back(access.run(reads[(x ^ y) & 1], 2 * o.to, x, y, o.toLayer, k).word[0]);
          continue;
        }
        const format::Texel t = colorFor(*view.info, mix(mix(o.seed, k), x + y * 64), false);
        access.run(write, 2 * o.to, x, y, o.toLayer, k, t.word);
      }
  });
  for (uint32_t k = 1; k < 16; ++k) seen[0].insert(seen[0].end(), seen[k].begin(), seen[k].end());
  return std::move(seen[0]);
}

std::vector<uint32_t> Device::atomicAdd(const Operation& o) {
  abi::TexInst add = instruction(abi::TexKind::ImageAtomic, *viewOf(kStorage, VK_IMAGE_ASPECT_COLOR_BIT).info);
  add.atomic = abi::AtomicOp::Add;
  std::vector<uint32_t> seen[16];
  pool_->parallelFor(world_.samples, [&](uint32_t k, uint32_t) {
    Access access(table_);
    if (!(o.samples >> k & 1)) return;
    const uint32_t amount = 1 + k;
    for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
      for (uint32_t x = o.rect.x0; x < o.rect.x1; ++x)
        seen[k].push_back(access.run(add, 2 * kStorage, x, y, o.toLayer, k, &amount).word[0]);
  });
  for (uint32_t k = 1; k < 16; ++k) seen[0].insert(seen[0].end(), seen[k].begin(), seen[k].end());
  return std::move(seen[0]);
}

std::vector<uint32_t> Device::fetchSamples(const Operation& o) {
  const bool stencil = o.aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
  const abi::TexInst fetch = instruction(abi::TexKind::Fetch, *viewOf(o.from, o.aspects).info);
  Access access(table_);
  std::vector<uint32_t> seen;
  for (uint32_t k = 0; k < world_.samples; ++k)
    for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
      for (uint32_t x = o.rect.x0; x < o.rect.x1; ++x) {
        const Access::Words w = access.run(fetch, 2 * o.from + stencil, x, y, o.fromLayer, k);
        seen.insert(seen.end(), w.word, w.word + 4);
      }
  return seen;
}

std::vector<uint32_t> Device::fetchFragments(const Operation& o) {
  const tex::ImageView& view = viewOf(o.from, VK_IMAGE_ASPECT_COLOR_BIT);
  const abi::TexInst mask = instruction(abi::TexKind::FragmentMask, *view.info);
  const abi::TexInst fetch = instruction(abi::TexKind::FragmentFetch, *view.info);
  Access access(table_);
  std::vector<uint32_t> seen;
  for (uint32_t k = 0; k < world_.samples; ++k)
    for (uint32_t y = o.rect.y0; y < o.rect.y1; ++y)
      for (uint32_t x = o.rect.x0; x < o.rect.x1; ++x) {
        // Eight samples fit the mask of a shader; of the others the surface is asked.
        uint32_t fragment = access.run(mask, 2 * o.from, x, y, o.fromLayer, 0).word[0] >> (4 * (k & 7)) & 15;
        const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory, o.fromLayer);
        if (world_.samples > 8) fragment = surface ? static_cast<uint32_t>(surface.maskAt(x, y) >> 4 * k & 15) : k;
        const Access::Words w = access.run(fetch, 2 * o.from, x, y, o.fromLayer, fragment);
        seen.insert(seen.end(), w.word, w.word + 4);
      }
  return seen;
}

std::vector<uint32_t> Device::run(const Sequence& sequence, const Operation& o) {
  if (!o.inPass() || (inPass_ && o.pass != pass_)) finish();
  if (o.inPass() && !inPass_) pass_ = o.pass, begin(sequence.passes[o.pass]);
  const VkImageSubresourceRange range{o.aspects, 0, 1, o.toLayer, o.layers};
  switch (o.kind) {
    case Kind::Draw: draw(sequence.passes[o.pass], *o.draw); break;
    case Kind::ClearAttachment:
      renderPass_.clearAttachment(o.color, o.aspects, o.value, {o.rect.vk(), o.toLayer, o.layers});
      break;
    case Kind::Flush: flush(); break;
    case Kind::ClearImage:
      if (isDepthStencil(o.to))
        transfer::clearDepthStencil(pool_, transferImage(o.to), o.value.depthStencil, range);
      else
        transfer::clearColor(pool_, transferImage(o.to), o.value.color, range);
      break;
    case Kind::Copy: {
      VkImageCopy2 region{};
      region.srcSubresource = {o.aspects, 0, o.fromLayer, o.layers};
      region.dstSubresource = {o.aspects, 0, o.toLayer, o.layers};
      region.srcOffset = offset(o.fromX, o.fromY), region.dstOffset = offset(o.rect.x0, o.rect.y0);
      region.extent = {o.rect.width(), o.rect.height(), 1};
      transfer::copyImage(pool_, transferImage(o.from), transferImage(o.to), region);
      break;
    }
    case Kind::BufferToImage:
    case Kind::ImageToBuffer: return bufferCopy(o);
    case Kind::ResolveAttachment:
      resolveAttachment(
          pool_,
          {&viewOf(o.from, o.aspects), &viewOf(o.to, o.aspects), static_cast<VkImageAspectFlagBits>(o.aspects), o.mode},
          o.rect.vk(), o.layers, o.viewMask);
      break;
    case Kind::ResolveImage: {
      VkImageResolve2 region{};
      region.srcSubresource = {o.aspects, 0, o.fromLayer, o.layers};
      region.dstSubresource = {o.aspects, 0, o.toLayer, o.layers};
      region.srcOffset = offset(o.fromX, o.fromY), region.dstOffset = offset(o.rect.x0, o.rect.y0);
      region.extent = {o.rect.width(), o.rect.height(), 1};
      transfer::resolveImage(pool_, transferImage(o.from), transferImage(o.to), region);
      break;
    }
    case Kind::Replicate:
      replicateAttachment(pool_, viewOf(o.from, o.aspects), viewOf(o.to, o.aspects), o.rect.vk(), o.layers, o.viewMask);
      break;
    case Kind::StoreSamples: return storeSamples(o);
    case Kind::AtomicAdd: return atomicAdd(o);
    case Kind::FetchSamples: return fetchSamples(o);
    case Kind::FetchFragments: return fetchFragments(o);
  }
  return {};
}

}  // namespace etzel::raster::model
