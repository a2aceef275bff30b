#include "compiler/spirv/words.h"

#include <cstring>
#include <vector>

namespace etzel::spirv {

bool declares(std::span<const uint32_t> words, spv::Capability capability) {
  bool found = false;
  forEach(words, [&](Words inst) {
    const bool isCapability = opOf(inst) == spv::Op::OpCapability;  // the first of all instructions
    found = isCapability && inst.size() > 1 && inst[1] == static_cast<uint32_t>(capability);
    return isCapability && !found;
  });
  return found;
}

bool imports(std::span<const uint32_t> words, std::string_view set) {
  if (isSwapped(words)) {
    std::vector<uint32_t> inOrder(words.begin(), words.end());
    for (uint32_t& w : inOrder) w = __builtin_bswap32(w);
    return imports(inOrder, set);
  }
  bool found = false;
  forEach(words, [&](Words inst) {
    const spv::Op op = opOf(inst);
    // The name ends with a zero, within its last word.
    const auto* name = reinterpret_cast<const char*>(inst.data() + 2);
    found = op == spv::Op::OpExtInstImport && inst.size_bytes() > 8 + set.size() &&
            std::memcmp(name, set.data(), set.size()) == 0 && name[set.size()] == 0;
    return !found && op != spv::Op::OpMemoryModel;  // "Logical Layout of a Module": imports stand before that
  });
  return found;
}

}  // namespace etzel::spirv
