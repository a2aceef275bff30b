#include "icd/wsi/swapchain.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "icd/entry_points.h"
#include "icd/memory/resources.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/object/extended_flags.h"
#include "icd/object/shared_memory.h"
#include "icd/queue/queue.h"
#include "icd/sync/objects.h"
#include "icd/wsi/surface.h"
#include "icd/wsi/wayland_window.h"
#include "icd/wsi/window.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {

namespace {

bool redIsLowest(VkFormat format) { return format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R8G8B8A8_SRGB; }

/// Gives the picture to the window where it lies. \returns false where it has to be copied
bool takeInPlace(PictureTarget& target, const Picture& picture, const Placement& place, const DeviceMemory& memory) {
  const bool scaled = place.width != picture.extent.width || place.height != picture.extent.height;
  if (memory.fd < 0 || picture.redIsLowest || place.x || place.y || scaled) return false;
  return target.take({memory.fd, size_t(picture.pixels - memory.data), picture.rowBytes, place.width, place.height});
}

}  // namespace

VkResult Swapchain::start(Device* owner, const VkSwapchainCreateInfoKHR& info) {
  device = owner;
  extent = info.imageExtent;
  format = info.imageFormat;
  surface = info.surface;
  mode = info.presentMode;
  opaque = info.compositeAlpha != VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
  if (const auto* s = findNext<VkSwapchainPresentScalingCreateInfoKHR>(
          info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_KHR))
    scaling = {s->scalingBehavior, s->presentGravityX, s->presentGravityY};
  if (const VkResult r = createImages(info); r != VK_SUCCESS) return r;
  if (!thread_.start("etzel-present", [this] { run(); }))
    return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no thread for a swapchain");
  return VK_SUCCESS;
}

VkResult Swapchain::createImages(const VkSwapchainCreateInfoKHR& info) {
  VkImageCreateInfo imageInfo{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
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
  if (info.flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) imageInfo.flags |= VK_IMAGE_CREATE_PROTECTED_BIT;

  const VkDevice handle = handleOf(device);
  // One image more than asked: the one on its way to the window.
  slots.resize(info.minImageCount < 3 ? 3 : info.minImageCount);
  images.resize(slots.size());
  queue_.reserve(slots.size());
  for (uint32_t i = 0; i < slots.size(); ++i) {
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkResult r = CreateImage(handle, &imageInfo, nullptr, &images[i]);
    if (r == VK_SUCCESS) showImage(*cast<Image>(images[i]), false);
    if (r == VK_SUCCESS) r = CreateFence(handle, &fence, nullptr, &slots[i].rendered);
    if (r == VK_SUCCESS)
      cast<Fence>(slots[i].rendered)->timed = info.flags & VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT;
    if (r == VK_SUCCESS && !(info.flags & VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_KHR)) r = giveMemory(i);
    if (r != VK_SUCCESS) return r;
  }
  return VK_SUCCESS;
}

VkResult Swapchain::giveMemory(uint32_t index) {
  const VkDevice handle = handleOf(device);
  VkMemoryRequirements need;
  GetImageMemoryRequirements(handle, images[index], &need);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = need.size;
  allocate.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(need.memoryTypeBits));
  // Memory that an X server can map, so that pictures need not be copied for it.
  VkExportMemoryAllocateInfo shared{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  shared.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  if (viewSurface(surface).system == SurfaceView::System::X && !redIsLowest(format) && systemSharesMemory())
    allocate.pNext = &shared;
  const auto take = [&] {
    return allocateMemory(*device, allocate, nullptr, handleOf<SwapchainImages>(this), &slots[index].memory);
  };
  VkResult r = take();
  if (r != VK_SUCCESS && std::exchange(allocate.pNext, nullptr)) r = take();  // no descriptor was left, perhaps
  return r == VK_SUCCESS ? BindImageMemory(handle, images[index], slots[index].memory, 0) : r;
}

Swapchain::~Swapchain() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  const VkDevice handle = device ? handleOf(device) : VK_NULL_HANDLE;
  for (const VkImage image : images)
    if (image) DestroyImage(handle, image, nullptr);
  for (const Slot& slot : slots) {
    if (slot.rendered) DestroyFence(handle, slot.rendered, nullptr);
    if (slot.memory) FreeMemory(handle, slot.memory, nullptr);
  }
}

// The window is the parent's, and so is the connection.
void Swapchain::inChild() {
  task::remake(mutex_), task::remake(changed_);
  thread_.forget();
  (void)target_.release();
  timings.inChild();
  health_ = VK_ERROR_SURFACE_LOST_KHR;
}

bool Swapchain::onTheWay() const {
  return std::any_of(slots.begin(), slots.end(), [](const Slot& slot) {
    return slot.state == Slot::State::Queued || slot.state == Slot::State::Showing;
  });
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
    const std::chrono::nanoseconds patience(commandTimeoutNs() ? commandTimeoutNs() : INT64_MAX / 4);
    while (!changed_.wait_for(lock, patience, find))
      if (!onTheWay())
        return ETZEL_FAIL(VK_TIMEOUT, "all %zu images are acquired, and none is presented", slots.size());
  } else if (!changed_.wait_for(lock, std::chrono::nanoseconds(timeoutNs), find)) {
    return VK_TIMEOUT;
  }
  if (retired_) return VK_ERROR_OUT_OF_DATE_KHR;
  if (health_ < 0) return health_;
  if (!slots[*index].memory)
    if (const VkResult r = giveMemory(*index); r != VK_SUCCESS) return r;
  slots[*index].state = Slot::State::Acquired;
  return health_;
}

VkResult Swapchain::present(const Present& present) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(present);
    slots[present.index].state = Slot::State::Queued;
  }
  changed_.notify_all();
  return health_;
}

void Swapchain::release(const uint32_t* indices, uint32_t count) {
  {
    std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < count && !mutated(Mutant::ReleasedImages); ++i)
      slots[indices[i]].state = Slot::State::Free;
  }
  changed_.notify_all();
}

VkResult Swapchain::waitForPresent(uint64_t id, uint64_t timeoutNs) {
  const uint64_t deadline = deadlineAfter(timeoutNs);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (presentedId_ >= id || mutated(Mutant::PresentNumbers)) return VK_SUCCESS;
    if (device->lost) return VK_ERROR_DEVICE_LOST;
    if (health_ < 0) return health_;
    if (retired_ && !onTheWay()) return VK_ERROR_OUT_OF_DATE_KHR;
    const uint64_t now = nowNs();
    if (now >= deadline) return VK_TIMEOUT;
    // Nobody tells of a lost device.
    constexpr uint64_t kLookNs = 100'000'000;
    changed_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline - now, kLookNs)));
  }
}

void Swapchain::retire() {
  std::lock_guard lock(mutex_);
  retired_ = true;
  changed_.notify_all();
}

/// Sleeps, not beyond the swapchain's end.
void Swapchain::sleepUntil(uint64_t ns) {
  if (ns <= nowNs()) return;
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, too
  const Clock::time_point until{std::chrono::nanoseconds(std::min<uint64_t>(ns, INT64_MAX))};
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return stopping_; });
}

/// Whether the picture behind the one whose turn it is could be shown now.
bool Swapchain::nextIsReady() {
  std::lock_guard lock(mutex_);
  return !queue_.empty() && Pace::due(queue_.front().target, nowNs()) &&
         GetFenceStatus(handleOf(device), slots[queue_.front().index].rendered) == VK_SUCCESS;
}

/// Whether a newer picture is there to be shown instead of this one, whose turn it is.
bool Swapchain::takesItsPlace(const Present& present, uint64_t fromNs) {
  if (present.mode == VK_PRESENT_MODE_MAILBOX_KHR) return !pace_.cycleOver(nowNs()) && nextIsReady();
  if (present.mode != VK_PRESENT_MODE_FIFO_LATEST_READY_KHR) return false;
  sleepUntil(fromNs);
  if (!nextIsReady()) return false;
  // "VK_PRESENT_MODE_FIFO_LATEST_READY_KHR": it leaves the queue all the same; in a mailbox it never does.
  timings.note(present.timing, VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT, nowNs());
  return true;
}

/// Waits for the picture's turn, and shows it. \returns false when it cannot be shown.
bool Swapchain::show(const Present& present, uint64_t fromNs) {
  sleepUntil(fromNs);
  const uint64_t at = nowNs();
  pace_.shown(present.mode, fromNs, at);
  timings.note(present.timing, VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT, at);
  const Image& image = *cast<Image>(images[present.index]);
  const VkResult drawn = withoutThrowing([&] { return draw(image); });
  if (drawn != VK_SUCCESS) health_ = drawn;
  return drawn == VK_SUCCESS;
}

/// Waits for the queue that the picture comes from, and for its turn. \returns whether it was shown.
bool Swapchain::carryOut(const Present& present) {
  const VkDevice handle = handleOf(device);
  const VkFence rendered = slots[present.index].rendered;
  const VkResult waited = WaitForFences(handle, 1, &rendered, VK_TRUE, UINT64_MAX);
  if (waited == VK_SUCCESS)
    timings.note(present.timing, VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT, cast<Fence>(rendered)->signaledNs);
  ResetFences(handle, 1, &rendered);
  if (waited != VK_SUCCESS) return false;
  const uint64_t from = std::max(pace_.turn(present.mode, present.target), nowNs());
  return !takesItsPlace(present, from) && show(present, from);
}

void Swapchain::run() {
  uint64_t passedId = 0;  // of pictures whose place others took, too: they count when those are shown
  for (;;) {
    Present next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) break;  // stopping, and everything queued was shown
      next = queue_.front();
      queue_.erase(queue_.begin());
      slots[next.index].state = Slot::State::Showing;
    }
    passedId = std::max(passedId, next.id);
    const bool shown = carryOut(next);
    timings.finish(next.timing);
    {
      std::lock_guard lock(mutex_);
      slots[next.index].state = Slot::State::Free;
      if (shown) presentedId_ = passedId;
    }
    changed_.notify_all();
    if (next.fence) next.fence->signal();
  }
  target_.reset();
}

VkResult Swapchain::draw(const Image& image) {
  const SurfaceView view = viewSurface(surface);
  if (view.system == SurfaceView::System::Headless) return VK_SUCCESS;
  if (view.system == SurfaceView::System::Wayland) {
    if (!target_) target_ = std::make_unique<WaylandTarget>(view.display, view.surface, opaque);
    return drawTo(extent, image);
  }
  if (!target_) target_ = std::make_unique<WindowTarget>(view.connection, view.window);
  // A picture that is not to be scaled covers what it covers: the server keeps the rest as it is.
  if (!scaling.behavior) return drawTo(extent, image);
  const WindowSize size = windowSize(view.connection, view.window);
  return size.alive ? drawTo({size.width, size.height}, image) : VK_ERROR_SURFACE_LOST_KHR;
}

VkResult Swapchain::drawTo(VkExtent2D window, const Image& image) {
  const mem::PlaneLayout& plane = image.layout.plane[0];
  const std::byte* const pixels = image.data + image.layout.texelOffset(plane, 0, 0, 0, 0, 0, 0);
  const Picture picture{pixels, size_t(plane.mip[0].rowPitch), extent, redIsLowest(format)};
  const Placement place = placePicture(extent, window, scaling);
  const bool whole = window.width == extent.width && window.height == extent.height;
  if (!whole || !takeInPlace(*target_, picture, place, *image.memory)) {
    std::byte* const frame = target_->frame(window.width, window.height);
    if (!frame) return target_->alive() ? VK_SUCCESS : VK_ERROR_SURFACE_LOST_KHR;
    drawPicture(picture, place, window, frame);
  }
  const WindowSize size = target_->put();
  if (!size.alive) return VK_ERROR_SURFACE_LOST_KHR;
  if (!scaling.behavior && (size.width != extent.width || size.height != extent.height)) health_ = VK_SUBOPTIMAL_KHR;
  return VK_SUCCESS;
}

}  // namespace etzel::icd
