// ATTILA's base instructions that reach beyond registers (docs/isa.md, Errata): vertex attributes, kills, depth and
// sample exports, derivatives in the quad, textures.
#include "compiler/exec/interp/base/base_operands.h"

namespace etzel::interp::base {
namespace {

using isa::Opcode;

// --- Vertices: any element of a vertex buffer
const Op* attribute(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 index = readVector(inst, f, 0, true);
  const LaneMask lanes = guardLanes(inst, f);
  Vec4 r{};
  if (lanes && f.warp->fetchAttribute) f.warp->fetchAttribute(f.warp, inst.base.reg[1], lanes, index.c, r.c);
  writeResult(inst, f, r, lanes);
  return op + 1;
}

// --- Fragments
constexpr uint32_t kExportedSamples = 16;
static_assert(abi::kFragOutSampleDepth + kExportedSamples <= abi::kFragmentOutWords);

const Op* kill(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0);
  LaneMask m = 0;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) m |= (a.get(k, l) < 0 ? 1u : 0u) << l;
  m &= guardLanes(inst, f);
  if (inst.op == Opcode::Kil) {
    f.warp->killed |= m, f.warp->helper |= m;
  } else if (f.code->stage == abi::Stage::Fragment) {
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      if (m >> l & 1) f.warp->out[abi::kFragOutSampleMask].lane[l] &= ~(1u << (inst.base.reg[1] & 31));
  }
  return op + 1;
}
const Op* exportDepth(const Op* op, Frame& f) {
  const Vec4 a = readVector(*op->inst, f, 0);
  const LaneMask lanes = guardLanes(*op->inst, f);
  if (f.code->stage != abi::Stage::Fragment) return op + 1;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    f.warp->out[abi::kFragOutDepth].lane[l] = a.c[0].lane[l];
    for (uint32_t s = 0; s < kExportedSamples; ++s) f.warp->out[abi::kFragOutSampleDepth + s].lane[l] = a.c[0].lane[l];
  }
  return op + 1;
}
// Four samples, from the one that the instruction names plus the sample counter.
const Op* exportSampleDepths(const Op* op, Frame& f) {
  const Vec4 a = readVector(*op->inst, f, 0);
  const LaneMask lanes = guardLanes(*op->inst, f);
  if (f.code->stage != abi::Stage::Fragment) return op + 1;
  const uint64_t first = uint64_t(op->inst->base.reg[1]) + f.baseState->sampleCounter;
  for (uint32_t i = 0; i < 4 && first + i < kExportedSamples; ++i)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      if (lanes >> l & 1) f.warp->out[abi::kFragOutSampleDepth + first + i].lane[l] = a.c[i].lane[l];
  return op + 1;
}
const Op* nextSample(const Op* op, Frame& f) {
  ++f.baseState->sampleCounter;
  return op + 1;
}
const Op* derivative(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0);
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      r.put(k, l, inst.op == Opcode::Ddx ? a.get(k, l | 1) - a.get(k, l & ~1u) : a.get(k, l | 2) - a.get(k, l & ~2u));
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
// Texture unit t is resource t of the program: image and sampler in one descriptor. The view's dimension says how many
// coordinates count.
const Op* sample(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  Vec4 coord = readVector(inst, f, 0);
  if (inst.op == Opcode::Txp)
    for (uint32_t k = 0; k < 3; ++k)
      for (uint32_t l = 0; l < kWarpLanes; ++l) coord.put(k, l, coord.get(k, l) / coord.get(3, l));
  abi::TexInst t;
  t.lod = inst.op == Opcode::Txl   ? abi::LodMode::Explicit
          : inst.op == Opcode::Txb ? abi::LodMode::Bias
                                   : abi::LodMode::Implicit;
  t.rule = abi::DimRule::View;
  LaneWords handle;
  const uint32_t unit = inst.base.reg[1];
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    handle.lane[l] = unit < f.code->resources.size() ? f.code->resources[unit].baseHandle : abi::kNullHandle;
  Vec4 r;
  f.warp->context->functions->texture(f.warp, t.pack(), f.exec, &handle, &handle, coord.c, r.c);
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}

}  // namespace

Handler pixelHandler(const Inst& inst) {
  switch (inst.op) {
    case Opcode::Lda: return attribute;
    case Opcode::Kil:
    case Opcode::Kls: return kill;
    case Opcode::Zxp: return exportDepth;
    case Opcode::Zxs: return exportSampleDepths;
    case Opcode::Chs: return nextSample;
    case Opcode::Ddx:
    case Opcode::Ddy: return derivative;
    case Opcode::Tex:
    case Opcode::Txl:
    case Opcode::Txb:
    case Opcode::Txp: return sample;
    default: return nullptr;
  }
}

}  // namespace etzel::interp::base
