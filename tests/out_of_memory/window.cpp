#include "tests/out_of_memory/window.h"

#include <dlfcn.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>

// Without Xlib's macros (None, Bool, Status, ...).
extern "C" {
struct _XDisplay;
typedef struct _XDisplay Display;
typedef unsigned long VisualID;
using XlibWindow = unsigned long;
}
#define Window XlibWindow
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
#undef Window

namespace oom {
namespace {

constexpr const char* kLibraries[] = {"libxcb.so.1", "libX11.so.6", "libX11-xcb.so.1"};
enum { kXcb, kX11, kX11Xcb };

template <class F>
bool find(int library, const char* name, F& function) {
  void* opened = dlopen(kLibraries[library], RTLD_NOW);
  function = reinterpret_cast<F>(opened ? dlsym(opened, name) : nullptr);
  return function != nullptr;
}

struct Library {
  decltype(&xcb_connect) connect;
  decltype(&xcb_disconnect) disconnect;
  decltype(&xcb_connection_has_error) hasError;
  decltype(&xcb_get_file_descriptor) descriptor;
  decltype(&xcb_get_setup) setup;
  decltype(&xcb_setup_roots_iterator) roots;
  decltype(&xcb_generate_id) newId;
  decltype(&xcb_create_window) create;
  decltype(&xcb_map_window) map;
  decltype(&xcb_destroy_window) destroy;
  decltype(&xcb_configure_window) configure;
  decltype(&xcb_get_image) image;
  decltype(&xcb_get_image_reply) imageReply;
  decltype(&xcb_get_image_data) imageData;
  decltype(&xcb_get_image_data_length) imageBytes;
  Display* (*openDisplay)(const char*);
  int (*closeDisplay)(Display*);
  xcb_connection_t* (*connectionOf)(Display*);
  bool whole;
};

const Library& library() {
  static const Library all = [] {
    Library l{};
    l.whole = find(kXcb, "xcb_connect", l.connect) && find(kXcb, "xcb_disconnect", l.disconnect) &&
              find(kXcb, "xcb_connection_has_error", l.hasError) &&
              find(kXcb, "xcb_get_file_descriptor", l.descriptor) && find(kXcb, "xcb_get_setup", l.setup) &&
              find(kXcb, "xcb_setup_roots_iterator", l.roots) && find(kXcb, "xcb_generate_id", l.newId) &&
              find(kXcb, "xcb_create_window", l.create) && find(kXcb, "xcb_map_window", l.map) &&
              find(kXcb, "xcb_destroy_window", l.destroy) && find(kXcb, "xcb_configure_window", l.configure) &&
              find(kXcb, "xcb_get_image", l.image) && find(kXcb, "xcb_get_image_reply", l.imageReply) &&
              find(kXcb, "xcb_get_image_data", l.imageData) && find(kXcb, "xcb_get_image_data_length", l.imageBytes) &&
              find(kX11, "XOpenDisplay", l.openDisplay) && find(kX11, "XCloseDisplay", l.closeDisplay) &&
              find(kX11Xcb, "XGetXCBConnection", l.connectionOf);
    return l;
  }();
  return all;
}

xcb_connection_t* connectionOf(void* connection) { return static_cast<xcb_connection_t*>(connection); }

}  // namespace

bool windowLibraries() {
  return std::all_of(std::begin(kLibraries), std::end(kLibraries), [](const char* name) {
    void* library = dlopen(name, RTLD_NOW);
    if (library) dlclose(library);
    return library != nullptr;
  });
}

bool windowServer() {
  static const bool answers = [] {
    const char* display = std::getenv("DISPLAY");
    if (!display || !*display || !library().whole) return false;
    return library().hasError(library().connect(nullptr, nullptr)) == 0;
  }();
  return answers;
}

VkResult Window::open(WindowApi api, VkExtent2D size, unsigned place) {
  const Library& x = library();
  if (!x.whole) return VK_ERROR_INITIALIZATION_FAILED;
  if (api == WindowApi::Xlib) {
    Display* display = x.openDisplay(nullptr);
    display_ = display;
    if (display) connection_ = x.connectionOf(display);
  } else {
    connection_ = x.connect(nullptr, nullptr);
  }
  xcb_connection_t* c = connectionOf(connection_);
  if (!c || x.hasError(c)) return VK_ERROR_INITIALIZATION_FAILED;
  const xcb_screen_t& screen = *x.roots(x.setup(c)).data;
  visual_ = screen.root_visual;
  window_ = x.newId(c);
  constexpr unsigned kStep = 128, kColumns = 8;
  const uint32_t unmanaged = 1;
  x.create(c, screen.root_depth, window_, screen.root, int16_t(place % kColumns * kStep),
           int16_t(place / kColumns * kStep), uint16_t(size.width), uint16_t(size.height), 0,
           XCB_WINDOW_CLASS_INPUT_OUTPUT, screen.root_visual, XCB_CW_OVERRIDE_REDIRECT, &unmanaged);
  x.map(c, window_);
  return resize(size);
}

void Window::close() {
  if (!connection_) return;
  const Library& x = library();
  xcb_connection_t* c = connectionOf(connection_);
  // Xlib ends the process when it meets a broken connection.
  if (display_ && x.hasError(c))
    ::close(x.descriptor(c));
  else if (display_)
    x.closeDisplay(static_cast<Display*>(display_));
  else
    x.disconnect(c);
  display_ = connection_ = nullptr;
}

VkResult Window::makeSurface(const Gpu& gpu, VkSurfaceKHR* out) const {
  if (display_) {
    const auto create = reinterpret_cast<PFN_vkCreateXlibSurfaceKHR>(gpu.find("vkCreateXlibSurfaceKHR"));
    VkXlibSurfaceCreateInfoKHR info{VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR};
    info.dpy = static_cast<Display*>(display_);
    info.window = window_;
    return create(gpu.instance, &info, gpu.callbacks, out);
  }
  const auto create = reinterpret_cast<PFN_vkCreateXcbSurfaceKHR>(gpu.find("vkCreateXcbSurfaceKHR"));
  VkXcbSurfaceCreateInfoKHR info{VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
  info.connection = connectionOf(connection_);
  info.window = window_;
  return create(gpu.instance, &info, gpu.callbacks, out);
}

bool Window::presentable(const Gpu& gpu) const {
  if (display_)
    return reinterpret_cast<PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR>(gpu.find(
        "vkGetPhysicalDeviceXlibPresentationSupportKHR"))(gpu.physical, 0, static_cast<Display*>(display_), visual_);
  return reinterpret_cast<PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR>(
      gpu.find("vkGetPhysicalDeviceXcbPresentationSupportKHR"))(gpu.physical, 0, connectionOf(connection_), visual_);
}

VkResult Window::resize(VkExtent2D size) {
  const Library& x = library();
  xcb_connection_t* c = connectionOf(connection_);
  const uint32_t sides[2] = {size.width, size.height};
  x.configure(c, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, sides);
  size_ = size;
  std::vector<uint32_t> row;
  return readRow(0, row) ? VK_SUCCESS : VK_ERROR_UNKNOWN;  // requests are done in order
}

bool Window::readRow(uint32_t y, std::vector<uint32_t>& pixels) const {
  const Library& x = library();
  xcb_connection_t* c = connectionOf(connection_);
  xcb_get_image_reply_t* answer = x.imageReply(
      c, x.image(c, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, 0, int16_t(y), uint16_t(size_.width), 1, ~0u), nullptr);
  if (!answer) return false;
  pixels.resize(size_.width);
  const bool whole = size_t(x.imageBytes(answer)) == pixels.size() * 4;
  if (whole) std::memcpy(pixels.data(), x.imageData(answer), pixels.size() * 4);
  std::free(answer);
  return whole;
}

VkResult Window::shows(uint32_t colour) const {
  std::vector<uint32_t> row;
  for (uint32_t y = 0; y < size_.height; ++y)
    if (!readRow(y, row) || std::any_of(row.begin(), row.end(), [=](uint32_t p) { return (p & 0xFFFFFF) != colour; }))
      return VK_ERROR_UNKNOWN;
  return VK_SUCCESS;
}

}  // namespace oom
