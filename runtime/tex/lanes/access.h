// Texels by integer coordinates: fetches, input attachments, texel buffers, storage images. Compiled per target.
#pragma once

#include <bit>

#include "runtime/tex/lanes/multisample.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

/// Finds the texels of the lanes. \returns false when the general path has to
ETZEL_INLINE_LOOP bool locate(const LanesCall& call, const abi::TexInst& inst, Named& n, I32x8& offset) {
  using abi::SysValue;
  using abi::TexDim;
  const ImageView& view = *call.view;
  n.x = ints(call.args[0]);
  if (inst.dim == TexDim::Buffer || !view.layout) {
    if (inst.dim != TexDim::Buffer || view.layout) return false;
    if (inst.offset) n.x += ints(call.args[inst.argOffset()]);
    n.valid = inside(n.x, view.lanes.bufferTexels);
    offset = (n.x * splat(static_cast<int32_t>(view.info->blockBytes)) + splat(view.lanes.bias)) & n.valid;
    return true;
  }
  n.y = n.layer = n.sample = splat(0);
  n.same = U32x8{};
  I32x8 z = splat(0), move[3] = {splat(0), splat(0), splat(0)};
  if (inst.offset)
    for (uint32_t d = 0; d < inst.offsetDims(); ++d) move[d] = ints(call.args[inst.argOffset() + d]);
  n.x += move[0];
  switch (inst.dim) {
    case TexDim::D1:
      if (inst.arrayed) n.layer = ints(call.args[1]);
      break;
    case TexDim::D3: n.y = ints(call.args[1]) + move[1], z = ints(call.args[2]) + move[2]; break;
    case TexDim::Subpass:
      // Relative to the fragment; layers are those that are rendered to, views under multiview.
      n.x += floorOf(asFloat(systemValue(call, SysValue::PosX)));
      n.y = ints(call.args[1]) + floorOf(asFloat(systemValue(call, SysValue::PosY)));
      if (view.layerCount > 1) {
        const U32x8 layer = asUnsigned(systemValue(call, SysValue::Layer));
        const U32x8 index = asUnsigned(systemValue(call, SysValue::ViewIndex));
        n.layer = asInt(layer > index ? layer : index);
      }
      break;
    default:
      n.y = ints(call.args[1]) + move[1];
      if (inst.argCoordWords() > 2) n.layer = ints(call.args[2]);
  }
  uint32_t level = 0;
  if (inst.lod == abi::LodMode::Explicit) {
    const I32x8 lod = ints(call.args[inst.argLod()]);
    level = static_cast<uint32_t>(lod[std::countr_zero(call.lanes) & 7]);
    if ((~laneMask(lod == splat(static_cast<int32_t>(level))) & call.lanes) || level >= view.mipCount) return false;
  }
  const Plane p = planeOf(view, level);
  const uint32_t layers = view.depthCount ? view.depthCount : view.layerCount;
  n.valid = inside(n.x, p.width) & inside(n.y, p.height) & inside(n.layer, static_cast<int32_t>(layers));
  if (inst.dim == TexDim::D3) n.valid &= inside(z, p.depth);
  if (view.samples > 1) {
    if (!inst.hasSample() || level) return false;
    n.sample = ints(call.args[inst.argSample()]);
    n.valid &= inside(n.sample, static_cast<int32_t>(view.samples));
    const LaneMask lanes = laneMask(n.valid) & call.lanes;
    offset = lanes ? sampleOffsets(call, inst, n, lanes) : splat(0);
    return true;
  }
  if (inst.hasSample()) n.sample = ints(call.args[inst.argSample()]), n.valid &= inside(n.sample, 1);
  offset = across(p, n.x) + down(p, n.y) + splat(distanceOf(view, view.lanes.base, p.base));
  offset += n.layer * splat(p.layer);
  if (inst.dim == TexDim::D3) offset += z * splat(p.slice);
  offset &= n.valid;
  return true;
}

constexpr bool isWide(abi::TexType t) { return t == abi::TexType::Sint64 || t == abi::TexType::Uint64; }

ETZEL_INLINE_LOOP bool readAs(const LanesCall& call, const abi::TexInst inst) {
  const ImageView& view = *call.view;
  // Other threads may be changing how a storage image's samples are stored.
  if (isWide(inst.type) || (view.samples > 1 && view.layout->storage)) return false;
  Named n;
  I32x8 offset;
  if (!locate(call, inst, n, offset)) return false;
  if (inst.kind == abi::TexKind::Fetch && inst.hasSample() && call.warp->sampleShare)
    shareSamples(call, n.sample, n.same & asUnsigned(n.valid));
  if (view.samples > 1)  // of a fragment warp's rows
    prefetchRight(view.lanes.base + offset[0], offset[2] - offset[0]);
  const Target to{view, call.result, call.lanes};
  format::Texel missing;
  const bool complete = (laneMask(n.valid) & call.lanes) == call.lanes;
  if (!complete) missing = {{0, 0, 0, view.lanes.missingAlpha}};
  kernels(view).read(to, view.lanes.base, offset, n.valid, complete ? nullptr : &missing);
  return true;
}

template <bool multisampled, abi::LodMode lod>
bool readPlain(const LanesCall& call) {
  abi::TexInst inst;
  inst.kind = abi::TexKind::Fetch, inst.multisampled = multisampled, inst.lod = lod;
  return readAs(call, inst);
}
bool readAny(const LanesCall& call) { return readAs(call, abi::TexInst::unpack(call.inst)); }

/// Fetch, FragmentFetch and ImageRead. Instructions that are known here cost less, as for sample().
ETZEL_INLINE_LOOP bool read(const LanesCall& call) {
  using abi::LodMode;
  constexpr auto plain = [](bool multisampled, LodMode lod) {
    abi::TexInst inst;
    inst.kind = abi::TexKind::Fetch, inst.multisampled = multisampled, inst.lod = lod;
    return inst.pack();
  };
  constexpr uint32_t type = 7u << 19;
  if (isWide(static_cast<abi::TexType>(call.inst >> 19 & 7))) return false;
  switch (call.inst & ~type) {
    case plain(false, LodMode::Zero): return readPlain<false, LodMode::Zero>(call);
    case plain(false, LodMode::Explicit): return readPlain<false, LodMode::Explicit>(call);
    case plain(true, LodMode::Zero): return readGroup(call) || readPlain<true, LodMode::Zero>(call);
    default: return readAny(call);
  }
}

/// QuerySize of images, from one level.
bool querySize(const LanesCall& call) {
  const abi::TexInst inst = abi::TexInst::unpack(call.inst);
  const ImageView& view = *call.view;
  if (!view.layout || inst.dim == abi::TexDim::Buffer) return false;
  uint32_t level = 0;
  if (inst.lod == abi::LodMode::Explicit) {
    const I32x8 lod = ints(call.args[inst.argLod()]);
    level = static_cast<uint32_t>(lod[std::countr_zero(call.lanes) & 7]);
    if ((~laneMask(lod == splat(static_cast<int32_t>(level))) & call.lanes) || level >= view.mipCount) return false;
  }
  const Plane p = planeOf(view, level);
  const int32_t layers = static_cast<int32_t>(view.depthCount ? view.depthCount : view.layerCount);
  int32_t words[4] = {p.width, 0, 0, 0};
  uint32_t n = 1;
  if (inst.dim != abi::TexDim::D1) words[n++] = p.height;
  if (inst.dim == abi::TexDim::D3) words[n++] = p.depth;
  if (inst.arrayed) words[n] = inst.dim == abi::TexDim::Cube ? layers / 6 : layers;
  for (uint32_t i = 0; i < 3; ++i) store(call.result[i], asFloat(splat(words[i])), call.lanes);
  return true;
}

ETZEL_INLINE_LOOP bool writeAs(const LanesCall& call, const abi::TexInst inst) {
  const ImageView& view = *call.view;
  if (isWide(inst.type) || view.samples > 1 || view.info->channel[0].bits == 64 || !view.encode) return false;
  Named n;
  I32x8 offset;
  if (!locate(call, inst, n, offset)) return false;
  const LaneMask lanes = laneMask(n.valid) & call.lanes & ~call.warp->helper;
  std::byte* base = const_cast<std::byte*>(view.lanes.base);  // read-only for everyone else
  if (lanes) kernels(view).write({view, nullptr, lanes}, base, offset, call.args + inst.argData());
  return true;
}
bool writePlain(const LanesCall& call) {
  abi::TexInst inst;
  inst.kind = abi::TexKind::ImageWrite, inst.lod = abi::LodMode::Zero;
  return writeAs(call, inst);
}
bool writeAny(const LanesCall& call) { return writeAs(call, abi::TexInst::unpack(call.inst)); }

ETZEL_INLINE_LOOP bool write(const LanesCall& call) {
  constexpr uint32_t plain = [] {
    abi::TexInst inst;
    inst.kind = abi::TexKind::ImageWrite, inst.lod = abi::LodMode::Zero;
    return inst.pack();
  }();
  constexpr uint32_t type = 7u << 19;
  if (isWide(static_cast<abi::TexType>(call.inst >> 19 & 7))) return false;
  return (call.inst & ~type) == plain ? writePlain(call) : writeAny(call);
}

}  // namespace
}  // namespace etzel::tex::ETZEL_TARGET
