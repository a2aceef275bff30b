#include "icd/cmd/pass/implicit_images.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "icd/object/error.h"
#include "icd/physical_device/memory_types.h"

namespace etzel::icd {
namespace {

mem::ImageLayout layoutFor(const ImageView& attachment, uint32_t samples) {
  const tex::ImageView& v = attachment.attachment.layout ? attachment.attachment : attachment.stencilAttachment;
  const mem::MipLayout& mip = v.plane->mip[v.baseMip];
  mem::ImageShape shape;
  shape.type = VK_IMAGE_TYPE_2D;
  shape.format = v.info && v.info->isColor() ? v.format : v.layout->format;
  shape.extent = {mip.width, mip.height, 1};
  shape.mipLevels = 1;
  shape.arrayLayers = v.layerCount;
  shape.samples = samples;
  shape.usage =
      v.info && v.info->isColor() ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  return mem::layoutImage(shape);
}

bool sameShape(const mem::ImageLayout& a, const mem::ImageLayout& b) {
  return a.format == b.format && a.samples == b.samples && a.arrayLayers == b.arrayLayers &&
         a.extent.width == b.extent.width && a.extent.height == b.extent.height && a.size == b.size;
}

/// `original` moved to the implicit image.
tex::ImageView viewOf(const ImplicitImage& image, const tex::ImageView& original, const mem::PlaneLayout& plane) {
  tex::ImageView v = original;
  v.layout = &image.layout;
  v.plane = &plane;
  v.memory = image.memory;
  v.samples = image.layout.samples;
  v.baseMip = v.baseLayer = v.baseDepth = v.depthCount = 0;
  v.mipCount = 1;
  if (v.stencilPlane) v.stencilPlane = &image.layout.planeOf(VK_IMAGE_ASPECT_STENCIL_BIT);
  return v;
}

}  // namespace

ImplicitImage::~ImplicitImage() {
  if (!memory) return;
  munmap(memory, layout.size);
  giveBackToHeap(kDeviceHeap, layout.size);
}

ImplicitImage* ImplicitImages::find(const ImageView& attachment) {
  for (const auto& i : used_)
    if (i->attachment == &attachment) return i.get();
  return nullptr;
}

ImplicitImage* ImplicitImages::of(const ImageView& attachment, uint32_t samples) {
  if (ImplicitImage* image = find(attachment)) {
    if (image->layout.samples == samples) return image;
    image->attachment = nullptr;  // another sample count: a spare from here on
    image->current = false;
  }
  const mem::ImageLayout layout = layoutFor(attachment, samples);
  const auto spare =
      std::find_if(spare_.begin(), spare_.end(), [&](const auto& i) { return sameShape(i->layout, layout); });
  std::unique_ptr<ImplicitImage> image;
  if (spare != spare_.end()) {
    image = std::move(*spare);
    spare_.erase(spare);
  } else {
    image = std::make_unique<ImplicitImage>();
    const bool fits = takeFromHeap(kDeviceHeap, layout.size);
    void* p =
        !fits ? MAP_FAILED
              : mmap(nullptr, layout.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
      if (fits) giveBackToHeap(kDeviceHeap, layout.size);
      (void)ETZEL_FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY, "no memory for an implicit multisampled image of %llu bytes",
                       static_cast<unsigned long long>(layout.size));
      throw std::bad_alloc();
    }
    image->memory = static_cast<std::byte*>(p);
    image->layout = layout;
  }
  image->attachment = &attachment;
  image->current = false;
  if (const tex::ImageView& v = attachment.attachment; v.layout)
    image->main = viewOf(*image, v, image->layout.planeOf(v.plane->aspect));
  if (const tex::ImageView& v = attachment.stencilAttachment; v.layout)
    image->stencil = viewOf(*image, v, image->layout.planeOf(VK_IMAGE_ASPECT_STENCIL_BIT));
  used_.push_back(std::move(image));
  return used_.back().get();
}

void ImplicitImages::setCurrent(bool current) {
  for (const auto& i : used_) i->current = current && i->attachment;
}

void ImplicitImages::forget() {
  if (used_.empty()) return;
  spare_ = std::move(used_);
  used_.clear();
  for (const auto& i : spare_) i->attachment = nullptr, i->current = false;
}

void ImplicitImages::inputView(const tex::ImageView& original, uint32_t samples, tex::ImageView& view,
                               mem::PlaneLayout& plane) const {
  view = original;
  for (const auto& i : used_) {
    if (!i->current || i->layout.samples != samples) continue;
    const ImageView& a = *i->attachment;
    const tex::ImageView& base = a.attachment.layout ? a.attachment : a.stencilAttachment;
    if (base.layout != original.layout || base.baseMip != original.baseMip || original.baseLayer < base.baseLayer ||
        original.baseLayer + original.layerCount > base.baseLayer + base.layerCount)
      continue;
    view = viewOf(*i, original, i->layout.planeOf(original.plane->aspect));
    view.baseLayer = original.baseLayer - base.baseLayer;
    return;
  }
  // Not rendered to in this subpass: all samples are the texel.
  plane = *original.plane;
  plane.samplePitch = 0;
  view.plane = &plane;
  view.samples = samples;
}

}  // namespace etzel::icd
