// An X11 window as a place to put pixels: its size, and how a frame gets there (the picture's own memory where the
// server can map it, else a copy in shared memory, else the socket). One thread at a time.
#pragma once

#include <xcb/xcb.h>

#include <memory>
#include <vector>

#include "icd/wsi/target.h"

namespace etzel::icd {

/// Asks the server for the window's size.
WindowSize windowSize(xcb_connection_t* connection, xcb_window_t window);
/// Whether windows of this visual can be presented to: 24 or 32 bits of depth, blue lowest.
bool visualPresentable(xcb_connection_t* connection, xcb_visualid_t visual);

/// Frame buffers on their way to one window.
class WindowTarget final : public PictureTarget {
 public:
  WindowTarget(xcb_connection_t* connection, xcb_window_t window);
  ~WindowTarget() override;
  WindowTarget(const WindowTarget&) = delete;
  WindowTarget& operator=(const WindowTarget&) = delete;

  std::byte* frame(uint32_t width, uint32_t height) override;
  bool take(const SharedPicture& picture) override;
  WindowSize put() override;
  bool alive() const override { return windowSize(connection_, window_).alive; }

 private:
  struct Shared;
  /// Memory of pictures that the server has mapped.
  struct Mapped {
    int memory;
    uint32_t segment;  ///< xcb_shm_seg_t
  };
  void share(size_t bytes);
  void releaseShared();
  uint32_t segmentOf(int memory);
  bool putPlain();

  xcb_connection_t* connection_;
  xcb_window_t window_;
  xcb_gcontext_t context_ = 0;
  uint8_t depth_ = 24;
  uint32_t width_ = 0, height_ = 0;  ///< of the frame
  uint32_t segment_ = 0;             ///< which the frame is in; 0: in plain_
  uint32_t offset_ = 0;              ///< of the frame in the segment, bytes
  uint32_t rowPixels_ = 0;           ///< from one row of it to the next
  bool useShared_ = false;
  bool mapsMemory_ = false;  ///< whether the server can map memory by its descriptor
  std::unique_ptr<Shared> shared_;
  std::vector<Mapped> mapped_;
  std::vector<std::byte> plain_;
};

}  // namespace etzel::icd
