#include "icd/wsi/wayland_library.h"

#include <dlfcn.h>

#include <new>
#include <type_traits>

#include "runtime/base/room.h"

namespace etzel::icd {

namespace {

struct Opened {
  WaylandLibrary functions;
  bool usable = true;

  Opened() {
    // As for the X libraries: what dlopen cannot map it calls missing, and that would hold for good.
    constexpr size_t kLibraryBytes = 4 << 20;
    if (!systemHasRoomFor(kLibraryBytes)) throw std::bad_alloc();
    void* const library = dlopen("libwayland-client.so.0", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](const char* name, auto& address) {
      address = library ? reinterpret_cast<std::remove_reference_t<decltype(address)>>(dlsym(library, name)) : nullptr;
      if (!address) usable = false;
    };
#define ETZEL_WAYLAND_CALL(name) find(#name, functions.name);
#define ETZEL_WAYLAND_INTERFACE(name) find(#name "_interface", functions.name);
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
