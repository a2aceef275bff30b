// An X11 window as a place to put pixels: its size, and how a frame gets there (shared memory where the server has it,
// else the socket). One thread at a time.
#pragma once

#include <xcb/xcb.h>

#include <memory>
#include <vector>

#include "icd/wsi/target.h"

namespace etzel::icd {

struct WindowSize {
  uint32_t width = 0, height = 0;
  bool alive = false;  ///< false: the window is gone
};

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
  bool put() override;
  bool alive() const override { return windowSize(connection_, window_).alive; }

 private:
  struct Shared;
  void share(size_t bytes);
  void releaseShared();

  xcb_connection_t* connection_;
  xcb_window_t window_;
  xcb_gcontext_t context_ = 0;
  uint8_t depth_ = 24;
  uint32_t width_ = 0, height_ = 0;
  bool useShared_ = false;
  std::unique_ptr<Shared> shared_;
  std::vector<std::byte> plain_;
};

}  // namespace etzel::icd
