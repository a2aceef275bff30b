// Which window systems there are on this machine.
#pragma once

#include <string_view>

namespace etzel::icd {

/// Whether the library that the instance extension of that name needs is there; true for those that need none. Throws
/// std::bad_alloc when there is no room to open it.
bool windowSystemPresent(std::string_view extension);
/// The same for lists of extensions, which every program asks for: libraries of X that lie beside the C library are
/// taken to be there without being opened.
bool windowSystemOffered(std::string_view extension);

}  // namespace etzel::icd
