#include "icd/cmd/replay/descriptor_copies.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "icd/memory/descriptor_ranges.h"

namespace etzel::icd {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

}  // namespace

DescriptorCopies::Copy* DescriptorCopies::copyOf(const std::byte* place, uint64_t bytes) {
  for (Copy& c : copies_) {
    const std::byte* end = c.buffer.data() + c.buffer.size();
    if (place >= c.buffer.data() && place < end && bytes <= uint64_t(end - place)) return &c;
  }
  Copy made;
  made.buffer = descriptorRangeAt(place);
  if (made.buffer.empty()) return nullptr;
  for (Copy& c : copies_)
    if (c.buffer.data() == made.buffer.data() && c.buffer.size() == made.buffer.size()) return &c;
  const size_t slots = made.buffer.size() / abi::kDescriptorBytes;
  made.slots.reset(static_cast<std::byte*>(std::calloc(slots + 1, abi::kDescriptorBytes)));
  if (!made.slots) throw std::bad_alloc();
  made.seen.resize(slots / 64 + 1);
  return &copies_.emplace_back(std::move(made));
}

DescriptorCopies::Set DescriptorCopies::read(const std::byte* place, uint64_t bytes) {
  Copy* copy = copyOf(place, bytes);
  const uint64_t offset = copy ? uint64_t(place - copy->buffer.data()) : 0;
  // Between slots there are no descriptors ("descriptorBufferOffsetAlignment").
  if (!copy || offset % abi::kDescriptorBytes) return {};
  const size_t first = offset / abi::kDescriptorBytes;
  const size_t end = std::min<size_t>(offset + bytes, copy->buffer.size()) / abi::kDescriptorBytes;
  for (size_t i = first; i < end; ++i) {
    uint64_t& seen = copy->seen[i / 64];
    const uint64_t bit = uint64_t{1} << i % 64;
    if (i % 64 == 0 && seen == kAll) i += 63;  // the whole word's
    if (seen & bit) continue;
    SealedDescriptor sealed;
    std::memcpy(&sealed, copy->buffer.data() + i * abi::kDescriptorBytes, sizeof sealed);
    unseal(sealed, copy->slots.get() + i * abi::kDescriptorBytes);
    seen |= bit;
  }
  return {{copy->slots.get() + first * abi::kDescriptorBytes, (std::max(end, first) - first) * abi::kDescriptorBytes},
          copy->buffer.subspan(offset)};
}

void DescriptorCopies::forget() {
  for (Copy& c : copies_) std::fill(c.seen.begin(), c.seen.end(), 0);
}

}  // namespace etzel::icd
