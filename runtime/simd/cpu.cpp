#include "runtime/simd/cpu.h"

#include <cstring>

#include "runtime/base/debug_flags.h"
#include "runtime/base/log.h"
#include "runtime/simd/host.h"

namespace etzel::simd {
namespace {

constexpr std::string_view kNames[] = {
#define ETZEL_NAME(name) #name,
    ETZEL_TARGETS(ETZEL_NAME)
#undef ETZEL_NAME
};

const Cpu& hardware() {
  static const Cpu c = detectCpu();
  return c;
}

Cpu allowed() {
  const std::string_view wanted = debugOption(DebugOption::Isa);
  Cpu limited = hardware();
  if (wanted.empty() || limitTo(wanted, limited)) return limited;
  logMessage(LogLevel::Warning, "ETZEL_DEBUG: this host does not run '%.*s'", int(wanted.size()), wanted.data());
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
                         c.avx512dq, c.avx512bw, c.sse42, c.atomics})
    all.push_back(has);
  const std::vector<uint32_t> words = instructionWords();
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace etzel::simd
