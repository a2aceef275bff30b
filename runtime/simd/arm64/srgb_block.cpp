// AArch64: as byte_table.cpp.
#include "runtime/simd/srgb_block.h"

namespace etzel::simd {

WriteSrgbBlock findWriteSrgbBlock() { return nullptr; }
WriteSrgbBlock findWritePlainBlock() { return nullptr; }

}  // namespace etzel::simd
