// AArch64: group by group.
#include "runtime/simd/texel_block.h"

namespace etzel::simd {

StoreTexelBlock findStoreTexelBlock(BlockTexel) { return nullptr; }

}  // namespace etzel::simd
