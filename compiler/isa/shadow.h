// Shadow instructions: what a debug compile adds to a program, and what only lives on because that reads it.
//
// The compiler's passes decide as if shadows were not there and leave them where they stand, so a program with its
// shadows taken out is the ordinary program, instruction for instruction. Shadows write words and scratch memory that
// no other instruction reads. Ordinary programs have none. The mark is the top bit of Inst::line, so that
// instructions do not grow for it.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::isa {

inline constexpr uint32_t kShadowBit = 0x80000000u;

inline bool isShadow(const Inst& inst) { return inst.line & kShadowBit; }
inline void makeShadow(Inst& inst) { inst.line |= kShadowBit; }
/// Inst::line without the mark.
inline uint32_t lineOf(const Inst& inst) { return inst.line & ~kShadowBit; }

}  // namespace etzel::isa
