// What the eight-lane paths know of a view, computed once.
#include "runtime/base/assert.h"
#include "runtime/tex/view.h"

namespace etzel::tex {
namespace {

QuickFormat quickFormatOf(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_A8B8G8R8_UNORM_PACK32: return QuickFormat::Rgba8;
    case VK_FORMAT_B8G8R8A8_UNORM: return QuickFormat::Bgra8;
    case VK_FORMAT_R8G8B8A8_SRGB:
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32: return QuickFormat::Rgba8Srgb;
    case VK_FORMAT_B8G8R8A8_SRGB: return QuickFormat::Bgra8Srgb;
    case VK_FORMAT_R8G8B8A8_SNORM:
    case VK_FORMAT_A8B8G8R8_SNORM_PACK32: return QuickFormat::Rgba8Snorm;
    case VK_FORMAT_R8G8B8A8_UINT:
    case VK_FORMAT_A8B8G8R8_UINT_PACK32: return QuickFormat::Rgba8Uint;
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_A8B8G8R8_SINT_PACK32: return QuickFormat::Rgba8Sint;
    case VK_FORMAT_R8_UNORM: return QuickFormat::R8;
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_S8_UINT: return QuickFormat::R8Uint;
    case VK_FORMAT_R8G8_UNORM: return QuickFormat::Rg8;
    case VK_FORMAT_R16_UNORM:
    case VK_FORMAT_D16_UNORM: return QuickFormat::R16;
    case VK_FORMAT_R16G16_UNORM: return QuickFormat::Rg16;
    case VK_FORMAT_R16G16B16A16_UNORM: return QuickFormat::Rgba16;
    case VK_FORMAT_R16_SFLOAT: return QuickFormat::R16F;
    case VK_FORMAT_R16G16_SFLOAT: return QuickFormat::Rg16F;
    case VK_FORMAT_R16G16B16A16_SFLOAT: return QuickFormat::Rgba16F;
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_D32_SFLOAT: return QuickFormat::R32;
    case VK_FORMAT_R32G32_SFLOAT:
    case VK_FORMAT_R32G32_UINT:
    case VK_FORMAT_R32G32_SINT: return QuickFormat::Rg32;
    case VK_FORMAT_R32G32B32A32_SFLOAT:
    case VK_FORMAT_R32G32B32A32_UINT:
    case VK_FORMAT_R32G32B32A32_SINT: return QuickFormat::Rgba32;
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32: return QuickFormat::Rgb10A2;
    case VK_FORMAT_A2R10G10B10_UNORM_PACK32: return QuickFormat::Bgr10A2;
    case VK_FORMAT_B10G11R11_UFLOAT_PACK32: return QuickFormat::Rg11B10F;
    case VK_FORMAT_E5B9G9R9_UFLOAT_PACK32: return QuickFormat::Rgb9E5;
    case VK_FORMAT_X8_D24_UNORM_PACK32: return QuickFormat::D24;
    default: return QuickFormat::Decoded;
  }
}

/// Offsets of texels are signed 32-bit numbers.
constexpr uint64_t kReach = uint64_t{1} << 31;

bool prepareImage(ImageView& v) {
  const mem::PlaneLayout& p = *v.plane;
  if (v.info->blockWidth != p.blockWidth || v.info->blockHeight != p.blockHeight) return false;
  if (v.samples > 1 && !v.info->isColor()) return false;  // samples of depth may have no texels
  if (p.layerPitch >= kReach || v.minLod > 0 || v.mipCount == 0) return false;
  const bool sliced = v.depthCount > 0;
  const uint64_t reach = v.samples > 1 ? v.layout->size : p.layerPitch * (sliced ? 1 : v.layerCount);
  if (reach >= kReach) return false;
  // Places in compressed images are numbers of blocks and eight bits that say where in the block.
  if (v.info->compression != format::Compression::None && reach / v.info->blockBytes >= kReach >> 8) return false;
  v.quick.base = v.memory + p.offset + (sliced ? 0 : v.baseLayer) * p.layerPitch;
  v.quick.layerPitch = static_cast<int32_t>(p.layerPitch);
  return true;
}

bool prepareBuffer(ImageView& v) {
  if (v.bufferBytes >= kReach || v.bufferBytes < v.info->blockBytes) return false;
  v.quick.bias = static_cast<int32_t>(reinterpret_cast<uintptr_t>(v.memory) & 3);
  v.quick.base = v.memory - v.quick.bias;
  v.quick.bufferTexels = static_cast<int32_t>(v.bufferBytes / v.info->blockBytes);
  return true;
}

/// \pre v.quick is complete
void prepareDirect(ImageView& v) {
  ETZEL_ASSERT(v.quick.base != nullptr);
  const bool swapped = v.quick.format == QuickFormat::Bgra8;
  if (!v.layout || v.type != VK_IMAGE_VIEW_TYPE_2D || v.samples > 1 || !v.identitySwizzle) return;
  if (v.quick.format != QuickFormat::Rgba8 && !swapped) return;
  const mem::MipLayout& m = v.plane->mip[v.baseMip];
  v.direct.texels = v.quick.base + m.offset + v.baseDepth * m.slicePitch;
  v.direct.width = m.width, v.direct.height = m.height;
  v.direct.rowPitch = static_cast<int32_t>(m.rowPitch);
  v.direct.redShift = swapped ? 16 : 0;
  v.direct.format = abi::DirectTexels::Format::Unorm8888;
}

}  // namespace

void prepare(ImageView& v) {
  v.quick = {}, v.direct = {};
  if (!v.memory || !v.info) return;
  const format::FormatInfo& f = *v.info;
  const bool blocks = f.compression != format::Compression::None;
  if ((!blocks && (f.blockWidth != 1 || !v.decode)) || f.planes > 1 || f.channel[0].bits == 64) return;
  if (!(v.layout ? v.plane && prepareImage(v) : prepareBuffer(v))) return;
  v.quick.unity = f.isInteger() ? 1 : 0x3F800000u;
  v.quick.missingAlpha = f.channel[3].bits ? 0 : v.quick.unity;
  v.quick.format = blocks ? QuickFormat::Blocks : quickFormatOf(v.format);
  prepareDirect(v);
}

}  // namespace etzel::tex
