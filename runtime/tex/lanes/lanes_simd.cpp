// The entries of the eight-lane paths.
#include <bit>

#include "runtime/tex/lanes/access.h"
#include "runtime/tex/lanes/gather.h"
#include "runtime/tex/lanes/lanes.h"
#include "runtime/tex/lanes/multisample.h"
#include "runtime/tex/lanes/sample_ways.h"
#include "runtime/tex/lanes/tile_samples.h"

namespace etzel::tex::ETZEL_TARGET {
namespace {

ETZEL_INLINE_LOOP bool runKind(const LanesCall& call) {
  using abi::TexKind;
  switch (static_cast<TexKind>(call.inst & 15)) {
    case TexKind::Sample: return sample(call);
    case TexKind::Gather: return gather(call);
    case TexKind::Fetch:
    case TexKind::FragmentFetch:
    case TexKind::ImageRead: return read(call);
    case TexKind::ImageWrite: return write(call);
    case TexKind::QuerySize: return querySize(call);
    default: return false;
  }
}

}  // namespace

static ETZEL_INLINE_LOOP bool runCall(const LanesCall& call) {
  constexpr uint32_t sparse = [] {
    abi::TexInst inst;
    inst.sparse = true;
    return inst.pack() & ~abi::TexInst{}.pack();
  }();
  if (!(call.inst & sparse)) return runKind(call);
  // Who asks for the residency of texels that may lack memory has them looked at one by one.
  if (call.view->residency && !call.view->residency->complete()) return false;
  if (!runKind(call)) return false;
  store(call.result[4], splat(0.0f), call.lanes);  // the residency word: everything is resident
  return true;
}
bool run(const LanesCall& call) { return runCall(call); }

/// Whether wide_texels.h knows the texels, and the host its instructions.
static bool isWide(format::TexelLayout layout) {
#ifdef ETZEL_SIMD_V3
  return wideLayout(layout) != Q::None && simd::hasWideBytes();
#else
  return false;
#endif
}

#ifdef ETZEL_SIMD_V3
/// readBilinear() of what wide_floats.h and wide_pairs.h know.
template <Q f>
static ETZEL_WIDE_BYTES void readSquareWide(const ImageView* view, const abi::Footprints* from, LaneWords* result) {
  filterSquareWide<f>({*view, result, kAllLanes}, *reinterpret_cast<const Square*>(from), nullptr);
}
/// Null where they do not know the texels.
static auto squareReader(Q layout) -> decltype(DirectRoutines::bilinear) {
  switch (layout) {
    case Q::Rg8: return readSquareWide<Q::Rg8>;
    case Q::Rg16: return readSquareWide<Q::Rg16>;
    case Q::Rg16F: return readSquareWide<Q::Rg16F>;
    case Q::R32: return readSquareWide<Q::R32>;
    case Q::Rgba16F: return readSquareWide<Q::Rgba16F>;
    case Q::Rgba32: return readSquareWide<Q::Rgba32>;
    case Q::Rg11B10F: return readSquareWide<Q::Rg11B10F>;
    default: return nullptr;
  }
}
#endif

/// Which of level_squares.h and wide.h knows the texels on this host.
static LevelUse levelUse(Q layout) {
  if (isWide(layout)) return LevelUse::Sixteen;
  return isBytes4(layout) ? LevelUse::Eight : LevelUse::None;
}

/// abi::SampleLevels.
static bool sampleLevels(const ImageView* view, const Sampler* sampler, uint32_t texInst, const LaneWords* args,
                         LaneMask lanes, LaneWords* result) {
  if (!sampler) sampler = &kDefaultSampler;
  if (static_cast<abi::TexKind>(texInst & 15) != abi::TexKind::Gather)
    return sample({nullptr, texInst, lanes, view, sampler, args, result});
#ifdef ETZEL_SIMD_V3
  if (gathersWidely(*view, *sampler, texInst)) return gatherWide(view, sampler, texInst, args, lanes, result);
#endif
  return gatherLevels(view, sampler, texInst, args, lanes, result);
}

DirectRoutines directRoutines(format::TexelLayout layout) {
  DirectRoutines direct = kSquareKernels[static_cast<size_t>(layout) - 1].direct;
  direct.sample = sampleLevels, direct.samples = readSamples, direct.levels = levelUse(layout);
#ifdef ETZEL_SIMD_V3
  if (const auto reader = squareReader(layout); reader && simd::hasWideBytes()) direct.bilinear = reader;
  if (layout == Q::Rgba32 && simd::hasWideBytes()) direct.read = readFloatsFound;
  if (direct.levels == LevelUse::Sixteen && isBytes4(layout))
    direct.bilinear = isSrgb(layout) ? readBilinearWide<true> : readBilinearWide<false>;
#endif
  return direct;
}

/// Lanes with the same descriptors.
static ETZEL_INLINE_LOOP void executeOf(abi::Warp* warp, uint32_t texInst, LaneMask active, const ImageView* view,
                                        const Sampler* sampler, const LaneWords* args, LaneWords* result) {
  if (view && view->lanes.layout != format::TexelLayout::None &&
      runCall({warp, texInst, active, view, sampler ? sampler : &kDefaultSampler, args, result}))
    return;
  executeApart(warp, texInst, active, view, sampler, args, result);
}

static ETZEL_INLINE_LOOP bool sameInAll(const LaneWords& words, uint32_t first, LaneMask active) {
  return !(~laneMask(ints(words) == splat(static_cast<int32_t>(first))) & active);
}

void execute(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
             const LaneWords* args, LaneWords* result) {
  if (!active) return;
  if (texInst & abi::TexInst::kSameHandles) {
    const auto* image = reinterpret_cast<const abi::ImageDescriptor*>(handle);
    const auto* filter = reinterpret_cast<const abi::ImageDescriptor*>(sampler);
    return executeOf(warp, texInst & ~abi::TexInst::kSameHandles, active, image->view,
                     filter ? filter->sampler : nullptr, args, result);
  }
  const uint32_t lane = static_cast<uint32_t>(std::countr_zero(active));
  const uint32_t image = handle->lane[lane], filter = sampler->lane[lane];
  const bool sampled = usesSampler(static_cast<abi::TexKind>(texInst & 15));
  constexpr uint32_t kRule = 3u << 27;
  if ((texInst & kRule) || !sameInAll(*handle, image, active) || (sampled && !sameInAll(*sampler, filter, active)))
    return executeGroups(warp, texInst, active, handle, sampler, args, result, run);
  const abi::ImageDescriptor* d = lookUp(*warp->context, image);
  const abi::ImageDescriptor* s = !sampled ? nullptr : filter == image ? d : lookUp(*warp->context, filter);
  executeOf(warp, texInst, active, d ? d->view : nullptr, s ? s->sampler : nullptr, args, result);
}

}  // namespace etzel::tex::ETZEL_TARGET
