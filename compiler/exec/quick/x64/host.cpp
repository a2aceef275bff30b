// Quick code for x86-64 with AVX2 and FMA.
#include "compiler/exec/quick/host.h"

#include "compiler/exec/quick/x64/generator.h"
#include "runtime/simd/cpu.h"

namespace etzel::quick {

Generate hostGenerator() {
  const simd::Cpu& cpu = simd::cpu();
  return cpu.avx2 && cpu.fma ? x64::generate : nullptr;
}

}  // namespace etzel::quick
