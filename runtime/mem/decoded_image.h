// The texels of an image of compressed blocks, decoded. Texture units decode a block each time that its texels are
// asked for; of images that are sampled often they decode all blocks, a few with each sample, and sample what is
// decoded from then on, as an image of plain texels. So nobody ever waits until an image is decoded, and images that
// are hardly sampled cost little. Blocks that are written later are decoded at once.
//
// Any thread, but the application orders writes to blocks and reads of their texels, as for every image.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <shared_mutex>

#include "runtime/mem/image_layout.h"

namespace etzel::mem {

/// Blocks [x, x + columns) of the rows [y, y + rows) in layers [layer, layer + layers) of a level.
struct BlockArea {
  uint32_t level = 0, layer = 0, layers = 0, x = 0, y = 0, columns = 0, rows = 0;
};

class DecodedImage {
 public:
  /// Of a flat image with one sample a pixel. Only reserves addresses.
  /// \param blocks, memory of the image, which outlives this
  /// \returns null: the format is not compressed, or there are no addresses
  static std::unique_ptr<DecodedImage> create(const ImageLayout& blocks, const std::byte* memory);
  ~DecodedImage();
  DecodedImage(const DecodedImage&) = delete;
  DecodedImage& operator=(const DecodedImage&) = delete;

  const format::FormatInfo& blockFormat() const { return *blockFormat_; }
  /// Where texels lie (of format::decodedFormat()), once complete().
  const ImageLayout& layout() const { return layout_; }
  std::byte* memory() const { return memory_; }

  bool complete() const { return complete_.load(std::memory_order_acquire); }
  /// There is not enough memory: it will not become complete.
  bool refused() const { return admission_.load(std::memory_order_relaxed) == Admission::Refused; }
  /// Decodes up to 16 blocks that nobody has decoded. \pre the blocks' image is being read
  void advance();

  /// Blocks have been written. \returns whether they are to be decoded again by decode(), before anybody reads them;
  /// else nobody has decoded them yet, or this did it
  bool written(const BlockArea& area);
  /// Decodes blocks of a row.
  void decode(uint32_t level, uint32_t layer, uint32_t y, uint32_t x, uint32_t columns);

 private:
  enum class Admission : uint8_t { Unknown, Admitted, Refused };
  DecodedImage(const ImageLayout& blocks, const std::byte* memory);
  bool admit();
  void decodeUnit(uint64_t unit);

  const ImageLayout& blocks_;
  const std::byte* const blockMemory_;
  const format::FormatInfo* const blockFormat_;
  ImageLayout layout_;
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;
  std::array<uint64_t, kMaxMips + 1> firstUnit_{};  ///< of a level in a layer; behind the last one the units of a layer
  uint64_t units_ = 0;                              ///< pieces of rows, of all layers
  std::shared_mutex mutex_;                         ///< shared: blocks are decoded for the first time
  std::atomic<uint64_t> next_{0}, done_{0};
  std::atomic<Admission> admission_{Admission::Unknown};
  std::atomic<bool> complete_{false};
};

}  // namespace etzel::mem
