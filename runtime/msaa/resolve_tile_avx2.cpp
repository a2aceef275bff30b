// resolve_tile.h for machines with AVX2. Headers come before the target changes.
#include "runtime/msaa/resolve_tile.h"

#pragma GCC push_options
#pragma GCC target("avx2")
namespace etzel::msaa {
namespace {
#include "runtime/msaa/resolve_tile.inl.h"
}  // namespace
void averageTilesAvx2(const FragmentSurface& surface, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch) {
  averageTiles(surface, tile, count, out, outPitch);
}
}  // namespace etzel::msaa
#pragma GCC pop_options
