// Loops over the samples of pixels, as resolves and lighting of multisampled pictures have them: all samples can be
// read before the first round. Most show what the one before shows, so that what is made of them is what it was the
// round before.
#pragma once

#include <map>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// A loop with fetches of a sample that changes from round to round, of pixels that do not.
struct SampleLoop {
  struct Image {
    isa::Operand handle, x, y;  ///< known before the loop
  };
  struct Fetch {
    uint32_t at;     ///< instruction
    uint32_t image;  ///< index into `images`
  };
  std::vector<Fetch> fetches;  ///< in order
  std::vector<Image> images;
  /// Instructions that leave what they left the round before if all fetches among them do, of which the first is one;
  /// nothing if the two are the same. All of them fetch the same sample.
  uint32_t skipBegin = 0, skipEnd = 0;
};

/// By their Loop instructions. None lies in another one.
std::map<uint32_t, SampleLoop> findSampleLoops(const Webs& webs, const Divergence& divergence,
                                               const std::vector<Constant>& constants);

}  // namespace etzel::native
