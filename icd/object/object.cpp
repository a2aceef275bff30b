#include "icd/object/object.h"

#include <cstdlib>

#include "runtime/base/types.h"

namespace etzel::icd {

void* allocateHost(const VkAllocationCallbacks* callbacks, size_t bytes, size_t alignment,
                   VkSystemAllocationScope scope) {
  if (callbacks && callbacks->pfnAllocation)
    return callbacks->pfnAllocation(callbacks->pUserData, bytes, alignment, scope);
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  return std::aligned_alloc(alignment, alignUp(bytes, alignment));
}

void freeHost(const VkAllocationCallbacks* callbacks, void* memory) {
  if (!memory) return;
  if (callbacks && callbacks->pfnFree)
    callbacks->pfnFree(callbacks->pUserData, memory);
  else
    std::free(memory);
}

}  // namespace etzel::icd
