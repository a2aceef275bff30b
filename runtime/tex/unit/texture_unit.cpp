// The entry of all texture instructions: looks descriptors up, sorts lanes into groups, hands each to its operation.
#include "runtime/tex/unit/texture_unit.h"

#include "runtime/simd/cpu.h"
#include "runtime/tex/decoding.h"
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
LanesRun bestRun() {
  static const LanesRun best = ETZEL_CHOOSE(run);
  return best;
}

/// What null descriptors and operations that do nothing return; the residency word (resident) stays 0. A result block
/// is written in active lanes only, and never before the arguments of all lanes have been read by the operation.
struct Results {
  LaneWords word[9] = {};
};
void copyResults(const Results& from, const abi::TexInst& inst, LaneMask lanes, LaneWords* to) {
  for (uint32_t w = 0, words = inst.resultWords(); w < words; ++w)
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      if (lanes >> i & 1) to[w].lane[i] = from.word[w].lane[i];
}

/// Lanes with the same descriptors.
void runGroup(abi::Warp* warp, const abi::TexInst& inst, LaneMask lanes, const ImageView* view, const Sampler* sampler,
              const LaneWords* args, Results& results, LanesRun run) {
  using abi::TexKind;
  if (view && view->integers && inst.type != abi::TexType::Float) view = view->integers;
  if (view && view->decoding) view = &view->decoding->readable(), run = bestRun();
  if (!view || !view->memory || !view->info) return;
  LaneWords adapted[kAdaptedArgs];
  const bool fits = inst.rule == abi::DimRule::Given || (inst.rule == abi::DimRule::Match && sameDim(inst, *view));
  if (inst.rule == abi::DimRule::Match && !fits) return;
  const Group group{warp,
                    fits ? inst : adaptToView(inst, *view, sampler, args, adapted),
                    lanes,
                    view,
                    sampler ? sampler : &kDefaultSampler,
                    fits ? args : adapted,
                    results.word};
  if (run && view->lanes.layout != format::TexelLayout::None &&
      run({warp, group.inst.pack(), lanes, view, group.sampler, group.args, results.word}))
    return;
  switch (inst.kind) {
    case TexKind::Sample:
    case TexKind::Gather:
    case TexKind::QueryLod: return runSample(group);
    case TexKind::Fetch:
    case TexKind::FragmentMask:
    case TexKind::FragmentFetch: return runFetch(group);
    case TexKind::QuerySize:
    case TexKind::QueryLevels:
    case TexKind::QuerySamples: return runQuery(group);
    case TexKind::ImageRead:
    case TexKind::ImageWrite:
    case TexKind::ImageAtomic: return runImageAccess(group);
  }
}

}  // namespace

void executeGroups(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle,
                   const LaneWords* sampler, const LaneWords* args, LaneWords* result, LanesRun run) {
  const abi::TexInst inst = abi::TexInst::unpack(texInst);
  const bool needsSampler = usesSampler(inst.kind);
  Results results;
  for (LaneMask rest = active; rest;) {
    const uint32_t first = static_cast<uint32_t>(std::countr_zero(rest));
    LaneMask lanes = sameAsFirst(*handle, rest, first);
    if (needsSampler) lanes &= sameAsFirst(*sampler, rest, first);
    rest &= ~lanes;
    const abi::ImageDescriptor* image = lookUp(*warp->context, handle->lane[first]);
    const abi::ImageDescriptor* filter = needsSampler ? lookUp(*warp->context, sampler->lane[first]) : nullptr;
    runGroup(warp, inst, lanes, image ? image->view : nullptr, filter ? filter->sampler : nullptr, args, results, run);
  }
  copyResults(results, inst, active, result);
}

void executeApart(abi::Warp* warp, uint32_t texInst, LaneMask active, const ImageView* view, const Sampler* sampler,
                  const LaneWords* args, LaneWords* result) {
  const abi::TexInst inst = abi::TexInst::unpack(texInst);
  Results results;
  runGroup(warp, inst, active, view, sampler, args, results, nullptr);
  copyResults(results, inst, active, result);
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
