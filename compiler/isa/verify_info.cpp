// What a program says of itself, which fixed-function stages index and allocate by. The compiler says nothing else;
// programs out of caches and containers might.
#include <algorithm>

#include "compiler/isa/groups_abreast.h"
#include "compiler/isa/verify.h"
#include "runtime/abi/groups_abreast.h"
#include "runtime/abi/limits.h"

namespace etzel::isa {
namespace {

using abi::ProgramInfo;

Error bad(const char* why) { return {ErrorCode::InvalidShader, std::string("the program's description: ") + why}; }

constexpr bool fits(uint64_t bits, uint32_t count) { return count >= 64 || bits >> count == 0; }

Result<void> interface(const ProgramInfo& i) {
  constexpr uint32_t colors = (abi::kFragOutColorIndex1 - abi::kFragOutColor) / 4;
  if (!fits(i.inputLocations, abi::kMaxLocations)) return bad("an input location that does not exist");
  if (!fits(i.outputLocations, i.stage == abi::Stage::Fragment ? colors : abi::kMaxLocations))
    return bad("an output location that does not exist");
  if (!fits(i.integerOutputs, colors)) return bad("an integer output that does not exist");
  if (!fits(i.sysValues, abi::kSysValueCount)) return bad("a system value that does not exist");
  if (!fits(i.linearInputs, abi::kRecordWords / 4)) return bad("an interpolated word that does not exist");
  constexpr uint32_t distances = abi::kWordGeneric - abi::kWordClipDistance;
  if (i.clipDistances > distances || i.cullDistances > distances - i.clipDistances)
    return bad("more than 8 clip and cull distances");
  if (i.depthMode > 3 || i.interlock > 1) return bad("no such depth or interlock mode");
  return {};
}

Result<void> workgroup(const Program& program) {
  const ProgramInfo& i = program.info;
  uint64_t invocations = 1;
  for (uint32_t n : i.localSize) {
    if (n == 0) return bad("a workgroup without invocations");
    if (n > abi::kMaxWorkgroupSize) return bad("a workgroup that is too large");
    invocations *= n;
  }
  if (invocations > abi::kMaxWorkgroupInvocations) return bad("a workgroup that is too large");
  if (i.sharedBytes > abi::kMaxPaddedSharedBytes) return bad("too much workgroup memory");
  if (program.scratchBytes > abi::kMaxScratchBytes) return bad("too much private memory");
  if (abi::groupsLieAbreast(i)) {
    if (!canLieAbreast(program)) return bad("workgroups side by side that would see it");
  } else if (i.subgroupSize != kWarpLanes && i.subgroupSize != abi::kMinSubgroupSize) {
    return bad("a subgroup size other than 4 and 8");
  }
  // Executors keep more for programs with barriers.
  const bool waits = std::any_of(program.code.begin(), program.code.end(),
                                 [](const Inst& inst) { return inst.op == Opcode::Barrier; });
  if (waits && !i.usesBarrier) return bad("a barrier that it does not mention");
  return {};
}

Result<void> geometry(const ProgramInfo& i) {
  if (i.outputVertices > abi::kMaxPatchVertices) return bad("a patch that is too large");
  if (i.tessMode > 2 || i.tessSpacing > 2) return bad("no such tessellation mode");
  if (i.geometryVerticesOut > abi::kMaxGeometryVertices || i.geometryInvocations > abi::kMaxGeometryInvocations)
    return bad("too many vertices or invocations");
  if (i.geometryOutput > 2 || i.geometryInput > 6 || i.geometryInput == 5) return bad("no such primitive");
  return {};
}

Result<void> transformFeedback(const ProgramInfo& i) {
  for (uint32_t stride : i.xfbStride)
    if (stride > abi::kMaxXfbStrideBytes) return bad("a transform feedback stride that is too large");
  for (const auto& o : i.xfbOutputs) {
    if (o.word >= abi::kRecordWords) return bad("a captured word that does not exist");
    if (o.buffer >= std::size(i.xfbStride) || o.stream >= abi::kMaxStreams)
      return bad("a transform feedback buffer or stream that does not exist");
    if (o.offset > abi::kMaxXfbStrideBytes) return bad("a captured word outside of its vertex");
  }
  return {};
}

}  // namespace

Result<void> verifyInfo(const Program& program) {
  if (program.info.stage > abi::Stage::Compute) return bad("no such stage");
  ETZEL_TRY(interface(program.info));
  ETZEL_TRY(workgroup(program));
  ETZEL_TRY(geometry(program.info));
  return transformFeedback(program.info);
}

}  // namespace etzel::isa
