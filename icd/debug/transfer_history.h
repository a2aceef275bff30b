// Tells a history what a copy, blit, resolve or clear outside of render passes does to its pixel.
#pragma once

#include "icd/debug/history.h"

namespace etzel::icd {

/// The part of an image that a command writes.
struct WrittenRegion {
  VkImageAspectFlags aspects = 0;
  uint32_t mip = 0, layer = 0, layers = 1;
  int64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< pixels, the end exclusive
  int64_t fromX = 0, fromY = 0;            ///< what is added to a pixel to get the one that it is copied of
  bool hasSource = false;                  ///< fromX and fromY mean something
};
WrittenRegion writtenBy(const VkImageCopy2& region);
WrittenRegion writtenBy(const VkImageResolve2& region);
WrittenRegion writtenBy(const VkImageBlit2& region);
WrittenRegion writtenBy(const VkBufferImageCopy2& region);
WrittenRegion writtenBy(const VkImageSubresourceRange& range);

/// Lives while a command writes a region of an image.
class TransferHistory {
 public:
  /// `command`: the one of the API. `from`: null without a source image.
  template <class Region>
  TransferHistory(const char* command, const Image* from, const Image& to, const Region& region) {
    if (wantedHistory()) begin(command, from, to, writtenBy(region));
  }
  ~TransferHistory() {
    if (!images_.empty()) end();
  }
  TransferHistory(const TransferHistory&) = delete;
  TransferHistory& operator=(const TransferHistory&) = delete;

 private:
  void begin(const char* command, const Image* from, const Image& to, const WrittenRegion& region);
  void end();

  const HistorySubject* subject_ = nullptr;
  ListedImage image_;
  JsonObject head_;
  std::vector<TouchedImage> images_;
};

}  // namespace etzel::icd
