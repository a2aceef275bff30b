// Along what the integers count that name texels, in the order of an instruction's coordinates.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <cstddef>

#include "runtime/abi/direct_view.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::native {

/// Members of abi::DirectView, by their offsets.
struct TexelAxis {
  size_t size;   ///< how many there are
  size_t pitch;  ///< bytes from one to the next; 0: a texel's
};

/// \pre namesTexels(tex)
inline llvm::SmallVector<TexelAxis, 3> texelAxes(const abi::TexInst& tex) {
  using View = abi::DirectView;
  llvm::SmallVector<TexelAxis, 3> axes{{offsetof(View, width), 0}};
  const bool volume = tex.dim == abi::TexDim::D3, cube = tex.dim == abi::TexDim::Cube;
  if (tex.spatialDims() > 1) axes.push_back({offsetof(View, height), offsetof(View, rowPitch)});
  if (tex.arrayed || volume || cube) axes.push_back({offsetof(View, slices), offsetof(View, slicePitch)});
  return axes;
}

}  // namespace etzel::native
