// Quick code for x86-64 with AVX2 and FMA.
#include "compiler/exec/quick/host.h"

#include "compiler/exec/quick/x64/generator.h"

namespace etzel::quick {

Generate hostGenerator() {
  static const bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return runs ? x64::generate : nullptr;
}

}  // namespace etzel::quick
