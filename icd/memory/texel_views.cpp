#include "icd/memory/texel_views.h"

#include "icd/memory/sparse_range.h"
#include "runtime/format/format.h"

namespace etzel::icd {

void setTexelBuffer(tex::ImageView& view, std::byte* memory, uint64_t bytes, VkFormat format,
                    const mem::Residency* residency) {
  const format::FormatInfo* info = format::find(format);
  view.memory = memory;
  view.bufferBytes = info && info->blockBytes ? bytes / info->blockBytes * info->blockBytes : 0;
  view.format = format;
  view.info = info;
  view.decode = format::decoder(format);
  view.encode = format::encoder(format);
  view.residency = residency;
  tex::prepare(view);
}

const tex::ImageView* TexelViews::find(std::byte* memory, uint64_t bytes, VkFormat format) {
  const mem::Residency* residency = residencyAt(memory);
  std::lock_guard lock(mutex_);
  const auto [it, isNew] = views_.try_emplace({memory, bytes, format, residency});
  if (isNew) setTexelBuffer(it->second, memory, bytes, format, residency);
  return &it->second;
}

}  // namespace etzel::icd
