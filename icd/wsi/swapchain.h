// Swapchains: ordinary images, and a thread that shows them. vkQueuePresentKHR submits the wait on the application's
// semaphores and returns; the thread waits for that, then puts the picture on the window at the mode's pace. Only when
// a picture was shown, or another one took its place, its fence signals and its number counts as presented.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "icd/memory/swapchain_images.h"
#include "icd/wsi/pace.h"
#include "icd/wsi/picture.h"
#include "icd/wsi/present_timing.h"
#include "icd/wsi/target.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::icd {

struct Device;
struct Fence;
struct Image;

/// One vkQueuePresentKHR of one swapchain.
struct Present {
  uint32_t index = 0;
  VkPresentModeKHR mode = VK_PRESENT_MODE_FIFO_KHR;
  uint64_t id = 0;         ///< VK_KHR_present_id, present_id2; 0: none
  Fence* fence = nullptr;  ///< VK_KHR_swapchain_maintenance1: signalled when nothing of the present is in use any more
  TargetTime target;       ///< VK_EXT_present_timing
  uint64_t timing = 0;     ///< VK_EXT_present_timing: its result among the swapchain's; 0: none
};

struct Swapchain : SwapchainImages {
  struct Slot {
    VkDeviceMemory memory = VK_NULL_HANDLE;  ///< null until it is acquired, where allocation is deferred
    VkFence rendered = VK_NULL_HANDLE;       ///< signalled when the present's semaphores have been waited for
    enum class State { Free, Acquired, Queued, Showing } state = State::Free;
  };

  /// Creates images, memory and the thread. \returns VK_SUCCESS or what failed (destroy the object then).
  VkResult start(Device* device, const VkSwapchainCreateInfoKHR& info);
  ~Swapchain();

  /// Takes a free image; waits up to `timeoutNs`. VK_NOT_READY / VK_TIMEOUT / VK_ERROR_OUT_OF_DATE_KHR. Where the
  /// application holds all images and none can come back, no wait lasts longer than work may stand still.
  VkResult acquire(uint64_t timeoutNs, uint32_t* index);
  /// Queues an acquired image to be shown once its fence `slots[index].rendered` signals.
  VkResult present(const Present& present);
  /// vkReleaseSwapchainImagesKHR: acquired images that will not be presented.
  void release(const uint32_t* indices, uint32_t count);
  /// Waits up to `timeoutNs` until a present with that number, or a higher one, was shown. Any thread.
  VkResult waitForPresent(uint64_t id, uint64_t timeoutNs);
  /// The application created a successor: nothing more can be acquired.
  void retire();

  Device* device = nullptr;
  VkExtent2D extent{};
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkPresentModeKHR mode = VK_PRESENT_MODE_FIFO_KHR;  ///< of presents that name none
  PresentScaling scaling;
  bool opaque = true;       ///< VkCompositeAlphaFlagBitsKHR: whether nobody sees the pictures' alpha
  std::vector<Slot> slots;  ///< beside `images`
  PresentTimings timings;

 private:
  VkResult createImages(const VkSwapchainCreateInfoKHR& info);
  VkResult giveMemory(uint32_t index);
  void run();
  void sleepUntil(uint64_t ns);
  bool nextIsReady();
  bool takesItsPlace(const Present& present, uint64_t fromNs);
  bool show(const Present& present, uint64_t fromNs);
  bool carryOut(const Present& present);
  VkResult draw(const Image& image);
  VkResult drawTo(VkExtent2D window, const Image& image);
  bool onTheWay() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Present> queue_;  ///< oldest first; has room for all images, so that presenting one cannot fail
  uint64_t presentedId_ = 0;    ///< the highest number of what was shown; guarded by mutex_
  task::Thread thread_;
  std::unique_ptr<PictureTarget> target_;  ///< the thread's own
  Pace pace_;                              ///< the thread's own
  bool stopping_ = false, retired_ = false;
  std::atomic<VkResult> health_{VK_SUCCESS};  ///< what acquire and present report: success, suboptimal, lost
  void inChild();
  task::ForkHandler forkHandler_{[this] { inChild(); }};
};

}  // namespace etzel::icd
