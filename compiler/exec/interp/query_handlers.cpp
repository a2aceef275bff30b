// PIXLD, TLD4, LD_RAW and ST_RAW (docs/isa.md): one lane at a time. Hand-written programs use these; what SPIR-V is
// lowered to has faster forms of the same (sys, texture, ld, st). And ATTRD, which asks whoever draws.
#include <bit>
#include <cmath>

#include "compiler/exec/interp/frame.h"
#include "compiler/exec/interp/sample_location.h"
#include "compiler/isa/immediates.h"

namespace etzel::interp {
namespace {

using isa::PixLdImm;
using isa::PixLdMode;
using isa::RawImm;
using isa::Tld4Imm;

LaneWords* sysWords(Frame& f, abi::SysValue v) { return &f.warp->sys[static_cast<uint32_t>(v)]; }

/// Without base instructions nothing reads predicates, and the frame's are the handler's own scratch.
void writePredicate(Frame& f, uint32_t predicate, LaneMask value) {
  if (!f.code->usesBase) return;
  LaneMask& p = f.baseState->predicate[predicate & 31];
  p = (p & ~f.exec) | (value & f.exec);
}

// --- Pixel queries
uint32_t packOffset(float x, float y) {  // 1/16 pixel from the centre, 16 bits each
  const auto sixteenths = [](float v) { return static_cast<uint32_t>(static_cast<int32_t>(std::lrint(v * 16.0f))); };
  return (sixteenths(x) & 0xFFFF) | sixteenths(y) << 16;
}
float lanePosition(Frame& f, abi::SysValue v, uint32_t lane) {
  return std::bit_cast<float>(sysWords(f, v)->lane[lane]);
}

uint32_t sampleOffset(Frame& f, int64_t index) {
  const abi::DispatchContext& context = *f.warp->context;
  if (index < 0 || index >= context.sampleCount) return 0;
  const SampleLocation at = sampleLocation(context, static_cast<uint32_t>(index));
  return packOffset(at.x - 0.5f, at.y - 0.5f);
}
// The tiler's centroid: the centre where all samples are covered, else the first covered sample.
uint32_t centroidOffset(Frame& f, uint32_t lane) {
  const float x = lanePosition(f, abi::SysValue::CentroidX, lane), y = lanePosition(f, abi::SysValue::CentroidY, lane);
  const float px = std::floor(lanePosition(f, abi::SysValue::PosX, lane));
  const float py = std::floor(lanePosition(f, abi::SysValue::PosY, lane));
  return packOffset(x - px - 0.5f, y - py - 0.5f);
}

const Op* pixelQuery(const Op* op, Frame& f) {
  const abi::DispatchContext& context = *f.warp->context;
  const bool hasAddress = op->count == 2;  // set by the decoder
  const PixLdImm imm = PixLdImm::unpack(op->imm, hasAddress);
  const uint32_t valid = context.sampleCount >= 32 ? ~0u : (1u << context.sampleCount) - 1;
  LaneMask predicate = 0;
  LaneWords result{};
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const int64_t address = hasAddress ? static_cast<int32_t>(f.words(op->src[0])->lane[l]) : 0;
    const int64_t index = address + imm.offset;
    uint32_t& r = result.lane[l];
    switch (static_cast<PixLdMode>(op->sub)) {
      case PixLdMode::MsCount: r = context.sampleCount; break;
      case PixLdMode::CovMask: r = sysWords(f, abi::SysValue::SampleMaskIn)->lane[l] & valid; break;
      case PixLdMode::Covered: {
        const uint32_t mask = sysWords(f, abi::SysValue::SampleMaskIn)->lane[l] & valid;
        const bool covered = index >= 0 && index < 32 && (mask >> index & 1);
        r = covered ? ~0u : 0;
        predicate |= (covered ? 1u : 0u) << l;
        break;
      }
      case PixLdMode::Offset: r = sampleOffset(f, index); break;
      case PixLdMode::CentroidOffset: r = centroidOffset(f, l); break;
      case PixLdMode::MyIndex: r = context.perSample ? sysWords(f, abi::SysValue::SampleId)->lane[l] : 0; break;
    }
  }
  if (static_cast<PixLdMode>(op->sub) == PixLdMode::MyIndex && context.perSample) predicate = kAllLanes;
  *f.words(op->dst) = result;
  if (imm.hasPredicate) writePredicate(f, imm.predicate, predicate);
  return op + 1;
}

// --- Attachments
const Op* attachment(const Op* op, Frame& f) {
  LaneWords result[4] = {};
  abi::Warp& warp = *f.warp;
  if (f.exec && warp.readAttachment)
    warp.readAttachment(&warp, static_cast<abi::AttachmentAspect>(op->imm), f.exec, f.words(op->src[0]),
                        f.words(op->src[1]), result);
  std::memcpy(f.words(op->dst), result, sizeof result);
  return op + 1;
}

// --- Gathers
int32_t field(uint32_t word, uint32_t at) { return static_cast<int32_t>(word << (26 - at)) >> 26; }  // 6 bits, signed

const Op* gather(const Op* op, Frame& f) {
  const Tld4Imm imm = Tld4Imm::unpack(op->imm);
  abi::TexInst t;
  t.kind = abi::TexKind::Gather, t.dim = imm.cube() ? abi::TexDim::Cube : abi::TexDim::D2;
  t.arrayed = imm.arrayed(), t.lod = abi::LodMode::Zero, t.component = imm.component;
  t.dref = imm.dref, t.offset = imm.offsets == Tld4Imm::Offsets::Aoffi,
  t.offsets4 = imm.offsets == Tld4Imm::Offsets::Ptp;
  t.rule = abi::DimRule::Match, t.sparse = imm.hasPredicate, t.type = static_cast<abi::TexType>(imm.type);
  const LaneWords* coordinates = f.words(op->src[0]);
  const LaneWords* other = f.words(op->src[1]);
  LaneWords args[16] = {}, handle, sampler, result[5] = {};
  const uint32_t layer = imm.arrayed() ? 1 : 0, spatial = imm.cube() ? 3 : 2;
  for (uint32_t d = 0; d < spatial; ++d) args[d] = coordinates[layer + d];
  if (layer)  // 16 bits of integer; the texture unit takes a float and clamps it
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      args[spatial].lane[l] = std::bit_cast<uint32_t>(static_cast<float>(coordinates[0].lane[l] & 0xFFFF));
  if (imm.bindless) {
    handle = sampler = *other++;
  } else {
    const auto& resources = f.code->resources;
    const auto baseHandle = [&](uint32_t n) {
      return n < resources.size() ? resources[n].baseHandle : abi::kNullHandle;
    };
    const uint32_t image = baseHandle(imm.texture);
    const uint32_t filter = op->sub == Tld4Imm::kSamplerOfTexture ? image : baseHandle(op->sub);
    for (uint32_t l = 0; l < kWarpLanes; ++l) handle.lane[l] = image, sampler.lane[l] = filter;
  }
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    if (t.offset)
      for (uint32_t d = 0; d < 2; ++d)
        args[t.argOffset() + d].lane[l] = static_cast<uint32_t>(field(other[0].lane[l], 8 * d));
    if (t.offsets4)
      for (uint32_t k = 0; k < 8; ++k)
        args[t.argOffsets4() + k].lane[l] = static_cast<uint32_t>(field(other[k / 4].lane[l], 8 * (k % 4)));
  }
  if (imm.dref) args[t.argDref()] = other[static_cast<uint32_t>(imm.offsets)];
  const LaneMask lanes = imm.nodep ? f.exec & ~f.warp->killed : f.exec;  // nobody needs the killed lanes' texels
  if (lanes) f.warp->context->functions->texture(f.warp, t.pack(), lanes, &handle, &sampler, args, result);
  LaneWords* to = f.words(op->dst);
  for (uint32_t k = 0; k < 4; ++k)
    if (imm.mask >> k & 1) *to++ = result[k];
  if (imm.hasPredicate) {
    LaneMask unmapped = 0;
    for (uint32_t l = 0; l < kWarpLanes; ++l) unmapped |= (result[4].lane[l] != 0 ? 1u : 0u) << l;
    writePredicate(f, imm.predicate, unmapped);
  }
  return op + 1;
}

// --- Raw memory: every 32-bit word is checked for itself
Range rawRange(const Op* op, Frame& f, uint32_t lane) {
  if (static_cast<isa::Space>(op->sub) == isa::Space::Shared)
    return {f.warp->shared, f.warp->shared ? f.code->sharedBytes : 0u};
  return bufferRange(*f.warp->context, f.words(op->src[0])->lane[lane]);
}

const Op* loadRaw(const Op* op, Frame& f) {
  const RawImm imm = RawImm::unpack(op->imm);
  LaneWords result[4];
  std::memcpy(static_cast<void*>(result), f.words(op->src[2]), imm.mask == 0xF ? 0 : sizeof result);
  for (LaneMask left = f.exec; left; left &= left - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(left));
    const Range range = rawRange(op, f, l);
    const uint64_t at = uint64_t(f.words(op->src[1])->lane[l]) + imm.offset;
    for (uint32_t c = 0; c < 4; ++c) {
      if (!(imm.mask & (8u >> c))) continue;
      const uint64_t from = at + 4 * imm.selected(c);
      uint32_t v = 0;
      if (from + 4 <= range.size) std::memcpy(&v, range.data + from, 4);
      result[c].lane[l] = v;
    }
  }
  for (uint32_t c = 0; c < 4; ++c) f.words(op->dst)[c] = result[c];
  return op + 1;
}

const Op* storeRaw(const Op* op, Frame& f) {
  const RawImm imm = RawImm::unpack(op->imm);
  for (LaneMask left = f.exec & ~f.warp->helper; left; left &= left - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(left));
    const Range range = rawRange(op, f, l);
    const uint64_t at = uint64_t(f.words(op->src[1])->lane[l]) + imm.offset;
    for (uint32_t c = 0; c < 4; ++c)
      if ((imm.mask & (8u >> c)) && at + 4 * c + 4 <= range.size)
        std::memcpy(range.data + at + 4 * c, &f.words(op->src[2])[imm.selected(c)].lane[l], 4);
  }
  return op + 1;
}

}  // namespace

Handler queryHandler(const isa::Inst& inst) {
  switch (inst.op) {
    case isa::Opcode::PixLd: return pixelQuery;
    case isa::Opcode::AttRd: return attachment;
    case isa::Opcode::Tld4: return gather;
    case isa::Opcode::LdRaw: return loadRaw;
    case isa::Opcode::StRaw: return storeRaw;
    default: return nullptr;
  }
}

}  // namespace etzel::interp
