// Deliberate defects in the state and parameters of draws (runtime/mutant/mutant.h).
#pragma once

#include "raster/draw.h"

namespace etzel::icd {

/// Applies the active mutant to what a draw is about to use. Changes nothing without one.
void mutateDraw(raster::DrawState& state, raster::DrawParams& params);

}  // namespace etzel::icd
