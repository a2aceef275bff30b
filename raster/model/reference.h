// What the specification says that operations do, sample by sample, without any of the rasterizer's code: coverage from
// cross products, depth from its plane in the order of operations that bin.h promises, tests and blending one sample
// after the other. Conversions of formats other than plain bytes are the format table's, which has its own tests.
#pragma once

#include <array>

#include "raster/model/plain_image.h"
#include "raster/model/shader.h"

namespace etzel::raster::model {

class Reference {
 public:
  explicit Reference(const World& world);
  /// \returns what the operation observes; for draws nothing
  std::vector<uint32_t> run(const Sequence& sequence, const Operation& operation);

  /// The aspect of an image; false where the format lacks it.
  PlainPlane& plane(ImageId id, VkImageAspectFlags aspect) {
    return aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? stencil_[id] : planes_[id];
  }
  /// Samples that passed all tests of draws that count them.
  uint64_t samplesPassed() const { return samplesPassed_; }
  /// What may have changed since the last call, for each image: pixels, in all layers.
  std::array<Rect, kImageCount> takeChanges();

 private:
  void draw(const Pass& pass, const Draw& draw);
  void triangle(const Pass& pass, const Draw& draw, const Triangle& triangle, uint32_t layer);
  void clearAttachment(const Pass& pass, const Operation& o);
  void clear(ImageId id, VkImageAspectFlags aspects, const VkClearValue& value, const Rect& rect, uint32_t layer);
  void copy(const Operation& o);
  void resolve(const Operation& o, uint32_t fromLayer, uint32_t toLayer);
  void replicate(const Operation& o, uint32_t layer);
  void changed(ImageId id, const Rect& rect);

  World world_;
  PlainPlane planes_[kImageCount];  ///< colour, depth
  PlainPlane stencil_[kImageCount];
  std::array<Rect, kImageCount> changes_;
  uint64_t samplesPassed_ = 0;
};

/// Colour output of one sample ("Blending", "Logical Operations", write mask): what `old` becomes. \pre the fragment
/// writes this attachment
void writeSample(const DrawState& state, uint32_t attachment, PlainPlane& plane, const Outputs& shaded, std::byte* old);

}  // namespace etzel::raster::model
