// A captured surface in words and numbers.
#pragma once

#include <string>

#include "captured_surface.h"

namespace inspect {

/// What it is, how many tiles are in which state, how many fragments pixels have, what it takes and would take.
std::string report(const CapturedSurface& s);
/// One pixel: its tile's state and mask, and per sample the fragment that it shows with its colour.
std::string pixelTable(const CapturedSurface& s, uint32_t x, uint32_t y);

}  // namespace inspect
