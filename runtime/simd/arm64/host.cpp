// AArch64: what the kernel says of the processor in the auxiliary vector.
#include "runtime/simd/host.h"

#include <sys/auxv.h>

#include <cstdio>

namespace etzel::simd {
namespace {

constexpr unsigned long kHasAtomics = 1 << 8, kHasIdentity = 1 << 11;  // HWCAP_ATOMICS, HWCAP_CPUID

/// Who made the processor, and which one it is: MIDR_EL1, which the kernel reads for programs.
uint64_t identity() {
  uint64_t word = 0;
  if (getauxval(AT_HWCAP) & kHasIdentity) asm("mrs %0, midr_el1" : "=r"(word));
  return word;
}

}  // namespace

Cpu detectCpu() {
  Cpu c;
  c.atomics = getauxval(AT_HWCAP) & kHasAtomics;
  return c;
}

bool limitTo(std::string_view machine, Cpu& cpu) {
  cpu = {};
  return machine == "neon";
}

std::vector<uint32_t> instructionWords() { return {}; }  // code is made for the features in `Cpu` alone

std::string processorName() {
  const auto word = static_cast<uint32_t>(identity());
  if (!word) return "AArch64";
  char text[64];
  std::snprintf(text, sizeof text, "AArch64, implementer 0x%02x, part 0x%03x", word >> 24, word >> 4 & 0xFFF);
  return text;
}

}  // namespace etzel::simd
