// A render pass instance while it runs: load operations, subpasses, resolves, for VkRenderPass and for dynamic
// rendering alike ("Render Pass"). It tells the rasterizer what the attachments are; draws go to raster().
// Used by Replay on its queue's thread.
#pragma once

#include <vector>

#include "icd/cmd/pass/implicit_images.h"
#include "icd/debug/pass_watch.h"
#include "icd/render_pass/render_pass.h"
#include "raster/pass/render_pass.h"

namespace etzel::icd {

/// One attachment of vkCmdBeginRendering, copied from VkRenderingAttachmentInfo.
struct RenderingAttachment {
  ImageView* view = nullptr;
  ImageView* resolveView = nullptr;
  VkResolveModeFlagBits resolveMode = VK_RESOLVE_MODE_NONE;
  bool skipsTransferFunction = false;  ///< when it is resolved
  VkAttachmentLoadOp loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  VkAttachmentStoreOp storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkClearValue clearValue{};
};
struct RenderingInstance {
  VkRenderingFlags flags = 0;
  VkRect2D area{};
  uint32_t layers = 1, viewMask = 0, colorCount = 0;
  uint32_t implicitSamples = 0;  ///< Subpass::implicitSamples
  RenderingAttachment color[raster::kMaxColorAttachments], depth, stencil;
  const ImageView* shadingRate = nullptr;
  VkExtent2D shadingRateTexel{};  ///< pixels that a texel of it stands for
  raster::DensityAttachment density;
};

class PassInstance {
 public:
  /// `progress`: of the queue, for what sleeps while somebody looks at the pass.
  PassInstance(task::Pool* pool, std::atomic<uint32_t>* progress) : pool_(pool), progress_(progress), raster_(pool) {}

  /// vkCmdBeginRenderPass2 up to the first subpass. `views` has one entry per attachment of `pass`, `clears` may have
  /// fewer; `density` has what the pass does not know of its density map.
  void begin(const RenderPass* pass, ImageView* const* views, uint32_t viewCount, const VkRect2D& area, uint32_t layers,
             const VkClearValue* clears, uint32_t clearCount, raster::DensityAttachment density = {});
  /// Both run what is pending. \returns false when the watchdog cancelled it.
  bool nextSubpass();
  bool end();

  void beginRendering(const RenderingInstance& info);
  /// vkCmdBeginCustomResolveEXT: runs what is pending; what follows goes to the images that attachments are resolved
  /// to. \returns false when the watchdog cancelled it.
  bool beginCustomResolve();
  bool endRendering();
  /// vkCmdSetRenderingAttachmentLocations: until the instance ends. Null: every attachment its own.
  void setColorLocations(const uint32_t* locations, uint32_t count);

  bool active() const { return active_; }
  const raster::Attachments& attachments() const { return attachments_; }
  /// Views of the current subpass: 1 without multiview.
  uint32_t viewCount() const;
  raster::RenderPass& raster() { return raster_; }
  /// Samples of the implicit images that draws go to; 0 without multisampled rendering to single-sampled attachments.
  uint32_t implicitSamples() const { return implicitSamples_; }
  const ImplicitImages& implicitImages() const { return implicit_; }
  /// Without attachments the pipeline says how many samples there are; call before a draw.
  void setSamplesWithoutAttachments(uint32_t samples);

  /// vkCmdClearAttachments.
  void clear(const VkClearAttachment& clear, const VkClearRect* rects, uint32_t count);
  bool flush() { return raster_.flush(); }
  /// Who looks at what draws do; null: nobody does.
  PassWatch* watch() { return watch_.get(); }
  void abandon();

 private:
  void beginSubpass();
  bool endSubpass();
  void start();
  struct Planes {
    const tex::ImageView* main = nullptr;  ///< colour or depth
    const tex::ImageView* stencil = nullptr;
  };
  ImplicitImage* implicitFor(const ImageView& view);
  Planes drawnTo(const ImageView& view);
  void loadSubpassAttachments(const Subpass& subpass);
  void replicate(ImplicitImage& image, VkImageAspectFlags aspects, uint32_t views);
  void resolveImplicit(const Subpass& subpass);
  bool usedAfter(uint32_t attachment) const;
  void prepareRendering(const RenderingAttachment& attachment, VkImageAspectFlagBits aspect, bool resuming);
  void attach(const ImageView* depth, const ImageView* stencil);
  void attachShadingRate(const ImageView* view, VkExtent2D texel);
  void noteContents(const Subpass& subpass);
  void noteContents(uint32_t bit, const ImageView& view, VkAttachmentLoadOp load, VkAttachmentStoreOp store);
  void clearAlone(const ImageView* view, Planes planes, VkImageAspectFlags aspects, const VkClearValue& value,
                  uint32_t views);
  void clearBound(uint32_t color, VkImageAspectFlags aspects, const VkClearValue& value, raster::ClearRect rect);
  bool skipsTransferFunction(const AttachmentReference& resolved) const;
  void addResolve(raster::AttachmentResolve resolve);

  task::Pool* pool_;
  std::atomic<uint32_t>* const progress_;
  raster::RenderPass raster_;
  std::unique_ptr<PassWatch> watch_;  ///< of the attachments that the rasterizer has
  raster::Attachments attachments_;
  bool active_ = false;
  bool hasAttachments_ = false;
  VkRect2D area_{};
  uint32_t layers_ = 1;
  std::vector<raster::AttachmentResolve> resolves_;
  ImplicitImages implicit_;
  uint32_t implicitSamples_ = 0;  ///< of the current subpass
  bool suspending_ = false;
  /// Of dynamic rendering: where VK_RESOLVE_MODE_CUSTOM_BIT_EXT resolves colours, depth and stencil to.
  const ImageView* custom_[raster::Attachments::count] = {};

  const RenderPass* pass_ = nullptr;
  raster::DensityAttachment density_;  ///< of pass_
  uint32_t subpass_ = 0;
  std::vector<ImageView*> views_;
  std::vector<VkClearValue> clears_;
  std::vector<uint32_t> loaded_;  ///< per attachment: views whose load operation is done (bit 0 without multiview)
};

}  // namespace etzel::icd
