// Texel buffers as descriptors of VK_EXT_descriptor_buffer name them: by an address, a size and a format. Slots point
// to a view, and no VkBufferView stands for it; so the device has them, the same one for the same question, for as long
// as it lives, since nobody says when the last copy of a descriptor is gone.
#pragma once

#include <compare>
#include <map>
#include <mutex>

#include "runtime/tex/view.h"

namespace etzel::icd {

/// Makes `view` a texel buffer of whole texels in [memory, memory + bytes).
void setTexelBuffer(tex::ImageView& view, std::byte* memory, uint64_t bytes, VkFormat format,
                    const mem::Residency* residency);

/// Thread safe.
class TexelViews {
 public:
  /// Lives as long as this does. Throws std::bad_alloc.
  const tex::ImageView* find(std::byte* memory, uint64_t bytes, VkFormat format);

 private:
  struct Key {
    std::byte* memory;
    uint64_t bytes;
    VkFormat format;
    const mem::Residency* residency;  ///< of a sparse buffer at that address, which may be the second one there
    auto operator<=>(const Key&) const = default;
  };
  std::mutex mutex_;
  std::map<Key, tex::ImageView> views_;
};

}  // namespace etzel::icd
