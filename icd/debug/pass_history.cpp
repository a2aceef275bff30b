#include "icd/debug/pass_history.h"

#include <algorithm>
#include <cstring>

#include "icd/debug/command_number.h"
#include "icd/debug/history_text.h"
#include "icd/debug/past_shader.h"
#include "icd/debug/pixel_place.h"
#include "icd/debug/shader_trace.h"
#include "raster/attachment/pixel_contents.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::icd {
namespace {

using raster::Attachments;
using raster::PixelContents;

std::string attachmentName(uint32_t index) {
  if (index == Attachments::depthIndex) return "depth";
  if (index == Attachments::stencilIndex) return "stencil";
  return "color " + std::to_string(index);
}

const char* nameOf(VkResolveModeFlagBits mode) {
  switch (mode) {
    case VK_RESOLVE_MODE_SAMPLE_ZERO_BIT: return "SAMPLE_ZERO";
    case VK_RESOLVE_MODE_AVERAGE_BIT: return "AVERAGE";
    case VK_RESOLVE_MODE_MIN_BIT: return "MIN";
    case VK_RESOLVE_MODE_MAX_BIT: return "MAX";
    default: return "?";
  }
}

msaa::SampleMask changedSamples(const PixelContents& before, const PixelContents& after) {
  msaa::SampleMask changed = 0;
  for (uint32_t s = 0; s < before.samples; ++s)
    changed |= uint32_t{std::memcmp(before.texel[s], after.texel[s], before.texelBytes) != 0} << s;
  return changed;
}

/// Whether a clear is of an attachment.
bool clears(const raster::ClearRecord& clear, uint32_t index) {
  if (clear.color != ~0u) return clear.color == index;
  return (index == Attachments::depthIndex && clear.aspects & VK_IMAGE_ASPECT_DEPTH_BIT) ||
         (index == Attachments::stencilIndex && clear.aspects & VK_IMAGE_ASPECT_STENCIL_BIT);
}

}  // namespace

std::unique_ptr<PassHistory> PassHistory::begin(const Attachments& attachments, std::atomic<uint32_t>* progress) {
  const HistorySubject* const subject = wantedHistory();
  if (!subject) return nullptr;
  std::unique_ptr<PassHistory> pass(new PassHistory(*subject, attachments, progress));
  for (const Attachment& a : pass->attachment_)
    if (a.admitted) return pass;
  return nullptr;
}

PassHistory::PassHistory(const HistorySubject& subject, const Attachments& attachments, std::atomic<uint32_t>* progress)
    : subject_(subject), pass_(History::get().nextPass()), progress_(progress) {
  x = static_cast<int32_t>(subject.x), y = static_cast<int32_t>(subject.y), layer = subject.layer;
  for (uint32_t i = 0; i < Attachments::count; ++i) {
    Attachment& a = attachment_[i];
    a.view = attachments.view(i);
    if (!a.view) continue;
    last_[i] = readPixel(raster::surfaceOf(a.view), x, y, layer);
    a.image = imageOf(*a.view, attachmentName(i), &a.admitted);
    if (!last_[i]) a.admitted = false;
    // "Load Operations": what the attachment held is nobody's business.
    if (attachments.undefined >> i & 1) History::get().forgetContents(a.image.image, a.image.aspect);
  }
}

TouchedImage PassHistory::imageOf(const tex::ImageView& view, const std::string& attachment, bool* admitted) const {
  TouchedImage image;
  const auto listed = findImage(view.layout);
  // Views of other levels or layers than the image's first are of other pixels.
  const bool same = view.baseMip == 0 && view.baseLayer == 0 && view.baseDepth == 0;
  if (listed && same) image.image = listed->number;
  image.name = listed ? listed->name : "implicit image";
  image.attachment = attachment;
  image.aspect = view.plane->aspect;
  image.format = view.plane->aspect == VK_IMAGE_ASPECT_COLOR_BIT ? view.format : view.plane->format;
  *admitted = subject_.admits(listed ? &*listed : nullptr, attachment);
  return image;
}

JsonObject PassHistory::head(const char* event) const {
  return JsonObject().text("event", event).number("pass", pass_);
}

void PassHistory::noteDraw(uint32_t number, const raster::DrawParams& params, const std::string& pipeline,
                           const std::string& label) {
  draws_[number] = {pipeline, label, params};
}

void PassHistory::fragment(const raster::FragmentVisit& v) {
  const uint32_t number = commandNumber(v.primitive->draw->state.context);
  const bool stepped = takeEndOfStep({number, x, y});
  if (subject_.sample && !(v.covered >> *subject_.sample & 1)) return;
  JsonObject event = head("draw").number("draw", number);
  // Numbers are given when a draw begins; its primitives come while the pass still knows it.
  if (const auto draw = draws_.find(number); draw != draws_.end()) {
    if (!draw->second.pipeline.empty()) event.text("pipeline", draw->second.pipeline);
    if (!draw->second.label.empty()) event.text("label", draw->second.label);
    event.number("vertices", draw->second.params.count).number("instances", draw->second.params.instanceCount);
  }
  describeFragment(v, event);
  std::vector<TouchedImage> images;
  const raster::DepthStencilState& ds = v.draw->depthStencil;
  for (uint32_t i = 0; i < Attachments::count; ++i) {
    if (!attachment_[i].admitted || !v.before[i]) continue;
    TouchedImage image = attachment_[i].image;
    image.before = v.before[i], image.after = v.after[i];
    image.writtenSamples = v.survivors;
    if (i == Attachments::depthIndex) {
      image.written = ds.depthWrite;
    } else if (i == Attachments::stencilIndex) {
      image.written = ds.stencilTest;
      image.writtenSamples |= changedSamples(image.before, image.after);  // what fails a test may write as well
    } else {
      image.details = writeText(v, i);
      image.written = image.details.find("notWritten") == std::string::npos;
    }
    images.push_back(std::move(image));
  }
  if (tracedMask()) noteTracedFragment(std::any_of(images.begin(), images.end(), maskChanged));
  if (images.empty()) return;
  const std::string told = History::get().add(std::move(event), images);
  const PastShader goes = stepped ? showPastShader(told, progress_) : showWrite(told, images, progress_);
  showsResolves_ |= goes == PastShader::ToResolve;
}

void PassHistory::cleared(const raster::ClearVisit& v) {
  std::vector<TouchedImage> images;
  for (uint32_t i = 0; i < Attachments::count; ++i) {
    if (!attachment_[i].admitted || !v.before[i] || !clears(*v.clear, i)) continue;
    images.push_back(attachment_[i].image);
    images.back().before = v.before[i], images.back().after = v.after[i];
    last_[i] = v.after[i];
  }
  if (images.empty()) return;
  JsonObject event = head("clear");
  event.text("command", v.clear->isLoad ? "load operation" : "vkCmdClearAttachments");
  const std::string told = History::get().add(std::move(event), images);
  showsResolves_ |= showWrite(told, images, progress_) == PastShader::ToResolve;
}

void PassHistory::tileDone(const PixelContents* contents) { std::copy_n(contents, Attachments::count, last_); }

bool PassHistory::resolvesPixel(const raster::AttachmentResolve& r, const VkRect2D& area) const {
  return r.to && r.to->plane &&
         isAt(area.offset.x, area.offset.y, area.offset.x + int32_t(area.extent.width),
              area.offset.y + int32_t(area.extent.height), layer);
}

PixelContents PassHistory::sourceOf(const raster::AttachmentResolve& r) const {
  for (uint32_t i = 0; i < Attachments::count; ++i)
    if (attachment_[i].view == r.from) return last_[i];
  return {};
}

void PassHistory::beforeResolves(const std::vector<raster::AttachmentResolve>& resolves) {
  resolvedBefore_.clear();
  for (const raster::AttachmentResolve& r : resolves)
    resolvedBefore_.push_back(r.to ? readPixel(raster::surfaceOf(r.to), x, y, layer) : PixelContents{});
}

void PassHistory::afterResolves(const Attachments& attachments,
                                const std::vector<raster::AttachmentResolve>& resolves) {
  for (size_t i = 0; i < resolves.size(); ++i) {
    const raster::AttachmentResolve& r = resolves[i];
    if (!resolvesPixel(r, attachments.renderArea) || !resolvedBefore_[i]) continue;
    bool toAdmitted, fromAdmitted;
    TouchedImage to = imageOf(*r.to, "resolve", &toAdmitted);
    const TouchedImage from = imageOf(*r.from, {}, &fromAdmitted);
    to.before = resolvedBefore_[i], to.after = readPixel(raster::surfaceOf(r.to), x, y, layer);
    bool attached = false;  // under the name of an attachment
    for (const Attachment& a : attachment_) attached |= a.admitted && a.view == r.from;
    if (!toAdmitted && !fromAdmitted && !attached) continue;
    JsonObject event = head("resolve").text("mode", nameOf(r.mode)).text("from", from.name);
    event.raw("source", contentsText(sourceOf(r), from.format));
    const std::string told = History::get().add(std::move(event), {to});
    if (showsResolves_)
      showsResolves_ = showPastShader(told, progress_) == PastShader::ToResolve;
    else
      showsResolves_ = showWrite(told, {&to, 1}, progress_) == PastShader::ToResolve;
  }
  for (uint32_t i = 0; i < Attachments::count; ++i)
    if (attachments.discarded >> i & 1)
      History::get().forgetContents(attachment_[i].image.image, attachment_[i].image.aspect);
}

}  // namespace etzel::icd
