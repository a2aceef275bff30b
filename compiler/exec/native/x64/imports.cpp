// What LLVM calls on x86-64: copies, and what the host has no instruction for. All of it is exactly rounded.
#include <cmath>
#include <cstring>
#include <iterator>

#include "compiler/exec/native/code/address_of.h"
#include "compiler/exec/native/code/image.h"

// The compiler's runtime: numbers of 16 bits. Those from binary64 every host would round in two steps; the others are
// called without F16C. How they are called is LLVM's matter.
extern "C" {
void __truncdfhf2();
void __truncsfhf2();
void __extendhfsf2();
}

namespace etzel::native {
namespace {

using OfFloat = float (*)(float);
using OfDouble = double (*)(double);
using OfThree = double (*)(double, double, double);

constexpr const char* kNames[] = {"memset",        "memcpy", "memmove", "__truncdfhf2", "__truncsfhf2",
                                  "__extendhfsf2", "fma",    "floorf",  "ceilf",        "truncf",
                                  "rintf",         "floor",  "ceil",    "trunc",        "rint"};

}  // namespace

std::span<const char* const> importNames() { return kNames; }

const void* importAddress(uint32_t import) {
  static const void* const addresses[] = {addressOf(&std::memset),
                                          addressOf(&std::memcpy),
                                          addressOf(&std::memmove),
                                          addressOf(&__truncdfhf2),
                                          addressOf(&__truncsfhf2),
                                          addressOf(&__extendhfsf2),
                                          addressOf(static_cast<OfThree>(&std::fma)),
                                          addressOf(static_cast<OfFloat>(&std::floor)),
                                          addressOf(static_cast<OfFloat>(&std::ceil)),
                                          addressOf(static_cast<OfFloat>(&std::trunc)),
                                          addressOf(static_cast<OfFloat>(&std::rint)),
                                          addressOf(static_cast<OfDouble>(&std::floor)),
                                          addressOf(static_cast<OfDouble>(&std::ceil)),
                                          addressOf(static_cast<OfDouble>(&std::trunc)),
                                          addressOf(static_cast<OfDouble>(&std::rint))};
  static_assert(std::size(addresses) == std::size(kNames));
  return addresses[import];
}

}  // namespace etzel::native
