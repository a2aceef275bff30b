#include "icd/memory/sparse_binds.h"

#include <algorithm>

#include "icd/object/aliased_memory.h"
#include "icd/object/error.h"
#include "icd/physical_device/memory_types.h"
#include "icd/physical_device/sparse_images.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

/// Whether memory has bytes [offset, offset + bytes) that can be mapped again; null memory has.
bool aliasable(const DeviceMemory* memory, uint64_t offset, uint64_t bytes) {
  if (!memory) return true;
  const uint64_t size = alignUp(memory->size, hostPageBytes());
  return memory->typeIndex == kSparseMemoryType && !memory->imported && offset % hostPageBytes() == 0 &&
         bytes <= size && offset <= size - bytes;
}

void reportBind(const char* what) {
  (void)ETZEL_FAIL(VK_ERROR_VALIDATION_FAILED_EXT, "vkQueueBindSparse: a bind of %s is left out", what);
}

/// Blocks in the order in which memory is bound to them: x, then y, then z.
class BlockBinds {
 public:
  BlockBinds(const Image& image, std::byte* memory, std::vector<SparseBind>& out)
      : image_(image), memory_(memory), out_(out) {}

  /// `bytes` at `offset` get the next ones of the memory.
  void add(uint64_t offset, uint64_t bytes) {
    SparseBind* last = any_ ? &out_.back() : nullptr;
    if (last && last->offset + last->bytes == offset)
      last->bytes += bytes;
    else
      out_.push_back({image_.sparse.get(), offset, bytes, memory_ ? memory_ + used_ : nullptr});
    used_ += bytes;
    any_ = true;
  }

 private:
  const Image& image_;
  std::byte* const memory_;
  std::vector<SparseBind>& out_;
  uint64_t used_ = 0;
  bool any_ = false;  ///< the last of out_ is ours, and ends where the memory's next bytes begin
};

void appendBlocks(const Image& image, const VkSparseImageMemoryBind& bind, std::vector<SparseBind>& out) {
  const mem::ImageLayout& layout = image.layout;
  const mem::PlaneLayout& p = layout.planeOf(bind.subresource.aspectMask);
  const uint32_t level = bind.subresource.mipLevel, layer = bind.subresource.arrayLayer;
  if (!layout.blockPage || level >= layout.mipLevels || level >= p.tailMip || layer >= layout.arrayLayers)
    return reportBind("a subresource without blocks");
  const mem::MipLayout& mip = p.mip[level];
  const VkExtent3D block = granularityOf(layout, p);
  const auto left = [](int32_t offset, uint32_t size) {
    return offset < 0 ? 0 : size - std::min(size, static_cast<uint32_t>(offset));
  };
  if (bind.extent.width > left(bind.offset.x, mip.width) || bind.extent.height > left(bind.offset.y, mip.height) ||
      bind.extent.depth > left(bind.offset.z, mip.depth))
    return reportBind("texels beyond a level");
  const uint32_t column = static_cast<uint32_t>(bind.offset.x) / block.width;
  const uint32_t row = static_cast<uint32_t>(bind.offset.y) / block.height, z = static_cast<uint32_t>(bind.offset.z);
  const uint32_t columns = divideUp(bind.extent.width, block.width), rows = divideUp(bind.extent.height, block.height);
  const uint64_t page = layout.blockPage, bytes = page * layout.samples * columns * rows * bind.extent.depth;
  const auto* memory = bind.memory ? cast<DeviceMemory>(bind.memory) : nullptr;
  if (!aliasable(memory, bind.memoryOffset, bytes)) return reportBind("memory that is not there");
  BlockBinds binds(image, memory ? memory->data + bind.memoryOffset : nullptr, out);
  for (uint32_t k = 0; k < bind.extent.depth; ++k)
    for (uint32_t j = 0; j < rows; ++j) {
      const uint32_t y = row + (mutated(Mutant::SparseOrder) ? rows - 1 - j : j);
      const uint64_t at = layout.texelOffset(p, level, layer, 0, 0, y, z + k) + column * page;
      if (layout.samples == 1) {
        binds.add(at, columns * page);
        continue;
      }
      for (uint32_t i = 0; i < columns; ++i)
        for (uint32_t sample = 0; sample < layout.samples; ++sample)
          binds.add(at + i * page + sample * p.samplePitch, page);
    }
}

}  // namespace

void appendBinds(SparseRange* range, std::span<const VkSparseMemoryBind> binds, std::vector<SparseBind>& out) {
  for (const VkSparseMemoryBind& bind : binds) {
    const auto* memory = bind.memory ? cast<DeviceMemory>(bind.memory) : nullptr;
    const uint64_t bytes = alignUp(bind.size, hostPageBytes());
    if (!range || bind.resourceOffset % hostPageBytes() || bytes > range->bytes() ||
        bind.resourceOffset > range->bytes() - bytes)
      reportBind("bytes beyond a resource");
    else if (!aliasable(memory, bind.memoryOffset, bytes))
      reportBind("memory that is not there");
    else if (bytes)
      out.push_back({range, bind.resourceOffset, bytes, memory ? memory->data + bind.memoryOffset : nullptr});
  }
}

void appendBinds(const Image& image, std::span<const VkSparseImageMemoryBind> binds, std::vector<SparseBind>& out) {
  for (const VkSparseImageMemoryBind& bind : binds)
    if (bind.extent.width && bind.extent.height && bind.extent.depth) appendBlocks(image, bind, out);
}

}  // namespace etzel::icd
