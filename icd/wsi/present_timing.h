// What became of a swapchain's presents, and when (VK_EXT_present_timing): results that the thread of the swapchain
// fills and the application fetches. Every clock is CLOCK_MONOTONIC (nowNs()), so the same number stands for a time in
// each time domain. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "icd/object/object.h"

namespace etzel::icd {

/// The stages whose times are known. Queues tell when their operations end, and the thread when a picture is taken to
/// be shown; when pixels leave for a screen, or are seen there, neither X nor a surface without a screen tells.
inline constexpr VkPresentStageFlagsEXT kToldStages =
    VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT | VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT;
/// How many stages there are: bits from the lowest on.
inline constexpr uint32_t kPresentStages = 4;

/// What times of presents may be told in. A domain's number is its value.
std::span<const VkTimeDomainKHR> presentTimeDomains();
/// Nothing that they tell ever changes, and so these numbers do not: of the time domains, and of the refresh cycles.
inline constexpr uint64_t kTimingCounter = 1;

/// Refresh cycles. Those of a surface without a screen are the thread's own (Pace), of a rate that varies; of a
/// window's nothing is known.
void fillTimingProperties(bool headless, VkSwapchainTimingPropertiesEXT& properties);

/// The internal queue of results.
class PresentTimings {
 public:
  /// vkSetSwapchainPresentTimingQueueSizeEXT. \returns VK_NOT_READY where there are more results already. Throws where
  /// memory is missing.
  VkResult resize(uint32_t size);
  /// A result for a present that asks for stages. \returns its number, above all earlier ones; 0: none is free.
  uint64_t reserve(uint64_t presentId, const VkPresentTimingInfoEXT& info);
  /// The present was not submitted: as if it had never been asked.
  void drop(uint64_t number);
  /// A stage's time. Does nothing for number 0, or where nobody asked for the stage.
  void note(uint64_t number, VkPresentStageFlagBitsEXT stage, uint64_t ns);
  /// Nothing more will be known: stages without a time have 0.
  void finish(uint64_t number);
  /// vkGetPastPresentationTimingEXT.
  VkResult fetch(VkPastPresentationTimingFlagsEXT flags, VkPastPresentationTimingPropertiesEXT& out);
  /// A process that forked has no thread that would finish anything.
  void inChild();

 private:
  struct Result {
    uint64_t number = 0, presentId = 0, targetTime = 0;
    VkTimeDomainKHR domain = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT;
    VkPresentStageFlagsEXT asked = 0, known = 0;
    std::array<uint64_t, kPresentStages> ns{};
    bool complete() const { return known == asked; }
  };
  Result* find(uint64_t number);
  static void write(const Result& result, VkPastPresentationTimingEXT& out);

  std::mutex mutex_;
  std::vector<Result> results_;  ///< in the order of presents; has room for `size_`, so that presenting cannot fail
  uint32_t size_ = 0;
  uint64_t lastNumber_ = 0;
};

}  // namespace etzel::icd
