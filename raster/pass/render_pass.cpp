#include "raster/pass/render_pass.h"

#include <algorithm>
#include <bit>

#include "raster/attachment/clear.h"
#include "raster/attachment/pixel_contents.h"
#include "raster/attachment/resolve_job.h"
#include "raster/pass/pass_impl.h"

namespace etzel::raster {
namespace {

/// Tells a probe of a clear. Made before anything that the clear changes.
class ProbedClear {
 public:
  ProbedClear(const Attachments& attachments, const BinnedPrimitive& rect, uint32_t layer)
      : attachments_(attachments), probe_(attachments.probe) {
    if (probe_ && !probe_->isAt(rect.minX, rect.minY, rect.maxX, rect.maxY, layer)) probe_ = nullptr;
    if (!probe_) return;
    visit_ = std::make_unique<ClearVisit>();
    read(visit_->before);
  }
  /// The clear has happened.
  void tell(const ClearRecord& clear) const {
    if (!probe_) return;
    visit_->clear = &clear;
    read(visit_->after);
    probe_->cleared(*visit_);
  }

 private:
  void read(PixelContents* to) const {
    for (uint32_t i = 0; i < Attachments::count; ++i)
      to[i] = readPixel(surfaceOf(attachments_.view(i)), probe_->x, probe_->y, probe_->layer);
  }

  const Attachments& attachments_;
  PixelProbe* probe_;
  std::unique_ptr<ClearVisit> visit_;
};

}  // namespace

RenderPass::RenderPass(task::Pool* pool) : impl_(std::make_unique<Impl>(pool)) {}
RenderPass::~RenderPass() = default;

void RenderPass::begin(const Attachments& attachments) {
  Impl& m = *impl_;
  if (m.bins.size() || !m.draws.empty()) flush();
  m.attachments = attachments;
  m.clearedColors = 0;
  m.ranTiles = false;
  m.clearsDepthStencil = false;
  m.target = targetRect(attachments);
  m.grid.tilesX = uint32_t(std::max(0, m.target.maxX) + kTileSize - 1) / kTileSize;
  m.grid.tilesY = uint32_t(std::max(0, m.target.maxY) + kTileSize - 1) / kTileSize;
  m.grid.layers = std::max({1u, attachments.layers, uint32_t(std::bit_width(attachments.viewMask))});
}

void RenderPass::clearAttachment(uint32_t color, VkImageAspectFlags aspects, const VkClearValue& value,
                                 const ClearRect& rect) {
  Impl& m = *impl_;
  const int64_t right = int64_t(rect.rect.offset.x) + rect.rect.extent.width;
  const int64_t bottom = int64_t(rect.rect.offset.y) + rect.rect.extent.height;
  BinnedPrimitive p;
  p.kind = PrimitiveKind::Clear;
  p.minX = std::max(rect.rect.offset.x, m.target.minX);
  p.minY = std::max(rect.rect.offset.y, m.target.minY);
  p.maxX = int32_t(std::min<int64_t>(right, m.target.maxX));
  p.maxY = int32_t(std::min<int64_t>(bottom, m.target.maxY));
  if (p.minX >= p.maxX || p.minY >= p.maxY) return;
  const VkRect2D clipped{{p.minX, p.minY}, {uint32_t(p.maxX - p.minX), uint32_t(p.maxY - p.minY)}};
  const bool isColor = color < m.attachments.colorCount && m.attachments.color[color];
  const bool isFirst = m.draws.empty() && !(isColor && m.clearedColors >> color & 1);
  if (isColor) m.clearedColors |= 1u << color;
  const uint32_t cleared = isColor ? 1u << color : Attachments::depthBit | Attachments::stencilBit;
  m.attachments.undefined &= ~cleared;
  // Clears of depth and stencil that only change tile states are done at once too.
  auto hasTiles = [](const tex::ImageView* view) { return !view || (view->plane && view->plane->tiles.offset); };
  const bool depthAtOnce = !isColor && m.draws.empty() && !m.clearsDepthStencil &&
                           (!(aspects & VK_IMAGE_ASPECT_DEPTH_BIT) || hasTiles(m.attachments.depth)) &&
                           (!(aspects & VK_IMAGE_ASPECT_STENCIL_BIT) || hasTiles(m.attachments.stencil));
  if (!isColor && !depthAtOnce) m.clearsDepthStencil = true;
  BinSink& sink = m.front(0).sink();
  sink.items.clear();
  auto clearLayer = [&](uint32_t layer) {
    if (layer >= m.grid.layers) return;
    ClearRecord record;
    record.color = color;
    record.aspects = aspects;
    record.value = value;
    record.isLoad = rect.isLoad;
    if (isColor) {
      const tex::ImageView& view = *m.attachments.color[color];
      // A colour that is reserved takes the place of one that tiles show where all of them will be cleared.
      const ProbedClear probed(m.attachments, p, layer);
      record.clearColor = reserveClearColor(view, value.color, clipped, layer, isFirst);
      // Only tile states change: done at once, unless something before it waits.
      if (record.clearColor >= 0 && isFirst) {
        clearColorRect(view, value.color, clipped, layer, record.clearColor);
        return probed.tell(record);
      }
    }
    if (depthAtOnce) {
      const ProbedClear probed(m.attachments, p, layer);
      if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT && m.attachments.depth)
        clearDepthRect(*m.attachments.depth, value.depthStencil.depth, clipped, layer);
      if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT && m.attachments.stencil)
        clearStencilRect(*m.attachments.stencil, value.depthStencil.stencil, clipped, layer);
      return probed.tell(record);
    }
    p.clear = m.arena.copy(&record, 1);
    p.layer = layer;
    binPrimitive(m.arena.copy(&p, 1), m.grid, sink);
  };
  if (m.attachments.viewMask) {
    // "Multiview": clears go to all views of the subpass.
    for (uint32_t mask = m.attachments.viewMask; mask; mask &= mask - 1) clearLayer(uint32_t(std::countr_zero(mask)));
  } else {
    const uint32_t end = uint32_t(std::min<uint64_t>(uint64_t(rect.baseLayer) + rect.layerCount, m.grid.layers));
    for (uint32_t layer = rect.baseLayer; layer < end; ++layer) clearLayer(layer);
  }
  m.bins.add(sink.items);
}

void RenderPass::draw(const DrawState& state, const DrawParams& params) {
  Impl& m = *impl_;
  if (!state.vertex || params.count == 0 || params.instanceCount == 0 || m.cancelled) return;
  if (!m.makeFrontDraw(state, params)) return;
  FrontDraw& d = m.frontDraw;
  const uint64_t primitives = d.assembly.primitiveCount() * params.instanceCount;
  const bool parallel = m.threads > 1 && primitives > Impl::batchSize(*d.state, d.assembly, primitives);
  for (uint32_t i = 0; i < (parallel ? m.threads : 1); ++i) m.front(i).begin(d);
  Statistics* const statistics = d.state->statistics;
  if (statistics) m.forgetStatistics();
  if (m.attachments.viewMask) {
    for (uint32_t mask = m.attachments.viewMask; mask; mask &= mask - 1) {
      m.runBatches(d, primitives, uint32_t(std::countr_zero(mask)));
    }
  } else {
    m.runBatches(d, primitives, 0);
  }
  if (statistics) m.addStatistics(*statistics);
}

bool RenderPass::flush() {
  impl_->runTiles();
  return impl_->forgetDraws();
}

bool RenderPass::finish(const AttachmentResolve* resolves, size_t count) {
  Impl& m = *impl_;
  const bool planned = m.runTiles(true, resolves, count);
  const bool ok = m.forgetDraws();
  for (size_t i = 0; i < count; ++i)
    if (!planned || tileAttachmentOf(m.attachments, m.plan, resolves[i]) == Attachments::count)
      resolveAttachment(m.pool, resolves[i], m.attachments.renderArea, m.attachments.layers, m.attachments.viewMask);
  return ok;
}

bool RenderPass::Impl::forgetDraws() {
  for (auto& record : draws) freeDraws.push_back(std::move(record));
  draws.clear();
  clearedColors = 0;
  clearsDepthStencil = leavesOneTexel = false;
  arena.reset();
  const bool ok = !cancelled;
  cancelled = false;
  return ok;
}

}  // namespace etzel::raster
