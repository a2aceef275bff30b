// Swapchains: ordinary images, and a thread that shows them. vkQueuePresentKHR submits the wait on the application's
// semaphores and returns; the thread waits for that, then puts the picture on the window at the mode's pace.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "icd/object/object.h"
#include "icd/wsi/window.h"
#include "runtime/task/fork.h"
#include "runtime/task/thread.h"

namespace etzel::icd {

struct Device;

struct Swapchain : Object {
  using Handle = VkSwapchainKHR;

  struct Slot {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkFence rendered = VK_NULL_HANDLE;  ///< signalled when the present's semaphores have been waited for
    enum class State { Free, Acquired, Queued, Showing } state = State::Free;
  };

  /// Creates images, memory and the thread. \returns VK_SUCCESS or what failed (destroy the object then).
  VkResult start(Device* device, const VkSwapchainCreateInfoKHR& info);
  ~Swapchain();

  /// Takes a free image; waits up to `timeoutNs`. VK_NOT_READY / VK_TIMEOUT / VK_ERROR_OUT_OF_DATE_KHR. Where the
  /// application holds all images and none can come back, no wait lasts longer than work may stand still.
  VkResult acquire(uint64_t timeoutNs, uint32_t* index);
  /// Queues an acquired image to be shown once its fence `slots[index].rendered` signals.
  VkResult present(uint32_t index);
  /// The application created a successor: nothing more can be acquired.
  void retire();

  Device* device = nullptr;
  VkExtent2D extent{};
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkPresentModeKHR mode = VK_PRESENT_MODE_FIFO_KHR;
  VkImageCreateInfo imageInfo{};  ///< for VkImageSwapchainCreateInfoKHR
  std::vector<Slot> slots;

 private:
  void run();
  bool show(const Slot& slot);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint32_t> queue_;  ///< oldest first; has room for all images, so that presenting one cannot fail
  task::Thread thread_;
  std::unique_ptr<WindowTarget> target_;  ///< the thread's own
  bool stopping_ = false, retired_ = false;
  std::atomic<VkResult> health_{VK_SUCCESS};  ///< what acquire and present report: success, suboptimal, lost
  void inChild();
  task::ForkHandler forkHandler_{[this] { inChild(); }};
};

}  // namespace etzel::icd
