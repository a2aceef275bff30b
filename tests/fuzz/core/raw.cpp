#include "tests/fuzz/core/raw.h"

#include <algorithm>
#include <cstring>

namespace etzel::fuzz {

uint32_t interesting(Random& random) {
  static constexpr uint32_t kNumbers[] = {
      0,          1,          2,          3,          4,          8,          16,         31,
      32,         63,         64,         127,        128,        255,        256,        1023,
      1024,       1025,       0x7FFF,     0xFFFF,     0x10000,    0x7FFFFFFF, 0x80000000, 0x80000001,
      0xFFFFFFFE, 0xFFFFFFFF, 0x00000001, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
      0x7F7FFFFF, 0x00800000, 0x4F000000, 0x5F000000, 0x3F7FFFFF, 0x33800000, 0x40000000, 0x10000000};
  switch (pick(random, 4)) {
    case 0: return random();
    case 1: return 1u << pick(random, 32);
    default: return kNumbers[pick(random, std::size(kNumbers))];
  }
}

void mutateRaw(Bytes& input, const Bytes& other, Random& random) {
  if (input.empty()) {
    input = other;
    return;
  }
  const size_t at = pick(random, input.size());
  const size_t word = at & ~size_t{3};
  const size_t count = std::min<size_t>(1 + pick(random, 32), input.size() - at);
  switch (pick(random, 8)) {
    case 0: input[at] ^= uint8_t(1u << pick(random, 8)); break;
    case 1: input[at] = uint8_t(random()); break;
    case 2:
    case 3:
      if (const uint32_t number = interesting(random); word + 4 <= input.size())
        std::memcpy(input.data() + word, &number, 4);
      break;
    case 4: input.erase(input.begin() + ptrdiff_t(at), input.begin() + ptrdiff_t(at + count)); break;
    case 5: {
      const Bytes repeated(input.begin() + ptrdiff_t(at), input.begin() + ptrdiff_t(at + count));
      input.insert(input.begin() + ptrdiff_t(at), repeated.begin(), repeated.end());
      break;
    }
    case 6:
      if (word + 4 <= input.size()) {
        uint32_t number;
        std::memcpy(&number, input.data() + word, 4);
        number += pick(random, 33) - 16;
        std::memcpy(input.data() + word, &number, 4);
      }
      break;
    default:
      if (!other.empty()) {
        const size_t from = pick(random, other.size());
        const size_t copied = std::min(count, other.size() - from);
        std::copy_n(other.begin() + ptrdiff_t(from), copied, input.begin() + ptrdiff_t(at));
      }
  }
}

uint64_t digest(std::span<const uint8_t> bytes, uint64_t before) {
  for (const uint8_t byte : bytes) before = (before ^ byte) * 0x100000001b3ull;
  return before;
}

}  // namespace etzel::fuzz
