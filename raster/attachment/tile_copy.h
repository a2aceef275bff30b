// Moves tiles of 64x64 pixels between attachments' memory and tile memory (tile_memory.h), with their compression: tile
// states are taken over, and of the texels only what they say is there. Both surfaces are of one layer, have the same
// texels and samples, and say by their origins which pixels they begin with.
#pragma once

#include "runtime/msaa/depth_surface.h"
#include "runtime/msaa/fragment_surface.h"

namespace etzel::raster {

/// Whether every 8x8 tile of the 64x64 pixels at (x, y) is clear, so that loading them moves no texels.
bool isClearTile(const msaa::FragmentSurface& image, uint32_t x, uint32_t y);
bool isClearTile(const msaa::DepthSurface& image, uint32_t x, uint32_t y);

/// Gives tile memory its first contents. The layer's clear colours come along.
void loadTile(const msaa::FragmentSurface& image, const msaa::FragmentSurface& local);
void loadTile(const msaa::DepthSurface& image, const msaa::DepthSurface& local);

/// The same where nothing is kept of what the image had: zeros.
void zeroTile(const msaa::FragmentSurface& local);
void zeroTile(const msaa::DepthSurface& local);

/// Writes tile memory back. Texels of fragments that no sample shows are left as they are, so that what memory has does
/// not depend on the tiles that a worker had before.
void storeTile(const msaa::FragmentSurface& local, const msaa::FragmentSurface& image);
void storeTile(const msaa::DepthSurface& local, const msaa::DepthSurface& image);

}  // namespace etzel::raster
