// Names that applications give objects (VK_EXT_debug_utils).
#pragma once

#include "icd/object/object.h"

namespace etzel::icd {

/// Empty where it has none. Any thread.
std::string debugNameOf(const Object& object);

}  // namespace etzel::icd
