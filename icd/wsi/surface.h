// Surfaces: xcb, xlib, Wayland and headless windows, in the loader's own structures (vk_icd.h), and what they can do.
#pragma once

#include <xcb/xcb.h>

#include <span>

#include "icd/object/object.h"

struct wl_display;
struct wl_surface;

namespace etzel::icd {

/// What a surface handle of the loader points at.
struct SurfaceView {
  enum class System { Headless, X, Wayland } system = System::Headless;
  xcb_connection_t* connection = nullptr;
  xcb_window_t window = 0;
  wl_display* display = nullptr;
  wl_surface* surface = nullptr;
};
SurfaceView viewSurface(VkSurfaceKHR surface);

/// Capabilities now; VK_ERROR_SURFACE_LOST_KHR when the window is gone.
VkResult surfaceCapabilities(VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR* capabilities);
std::span<const VkSurfaceFormatKHR> surfaceFormats();
std::span<const VkPresentModeKHR> presentModes();

}  // namespace etzel::icd
