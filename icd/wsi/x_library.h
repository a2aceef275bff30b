// The X libraries, opened when somebody first asks for them: a program that draws off screen needs none of them, and
// the driver loads where they are not installed.
#pragma once

#include <xcb/shm.h>
#include <xcb/xcb.h>

struct _XDisplay;

namespace etzel::icd {

/// The functions of x_functions.def, under their own names.
struct XLibrary {
#define ETZEL_X(library, name) decltype(&::name) name = nullptr;
#include "icd/wsi/x_functions.def"
#undef ETZEL_X
  xcb_extension_t* shm = nullptr;                                ///< xcb_shm_id; null: no libxcb-shm
  xcb_connection_t* (*XGetXCBConnection)(_XDisplay*) = nullptr;  ///< null: no libX11-xcb
};

/// libxcb and, where they are, libxcb-shm and libX11-xcb; null without libxcb. Opened once in a process and kept.
/// Throws std::bad_alloc when there is no room for them. Any thread.
const XLibrary* xLibrary();

}  // namespace etzel::icd
