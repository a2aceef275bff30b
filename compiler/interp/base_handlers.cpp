// ATTILA's base instructions (docs/isa.md, Base instructions): four components at a time, operand modifiers, guards,
// predicates, the fixed-point accumulator. Plain loops: hand-written programs use these, compiled shaders do not.
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/interp/frame.h"
#include "compiler/math/lane_math.h"

namespace etzel::interp {
namespace {

using isa::Bank;
using isa::BaseFields;
using isa::Inst;
using isa::Opcode;

struct Vec4 {
  LaneWords c[4];
  float get(uint32_t component, uint32_t lane) const { return std::bit_cast<float>(c[component].lane[lane]); }
  void put(uint32_t component, uint32_t lane, float v) { c[component].lane[lane] = std::bit_cast<uint32_t>(v); }
};

LaneMask guardLanes(const Inst& inst, const Frame& f) {
  if (!inst.predicated) return f.exec;
  const LaneMask p = f.baseState->predicate[inst.predicate];
  return f.exec & (inst.invertPredicate ? ~p : p);
}

// Fragments: i0 is the window position, i1.. the interpolated locations 0.. ("Fragment conventions").
uint32_t fragmentInput(const Frame& f, uint32_t reg, uint32_t component, uint32_t lane) {
  using abi::SysValue;
  const LaneWords* sys = f.warp->sys;
  if (reg == 0) return sys[static_cast<uint32_t>(SysValue::FragCoordX) + component].lane[lane];
  if (!f.warp->primitive || reg > abi::kMaxLocations) return 0;
  const abi::PrimitiveSetup& p = *f.warp->primitive;
  const float x = std::bit_cast<float>(sys[static_cast<uint32_t>(SysValue::PosX)].lane[lane]) - p.x0;
  const float y = std::bit_cast<float>(sys[static_cast<uint32_t>(SysValue::PosY)].lane[lane]) - p.y0;
  const float l1 = x * p.l1dx + y * p.l1dy, l2 = x * p.l2dx + y * p.l2dy;
  const float w = p.w[0] + l1 * (p.w[1] - p.w[0]) + l2 * (p.w[2] - p.w[0]);
  const float i = l1 * p.w[1] / w, j = l2 * p.w[2] / w;
  const uint32_t at = abi::locationWord(reg - 1, component);
  float a[3];
  for (uint32_t v = 0; v < 3; ++v) a[v] = std::bit_cast<float>(p.record[v][at]);
  return std::bit_cast<uint32_t>(a[0] + i * (a[1] - a[0]) + j * (a[2] - a[0]));
}

uint32_t rawWord(const Inst& inst, Frame& f, uint32_t operand, uint32_t component, uint32_t lane) {
  const BaseFields& b = inst.base;
  const uint32_t reg = b.reg[operand];
  switch (b.bank[operand]) {
    case Bank::In:
      if (f.code->stage == abi::Stage::Fragment) return fragmentInput(f, reg, component, lane);
      return f.warp->in ? f.warp->in[4 * reg + component].lane[lane] : 0;
    case Bank::Temp:
      return f.warp->registers[4 * reg + component].lane[lane];
    case Bank::Addr:
      return f.baseState->address[4 * reg + component].lane[lane];
    case Bank::Imm:
      return inst.imm;
    case Bank::Param:
    case Bank::Param2: {
      int64_t index = reg + (b.bank[operand] == Bank::Param2 ? 256 : 0);
      if (b.relative)
        index +=
            static_cast<int64_t>(static_cast<int32_t>(f.baseState->address[4 * b.relReg + b.relComponent].lane[lane])) +
            b.relOffset;
      if (index < 0 || index * 4 + component >= f.code->paramWords) return 0;
      return f.code->constants[static_cast<size_t>(index) * 4 + component].lane[lane];
    }
    default:
      return 0;
  }
}

uint32_t modify(const Inst& inst, uint32_t operand, uint32_t v, bool integer) {
  const BaseFields& b = inst.base;
  if (integer) {
    if (b.absolute[operand] && static_cast<int32_t>(v) < 0) v = 0u - v;
    return b.negate[operand] ? 0u - v : v;
  }
  if (b.absolute[operand]) v &= 0x7FFFFFFF;
  return b.negate[operand] ? v ^ 0x80000000 : v;
}

Vec4 readVector(const Inst& inst, Frame& f, uint32_t operand, bool integer = false) {
  Vec4 r;
  const bool immediate = inst.base.bank[operand] == Bank::Imm;
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t from = immediate ? c : inst.base.swizzle[operand] >> (6 - 2 * c) & 3;
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      r.c[c].lane[l] = modify(inst, operand, rawWord(inst, f, operand, from, l), integer);
  }
  return r;
}
LaneWords readSelect(const Inst& inst, Frame& f, uint32_t operand, bool integer = false) {
  LaneWords r;
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    r.lane[l] = modify(inst, operand, rawWord(inst, f, operand, inst.base.swizzle[operand] & 3, l), integer);
  return r;
}

LaneWords* resultRegister(const Inst& inst, Frame& f) {
  const uint32_t word = 4u * inst.base.resultReg;
  switch (inst.base.resultBank) {
    case Bank::Out:
      return f.warp->out + word;
    case Bank::Addr:
      return f.baseState->address + word;
    default:
      return f.warp->registers + word;
  }
}
float saturate(float v) { return v > 0.0f ? std::min(v, 1.0f) : v == 0.0f ? v : 0.0f; }  // NaN gives 0

void writeResult(const Inst& inst, Frame& f, Vec4& v, LaneMask lanes, bool integer = false) {
  LaneWords* to = resultRegister(inst, f);
  for (uint32_t c = 0; c < 4; ++c) {
    if (!(inst.base.mask & (8u >> c))) continue;
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      if (lanes >> l & 1)
        to[c].lane[l] =
            inst.base.saturate && !integer ? std::bit_cast<uint32_t>(saturate(v.get(c, l))) : v.c[c].lane[l];
  }
}
void broadcast(Vec4& v) { v.c[1] = v.c[2] = v.c[3] = v.c[0]; }

int32_t floorToInt(float v) {
  v = std::floor(v);
  if (!(v == v)) return 0;
  if (v >= 0x1p31f) return std::numeric_limits<int32_t>::max();
  return v <= -0x1p31f ? std::numeric_limits<int32_t>::min() : static_cast<int32_t>(v);
}

// --- Vector arithmetic: one component of one lane at a time
float vectorStep(Opcode op, float a, float b, float c) {
  switch (op) {
    case Opcode::Add:
      return a + b;
    case Opcode::Flr:
      return std::floor(a);
    case Opcode::Frc:
      return a - std::floor(a);
    case Opcode::Mad:
      return a * b + c;
    case Opcode::Max:
      return a > b ? a : b;
    case Opcode::Min:
      return a < b ? a : b;
    case Opcode::Mul:
      return a * b;
    case Opcode::Sge:
      return a < b ? 0.0f : 1.0f;
    case Opcode::Slt:
      return a < b ? 1.0f : 0.0f;
    default:
      return a;
  }
}
const Op* vector(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const uint32_t n = isa::opInfo(inst).baseOperands;
  const Vec4 a = readVector(inst, f, 0), b = n > 1 ? readVector(inst, f, 1) : a, c = n > 2 ? readVector(inst, f, 2) : a;
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) r.put(k, l, vectorStep(inst.op, a.get(k, l), b.get(k, l), c.get(k, l)));
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* move(const Op* op, Frame& f) {  // bits pass unchanged
  Vec4 a = readVector(*op->inst, f, 0);
  writeResult(*op->inst, f, a, guardLanes(*op->inst, f));
  return op + 1;
}
const Op* compareSelect(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1), c = readVector(inst, f, 2);
  const LaneMask lanes = guardLanes(inst, f);
  Vec4 r;
  LaneMask negative = 0;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      r.c[k].lane[l] = a.get(k, l) < 0 ? b.c[k].lane[l] : c.c[k].lane[l];
      if ((inst.base.mask & (8u >> k)) && r.get(k, l) < 0) negative |= 1u << l;
    }
  writeResult(inst, f, r, lanes);
  if (inst.op == Opcode::CmpKil) f.warp->killed |= negative & lanes, f.warp->helper |= negative & lanes;
  return op + 1;
}
const Op* dot(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1);
  Vec4 r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    float v = a.get(0, l) * b.get(0, l) + a.get(1, l) * b.get(1, l) + a.get(2, l) * b.get(2, l);
    if (inst.op == Opcode::Dp4) v += a.get(3, l) * b.get(3, l);
    if (inst.op == Opcode::Dph) v += b.get(3, l);
    r.put(0, l, v);
  }
  broadcast(r);
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* distance(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1);
  Vec4 r;
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    r.put(0, l, 1.0f), r.put(1, l, a.get(1, l) * b.get(1, l)), r.put(2, l, a.get(2, l)), r.put(3, l, b.get(3, l));
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* integer(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0, true), b = readVector(inst, f, 1, true);
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      r.c[k].lane[l] = inst.op == Opcode::AddI ? a.c[k].lane[l] + b.c[k].lane[l] : a.c[k].lane[l] * b.c[k].lane[l];
  writeResult(inst, f, r, guardLanes(inst, f), true);
  return op + 1;
}
const Op* addressLoad(const Op* op, Frame& f) {
  Vec4 a = readVector(*op->inst, f, 0);
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) a.c[k].lane[l] = static_cast<uint32_t>(floorToInt(a.get(k, l)));
  writeResult(*op->inst, f, a, guardLanes(*op->inst, f), true);
  return op + 1;
}

// --- Scalar functions
LaneWords mapped(const LaneWords& x, float (*fn)(float)) {
  LaneWords r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) r.lane[l] = std::bit_cast<uint32_t>(fn(std::bit_cast<float>(x.lane[l])));
  return r;
}
const Op* scalar(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const math::LaneMath& m = math::laneMath();
  const LaneWords x = readSelect(inst, f, 0);
  Vec4 r;
  switch (inst.op) {
    case Opcode::Cos:
      m.cos(&x, &r.c[0]);
      break;
    case Opcode::Sin:
      m.sin(&x, &r.c[0]);
      break;
    case Opcode::Ex2:
      m.exp2(&x, &r.c[0]);
      break;
    case Opcode::Lg2:
      m.log2(&x, &r.c[0]);
      break;
    case Opcode::Rcp:
      r.c[0] = mapped(x, [](float v) { return 1.0f / v; });
      break;
    default:
      r.c[0] = mapped(x, [](float v) { return 1.0f / std::sqrt(std::fabs(v)); });
      break;
  }
  broadcast(r);
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* exponential(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const LaneWords x = readSelect(inst, f, 0);
  Vec4 r;
  const LaneWords whole = mapped(x, [](float v) { return std::floor(v); });
  math::laneMath().exp2(&whole, &r.c[0]);
  r.c[1] = mapped(x, [](float v) { return v - std::floor(v); });
  math::laneMath().exp2(&x, &r.c[2]);
  r.c[3] = mapped(x, [](float) { return 1.0f; });
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* logarithm(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const LaneWords x = mapped(readSelect(inst, f, 0), [](float v) { return std::fabs(v); });
  Vec4 r;
  math::laneMath().log2(&x, &r.c[2]);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float v = std::bit_cast<float>(x.lane[l]);
    const float whole = v == 0             ? -std::numeric_limits<float>::infinity()
                        : std::isfinite(v) ? static_cast<float>(std::ilogb(v))
                                           : v;
    r.put(0, l, whole);
    r.put(1, l, v == 0 ? 1.0f : std::isfinite(v) ? std::scalbn(v, -std::ilogb(v)) : v);
    r.put(3, l, 1.0f);
  }
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}
const Op* lighting(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0);
  LaneWords base, exponent, power;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float y = a.get(1, l) < 0 ? 0.0f : a.get(1, l);
    base.lane[l] = std::bit_cast<uint32_t>(y);
    exponent.lane[l] = std::bit_cast<uint32_t>(std::fmin(std::fmax(a.get(3, l), -128.0f), 128.0f));
  }
  math::laneMath().pow(&base, &exponent, &power);
  Vec4 r;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = a.get(0, l) < 0 ? 0.0f : a.get(0, l);
    const bool zeroPower = std::bit_cast<float>(exponent.lane[l]) == 0;  // 0^0 is 1 here
    r.put(0, l, 1.0f), r.put(1, l, x), r.put(3, l, 1.0f);
    r.put(2, l, x > 0 ? (zeroPower ? 1.0f : std::bit_cast<float>(power.lane[l])) : 0.0f);
  }
  writeResult(inst, f, r, guardLanes(inst, f));
  return op + 1;
}

// --- Predicates and jumps
LaneMask readPredicate(const Inst& inst, Frame& f, uint32_t operand) {
  const BaseFields& b = inst.base;
  if (b.absolute[operand]) return b.negate[operand] ? kAllLanes : 0;
  LaneMask m = 0;
  if (b.bank[operand] == Bank::Param || b.bank[operand] == Bank::Param2) {
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      m |= (rawWord(inst, f, operand, b.swizzle[operand] & 3, l) != 0 ? 1u : 0u) << l;
  } else {
    m = f.baseState->predicate[b.reg[operand] & 31];
  }
  return b.negate[operand] ? ~m & kAllLanes : m;
}
void writePredicate(const Inst& inst, Frame& f, LaneMask v) {
  if (inst.base.saturate) v = ~v;
  const LaneMask lanes = guardLanes(inst, f);
  LaneMask& p = f.baseState->predicate[inst.base.resultReg & 31];
  p = (p & ~lanes) | (v & lanes);
}
const Op* setPredicate(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const bool isInteger = isa::opInfo(inst).baseInteger;
  const LaneWords a = readSelect(inst, f, 0, isInteger), b = readSelect(inst, f, 1, isInteger);
  LaneMask m = 0;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = std::bit_cast<float>(a.lane[l]), y = std::bit_cast<float>(b.lane[l]);
    const int32_t i = static_cast<int32_t>(a.lane[l]), j = static_cast<int32_t>(b.lane[l]);
    bool v = false;
    switch (inst.op) {
      case Opcode::SetPEq:
        v = x == y;
        break;
      case Opcode::SetPGt:
        v = x > y;
        break;
      case Opcode::SetPLt:
        v = x < y;
        break;
      case Opcode::StPEqI:
        v = i == j;
        break;
      case Opcode::StPGtI:
        v = i > j;
        break;
      default:
        v = i < j;
        break;
    }
    m |= (v ? 1u : 0u) << l;
  }
  writePredicate(inst, f, m);
  return op + 1;
}
const Op* andPredicate(const Op* op, Frame& f) {
  writePredicate(*op->inst, f, readPredicate(*op->inst, f, 0) & readPredicate(*op->inst, f, 1));
  return op + 1;
}
const Op* jump(const Op* op, Frame& f) {
  const LaneMask taken = readPredicate(*op->inst, f, 0) & guardLanes(*op->inst, f);
  if ((f.exec & ~taken) != 0) return op + 1;
  const auto* cancel = f.warp->context->cancel;
  if (op->jump <= 0 && cancel && cancel->load(std::memory_order_relaxed)) {
    f.status = abi::WarpStatus::Cancelled;
    return nullptr;
  }
  return op + op->jump;
}

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
    for (uint32_t s = 0; s < kExportedSamples; ++s)
      f.warp->out[abi::kFragOutSampleDepth + s].lane[l] = a.c[0].lane[l];
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

// --- Fixed point: Q16.16 operands, Q32.32 accumulator that wraps
int64_t toFixed(float v) {
  if (!(v == v)) return 0;
  const double scaled = std::trunc(static_cast<double>(v) * 65536.0);
  return static_cast<int64_t>(std::fmin(std::fmax(scaled, -2147483648.0), 2147483647.0));
}
const Op* fixedPoint(const Op* op, Frame& f) {
  const Inst& inst = *op->inst;
  const Vec4 a = readVector(inst, f, 0), b = readVector(inst, f, 1);
  const Vec4 c = inst.op == Opcode::FxMad2 ? readVector(inst, f, 2) : a;
  const LaneMask lanes = guardLanes(inst, f);
  Vec4 r;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      int64_t& acc = f.baseState->accumulator[k][l];
      uint64_t v = static_cast<uint64_t>(toFixed(a.get(k, l)) * toFixed(b.get(k, l)));
      if (inst.op == Opcode::FxMad2) v += static_cast<uint64_t>(toFixed(c.get(k, l))) << 16;
      if (inst.op == Opcode::FxMad) {
        v += static_cast<uint64_t>(acc);
        r.put(k, l, static_cast<float>(std::ldexp(static_cast<double>(static_cast<int64_t>(v)), -32)));
      } else if ((lanes >> l & 1) && (inst.base.mask & (8u >> k))) {
        acc = static_cast<int64_t>(v);
      }
    }
  if (inst.op == Opcode::FxMad) writeResult(inst, f, r, lanes);
  return op + 1;
}
const Op* nothing(const Op* op, Frame&) { return op + 1; }

}  // namespace

Handler baseHandler(const Inst& inst) {
  switch (inst.op) {
    case Opcode::Nop:
      return nothing;
    case Opcode::Add:
    case Opcode::Flr:
    case Opcode::Frc:
    case Opcode::Mad:
    case Opcode::Max:
    case Opcode::Min:
    case Opcode::Mul:
    case Opcode::Sge:
    case Opcode::Slt:
      return vector;
    case Opcode::Mov:
      return move;
    case Opcode::Cmp:
    case Opcode::CmpKil:
      return compareSelect;
    case Opcode::Dp3:
    case Opcode::Dp4:
    case Opcode::Dph:
      return dot;
    case Opcode::Dst:
      return distance;
    case Opcode::AddI:
    case Opcode::MulI:
      return integer;
    case Opcode::Arl:
      return addressLoad;
    case Opcode::Cos:
    case Opcode::Sin:
    case Opcode::Ex2:
    case Opcode::Lg2:
    case Opcode::Rcp:
    case Opcode::Rsq:
      return scalar;
    case Opcode::Exp:
      return exponential;
    case Opcode::Log:
      return logarithm;
    case Opcode::Lit:
      return lighting;
    case Opcode::SetPEq:
    case Opcode::SetPGt:
    case Opcode::SetPLt:
    case Opcode::StPEqI:
    case Opcode::StPGtI:
    case Opcode::StPLtI:
      return setPredicate;
    case Opcode::AndP:
      return andPredicate;
    case Opcode::Jmp:
      return jump;
    case Opcode::Kil:
    case Opcode::Kls:
      return kill;
    case Opcode::Zxp:
      return exportDepth;
    case Opcode::Zxs:
      return exportSampleDepths;
    case Opcode::Chs:
      return nextSample;
    case Opcode::Lda:
      return attribute;
    case Opcode::Ddx:
    case Opcode::Ddy:
      return derivative;
    case Opcode::Tex:
    case Opcode::Txl:
    case Opcode::Txb:
    case Opcode::Txp:
      return sample;
    case Opcode::FxMul:
    case Opcode::FxMad:
    case Opcode::FxMad2:
      return fixedPoint;
    default:
      return nullptr;
  }
}

}  // namespace etzel::interp
