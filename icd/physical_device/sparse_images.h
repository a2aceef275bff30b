// Which images can be sparse, and how memory is bound to them ("Sparse Resources"). mem::ImageShape::blockPage says how
// images with partial residency lie: a block is a page of one row of texels (with several samples, of each of them),
// which is no standard block shape. So everything that knows rows of texels works on them as on any other image, and
// neighbouring blocks whose memory is contiguous take one mapping together.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "runtime/mem/image_layout.h"

namespace etzel::icd {

/// Alignment of what is bound as a whole: buffers, and images without partial residency.
inline constexpr uint64_t kSparseBlockBytes = 64 * 1024;

/// mem::ImageShape::blockPage of an image.
uint64_t blockPageOf(VkImageCreateFlags flags);

/// Texels of a block of a plane.
VkExtent3D granularityOf(const mem::ImageLayout& layout, const mem::PlaneLayout& plane);

/// Whether sparse images with these flags can be made of the format at all. Flags without sparseness always can.
bool sparseImageAllowed(VkImageCreateFlags flags, VkFormat format, VkImageType type, VkImageTiling tiling);

/// "Sparse Image Memory Requirements", of every aspect. Nothing where blockPage is 0.
std::vector<VkSparseImageMemoryRequirements> sparseRequirements(const mem::ImageLayout& layout);

}  // namespace etzel::icd
