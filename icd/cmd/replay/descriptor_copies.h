// What shaders read of descriptor sets in buffers (VK_EXT_descriptor_buffer): copies whose slots are those that bear
// the driver's seal (icd/descriptor/sealed.h), and null for all else. So shaders need no check at all, and what is
// written to the buffer while they run does not reach them.
//
// A buffer's copy begins where it begins, and a slot is looked at once, however many sets it is part of, when a set
// with it is first used in a command buffer, and again behind barriers that show descriptors: 40 instructions for a
// null descriptor, 190 for others. Used by Bindings on its queue's thread.
#pragma once

#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "icd/descriptor/sealed.h"

namespace etzel::icd {

class DescriptorCopies {
 public:
  struct Set {
    std::span<std::byte> slots;         ///< as many as the set has, and the buffer; empty: the address is nobody's
    std::span<const std::byte> buffer;  ///< the application's own bytes from the set on, to the buffer's end
  };
  /// A set of `bytes` at `place`. Its slots stay as they are until forget() or clear(). Throws std::bad_alloc.
  Set read(const std::byte* place, uint64_t bytes);
  /// To be called when the buffers may hold something else, and nothing reads what was given out.
  void forget();
  /// The same, and gives the memory back: the buffers themselves may go.
  void clear() { copies_.clear(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  struct Copy {
    std::span<const std::byte> buffer;
    std::unique_ptr<std::byte, Free> slots;  ///< pages that nobody looked at take no memory
    std::vector<uint64_t> seen;              ///< a bit for each slot
  };
  Copy* copyOf(const std::byte* place, uint64_t bytes);

  std::vector<Copy> copies_;
};

}  // namespace etzel::icd
