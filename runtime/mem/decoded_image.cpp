#include "runtime/mem/decoded_image.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "runtime/base/huge_pages.h"
#include "runtime/base/memory_limit.h"
#include "runtime/format/decoded.h"
#include "runtime/mutant/mutant.h"

namespace etzel::mem {
namespace {

constexpr uint32_t kUnitBlocks = 16;

uint32_t columnsOf(const PlaneLayout& p, uint32_t level) {
  return static_cast<uint32_t>(divideUp(p.mip[level].width, p.blockWidth));
}
uint32_t rowsOf(const PlaneLayout& p, uint32_t level) {
  return static_cast<uint32_t>(divideUp(p.mip[level].height, p.blockHeight));
}

std::atomic<uint64_t> decodedBytes{0};  ///< of all images

/// An eighth of the memory that the process may use: beside what applications are offered (VkMemoryHeap).
uint64_t mostBytes() {
  static const uint64_t most = physicalBytes() / 8;
  return most;
}

ImageLayout decodedLayout(const ImageLayout& blocks, const format::FormatInfo& blockFormat) {
  return layoutImage({.format = format::decodedFormat(blockFormat)->format,
                      .extent = blocks.extent,
                      .mipLevels = blocks.mipLevels,
                      .arrayLayers = blocks.arrayLayers,
                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
}

}  // namespace

DecodedImage::DecodedImage(const ImageLayout& blocks, const std::byte* memory)
    : blocks_(blocks),
      blockMemory_(memory),
      blockFormat_(format::find(blocks.format)),
      layout_(decodedLayout(blocks, *blockFormat_)) {
  for (uint32_t level = 0; level < blocks.mipLevels; ++level)
    firstUnit_[level + 1] = firstUnit_[level] + divideUp(columnsOf(blocks.plane[0], level), kUnitBlocks) *
                                                    uint64_t{rowsOf(blocks.plane[0], level)};
  units_ = firstUnit_[blocks.mipLevels] * blocks.arrayLayers;
}

std::unique_ptr<DecodedImage> DecodedImage::create(const ImageLayout& blocks, const std::byte* memory) {
  const format::FormatInfo* f = format::find(blocks.format);
  if (!f || !format::decodedFormat(*f) || blocks.type != VK_IMAGE_TYPE_2D || blocks.samples != 1) return nullptr;
  std::unique_ptr<DecodedImage> image(new (std::nothrow) DecodedImage(blocks, memory));
  if (!image) return nullptr;
  image->bytes_ = alignUp<uint64_t>(image->layout_.size, static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE)));
  image->memory_ = static_cast<std::byte*>(mapForHugePages(image->bytes_));
  return image->memory_ ? std::move(image) : nullptr;
}

DecodedImage::~DecodedImage() {
  if (memory_) munmap(memory_, bytes_);
  if (admission_.load(std::memory_order_relaxed) == Admission::Admitted)
    decodedBytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

/// Whether memory may be used: asked once, by the first thread that would.
bool DecodedImage::admit() {
  if (const Admission a = admission_.load(std::memory_order_relaxed); a != Admission::Unknown)
    return a == Admission::Admitted;
  const std::unique_lock lock(mutex_);
  if (const Admission a = admission_.load(std::memory_order_relaxed); a != Admission::Unknown)
    return a == Admission::Admitted;
  const bool fits = decodedBytes.fetch_add(bytes_, std::memory_order_relaxed) + bytes_ <= mostBytes();
  const bool admitted = fits && groupsHaveRoomFor(bytes_);
  if (!admitted) decodedBytes.fetch_sub(bytes_, std::memory_order_relaxed);
  if (admitted && bytes_ >= kHugePageBytes) wishHugePages(memory_, bytes_);
  admission_.store(admitted ? Admission::Admitted : Admission::Refused, std::memory_order_relaxed);
  return admitted;
}

void DecodedImage::advance() {
  if (complete() || !admit()) return;
  const std::shared_lock lock(mutex_);
  const uint64_t unit = next_.fetch_add(1, std::memory_order_relaxed);
  if (unit >= units_) return;
  decodeUnit(unit);
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == units_) complete_.store(true, std::memory_order_release);
}

void DecodedImage::decodeUnit(uint64_t unit) {
  const PlaneLayout& p = blocks_.plane[0];
  const uint64_t ofLayer = firstUnit_[blocks_.mipLevels], inLayer = unit % ofLayer;
  uint32_t level = 0;
  while (inLayer >= firstUnit_[level + 1]) ++level;
  const uint32_t columns = columnsOf(p, level), pieces = static_cast<uint32_t>(divideUp(columns, kUnitBlocks));
  const uint32_t inLevel = static_cast<uint32_t>(inLayer - firstUnit_[level]), x = inLevel % pieces * kUnitBlocks;
  decode(level, static_cast<uint32_t>(unit / ofLayer), inLevel / pieces, x, std::min(kUnitBlocks, columns - x));
}

void DecodedImage::decode(uint32_t level, uint32_t layer, uint32_t y, uint32_t x, uint32_t columns) {
  const PlaneLayout &from = blocks_.plane[0], &to = layout_.plane[0];
  const uint32_t bw = from.blockWidth, bh = from.blockHeight, rowPitch = to.mip[level].rowPitch;
  const MipLayout& m = to.mip[level];
  const std::byte* block = blockMemory_ + blocks_.texelOffset(from, level, layer, 0, x, y, 0);
  std::byte* texels = memory_ + layout_.texelOffset(to, level, layer, 0, x * bw, y * bh, 0);
  for (uint32_t i = x; i < x + columns; ++i, block += from.blockBytes, texels += size_t{bw} * to.blockBytes)
    format::decodeTexels(*blockFormat_, block, std::min(bw, m.width - i * bw), std::min(bh, m.height - y * bh), texels,
                         rowPitch);
}

bool DecodedImage::written(const BlockArea& a) {
  // Whoever decoded blocks while they were written is done when the lock is there, and who begins later sees them.
  const std::unique_lock lock(mutex_);
  if (next_.load(std::memory_order_relaxed) == 0 || mutated(Mutant::DecodedBlocks)) return false;
  if (complete()) return true;
  for (uint32_t layer = a.layer; layer < a.layer + a.layers; ++layer)
    for (uint32_t y = a.y; y < a.y + a.rows; ++y) decode(a.level, layer, y, a.x, a.columns);
  return false;
}

}  // namespace etzel::mem
