// Render passes and framebuffers, kept in the form of VkRenderPassCreateInfo2 (older forms are converted).
#pragma once

#include <vector>

#include "icd/memory/resources.h"
#include "icd/object/object.h"

namespace etzel::icd {

struct AttachmentReference {
  uint32_t attachment = VK_ATTACHMENT_UNUSED;
  VkImageAspectFlags aspects = 0;
};
struct Subpass {
  VkPipelineBindPoint bindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  uint32_t viewMask = 0;
  std::vector<AttachmentReference> inputs, colors, resolves;
  AttachmentReference depthStencil, depthStencilResolve;
  VkResolveModeFlagBits depthResolve = VK_RESOLVE_MODE_NONE, stencilResolve = VK_RESOLVE_MODE_NONE;
  AttachmentReference shadingRate;  ///< "Attachment Fragment Shading Rate"
  VkExtent2D shadingRateTexel{};    ///< pixels that a texel of it stands for
  /// Of single-sampled attachments' implicit images (icd/cmd/pass/implicit_images.h); 0: none.
  uint32_t implicitSamples = 0;
};
struct RenderPass : Object {
  using Handle = VkRenderPass;
  std::vector<VkAttachmentDescription2> attachments;  ///< pNext cleared
  std::vector<Subpass> subpasses;
  AttachmentReference densityMap;  ///< of all subpasses
  bool densityPerLayer = false;    ///< raster::DensityAttachment::perLayer
};
/// What VkMultisampledRenderToSingleSampledInfoEXT in a pNext chain says: rasterization samples, 0 when it is off.
uint32_t implicitSamples(const void* chain);

struct Framebuffer : Object {
  using Handle = VkFramebuffer;
  std::vector<ImageView*> views;  ///< empty when imageless
  uint32_t width = 0, height = 0, layers = 1;
};

}  // namespace etzel::icd
