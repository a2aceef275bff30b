#include "icd/wsi/present_timing.h"

#include <algorithm>
#include <bit>

#include "icd/wsi/pace.h"
#include "runtime/mutant/mutant.h"
#include "runtime/task/fork.h"

namespace etzel::icd {

std::span<const VkTimeDomainKHR> presentTimeDomains() {
  static constexpr VkTimeDomainKHR kDomains[] = {VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT,
                                                 VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT, VK_TIME_DOMAIN_DEVICE_EXT,
                                                 VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT};
  return kDomains;
}

void fillTimingProperties(bool headless, VkSwapchainTimingPropertiesEXT& properties) {
  // "VkSwapchainTimingPropertiesEXT": UINT64_MAX is a rate that varies, the duration its shortest; zeros are unknown.
  properties.refreshDuration = headless ? kRefreshNs : 0;
  properties.refreshInterval = headless ? UINT64_MAX : 0;
}

VkResult PresentTimings::resize(uint32_t size) {
  std::lock_guard lock(mutex_);
  if (size < results_.size()) return VK_NOT_READY;
  results_.reserve(size);
  size_ = size;
  return VK_SUCCESS;
}

uint64_t PresentTimings::reserve(uint64_t presentId, const VkPresentTimingInfoEXT& info) {
  std::lock_guard lock(mutex_);
  if (results_.size() >= size_) return 0;
  const auto domains = presentTimeDomains();
  const bool known = std::find(domains.begin(), domains.end(), info.timeDomainId) != domains.end();
  Result& r = results_.emplace_back();
  r.number = ++lastNumber_;
  r.presentId = presentId;
  r.targetTime = info.targetTime;
  if (known) r.domain = VkTimeDomainKHR(info.timeDomainId);
  r.asked = info.presentStageQueries & ((1u << kPresentStages) - 1);
  return r.number;
}

PresentTimings::Result* PresentTimings::find(uint64_t number) {
  const auto at = std::lower_bound(results_.begin(), results_.end(), number,
                                   [](const Result& r, uint64_t n) { return r.number < n; });
  return at != results_.end() && at->number == number ? &*at : nullptr;
}

void PresentTimings::drop(uint64_t number) {
  std::lock_guard lock(mutex_);
  if (const Result* r = find(number)) results_.erase(results_.begin() + (r - results_.data()));
}

void PresentTimings::note(uint64_t number, VkPresentStageFlagBitsEXT stage, uint64_t ns) {
  if (!number) return;
  std::lock_guard lock(mutex_);
  Result* r = find(number);
  if (!r || !(r->asked & stage)) return;
  r->known |= stage;
  r->ns[std::countr_zero(uint32_t(stage))] = ns;
}

void PresentTimings::finish(uint64_t number) {
  if (!number) return;
  std::lock_guard lock(mutex_);
  if (Result* r = find(number)) r->known = r->asked;
}

void PresentTimings::inChild() {
  task::remake(mutex_);
  for (Result& r : results_) r.known = r.asked;
}

// "vkGetPastPresentationTimingEXT": each element has room for all stages that were asked for. What its count says is as
// likely left from an incomplete result of an earlier call.
void PresentTimings::write(const Result& r, VkPastPresentationTimingEXT& out) {
  out.presentId = r.presentId;
  out.targetTime = r.targetTime;
  out.presentStageCount = 0;
  for (uint32_t i = 0; i < kPresentStages; ++i)
    if (r.known & 1u << i) out.pPresentStages[out.presentStageCount++] = {1u << i, r.ns[i]};
  out.timeDomain = r.domain;
  out.timeDomainId = uint64_t(r.domain);
  out.reportComplete = r.complete();
}

VkResult PresentTimings::fetch(VkPastPresentationTimingFlagsEXT flags, VkPastPresentationTimingPropertiesEXT& out) {
  const bool partial = flags & VK_PAST_PRESENTATION_TIMING_ALLOW_PARTIAL_RESULTS_BIT_EXT;
  const bool anyOrder = flags & VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT;
  out.timingPropertiesCounter = out.timeDomainsCounter = kTimingCounter;
  std::lock_guard lock(mutex_);
  uint32_t available = 0, written = 0;
  for (Result& r : results_) {
    if (!r.complete() && !(partial && r.known)) {
      if (anyOrder) continue;
      break;  // later ones wait for their turn
    }
    ++available;
    if (!out.pPresentationTimings || written == out.presentationTimingCount) continue;
    write(r, out.pPresentationTimings[written++]);
    if (r.complete() && !mutated(Mutant::TimingSlots)) r.number = 0;  // its slot is free
  }
  std::erase_if(results_, [](const Result& r) { return r.number == 0; });
  out.presentationTimingCount = out.pPresentationTimings ? written : available;
  return out.pPresentationTimings && written < available ? VK_INCOMPLETE : VK_SUCCESS;
}

}  // namespace etzel::icd
