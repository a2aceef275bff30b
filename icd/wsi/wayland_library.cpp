#include "icd/wsi/wayland_library.h"

#include <type_traits>

#include "icd/wsi/system_library.h"

namespace etzel::icd {

namespace {

struct Opened {
  WaylandLibrary functions;
  bool usable = true;

  Opened() {
    needRoomForLibraries(4 << 20);
    const SystemLibrary library("libwayland-client.so.0");
#define ETZEL_WAYLAND_CALL(name) usable &= library.find(#name, functions.name);
#define ETZEL_WAYLAND_INTERFACE(name) usable &= library.find(#name "_interface", functions.name);
#include "icd/wsi/wayland_functions.def"
#undef ETZEL_WAYLAND_CALL
#undef ETZEL_WAYLAND_INTERFACE
  }
};

}  // namespace

const WaylandLibrary* waylandLibrary() {
  static const Opened opened;
  static_assert(std::is_trivially_destructible_v<Opened>);  // threads may present while the process ends
  return opened.usable ? &opened.functions : nullptr;
}

}  // namespace etzel::icd
