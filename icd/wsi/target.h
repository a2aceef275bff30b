// Where the pictures of a swapchain go: a window of some window system. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace etzel::icd {

/// Frame buffers on their way to one window.
class PictureTarget {
 public:
  virtual ~PictureTarget() = default;
  /// Memory for a frame of that size, rows of width * 4 bytes without padding, blue lowest. Valid until the next call.
  /// Null: nobody has taken the frames before, or none can be made; this one is not shown (alive() knows why).
  virtual std::byte* frame(uint32_t width, uint32_t height) = 0;
  /// Shows the frame. \returns false when the window is gone or the connection broke.
  virtual bool put() = 0;
  /// Whether there are a window and a connection to it still.
  virtual bool alive() const = 0;
};

}  // namespace etzel::icd
