// Which invocations a debugger asks for: by pixel and sample, vertex and instance, primitive, workgroup, draw. Each
// part restricts the stages that have it and no others. Plain data.
#pragma once

#include <optional>
#include <string>

#include "runtime/abi/kernel.h"

namespace etzel::icd {

struct Filter {
  std::optional<std::pair<uint32_t, uint32_t>> pixel;
  std::optional<uint32_t> sample, draw, vertex, instance, primitive, invocation;
  std::optional<std::array<uint32_t, 3>> workgroup;
  std::optional<abi::Stage> stage;

  /// Adds "pixel=3,4" and the like. \returns false where it means nothing
  bool add(const std::string& word);
  /// Lanes of a warp that it lets through; helper invocations never.
  LaneMask lanes(abi::Stage of, const abi::Warp& warp) const;
  bool admitsStage(abi::Stage s) const { return !stage || *stage == s; }
  bool admitsDraw(uint32_t number) const { return !draw || *draw == number; }
};

/// System values that tell the invocations of a stage apart.
uint64_t placeSysValues(abi::Stage stage);
/// "pixel (3, 4), sample 0": which invocation a lane is.
std::string invocationName(abi::Stage stage, const abi::Warp& warp, uint32_t lane);

}  // namespace etzel::icd
