#include "icd/wsi/window_systems.h"

#include "icd/wsi/wayland_library.h"
#include "icd/wsi/x_library.h"

namespace etzel::icd {

bool windowSystemPresent(std::string_view extension) {
  if (extension == "VK_KHR_xcb_surface") return xLibrary() != nullptr;
  if (extension == "VK_KHR_xlib_surface") return xLibrary() && xLibrary()->XGetXCBConnection;
  if (extension == "VK_KHR_wayland_surface") return waylandLibrary() != nullptr;
  return true;
}

}  // namespace etzel::icd
