// Addresses of functions as data, which is what images have of them.
#pragma once

#include <cstdint>

namespace etzel::native {

template <class F>
const void* addressOf(F* function) {
  return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(function));
}

}  // namespace etzel::native
