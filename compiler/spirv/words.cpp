#include "compiler/spirv/words.h"

#include <cstring>
#include <vector>

namespace etzel::spirv {

namespace {

/// The words in this host's order, copied to `copy` where they are not.
std::span<const uint32_t> inOrder(std::span<const uint32_t> words, std::vector<uint32_t>& copy) {
  if (!isSwapped(words)) return words;
  copy.assign(words.begin(), words.end());
  for (uint32_t& w : copy) w = __builtin_bswap32(w);
  return copy;
}

}  // namespace

bool declares(std::span<const uint32_t> given, spv::Capability capability) {
  std::vector<uint32_t> copy;
  const std::span<const uint32_t> words = inOrder(given, copy);
  bool found = false;
  forEach(words, [&](Words inst) {
    const bool isCapability = opOf(inst) == spv::Op::OpCapability;  // the first of all instructions
    found = isCapability && inst.size() > 1 && inst[1] == static_cast<uint32_t>(capability);
    return isCapability && !found;
  });
  return found;
}

bool imports(std::span<const uint32_t> given, std::string_view set) {
  std::vector<uint32_t> copy;
  const std::span<const uint32_t> words = inOrder(given, copy);
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
