// Programs as text. One line per instruction, indented by control flow; assemble.h reads the same syntax.
//
//   mnemonic[.sub][.atomic][.type][.xN][.m] dst, src, src, src, #imm      extension instructions
//   add_sat r5.xy,-|i1.wzyx|,c300.y                                       base instructions
//
// r5.z is word 22 of the bank; `-` is an absent operand; `.x4` counts elements; `.m` keeps inactive lanes.
// A guard stands in front: `(p3)`, `(!p3)`; `!end` and `!wait` follow the operands.
#pragma once

#include "compiler/isa/info.h"

namespace etzel::isa {

/// One instruction, without indentation or newline.
std::string toText(const Inst& inst);

/// The whole program: directives for stage, resources and constants, then numbered instructions with source locations
/// as comments. assemble() makes the same program of it.
std::string disassemble(const Program& program);

}  // namespace etzel::isa
