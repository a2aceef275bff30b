#include "texels.h"

#include <bit>

namespace vkbench {

std::vector<uint32_t> noiseOf(const Texels& t, uint64_t blocks, uint64_t seed) {
  Random random(seed);
  std::vector<uint32_t> words((blocks * t.bytes + 3) / 4);
  for (uint32_t& w : words) switch (t.numbers) {
      case Numbers::Codes: w = random.word(); break;
      case Numbers::Halves: w = uint32_t{halfOf(0.001f + random.unit())} << 16 | halfOf(0.001f + random.unit()); break;
      case Numbers::Floats:
      case Numbers::Depths: w = std::bit_cast<uint32_t>(random.unit()); break;
    }
  return words;
}

}  // namespace vkbench
