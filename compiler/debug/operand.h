// What an instruction that comes next will read.
#pragma once

#include "compiler/debug/group_run.h"

namespace etzel::debugger {

/// Word `word` of an operand, as the next instruction of warp `w` reads it in a lane.
inline uint32_t operandWord(const GroupRun& run, uint32_t w, isa::Operand o, uint32_t word, uint32_t lane) {
  const abi::Warp& warp = run.warp(w);
  const uint32_t at = o.word + word;
  switch (o.bank) {
    case isa::Bank::Temp: return warp.registers[at].lane[lane];
    case isa::Bank::Out: return warp.out ? warp.out[at].lane[lane] : 0;
    case isa::Bank::In: return warp.in ? warp.in[at].lane[lane] : 0;
    case isa::Bank::Param: {
      const auto& constants = run.program().program.constants;
      return at / 4 < constants.size() ? constants[at / 4][at % 4] : 0;
    }
    default: return 0;
  }
}

}  // namespace etzel::debugger
