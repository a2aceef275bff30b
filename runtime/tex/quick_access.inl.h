// Texels by integer coordinates: fetches, input attachments, texel buffers, storage images, and samples of multisampled
// images. Included by quick_avx2.cpp and quick_sse2.cpp after quick_address.inl.h.

/// The texel that each lane names, and whether it exists.
struct Named {
  I8 x, y, layer, sample, valid;
};

ETZEL_INLINE I8 systemValue(const QuickCall& call, abi::SysValue v) {
  return loadInt(call.warp->sys[static_cast<uint32_t>(v)]);
}

/// Offsets from view.quick.base of samples of a multisampled image. Lanes outside of `valid` get 0.
ETZEL_INLINE I8 sampleOffsets(const QuickCall& call, const abi::TexInst& inst, const Named& n, LaneMask lanes) {
  const ImageView& view = *call.view;
  I8 offset = all(0);
  // One layer, one tile: the pixels of a fragment warp. One look at the tile's state serves all.
  const int first = std::countr_zero(lanes) & 7;
  const I8 tileX = n.x >> 3, tileY = n.y >> 3;
  const I8 together = (tileX == all(tileX[first])) & (tileY == all(tileY[first])) & (n.layer == all(n.layer[first]));
  if (view.plane->fragments.offset && (bits(together) & lanes) != lanes) {
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory,
                                          view.baseLayer + static_cast<uint32_t>(n.layer[i]));
      const uint32_t x = static_cast<uint32_t>(n.x[i]), y = static_cast<uint32_t>(n.y[i]);
      const uint32_t sample = static_cast<uint32_t>(n.sample[i]);
      const std::byte* texel = inst.kind == abi::TexKind::FragmentFetch ? surface.fragmentTexel(x, y, sample)
                                                                        : surface.sampleTexel(x, y, sample);
      offset[i] = static_cast<int32_t>(texel - view.quick.base);
    }
    return offset;
  }
  const Plane p = planeOf(view, 0);
  const int32_t planePitch = static_cast<int32_t>(view.plane->samplePitch);
  const I8 start = all(static_cast<int32_t>(p.base - view.quick.base));
  const I8 pixel = start + n.x * all(p.texel) + n.y * all(p.row) + n.layer * all(p.layer);
  if (!view.plane->fragments.offset) return (pixel + n.sample * all(planePitch)) & n.valid;

  const msaa::FragmentSurface surface(*view.layout, *view.plane, view.memory,
                                      view.baseLayer + static_cast<uint32_t>(n.layer[first]));
  const uint32_t tile = surface.tileOf(static_cast<uint32_t>(n.x[first]), static_cast<uint32_t>(n.y[first]));
  const uint8_t state = surface.state(tile);
  switch (msaa::kindOf(state)) {
    case msaa::TileKind::One:
      return pixel & n.valid;
    case msaa::TileKind::Clear:
      return all(static_cast<int32_t>(surface.clearColor(msaa::clearColorOf(state)) - view.quick.base)) & n.valid;
    case msaa::TileKind::Expanded:
      return (pixel + n.sample * all(planePitch)) & n.valid;
    default:
      break;
  }
  I8 fragment = all(0);
  const uint64_t edges = surface.edges(tile);
  const bool direct = inst.kind == abi::TexKind::FragmentFetch;
  for (LaneMask rest = edges ? lanes : 0; rest; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const uint32_t index = msaa::pixelIndex(static_cast<uint32_t>(n.x[i]), static_cast<uint32_t>(n.y[i]));
    if (!(edges >> index & 1)) continue;
    const uint32_t sample = static_cast<uint32_t>(n.sample[i]);
    fragment[i] = static_cast<int32_t>(
        direct ? sample : msaa::fragmentOf(surface.loadMask(tile, index), sample, surface.samples));
  }
  return (pixel + fragment * all(planePitch)) & n.valid;
}

/// Finds the texels of the lanes. \returns false when the general path has to
ETZEL_INLINE bool locate(const QuickCall& call, const abi::TexInst& inst, Named& n, I8& offset) {
  using abi::SysValue;
  using abi::TexDim;
  const ImageView& view = *call.view;
  n.x = loadInt(call.args[0]);
  if (inst.dim == TexDim::Buffer || !view.layout) {
    if (inst.dim != TexDim::Buffer || view.layout) return false;
    if (inst.offset) n.x += loadInt(call.args[inst.argOffset()]);
    n.valid = inside(n.x, view.quick.bufferTexels);
    offset = (n.x * all(static_cast<int32_t>(view.info->blockBytes)) + all(view.quick.bias)) & n.valid;
    return true;
  }
  n.y = n.layer = n.sample = all(0);
  I8 z = all(0), move[3] = {all(0), all(0), all(0)};
  if (inst.offset)
    for (uint32_t d = 0; d < inst.offsetDims(); ++d) move[d] = loadInt(call.args[inst.argOffset() + d]);
  n.x += move[0];
  switch (inst.dim) {
    case TexDim::D1:
      if (inst.arrayed) n.layer = loadInt(call.args[1]);
      break;
    case TexDim::D3:
      n.y = loadInt(call.args[1]) + move[1], z = loadInt(call.args[2]) + move[2];
      break;
    case TexDim::Subpass:
      // Relative to the fragment; layers are those that are rendered to, views under multiview.
      n.x += floorOf(asFloat(systemValue(call, SysValue::PosX)));
      n.y = loadInt(call.args[1]) + floorOf(asFloat(systemValue(call, SysValue::PosY)));
      if (view.layerCount > 1) {
        const U8 layer = std::bit_cast<U8>(systemValue(call, SysValue::Layer));
        const U8 index = std::bit_cast<U8>(systemValue(call, SysValue::ViewIndex));
        n.layer = std::bit_cast<I8>(layer > index ? layer : index);
      }
      break;
    default:
      n.y = loadInt(call.args[1]) + move[1];
      if (inst.argCoordWords() > 2) n.layer = loadInt(call.args[2]);
  }
  uint32_t level = 0;
  if (inst.lod == abi::LodMode::Explicit) {
    const I8 lod = loadInt(call.args[inst.argLod()]);
    level = static_cast<uint32_t>(lod[std::countr_zero(call.lanes) & 7]);
    if ((~bits(lod == all(static_cast<int32_t>(level))) & call.lanes) || level >= view.mipCount) return false;
  }
  const Plane p = planeOf(view, level);
  const uint32_t layers = view.depthCount ? view.depthCount : view.layerCount;
  n.valid = inside(n.x, p.width) & inside(n.y, p.height) & inside(n.layer, static_cast<int32_t>(layers));
  if (inst.dim == TexDim::D3) n.valid &= inside(z, p.depth);
  if (view.samples > 1) {
    if (!inst.hasSample() || level) return false;
    n.sample = loadInt(call.args[inst.argSample()]);
    n.valid &= inside(n.sample, static_cast<int32_t>(view.samples));
    const LaneMask lanes = bits(n.valid) & call.lanes;
    offset = lanes ? sampleOffsets(call, inst, n, lanes) : all(0);
    return true;
  }
  if (inst.hasSample()) n.valid &= inside(loadInt(call.args[inst.argSample()]), 1);
  offset = n.x * all(p.texel) + n.y * all(p.row) + all(static_cast<int32_t>(p.base - view.quick.base));
  offset += n.layer * all(p.layer);
  if (inst.dim == TexDim::D3) offset += z * all(p.slice);
  offset &= n.valid;
  return true;
}

constexpr bool isWide(abi::TexType t) { return t == abi::TexType::Sint64 || t == abi::TexType::Uint64; }

ETZEL_INLINE bool readAs(const QuickCall& call, const abi::TexInst inst) {
  const ImageView& view = *call.view;
  // Other threads may be changing how a storage image's samples are stored.
  if (isWide(inst.type) || (inst.kind == abi::TexKind::ImageRead && view.samples > 1)) return false;
  Named n;
  I8 offset;
  if (!locate(call, inst, n, offset)) return false;
  const Target to{view, call.result, call.lanes};
  format::Texel missing;
  const bool complete = (bits(n.valid) & call.lanes) == call.lanes;
  if (!complete) missing = {{0, 0, 0, view.quick.missingAlpha}};
  kernels(view).read(to, view.quick.base, offset, n.valid, complete ? nullptr : &missing);
  return true;
}

template <bool multisampled, abi::LodMode lod>
bool readPlain(const QuickCall& call) {
  abi::TexInst inst;
  inst.kind = abi::TexKind::Fetch, inst.multisampled = multisampled, inst.lod = lod;
  return readAs(call, inst);
}
bool readAny(const QuickCall& call) { return readAs(call, abi::TexInst::unpack(call.inst)); }

/// Fetch, FragmentFetch and ImageRead. Instructions that are known here cost less, as for sample().
ETZEL_INLINE bool read(const QuickCall& call) {
  using abi::LodMode;
  constexpr auto plain = [](bool multisampled, LodMode lod) {
    abi::TexInst inst;
    inst.kind = abi::TexKind::Fetch, inst.multisampled = multisampled, inst.lod = lod;
    return inst.pack();
  };
  constexpr uint32_t type = 7u << 19;
  if (isWide(static_cast<abi::TexType>(call.inst >> 19 & 7))) return false;
  switch (call.inst & ~(abi::TexInst::kSameHandles | type)) {
    case plain(false, LodMode::Zero):
      return readPlain<false, LodMode::Zero>(call);
    case plain(false, LodMode::Explicit):
      return readPlain<false, LodMode::Explicit>(call);
    case plain(true, LodMode::Zero):
      return readPlain<true, LodMode::Zero>(call);
    default:
      return readAny(call);
  }
}

/// QuerySize of images, from one level.
bool querySize(const QuickCall& call) {
  const abi::TexInst inst = abi::TexInst::unpack(call.inst);
  const ImageView& view = *call.view;
  if (!view.layout || inst.dim == abi::TexDim::Buffer) return false;
  uint32_t level = 0;
  if (inst.lod == abi::LodMode::Explicit) {
    const I8 lod = loadInt(call.args[inst.argLod()]);
    level = static_cast<uint32_t>(lod[std::countr_zero(call.lanes) & 7]);
    if ((~bits(lod == all(static_cast<int32_t>(level))) & call.lanes) || level >= view.mipCount) return false;
  }
  const Plane p = planeOf(view, level);
  const int32_t layers = static_cast<int32_t>(view.depthCount ? view.depthCount : view.layerCount);
  int32_t words[4] = {p.width, 0, 0, 0};
  uint32_t n = 1;
  if (inst.dim != abi::TexDim::D1) words[n++] = p.height;
  if (inst.dim == abi::TexDim::D3) words[n++] = p.depth;
  if (inst.arrayed) words[n] = inst.dim == abi::TexDim::Cube ? layers / 6 : layers;
  for (uint32_t i = 0; i < 3; ++i) store(call.result[i], asFloat(all(words[i])), call.lanes);
  return true;
}

bool write(const QuickCall& call) {
  const abi::TexInst inst = abi::TexInst::unpack(call.inst);
  const ImageView& view = *call.view;
  if (isWide(inst.type) || view.samples > 1 || view.info->channel[0].bits == 64 || !view.encode) return false;
  Named n;
  I8 offset;
  if (!locate(call, inst, n, offset)) return false;
  const LaneMask lanes = bits(n.valid) & call.lanes & ~call.warp->helper;
  std::byte* base = const_cast<std::byte*>(view.quick.base);  // read-only for everyone else
  if (lanes) kernels(view).write({view, nullptr, lanes}, base, offset, call.args + inst.argData());
  return true;
}
