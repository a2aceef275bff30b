// The rasterizer under test: images in memory, real render passes with a pool of threads, transfers, and the texture
// units for what shaders read and write.
#pragma once

#include <atomic>

#include "raster/model/checking_probe.h"
#include "raster/model/operation.h"
#include "raster/model/plain_image.h"
#include "raster/pass/render_pass.h"
#include "runtime/transfer/transfer.h"

namespace etzel::raster::model {

struct DrawKernels;

class Device {
 public:
  Device(const World& world, task::Pool* pool);
  ~Device();
  /// \returns what the operation observes; draws run at the latest in finish()
  std::vector<uint32_t> run(const Sequence& sequence, const Operation& operation);
  /// Ends the render pass instance, if any.
  void finish();
  bool ok() const { return ok_; }
  uint64_t samplesPassed() const { return statistics_.samplesPassed; }
  /// Passes whose tiles ran on more than one thread.
  uint32_t parallelFlushes() const { return parallelFlushes_; }
  /// Every fourth world has passes with a probe somewhere.
  const CheckingProbe& probe() const { return probe_; }

  /// Compares pixels of all layers and aspects of an image. \returns a description of the first difference, or nothing
  std::string compare(ImageId id, const Rect& rect, PlainPlane& depthOrColor, PlainPlane& stencil);

 private:
  struct Image {  // never moves: views point into it
    mem::ImageLayout layout;
    std::vector<std::byte> memory;
    tex::ImageView view[2];  ///< all layers: colour or depth, stencil
    tex::Sampler sampler;
  };

  void makeImage(ImageId id);
  void begin(const Pass& pass);
  void flush(bool last = false);
  void draw(const Pass& pass, const Draw& draw);
  tex::ImageView& viewOf(ImageId id, VkImageAspectFlags aspect);
  transfer::Image transferImage(ImageId id) { return {&images_[id]->layout, images_[id]->memory.data()}; }
  std::string comparePlane(ImageId id, const Rect& rect, const mem::PlaneLayout& real, PlainPlane& plain);

  std::vector<uint32_t> bufferCopy(const Operation& o);
  std::vector<uint32_t> storeSamples(const Operation& o);
  std::vector<uint32_t> atomicAdd(const Operation& o);
  std::vector<uint32_t> fetchSamples(const Operation& o);
  std::vector<uint32_t> fetchFragments(const Operation& o);

  World world_;
  task::Pool* pool_;
  std::unique_ptr<Image> images_[kImageCount];
  std::vector<abi::ImageDescriptor> table_;  ///< two for each image
  RenderPass renderPass_;
  bool inPass_ = false, ok_ = true;
  uint32_t pass_ = 0;
  CheckingProbe probe_;
  tex::ImageView attachments_[4];
  std::vector<std::shared_ptr<DrawKernels>> kernels_;  ///< until the flush
  Statistics statistics_;
  std::atomic<uint32_t> shadedBy_{0};  ///< a bit for each thread since the last flush
  uint32_t parallelFlushes_ = 0;
};

}  // namespace etzel::raster::model
