#include "icd/wsi/x_library.h"

#include <type_traits>

#include "icd/wsi/system_library.h"

namespace etzel::icd {

namespace {

struct Opened {
  XLibrary functions;
  bool usable = false;  ///< all of libxcb was found

  Opened() {
    needRoomForLibraries(8 << 20);
    const SystemLibrary xcb("libxcb.so.1");
    if (!xcb) return;
    const SystemLibrary shm("libxcb-shm.so.0");
    struct {
      bool xcb = true, shm = true;
    } all;
#define ETZEL_X(library, name) all.library &= library.find(#name, functions.name);
#include "icd/wsi/x_functions.def"
#undef ETZEL_X
    usable = all.xcb;
    if (all.shm) shm.find("xcb_shm_id", functions.shm);
    SystemLibrary("libX11-xcb.so.1").find("XGetXCBConnection", functions.XGetXCBConnection);
  }
};

}  // namespace

const XLibrary* xLibrary() {
  static const Opened opened;
  static_assert(std::is_trivially_destructible_v<Opened>);  // threads may present while the process ends
  return opened.usable ? &opened.functions : nullptr;
}

}  // namespace etzel::icd
