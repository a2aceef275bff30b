// Headless surfaces and their swapchains: every present mode, fences and numbers of presents, images that are released,
// that get memory late, or that share the memory of other images.
#include "cts-subset/cases/api/headless.h"
#include "cts-subset/cases/api/present_timing_structs.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

// Not all headers have it.
struct PresentWait2 {
  VkStructureType sType = VkStructureType(1000480002);
  const void* pNext = nullptr;
  uint64_t id, timeout;
};

struct Mode {
  const char* name;
  VkPresentModeKHR mode;
};
constexpr Mode kModes[] = {{"immediate", VK_PRESENT_MODE_IMMEDIATE_KHR},
                           {"mailbox", VK_PRESENT_MODE_MAILBOX_KHR},
                           {"fifo", VK_PRESENT_MODE_FIFO_KHR},
                           {"fifo_relaxed", VK_PRESENT_MODE_FIFO_RELAXED_KHR},
                           {"fifo_latest_ready", kLatestReady}};

void swapchains() {
  for (const Mode& m : kModes)
    for (uint32_t extra : {0u, 2u})
      add(text("wsi.headless.swapchain.%s.extra%u", m.name, extra), [=](Gpu& gpu) {
        const Surface surface(gpu);
        const VkSurfaceCapabilitiesKHR& can = surface.capabilities;
        EXPECT_GE(can.minImageCount, 1u);
        EXPECT_TRUE(can.maxImageCount == 0 || can.maxImageCount >= can.minImageCount);
        EXPECT_TRUE(can.supportedUsageFlags & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        // "VK_PRESENT_MODE_FIFO_KHR … is the only value of presentMode that is required to be supported."
        EXPECT_TRUE(surface.offers(VK_PRESENT_MODE_FIFO_KHR));
        surface.requireMode(m.mode);
        const Chain chain(surface, m.mode, extra);
        for (int frame = 0; frame < 6; ++frame) chain.present(chain.acquire());
      });
}

void presentFences() {
  for (const Mode& m : kModes)
    add(text("wsi.headless.present_fence.%s", m.name), [=](Gpu& gpu) {
      gpu.requireExtension("VK_EXT_swapchain_maintenance1");
      const Surface surface(gpu);
      surface.requireMode(m.mode);
      const Chain chain(surface, m.mode);
      std::vector<VkFence> fences;
      for (int frame = 0; frame < 6; ++frame) {
        // Every third present has none.
        VkFence fence = frame % 3 == 1 ? VK_NULL_HANDLE : chain.makeFence();
        if (fence) fences.push_back(fence);
        const VkSwapchainPresentFenceInfoEXT next{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT, nullptr, 1,
                                                  &fence};
        chain.present(chain.acquire(), &next);
      }
      // Fences of a swapchain signal in the order of its presents.
      CTS_VK(vkWaitForFences(gpu.device, 1, &fences.back(), VK_TRUE, kPatience));
      for (const VkFence fence : fences) EXPECT_EQ(vkGetFenceStatus(gpu.device, fence), VK_SUCCESS);
    });
}

void changedModes() {
  for (const Mode& m : kModes)
    add(text("wsi.headless.compatible_modes.%s", m.name), [=](Gpu& gpu) {
      gpu.requireExtension("VK_EXT_swapchain_maintenance1");
      const Surface surface(gpu);
      surface.requireMode(m.mode);
      VkSurfacePresentScalingCapabilitiesEXT scaling{VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT};
      const std::vector<VkPresentModeKHR> others = surface.compatibleModes(m.mode, &scaling);
      EXPECT_TRUE(std::count(others.begin(), others.end(), m.mode)) << "a mode is compatible with itself";
      EXPECT_EQ(surface.compatibleModes(m.mode, nullptr, 1), std::vector{m.mode}) << "left out for lack of room";
      for (const VkPresentModeKHR other : others) {
        EXPECT_TRUE(surface.offers(other));
        const std::vector<VkPresentModeKHR> back = surface.compatibleModes(other);
        EXPECT_TRUE(std::count(back.begin(), back.end(), m.mode)) << "compatible in one direction only";
      }
      // "VkSurfacePresentScalingCapabilitiesEXT": extents of scaled images are no narrower than the surface's.
      EXPECT_LE(scaling.minScaledImageExtent.width, surface.capabilities.minImageExtent.width);
      EXPECT_GE(scaling.maxScaledImageExtent.height, surface.capabilities.maxImageExtent.height);
      const VkSwapchainPresentModesCreateInfoEXT list{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT,
                                                      nullptr, uint32_t(others.size()), others.data()};
      const Chain chain(surface, m.mode, 1, 0, &list);
      for (size_t frame = 0; frame < 2 * others.size(); ++frame) {
        const VkSwapchainPresentModeInfoEXT next{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT, nullptr, 1,
                                                 &others[frame / 2]};
        chain.present(chain.acquire(), frame % 2 ? nullptr : &next);
      }
    });
}

void images() {
  add("wsi.headless.deferred_allocation", [](Gpu& gpu) {
    gpu.requireExtension("VK_EXT_swapchain_maintenance1");
    const Surface surface(gpu);
    const Chain chain(surface, VK_PRESENT_MODE_FIFO_KHR, 0, VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT);
    for (int frame = 0; frame < 4; ++frame) {
      const uint32_t index = chain.acquire();
      chain.expectClear(chain.images[index], chain.images[index]);
      chain.present(index);
    }
  });
  for (const bool deferred : {false, true})
    add(text("wsi.headless.bind_to_swapchain.%s", deferred ? "deferred" : "plain"), [=](Gpu& gpu) {
      if (deferred) gpu.requireExtension("VK_EXT_swapchain_maintenance1");
      const Surface surface(gpu);
      const Chain chain(surface, VK_PRESENT_MODE_FIFO_KHR, 1,
                        deferred ? VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT : 0);
      const uint32_t held = chain.acquire(),
                     index = chain.acquire();  // two of them, so that it is not always the first
      const VkImageSwapchainCreateInfoKHR of{VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, nullptr, chain.handle};
      VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, &of};
      info.imageType = VK_IMAGE_TYPE_2D;
      info.format = chain.info.imageFormat;
      info.extent = {64, 64, 1};
      info.mipLevels = info.arrayLayers = 1;
      info.samples = VK_SAMPLE_COUNT_1_BIT;
      info.usage = chain.info.imageUsage;
      VkImage image;
      CTS_VK(vkCreateImage(gpu.device, &info, nullptr, &image));
      gpu.later([&gpu, image] { vkDestroyImage(gpu.device, image, nullptr); });
      const VkBindImageMemorySwapchainInfoKHR to{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, nullptr,
                                                 chain.handle, index};
      const VkBindImageMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &to, image};
      CTS_VK(vkBindImageMemory2(gpu.device, 1, &bind));
      chain.expectClear(image, chain.images[index]);
      chain.present(index);
      chain.present(held);
    });
  add("wsi.headless.release_images", [](Gpu& gpu) {
    gpu.requireExtension("VK_EXT_swapchain_maintenance1");
    const Surface surface(gpu);
    const Chain chain(surface, VK_PRESENT_MODE_FIFO_KHR, 2);
    const auto release = gpu.proc<PFN_vkReleaseSwapchainImagesEXT>("vkReleaseSwapchainImagesEXT");
    for (int round = 0; round < 3; ++round) {
      std::vector<uint32_t> held;
      for (uint32_t i = 0; i < 3; ++i) held.push_back(chain.acquire());
      EXPECT_NE(held[0], held[1]);
      const VkReleaseSwapchainImagesInfoEXT info{VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT, nullptr,
                                                 chain.handle, 2, held.data()};
      CTS_VK(release(gpu.device, &info));
      chain.present(held[2]);
    }
  });
}

/// Presents 1 to 4, waits for 3, for 4, and for one that never comes.
template <class Wait>
void waitForNumbers(Gpu& gpu, bool second, Wait wait) {
  const Surface surface(gpu);
  // VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR, VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR
  const Chain chain(surface, VK_PRESENT_MODE_FIFO_KHR, 0, second ? 1u << 6 | 1u << 7 : 0);
  for (uint64_t id = 1; id <= 4; ++id) {
    const VkPresentIdKHR first{VK_STRUCTURE_TYPE_PRESENT_ID_KHR, nullptr, 1, &id};
    const PresentId2 next{.count = 1, .ids = &id};
    chain.present(chain.acquire(), second ? static_cast<const void*>(&next) : &first);
  }
  EXPECT_EQ(wait(chain.handle, 3, kPatience), VK_SUCCESS);
  EXPECT_EQ(wait(chain.handle, 4, kPatience), VK_SUCCESS);
  EXPECT_EQ(wait(chain.handle, 1, uint64_t(0)), VK_SUCCESS);
  EXPECT_EQ(wait(chain.handle, 5, uint64_t(0)), VK_TIMEOUT);
  EXPECT_EQ(wait(chain.handle, 5, uint64_t(2'000'000)), VK_TIMEOUT);
}

void presentNumbers() {
  add("wsi.headless.present_wait.first", [](Gpu& gpu) {
    gpu.requireExtension("VK_KHR_present_id");
    gpu.requireExtension("VK_KHR_present_wait");
    const auto wait = gpu.proc<PFN_vkWaitForPresentKHR>("vkWaitForPresentKHR");
    waitForNumbers(gpu, false, [&](VkSwapchainKHR chain, uint64_t id, uint64_t timeout) {
      return wait(gpu.device, chain, id, timeout);
    });
  });
  add("wsi.headless.present_wait.second", [](Gpu& gpu) {
    gpu.requireExtension("VK_KHR_present_id2");
    gpu.requireExtension("VK_KHR_present_wait2");
    const auto wait =
        gpu.proc<VkResult(VKAPI_PTR*)(VkDevice, VkSwapchainKHR, const PresentWait2*)>("vkWaitForPresent2KHR");
    waitForNumbers(gpu, true, [&](VkSwapchainKHR chain, uint64_t id, uint64_t timeout) {
      const PresentWait2 info{.id = id, .timeout = timeout};
      return wait(gpu.device, chain, &info);
    });
  });
}

}  // namespace

void registerWsi() {
  swapchains();
  presentFences();
  changedModes();
  images();
  presentNumbers();
}

}  // namespace etzel::cts
