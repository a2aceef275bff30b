// The entry of all texture instructions: looks descriptors up, sorts lanes into groups, hands each to its operation.
#include "runtime/tex/texture_unit.h"

#include "runtime/tex/group.h"

namespace etzel::tex {
namespace {

constexpr abi::ImageDescriptor kNullDescriptor{};
constexpr Sampler kDefaultSampler{};

/// abi/descriptor.h: a handle past the end of its table acts as the null handle.
const abi::ImageDescriptor& lookUp(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const uint32_t table = handle >> 27;
  const uint64_t offset = uint64_t{handle & 0x7FFFFFFu} * 16;
  if (table == abi::kNullTable || offset + abi::kDescriptorBytes > context.tableBytes[table]) return kNullDescriptor;
  return *reinterpret_cast<const abi::ImageDescriptor*>(context.table[table] + offset);
}

/// Whether every lane of `lanes` has the value of the lowest one; the common case is all eight.
LaneMask sameAsFirst(const LaneWords& words, LaneMask lanes, uint32_t first) {
  LaneMask same = 0;
  for (uint32_t i = 0; i < kWarpLanes; ++i) same |= static_cast<LaneMask>(words.lane[i] == words.lane[first]) << i;
  return same & lanes;
}

}  // namespace

void execute(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
             const LaneWords* args, LaneWords* result) {
  using abi::TexKind;
  const abi::TexInst inst = abi::TexInst::unpack(texInst);
  const uint32_t words = inst.resultWords();
  const bool needsSampler = inst.kind <= TexKind::QueryLod && inst.kind != TexKind::Fetch;
  // What null descriptors and operations that do nothing return; the residency word (resident) stays 0. A result block
  // is written in active lanes only, and never before the arguments of all lanes have been read by the operation.
  LaneWords local[9];
  for (uint32_t w = 0; w < words; ++w) local[w] = {};

  for (LaneMask rest = active; rest;) {
    const uint32_t first = static_cast<uint32_t>(std::countr_zero(rest));
    LaneMask lanes = sameAsFirst(*handle, rest, first);
    if (needsSampler) lanes &= sameAsFirst(*sampler, rest, first);
    rest &= ~lanes;
    const ImageView* view = lookUp(*warp->context, handle->lane[first]).view;
    if (!view || !view->memory || !view->info) continue;
    const Sampler* state = needsSampler ? lookUp(*warp->context, sampler->lane[first]).sampler : nullptr;
    const Group group{warp, inst, lanes, view, state ? state : &kDefaultSampler, args, local};
    switch (inst.kind) {
      case TexKind::Sample:
      case TexKind::Gather:
      case TexKind::QueryLod:
        runSample(group);
        break;
      case TexKind::Fetch:
      case TexKind::FragmentMask:
      case TexKind::FragmentFetch:
        runFetch(group);
        break;
      case TexKind::QuerySize:
      case TexKind::QueryLevels:
      case TexKind::QuerySamples:
        runQuery(group);
        break;
      case TexKind::ImageRead:
      case TexKind::ImageWrite:
      case TexKind::ImageAtomic:
        runImageAccess(group);
        break;
    }
  }
  for (uint32_t w = 0; w < words; ++w)
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      if (active >> i & 1) result[w].lane[i] = local[w].lane[i];
}

const abi::FunctionTable& functionTable() {
  static constexpr abi::FunctionTable table{&execute};
  return table;
}

}  // namespace etzel::tex
