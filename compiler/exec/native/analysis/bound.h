// What is bound where a program reads images: the kinds of views and samplers, for which code can be compiled. All that
// such code takes for granted is compared when it is called (emit/guard.h), so that a key is no promise.
#pragma once

#include <map>

#include "compiler/isa/program.h"
#include "runtime/abi/direct_view.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::native {

/// By descriptors' handles.
struct BoundKinds {
  std::map<abi::DescriptorHandle, abi::DirectView::Kind> views;
  std::map<abi::DescriptorHandle, abi::DirectSampler> samplers;
  bool later = false;  ///< none are known yet, but other code will be made for them, so this one need not be fast
  bool empty() const { return views.empty(); }
  bool operator==(const BoundKinds& other) const;
};

/// Instructions on plain 2D and 1D images, whose footprints code may find for itself.
bool isFlat(const abi::TexInst& tex);
/// Fetches, loads, stores and atomics of single texels that integers name, of images of any shape with one sample and
/// of texel buffers, and questions for their size.
bool namesTexels(const abi::TexInst& tex);

/// Whether some instruction has descriptors that boundKinds() looks at.
bool readsBound(const isa::Program& program);

/// The kinds of what is bound now, of views and samplers by handles that the program has as constants, and that it
/// reads whatever its branches do, or that are valid unread (isa::Resource::certain): others may be of objects that are
/// gone, and nobody may look at them. Null descriptors are left out, and views behind the first dozen, or of kinds that
/// are about to change. \pre a warp of the program is about to run
BoundKinds boundKinds(const isa::Program& program, const abi::DispatchContext& context);

}  // namespace etzel::native
