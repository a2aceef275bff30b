// Multisampled rendering to single-sampled attachments ("Render Pass", VkMultisampledRenderToSingleSampledInfoEXT): the
// implicit multisampled images that draws of a render pass instance go to in place of single-sampled attachments.
// PassInstance decides when they are loaded and resolved. Used on a queue's thread.
#pragma once

#include <memory>
#include <vector>

#include "icd/memory/resources.h"

namespace etzel::icd {

/// Stands for one attachment with `samples` samples. Memory is never touched before it is drawn to, and kept from one
/// render pass instance to the next.
struct ImplicitImage {
  const ImageView* attachment = nullptr;  ///< null: a spare
  mem::ImageLayout layout;
  tex::ImageView main, stencil;  ///< as ImageView::attachment and stencilAttachment
  bool current = false;          ///< holds what draws see; otherwise the attachment does
  std::byte* memory = nullptr;

  ImplicitImage() = default;
  ImplicitImage(const ImplicitImage&) = delete;
  ImplicitImage& operator=(const ImplicitImage&) = delete;
  ~ImplicitImage();
};

class ImplicitImages {
 public:
  /// The image of an attachment, made when it has none with that many samples.
  /// \throws std::bad_alloc: its samples have no other place, so nothing right could be drawn
  ImplicitImage* of(const ImageView& attachment, uint32_t samples);
  /// The image of an attachment, or null.
  ImplicitImage* find(const ImageView& attachment);
  /// A subpass has loaded its images, or resolved them.
  void setCurrent(bool current);
  /// The render pass instance is over: images become spares, unused spares go.
  void forget();

  /// The view through which a shader reads an input attachment of a subpass with `samples` samples: of the implicit
  /// image, or one whose samples are all the single-sampled texel. `view`, `plane`: to be filled; `original`: single-
  /// sampled.
  void inputView(const tex::ImageView& original, uint32_t samples, tex::ImageView& view, mem::PlaneLayout& plane) const;

 private:
  std::vector<std::unique_ptr<ImplicitImage>> used_, spare_;
};

}  // namespace etzel::icd
