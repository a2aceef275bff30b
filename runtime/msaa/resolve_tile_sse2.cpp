// resolve_tile.h for every x86-64 machine.
#include "runtime/msaa/resolve_tile.h"

namespace etzel::msaa {
namespace {
#include "runtime/msaa/resolve_tile.inl.h"
}  // namespace
void averageTilesSse2(const FragmentSurface& surface, uint32_t tile, uint32_t count, std::byte* out, size_t outPitch) {
  averageTiles(surface, tile, count, out, outPitch);
}
}  // namespace etzel::msaa
