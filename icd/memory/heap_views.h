// What descriptors of heaps point to (VK_EXT_descriptor_heap). They are written from create infos, and no object of the
// application stands for the view or sampler; so the device has them, the same one for the same create info: samplers
// for as long as it lives, views until their image goes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "icd/memory/sampler_record.h"

namespace etzel::icd {

/// Thread safe. Those that return objects throw std::bad_alloc.
class HeapViews {
 public:
  const ImageView& find(const VkImageViewCreateInfo& info);
  const tex::Sampler& find(const VkSamplerCreateInfo& info);
  /// The image goes, and its views with it.
  void forget(const Image* image);
  /// Whether a view that a descriptor points to is still there.
  bool has(const tex::ImageView* view);

  /// vkRegisterCustomBorderColorEXT: samplers carry their colours, so a registration is a number that is taken.
  /// \returns false where `index` is taken already
  bool takeColor(uint32_t index);
  /// \returns false where there are no more than `limit`
  bool takeAnyColor(uint32_t limit, uint32_t& index);
  void giveColor(uint32_t index);

 private:
  using Key = std::vector<uint32_t>;  ///< all that a create info says
  std::mutex mutex_;
  std::map<const Image*, std::map<Key, ImageView>> views_;
  std::set<const tex::ImageView*> known_;
  std::map<SamplerRecord, tex::Sampler> samplers_;
  std::set<uint32_t> colors_;
};

}  // namespace etzel::icd
