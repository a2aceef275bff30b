// The eight-lane paths: what frames are made of, one texture instruction of a whole warp at a time with vectors. They
// know plain images of every format, all address modes and levels of detail, anisotropy, comparison,
// gathers, fetches, samples of multisampled images, and stores. The rest, Y'CbCr, reductions, atomics,
// queries, takes the general paths of the other files, lane by lane.
//
// Which of the two runs depends on the view, the sampler and the instruction, never on the machine; where it also
// depends on coordinates (fetches from several levels) both give the same bytes. The code is compiled per target, with
// the same results. Internal to tex/.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/simd/target.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

/// One instruction for lanes with the same descriptors.
struct LanesCall {
  abi::Warp* warp;
  uint32_t inst;  ///< packed
  LaneMask lanes;
  const ImageView* view;   ///< not null, view->lanes.layout is not None
  const Sampler* sampler;  ///< not null
  const LaneWords* args;
  LaneWords* result;  ///< may be the same registers as `args`
};

/// \returns false: nothing happened, the general path has to run
using LanesRun = bool (*)(const LanesCall&);
ETZEL_PER_TARGET(bool run(const LanesCall& call);)

/// abi::FunctionTable::texture.
ETZEL_PER_TARGET(void execute(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle,
                              const LaneWords* sampler, const LaneWords* args, LaneWords* result);)

/// What abi::DirectView has of a layout other than None; null: there is no such routine.
struct DirectRoutines {
  abi::ReadTexels read;
  abi::ReadFootprints bilinear;
  abi::CompareFootprints compare;
  abi::WriteTexels write;
  abi::SampleLevels sample;
  abi::ReadSamples samples;
  LevelUse levels;  ///< of 2D views and cubes that are filtered
};
ETZEL_PER_TARGET(DirectRoutines directRoutines(format::TexelLayout layout);)

/// execute() of lanes with the same descriptors, for what these paths do not know.
void executeApart(abi::Warp* warp, uint32_t texInst, LaneMask active, const ImageView* view, const Sampler* sampler,
                  const LaneWords* args, LaneWords* result);

/// execute() for any mixture of descriptors, by lanes that have the same; `run` may be null.
void executeGroups(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle,
                   const LaneWords* sampler, const LaneWords* args, LaneWords* result, LanesRun run);

inline constexpr Sampler kDefaultSampler{};  ///< where an instruction needs none

/// abi/descriptor.h: a handle past the end of its table acts as the null handle. \returns null for it
inline const abi::ImageDescriptor* lookUp(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const uint32_t table = abi::tableOf(handle);
  const uint64_t offset = abi::byteOffsetOf(handle);
  if (table == abi::kNullTable || offset + abi::kDescriptorBytes > context.tableBytes[table]) return nullptr;
  return reinterpret_cast<const abi::ImageDescriptor*>(context.table[table] + offset);
}

/// Whether a kind of instruction has a sampler.
constexpr bool usesSampler(abi::TexKind kind) { return kind <= abi::TexKind::QueryLod && kind != abi::TexKind::Fetch; }

}  // namespace etzel::tex
