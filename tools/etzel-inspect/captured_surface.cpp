#include "captured_surface.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/msaa/depth_surface.h"

namespace inspect {

using namespace etzel;
using msaa::kTile;

CapturedSurface::~CapturedSurface() {
  if (map_) munmap(map_, mapBytes_);
}

std::string CapturedSurface::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return path + ": " + std::strerror(errno);
  struct stat info {};
  fstat(file, &info);
  mapBytes_ = size_t(info.st_size);
  // Private and writable: FragmentSurface's interface is one for reading and writing.
  void* map = mapBytes_ < sizeof(msaa::CaptureHeader)
                  ? MAP_FAILED
                  : mmap(nullptr, mapBytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  ::close(file);
  if (map == MAP_FAILED) return path + " is not a captured surface";
  map_ = map;
  header_ = static_cast<const msaa::CaptureHeader*>(map_);
  const msaa::CaptureHeader& h = *header_;
  if (std::memcmp(h.magic, msaa::kCaptureMagic, sizeof h.magic)) return path + " is not a captured surface";
  const VkFormat format = h.format < VK_FORMAT_MAX_ENUM ? VkFormat(h.format) : VK_FORMAT_UNDEFINED;
  format_ = format::find(format);
  decode_ = format::decoder(format);
  const auto inFile = [&](uint64_t offset, uint64_t size) { return offset <= mapBytes_ && size <= mapBytes_ - offset; };
  const bool sane = format_ && decode_ && std::has_single_bit(h.samples) && h.samples <= msaa::kMaxSamples &&
                    h.texelBytes == format_->blockBytes && h.width && h.height && h.planeBytes <= mapBytes_ &&
                    inFile(h.planeOffset, h.planeBytes * h.samples) && inFile(h.metaOffset, h.metaBytes) &&
                    inFile(h.stateOffset, h.stateBytes) && h.metaOffset % sizeof(uint64_t) == 0 &&
                    uint64_t{h.rowPitch} * h.height <= h.planeBytes && uint64_t{h.width} * h.texelBytes <= h.rowPitch;
  if (!sane) return path + " is damaged, or from another version of Etzel";
  FragmentSurface& s = surface_;
  auto* bytes = static_cast<std::byte*>(map_);
  s.texels = bytes + h.planeOffset;
  s.meta = h.metaBytes ? bytes + h.metaOffset : nullptr;
  s.planePitch = h.planeBytes, s.edgeOffset = h.edgeOffset, s.maskOffset = h.maskOffset;
  s.rowPitch = h.rowPitch, s.texelBytes = h.texelBytes, s.width = h.width, s.height = h.height, s.samples = h.samples;
  s.tilesX = (h.width + kTile - 1) / kTile, s.tilesY = (h.height + kTile - 1) / kTile;
  const mem::FragmentLayout layout = mem::fragmentLayout(h.width, h.height, h.samples);
  if (h.stateBytes && h.stateBytes != tiles()) return path + " is damaged";
  if (s && (h.tilesX != layout.tilesX || h.edgeOffset != layout.edgeOffset || h.maskOffset != layout.maskOffset ||
            h.metaBytes < layout.layerPitch))
    return path + " is damaged";
  return "";
}

uint32_t CapturedSurface::tiles() const { return surface_.tilesX * surface_.tilesY; }

TileState CapturedSurface::state(uint32_t tile) const {
  if (!surface_) {
    switch (header_->stateBytes ? msaa::depthKindOf(depthState(tile)) : msaa::DepthKind::Expanded) {
      case msaa::DepthKind::Clear: return TileState::Clear;
      case msaa::DepthKind::Planes: return TileState::Planes;
      case msaa::DepthKind::Expanded: return TileState::Expanded;
    }
  }
  switch (msaa::kindOf(surface_.state(tile))) {
    case msaa::TileKind::Clear: return TileState::Clear;
    case msaa::TileKind::One: return TileState::One;
    case msaa::TileKind::General: return TileState::General;
    case msaa::TileKind::Expanded: break;
  }
  return TileState::Expanded;
}

uint8_t CapturedSurface::depthState(uint32_t tile) const {
  return static_cast<const uint8_t*>(map_)[header_->stateOffset + tile];
}

uint32_t CapturedSurface::planes(uint32_t tile) const { return msaa::planeCountOf(depthState(tile)); }

Color CapturedSurface::decode(const std::byte* texel) const {
  format::Texel t;
  decode_(texel, &t, 1);
  Color color;
  for (int c = 0; c < 4; ++c) {
    if (format_->numeric == format::Numeric::Sint)
      color.c[c] = static_cast<int32_t>(t.word[c]);
    else
      color.c[c] = format_->isInteger() ? t.word[c] : std::bit_cast<float>(t.word[c]);
  }
  return color;
}

Color CapturedSurface::sample(uint32_t x, uint32_t y, uint32_t sample) const {
  return decode(surface_ ? surface_.sampleTexel(x, y, sample) : surface_.at(x, y, sample));
}

uint32_t CapturedSurface::fragments(uint32_t x, uint32_t y) const {
  if (!surface_) return surface_.samples;
  if (state(surface_.tileOf(x, y)) == TileState::Clear) return 0;
  const FragmentMask mask = surface_.maskAt(x, y);
  return uint32_t(std::popcount(msaa::fragmentsOf(mask, msaa::allSamples(surface_.samples), surface_.samples)));
}

uint32_t CapturedSurface::coveredSamples(uint32_t x, uint32_t y) const {
  if (!surface_) return surface_.samples;
  uint32_t covered = 0;
  for (uint32_t s = 0; s < surface_.samples; ++s)
    covered += std::memcmp(surface_.sampleTexel(x, y, s), surface_.clearColor(0), surface_.texelBytes) != 0;
  return covered;
}

uint64_t CapturedSurface::storedBytes(uint32_t tile) const {
  const FragmentSurface& s = surface_;
  const uint32_t x = tile % s.tilesX * kTile, y = tile / s.tilesX * kTile;
  const uint64_t pixels = std::min(kTile, s.width - x) * std::min(kTile, s.height - y);
  const uint64_t sampled = pixels * s.texelBytes * s.samples;
  if (!compressed()) return sampled;
  switch (state(tile)) {
    case TileState::Clear: return s ? 1 : 1 + sizeof(uint32_t);
    case TileState::One: return 1 + pixels * s.texelBytes;
    case TileState::Expanded: return 1 + sampled;
    case TileState::Planes: {
      const uint64_t planes = this->planes(tile);
      return 1 + planes * sizeof(msaa::DepthPlane) + (planes > 1 ? planes * s.samples * sizeof(uint64_t) : 0);
    }
    case TileState::General: break;
  }
  const uint64_t planes = msaa::lastFragment(s.state(tile)) + 1;
  return 1 + sizeof(uint64_t) + msaa::maskBytes(s.state(tile), s.samples) + pixels * s.texelBytes * planes;
}

}  // namespace inspect
