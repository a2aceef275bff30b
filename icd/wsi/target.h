// Where the pictures of a swapchain go: a window of some window system. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace etzel::icd {

struct WindowSize {
  uint32_t width = 0, height = 0;
  bool alive = false;  ///< false: the window is gone, or the connection broke
};

/// A picture in memory that other processes can map, blue lowest.
struct SharedPicture {
  int memory = -1;      ///< descriptor of the memory; the same one as long as it is the same memory
  size_t offset = 0;    ///< bytes
  size_t rowBytes = 0;  ///< from one row to the next
  uint32_t width = 0, height = 0;
};

/// Frame buffers on their way to one window.
class PictureTarget {
 public:
  virtual ~PictureTarget() = default;
  /// Memory for a frame of that size, rows of width * 4 bytes without padding, blue lowest. Valid until the next call.
  /// Null: nobody has taken the frames before, or none can be made; this one is not shown (alive() knows why).
  virtual std::byte* frame(uint32_t width, uint32_t height) = 0;
  /// Makes a picture the frame where it lies; nobody may write to it before put() returned. \returns false where it has
  /// to be copied to a frame()
  virtual bool take(const SharedPicture&) { return false; }
  /// Shows the frame. \returns the size that the window has then
  virtual WindowSize put() = 0;
  /// Whether there are a window and a connection to it still.
  virtual bool alive() const = 0;
};

}  // namespace etzel::icd
