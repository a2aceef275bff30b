#include "icd/wsi/x_library.h"

#include <dlfcn.h>

#include <new>
#include <type_traits>

#include "runtime/base/room.h"

namespace etzel::icd {

namespace {

/// Stays open: connections of the application outlive the driver's objects.
void* open(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

struct Opened {
  XLibrary functions;
  bool usable = false;  ///< all of libxcb was found

  Opened() {
    // What dlopen cannot map it calls missing, and that would hold for good. Thrown through, the next call tries again.
    constexpr size_t kLibraryBytes = 8 << 20;
    if (!systemHasRoomFor(kLibraryBytes)) throw std::bad_alloc();
    void* const xcb = open("libxcb.so.1");
    if (!xcb) return;
    void* const shm = open("libxcb-shm.so.0");
    bool all[2] = {true, true};
    const auto find = [&](void* library, const char* name, auto& function) {
      function =
          library ? reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name)) : nullptr;
      if (!function) all[library == shm] = false;
    };
#define ETZEL_X(library, name) find(library, #name, functions.name);
#include "icd/wsi/x_functions.def"
#undef ETZEL_X
    usable = all[0];
    if (shm && all[1]) functions.shm = static_cast<xcb_extension_t*>(dlsym(shm, "xcb_shm_id"));
    if (void* const x11 = open("libX11-xcb.so.1"))
      functions.XGetXCBConnection =
          reinterpret_cast<decltype(functions.XGetXCBConnection)>(dlsym(x11, "XGetXCBConnection"));
  }
};

}  // namespace

const XLibrary* xLibrary() {
  static const Opened opened;
  static_assert(std::is_trivially_destructible_v<Opened>);  // threads may present while the process ends
  return opened.usable ? &opened.functions : nullptr;
}

}  // namespace etzel::icd
