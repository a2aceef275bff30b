#include "icd/memory/heap_views.h"

#include <cstddef>
#include <cstring>

#include "icd/object/device.h"

namespace etzel::icd {
namespace {

/// The words of `info` from the member at `first` up to the byte `end`: members of four bytes, without gaps.
template <class Info>
void append(std::vector<uint32_t>& key, const Info& info, size_t first, size_t end) {
  const size_t at = key.size();
  key.resize(at + (end - first) / sizeof(uint32_t));
  std::memcpy(&key[at], reinterpret_cast<const std::byte*>(&info) + first, end - first);
}

std::vector<uint32_t> keyOf(const VkImageViewCreateInfo& info) {
  std::vector<uint32_t> key;
  append(key, info, offsetof(VkImageViewCreateInfo, viewType),
         offsetof(VkImageViewCreateInfo, subresourceRange) + sizeof info.subresourceRange);
  if (const auto* lod =
          findNext<VkImageViewMinLodCreateInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT))
    append(key, *lod, offsetof(VkImageViewMinLodCreateInfoEXT, minLod),
           offsetof(VkImageViewMinLodCreateInfoEXT, minLod) + sizeof lod->minLod);
  if (const auto* slices =
          findNext<VkImageViewSlicedCreateInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT))
    append(key, *slices, offsetof(VkImageViewSlicedCreateInfoEXT, sliceOffset),
           offsetof(VkImageViewSlicedCreateInfoEXT, sliceCount) + sizeof slices->sliceCount);
  return key;
}

}  // namespace

const ImageView& HeapViews::find(const VkImageViewCreateInfo& info) {
  std::lock_guard lock(mutex_);
  auto& views = views_[cast<Image>(info.image)];
  const auto [it, isNew] = views.try_emplace(keyOf(info));
  if (!isNew) return it->second;
  try {
    makeImageView(it->second, info);
    known_.insert({&it->second.sampled, &it->second.storage});
  } catch (...) {  // nobody may find it half made
    known_.erase(&it->second.sampled), known_.erase(&it->second.storage);
    views.erase(it);
    throw;
  }
  return it->second;
}

const tex::Sampler& HeapViews::find(const VkSamplerCreateInfo& info) {
  std::lock_guard lock(mutex_);
  const auto [it, isNew] = samplers_.try_emplace(recordOf(info));
  if (isNew) makeSampler(it->second, info);
  return it->second;
}

void HeapViews::forget(const Image* image) {
  std::lock_guard lock(mutex_);
  const auto views = views_.find(image);
  if (views == views_.end()) return;
  for (auto& [key, view] : views->second) known_.erase(&view.sampled), known_.erase(&view.storage);
  views_.erase(views);
}

bool HeapViews::has(const tex::ImageView* view) {
  std::lock_guard lock(mutex_);
  return known_.count(view) != 0;
}

bool HeapViews::takeColor(uint32_t index) {
  std::lock_guard lock(mutex_);
  return colors_.insert(index).second;
}

bool HeapViews::takeAnyColor(uint32_t limit, uint32_t& index) {
  std::lock_guard lock(mutex_);
  uint32_t free = 0;
  for (const uint32_t taken : colors_) {
    if (taken != free) break;
    ++free;
  }
  if (free >= limit) return false;
  colors_.insert(index = free);
  return true;
}

void HeapViews::giveColor(uint32_t index) {
  std::lock_guard lock(mutex_);
  colors_.erase(index);
}

}  // namespace etzel::icd
