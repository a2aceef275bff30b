// What LLVM calls on AArch64: copies alone, since all arithmetic is instructions.
#include <cstring>
#include <iterator>

#include "compiler/exec/native/code/address_of.h"
#include "compiler/exec/native/code/image.h"

namespace etzel::native {
namespace {

constexpr const char* kNames[] = {"memset", "memcpy", "memmove"};

}  // namespace

std::span<const char* const> importNames() { return kNames; }

const void* importAddress(uint32_t import) {
  static const void* const addresses[] = {addressOf(&std::memset), addressOf(&std::memcpy), addressOf(&std::memmove)};
  static_assert(std::size(addresses) == std::size(kNames));
  return addresses[import];
}

}  // namespace etzel::native
