// Which system values tell an invocation of a stage from the others: what those want who name invocations to people.
//
// FullyCovered is two answers: not 0 where all samples of a fragment are covered, which is what a debugger asks for,
// and all bits where the draw is conservative and its primitive covers the fragment's squares entirely, which is
// FullyCoveredEXT.
#pragma once

#include "runtime/abi/kernel.h"

namespace etzel::abi {

constexpr uint64_t placeSysValues(Stage stage) {
  const auto bits = [](auto... values) { return (sysBit(values) | ...); };
  switch (stage) {
    case Stage::Vertex: return bits(SysValue::VertexIndex, SysValue::InstanceIndex, SysValue::ViewIndex);
    case Stage::TessControl:
    case Stage::Geometry: return bits(SysValue::PrimitiveId, SysValue::InvocationId, SysValue::ViewIndex);
    case Stage::TessEvaluation:
      return bits(SysValue::PrimitiveId, SysValue::TessCoordX, SysValue::TessCoordY, SysValue::TessCoordZ,
                  SysValue::ViewIndex);
    case Stage::Fragment:
      return bits(SysValue::PosX, SysValue::PosY, SysValue::SampleId, SysValue::SampleMaskIn, SysValue::PrimitiveId,
                  SysValue::Layer, SysValue::ViewIndex, SysValue::FullyCovered);
    case Stage::Compute: break;
  }
  return bits(SysValue::LocalIndex, SysValue::WorkgroupIdX, SysValue::WorkgroupIdY, SysValue::WorkgroupIdZ);
}

}  // namespace etzel::abi
