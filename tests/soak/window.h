// A window of an X server that changes its size, where there is a display (xvfb-run brings one). No linking: libxcb is
// opened when a window is asked for.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace etzel::soak {

class Window {
 public:
  /// Whether DISPLAY names a server.
  static bool possible();
  static const char* instanceExtension();

  /// Throws vktest::Failure.
  Window(uint32_t width, uint32_t height);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Of an instance with that extension; lives less long than the window.
  VkSurfaceKHR makeSurface(VkInstance instance) const;
  /// The server has done it when this returns.
  void resize(uint32_t width, uint32_t height) const;

 private:
  uint32_t window_ = 0;
};

}  // namespace etzel::soak
