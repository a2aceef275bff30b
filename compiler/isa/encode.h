// Programs as 128-bit words and back. Base opcodes keep ATTILA's layout bit for bit; extension opcodes share bits 0-16
// and use the rest as follows (docs/isa.md, Extension encoding):
//
//   lo  0-7 opcode   8 end   9 wait   10 predicated   11 inverted   12-16 predicate
//       17-29 destination   30-42 source 1   43-55 source 2     operand: 10 bits word, then 3 bits bank
//       56-58 type   59 masked   60-62 count - 1   63 reserved
//   hi  0-12 source 3   13-17 sub   18-21 atomic   22-31 reserved   32-63 immediate
//
// Absent operands are bank 7, word 0. Reserved bits are zero; a decoder rejects anything else. Pure, any thread.
#pragma once

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::isa {

struct EncodedInst {
  uint64_t lo = 0, hi = 0;
  bool operator==(const EncodedInst&) const = default;
};

/// Requires fields that fit: real registers, legal opcodes (isa::verify). Where ATTILA's encoding names a bank that the
/// opcode implies, the canonical value is written. Source lines are not encoded.
EncodedInst encode(const Inst& inst);
std::vector<EncodedInst> encode(const std::vector<Inst>& code);

/// Why the immediate of PIXLD, TLD4 or a raw access means nothing (immediates.h); null when it is fine.
const char* immediateProblem(const Inst& inst);

/// Error: InvalidShader for unknown opcodes, reserved bits that are set, and fields without meaning. Does not check
/// what needs the whole program; isa::verify does.
Result<Inst> decode(const EncodedInst& word);
Result<std::vector<Inst>> decode(std::span<const EncodedInst> words);

}  // namespace etzel::isa
