// Tells a history what a copy, blit, resolve or clear outside of render passes does to its pixel.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include "icd/debug/history.h"
#include "icd/debug/memory_place.h"

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

/// Texels that a command has written, for data breakpoints on those of images that shaders store to.
struct WrittenTexels {
  const Image* image = nullptr;
  WrittenRegion region;
  bool hold(const MemoryPlace::Texel& texel) const;
};
void showTexelWrite(const char* command, const WrittenTexels& texels, std::atomic<uint32_t>* progress);

/// Bytes of a buffer, from the region's offset on, that a copy of an image writes.
uint64_t bufferBytes(const Image& from, const VkBufferImageCopy2& region);

/// Lives while a command writes a region of an image. Debuggers that watch what it has written stop at its end.
class TransferHistory {
 public:
  /// `command`: the one of the API. `from`: null without a source image. `progress` is the queue's.
  template <class Region>
  TransferHistory(const char* command, const Image* from, const Image& to, const Region& region,
                  std::atomic<uint32_t>* progress) {
    if (historyPossible()) begin(command, from, to, writtenBy(region), progress);
  }
  ~TransferHistory() {
    if (command_) end();
  }
  TransferHistory(const TransferHistory&) = delete;
  TransferHistory& operator=(const TransferHistory&) = delete;

 private:
  void begin(const char* command, const Image* from, const Image& to, const WrittenRegion& region,
             std::atomic<uint32_t>* progress);
  void tellPixel(const Image* from);
  void end();

  const char* command_ = nullptr;  ///< null: nobody looks
  WrittenTexels written_;
  std::atomic<uint32_t>* progress_ = nullptr;
  const HistorySubject* subject_ = nullptr;
  ListedImage image_;
  JsonObject head_;
  std::vector<TouchedImage> images_;
};

}  // namespace etzel::icd

#endif
