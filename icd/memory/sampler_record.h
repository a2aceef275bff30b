// All that a sampler's create info says as plain words: to tell whether two are the same, and to keep one where no
// create info can be kept, as in the binary of a shader with embedded samplers.
#pragma once

#include <compare>
#include <type_traits>

#include "icd/memory/resources.h"

namespace etzel::icd {

struct SamplerRecord {
  uint32_t state[16] = {};       ///< VkSamplerCreateInfo from `flags` to its end
  uint32_t reduction = 0;        ///< VkSamplerReductionMode
  uint32_t border[4] = {};       ///< a custom colour
  uint32_t conversion[10] = {};  ///< enabled, model, range, offsets of chroma, filter, components; zeros: none
  auto operator<=>(const SamplerRecord&) const = default;
};
static_assert(std::has_unique_object_representations_v<SamplerRecord>);

SamplerRecord recordOf(const VkSamplerCreateInfo& info);
/// Whether every word is something that a create info may say: what comes from a file may be anything.
bool isWhole(const SamplerRecord& record);
void makeSampler(tex::Sampler& sampler, const SamplerRecord& record);

}  // namespace etzel::icd
