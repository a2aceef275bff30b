// Which values and branches are the same for all lanes, and which differ from lane to lane by numbers that the program
// says. The native executor keeps those values as scalars and turns uniform branches into jumps; everything else uses
// the execution mask
// ("Divergence" in docs/isa.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "compiler/exec/native/analysis/webs.h"
#include "compiler/isa/program.h"

namespace etzel::native {

/// How a value's lanes relate.
struct Shape {
  enum class Kind : uint8_t {
    Unknown,  ///< nobody wrote it
    Apart,    ///< lane i holds lane 0's value + apart[i], also in inactive lanes; all 0: uniform
    Varying,
  } kind = Kind::Unknown;
  uint8_t zeros = 0;  ///< Apart: low bits of lane 0's value that are known to be 0; 32: all
  std::array<uint32_t, kWarpLanes> apart = {};

  /// Lanes that grow evenly.
  static Shape growing(uint32_t stride, uint8_t zeros = 0) {
    Shape s{Kind::Apart, zeros, {}};
    for (uint32_t i = 0; i < kWarpLanes; ++i) s.apart[i] = i * stride;
    return s;
  }
  bool varying() const { return kind == Kind::Varying; }
  bool uniform() const { return !varying() && bits() == 0; }
  /// From lane to lane, where lanes grow evenly.
  std::optional<uint32_t> stride() const {
    const bool even = !varying() && apart == growing(apart[1]).apart;
    return even ? std::optional(apart[1]) : std::nullopt;
  }
  /// The farthest lane from lane 0.
  uint32_t farthest() const { return *std::max_element(apart.begin(), apart.end()); }
  /// All bits in which distances from lane 0 are.
  uint32_t bits() const { return std::accumulate(apart.begin(), apart.end(), 0u, std::bit_or<>()); }
  /// Whether lanes differ in bits that are 0 in lane 0, so that only these say which lane it is.
  bool lanesInBits() const { return std::bit_width(bits()) <= zeros; }
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

/// Requires a verified program without base instructions. `zeros`: per web, low bits that are taken to be 0 in what
/// loads give; or nothing.
Divergence analyzeDivergence(const Webs& webs, std::span<const uint8_t> zeros = {});

/// The same of eight warps of a workgroup, from a multiple of eight on: `apart` and `zeros` are those of their first
/// lanes, "lanes" that are missing are warps, and what is uniform has all lanes in common. `lanes` is how lanes of a
/// warp relate; `agrees` says of loads whether equal places give warps equal words, whichever is first. Of compute
/// programs that miss no lanes.
Divergence analyzeWarps(const Webs& webs, const Divergence& lanes, const std::function<bool(uint32_t load)>& agrees);

/// Which source of a comparison is the value that is below the other one or not: value < limit, value >= limit.
std::optional<uint32_t> valueOfComparison(isa::CmpI op);

/// The shape of word `word` of an operand.
Shape shapeOf(const Webs& webs, const Divergence& d, isa::Operand o, uint32_t word = 0);
/// Whether the first `words` words of an operand are the same in all lanes.
bool isUniform(const Webs& webs, const Divergence& d, isa::Operand o, uint32_t words = 1);
/// The shape of a system value, as the dispatcher fills it in.
Shape shapeOf(const abi::ProgramInfo& info, abi::SysValue v);

}  // namespace etzel::native
