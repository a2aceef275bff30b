// The entries of one build: ETZEL_QUICK and ETZEL_EXECUTE. Included last by quick_avx2.cpp and quick_sse2.cpp.

ETZEL_INLINE bool runQuick(const QuickCall& call) {
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

static ETZEL_INLINE bool runCall(const QuickCall& call) {
  if (!runQuick(call)) return false;
  // The residency word: everything is resident.
  constexpr uint32_t sparse = [] {
    abi::TexInst inst;
    inst.sparse = true;
    return inst.pack() & ~abi::TexInst{}.pack();
  }();
  if (call.inst & sparse) store(call.result[4], all(0.0f), call.lanes);
  return true;
}
bool ETZEL_QUICK(const QuickCall& call) { return runCall(call); }

static ETZEL_INLINE bool sameInAll(const LaneWords& words, uint32_t first, LaneMask active) {
  return !(~bits(loadInt(words) == all(static_cast<int32_t>(first))) & active);
}

void ETZEL_EXECUTE(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle,
                   const LaneWords* sampler, const LaneWords* args, LaneWords* result) {
  if (!active) return;
  const uint32_t lane = static_cast<uint32_t>(std::countr_zero(active));
  const uint32_t image = handle->lane[lane], filter = sampler->lane[lane];
  const bool sampled = usesSampler(static_cast<abi::TexKind>(texInst & 15));
  constexpr uint32_t kRule = 3u << 27;
  if ((texInst & abi::TexInst::kSameHandles) ||
      (!(texInst & kRule) && sameInAll(*handle, image, active) && (!sampled || sameInAll(*sampler, filter, active)))) {
    const abi::ImageDescriptor* d = lookUp(*warp->context, image);
    if (d && d->view && d->view->quick.format != QuickFormat::None) {
      const Sampler* s = &kDefaultSampler;
      if (sampled)
        if (const abi::ImageDescriptor* own = filter == image ? d : lookUp(*warp->context, filter); own && own->sampler)
          s = own->sampler;
      if (runCall({warp, texInst, active, d->view, s, args, result})) return;
    }
    return executeGroups(warp, texInst, active, handle, sampler, args, result, nullptr);
  }
  executeGroups(warp, texInst, active, handle, sampler, args, result, ETZEL_QUICK);
}
