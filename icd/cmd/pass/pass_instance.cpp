#include "icd/cmd/pass/pass_instance.h"

#include <algorithm>
#include <bit>

#include "icd/debug/capture.h"
#include "icd/debug/history.h"
#include "raster/attachment/replicate.h"
#include "raster/attachment/resolve_job.h"
#include "runtime/mutant/mutant.h"

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

}  // namespace

uint32_t PassInstance::viewCount() const {
  return attachments_.viewMask ? uint32_t(std::popcount(attachments_.viewMask)) : 1;
}

// What draws of this subpass write in place of an attachment; null for the attachment itself.
ImplicitImage* PassInstance::implicitFor(const ImageView& view) {
  return implicitSamples_ && view.attachment.samples == 1 ? implicit_.of(view, implicitSamples_) : nullptr;
}

PassInstance::Planes PassInstance::drawnTo(const ImageView& view) {
  if (const ImplicitImage* image = implicitFor(view)) return {&image->main, &image->stencil};
  return {&view.attachment, &view.stencilAttachment};
}

void PassInstance::attach(const ImageView* depth, const ImageView* stencil) {
  if (depth && (aspectsOf(*depth) & VK_IMAGE_ASPECT_DEPTH_BIT)) attachments_.depth = drawnTo(*depth).main;
  if (stencil && (aspectsOf(*stencil) & VK_IMAGE_ASPECT_STENCIL_BIT)) attachments_.stencil = drawnTo(*stencil).stencil;
}

void PassInstance::attachShadingRate(const ImageView* view, VkExtent2D texel) {
  attachments_.shadingRate = view ? &view->attachment : nullptr;
  attachments_.shadingRateTexel = texel;
}

void PassInstance::begin(const RenderPass* pass, ImageView* const* views, uint32_t viewCount, const VkRect2D& area,
                         uint32_t layers, const VkClearValue* clears, uint32_t clearCount,
                         raster::DensityAttachment density) {
  implicit_.forget();
  suspending_ = false;
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
  density_ = density;
  if (const uint32_t map = pass->densityMap.attachment; map < n && views_[map]) density_.view = &views_[map]->sampled;
  density_.perLayer = pass->densityPerLayer;
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
  implicitSamples_ = 0;
  implicit_.forget();
  return ok;
}

// A suspended instance keeps its implicit images: another command buffer resumes it.
void PassInstance::abandon() {
  active_ = false;
  pass_ = nullptr;
  implicitSamples_ = 0;
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
  implicitSamples_ = s.implicitSamples;
  for (uint32_t i = 0; i < attachments_.colorCount; ++i)
    if (ImageView* v = view(s.colors[i])) attachments_.color[i] = drawnTo(*v).main;
  attach(view(s.depthStencil), view(s.depthStencil));
  attachShadingRate(view(s.shadingRate), s.shadingRateTexel);
  attachments_.density = density_;

  resolves_.clear();
  for (size_t i = 0; i < s.resolves.size() && i < s.colors.size(); ++i)
    if (ImageView* from = view(s.colors[i]), *to = view(s.resolves[i]); from && to)
      addResolve({&from->attachment, &to->attachment, VK_IMAGE_ASPECT_COLOR_BIT, colorResolveMode(*from),
                  skipsTransferFunction(s.resolves[i])});
  if (ImageView* from = view(s.depthStencil), *to = view(s.depthStencilResolve); from && to) {
    VkImageAspectFlags both = aspectsOf(*from) & aspectsOf(*to);
    if (both & VK_IMAGE_ASPECT_DEPTH_BIT)
      addResolve({&from->attachment, &to->attachment, VK_IMAGE_ASPECT_DEPTH_BIT, s.depthResolve});
    if (both & VK_IMAGE_ASPECT_STENCIL_BIT)
      addResolve({&from->stencilAttachment, &to->stencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT, s.stencilResolve});
  }
  resolveImplicit(s);
  noteContents(s);

  loadSubpassAttachments(s);
}

// Whether shaders may look at an attachment while it is drawn to, and what of it has to outlive the subpass.
void PassInstance::noteContents(uint32_t bit, const ImageView& view, VkAttachmentLoadOp load,
                                VkAttachmentStoreOp store) {
  VkImageUsageFlags readers = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
  // Of a subpass without input attachments no shader can read any.
  if (!pass_ || !pass_->subpasses[subpass_].inputs.empty()) readers |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  // "Render Pass Feedback Loop": textures are other images, but for depth and stencil that are only tested.
  if (bit & (raster::Attachments::depthBit | raster::Attachments::stencilBit)) readers |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (!view.image || (view.image->usage | view.image->stencilUsage) & readers) return;
  attachments_.alone |= bit;
  // Of an implicit image nothing is ever kept.
  if (store == VK_ATTACHMENT_STORE_OP_DONT_CARE || implicitFor(view)) attachments_.discarded |= bit;
  if (load == VK_ATTACHMENT_LOAD_OP_DONT_CARE) attachments_.undefined |= bit;
}

void PassInstance::noteContents(const Subpass& s) {
  const auto note = [&](uint32_t bit, uint32_t index, VkAttachmentLoadOp load, VkAttachmentStoreOp store) {
    // Operations of an attachment belong to the first and the last subpass that uses it.
    if (loaded_[index]) load = VK_ATTACHMENT_LOAD_OP_LOAD;
    if (usedAfter(index)) store = VK_ATTACHMENT_STORE_OP_STORE;
    noteContents(bit, *views_[index], load, store);
  };
  for (uint32_t i = 0; i < attachments_.colorCount; ++i) {
    if (!attachments_.color[i]) continue;
    const uint32_t index = s.colors[i].attachment;
    const VkAttachmentDescription2& d = pass_->attachments[index];
    note(1u << i, index, d.loadOp, d.storeOp);
  }
  if (!attachments_.depth && !attachments_.stencil) return;
  const uint32_t index = s.depthStencil.attachment;
  const VkAttachmentDescription2& d = pass_->attachments[index];
  if (attachments_.depth) note(raster::Attachments::depthBit, index, d.loadOp, d.storeOp);
  if (attachments_.stencil) note(raster::Attachments::stencilBit, index, d.stencilLoadOp, d.stencilStoreOp);
}

bool PassInstance::usedAfter(uint32_t attachment) const {
  const auto names = [&](const std::vector<AttachmentReference>& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const AttachmentReference& r) { return r.attachment == attachment; });
  };
  for (size_t i = subpass_ + 1; i < pass_->subpasses.size(); ++i) {
    const Subpass& s = pass_->subpasses[i];
    if (names(s.inputs) || names(s.colors)) return true;
    if (s.depthStencil.attachment == attachment || s.shadingRate.attachment == attachment) return true;
  }
  return false;
}

// "Render Pass", VkMultisampledRenderToSingleSampledInfoEXT: implicit images are resolved where the attachment is
// stored; and where a later subpass needs it.
void PassInstance::resolveImplicit(const Subpass& s) {
  if (!implicitSamples_) return;
  const auto resolve = [&](const AttachmentReference& r, VkImageAspectFlagBits aspect, VkResolveModeFlagBits mode) {
    const ImageView& view = *views_[r.attachment];
    const ImplicitImage* image = implicit_.find(view);
    const VkAttachmentDescription2& d = pass_->attachments[r.attachment];
    const bool stencil = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    const bool stored = (stencil ? d.stencilStoreOp : d.storeOp) == VK_ATTACHMENT_STORE_OP_STORE;
    if (!image || (!stored && !usedAfter(r.attachment))) return;
    if (stencil)
      addResolve({&image->stencil, &view.stencilAttachment, aspect, mode});
    else
      addResolve({&image->main, &view.attachment, aspect, mode, skipsTransferFunction(r)});
  };
  const auto exists = [&](const AttachmentReference& r) {
    return r.attachment < views_.size() && views_[r.attachment] && views_[r.attachment]->attachment.samples == 1;
  };
  for (const AttachmentReference& r : s.colors)
    if (exists(r)) resolve(r, VK_IMAGE_ASPECT_COLOR_BIT, colorResolveMode(*views_[r.attachment]));
  if (!exists(s.depthStencil)) return;
  const VkImageAspectFlags aspects = aspectsOf(*views_[s.depthStencil.attachment]);
  if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) resolve(s.depthStencil, VK_IMAGE_ASPECT_DEPTH_BIT, s.depthResolve);
  if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) resolve(s.depthStencil, VK_IMAGE_ASPECT_STENCIL_BIT, s.stencilResolve);
}

// Loads samples of `views` from the single-sampled attachment.
void PassInstance::replicate(ImplicitImage& image, VkImageAspectFlags aspects, uint32_t views) {
  if (!views) return;
  const uint32_t mask = attachments_.viewMask ? views : 0;
  if (aspects & ~VK_IMAGE_ASPECT_STENCIL_BIT)
    raster::replicateAttachment(pool_, image.attachment->attachment, image.main, area_, layers_, mask);
  if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
    raster::replicateAttachment(pool_, image.attachment->stencilAttachment, image.stencil, area_, layers_, mask);
}

bool PassInstance::skipsTransferFunction(const AttachmentReference& r) const {
  return pass_->attachments[r.attachment].flags & VK_ATTACHMENT_DESCRIPTION_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR;
}

void PassInstance::addResolve(raster::AttachmentResolve r) {
  if (mutated(Mutant::ResolveSampleZero) && r.mode == VK_RESOLVE_MODE_AVERAGE_BIT)
    r.mode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  if (r.mode != VK_RESOLVE_MODE_NONE) resolves_.push_back(r);
}

void PassInstance::start() {
  attachments_.renderArea = area_;
  attachments_.layers = attachments_.viewMask ? uint32_t(std::bit_width(attachments_.viewMask)) : layers_;
  const tex::ImageView* first = nullptr;
  for (uint32_t i = 0; i < attachments_.colorCount && !first; ++i) first = attachments_.color[i];
  if (!first) first = attachments_.depth ? attachments_.depth : attachments_.stencil;
  hasAttachments_ = first != nullptr;
  attachments_.samples = first ? std::max(first->samples, 1u) : 1;
  std::unique_ptr<PassWatch> next = historyPossible() ? PassWatch::begin(attachments_, progress_) : nullptr;
  attachments_.probe = next.get();
  raster_.begin(attachments_);  // which runs what an abandoned pass has left
  watch_ = std::move(next);
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
    Planes planes;
  };
  std::vector<Pending> bound, alone;
  uint32_t wanted = s.viewMask ? s.viewMask : 1;
  auto load = [&](const AttachmentReference& r, uint32_t color, bool isBound) {
    if (r.attachment >= views_.size() || !views_[r.attachment]) return;
    const ImageView& view = *views_[r.attachment];
    const VkAttachmentDescription2& d = pass_->attachments[r.attachment];
    VkImageAspectFlags has = aspectsOf(view), aspects = 0;
    uint32_t views = wanted & ~loaded_[r.attachment];
    loaded_[r.attachment] |= wanted;
    if (ImplicitImage* image = isBound ? implicitFor(view) : nullptr) {
      VkImageAspectFlags kept = 0;
      if (d.loadOp == VK_ATTACHMENT_LOAD_OP_LOAD) kept |= has & ~VK_IMAGE_ASPECT_STENCIL_BIT;
      if (d.stencilLoadOp == VK_ATTACHMENT_LOAD_OP_LOAD) kept |= has & VK_IMAGE_ASPECT_STENCIL_BIT;
      // Each subpass ends in a resolve, so later ones load what became of it.
      replicate(*image, kept, views);
      replicate(*image, has, wanted & ~views);
      image->current = true;
    }
    if (!views) return;
    const Planes planes = isBound ? drawnTo(view) : Planes{&view.attachment, &view.stencilAttachment};
    if (d.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR) aspects |= has & ~VK_IMAGE_ASPECT_STENCIL_BIT;
    if (d.stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR) aspects |= has & VK_IMAGE_ASPECT_STENCIL_BIT;
    // The rasterizer clears all views of its mask, so a part of them needs a pass of its own.
    isBound = isBound && views == wanted;
    if (aspects) (isBound ? bound : alone).push_back({color, aspects, r.attachment, s.viewMask ? views : 0, planes});
  };
  for (uint32_t i = 0; i < s.colors.size(); ++i) load(s.colors[i], i, i < attachments_.colorCount);
  load(s.depthStencil, ~0u, true);
  for (const AttachmentReference& r : s.inputs) load(r, ~0u, false);
  for (const AttachmentReference& r : s.resolves) load(r, ~0u, false);
  load(s.depthStencilResolve, ~0u, false);

  for (const Pending& p : alone) clearAlone(views_[p.attachment], p.planes, p.aspects, clears_[p.attachment], p.views);
  start();
  for (const Pending& p : bound) clearBound(p.color, p.aspects, clears_[p.attachment], {area_, 0, layers_, true});
}

// Clears an attachment that the subpass does not draw to (input or resolve only), or some of its views.
void PassInstance::clearAlone(const ImageView* view, Planes planes, VkImageAspectFlags aspects,
                              const VkClearValue& value, uint32_t views) {
  raster::Attachments saved = attachments_;
  attachments_ = {};
  attachments_.viewMask = views;
  if (aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) {
    const VkImageAspectFlags has = aspectsOf(*view);
    if (has & VK_IMAGE_ASPECT_DEPTH_BIT) attachments_.depth = planes.main;
    if (has & VK_IMAGE_ASPECT_STENCIL_BIT) attachments_.stencil = planes.stencil;
  } else {
    attachments_.color[0] = planes.main;
    attachments_.colorCount = 1;
  }
  start();
  clearBound(attachments_.colorCount ? 0 : ~0u, aspects, value, {area_, 0, layers_, true});
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
  bool ok = true;
  if (capturing()) {  // which shows what the attachments' memory has
    ok = raster_.flush();
    captureSubpass(attachments_);
  }
  if (watch_) watch_->beforeResolves(resolves_);
  ok &= raster_.finish(resolves_.data(), resolves_.size());
  if (watch_) watch_->afterResolves(attachments_, resolves_);
  resolves_.clear();
  implicit_.setCurrent(suspending_);
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
  const bool resuming = info.flags & VK_RENDERING_RESUMING_BIT;
  suspending_ = info.flags & VK_RENDERING_SUSPENDING_BIT;
  implicitSamples_ = info.implicitSamples;
  if (!resuming) implicit_.forget();
  for (uint32_t i = 0; i < info.colorCount; ++i) {
    if (!info.color[i].view) continue;
    attachments_.color[i] = drawnTo(*info.color[i].view).main;
    prepareRendering(info.color[i], VK_IMAGE_ASPECT_COLOR_BIT, resuming);
  }
  attach(info.depth.view, info.stencil.view);
  attachShadingRate(info.shadingRate, info.shadingRateTexel);
  attachments_.density = info.density;
  if (attachments_.depth) prepareRendering(info.depth, VK_IMAGE_ASPECT_DEPTH_BIT, resuming);
  if (attachments_.stencil) prepareRendering(info.stencil, VK_IMAGE_ASPECT_STENCIL_BIT, resuming);
  implicit_.setCurrent(true);
  const auto custom = [](const RenderingAttachment& a) {
    return a.resolveMode == VK_RESOLVE_MODE_CUSTOM_BIT_EXT ? a.resolveView : nullptr;
  };
  for (uint32_t i = 0; i < raster::kMaxColorAttachments; ++i) custom_[i] = custom(info.color[i]);
  custom_[raster::Attachments::depthIndex] = custom(info.depth);
  custom_[raster::Attachments::stencilIndex] = custom(info.stencil);
  if (!resuming && !suspending_) {
    for (uint32_t i = 0; i < info.colorCount; ++i)
      if (attachments_.color[i])
        noteContents(1u << i, *info.color[i].view, info.color[i].loadOp, info.color[i].storeOp);
    if (attachments_.depth)
      noteContents(raster::Attachments::depthBit, *info.depth.view, info.depth.loadOp, info.depth.storeOp);
    if (attachments_.stencil)
      noteContents(raster::Attachments::stencilBit, *info.stencil.view, info.stencil.loadOp, info.stencil.storeOp);
  }
  start();
  if (resuming) return;
  for (uint32_t i = 0; i < info.colorCount; ++i)
    if (attachments_.color[i] && info.color[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
      clearBound(i, VK_IMAGE_ASPECT_COLOR_BIT, info.color[i].clearValue, {area_, 0, layers_, true});
  if (attachments_.depth && info.depth.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
    clearBound(~0u, VK_IMAGE_ASPECT_DEPTH_BIT, info.depth.clearValue, {area_, 0, layers_, true});
  if (attachments_.stencil && info.stencil.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
    clearBound(~0u, VK_IMAGE_ASPECT_STENCIL_BIT, info.stencil.clearValue, {area_, 0, layers_, true});
}

// Plans the resolve of an aspect that draws go to, and loads its implicit image.
void PassInstance::prepareRendering(const RenderingAttachment& a, VkImageAspectFlagBits aspect, bool resuming) {
  const auto planeOf = [&](const ImageView& view) {
    return aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? &view.stencilAttachment : &view.attachment;
  };
  ImplicitImage* image = implicitFor(*a.view);
  if (a.resolveMode == VK_RESOLVE_MODE_CUSTOM_BIT_EXT && !image) return;  // draws do it
  // A suspended instance resolves where it is resumed and ended.
  if (!suspending_ && image && a.storeOp == VK_ATTACHMENT_STORE_OP_STORE)
    addResolve({aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? &image->stencil : &image->main, planeOf(*a.view), aspect,
                a.resolveMode, a.skipsTransferFunction});
  if (!suspending_ && !image && a.resolveView)
    addResolve({planeOf(*a.view), planeOf(*a.resolveView), aspect, a.resolveMode, a.skipsTransferFunction});
  if (image && !image->current && (resuming || a.loadOp == VK_ATTACHMENT_LOAD_OP_LOAD))
    replicate(*image, aspect, attachments_.viewMask ? attachments_.viewMask : 1);
}

// "Render Pass", vkCmdBeginCustomResolveEXT: attachments without such an image are not drawn to any more.
bool PassInstance::beginCustomResolve() {
  if (!active_ || pass_) return true;
  const bool ok = endSubpass();
  attachments_.alone = attachments_.discarded = attachments_.undefined = 0;
  attachments_.depth = attachments_.stencil = nullptr;
  implicitSamples_ = 0;
  const auto note = [&](uint32_t index) {
    noteContents(1u << index, *custom_[index], VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE);
  };
  for (uint32_t i = 0; i < attachments_.colorCount; ++i) {
    attachments_.color[i] = custom_[i] ? &custom_[i]->attachment : nullptr;
    if (mutated(Mutant::CustomResolve) && i) attachments_.color[i] = nullptr;
    if (attachments_.color[i]) note(i);
  }
  attach(custom_[raster::Attachments::depthIndex], custom_[raster::Attachments::stencilIndex]);
  if (attachments_.depth) note(raster::Attachments::depthIndex);
  if (attachments_.stencil) note(raster::Attachments::stencilIndex);
  start();
  return ok;
}

bool PassInstance::endRendering() {
  bool ok = endSubpass();
  implicitSamples_ = 0;
  if (!suspending_) implicit_.forget();
  active_ = false;
  return ok;
}

void PassInstance::setColorLocations(const uint32_t* locations, uint32_t count) {
  for (uint32_t i = 0; i < raster::kMaxColorAttachments; ++i) {
    const uint32_t location = i < count && locations ? locations[i] : i;
    attachments_.location[i] =
        location < raster::kMaxColorAttachments ? uint8_t(location) : raster::Attachments::kNoLocation;
  }
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
