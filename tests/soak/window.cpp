#include "tests/soak/window.h"

#include <dlfcn.h>
#include <xcb/xcb.h>

#include <cstdlib>

#include <vulkan/vulkan_xcb.h>

#include "testing/vk/device.h"

namespace etzel::soak {
namespace {

/// What a window needs of libxcb.
struct Library {
  decltype(&xcb_connect) connect;
  decltype(&xcb_connection_has_error) hasError;
  decltype(&xcb_get_setup) setup;
  decltype(&xcb_setup_roots_iterator) roots;
  decltype(&xcb_generate_id) newId;
  decltype(&xcb_create_window) create;
  decltype(&xcb_destroy_window) destroy;
  decltype(&xcb_configure_window) configure;
  decltype(&xcb_get_geometry) geometry;
  decltype(&xcb_get_geometry_reply) geometryReply;
};

const Library& library() {
  static const Library all = [] {
    void* xcb = dlopen("libxcb.so.1", RTLD_NOW);
    const auto find = [xcb](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(xcb ? dlsym(xcb, name) : nullptr);
      if (!function) throw vktest::Failure(name);
    };
    Library l;
    find(l.connect, "xcb_connect"), find(l.hasError, "xcb_connection_has_error");
    find(l.setup, "xcb_get_setup"), find(l.destroy, "xcb_destroy_window");
    find(l.roots, "xcb_setup_roots_iterator"), find(l.newId, "xcb_generate_id");
    find(l.create, "xcb_create_window"), find(l.configure, "xcb_configure_window");
    find(l.geometry, "xcb_get_geometry"), find(l.geometryReply, "xcb_get_geometry_reply");
    return l;
  }();
  return all;
}

/// One for all windows and threads, and for good: a server that loses its last client begins anew, and takes no others
/// meanwhile.
xcb_connection_t* connection() {
  static xcb_connection_t* const c = library().connect(nullptr, nullptr);
  if (library().hasError(c)) throw vktest::Failure("no X server");
  return c;
}

}  // namespace

bool Window::possible() {
  static const bool answers = [] {
    const char* display = std::getenv("DISPLAY");
    if (!display || !*display) return false;
    try {
      return connection() != nullptr;
    } catch (const vktest::Failure&) {
      return false;
    }
  }();
  return answers;
}
const char* Window::instanceExtension() { return VK_KHR_XCB_SURFACE_EXTENSION_NAME; }

Window::Window(uint32_t width, uint32_t height) {
  const Library& x = library();
  xcb_connection_t* c = connection();
  const xcb_screen_t& screen = *x.roots(x.setup(c)).data;
  window_ = x.newId(c);
  x.create(c, screen.root_depth, window_, screen.root, 0, 0, uint16_t(width), uint16_t(height), 0,
           XCB_WINDOW_CLASS_INPUT_OUTPUT, screen.root_visual, 0, nullptr);
}
Window::~Window() { library().destroy(connection(), window_); }

VkSurfaceKHR Window::makeSurface(VkInstance instance) const {
  const auto create =
      reinterpret_cast<PFN_vkCreateXcbSurfaceKHR>(vkGetInstanceProcAddr(instance, "vkCreateXcbSurfaceKHR"));
  VkXcbSurfaceCreateInfoKHR info{VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
  info.connection = connection();
  info.window = window_;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  if (!create) throw vktest::Failure("vkCreateXcbSurfaceKHR");
  VKTEST_CHECK(create(instance, &info, nullptr, &surface));
  return surface;
}

void Window::resize(uint32_t width, uint32_t height) const {
  const Library& x = library();
  xcb_connection_t* c = connection();
  const uint32_t size[2] = {width, height};
  x.configure(c, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
  std::free(x.geometryReply(c, x.geometry(c, window_), nullptr));  // requests are done in order
}

}  // namespace etzel::soak
