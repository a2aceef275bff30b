// What the files of the GLSL.std.450 instruction set share: float arithmetic on operands, with 16-bit operands computed
// in 32 bits and rounded once at the end. Private to ext_glsl*.cpp.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/lower/lower.h"

namespace etzel::lower {

using Components = std::vector<Operand>;

/// One OpExtInst of GLSL.std.450: operand access and arithmetic in its computation type (F32, or F64 for doubles).
class GlslInst {
 public:
  GlslInst(Lowerer& lowerer, const spirv::Instruction& instruction);

  Lowerer& l;
  const spirv::Instruction& inst;
  uint32_t code;      ///< GLSLstd450
  isa::Type type;     ///< of the result's scalars
  isa::Type compute;  ///< type of the arithmetic below; F16 becomes F32

  uint32_t id(uint32_t n) const { return inst.operand(2 + n); }
  /// Operand n as it is.
  const Components& raw(uint32_t n) { return l.components(id(n)); }
  /// Operand n in the computation type.
  Components arg(uint32_t n) { return toCompute(id(n)); }
  Components toCompute(uint32_t valueId);
  /// Binds the result, rounding it to the result's type.
  void result(Components c);
  /// result[i] = f(a[i], b[i], c[i]) in the computation type; scalar operands are repeated.
  template <class F>
  void each(uint32_t arity, F&& f) {
    Components a[3], out;
    for (uint32_t n = 0; n < arity; ++n) a[n] = arg(n);
    for (size_t i = 0; i < a[0].size(); ++i) {
      auto at = [&](uint32_t n) { return n >= arity || a[n].empty() ? Operand{} : a[n][std::min(i, a[n].size() - 1)]; };
      out.push_back(f(at(0), at(1), at(2)));
    }
    result(std::move(out));
  }

  // Arithmetic in `compute`
  Operand op(Opcode o, Operand a, Operand b = {}, Operand c = {}) { return l.b.value(o, compute, a, b, c); }
  Operand k(double value) {
    return compute == isa::Type::F64 ? l.imm64(std::bit_cast<uint64_t>(value)) : l.immF(static_cast<float>(value));
  }
  Operand add(Operand a, Operand b) { return op(Opcode::FAdd, a, b); }
  Operand sub(Operand a, Operand b) { return op(Opcode::FSub, a, b); }
  Operand mul(Operand a, Operand b) { return op(Opcode::FMul, a, b); }
  Operand div(Operand a, Operand b) { return op(Opcode::FDiv, a, b); }
  Operand neg(Operand a) { return op(Opcode::FNeg, a); }
  Operand abs(Operand a) { return op(Opcode::FAbs, a); }
  Operand less(Operand a, Operand b) { return l.b.fcmp(isa::CmpF::OLt, compute, a, b); }
  Operand select(Operand cond, Operand a, Operand b) { return l.b.select(cond, a, b, isa::typeWords(compute)); }
  Operand dot(const Components& a, const Components& b);
  /// magnitude with the sign of x
  Operand withSign(Operand magnitude, Operand x) { return select(less(x, k(0)), neg(magnitude), magnitude); }
};

// Each returns false when the instruction belongs to another file.
bool lowerGlslMath(GlslInst& g);    ///< angles, exponentials, hyperbolics          (ext_glsl_math.cpp)
bool lowerGlslPack(GlslInst& g);    ///< Pack*, Unpack*                              (ext_glsl_pack.cpp)
bool lowerGlslVector(GlslInst& g);  ///< geometry and matrices                       (ext_glsl_vector.cpp)

}  // namespace etzel::lower
