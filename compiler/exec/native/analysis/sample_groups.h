// Fetches of several samples of the same pixels, as resolves have them: where nearly all pixels show one colour in all
// of their samples, that can be found out once for all fetches.
#pragma once

#include <map>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// Whether an instruction fetches a sample of a plain multisampled 2D image that is the same in all lanes. Its
/// arguments are x, y and the sample.
bool fetchesSample(const Webs& webs, const Divergence& divergence, const isa::Inst& inst);

/// Instructions without a branch among which there are such fetches.
struct SampleGroup {
  struct Fetch {
    uint32_t at;      ///< instruction
    uint32_t image;   ///< index into `images`
    uint32_t sample;  ///< below 16
  };
  uint32_t end = 0;              ///< behind the last instruction
  std::vector<Fetch> fetches;    ///< in order, of the same pixels; the first one begins the group
  std::vector<uint32_t> images;  /// a fetch of each, an instruction; their handles are known where the group begins
  /// The samples of an image that are fetched, a bit each.
  uint32_t samplesOf(uint32_t image) const;
};

/// Groups with several samples of some image, by their first instruction.
std::map<uint32_t, SampleGroup> findSampleGroups(const Webs& webs, const Divergence& divergence,
                                                 const std::vector<Constant>& constants);

}  // namespace etzel::native
