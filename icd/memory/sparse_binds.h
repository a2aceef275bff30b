// What vkQueueBindSparse names, as mappings ("Sparse Resource Binding").
#pragma once

#include <span>
#include <vector>

#include "icd/memory/resources.h"

namespace etzel::icd {

/// Appends what binds do: of bytes of a resource, or of blocks of an image. One that names what is not there is left
/// out, and reported. `range` is null for resources that are not sparse.
void appendBinds(SparseRange* range, std::span<const VkSparseMemoryBind> binds, std::vector<SparseBind>& out);
void appendBinds(const Image& image, std::span<const VkSparseImageMemoryBind> binds, std::vector<SparseBind>& out);

}  // namespace etzel::icd
