#include "runtime/simd/cpu.h"

#include <cpuid.h>

#include <cstring>

#include "runtime/base/debug_flags.h"
#include "runtime/base/log.h"

namespace etzel::simd {
namespace {

constexpr std::string_view kNames[] = {
#define ETZEL_NAME(name) #name,
    ETZEL_TARGETS(ETZEL_NAME)
#undef ETZEL_NAME
};

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

Cpu detect() {
  Cpu c;
  const Leaves& l = leaves();
  const auto has = [](unsigned word, int bit) { return (word >> bit & 1) != 0; };
  const bool vectors = has(l.ecx1, 28) && (l.saved & 0x06) == 0x06, wide = vectors && (l.saved & 0xE0) == 0xE0;
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

const Cpu& hardware() {
  static const Cpu c = detect();
  return c;
}

/// `c` as far as `most` goes.
Cpu limited(Cpu c, Target most) {
  c.avx512f = c.avx512vl = c.avx512dq = c.avx512bw = false;
  if (most == Target::x86_64_v1) c = {};
  return c;
}

Cpu allowed() {
  const std::string_view wanted = debugOption(DebugOption::Isa);
  if (wanted.empty()) return hardware();
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (wanted != kNames[i]) continue;
    if (hostRuns(static_cast<Target>(i))) return limited(hardware(), static_cast<Target>(i));
    logMessage(LogLevel::Warning, "ETZEL_DEBUG: this host does not run %s", kNames[i].data());
    return hardware();
  }
  logMessage(LogLevel::Warning, "ETZEL_DEBUG: no target is called '%.*s'", int(wanted.size()), wanted.data());
  return hardware();
}

}  // namespace

const Cpu& cpu() {
  static const Cpu c = allowed();
  return c;
}

bool hostRuns(Target target) { return target <= hardware().target; }

std::string_view targetName(Target target) { return kNames[static_cast<size_t>(target)]; }

std::vector<uint32_t> codeFingerprint() {
  const Cpu& c = cpu();
  std::vector<uint32_t> all{uint32_t(c.target)};
  for (const bool has : {c.avx2, c.fma, c.f16c, c.bmi, c.bmi2, c.lzcnt, c.popcnt, c.movbe, c.avx512f, c.avx512vl,
                         c.avx512dq, c.avx512bw})
    all.push_back(has);
  const Leaves& l = leaves();
  for (const unsigned word : {l.signature, l.ecx1, l.edx1, l.ebx7, l.ecx7, l.edx7, l.eax71, l.ebx71, l.ecx71, l.edx71,
                              l.ecxExtended, l.edxExtended, unsigned(l.saved), unsigned(l.saved >> 32)})
    all.push_back(word);
  return all;
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
