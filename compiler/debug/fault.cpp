#include "compiler/debug/fault.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "compiler/debug/operand.h"
#include "compiler/isa/info.h"
#include "runtime/simd/half.h"

namespace etzel::debugger {
namespace {

double numberOf(isa::Type type, uint32_t low, uint32_t high) {
  if (type == isa::Type::F16) return simd::halfToFloat(low);
  if (type == isa::Type::F32) return std::bit_cast<float>(low);
  return std::bit_cast<double>(low | uint64_t{high} << 32);
}
double numberOf(const GroupRun& run, uint32_t w, isa::Type type, isa::Operand o, uint32_t lane) {
  return numberOf(type, operandWord(run, w, o, 0, lane),
                  isa::typeWords(type) == 2 ? operandWord(run, w, o, 1, lane) : 0);
}

bool dividesByZero(const GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  using O = isa::Opcode;
  switch (inst.op) {
    case O::FDiv:
    case O::FRem:
    case O::FMod: return numberOf(run, w, inst.type, inst.src[1], lane) == 0;
    case O::SDiv:
    case O::UDiv:
    case O::SRem:
    case O::SMod:
    case O::UMod: {
      uint32_t any = 0;
      for (uint32_t i = 0; i < isa::typeWords(inst.type); ++i) any |= operandWord(run, w, inst.src[1], i, lane);
      return any == 0;
    }
    default: return false;
  }
}

/// As the type has it: what is too large becomes infinite.
double rounded(isa::Type type, double exact) {
  if (type == isa::Type::F32) return static_cast<float>(exact);
  if (type == isa::Type::F16 && std::fabs(exact) >= 65520) return std::copysign(HUGE_VAL, exact);
  return exact;
}

/// Whether a result is NaN where no operand was, or infinite where all were finite.
bool appears(double result, std::span<const double> operands) {
  if (std::isfinite(result)) return false;
  return std::none_of(operands.begin(), operands.end(),
                      [&](double o) { return std::isnan(result) ? std::isnan(o) : !std::isfinite(o); });
}

/// a - b * trunc(a / b) or a - b * floor(a / b), by the steps of the executors, which compute with halves in floats.
double remainderOf(isa::Opcode op, isa::Type type, double a, double b) {
  const auto step = [&](double exact) { return type == isa::Type::F64 ? exact : static_cast<float>(exact); };
  const double quotient = step(a / b);
  return step(a - step(b * (op == isa::Opcode::FRem ? std::trunc(quotient) : std::floor(quotient))));
}

/// exp2(b * log2(a)): 1 to the power of an infinity is NaN, unlike that of std::pow.
double power(double a, double b) { return a < 0 || (a == 1 && std::isinf(b)) ? std::nan("") : std::pow(a, b); }

/// What arithmetic makes of its operands, as far as NaN and infinities go; 0 of what makes none.
double arithmetic(isa::Opcode op, isa::Type type, double a, double b, double c) {
  using O = isa::Opcode;
  switch (op) {
    case O::FAdd: return a + b;
    case O::FSub: return a - b;
    case O::FMul: return a * b;
    case O::FDiv: return a / b;
    case O::FFma: return std::fma(a, b, c);
    case O::FRem:
    case O::FMod: return remainderOf(op, type, a, b);
    case O::FSqrt: return std::sqrt(a);
    case O::FRsq: return 1 / std::sqrt(a);
    case O::FFract: return a - std::floor(a);
    case O::FSin:
    case O::FCos:
    case O::FTan: return a - a;
    case O::FAsin:
    case O::FAcos: return std::asin(a);
    case O::FLog:
    case O::FLog2: return std::log(a);
    case O::FExp: return std::exp(a);
    case O::FExp2: return std::exp2(a);
    case O::FPow: return power(a, b);
    default: return 0;
  }
}

/// The lanes whose difference a derivative is.
std::pair<uint32_t, uint32_t> derivedFrom(isa::Opcode op, uint32_t lane) {
  const uint32_t quad = lane & ~3u;
  if (op == isa::Opcode::DdxC) return {quad + 1, quad};
  if (op == isa::Opcode::DdyC) return {quad + 2, quad};
  return op == isa::Opcode::DdxF ? std::pair(lane | 1, lane & ~1u) : std::pair(lane | 2, lane & ~2u);
}

/// A reduction or a scan: the operands of a lane's result, and that, in the order of the executors (isa.def).
bool groupLeavesNumbers(const GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  const auto op = static_cast<isa::ReduceOp>(inst.sub);
  if (op != isa::ReduceOp::Add && op != isa::ReduceOp::Mul) return false;
  const auto step = [&](double a, double b) { return rounded(inst.type, op == isa::ReduceOp::Add ? a + b : a * b); };
  const double identity = op == isa::ReduceOp::Add ? 0 : 1;
  const bool isReduction = inst.op == isa::Opcode::SgReduce;
  const uint32_t cluster = inst.imm ? inst.imm : kWarpLanes, first = lane / cluster * cluster;
  std::vector<double> operands, all(cluster, identity);
  for (uint32_t i = 0; i < cluster; ++i) {
    if (!(run.active(w) >> (first + i) & 1)) continue;
    if (!isReduction && (inst.op == isa::Opcode::SgScanI ? first + i > lane : first + i >= lane)) continue;
    operands.push_back(all[i] = numberOf(run, w, inst.type, inst.src[0], first + i));
  }
  if (!isReduction) {
    double sum = identity;
    for (const double o : operands) sum = step(sum, o);
    return appears(sum, operands);
  }
  for (uint32_t distance = 1; distance < cluster; distance *= 2)
    for (uint32_t i = 0; i < cluster; i += 2 * distance) all[i] = step(all[i], all[i + distance]);
  return appears(all[0], operands);
}

/// A product of matrices: every step of every column.
bool productLeavesNumbers(const GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  const auto word = [&](uint32_t source, uint32_t i, uint32_t of) {
    return numberOf(inst.type, operandWord(run, w, inst.src[source], i, of), 0);
  };
  for (uint32_t column = 0; column < inst.count; ++column) {
    double sum = word(2, column, lane);
    for (uint32_t k = 0; k < kWarpLanes; ++k) {
      const double of[3] = {word(0, k, lane), word(1, column, k), sum};
      sum = rounded(inst.type, std::fma(of[0], of[1], of[2]));
      if (appears(sum, of)) return true;
    }
  }
  return false;
}

/// Whether NaN or an infinity appears in a lane's result.
bool leavesNumbers(const GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  using O = isa::Opcode;
  if (!isa::isFloatType(inst.type)) return false;
  const auto operand = [&](uint32_t i) { return numberOf(run, w, inst.type, inst.src[i], lane); };
  switch (inst.op) {
    case O::SgReduce:
    case O::SgScanI:
    case O::SgScanE: return groupLeavesNumbers(run, w, inst, lane);
    case O::SgProduct: return productLeavesNumbers(run, w, inst, lane);
    case O::CvtFF: {
      const double from = numberOf(run, w, static_cast<isa::Type>(inst.sub), inst.src[0], lane);
      return appears(rounded(inst.type, from), {&from, 1});
    }
    case O::FLdexp: {
      const double from = operand(0);
      const auto by = static_cast<int32_t>(operandWord(run, w, inst.src[1], 0, lane));
      return appears(rounded(inst.type, std::ldexp(from, by)), {&from, 1});
    }
    case O::DdxC:
    case O::DdyC:
    case O::DdxF:
    case O::DdyF: {
      const auto [more, less] = derivedFrom(inst.op, lane);
      const double of[2] = {numberOf(run, w, inst.type, inst.src[0], more),
                            numberOf(run, w, inst.type, inst.src[0], less)};
      return appears(rounded(inst.type, of[0] - of[1]), of);
    }
    default: break;
  }
  double of[3] = {};
  uint32_t count = 0;
  for (; count < 3 && inst.src[count].present(); ++count) of[count] = operand(count);
  return appears(rounded(inst.type, arithmetic(inst.op, inst.type, of[0], of[1], of[2])), {of, count});
}

/// Lanes whose atomic addition leaves NaN or an infinity where neither was; each finds what those before it left.
LaneMask atomicsLeaveNumbers(const GroupRun& run, uint32_t w, const isa::Inst& inst) {
  if (!isa::isFloatType(inst.type) || static_cast<abi::AtomicOp>(inst.atomic) != abi::AtomicOp::FAdd) return 0;
  LaneMask lanes = 0;
  std::map<const std::byte*, double> held;
  run.stepper(w).forEachAccess(inst, [&](const interp::Access& a) {
    if (!a.at) return;
    const auto [it, isNew] = held.try_emplace(a.at, 0);
    uint64_t bits = 0;
    std::memcpy(&bits, a.at, a.bytes);
    if (isNew) it->second = numberOf(inst.type, static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32));
    const double of[2] = {it->second, numberOf(run, w, inst.type, inst.src[2], a.lane)};
    it->second = rounded(inst.type, of[0] + of[1]);
    if (appears(it->second, of)) lanes |= static_cast<LaneMask>(1u << a.lane);
  });
  return lanes;
}

/// Lanes whose index leaves the variable that a load or store of private memory, or of a table of constants, is in.
LaneMask leavesVariable(const GroupRun& run, uint32_t w, const isa::Inst& inst) {
  const auto space = static_cast<isa::Space>(inst.sub);
  const bool isTable = space == isa::Space::Table;
  if ((space != isa::Space::Scratch && !isTable) || !inst.src[1].present()) return 0;
  const uint64_t bytes = uint64_t{inst.count} * isa::typeWords(inst.type) * 4;
  using Kind = lower::DebugPlace::Kind;
  const Extents::Range within = run.extents().around(isTable ? Kind::Table : Kind::Scratch, inst.imm);
  LaneMask outside = 0;
  for (LaneMask left = run.active(w); left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t at = uint64_t{inst.imm} + operandWord(run, w, inst.src[1], 0, lane);
    if (at < within.first || at + bytes > within.end) outside |= static_cast<LaneMask>(1u << lane);
  }
  return outside;
}

}  // namespace

const char* nameOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::NotANumber: return "nan";
    case FaultKind::OutOfBounds: return "bounds";
    case FaultKind::DivisionByZero: return "division";
    case FaultKind::Break: return "break";
    case FaultKind::Abort: return "abort";
    default: return "discard";
  }
}

const char* describe(FaultKind kind) {
  switch (kind) {
    case FaultKind::NotANumber: return "NaN or an infinity appears";
    case FaultKind::OutOfBounds: return "something is accessed out of bounds";
    case FaultKind::DivisionByZero: return "something is divided by zero";
    case FaultKind::Break: return "the shader stops here";
    case FaultKind::Abort: return "the invocation aborts, and the device is lost";
    default: return "the invocation is discarded";
  }
}

std::optional<Fault> faultAhead(const GroupRun& run, uint32_t w, uint32_t kinds, LaneMask lanes) {
  lanes &= run.active(w);
  const uint32_t index = run.instruction(w);
  if (!lanes || index >= run.program().program.code.size()) return {};
  const isa::Inst& inst = run.program().program.code[index];
  const auto firstOf = [&](FaultKind kind, auto&& has) -> std::optional<Fault> {
    if (!(kinds & bitOf(kind))) return {};
    for (LaneMask left = lanes; left; left &= left - 1)
      if (const auto lane = static_cast<uint32_t>(std::countr_zero(left)); has(lane)) return Fault{kind, lane};
    return {};
  };
  const std::vector<uint32_t>& breaks = run.program().breaks;
  if (!breaks.empty() && std::binary_search(breaks.begin(), breaks.end(), index))
    return firstOf(FaultKind::Break, [](uint32_t) { return true; });
  lanes &= ~run.warp(w).helper;
  if (inst.op == isa::Opcode::Abort && !inst.src[0].present())
    return firstOf(FaultKind::Abort, [](uint32_t) { return true; });
  if (inst.op == isa::Opcode::Kill || inst.op == isa::Opcode::Demote)
    return firstOf(FaultKind::Discard, [](uint32_t) { return true; });
  if (inst.op == isa::Opcode::Ld || inst.op == isa::Opcode::St || inst.op == isa::Opcode::Atom) {
    const auto firstIn = [&](FaultKind kind, auto&& found) {
      const LaneMask bad = kinds & bitOf(kind) ? found() : 0;
      return firstOf(kind, [&](uint32_t lane) { return bad >> lane & 1; });
    };
    const auto outside = [&] {
      LaneMask bad = leavesVariable(run, w, inst);
      run.stepper(w).forEachAccess(inst, [&](const interp::Access& a) {
        if (!a.at) bad |= static_cast<LaneMask>(1u << a.lane);
      });
      return bad;
    };
    if (const auto fault = firstIn(FaultKind::OutOfBounds, outside)) return fault;
    return firstIn(FaultKind::NotANumber,
                   [&] { return inst.op == isa::Opcode::Atom ? atomicsLeaveNumbers(run, w, inst) : LaneMask{0}; });
  }
  if (auto fault = firstOf(FaultKind::DivisionByZero, [&](uint32_t l) { return dividesByZero(run, w, inst, l); }))
    return fault;
  return firstOf(FaultKind::NotANumber, [&](uint32_t l) { return leavesNumbers(run, w, inst, l); });
}

}  // namespace etzel::debugger
