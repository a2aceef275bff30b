#include "icd/debug/transfer_history.h"

#include <algorithm>

#include "icd/debug/past_shader.h"

namespace etzel::icd {
namespace {

WrittenRegion rect(const VkImageSubresourceLayers& to, int64_t x, int64_t y, int64_t width, int64_t height) {
  WrittenRegion w;
  w.aspects = to.aspectMask, w.mip = to.mipLevel, w.layer = to.baseArrayLayer, w.layers = to.layerCount;
  w.x0 = x, w.y0 = y, w.x1 = x + width, w.y1 = y + height;
  return w;
}

template <class Region>
WrittenRegion copied(const Region& r) {
  WrittenRegion w = rect(r.dstSubresource, r.dstOffset.x, r.dstOffset.y, r.extent.width, r.extent.height);
  w.fromX = int64_t{r.srcOffset.x} - r.dstOffset.x, w.fromY = int64_t{r.srcOffset.y} - r.dstOffset.y;
  w.hasSource = true;
  return w;
}

}  // namespace

WrittenRegion writtenBy(const VkImageCopy2& r) { return copied(r); }
WrittenRegion writtenBy(const VkImageResolve2& r) { return copied(r); }
WrittenRegion writtenBy(const VkImageBlit2& r) {
  const auto [x0, x1] = std::minmax(r.dstOffsets[0].x, r.dstOffsets[1].x);
  const auto [y0, y1] = std::minmax(r.dstOffsets[0].y, r.dstOffsets[1].y);
  return rect(r.dstSubresource, x0, y0, int64_t{x1} - x0, int64_t{y1} - y0);
}
WrittenRegion writtenBy(const VkBufferImageCopy2& r) {
  return rect(r.imageSubresource, r.imageOffset.x, r.imageOffset.y, r.imageExtent.width, r.imageExtent.height);
}
WrittenRegion writtenBy(const VkImageSubresourceRange& r) {
  return rect({r.aspectMask, r.baseMipLevel, r.baseArrayLayer, r.layerCount}, 0, 0, INT32_MAX, INT32_MAX);
}

bool WrittenTexels::hold(const MemoryPlace::Texel& t) const {
  if (t.image != reinterpret_cast<uint64_t>(image->data) || t.level != region.mip) return false;
  // Of 3D images the layers of a texel are slices, of which regions say nothing here.
  const bool isSliced = image->layout.type == VK_IMAGE_TYPE_3D;
  if (!isSliced && (t.layer < region.layer || t.layer - region.layer >= region.layers)) return false;
  const auto* const plane = reinterpret_cast<const mem::PlaneLayout*>(t.plane);
  const mem::ImageLayout& layout = image->layout;
  for (uint32_t i = 0; i < layout.planeCount; ++i)
    if (plane == &layout.plane[i] && layout.plane[i].aspect & region.aspects)
      return t.x >= region.x0 && t.x < region.x1 && t.y >= region.y0 && t.y < region.y1;
  return false;
}

uint64_t bufferBytes(const Image& from, const VkBufferImageCopy2& r) {
  const mem::PlaneLayout& plane = from.layout.planeOf(r.imageSubresource.aspectMask);
  const uint64_t columns = divideUp(r.imageExtent.width, plane.blockWidth);
  const uint64_t rows = divideUp(r.imageExtent.height, plane.blockHeight);
  const uint64_t pitch = r.bufferRowLength ? divideUp(r.bufferRowLength, plane.blockWidth) : columns;
  const uint64_t height = r.bufferImageHeight ? divideUp(r.bufferImageHeight, plane.blockHeight) : rows;
  const VkImageSubresourceLayers& to = r.imageSubresource;
  const uint32_t layers =
      to.layerCount == VK_REMAINING_ARRAY_LAYERS ? from.layout.arrayLayers - to.baseArrayLayer : to.layerCount;
  const uint64_t slices = uint64_t{divideUp(r.imageExtent.depth, plane.blockDepth)} * layers;
  if (!columns || !rows || !slices) return 0;
  return (((slices - 1) * height + rows - 1) * pitch + columns) * plane.blockBytes;
}

void TransferHistory::begin(const char* command, const Image* from, const Image& to, const WrittenRegion& r,
                            std::atomic<uint32_t>* progress) {
  command_ = command, progress_ = progress;
  written_ = {&to, r};
  tellPixel(from);
}

void TransferHistory::tellPixel(const Image* from) {
  const WrittenRegion& r = written_.region;
  const HistorySubject* const at = wantedHistory();
  if (!at || r.mip != 0 || at->layer < r.layer || at->layer - r.layer >= r.layers) return;
  if (at->x < r.x0 || at->x >= r.x1 || at->y < r.y0 || at->y >= r.y1) return;
  const auto listed = findImage(&written_.image->layout);
  if (!listed || !at->admits(&*listed, {})) return;
  subject_ = at, image_ = *listed;
  images_ = readImage(image_, *at, r.aspects);
  if (images_.empty()) return;
  head_.text("event", "transfer").text("command", command_);
  const auto source = from ? findImage(&from->layout) : std::nullopt;
  if (source) head_.text("from", source->name);
  if (source && r.hasSource)
    head_.raw("fromPixel",
              JsonArray().add(std::to_string(at->x + r.fromX)).add(std::to_string(at->y + r.fromY)).done());
}

void TransferHistory::end() {
  showTexelWrite(command_, written_, progress_);
  if (images_.empty()) return;
  readAfter(image_, *subject_, images_);
  const std::string told = History::get().add(std::move(head_), images_);
  showWrite(told, images_, progress_);
}

}  // namespace etzel::icd
