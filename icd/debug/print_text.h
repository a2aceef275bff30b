// The text of a shader's message: a format of debugPrintfEXT with its values.
#pragma once

#include <span>
#include <string>

#include "runtime/abi/print.h"

namespace etzel::icd {

/// Conversions are those of C (%d %i %u %x %X %o %c %f %F %e %E %g %G %a %A %s %%) with flags, width, precision and
/// length, behind which `ul`, `lu` and `lx` mean 64 bits, and `%v3f`, `%v4lu` ... a vector, its components divided by
/// ", ". A value is what its type says: a conversion of another kind shows an integer as a number with a point or a
/// float's value as an integer, %x and %o a float's bits. Vectors and scalars may take each other's conversions. %s
/// shows a value as its type is shown best. What has no value, and what is no conversion, stays as it stands.
/// `words`: format.words() of them; what is missing reads as 0.
std::string printText(const abi::PrintFormat& format, std::span<const uint32_t> words);

}  // namespace etzel::icd
