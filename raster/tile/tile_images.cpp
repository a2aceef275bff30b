#include "raster/tile/tile_images.h"

#include <bit>
#include <cstring>

namespace etzel::raster {
namespace {

constexpr uint32_t kMaxBytes = 16;  // of a texel

uint32_t attachmentOf(const TileDraw& draw, abi::AttachmentAspect aspect, uint32_t location) {
  switch (aspect) {
    case abi::AttachmentAspect::Depth: return Attachments::depthIndex;
    case abi::AttachmentAspect::Stencil: return Attachments::stencilIndex;
    default: break;
  }
  return location < kMaxColorAttachments ? draw.attachmentAt[location] : Attachments::kNoLocation;
}

/// A texel that the surface has, as it is stored where nothing is compressed.
const std::byte* texelOf(const Surface& s, uint32_t x, uint32_t y, uint32_t layer, uint32_t sample,
                         std::byte (&room)[kMaxBytes]) {
  if (const msaa::DepthSurface depth = s.depth(layer); depth) {
    const uint32_t word = depth.sampleWord(x, y, sample);
    std::memcpy(room, &word, sizeof word);
    return room;
  }
  if (const msaa::FragmentSurface color = s.fragments(layer); color) return color.sampleTexel(x, y, sample);
  return s.at(x, y, layer, sample);
}

}  // namespace

void TileImages::read(const Attachments& attachments, const TileMemory& memory, const TileDraw& draw, const Read& r,
                      LaneWords* result) {
  const auto sys = [&](abi::SysValue v, uint32_t lane) { return r.warp->sys[static_cast<uint32_t>(v)].lane[lane]; };
  // Positions lie in their pixels, and before the first pixel of the picture no primitive has any.
  const auto pixel = [&](abi::SysValue v, uint32_t lane) {
    const float at = std::bit_cast<float>(sys(v, lane));
    return at >= 0 ? static_cast<uint32_t>(at) : ~0u;
  };
  for (LaneMask left = r.lanes; left; left &= left - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(left));
    for (uint32_t c = 0; c < 4; ++c) result[c].lane[lane] = 0;
    const uint32_t index = attachmentOf(draw, r.aspect, r.location->lane[lane]);
    const tex::ImageView* view = attachments.view(index);
    if (!view || !view->decode) continue;
    Surface& s = surface_[index];
    if (!(known_ >> index & 1)) s = memory.surface(index, surfaceOf(view)), known_ |= 1u << index;
    const uint32_t x = pixel(abi::SysValue::PosX, lane), y = pixel(abi::SysValue::PosY, lane);
    const uint32_t layer = sys(abi::SysValue::Layer, lane), sample = r.sample->lane[lane];
    if (x >= s.width || y >= s.height || layer >= s.layers || sample >= s.samples) continue;
    std::byte room[kMaxBytes] = {};
    format::Texel texel;
    view->decode(texelOf(s, x, y, layer, sample, room), &texel, 1);
    for (uint32_t c = 0; c < 4; ++c) result[c].lane[lane] = texel.word[c];
  }
}

}  // namespace etzel::raster
