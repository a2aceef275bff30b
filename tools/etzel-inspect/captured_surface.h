// A captured surface (runtime/msaa/capture_file.h) opened for reading.
#pragma once

#include <string>

#include "runtime/msaa/capture_file.h"

namespace inspect {

using etzel::msaa::FragmentMask;
using etzel::msaa::FragmentSurface;

/// What a tile keeps: colour is clear, one fragment, general or expanded; depth and stencil clear, planes or expanded.
enum class TileState { Clear, One, General, Planes, Expanded };

/// What a sample shows, as numbers that people read: floats, or integers for integer formats.
struct Color {
  double c[4];
};

class CapturedSurface {
 public:
  CapturedSurface() = default;
  ~CapturedSurface();
  CapturedSurface(const CapturedSurface&) = delete;
  CapturedSurface& operator=(const CapturedSurface&) = delete;

  /// \returns what is wrong with the file, or an empty string
  std::string open(const std::string& path);

  const etzel::msaa::CaptureHeader& header() const { return *header_; }
  const etzel::format::FormatInfo& format() const { return *format_; }
  const FragmentSurface& surface() const { return surface_; }
  bool isDepthOrStencil() const { return !format_->isColor(); }
  uint32_t tiles() const;
  TileState state(uint32_t tile) const;
  /// Depth planes of a tile that is Planes, 1 to 4.
  uint32_t planes(uint32_t tile) const;
  /// Whether tiles have states at all.
  bool compressed() const { return surface_ || header_->stateBytes; }

  Color sample(uint32_t x, uint32_t y, uint32_t sample) const;
  /// Distinct fragments of a pixel that its samples show; 0 in tiles that are clear. Colour only.
  uint32_t fragments(uint32_t x, uint32_t y) const;
  /// Samples of a pixel that differ from the layer's first clear colour; all where nothing was cleared. Colour only.
  uint32_t coveredSamples(uint32_t x, uint32_t y) const;
  /// Bytes that the state of a tile refers to: texels of the planes in use, masks, edge word, state.
  uint64_t storedBytes(uint32_t tile) const;

 private:
  Color decode(const std::byte* texel) const;
  uint8_t depthState(uint32_t tile) const;

  void* map_ = nullptr;
  size_t mapBytes_ = 0;
  const etzel::msaa::CaptureHeader* header_ = nullptr;
  const etzel::format::FormatInfo* format_ = nullptr;
  etzel::format::DecodeFn decode_ = nullptr;
  FragmentSurface surface_;
};

}  // namespace inspect
