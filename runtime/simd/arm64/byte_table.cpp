// AArch64: tables of registers have 64 bytes, so that a word takes as many instructions as the loads that it saves.
#include "runtime/simd/byte_table.h"

namespace etzel::simd {

LookUpBytes findLookUpBytes() { return nullptr; }

}  // namespace etzel::simd
