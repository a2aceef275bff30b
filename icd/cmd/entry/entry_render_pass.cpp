// Render pass instances, dynamic rendering, attachment clears, secondary command buffers ("Render Pass").
#include <algorithm>

#include "icd/cmd/entry/record.h"

namespace etzel::icd {
namespace {

/// What vkCmdBeginRenderPass2 needs when it runs.
struct BeginPass {
  const RenderPass* pass;
  ImageView* const* views;
  uint32_t viewCount;
  VkRect2D area;
  uint32_t layers;
  const VkClearValue* clears;
  uint32_t clearCount;
  raster::DensityAttachment density;
};

RenderingAttachment attachmentOf(const VkRenderingAttachmentInfo* info) {
  RenderingAttachment a;
  if (!info || !info->imageView) return a;
  a.view = cast<ImageView>(info->imageView);
  a.loadOp = info->loadOp;
  a.storeOp = info->storeOp;
  a.clearValue = info->clearValue;
  // Without an image the mode is that of an implicit multisampled image.
  a.resolveMode = info->resolveMode;
  if (info->resolveMode != VK_RESOLVE_MODE_NONE) a.resolveView = cast<ImageView>(info->resolveImageView);
  const auto* flags =
      findNext<VkRenderingAttachmentFlagsInfoKHR>(info->pNext, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR);
  a.skipsTransferFunction = flags && flags->flags & VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR;
  return a;
}

/// "Fragment Density Map Operations": what counts as the framebuffer's size in dynamic rendering.
VkExtent2D farCorner(const VkRect2D& area) {
  return {uint32_t(area.offset.x) + area.extent.width, uint32_t(area.offset.y) + area.extent.height};
}

/// Where the offsets of the density map will be that the end of the pass brings.
const raster::DensityOffsets* beginOffsets(VkCommandBuffer c) {
  return buf(c).densityOffsets = buf(c).arena.make<raster::DensityOffsets>();
}

/// "Fragment density map offsets": draws that are recorded already have them as well.
void endOffsets(VkCommandBuffer c, const void* chain) {
  const auto* info = findNext<VkRenderPassFragmentDensityMapOffsetEndInfoEXT>(
      chain, VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_OFFSET_END_INFO_EXT);
  if (!info || !buf(c).densityOffsets) return;
  const VkOffset2D* offsets = keep(c, info->pFragmentDensityOffsets, info->fragmentDensityOffsetCount);
  *buf(c).densityOffsets = {offsets, offsets ? info->fragmentDensityOffsetCount : 0};
}

}  // namespace

void CmdBeginRenderPass2(VkCommandBuffer c, const VkRenderPassBeginInfo* info, const VkSubpassBeginInfo*) {
  const Framebuffer* framebuffer = cast<Framebuffer>(info->framebuffer);
  BeginPass* b = buf(c).arena.make<BeginPass>();
  b->pass = cast<RenderPass>(info->renderPass);
  b->area = info->renderArea;
  b->layers = framebuffer->layers;
  b->density = {nullptr, {framebuffer->width, framebuffer->height}, false, beginOffsets(c)};
  b->clears = keep(c, info->pClearValues, info->clearValueCount);
  b->clearCount = b->clears ? info->clearValueCount : 0;
  const auto* imageless =
      findNext<VkRenderPassAttachmentBeginInfo>(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  if (imageless && imageless->attachmentCount) {
    b->viewCount = imageless->attachmentCount;
    b->views = keepObjects<ImageView>(c, imageless->pAttachments, b->viewCount);
  } else {
    b->viewCount = uint32_t(framebuffer->views.size());
    b->views = keep<ImageView*>(c, framebuffer->views.data(), b->viewCount);
  }
  record(c, [b](Replay& r) {
    r.rereadDescriptors();  // dependencies of render passes are barriers
    r.pass().begin(b->pass, b->views, b->viewCount, b->area, b->layers, b->clears, b->clearCount, b->density);
  });
}

void CmdNextSubpass2(VkCommandBuffer c, const VkSubpassBeginInfo*, const VkSubpassEndInfo*) {
  record(c, [](Replay& r) {
    r.nextSubpass();
    r.rereadDescriptors();
  });
}

void CmdEndRenderPass2(VkCommandBuffer c, const VkSubpassEndInfo* info) {
  if (info) endOffsets(c, info->pNext);
  record(c, [](Replay& r) {
    r.endRenderPass();
    r.rereadDescriptors();
  });
}

void CmdBeginRendering(VkCommandBuffer c, const VkRenderingInfo* info) {
  RenderingInstance* b = buf(c).arena.make<RenderingInstance>();
  b->flags = info->flags;
  b->area = info->renderArea;
  b->layers = info->layerCount;
  b->viewMask = info->viewMask;
  b->implicitSamples = implicitSamples(info->pNext);
  b->colorCount = std::min(info->colorAttachmentCount, raster::kMaxColorAttachments);
  for (uint32_t i = 0; i < b->colorCount; ++i) b->color[i] = attachmentOf(&info->pColorAttachments[i]);
  b->depth = attachmentOf(info->pDepthAttachment);
  b->stencil = attachmentOf(info->pStencilAttachment);
  const auto* rate = findNext<VkRenderingFragmentShadingRateAttachmentInfoKHR>(
      info->pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
  if (rate && rate->imageView) {
    b->shadingRate = cast<ImageView>(rate->imageView);
    b->shadingRateTexel = rate->shadingRateAttachmentTexelSize;
  }
  buf(c).densityOffsets = nullptr;
  const auto* map = findNext<VkRenderingFragmentDensityMapAttachmentInfoEXT>(
      info->pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT);
  if (map && map->imageView)
    b->density = {&cast<ImageView>(map->imageView)->sampled, farCorner(b->area),
                  (info->flags & VK_RENDERING_PER_LAYER_FRAGMENT_DENSITY_BIT_VALVE) != 0, beginOffsets(c)};
  record(c, [b](Replay& r) { r.pass().beginRendering(*b); });
}

void CmdBeginCustomResolve(VkCommandBuffer c, const VkBeginCustomResolveInfoEXT*) {
  record(c, [](Replay& r) {
    r.beginCustomResolve();
    r.rereadDescriptors();  // draws read what those before them wrote
  });
}

void CmdEndRendering(VkCommandBuffer c) {
  record(c, [](Replay& r) { r.endRendering(); });
}

void CmdEndRendering2(VkCommandBuffer c, const VkRenderingEndInfoKHR* info) {
  if (info) endOffsets(c, info->pNext);
  CmdEndRendering(c);
}

void CmdSetRenderingAttachmentLocations(VkCommandBuffer c, const VkRenderingAttachmentLocationInfo* info) {
  const uint32_t count = info->colorAttachmentCount;
  const uint32_t* locations = keep(c, info->pColorAttachmentLocations, count);
  record(c, [=](Replay& r) {
    r.pass().setColorLocations(locations, count);
    r.state();  // what is drawn next has other outputs
  });
}

// Shaders find input attachments by their descriptors, whatever their index.
void CmdSetRenderingInputAttachmentIndices(VkCommandBuffer, const VkRenderingInputAttachmentIndexInfo*) {}

void CmdClearAttachments(VkCommandBuffer c, uint32_t attachmentCount, const VkClearAttachment* pAttachments,
                         uint32_t rectCount, const VkClearRect* pRects) {
  const VkClearAttachment* attachments = keep(c, pAttachments, attachmentCount);
  const VkClearRect* rects = keep(c, pRects, rectCount);
  record(c, [=](Replay& r) {
    if (!r.predicate) return;
    for (uint32_t i = 0; i < attachmentCount; ++i) r.pass().clear(attachments[i], rects, rectCount);
  });
}

void CmdExecuteCommands(VkCommandBuffer c, uint32_t count, const VkCommandBuffer* pBuffers) {
  CommandBuffer* const* buffers = keepObjects<CommandBuffer>(c, pBuffers, count);
  record(c, [=](Replay& r) {
    for (uint32_t i = 0; i < count && !r.cancelled(); ++i) r.execute(*buffers[i]);
  });
}

}  // namespace etzel::icd
