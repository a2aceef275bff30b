// quick_sample.inl.h for every x86-64.
#include "runtime/format/convert.h"
#include "runtime/tex/quick_sample.h"

#define ETZEL_QUICK_SAMPLE quickSampleSse2
#include "runtime/tex/quick_sample.inl.h"

namespace etzel::tex {

bool quickSampleApplies(const SampleState& s) {
  const FastFormat f = s.reader.fast;
  const auto hasBorder = [&](int axis) { return s.sampler.address[axis] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER; };
  if (!s.simple2D || s.cube || f == FastFormat::None || f == FastFormat::Compressed || s.sampler.ycbcr.enabled ||
      s.sampler.anisotropic || s.view.info->isInteger() || hasBorder(0) || hasBorder(1))
    return false;
  // Offsets within a level are 32-bit numbers here.
  const mem::MipLayout& m = s.view.plane->mip[s.view.baseMip];
  return m.slicePitch < (uint64_t{1} << 31);
}

}  // namespace etzel::tex
