// A captured surface in words and numbers.
#pragma once

#include <string>
#include <vector>

#include "captured_surface.h"

namespace inspect {

/// What it is, how many tiles are in which state, how many fragments pixels have, what it takes and would take.
std::string report(const CapturedSurface& s);
/// Of all kinds of work.
etzel::msaa::Moved totalOf(const etzel::msaa::Traffic& traffic);
/// What the states of all tiles refer to.
uint64_t storedBytes(const CapturedSurface& s);

/// Bytes of one surface.
struct SurfaceTotals {
  std::string name;
  uint64_t stored, plain, resident;
  etzel::msaa::Moved moved;
};
/// A table of them with their sum.
std::string totals(const std::vector<SurfaceTotals>& surfaces);
/// One pixel: its tile's state and mask, and per sample the fragment that it shows with its colour.
std::string pixelTable(const CapturedSurface& s, uint32_t x, uint32_t y);

}  // namespace inspect
