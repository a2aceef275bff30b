#include "icd/memory/sparse_range.h"

#include <sys/mman.h>

#include <bit>
#include <map>
#include <mutex>
#include <new>

#include "icd/object/aliased_memory.h"
#include "icd/object/captured_addresses.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

/// Ranges that may lack memory, by their first byte.
struct PartialRanges {
  std::mutex mutex;
  std::map<const std::byte*, const SparseRange*> all;
};
PartialRanges& partialRanges() {
  static PartialRanges* ranges = new PartialRanges;  // ranges may go while the process ends
  return *ranges;
}

}  // namespace

const mem::Residency* residencyAt(const std::byte* address) {
  PartialRanges& ranges = partialRanges();
  std::lock_guard lock(ranges.mutex);
  auto next = ranges.all.upper_bound(address);
  if (next == ranges.all.begin()) return nullptr;
  const SparseRange& range = *std::prev(next)->second;
  return address < range.data() + range.bytes() ? range.residency() : nullptr;
}

std::unique_ptr<SparseRange> SparseRange::reserve(uint64_t bytes, bool partial) {
  return of(mapNothing(nullptr, bytes), bytes, partial);
}

std::unique_ptr<SparseRange> SparseRange::reserveForReplay(uint64_t at, uint64_t bytes, bool partial) {
  std::byte* data = mapForReplay(at, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (data && !mapNothing(data, bytes)) {
    munmap(data, bytes);
    return nullptr;
  }
  return of(data, bytes, partial);
}

std::unique_ptr<SparseRange> SparseRange::of(std::byte* data, uint64_t bytes, bool partial) {
  if (!data) return nullptr;
  std::unique_ptr<SparseRange> range(new (std::nothrow) SparseRange(data, bytes));
  if (!range) {
    munmap(data, bytes);
    return nullptr;
  }
  if (partial && !mutated(Mutant::ResidencyCode)) {
    PartialRanges& ranges = partialRanges();  // may throw the first time: the destructor of what has residency must not
    range->residency_ = mem::Residency::create(data, bytes, static_cast<uint32_t>(std::countr_zero(hostPageBytes())));
    if (!range->residency_) return nullptr;
    std::lock_guard lock(ranges.mutex);
    ranges.all.emplace(data, range.get());
  }
  return range;
}

SparseRange::~SparseRange() {
  if (residency_) {
    PartialRanges& ranges = partialRanges();
    std::lock_guard lock(ranges.mutex);
    ranges.all.erase(data_);
  }
  munmap(data_, bytes_);
}

bool SparseRange::bind(uint64_t offset, uint64_t bytes, std::byte* memory) {
  if (mutated(Mutant::SparseUnbind) && !memory) return true;
  if (!(memory ? mapAgain(memory, bytes, data_ + offset) : mapNothing(data_ + offset, bytes) != nullptr)) return false;
  if (residency_) residency_->set(offset / hostPageBytes(), bytes / hostPageBytes(), memory != nullptr);
  if (bindings_) memory ? bindings_->bind(data_ + offset, bytes) : bindings_->unbind(data_ + offset, bytes);
  return true;
}

}  // namespace etzel::icd
