// The entry of all texture instructions: looks descriptors up, sorts lanes into groups, hands each to its operation.
#include "runtime/tex/unit/texture_unit.h"

#include "runtime/simd/cpu.h"
#include "runtime/tex/lanes/lanes.h"
#include "runtime/tex/single/group.h"
#include "runtime/tex/unit/dim_rule.h"

namespace etzel::tex {
namespace {

/// Whether every lane of `lanes` has the value of the lowest one; the common case is all eight.
LaneMask sameAsFirst(const LaneWords& words, LaneMask lanes, uint32_t first) {
  LaneMask same = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i) same |= static_cast<LaneMask>(words.lane[i] == words.lane[first]) << i;
  return same & lanes;
}

using Execute = decltype(abi::FunctionTable::texture);
Execute bestExecute() { return ETZEL_CHOOSE(execute); }

}  // namespace

void executeGroups(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle,
                   const LaneWords* sampler, const LaneWords* args, LaneWords* result, LanesRun run) {
  using abi::TexKind;
  const abi::TexInst inst = abi::TexInst::unpack(texInst);
  const uint32_t words = inst.resultWords();
  const bool needsSampler = usesSampler(inst.kind);
  // What null descriptors and operations that do nothing return; the residency word (resident) stays 0. A result block
  // is written in active lanes only, and never before the arguments of all lanes have been read by the operation.
  LaneWords local[9];
  for (uint32_t w = 0; w < words; ++w) local[w] = {};

  for (LaneMask rest = active; rest;) {
    const uint32_t first = static_cast<uint32_t>(std::countr_zero(rest));
    LaneMask lanes = sameAsFirst(*handle, rest, first);
    if (needsSampler) lanes &= sameAsFirst(*sampler, rest, first);
    rest &= ~lanes;
    const abi::ImageDescriptor* image = lookUp(*warp->context, handle->lane[first]);
    const ImageView* view = image ? image->view : nullptr;
    if (view && view->integers && inst.type != abi::TexType::Float) view = view->integers;
    if (!view || !view->memory || !view->info) continue;
    const abi::ImageDescriptor* filter = needsSampler ? lookUp(*warp->context, sampler->lane[first]) : nullptr;
    const Sampler* state = filter ? filter->sampler : nullptr;
    LaneWords adapted[kAdaptedArgs];
    const bool fits = inst.rule == abi::DimRule::Given || (inst.rule == abi::DimRule::Match && sameDim(inst, *view));
    if (inst.rule == abi::DimRule::Match && !fits) continue;
    const Group group{warp,
                      fits ? inst : adaptToView(inst, *view, state, args, adapted),
                      lanes,
                      view,
                      state ? state : &kDefaultSampler,
                      fits ? args : adapted,
                      local};
    if (run && view->lanes.layout != format::TexelLayout::None &&
        run({warp, group.inst.pack(), lanes, view, group.sampler, group.args, local}))
      continue;
    switch (inst.kind) {
      case TexKind::Sample:
      case TexKind::Gather:
      case TexKind::QueryLod: runSample(group); break;
      case TexKind::Fetch:
      case TexKind::FragmentMask:
      case TexKind::FragmentFetch: runFetch(group); break;
      case TexKind::QuerySize:
      case TexKind::QueryLevels:
      case TexKind::QuerySamples: runQuery(group); break;
      case TexKind::ImageRead:
      case TexKind::ImageWrite:
      case TexKind::ImageAtomic: runImageAccess(group); break;
    }
  }
  for (uint32_t w = 0; w < words; ++w)
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      if (active >> i & 1) result[w].lane[i] = local[w].lane[i];
}

void execute(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
             const LaneWords* args, LaneWords* result) {
  static const Execute best = bestExecute();
  best(warp, texInst, active, handle, sampler, args, result);
}

const abi::FunctionTable& functionTable() {
  static const abi::FunctionTable table{bestExecute()};
  return table;
}

}  // namespace etzel::tex
