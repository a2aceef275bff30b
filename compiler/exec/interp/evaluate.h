// One instruction on constants, by the handlers that run shaders: what the optimizer folds is what would have been
// computed. Any thread.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::interp {

inline constexpr uint32_t kEvaluateWords = 8;  ///< per operand, at most

/// True for arithmetic, integer, conversion, transcendental and select instructions.
bool canEvaluate(isa::Opcode op);

/// `sources[i]` holds the words of source i. Writes the destination's words (at most kEvaluateWords). False when the
/// instruction can't be evaluated.
bool evaluate(const isa::Inst& inst, const uint32_t (*sources)[kEvaluateWords], uint32_t* result);

}  // namespace etzel::interp
