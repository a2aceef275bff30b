// What image and atomic lowering share: the texture instruction of an image type. Private to image.cpp and atomic.cpp.
#pragma once

#include "compiler/lower/lower.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::lower {

/// Dimensions, arrayness, samples and texel type of an OpTypeImage; LOD mode Zero.
abi::TexInst texInstOf(Lowerer& l, const spirv::Type& image, abi::TexKind kind);

/// The image type of an image or sampled image value.
const spirv::Type& imageTypeOf(Lowerer& l, uint32_t valueId);

/// Components of a value as 32-bit words: floats widened to F32, integers extended by their sign.
std::vector<Operand> wordsOf(Lowerer& l, uint32_t id, bool asFloat);

}  // namespace etzel::lower
