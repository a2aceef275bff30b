// Which invocations a debugger asks for: by pixel and sample, layer and view, coverage, vertex and instance, primitive
// or patch, workgroup, and by their draw, its debug labels and its pipeline's name. Each part restricts the stages that
// have it and no others. Plain data.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <optional>
#include <string>

#include "icd/debug/command_number.h"

namespace etzel::icd {

struct Filter {
  std::optional<std::pair<uint32_t, uint32_t> > pixel;
  std::optional<uint32_t> sample, layer, view, draw, vertex, instance, primitive, patch, invocation;
  bool maskChanges = false;     ///< stops behind what changes the pixel's fragment mask, whichever invocations come
  bool partly = false;          ///< pixels that the primitive covers in some samples, not in all
  std::string label, pipeline;  ///< empty: any
  /// Which of several invocations that would stop do so.
  enum class Which : uint8_t {
    Group,  ///< one of those that come to a breakpoint together
    First,  ///< one, and those that run together with it, till breakpoints or filter are set again
    Each    ///< one after the other
  } which = Which::Group;
  std::optional<std::array<uint32_t, 3> > workgroup;
  std::optional<abi::Stage> stage;

  /// Adds "pixel=3,4", "label=shadows" and the like. \returns false where it means nothing
  bool add(const std::string& word);
  /// Lanes of a warp that it lets through; helper invocations never.
  LaneMask lanes(abi::Stage of, const abi::Warp& warp) const;
  bool admitsStage(abi::Stage s) const { return !stage || *stage == s; }
  bool admits(const CommandPlace& command) const;

 private:
  bool addWord(const std::string& key, const std::string& value);
};

/// Which invocation it is.
struct InvocationPlace {
  abi::Stage stage = abi::Stage::Compute;
  bool perSample = false, helper = false;
  /// Vertex, instance; patch or primitive, invocation; patch, coordinates; x, y, sample, primitive; workgroup,
  /// invocation.
  std::array<uint32_t, 4> at{};
  uint32_t layer = 0, view = 0;
};
/// Of a lane of a warp that has abi::placeSysValues().
InvocationPlace placeOf(abi::Stage stage, const abi::Warp& warp, uint32_t lane);
/// "pixel (3, 4), sample 0"
std::string nameOf(const InvocationPlace& place);
inline std::string invocationName(abi::Stage stage, const abi::Warp& warp, uint32_t lane) {
  return nameOf(placeOf(stage, warp, lane));
}

}  // namespace etzel::icd

#endif
