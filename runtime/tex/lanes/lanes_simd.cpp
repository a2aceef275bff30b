// The entries of the eight-lane paths.
#include <bit>

#include "runtime/tex/lanes/access.h"
#include "runtime/tex/lanes/gather.h"
#include "runtime/tex/lanes/lanes.h"
#include "runtime/tex/lanes/multisample.h"
#include "runtime/tex/lanes/sample.h"

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

static ETZEL_INLINE_LOOP bool sameInAll(const LaneWords& words, uint32_t first, LaneMask active) {
  return !(~laneMask(ints(words) == splat(static_cast<int32_t>(first))) & active);
}

void execute(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
             const LaneWords* args, LaneWords* result) {
  if (!active) return;
  const uint32_t lane = static_cast<uint32_t>(std::countr_zero(active));
  const uint32_t image = handle->lane[lane], filter = sampler->lane[lane];
  const bool sampled = usesSampler(static_cast<abi::TexKind>(texInst & 15));
  constexpr uint32_t kRule = 3u << 27;
  if ((texInst & abi::TexInst::kSameHandles) ||
      (!(texInst & kRule) && sameInAll(*handle, image, active) && (!sampled || sameInAll(*sampler, filter, active)))) {
    const abi::ImageDescriptor* d = lookUp(*warp->context, image);
    if (d && d->view && d->view->lanes.layout != format::TexelLayout::None) {
      const Sampler* s = &kDefaultSampler;
      if (sampled)
        if (const abi::ImageDescriptor* own = filter == image ? d : lookUp(*warp->context, filter); own && own->sampler)
          s = own->sampler;
      if (runCall({warp, texInst, active, d->view, s, args, result})) return;
    }
    return executeGroups(warp, texInst, active, handle, sampler, args, result, nullptr);
  }
  executeGroups(warp, texInst, active, handle, sampler, args, result, run);
}

}  // namespace etzel::tex::ETZEL_TARGET
