#include "icd/wsi/swapchain.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "icd/entry_points.h"
#include "icd/memory/resources.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/object/extended_flags.h"
#include "icd/queue/queue.h"
#include "icd/wsi/surface.h"

namespace etzel::icd {

namespace {

using Clock = std::chrono::steady_clock;
// "VK_PRESENT_MODE_FIFO_KHR": one image per vertical blank. X tells no blank; 60 Hz stands in for it.
constexpr auto kRefresh = std::chrono::microseconds(16667);

bool redIsLowest(VkFormat format) { return format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R8G8B8A8_SRGB; }

/// RGBA to BGRX, one row.
void swapRedBlue(const std::byte* source, std::byte* destination, uint32_t pixels) {
  for (uint32_t i = 0; i < pixels; ++i) {
    uint32_t v;
    std::memcpy(&v, source + size_t(i) * 4, 4);
    v = (v & 0xFF00FF00u) | (v & 0xFFu) << 16 | (v >> 16 & 0xFFu);
    std::memcpy(destination + size_t(i) * 4, &v, 4);
  }
}

}  // namespace

VkResult Swapchain::start(Device* owner, const VkSwapchainCreateInfoKHR& info) {
  device = owner;
  extent = info.imageExtent;
  format = info.imageFormat;
  surface = info.surface;
  mode = info.presentMode;
  imageInfo = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  imageInfo.imageType = VK_IMAGE_TYPE_2D;
  imageInfo.format = format;
  imageInfo.extent = {extent.width, extent.height, 1};
  imageInfo.mipLevels = 1;
  imageInfo.arrayLayers = info.imageArrayLayers;
  imageInfo.samples = VK_SAMPLE_COUNT_1_BIT;
  imageInfo.tiling = VK_IMAGE_TILING_OPTIMAL;
  imageInfo.usage = extendedUsage(info.pNext, info.imageUsage);
  imageInfo.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  if (info.flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR)
    imageInfo.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;

  const VkDevice handle = handleOf(owner);
  // One image more than asked: the one on its way to the window.
  slots.resize(info.minImageCount < 3 ? 3 : info.minImageCount);
  queue_.reserve(slots.size());
  for (Slot& slot : slots) {
    VkResult r = CreateImage(handle, &imageInfo, nullptr, &slot.image);
    if (r != VK_SUCCESS) return r;
    VkMemoryRequirements need;
    GetImageMemoryRequirements(handle, slot.image, &need);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = need.size;
    r = AllocateMemory(handle, &allocate, nullptr, &slot.memory);
    if (r == VK_SUCCESS) r = BindImageMemory(handle, slot.image, slot.memory, 0);
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (r == VK_SUCCESS) r = CreateFence(handle, &fence, nullptr, &slot.rendered);
    if (r != VK_SUCCESS) return r;
  }
  if (!thread_.start("etzel-present", [this] { run(); }))
    return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no thread for a swapchain");
  return VK_SUCCESS;
}

Swapchain::~Swapchain() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  const VkDevice handle = device ? handleOf(device) : VK_NULL_HANDLE;
  for (Slot& slot : slots) {
    if (slot.rendered) DestroyFence(handle, slot.rendered, nullptr);
    if (slot.image) DestroyImage(handle, slot.image, nullptr);
    if (slot.memory) FreeMemory(handle, slot.memory, nullptr);
  }
}

// The window is the parent's, and so is the connection.
void Swapchain::inChild() {
  task::remake(mutex_), task::remake(changed_);
  thread_.forget();
  (void)target_.release();
  health_ = VK_ERROR_SURFACE_LOST_KHR;
}

VkResult Swapchain::acquire(uint64_t timeoutNs, uint32_t* index) {
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    for (uint32_t i = 0; i < slots.size(); ++i)
      if (slots[i].state == Slot::State::Free) return *index = i, true;
    return health_ < 0 || retired_;
  };
  if (timeoutNs == 0) {
    if (!find()) return VK_NOT_READY;
  } else if (timeoutNs >= uint64_t(INT64_MAX) / 2) {
    // "vkAcquireNextImageKHR": swapchains are externally synchronized, so nobody presents meanwhile, and what the
    // application holds stays there. Programs that present from another thread all the same get some time.
    const auto onTheWay = [&] {
      return std::any_of(slots.begin(), slots.end(), [](const Slot& slot) {
        return slot.state == Slot::State::Queued || slot.state == Slot::State::Showing;
      });
    };
    const std::chrono::nanoseconds patience(commandTimeoutNs() ? commandTimeoutNs() : INT64_MAX / 4);
    while (!changed_.wait_for(lock, patience, find))
      if (!onTheWay())
        return ETZEL_FAIL(VK_TIMEOUT, "all %zu images are acquired, and none is presented", slots.size());
  } else if (!changed_.wait_for(lock, std::chrono::nanoseconds(timeoutNs), find)) {
    return VK_TIMEOUT;
  }
  if (retired_) return VK_ERROR_OUT_OF_DATE_KHR;
  if (health_ < 0) return health_;
  slots[*index].state = Slot::State::Acquired;
  return health_;
}

VkResult Swapchain::present(uint32_t index) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(index);
    slots[index].state = Slot::State::Queued;
  }
  changed_.notify_all();
  return health_;
}

void Swapchain::retire() {
  std::lock_guard lock(mutex_);
  retired_ = true;
  changed_.notify_all();
}

void Swapchain::run() {
  auto nextBlank = Clock::now();
  for (;;) {
    uint32_t index;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) break;  // stopping, and everything queued was shown
      index = queue_.front();
      queue_.erase(queue_.begin());
      slots[index].state = Slot::State::Showing;
    }
    const VkDevice handle = handleOf(device);
    const VkResult waited = WaitForFences(handle, 1, &slots[index].rendered, VK_TRUE, UINT64_MAX);
    ResetFences(handle, 1, &slots[index].rendered);
    bool replaced = false;
    if (mode == VK_PRESENT_MODE_MAILBOX_KHR) {
      // A newer image that is already rendered takes this one's place.
      std::lock_guard lock(mutex_);
      replaced = !queue_.empty() && GetFenceStatus(handle, slots[queue_.front()].rendered) == VK_SUCCESS &&
                 Clock::now() < nextBlank;
    }
    if (!replaced && waited == VK_SUCCESS) {
      if (mode != VK_PRESENT_MODE_IMMEDIATE_KHR) {
        std::unique_lock lock(mutex_);
        if (mode == VK_PRESENT_MODE_FIFO_KHR) changed_.wait_until(lock, nextBlank, [&] { return stopping_; });
        nextBlank = std::max(nextBlank + kRefresh, Clock::now());
      }
      const VkResult shown =
          withoutThrowing([&] { return show(slots[index]) ? VK_SUCCESS : VK_ERROR_SURFACE_LOST_KHR; });
      if (shown != VK_SUCCESS) health_ = shown;
    }
    {
      std::lock_guard lock(mutex_);
      slots[index].state = Slot::State::Free;
    }
    changed_.notify_all();
  }
  target_.reset();
}

bool Swapchain::show(const Slot& slot) {
  const SurfaceView view = viewSurface(surface);
  if (view.headless) return true;
  const WindowSize size = windowSize(view.connection, view.window);
  if (!size.alive) return false;
  if (size.width != extent.width || size.height != extent.height) health_ = VK_SUBOPTIMAL_KHR;
  if (!target_) target_ = std::make_unique<WindowTarget>(view.connection, view.window);
  const Image& image = *cast<Image>(slot.image);
  const mem::PlaneLayout& plane = image.layout.plane[0];
  std::byte* frame = target_->frame(extent.width, extent.height);
  for (uint32_t y = 0; y < extent.height; ++y) {
    const std::byte* row = image.data + image.layout.texelOffset(plane, 0, 0, 0, 0, y, 0);
    std::byte* to = frame + size_t(y) * extent.width * 4;
    if (redIsLowest(format))
      swapRedBlue(row, to, extent.width);
    else
      std::memcpy(to, row, size_t(extent.width) * 4);
  }
  return target_->put();
}

}  // namespace etzel::icd
