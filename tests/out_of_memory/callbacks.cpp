#include "tests/out_of_memory/callbacks.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace oom {

Callbacks::Callbacks() {
  callbacks_.pUserData = this;
  callbacks_.pfnAllocation = [](void* self, size_t bytes, size_t alignment, VkSystemAllocationScope) {
    return static_cast<Callbacks*>(self)->give(bytes, alignment);
  };
  callbacks_.pfnReallocation = [](void* self, void* old, size_t bytes, size_t alignment, VkSystemAllocationScope) {
    return static_cast<Callbacks*>(self)->change(old, bytes, alignment);
  };
  callbacks_.pfnFree = [](void* self, void* p) { static_cast<Callbacks*>(self)->take(p); };
}

void Callbacks::arm(Mode mode, uint64_t nth) {
  mode_ = mode;
  firstFailing_ = nth;
  requests_ = failures_ = 0;
  armed_ = true;
}

void* Callbacks::give(size_t bytes, size_t alignment) {
  if (armed_) {
    const uint64_t n = requests_.fetch_add(1);
    if (mode_ == Mode::Once ? n == firstFailing_ : mode_ == Mode::FromThenOn && n >= firstFailing_) {
      ++failures_;
      return nullptr;
    }
  }
  void* p = memalign(std::max(alignment, sizeof(void*)), std::max<size_t>(bytes, 1));
  if (p) ++held_;
  return p;
}

void* Callbacks::change(void* old, size_t bytes, size_t alignment) {
  void* p = bytes ? give(bytes, alignment) : nullptr;
  if (bytes && !p) return nullptr;
  if (p && old) std::memcpy(p, old, std::min(bytes, malloc_usable_size(old)));
  take(old);
  return p;
}

void Callbacks::take(void* p) {
  if (!p) return;
  --held_;
  std::free(p);
}

}  // namespace oom
