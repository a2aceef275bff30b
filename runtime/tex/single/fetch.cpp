// Unfiltered reads: OpImageFetch, input attachments, texel buffers, and the fragment mask instructions.
#include <cmath>

#include "runtime/msaa/depth_surface.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/single/address.h"
#include "runtime/tex/single/group.h"
#include "runtime/tex/single/texel_fetch.h"

namespace etzel::tex {

using abi::SysValue;
using abi::TexDim;
using abi::TexKind;

bool texelPosition(const Group& g, uint32_t lane, const Level& l, TexelPosition* at) {
  const abi::TexInst& inst = g.inst;
  at->x = g.integer(0, lane);
  if (inst.dim == TexDim::Buffer) return static_cast<uint32_t>(at->x) < static_cast<uint32_t>(l.width);
  const uint32_t coords = inst.argCoordWords();
  switch (inst.dim) {
    case TexDim::D1:
      if (inst.arrayed) at->layer = g.integer(1, lane);
      break;
    case TexDim::D3: at->y = g.integer(1, lane), at->z = g.integer(2, lane); break;
    case TexDim::Subpass: {
      // Relative to the fragment; layers are those that are rendered to, views under multiview.
      const LaneWords* sys = g.warp->sys;
      const auto value = [&](SysValue v) { return sys[static_cast<uint32_t>(v)].lane[lane]; };
      at->x += floorToInt(format::bitsToFloat(value(SysValue::PosX)));
      at->y = g.integer(1, lane) + floorToInt(format::bitsToFloat(value(SysValue::PosY)));
      if (g.view->layerCount > 1) {
        const uint32_t layer = value(SysValue::Layer), viewIndex = value(SysValue::ViewIndex);
        at->layer = static_cast<int32_t>(layer > viewIndex ? layer : viewIndex);
      }
      break;
    }
    default:
      at->y = g.integer(1, lane);
      if (coords > 2) at->layer = g.integer(2, lane);
  }
  if (inst.hasSample()) at->sample = g.integer(inst.argSample(), lane);
  return static_cast<uint32_t>(at->x) < static_cast<uint32_t>(l.width) &&
         static_cast<uint32_t>(at->y) < static_cast<uint32_t>(l.height) &&
         static_cast<uint32_t>(at->z) < static_cast<uint32_t>(l.depth) &&
         static_cast<uint32_t>(at->layer) < static_cast<uint32_t>(l.layers) &&
         static_cast<uint32_t>(at->sample) < g.view->samples;
}

namespace {

/// The bytes of a sample or fragment: in the image, or in `copy`.
const std::byte* multisampleTexel(const Group& g, const TexelPosition& at, std::byte* copy) {
  const ImageView& view = *g.view;
  if (view.plane->tiles.offset) {
    const msaa::DepthSurface depth(*view.layout, *view.plane, view.memory,
                                   view.baseLayer + static_cast<uint32_t>(at.layer));
    const uint32_t word =
        depth.sampleWord(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.sample));
    __builtin_memcpy(copy, &word, sizeof word);
    return copy;
  }
  const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory,
                                      view.baseLayer + static_cast<uint32_t>(at.layer));
  const uint32_t x = static_cast<uint32_t>(at.x), y = static_cast<uint32_t>(at.y);
  const uint32_t sample = static_cast<uint32_t>(at.sample);
  if (!surface) return surface.at(x, y, sample);
  if (g.inst.kind == TexKind::FragmentFetch) return surface.fragmentTexel(x, y, sample);
  if (!view.layout->storage) return surface.sampleTexel(x, y, sample);
  surface.sharedSampleTexel(x, y, sample, copy);
  return copy;
}

/// "The fragment mask of a compressed multisampled surface": one nibble per sample, the first eight in a word.
uint32_t fragmentMask(const ImageView& view, const TexelPosition& at) {
  const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory,
                                      view.baseLayer + static_cast<uint32_t>(at.layer));
  if (!surface) return static_cast<uint32_t>(msaa::identityMask(view.samples));
  return static_cast<uint32_t>(surface.maskAt(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y)));
}

/// Warp::sampleShare where nothing is known of other samples.
void keepOwnSample(const Group& g, uint32_t lane) {
  if (!g.warp->sampleShare) return;
  const uint32_t id = g.warp->sys[static_cast<uint32_t>(SysValue::SampleId)].lane[lane];
  if (g.word(g.inst.argSample(), lane) == id) g.warp->sampleShare->lane[lane] &= 1u << (id & 15);
}

}  // namespace

void runFetch(const Group& g) {
  TexelReader reader(*g.view);
  if (g.inst.sparse) reader.residency = g.view->residency;
  const bool wide = g.inst.type == abi::TexType::Sint64 || g.inst.type == abi::TexType::Uint64;
  const bool explicitLevel = g.inst.lod == abi::LodMode::Explicit && g.view->layout;
  // "Image View Min LOD": integer accesses below floor(minLod) are out of bounds.
  const float relative = g.view->minLod - static_cast<float>(g.view->baseMip);
  const uint32_t leastLod = relative >= 1 ? static_cast<uint32_t>(relative) : 0;
  const bool multisampled = g.view->samples > 1 && g.view->layout;
  Level level = reader.level(0);
  uint32_t current = 0;
  forLanes(g.lanes, [&](uint32_t lane) {
    TexelPosition at;
    bool inside = true;
    if (explicitLevel) {
      const uint32_t lod = g.word(g.inst.argLod(), lane);
      inside = lod < g.view->mipCount && lod >= leastLod;
      if (inside && lod != current) level = reader.level(lod), current = lod;
    }
    if (g.inst.kind == TexKind::Fetch && g.inst.hasSample()) keepOwnSample(g, lane);
    if (g.inst.kind == TexKind::FragmentMask) {
      g.result[0].lane[lane] = texelPosition(g, lane, level, &at) ? fragmentMask(*g.view, at) : 0;
      return;
    }
    if (inside && g.inst.offset) {
      // Offsets of fetches move the coordinate itself.
      Group moved = g;
      moved.inst.offset = false;
      LaneWords words[4];
      for (uint32_t d = 0; d < g.inst.argCoordWords(); ++d) words[d] = g.args[d];
      for (uint32_t d = 0; d < g.inst.offsetDims(); ++d) words[d].lane[lane] += g.word(g.inst.argOffset() + d, lane);
      moved.args = words;
      moved.inst.multisampled = false;  // the sample is not among the copied words
      inside = texelPosition(moved, lane, level, &at);
      if (g.inst.hasSample()) {
        at.sample = g.integer(g.inst.argSample(), lane);
        inside = inside && static_cast<uint32_t>(at.sample) < g.view->samples;
      }
    } else if (inside) {
      inside = texelPosition(g, lane, level, &at);
    }
    std::byte copy[32];
    const std::byte* sampleBytes = multisampled && inside ? multisampleTexel(g, at, copy) : nullptr;
    reader.absent = false;
    if (sampleBytes) reader.note(sampleBytes);
    const auto read = [&] {
      return sampleBytes ? reader.decode(sampleBytes) : reader.read(level, at.x, at.y, at.z, at.layer);
    };
    if (wide) {
      uint64_t value = 0;
      if (inside && g.view->info->channel[0].bits == 64) {
        const std::byte* p = sampleBytes
                                 ? sampleBytes
                                 : level.base + static_cast<uint64_t>(at.layer) * level.layerPitch +
                                       static_cast<uint64_t>(at.z) * level.slicePitch +
                                       static_cast<uint64_t>(at.y) * level.rowPitch + static_cast<uint64_t>(at.x) * 8;
        reader.note(p);
        __builtin_memcpy(&value, p, 8);
      } else if (inside) {
        const uint32_t low = toTexel(read()).word[0];
        value = g.inst.type == abi::TexType::Sint64 ? static_cast<uint64_t>(static_cast<int32_t>(low)) : low;
      }
      for (int c = 0; c < 8; ++c) g.result[c].lane[lane] = 0;
      g.result[0].lane[lane] = static_cast<uint32_t>(value);
      g.result[1].lane[lane] = static_cast<uint32_t>(value >> 32);
      g.result[6].lane[lane] = 1;
      g.setResidency(lane, reader.absent);
      return;
    }
    const Vec4 texel = inside ? read() : reader.outOfBounds();
    g.setResult(lane, toTexel(swizzled(*g.view, texel)));
    g.setResidency(lane, reader.absent);
  });
}

}  // namespace etzel::tex
