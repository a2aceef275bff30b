// What compiled code is given of itself, with every call: abi::Executable::code.
#pragma once

#include <atomic>

#include "runtime/abi/kernel.h"

namespace etzel::native {

struct CodeHeader {
  /// Runs an instruction in the interpreter, of the code `self`.
  void (*step)(const void* self, uint32_t index, abi::Warp* warp, uint32_t lanes);
  const void* self;
  std::atomic<const abi::Executable*> otherwise;  ///< where code is for what is bound: what runs if something else is
};
static_assert(sizeof(CodeHeader::otherwise) == sizeof(void*), "code loads it as a pointer");

}  // namespace etzel::native
