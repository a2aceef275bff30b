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

Cpu detect() {
  Cpu c;
  unsigned a, b, features, d, extended = 0, advanced = 0;
  if (!__get_cpuid(1, &a, &b, &features, &d)) return c;
  if (__get_cpuid_count(7, 0, &a, &b, &d, &d)) advanced = b;
  if (__get_cpuid(0x80000001, &a, &b, &d, &extended)) extended = d;
  const auto has = [](unsigned word, int bit) { return (word >> bit & 1) != 0; };
  const uint64_t saved = has(features, 27) ? savedState() : 0;
  const bool vectors = has(features, 28) && (saved & 0x06) == 0x06, wide = vectors && (saved & 0xE0) == 0xE0;
  c.avx2 = vectors && has(advanced, 5);
  c.fma = vectors && has(features, 12);
  c.f16c = vectors && has(features, 29);
  c.bmi = has(advanced, 3), c.bmi2 = has(advanced, 8);
  c.lzcnt = has(extended, 5), c.popcnt = has(features, 23), c.movbe = has(features, 22);
  c.avx512f = wide && has(advanced, 16), c.avx512dq = wide && has(advanced, 17);
  c.avx512bw = wide && has(advanced, 30), c.avx512vl = wide && has(advanced, 31);
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
  // Without what differs between the cores of one processor, or between two moments: the numbers of cores and threads
  // in leaf 1, sizes of saved state in leaf 13.
  struct Leaf {
    unsigned leaf, subleaf;
    bool a, b, c, d;
  };
  constexpr Leaf kLeaves[] = {{0, 0, false, true, true, true},           {1, 0, true, false, true, true},
                              {7, 0, false, true, true, true},           {7, 1, true, true, true, true},
                              {13, 1, true, false, false, false},        {0x14, 0, false, true, false, false},
                              {0x19, 0, false, true, false, false},      {0x24, 0, true, true, false, false},
                              {0x80000001, 0, false, false, true, true}, {0x80000008, 0, false, true, false, false}};
  for (const Leaf& l : kLeaves) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(l.leaf, l.subleaf, &a, &b, &c, &d))
      for (const unsigned word : {l.a ? a : 0, l.b ? b : 0, l.c ? c : 0, l.d ? d : 0}) all.push_back(word);
  }
  unsigned a, b, features = 0, d;
  const uint64_t saved = __get_cpuid(1, &a, &b, &features, &d) && features >> 27 & 1 ? savedState() : 0;
  all.push_back(uint32_t(saved)), all.push_back(uint32_t(saved >> 32));
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
