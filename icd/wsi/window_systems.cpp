#include "icd/wsi/window_systems.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string>

#include "icd/wsi/wayland_library.h"
#include "icd/wsi/x_library.h"

namespace etzel::icd {
namespace {

bool liesBesideLibc(const char* library) {
  Dl_info libc;
  if (!dladdr(reinterpret_cast<const void*>(&dladdr), &libc) || !libc.dli_fname) return false;
  std::string path = libc.dli_fname;
  path.resize(path.rfind('/') + 1);  // nothing where there is none: a name that is not looked for here
  return !path.empty() && access((path + library).c_str(), R_OK) == 0;
}

}  // namespace

bool windowSystemPresent(std::string_view extension) {
  if (extension == "VK_KHR_xcb_surface") return xLibrary() != nullptr;
  if (extension == "VK_KHR_xlib_surface") return xLibrary() && xLibrary()->XGetXCBConnection;
  if (extension == "VK_KHR_wayland_surface") return waylandLibrary() != nullptr;
  return true;
}

bool windowSystemOffered(std::string_view extension) {
  static const bool hasXcb = liesBesideLibc("libxcb.so.1");
  static const bool hasXlib = hasXcb && liesBesideLibc("libX11-xcb.so.1");
  if (extension == "VK_KHR_xcb_surface" && hasXcb) return true;
  if (extension == "VK_KHR_xlib_surface" && hasXlib) return true;
  return windowSystemPresent(extension);
}

}  // namespace etzel::icd
