// What eight warps of a workgroup that run side by side ("a crowd") have in common: a value that is the same in some of
// them is made once for these, and one that is apart from the first warp's by a number that the program says is that
// sum.
#pragma once

#include <array>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

inline constexpr uint32_t kCrowd = 8;

struct Crowd {
  /// Whether all warps take each branch together, with all of their lanes. Else all here is empty.
  bool possible = false;
  struct Kin {
    std::array<uint8_t, kCrowd> first = {};  ///< the first warp that has the value of this one, but for `more`
    std::array<uint32_t, kCrowd> more = {};  ///< what lane 0 has more than that warp's. 0 where lanes vary freely
  };
  /// Per web: whether all crowds of a workgroup have the same between two barriers. All come to the same barriers then.
  std::vector<bool> ofAll;
  /// Per web. What varies freely from lane to lane is kin by pairs of warps, from an even one on.
  std::vector<Kin> kin;

  /// Whether the first two warps make the value for all pairs, or each warp its own.
  bool isCommon(uint32_t web) const {
    const auto& first = kin[web].first;
    return first[2] == 0 && first[4] == 0 && first[6] == 0;
  }
  bool isAlone(uint32_t web) const {
    const auto& first = kin[web].first;
    return first[2] == 2 && first[4] == 4 && first[6] == 6;
  }
  /// How far the value is from lane 0 of the first warp in all lanes of a warp; nothing where that is not known.
  std::optional<uint32_t> apart(uint32_t web, uint32_t warp) const {
    return kin[web].first[warp] == 0 ? std::optional(kin[web].more[warp]) : std::nullopt;
  }
};

Crowd findCrowd(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                const std::vector<uint32_t>& regions);

/// Whether a store in a loop, by any two invocations in any two rounds, goes to two places: a place that is made of the
/// bits of a number, each of them at another bit, where the number begins as the invocation's and grows by as many as
/// there are invocations, or more.
bool storesApart(const Webs& webs, const Bounds& bounds, uint32_t store);

}  // namespace etzel::native
