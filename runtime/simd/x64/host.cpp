// x86-64: what CPUID says.
#include "runtime/simd/host.h"

#include <cpuid.h>

#include <cstring>

namespace etzel::simd {
namespace {

/// Parts of the register file that the system saves (XCR0).
uint64_t savedState() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | uint64_t{high} << 32;
}

/// What the processor says of its instructions: words of leaves 1, 7, 7.1 and 0x80000001 that are the same on all of
/// its cores. Read once: under a hypervisor a question takes 5 us.
struct Leaves {
  unsigned signature = 0, ecx1 = 0, edx1 = 0;
  unsigned ebx7 = 0, ecx7 = 0, edx7 = 0;
  unsigned eax71 = 0, ebx71 = 0, ecx71 = 0, edx71 = 0;
  unsigned ecxExtended = 0, edxExtended = 0;
  uint64_t saved = 0;  ///< savedState()
};

Leaves readLeaves() {
  Leaves l;
  unsigned a, b, c, d;
  const unsigned last = __get_cpuid_max(0, nullptr), lastExtended = __get_cpuid_max(0x80000000, nullptr);
  if (last < 1) return l;
  __cpuid(1, l.signature, b, l.ecx1, l.edx1);
  if (last >= 7) {
    __cpuid_count(7, 0, a, l.ebx7, l.ecx7, l.edx7);
    if (a >= 1) __cpuid_count(7, 1, l.eax71, l.ebx71, l.ecx71, l.edx71);
  }
  if (lastExtended >= 0x80000001) {
    __cpuid(0x80000001, a, b, c, d);
    l.ecxExtended = c, l.edxExtended = d;
  }
  if (l.ecx1 >> 27 & 1) l.saved = savedState();
  return l;
}

const Leaves& leaves() {
  static const Leaves l = readLeaves();
  return l;
}

}  // namespace

Cpu detectCpu() {
  Cpu c;
  const Leaves& l = leaves();
  const auto has = [](unsigned word, int bit) { return (word >> bit & 1) != 0; };
  const bool vectors = has(l.ecx1, 28) && (l.saved & 0x06) == 0x06, wide = vectors && (l.saved & 0xE0) == 0xE0;
  c.sse42 = has(l.ecx1, 0) && has(l.ecx1, 9) && has(l.ecx1, 19) && has(l.ecx1, 20) && has(l.ecx1, 23);
  c.avx2 = vectors && has(l.ebx7, 5);
  c.fma = vectors && has(l.ecx1, 12);
  c.f16c = vectors && has(l.ecx1, 29);
  c.bmi = has(l.ebx7, 3), c.bmi2 = has(l.ebx7, 8);
  c.lzcnt = has(l.ecxExtended, 5), c.popcnt = has(l.ecx1, 23), c.movbe = has(l.ecx1, 22);
  c.avx512f = wide && has(l.ebx7, 16), c.avx512dq = wide && has(l.ebx7, 17);
  c.avx512bw = wide && has(l.ebx7, 30), c.avx512vl = wide && has(l.ebx7, 31);
  if (c.avx2 && c.fma && c.f16c && c.bmi && c.bmi2 && c.lzcnt && c.popcnt && c.movbe) c.target = Target::x86_64_v3;
  return c;
}

bool limitTo(std::string_view machine, Cpu& cpu) {
  const Cpu host = cpu;
  if (machine == "x86_64_v1") {
    cpu = {};
    return true;
  }
  if (machine == "x86_64_v2") {
    cpu = {};
    cpu.sse42 = cpu.popcnt = host.sse42;
    return host.sse42;
  }
  cpu.avx512f = cpu.avx512vl = cpu.avx512dq = cpu.avx512bw = false;
  return machine == "x86_64_v3" && host.target == Target::x86_64_v3;
}

std::vector<uint32_t> instructionWords() {
  const Leaves& l = leaves();
  return {l.signature,
          l.ecx1,
          l.edx1,
          l.ebx7,
          l.ecx7,
          l.edx7,
          l.eax71,
          l.ebx71,
          l.ecx71,
          l.edx71,
          l.ecxExtended,
          l.edxExtended,
          unsigned(l.saved),
          unsigned(l.saved >> 32)};
}

std::string processorName() {
  unsigned regs[12] = {};
  if (static_cast<unsigned>(__get_cpuid_max(0x80000000, nullptr)) < 0x80000004) return "x86-64";
  for (unsigned i = 0; i < 3; ++i)
    __get_cpuid(0x80000002 + i, &regs[4 * i], &regs[4 * i + 1], &regs[4 * i + 2], &regs[4 * i + 3]);
  char text[49] = {};
  std::memcpy(text, regs, 48);
  std::string name = text;
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

}  // namespace etzel::simd
