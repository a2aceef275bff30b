// Instructions whose dimension is checked against, or taken from, the bound view (abi::DimRule). Internal to tex/.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

/// Arguments that an adapted instruction has at most: three coordinates, a reference, a level or bias.
inline constexpr uint32_t kAdaptedArgs = 5;

/// Whether a view has the dimension, 2D or cube, of a Gather. Arrayed or not makes no difference.
bool sameDim(const abi::TexInst& inst, const ImageView& view);

/// DimRule::View: the instruction and its arguments as the view needs them, from three coordinates and, if `inst` has
/// one, a level or bias. Of arrays the coordinate behind the spatial ones is the layer (cube arrays: layer 0). Where
/// the sampler compares, z is the reference of 1D and 2D views.
abi::TexInst adaptToView(const abi::TexInst& inst, const ImageView& view, const Sampler* sampler, const LaneWords* args,
                         LaneWords* adapted);

}  // namespace etzel::tex
