// Views of images whose blocks are decoded while they are sampled (mem::DecodedImage). Such a view is one of the
// decoded texels, but closed as long as these are not complete: neither compiled code nor the eight-lane paths know it,
// so every instruction comes to the texture units' entry, which takes a view of the blocks instead. Then it is opened,
// once and for all, while others may be reading it: what is closed and opened are its members that say what is known of
// it, one by one, and each of them is true by then. Compiled code does not ask for what was written before: only hosts
// whose loads are in order (simd::kLoadsInOrder) have such views.
#pragma once

#include <atomic>
#include <memory>

#include "runtime/mem/decoded_image.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

class Decoding {
 public:
  /// Makes a prepared view of blocks one of the decoded texels, where the blocks are decoded alike whatever the view's
  /// format is. \returns null: nothing happened. The view does not move as long as this lives
  static std::unique_ptr<Decoding> begin(ImageView& view, mem::DecodedImage& image);

  /// The view as its image is stored.
  const ImageView& blocks() const { return blocks_; }
  /// The view that instructions read now. Decodes some blocks, if any are left, and opens the view behind the last one.
  const ImageView& readable();

 private:
  Decoding(ImageView& view, mem::DecodedImage& image) : view_(view), blocks_(view), image_(image) {}
  void close();
  void open();

  ImageView& view_;
  const ImageView blocks_;
  mem::DecodedImage& image_;
  abi::DirectView direct_;  ///< of the opened view
  format::TexelLayout layout_ = format::TexelLayout::None;
  std::atomic<bool> open_{false};
};

/// The view as its image is stored: what debuggers show. Null stays null.
inline const ImageView* asStored(const ImageView* view) {
  return view && view->decoding ? &view->decoding->blocks() : view;
}

}  // namespace etzel::tex
