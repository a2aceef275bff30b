// A window of an X server, as applications make one: with libxcb, or with Xlib on a connection of its own. No linking:
// the libraries are opened when somebody asks for them.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/out_of_memory/gpu.h"

namespace oom {

/// Whether the libraries for windows are there. They are closed again, so that the driver finds none open.
bool windowLibraries();
/// Whether DISPLAY names an X server. This process stays its client: one that loses its last client begins anew, and
/// takes no others meanwhile.
bool windowServer();

enum class WindowApi { Xcb, Xlib };

class Window {
 public:
  Window() = default;
  ~Window() { close(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// The window is shown, over all others, where no other place's is. \returns VK_ERROR_INITIALIZATION_FAILED without
  /// a server.
  VkResult open(WindowApi api, VkExtent2D size, unsigned place);
  void close();
  VkResult makeSurface(const Gpu& gpu, VkSurfaceKHR* out) const;
  bool presentable(const Gpu& gpu) const;
  /// The server has done it when this returns.
  VkResult resize(VkExtent2D size);
  /// Whether the server shows this colour (0xRRGGBB) everywhere in the window: VK_ERROR_UNKNOWN if not.
  /// It asks for small answers only, for which libxcb has room whatever else has none.
  VkResult shows(uint32_t colour) const;

 private:
  bool readRow(uint32_t y, std::vector<uint32_t>& pixels) const;
  void* display_ = nullptr;  ///< Xlib's
  void* connection_ = nullptr;
  uint32_t window_ = 0, visual_ = 0;
  VkExtent2D size_{};
};

}  // namespace oom
