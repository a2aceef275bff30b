// Whose code an address in the driver is: the driver's own, or that of a library that is linked into it.
#pragma once

#include <string>

namespace oom {

/// Reads the symbol table of the file that `address` is mapped from. \returns false when it has none.
bool readSymbols(const void* address);

enum class Origin { Outside, Neutral, Driver, Library };
/// Neutral: the C++ runtime, or a template of it that both may use.
Origin originOf(const void* address);
/// Whether a call with these return addresses, innermost first, is the driver's own: what its innermost function that
/// is not neutral belongs to.
bool isOwn(void* const* frames, int count);
/// The function's name as one reads it, or the address.
std::string nameOf(const void* address);

}  // namespace oom
