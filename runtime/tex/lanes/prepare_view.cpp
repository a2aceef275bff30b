// What the eight-lane paths know of a view, computed once.
#include "runtime/base/assert.h"
#include "runtime/format/texel_layout.h"
#include "runtime/tex/view.h"

namespace etzel::tex {
namespace {

using format::TexelLayout;

/// Offsets of texels are signed 32-bit numbers.
constexpr uint64_t kReach = uint64_t{1} << 31;

bool prepareImage(ImageView& v) {
  const mem::PlaneLayout& p = *v.plane;
  if (v.info->blockWidth != p.blockWidth || v.info->blockHeight != p.blockHeight || p.blockDepth > 1) return false;
  if (v.samples > 1 && !v.info->isColor()) return false;  // samples of depth may have no texels
  if (p.layerPitch >= kReach || v.minLod > 0 || v.mipCount == 0) return false;
  const bool sliced = v.depthCount > 0;
  const uint64_t reach = v.samples > 1 ? v.layout->size : p.layerPitch * (sliced ? 1 : v.layerCount);
  if (reach >= kReach) return false;
  // Places in compressed images are numbers of blocks and eight bits that say where in the block.
  if (v.info->compression != format::Compression::None && reach / v.info->blockBytes >= kReach >> 8) return false;
  v.lanes.base = v.memory + p.offset + (sliced ? 0 : v.baseLayer) * p.layerPitch;
  v.lanes.layerPitch = static_cast<int32_t>(p.layerPitch);
  return true;
}

bool prepareBuffer(ImageView& v) {
  if (v.bufferBytes >= kReach || v.bufferBytes < v.info->blockBytes) return false;
  v.lanes.bias = static_cast<int32_t>(reinterpret_cast<uintptr_t>(v.memory) & 3);
  v.lanes.base = v.memory - v.lanes.bias;
  v.lanes.bufferTexels = static_cast<int32_t>(v.bufferBytes / v.info->blockBytes);
  return true;
}

/// \pre v.lanes is complete
void prepareDirect(ImageView& v) {
  ETZEL_ASSERT(v.lanes.base != nullptr);
  const bool swapped = v.lanes.layout == TexelLayout::Bgra8;
  if (!v.layout || v.type != VK_IMAGE_VIEW_TYPE_2D || v.samples > 1 || !v.identitySwizzle) return;
  if (v.lanes.layout != TexelLayout::Rgba8 && !swapped) return;
  const mem::MipLayout& m = v.plane->mip[v.baseMip];
  v.direct.texels = v.lanes.base + m.offset + v.baseDepth * m.slicePitch;
  v.direct.width = m.width, v.direct.height = m.height;
  v.direct.rowPitch = static_cast<int32_t>(m.rowPitch);
  v.direct.redShift = swapped ? 16 : 0;
  v.direct.format = abi::DirectTexels::Format::Unorm8888;
}

}  // namespace

void prepare(ImageView& v) {
  v.lanes = {}, v.direct = {};
  if (!v.memory || !v.info || v.integers) return;
  const format::FormatInfo& f = *v.info;
  const bool blocks = f.compression != format::Compression::None;
  if ((!blocks && (f.blockWidth != 1 || !v.decode)) || f.planes > 1 || f.channel[0].bits == 64) return;
  if (!(v.layout ? v.plane && prepareImage(v) : prepareBuffer(v))) return;
  v.lanes.unity = f.isInteger() ? 1 : 0x3F800000u;
  v.lanes.missingAlpha = f.channel[3].bits ? 0 : v.lanes.unity;
  v.lanes.layout = f.layout;
  prepareDirect(v);
}

}  // namespace etzel::tex
