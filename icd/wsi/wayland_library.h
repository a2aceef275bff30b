// libwayland-client, opened when somebody first asks for it, as the X libraries are (x_library.h).
#pragma once

#include <wayland-client-core.h>

namespace etzel::icd {

/// What wayland_functions.def names, functions under their own names. The inline functions of Wayland's headers would
/// make the driver need the library.
struct WaylandLibrary {
#define ETZEL_WAYLAND_CALL(name) decltype(&::name) name = nullptr;
#define ETZEL_WAYLAND_INTERFACE(name) const wl_interface* name = nullptr;
#include "icd/wsi/wayland_functions.def"
#undef ETZEL_WAYLAND_CALL
#undef ETZEL_WAYLAND_INTERFACE
};

/// Null: there is no libwayland-client, or one older than 1.20. Opened once in a process and kept. Throws
/// std::bad_alloc when there is no room for it. Any thread.
const WaylandLibrary* waylandLibrary();

}  // namespace etzel::icd
