// VK_KHR_surface, VK_KHR_xcb_surface, VK_KHR_xlib_surface, VK_KHR_wayland_surface, VK_EXT_headless_surface,
// VK_KHR_get_surface_capabilities2, VK_KHR_surface_maintenance1.
// Xlib's macros must not reach it.
#include "runtime/mem/image_layout.h"

#define VK_USE_PLATFORM_WAYLAND_KHR
#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#include <X11/Xlib.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/enumerate.h"
#include "icd/object/shared_memory.h"
#include "icd/physical_device/formats.h"
#include "icd/wsi/present_timing.h"
#include "icd/wsi/surface.h"
#include "icd/wsi/window.h"
#include "icd/wsi/x_library.h"

namespace etzel::icd {

namespace {

template <class S>
VkResult makeSurface(VkInstance instance, const VkAllocationCallbacks* callbacks, S value, VkIcdWsiPlatform platform,
                     VkSurfaceKHR* surface) {
  if (!callbacks) callbacks = cast<Instance>(instance)->allocator();
  S* s = create<S>(callbacks, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT, value);
  if (!s) return VK_ERROR_OUT_OF_HOST_MEMORY;
  s->base.platform = platform;
  *surface = std::bit_cast<VkSurfaceKHR>(s);
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateXcbSurface(VkInstance instance, const VkXcbSurfaceCreateInfoKHR* info,
                                                const VkAllocationCallbacks* callbacks, VkSurfaceKHR* surface) {
  VkIcdSurfaceXcb s{};
  s.connection = info->connection;
  s.window = info->window;
  return makeSurface(instance, callbacks, s, VK_ICD_WSI_PLATFORM_XCB, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateXlibSurface(VkInstance instance, const VkXlibSurfaceCreateInfoKHR* info,
                                                 const VkAllocationCallbacks* callbacks, VkSurfaceKHR* surface) {
  VkIcdSurfaceXlib s{};
  s.dpy = info->dpy;
  s.window = info->window;
  return makeSurface(instance, callbacks, s, VK_ICD_WSI_PLATFORM_XLIB, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateWaylandSurface(VkInstance instance, const VkWaylandSurfaceCreateInfoKHR* info,
                                                    const VkAllocationCallbacks* callbacks, VkSurfaceKHR* surface) {
  VkIcdSurfaceWayland s{};
  s.display = info->display;
  s.surface = info->surface;
  return makeSurface(instance, callbacks, s, VK_ICD_WSI_PLATFORM_WAYLAND, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateHeadlessSurface(VkInstance instance, const VkHeadlessSurfaceCreateInfoEXT*,
                                                     const VkAllocationCallbacks* callbacks, VkSurfaceKHR* surface) {
  return makeSurface(instance, callbacks, VkIcdSurfaceHeadless{}, VK_ICD_WSI_PLATFORM_HEADLESS, surface);
}

VKAPI_ATTR void VKAPI_CALL DestroySurface(VkInstance instance, VkSurfaceKHR surface,
                                          const VkAllocationCallbacks* callbacks) {
  freeHost(callbacks ? callbacks : cast<Instance>(instance)->allocator(), std::bit_cast<void*>(surface));
}

VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceXcbPresentationSupport(VkPhysicalDevice, uint32_t,
                                                                       xcb_connection_t* connection,
                                                                       xcb_visualid_t visual) {
  return visualPresentable(connection, visual);
}

VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceXlibPresentationSupport(VkPhysicalDevice, uint32_t, Display* dpy,
                                                                        VisualID visual) {
  return visualPresentable(xLibrary()->XGetXCBConnection(dpy), static_cast<xcb_visualid_t>(visual));
}

VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceWaylandPresentationSupport(VkPhysicalDevice, uint32_t, wl_display*) {
  return systemSharesMemory();
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceSupport(VkPhysicalDevice, uint32_t, VkSurfaceKHR,
                                                               VkBool32* supported) {
  *supported = VK_TRUE;  // every queue can present: the picture is in host memory
  return VK_SUCCESS;
}

namespace {

/// A window's pictures may have any size; a headless surface's are never shown, and a Wayland surface is as large as
/// they are, so none is scaled.
void fillScaling(VkSurfaceKHR surface, const VkSurfaceCapabilitiesKHR& known,
                 VkSurfacePresentScalingCapabilitiesKHR& s) {
  s.supportedPresentScaling = 0;
  s.supportedPresentGravityX = s.supportedPresentGravityY = 0;
  s.minScaledImageExtent = known.minImageExtent;
  s.maxScaledImageExtent = known.maxImageExtent;
  if (viewSurface(surface).system != SurfaceView::System::X) return;
  s.supportedPresentScaling = VK_PRESENT_SCALING_ONE_TO_ONE_BIT_KHR | VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_KHR |
                              VK_PRESENT_SCALING_STRETCH_BIT_KHR;
  s.supportedPresentGravityX = s.supportedPresentGravityY =
      VK_PRESENT_GRAVITY_MIN_BIT_KHR | VK_PRESENT_GRAVITY_MAX_BIT_KHR | VK_PRESENT_GRAVITY_CENTERED_BIT_KHR;
  s.minScaledImageExtent = {1, 1};
  s.maxScaledImageExtent = {mem::kMaxImageExtent, mem::kMaxImageExtent};
}

/// All modes, as one thread shows the pictures of every mode, each at its own pace. The mode that was asked about comes
/// first, so that who has little room gets it. "VkSurfacePresentModeCompatibilityKHR": too little room is no error.
void fillCompatibleModes(const VkPhysicalDeviceSurfaceInfo2KHR& info, VkSurfacePresentModeCompatibilityKHR& s) {
  const auto modes = presentModes();
  std::vector<VkPresentModeKHR> all(modes.begin(), modes.end());
  if (const auto* asked = findNext<VkSurfacePresentModeKHR>(info.pNext, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR))
    if (const auto found = std::find(all.begin(), all.end(), asked->presentMode); found != all.end())
      std::rotate(all.begin(), found, found + 1);
  (void)enumerate(all, &s.presentModeCount, s.pPresentModes);
}

void fillCapabilities(const VkPhysicalDeviceSurfaceInfo2KHR& info, const VkSurfaceCapabilitiesKHR& known,
                      VkBaseOutStructure& out) {
  switch (uint32_t(out.sType)) {
    case VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR:
      reinterpret_cast<VkSurfaceProtectedCapabilitiesKHR&>(out).supportsProtected = VK_TRUE;
      break;
    case VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR:
      fillScaling(info.surface, known, reinterpret_cast<VkSurfacePresentScalingCapabilitiesKHR&>(out));
      break;
    case VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR:
      fillCompatibleModes(info, reinterpret_cast<VkSurfacePresentModeCompatibilityKHR&>(out));
      break;
    case VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR:
      reinterpret_cast<VkImageUsageFlags2CreateInfoKHR&>(out).usage = known.supportedUsageFlags;
      break;
    case VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR:
      reinterpret_cast<VkSurfaceCapabilitiesPresentId2KHR&>(out).presentId2Supported = VK_TRUE;
      break;
    case VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR:
      reinterpret_cast<VkSurfaceCapabilitiesPresentWait2KHR&>(out).presentWait2Supported = VK_TRUE;
      break;
    case VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT: {
      auto& s = reinterpret_cast<VkPresentTimingSurfaceCapabilitiesEXT&>(out);
      s.presentTimingSupported = s.presentAtAbsoluteTimeSupported = s.presentAtRelativeTimeSupported = VK_TRUE;
      s.presentStageQueries = kToldStages;
      break;
    }
    default: break;
  }
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceCapabilities2(VkPhysicalDevice,
                                                                     const VkPhysicalDeviceSurfaceInfo2KHR* info,
                                                                     VkSurfaceCapabilities2KHR* capabilities) {
  const VkResult r = surfaceCapabilities(info->surface, &capabilities->surfaceCapabilities);
  for (auto* next = static_cast<VkBaseOutStructure*>(capabilities->pNext); next && r == VK_SUCCESS; next = next->pNext)
    fillCapabilities(*info, capabilities->surfaceCapabilities, *next);
  return r;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceFormats(VkPhysicalDevice, VkSurfaceKHR, uint32_t* count,
                                                               VkSurfaceFormatKHR* formats) {
  return enumerate(surfaceFormats(), count, formats);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceFormats2(VkPhysicalDevice,
                                                                const VkPhysicalDeviceSurfaceInfo2KHR*, uint32_t* count,
                                                                VkSurfaceFormat2KHR* formats) {
  return enumerate(surfaceFormats(), count, formats, [](const VkSurfaceFormatKHR& from, VkSurfaceFormat2KHR& to) {
    to.surfaceFormat = from;
    // Whatever a swapchain's VkImageCompressionControlEXT says: its images have one sample a pixel.
    for (auto* s = static_cast<VkBaseOutStructure*>(to.pNext); s; s = s->pNext)
      if (s->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
        fillCompression(false, *reinterpret_cast<VkImageCompressionPropertiesEXT*>(s));
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfacePresentModes(VkPhysicalDevice, VkSurfaceKHR, uint32_t* count,
                                                                    VkPresentModeKHR* modes) {
  return enumerate(presentModes(), count, modes);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDevicePresentRectangles(VkPhysicalDevice, VkSurfaceKHR surface,
                                                                  uint32_t* count, VkRect2D* rects) {
  VkSurfaceCapabilitiesKHR c;
  if (const VkResult r = surfaceCapabilities(surface, &c); r != VK_SUCCESS) return r;
  const VkRect2D whole[1] = {{{0, 0}, c.currentExtent}};
  return enumerate(std::span<const VkRect2D>(whole), count, rects);
}

}  // namespace etzel::icd
