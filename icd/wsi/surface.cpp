// Xlib's macros must not reach our headers: everything of ours comes first.
#include "runtime/mem/image_layout.h"

#define VK_USE_PLATFORM_WAYLAND_KHR
#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#include "icd/wsi/surface.h"

#include <X11/Xlib.h>

#include "icd/wsi/wayland_window.h"
#include "icd/wsi/window.h"
#include "icd/wsi/x_library.h"

namespace etzel::icd {

SurfaceView viewSurface(VkSurfaceKHR surface) {
  const auto* base = reinterpret_cast<const VkIcdSurfaceBase*>((uintptr_t)surface);
  if (base->platform == VK_ICD_WSI_PLATFORM_XCB) {
    const auto* s = reinterpret_cast<const VkIcdSurfaceXcb*>(base);
    return {SurfaceView::System::X, s->connection, s->window};
  }
  if (base->platform == VK_ICD_WSI_PLATFORM_XLIB) {
    const auto* s = reinterpret_cast<const VkIcdSurfaceXlib*>(base);
    return {SurfaceView::System::X, xLibrary()->XGetXCBConnection(s->dpy), static_cast<xcb_window_t>(s->window)};
  }
  if (base->platform == VK_ICD_WSI_PLATFORM_WAYLAND) {
    const auto* s = reinterpret_cast<const VkIcdSurfaceWayland*>(base);
    return {.system = SurfaceView::System::Wayland, .display = s->display, .surface = s->surface};
  }
  return {};
}

VkResult surfaceCapabilities(VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR* c) {
  const SurfaceView view = viewSurface(surface);
  *c = {};
  c->minImageCount = 2;
  c->maxImageCount = 0;
  if (view.system != SurfaceView::System::X) {
    if (view.display && !connectionStands(view.display)) return VK_ERROR_SURFACE_LOST_KHR;
    // "vkCreateHeadlessSurfaceEXT", "vkCreateWaylandSurfaceKHR": the swapchain decides the extent.
    c->currentExtent = {~0u, ~0u};
    c->minImageExtent = {1, 1};
    c->maxImageExtent = {mem::kMaxImageExtent, mem::kMaxImageExtent};
  } else {
    const WindowSize size = windowSize(view.connection, view.window);
    if (!size.alive) return VK_ERROR_SURFACE_LOST_KHR;
    c->currentExtent = c->minImageExtent = c->maxImageExtent = {size.width, size.height};
  }
  c->maxImageArrayLayers = 1;
  c->supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  c->currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  c->supportedCompositeAlpha = view.system == SurfaceView::System::Wayland
                                   ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR
                                   : VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  c->supportedUsageFlags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                           VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  return VK_SUCCESS;
}

std::span<const VkSurfaceFormatKHR> surfaceFormats() {
  static constexpr VkSurfaceFormatKHR kFormats[] = {
      {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
      {VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
      {VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
      {VK_FORMAT_R8G8B8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
  };
  return kFormats;
}

std::span<const VkPresentModeKHR> presentModes() {
  static constexpr VkPresentModeKHR kModes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                                VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_FIFO_RELAXED_KHR,
                                                VK_PRESENT_MODE_FIFO_LATEST_READY_KHR};
  return kModes;
}

}  // namespace etzel::icd
