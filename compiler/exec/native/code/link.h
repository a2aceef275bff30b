// From LLVM's object files to images. Stands in for a linker: objects hold one program, know few kinds of relocations,
// and what they become must not depend on where it will lie.
#pragma once

#include <string>

#include "compiler/exec/native/code/image.h"

namespace etzel::native {

/// The functions of an object file in which LLVM put a program; names that it lacks stay nowhere. Steps and
/// strands are the caller's. Error: Unsupported, with what the object asks for that images do not have.
struct Functions {
  std::string entry, workgroup, fragments, abreast;
};
Result<Image> linkObject(std::span<const char> object, const Functions& functions);

}  // namespace etzel::native
