// What a program says of itself to those who run it (abi::ProgramInfo): execution modes first, then what the lowered
// code turned out to use.
#include <algorithm>

#include "compiler/isa/info.h"
#include "compiler/lower/lower.h"
#include "compiler/spirv/newer.h"
#include "runtime/abi/invocation_place.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using abi::SysValue;
using spv::Decoration;

void Lowerer::fillInfo() {
  using M = spv::ExecutionMode;
  abi::ProgramInfo& i = info();
  const spirv::Module& m = module;
  for (uint32_t k = 0; k < 3; ++k) i.localSize[k] = m.localSize[k];
  i.subgroupSize = source.requiredSubgroupSize;
  // "Fragment Operations": with EarlyAndLateFragmentTestsAMD the tests come first unless the shader replaces what they
  // test. Then they come late; that some may be made before as well is not used.
  const bool replaces = m.hasMode(M::DepthReplacing) || m.hasMode(M::StencilRefReplacingEXT);
  const bool both = m.hasMode(M::EarlyAndLateFragmentTestsAMD) && !mutated(Mutant::EarlyAndLate);
  i.earlyFragmentTests = m.hasMode(M::EarlyFragmentTests) || (both && !replaces);
  i.postDepthCoverage = m.hasMode(M::PostDepthCoverage);
  i.depthMode = m.hasMode(M::DepthGreater) ? 1 : m.hasMode(M::DepthLess) ? 2 : m.hasMode(M::DepthUnchanged) ? 3 : 0;
  for (M mode :
       {M::PixelInterlockOrderedEXT, M::PixelInterlockUnorderedEXT, M::SampleInterlockOrderedEXT,
        M::SampleInterlockUnorderedEXT, M::ShadingRateInterlockOrderedEXT, M::ShadingRateInterlockUnorderedEXT})
    if (m.hasMode(mode)) i.interlock = 1;
  // "Fragment Shading Rates": the capabilities alone make fragments pixels, whether something is read or not.
  i.readsTile = std::any_of(m.capabilities.begin(), m.capabilities.end(), spirv::isTileImage);
  if (source.stage == abi::Stage::TessControl) i.outputVertices = m.modeOperand(M::OutputVertices);
  if (source.stage == abi::Stage::Geometry) {
    i.geometryVerticesOut = m.modeOperand(M::OutputVertices);
    i.geometryInvocations = std::max(1u, m.modeOperand(M::Invocations, 0, 1));
    i.geometryInput = m.hasMode(M::InputPoints)               ? 1
                      : m.hasMode(M::InputLines)              ? 2
                      : m.hasMode(M::InputLinesAdjacency)     ? 4
                      : m.hasMode(M::InputTrianglesAdjacency) ? 6
                                                              : 3;
    i.geometryOutput = m.hasMode(M::OutputPoints) ? 0 : m.hasMode(M::OutputLineStrip) ? 1 : 2;
  }
  i.tessMode = m.hasMode(M::Quads) ? 1 : m.hasMode(M::Isolines) ? 2 : 0;
  if (!mutated(Mutant::TessSpacing))
    i.tessSpacing = m.hasMode(M::SpacingFractionalEven) ? 1 : m.hasMode(M::SpacingFractionalOdd) ? 2 : 0;
  i.tessClockwise = m.hasMode(M::VertexOrderCw);
  i.tessPointMode = m.hasMode(M::PointMode);
  // Transform feedback strides: on variables or on members.
  auto stride = [&](const spirv::Decorations& d, uint32_t blocks) {
    if (!d.has(Decoration::XfbStride)) return;
    for (uint32_t b = 0; b < blocks; ++b)
      i.xfbStride[(d.get(Decoration::XfbBuffer) + b) & 3] = d.get(Decoration::XfbStride);
  };
  for (const spirv::Variable& v : m.variables) {
    if (v.storage != spv::StorageClass::Output) continue;
    uint32_t base = v.type, blocks = 1;  // an array of blocks fills as many buffers
    for (; type(base).kind == TypeKind::Array; base = type(base).element)
      blocks = std::min(blocks * type(base).count, 4u);
    if (!m.decorationsOf(base).has(Decoration::Block)) blocks = 1;
    stride(m.decorationsOf(v.id), blocks);
    for (uint32_t k = 0; k < type(base).members.size(); ++k) {
      spirv::Decorations d = m.memberDecorationsOf(base, k);
      if (!d.has(Decoration::XfbBuffer) && m.decorationsOf(v.id).has(Decoration::XfbBuffer))
        d.entries[Decoration::XfbBuffer] = m.decorationsOf(v.id).entries.at(Decoration::XfbBuffer);
      stride(d, blocks);
    }
  }
}

/// What only the finished code can tell.
void Lowerer::finishInfo() {
  abi::ProgramInfo& i = info();
  i.sharedBytes = sharedBytes_;
  auto needs = [&](SysValue v) { i.sysValues |= uint64_t(1) << static_cast<uint32_t>(v); };
  for (const isa::Inst& inst : program.code) {
    if (isa::opInfo(inst).effect == isa::Effect::Print) {  // what tells somebody, and from where
      i.hasSideEffects = true;
      i.sysValues |= abi::placeSysValues(stage());
    }
    switch (inst.op) {
      case Opcode::Sys: i.sysValues |= uint64_t(1) << inst.imm; break;
      case Opcode::Bary:
        needs(SysValue::PosX), needs(SysValue::PosY);
        if ((inst.sub & 3) == 1) needs(SysValue::CentroidX), needs(SysValue::CentroidY);
        if ((inst.sub & 3) == 2) needs(SysValue::SamplePixelX), needs(SysValue::SamplePixelY);
        break;
      case Opcode::St:
      case Opcode::Atom: i.hasSideEffects |= isa::spaceOf(inst).reach == isa::SpaceInfo::Reach::Outside; break;
      case Opcode::Tex2: {
        const abi::TexInst t = abi::TexInst::unpack(inst.imm);
        if (t.writesImage()) i.hasSideEffects = true;
        if (t.kind == abi::TexKind::QueryLod ||
            (t.kind == abi::TexKind::Sample && (t.lod == abi::LodMode::Implicit || t.lod == abi::LodMode::Bias)))
          i.usesDerivatives = true;
        break;
      }
      case Opcode::AttRd:
        needs(SysValue::PosX), needs(SysValue::PosY), needs(SysValue::Layer);
        i.readsAttachments = true;
        break;
      case Opcode::DdxC:
      case Opcode::DdyC:
      case Opcode::DdxF:
      case Opcode::DdyF: i.usesDerivatives = true; break;
      case Opcode::Kill:
      case Opcode::Demote: i.discards = true; break;
      case Opcode::Barrier: i.usesBarrier = true; break;
      default: break;
    }
  }
  std::stable_sort(i.xfbOutputs.begin(), i.xfbOutputs.end(), [](const auto& x, const auto& y) {
    return x.buffer != y.buffer ? x.buffer < y.buffer : x.offset < y.offset;
  });
}

}  // namespace etzel::lower
