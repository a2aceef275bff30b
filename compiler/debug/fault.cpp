#include "compiler/debug/fault.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "compiler/debug/operand.h"
#include "compiler/isa/info.h"
#include "runtime/simd/half.h"

namespace etzel::debugger {
namespace {

double numberOf(const GroupRun& run, uint32_t w, isa::Type type, isa::Operand o, uint32_t element, uint32_t lane) {
  const uint32_t low = operandWord(run, w, o, element * isa::typeWords(type), lane);
  if (type == isa::Type::F16) return simd::halfToFloat(low);
  if (type == isa::Type::F32) return std::bit_cast<float>(low);
  return std::bit_cast<double>(low | uint64_t{operandWord(run, w, o, element * 2 + 1, lane)} << 32);
}

bool dividesByZero(const GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  using O = isa::Opcode;
  switch (inst.op) {
    case O::FDiv:
    case O::FRem:
    case O::FMod: return numberOf(run, w, inst.type, inst.src[1], 0, lane) == 0;
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

/// Arithmetic in floats whose operands are all finite, and whose result will not be.
bool leavesNumbers(const GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  using O = isa::Opcode;
  const auto a = [&](uint32_t i) { return numberOf(run, w, inst.type, inst.src[i], 0, lane); };
  if (!isa::isFloatType(inst.type)) return false;
  const auto bad = [&](double exact) {
    // As the type has it: what is too large becomes infinite.
    if (inst.type == isa::Type::F32) return !std::isfinite(static_cast<float>(exact));
    if (inst.type == isa::Type::F16) return !std::isfinite(exact) || std::fabs(exact) >= 65520;
    return !std::isfinite(exact);
  };
  uint32_t sources = 0;
  for (; sources < 3 && inst.src[sources].present(); ++sources)
    if (!std::isfinite(a(sources))) return false;
  switch (inst.op) {
    case O::FAdd: return bad(a(0) + a(1));
    case O::FSub: return bad(a(0) - a(1));
    case O::FMul: return bad(a(0) * a(1));
    case O::FDiv: return bad(a(0) / a(1));
    case O::FFma: return bad(std::fma(a(0), a(1), a(2)));
    case O::FRem:
    case O::FMod: return a(1) == 0;
    case O::FSqrt: return a(0) < 0;
    case O::FRsq: return a(0) <= 0;
    case O::FAsin:
    case O::FAcos: return std::fabs(a(0)) > 1;
    case O::FLog:
    case O::FLog2: return a(0) <= 0;
    case O::FExp: return bad(std::exp(a(0)));
    case O::FExp2: return bad(std::exp2(a(0)));
    case O::FPow: return a(0) < 0 || bad(std::pow(a(0), a(1)));
    default: return false;
  }
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
    case FaultKind::NotANumber: return "finite numbers give NaN or an infinity";
    case FaultKind::OutOfBounds: return "memory is accessed out of bounds";
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
  if (inst.op == isa::Opcode::Abort && !inst.src[0].present())
    return firstOf(FaultKind::Abort, [](uint32_t) { return true; });
  if (inst.op == isa::Opcode::Kill || inst.op == isa::Opcode::Demote)
    return firstOf(FaultKind::Discard, [](uint32_t) { return true; });
  if (inst.op == isa::Opcode::Ld || inst.op == isa::Opcode::St || inst.op == isa::Opcode::Atom) {
    LaneMask outside = 0;
    if (kinds & bitOf(FaultKind::OutOfBounds))
      run.stepper(w).forEachAccess(inst, [&](const interp::Access& a) {
        if (!a.at) outside |= static_cast<LaneMask>(1u << a.lane);
      });
    return firstOf(FaultKind::OutOfBounds, [&](uint32_t lane) { return outside >> lane & 1; });
  }
  if (auto fault = firstOf(FaultKind::DivisionByZero, [&](uint32_t l) { return dividesByZero(run, w, inst, l); }))
    return fault;
  return firstOf(FaultKind::NotANumber, [&](uint32_t l) { return leavesNumbers(run, w, inst, l); });
}

}  // namespace etzel::debugger
