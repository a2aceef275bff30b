// Image views and samplers as the texture units see them: resolved to pointers and numbers, immutable, owned by the
// API objects. Descriptors point here.
#pragma once

#include <cstddef>

#include "runtime/abi/direct_view.h"
#include "runtime/abi/tex_inst.h"
#include "runtime/format/texel_layout.h"
#include "runtime/mem/image_layout.h"
#include "runtime/mem/residency.h"

namespace etzel::tex {

class Decoding;

/// Who reads where a view's levels lie (abi::DirectView::level): nobody, compiled code alone, or besides it code for
/// registers of eight or of sixteen numbers.
enum class LevelUse : uint8_t { None, Compiled, Eight, Sixteen };

/// What the eight-lane paths (lanes/) need of a view besides its other members; made by prepare().
struct LanesView {
  const std::byte* base = nullptr;  ///< texel 0 of the image's level 0 in the view's first layer; a multiple of 4
  format::TexelLayout layout = format::TexelLayout::None;   ///< None: these paths do not know the view
  format::TexelLayout decoded = format::TexelLayout::None;  ///< of what compressed blocks are decoded to,
  int32_t decodedBytes = 0;                                 ///< and its texels' size: 2, 4 or 8
  int32_t layerPitch = 0;
  int32_t bufferTexels = 0, bias = 0;  ///< texel buffers begin `bias` bytes behind `base`
  uint32_t unity = 0;                  ///< 1 as the view's numbers write it
  uint32_t missingAlpha = 0;           ///< alpha of what does not exist
  bool hasCodes = false;               ///< format::hasCodesInWords()
  LevelUse levels = LevelUse::None;
  int32_t pitch[16] = {}, start[16] = {};  ///< those of abi::DirectView's levels once more, each a table in a register
};

/// A view of an image, or of a texel buffer (dim == Buffer).
struct ImageView {
  abi::DirectView direct;                          ///< first; made by prepare()
  const mem::ImageLayout* layout = nullptr;        ///< null for texel buffers
  const mem::PlaneLayout* plane = nullptr;         ///< the viewed aspect (the depth plane of combined views)
  const mem::PlaneLayout* stencilPlane = nullptr;  ///< attachments of combined formats only
  std::byte* memory = nullptr;                     ///< the image's (texel buffer: the range's) first byte
  uint64_t bufferBytes = 0;                        ///< texel buffers: whole texels only
  VkFormat format = VK_FORMAT_UNDEFINED;           ///< the view's, with the aspect applied (S8_UINT for a stencil view)
  const format::FormatInfo* info = nullptr;
  format::DecodeFn decode = nullptr;
  format::EncodeFn encode = nullptr;
  VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
  uint32_t baseMip = 0, mipCount = 1, baseLayer = 0, layerCount = 1;
  uint32_t samples = 1;
  uint32_t baseDepth = 0, depthCount = 0;  ///< slices of 3D images: 2D views' layers, 3D views' depth; 0: not sliced
  float minLod = 0;                        ///< VK_EXT_image_view_min_lod
  uint8_t swizzle[4] = {0, 1, 2, 3};       ///< 0-3 component, 4 zero, 5 one
  bool identitySwizzle = true;
  const mem::Residency* residency = nullptr;  ///< of partially resident resources: what residency codes say
  const ImageView* integers = nullptr;        ///< of a scaled format: what instructions for integers see
  Decoding* decoding = nullptr;               ///< of a view that may not be read as it is (decoding.h)
  LanesView lanes;
};

static_assert(offsetof(ImageView, direct) == 0);

/// Completes a view: to be called after the other members have their values. Without it everything works, but slower.
void prepare(ImageView& view);

/// "Sampler Y'CbCr Conversion": how texels of multi-planar and 4:2:2 images become colours.
struct YcbcrConversion {
  bool enabled = false;
  VkSamplerYcbcrModelConversion model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY;
  VkSamplerYcbcrRange range = VK_SAMPLER_YCBCR_RANGE_ITU_FULL;
  VkChromaLocation xChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN, yChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN;
  VkFilter chromaFilter = VK_FILTER_NEAREST;
  uint8_t swizzle[4] = {0, 1, 2, 3};  ///< the conversion's own component mapping, as ImageView::swizzle
};

struct Sampler {
  abi::DirectSampler direct;  ///< first; made by prepare()
  abi::SamplerLimits limits;  ///< second; made by prepare()
  VkFilter magFilter = VK_FILTER_NEAREST, minFilter = VK_FILTER_NEAREST;
  VkSamplerMipmapMode mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  VkSamplerAddressMode address[3] = {};
  float mipLodBias = 0, minLod = 0, maxLod = 0, maxAnisotropy = 1;
  bool anisotropic = false, compare = false, unnormalized = false, seamlessCube = true;
  VkCompareOp compareOp = VK_COMPARE_OP_NEVER;
  VkSamplerReductionMode reduction = VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE;
  format::Texel border{};  ///< float bits, or integers for integer borders, before the view's swizzle
  bool borderInteger = false;
  YcbcrConversion ycbcr;  ///< copied from the conversion object
};

static_assert(offsetof(Sampler, direct) == 0 && offsetof(Sampler, limits) == sizeof(abi::DirectSampler));

/// Completes a sampler, as a view.
void prepare(Sampler& sampler);

}  // namespace etzel::tex
