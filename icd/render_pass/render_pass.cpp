// Creation of render passes and framebuffers. Render passes of the first form become the second one's.
#include "icd/render_pass/render_pass.h"

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {
namespace {

AttachmentReference reference(const VkAttachmentReference2& r) { return {r.attachment, r.aspectMask}; }
AttachmentReference reference(const VkAttachmentReference& r) { return {r.attachment, 0}; }

/// What both forms of a subpass description have in common.
template <class Description>
Subpass subpassOf(const Description& d) {
  Subpass s;
  s.bindPoint = d.pipelineBindPoint;
  for (uint32_t i = 0; i < d.inputAttachmentCount; ++i) s.inputs.push_back(reference(d.pInputAttachments[i]));
  for (uint32_t i = 0; i < d.colorAttachmentCount; ++i) {
    s.colors.push_back(reference(d.pColorAttachments[i]));
    if (d.pResolveAttachments) s.resolves.push_back(reference(d.pResolveAttachments[i]));
  }
  if (d.pDepthStencilAttachment) s.depthStencil = reference(*d.pDepthStencilAttachment);
  return s;
}

VkAttachmentDescription2 widen(const VkAttachmentDescription& o) {
  return {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
          nullptr,
          o.flags,
          o.format,
          o.samples,
          o.loadOp,
          o.storeOp,
          o.stencilLoadOp,
          o.stencilStoreOp,
          o.initialLayout,
          o.finalLayout};
}

/// The density map that either form's chain names.
template <class Info>
void readDensityMap(RenderPass& pass, const Info& info) {
  const auto* map = findNext<VkRenderPassFragmentDensityMapCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT);
  if (map) pass.densityMap = reference(map->fragmentDensityMapAttachment);
  pass.densityPerLayer = info.flags & VK_RENDER_PASS_CREATE_PER_LAYER_FRAGMENT_DENSITY_BIT_VALVE;
}

}  // namespace

VkResult CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo* info, const VkAllocationCallbacks* allocator,
                          VkRenderPass* out) {
  return createObject<RenderPass>(device, allocator, out, "a render pass", [&](RenderPass& pass) {
    readDensityMap(pass, *info);
    for (uint32_t i = 0; i < info->attachmentCount; ++i) pass.attachments.push_back(widen(info->pAttachments[i]));
    const auto* multiview =
        findNext<VkRenderPassMultiviewCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    for (uint32_t i = 0; i < info->subpassCount; ++i) {
      pass.subpasses.push_back(subpassOf(info->pSubpasses[i]));
      if (multiview && i < multiview->subpassCount) pass.subpasses.back().viewMask = multiview->pViewMasks[i];
    }
    if (const auto* aspects = findNext<VkRenderPassInputAttachmentAspectCreateInfo>(
            info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO)) {
      for (uint32_t i = 0; i < aspects->aspectReferenceCount; ++i) {
        const VkInputAttachmentAspectReference& a = aspects->pAspectReferences[i];
        if (a.subpass < pass.subpasses.size() && a.inputAttachmentIndex < pass.subpasses[a.subpass].inputs.size())
          pass.subpasses[a.subpass].inputs[a.inputAttachmentIndex].aspects = a.aspectMask;
      }
    }
  });
}

VkResult CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2* info, const VkAllocationCallbacks* allocator,
                           VkRenderPass* out) {
  return createObject<RenderPass>(device, allocator, out, "a render pass", [&](RenderPass& pass) {
    readDensityMap(pass, *info);
    for (uint32_t i = 0; i < info->attachmentCount; ++i) {
      pass.attachments.push_back(info->pAttachments[i]);
      pass.attachments.back().pNext = nullptr;
    }
    for (uint32_t i = 0; i < info->subpassCount; ++i) {
      const VkSubpassDescription2& d = info->pSubpasses[i];
      Subpass s = subpassOf(d);
      s.viewMask = d.viewMask;
      const auto* resolve = findNext<VkSubpassDescriptionDepthStencilResolve>(
          d.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
      if (resolve) {
        if (resolve->pDepthStencilResolveAttachment)
          s.depthStencilResolve = reference(*resolve->pDepthStencilResolveAttachment);
        s.depthResolve = resolve->depthResolveMode;
        s.stencilResolve = resolve->stencilResolveMode;
      }
      const auto* rate = findNext<VkFragmentShadingRateAttachmentInfoKHR>(
          d.pNext, VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
      if (rate && rate->pFragmentShadingRateAttachment) {
        s.shadingRate = reference(*rate->pFragmentShadingRateAttachment);
        s.shadingRateTexel = rate->shadingRateAttachmentTexelSize;
      }
      s.implicitSamples = implicitSamples(d.pNext);
      pass.subpasses.push_back(std::move(s));
    }
  });
}

uint32_t implicitSamples(const void* chain) {
  const auto* info = findNext<VkMultisampledRenderToSingleSampledInfoEXT>(
      chain, VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
  return info && info->multisampledRenderToSingleSampledEnable ? uint32_t(info->rasterizationSamples) : 0;
}

ETZEL_DESTROY(RenderPass)

VkResult CreateFramebuffer(VkDevice device, const VkFramebufferCreateInfo* info, const VkAllocationCallbacks* allocator,
                           VkFramebuffer* out) {
  return createObject<Framebuffer>(device, allocator, out, "a framebuffer", [&](Framebuffer& f) {
    if (!(info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT))
      for (uint32_t i = 0; i < info->attachmentCount; ++i) f.views.push_back(cast<ImageView>(info->pAttachments[i]));
    f.width = info->width;
    f.height = info->height;
    f.layers = info->layers;
  });
}

ETZEL_DESTROY(Framebuffer)

// Any render area costs what it covers.
void GetRenderingAreaGranularity(VkDevice, const VkRenderingAreaInfo*, VkExtent2D* granularity) {
  *granularity = {1, 1};
}

void GetRenderAreaGranularity(VkDevice, VkRenderPass, VkExtent2D* granularity) { *granularity = {1, 1}; }

}  // namespace etzel::icd
