// Which values and branches are the same for all lanes, and which grow evenly from lane to lane. The native executor
// keeps those values as scalars and turns uniform branches into jumps; everything else uses the execution mask
// ("Divergence" in docs/isa.md).
#pragma once

#include <bit>

#include "compiler/exec/native/analysis/webs.h"
#include "compiler/isa/program.h"

namespace etzel::native {

/// How a value's lanes relate.
struct Shape {
  enum class Kind : uint8_t {
    Unknown,  ///< nobody wrote it
    Affine,   ///< lane i holds lane 0's value + i * stride, also in inactive lanes; stride 0: uniform
    Varying,
  } kind = Kind::Unknown;
  uint32_t stride = 0;
  uint8_t zeros = 0;  ///< Affine: low bits of lane 0's value that are known to be 0; 32: all
  bool varying() const { return kind == Kind::Varying; }
  bool uniform() const { return !varying() && stride == 0; }
  /// Whether lanes differ in three bits of their own, so that only these say which lane it is.
  bool lanesInBits() const { return std::has_single_bit(stride) && zeros >= std::countr_zero(stride) + 3; }
};

struct Divergence {
  std::vector<Shape> shape;       ///< per web
  std::vector<bool> blend;        ///< per instruction: masked, and its old lanes may still be needed
  std::vector<bool> divergentIf;  ///< If: lanes may take both sides. Indexed by instruction
  std::vector<bool> direct;       ///< Br, BrC, Ret, Kill: all lanes that could be active go together: a plain jump
  std::vector<bool> target;       ///< Block: some masked br leads to its end, which restores lanes
  std::vector<bool> crossed;      ///< If, Block, Loop: a masked br or ret leaves through it
  std::vector<bool> partial;      ///< per instruction: lanes of the entry mask may be missing here
  bool full = false;              ///< every warp starts with all lanes active
};

/// Requires a verified program without base instructions.
Divergence analyzeDivergence(const Webs& webs);

/// The shape of word `word` of an operand.
Shape shapeOf(const Webs& webs, const Divergence& d, isa::Operand o, uint32_t word = 0);
/// The shape of a system value, as the dispatcher fills it in.
Shape shapeOf(const abi::ProgramInfo& info, abi::SysValue v);

}  // namespace etzel::native
