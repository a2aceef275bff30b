#include "icd/cmd/pass_instance.h"

#include <algorithm>
#include <bit>

#include "runtime/debug/mutant.h"

namespace etzel::icd {
namespace {

VkImageAspectFlags aspectsOf(const ImageView& view) {
  const format::FormatInfo* info = format::find(view.format);
  return info ? info->aspects : 0;
}

VkResolveModeFlagBits colorResolveMode(const ImageView& view) {
  const format::FormatInfo* info = format::find(view.format);
  // "Render Pass", resolve: integer formats take sample 0.
  return info && info->isInteger() ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT;
}

void attachDepthStencil(raster::Attachments& a, const ImageView* depth, const ImageView* stencil) {
  if (depth && (aspectsOf(*depth) & VK_IMAGE_ASPECT_DEPTH_BIT)) a.depth = &depth->attachment;
  if (stencil && (aspectsOf(*stencil) & VK_IMAGE_ASPECT_STENCIL_BIT)) a.stencil = &stencil->stencilAttachment;
}

}  // namespace

uint32_t PassInstance::viewCount() const {
  return attachments_.viewMask ? uint32_t(std::popcount(attachments_.viewMask)) : 1;
}

void PassInstance::begin(const RenderPass* pass, ImageView* const* views, uint32_t viewCount, const VkRect2D& area,
                         uint32_t layers, const VkClearValue* clears, uint32_t clearCount) {
  pass_ = pass;
  subpass_ = 0;
  area_ = area;
  layers_ = layers;
  size_t n = pass->attachments.size();
  views_.assign(n, nullptr);
  std::copy_n(views, std::min<size_t>(n, viewCount), views_.begin());
  clears_.assign(n, VkClearValue{});
  std::copy_n(clears, std::min<size_t>(n, clearCount), clears_.begin());
  loaded_.assign(n, 0);
  active_ = true;
  beginSubpass();
}

bool PassInstance::nextSubpass() {
  bool ok = endSubpass();
  if (pass_ && subpass_ + 1 < pass_->subpasses.size()) {
    ++subpass_;
    beginSubpass();
  }
  return ok;
}

bool PassInstance::end() {
  bool ok = endSubpass();
  active_ = false;
  pass_ = nullptr;
  return ok;
}

void PassInstance::abandon() {
  active_ = false;
  pass_ = nullptr;
  resolves_.clear();
}

void PassInstance::beginSubpass() {
  if (subpass_ >= pass_->subpasses.size()) return;
  const Subpass& s = pass_->subpasses[subpass_];
  auto view = [&](const AttachmentReference& r) -> ImageView* {
    return r.attachment < views_.size() ? views_[r.attachment] : nullptr;
  };
  attachments_ = {};
  attachments_.viewMask = s.viewMask;
  attachments_.colorCount = std::min<uint32_t>(uint32_t(s.colors.size()), raster::kMaxColorAttachments);
  for (uint32_t i = 0; i < attachments_.colorCount; ++i)
    if (ImageView* v = view(s.colors[i])) attachments_.color[i] = &v->attachment;
  attachDepthStencil(attachments_, view(s.depthStencil), view(s.depthStencil));

  resolves_.clear();
  for (size_t i = 0; i < s.resolves.size() && i < s.colors.size(); ++i)
    if (ImageView *from = view(s.colors[i]), *to = view(s.resolves[i]); from && to)
      addResolve(&from->attachment, &to->attachment, VK_IMAGE_ASPECT_COLOR_BIT, colorResolveMode(*from));
  if (ImageView *from = view(s.depthStencil), *to = view(s.depthStencilResolve); from && to) {
    VkImageAspectFlags both = aspectsOf(*from) & aspectsOf(*to);
    if (both & VK_IMAGE_ASPECT_DEPTH_BIT)
      addResolve(&from->attachment, &to->attachment, VK_IMAGE_ASPECT_DEPTH_BIT, s.depthResolve);
    if (both & VK_IMAGE_ASPECT_STENCIL_BIT)
      addResolve(&from->stencilAttachment, &to->stencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT, s.stencilResolve);
  }

  loadSubpassAttachments(s);
}

void PassInstance::addResolve(const tex::ImageView* from, const tex::ImageView* to, VkImageAspectFlagBits aspect,
                              VkResolveModeFlagBits mode) {
  if (mutated(Mutant::ResolveSampleZero) && mode == VK_RESOLVE_MODE_AVERAGE_BIT) mode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  if (mode != VK_RESOLVE_MODE_NONE) resolves_.push_back({from, to, aspect, mode});
}

void PassInstance::start() {
  attachments_.renderArea = area_;
  attachments_.layers = attachments_.viewMask ? uint32_t(std::bit_width(attachments_.viewMask)) : layers_;
  const tex::ImageView* first = nullptr;
  for (uint32_t i = 0; i < attachments_.colorCount && !first; ++i) first = attachments_.color[i];
  if (!first) first = attachments_.depth ? attachments_.depth : attachments_.stencil;
  hasAttachments_ = first != nullptr;
  attachments_.samples = first ? std::max(first->samples, 1u) : 1;
  raster_.begin(attachments_);
}

void PassInstance::setSamplesWithoutAttachments(uint32_t samples) {
  if (hasAttachments_ || attachments_.samples == samples) return;
  raster_.flush();
  attachments_.samples = samples;
  raster_.begin(attachments_);
}

// "Load Operations": an attachment's load operation runs in the first subpass that uses it; with multiview, in the
// first subpass that uses it for each view.
void PassInstance::loadSubpassAttachments(const Subpass& s) {
  struct Pending {
    uint32_t color;
    VkImageAspectFlags aspects;
    uint32_t attachment, views;
  };
  std::vector<Pending> bound, alone;
  uint32_t wanted = s.viewMask ? s.viewMask : 1;
  auto load = [&](const AttachmentReference& r, uint32_t color, bool isBound) {
    if (r.attachment >= views_.size() || !views_[r.attachment]) return;
    uint32_t views = wanted & ~loaded_[r.attachment];
    loaded_[r.attachment] |= wanted;
    if (!views) return;
    const VkAttachmentDescription2& d = pass_->attachments[r.attachment];
    VkImageAspectFlags has = aspectsOf(*views_[r.attachment]), aspects = 0;
    if (d.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR) aspects |= has & ~VK_IMAGE_ASPECT_STENCIL_BIT;
    if (d.stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR) aspects |= has & VK_IMAGE_ASPECT_STENCIL_BIT;
    // The rasterizer clears all views of its mask, so a part of them needs a pass of its own.
    isBound = isBound && views == wanted;
    if (aspects) (isBound ? bound : alone).push_back({color, aspects, r.attachment, s.viewMask ? views : 0});
  };
  for (uint32_t i = 0; i < s.colors.size(); ++i) load(s.colors[i], i, i < attachments_.colorCount);
  load(s.depthStencil, ~0u, true);
  for (const AttachmentReference& r : s.inputs) load(r, ~0u, false);
  for (const AttachmentReference& r : s.resolves) load(r, ~0u, false);
  load(s.depthStencilResolve, ~0u, false);

  for (const Pending& p : alone) clearAlone(views_[p.attachment], p.aspects, clears_[p.attachment], p.views);
  start();
  for (const Pending& p : bound)
    clearBound(p.color, p.aspects, clears_[p.attachment], {area_, 0, layers_});
}

// Clears an attachment that the subpass does not draw to (input or resolve only), or some of its views.
void PassInstance::clearAlone(const ImageView* view, VkImageAspectFlags aspects, const VkClearValue& value,
                              uint32_t views) {
  raster::Attachments saved = attachments_;
  attachments_ = {};
  attachments_.viewMask = views;
  if (aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) {
    attachDepthStencil(attachments_, view, view);
  } else {
    attachments_.color[0] = &view->attachment;
    attachments_.colorCount = 1;
  }
  start();
  clearBound(attachments_.colorCount ? 0 : ~0u, aspects, value, {area_, 0, layers_});
  raster_.flush();
  attachments_ = saved;
}

void PassInstance::clearBound(uint32_t color, VkImageAspectFlags aspects, const VkClearValue& value,
                              raster::ClearRect rect) {
  if (color != ~0u) aspects = VK_IMAGE_ASPECT_COLOR_BIT;
  if (attachments_.viewMask) rect.baseLayer = 0, rect.layerCount = 1;  // the mask's views, all of them
  raster_.clearAttachment(color, aspects, value, rect);
}

bool PassInstance::endSubpass() {
  bool ok = raster_.flush();
  for (const Resolve& r : resolves_)
    raster::resolveAttachment(pool_, *r.from, *r.to, r.aspect, r.mode, area_, attachments_.layers,
                              attachments_.viewMask);
  resolves_.clear();
  return ok;
}

void PassInstance::beginRendering(const RenderingInstance& info) {
  active_ = true;
  pass_ = nullptr;
  area_ = info.area;
  layers_ = info.layers;
  attachments_ = {};
  attachments_.viewMask = info.viewMask;
  attachments_.colorCount = info.colorCount;
  resolves_.clear();
  bool resuming = info.flags & VK_RENDERING_RESUMING_BIT, suspending = info.flags & VK_RENDERING_SUSPENDING_BIT;
  for (uint32_t i = 0; i < info.colorCount; ++i) {
    const RenderingAttachment& c = info.color[i];
    if (!c.view) continue;
    attachments_.color[i] = &c.view->attachment;
    // A suspended instance resolves where it is resumed and ended.
    if (!suspending && c.resolveView)
      addResolve(&c.view->attachment, &c.resolveView->attachment, VK_IMAGE_ASPECT_COLOR_BIT, c.resolveMode);
  }
  attachDepthStencil(attachments_, info.depth.view, info.stencil.view);
  if (!suspending && attachments_.depth && info.depth.resolveView)
    addResolve(attachments_.depth, &info.depth.resolveView->attachment, VK_IMAGE_ASPECT_DEPTH_BIT,
               info.depth.resolveMode);
  if (!suspending && attachments_.stencil && info.stencil.resolveView)
    addResolve(attachments_.stencil, &info.stencil.resolveView->stencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT,
               info.stencil.resolveMode);
  start();
  if (resuming) return;
  for (uint32_t i = 0; i < info.colorCount; ++i)
    if (attachments_.color[i] && info.color[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
      clearBound(i, VK_IMAGE_ASPECT_COLOR_BIT, info.color[i].clearValue, {area_, 0, layers_});
  if (attachments_.depth && info.depth.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
    clearBound(~0u, VK_IMAGE_ASPECT_DEPTH_BIT, info.depth.clearValue, {area_, 0, layers_});
  if (attachments_.stencil && info.stencil.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
    clearBound(~0u, VK_IMAGE_ASPECT_STENCIL_BIT, info.stencil.clearValue, {area_, 0, layers_});
}

bool PassInstance::endRendering() {
  bool ok = endSubpass();
  active_ = false;
  return ok;
}

void PassInstance::clear(const VkClearAttachment& clear, const VkClearRect* rects, uint32_t count) {
  if (!active_) return;
  uint32_t color = ~0u;
  VkImageAspectFlags aspects = clear.aspectMask;
  if (aspects & VK_IMAGE_ASPECT_COLOR_BIT) {
    color = clear.colorAttachment;
    if (color >= attachments_.colorCount || !attachments_.color[color]) return;
  } else {
    if (!attachments_.depth) aspects &= ~VK_IMAGE_ASPECT_DEPTH_BIT;
    if (!attachments_.stencil) aspects &= ~VK_IMAGE_ASPECT_STENCIL_BIT;
    if (!aspects) return;
  }
  for (uint32_t i = 0; i < count; ++i)
    clearBound(color, aspects, clear.clearValue, {rects[i].rect, rects[i].baseArrayLayer, rects[i].layerCount});
}

}  // namespace etzel::icd
