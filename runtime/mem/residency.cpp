#include "runtime/mem/residency.h"

#include <algorithm>
#include <bit>
#include <new>

namespace etzel::mem {

std::unique_ptr<Residency> Residency::create(const std::byte* base, uint64_t bytes, uint32_t pageShift) {
  const uint64_t pages = (bytes + (uint64_t{1} << pageShift) - 1) >> pageShift;
  std::unique_ptr<Residency> all(new (std::nothrow) Residency(base, pages, pageShift));
  if (all) all->words_ = static_cast<uint64_t*>(std::calloc((pages + 63) / 64, sizeof(uint64_t)));
  return all && all->words_ ? std::move(all) : nullptr;
}

void Residency::set(uint64_t first, uint64_t count, bool resident) {
  const uint64_t last = std::min(first + count, pages_);
  while (first < last) {
    const uint64_t n = std::min(64 - first % 64, last - first);
    const uint64_t bits = (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << first % 64;
    const uint64_t before = resident ? word(first).fetch_or(bits) : word(first).fetch_and(~bits);
    if (resident)
      absent_ -= static_cast<uint64_t>(std::popcount(bits & ~before));
    else
      absent_ += static_cast<uint64_t>(std::popcount(bits & before));
    first += n;
  }
}

}  // namespace etzel::mem
