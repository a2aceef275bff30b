// VK_EXT_present_timing on headless surfaces: what presents tell of their stages, in which time domains, and pictures
// that are wanted at a time.
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "cts-subset/cases/api/headless.h"
#include "cts-subset/cases/api/present_timing_structs.h"
#include "cts-subset/cases/groups.h"

namespace etzel::cts {
namespace {

/// One present's times by stage.
struct Told {
  uint64_t id = 0, targetTime = 0;
  VkTimeDomainEXT domain{};
  bool complete = false;
  std::map<uint32_t, uint64_t> ns;
};

/// A swapchain that tells the times of its presents.
struct TimedChain {
  explicit TimedChain(Gpu& device, VkPresentModeKHR mode = VK_PRESENT_MODE_FIFO_KHR) : gpu(device), surface(device) {
    gpu.requireFeatures("VK_EXT_present_timing", 1);
    gpu.requireExtension("VK_KHR_present_id2");
    surface.requireMode(mode);
    (void)surface.compatibleModes(mode, &can);
    gpu.require(can.timing, "times of presents to the surface");
    chain.emplace(surface, mode, 1, kPresentId2Bit | kPresentTimingBit);
    setSize = gpu.proc<SetTimingQueueSize>("vkSetSwapchainPresentTimingQueueSizeEXT");
    getPast = gpu.proc<GetPastTiming>("vkGetPastPresentationTimingEXT");
    TimeDomainProperties count;
    const auto getDomains = gpu.proc<GetTimeDomainProperties>("vkGetSwapchainTimeDomainPropertiesEXT");
    CTS_VK(getDomains(gpu.device, chain->handle, &count, nullptr));
    domains.resize(count.count);
    ids.resize(count.count);
    TimeDomainProperties all{.count = count.count, .domains = domains.data(), .ids = ids.data()};
    CTS_VK(getDomains(gpu.device, chain->handle, &all, nullptr));
  }
  uint64_t domainId(VkTimeDomainEXT domain) const {
    for (size_t i = 0; i < domains.size(); ++i)
      if (domains[i] == domain) return ids[i];
    throw Failure("the time domain is not among the swapchain's");
  }
  TimingInfo asking(VkFlags stages, VkTimeDomainEXT domain = kPresentStageLocal) const {
    return {.timeDomainId = domainId(domain), .stages = stages};
  }
  VkResult tryPresent(uint32_t index, uint64_t id, const TimingInfo& timing) const {
    const PresentId2 number{.count = 1, .ids = &id};
    const TimingsInfo timings{.pNext = &number, .infos = &timing};
    return chain->tryPresent(index, &timings);
  }
  void present(uint64_t id, const TimingInfo& timing) const { CTS_VK(tryPresent(chain->acquire(), id, timing)); }
  /// What is there now.
  std::vector<Told> fetch(VkFlags flags = 0, uint32_t room = 16) const {
    std::vector<PastTiming> timings(room);
    std::vector<StageTime> stages(room * 4);
    for (uint32_t i = 0; i < room; ++i) timings[i].stageCount = 4, timings[i].stages = &stages[4 * i];
    const PastTimingInfo info{.flags = flags, .swapchain = chain->handle};
    PastTimingProperties out{.count = room, .timings = timings.data()};
    const VkResult r = getPast(gpu.device, &info, &out);
    EXPECT_TRUE(r == VK_SUCCESS || r == VK_INCOMPLETE) << r;
    std::vector<Told> all;
    for (uint32_t i = 0; i < out.count; ++i) {
      const PastTiming& t = timings[i];
      all.push_back({t.presentId, t.targetTime, t.domain, t.complete == VK_TRUE, {}});
      for (uint32_t s = 0; s < t.stageCount; ++s) all.back().ns[t.stages[s].stage] = t.stages[s].time;
    }
    return all;
  }
  /// Waits for `count` complete results.
  std::vector<Told> wait(size_t count, VkFlags flags = 0) const {
    std::vector<Told> all;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kPatience);
    while (all.size() < count && std::chrono::steady_clock::now() < patience) {
      for (Told& t : fetch(flags))
        if (t.complete) all.push_back(std::move(t));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (all.size() < count) throw Failure("results of presents do not come");
    return all;
  }
  /// The clock of a domain that belongs to the swapchain.
  uint64_t now(VkTimeDomainEXT domain, uint32_t stage) const {
    const auto read = gpu.proc<PFN_vkGetCalibratedTimestampsEXT>("vkGetCalibratedTimestampsKHR");
    const SwapchainTimestampInfo of{
        .swapchain = chain->handle, .stage = domain == kPresentStageLocal ? stage : 0, .domainId = domainId(domain)};
    const VkCalibratedTimestampInfoEXT info{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, &of, domain};
    uint64_t ns = 0, deviation = 0;
    CTS_VK(read(gpu.device, 1, &info, &ns, &deviation));
    EXPECT_GT(deviation, 0u);
    return ns;
  }
  /// The last stage whose times the surface tells.
  uint32_t lastStage() const { return std::bit_floor(can.stages); }
  uint64_t cycle() const {
    TimingProperties p;
    const VkResult r =
        gpu.proc<GetTimingProperties>("vkGetSwapchainTimingPropertiesEXT")(gpu.device, chain->handle, &p, nullptr);
    EXPECT_TRUE(r == VK_SUCCESS || r == VK_NOT_READY) << r;
    return r == VK_SUCCESS && p.refreshDuration ? p.refreshDuration : 16'666'667;
  }

  Gpu& gpu;
  Surface surface;
  TimingSurfaceCapabilities can;
  std::optional<Chain> chain;
  std::vector<VkTimeDomainEXT> domains;
  std::vector<uint64_t> ids;
  SetTimingQueueSize setSize = nullptr;
  GetPastTiming getPast = nullptr;
};

void capabilities() {
  add("wsi.headless.present_timing.capabilities", [](Gpu& gpu) {
    const TimedChain timed(gpu);
    // "VkPresentTimingSurfaceCapabilitiesEXT"
    EXPECT_TRUE(timed.can.stages & kQueueOperationsEnd);
    // "VkSwapchainTimeDomainPropertiesEXT": "at least one time domain of VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT"
    EXPECT_TRUE(std::count(timed.domains.begin(), timed.domains.end(), kPresentStageLocal));
    EXPECT_EQ(std::set<uint64_t>(timed.ids.begin(), timed.ids.end()).size(), timed.ids.size()) << "numbers are unique";
    if (timed.ids.size() > 1) {
      VkTimeDomainEXT domain;
      uint64_t id, counter = ~0ull;
      TimeDomainProperties one{.count = 1, .domains = &domain, .ids = &id};
      EXPECT_EQ(gpu.proc<GetTimeDomainProperties>("vkGetSwapchainTimeDomainPropertiesEXT")(
                    gpu.device, timed.chain->handle, &one, &counter),
                VK_INCOMPLETE);
      EXPECT_EQ(one.count, 1u);
      EXPECT_NE(counter, ~0ull);
    }
    TimingProperties p;
    uint64_t counter = ~0ull;
    const VkResult r = gpu.proc<GetTimingProperties>("vkGetSwapchainTimingPropertiesEXT")(
        gpu.device, timed.chain->handle, &p, &counter);
    EXPECT_TRUE(r == VK_SUCCESS || r == VK_NOT_READY) << r;
    EXPECT_NE(counter, ~0ull);
    // "VkSwapchainTimingPropertiesEXT": the interval is a factor of the duration, or stands for a rate that varies.
    if (p.refreshDuration && p.refreshInterval && p.refreshInterval != UINT64_MAX) {
      EXPECT_EQ(p.refreshDuration % p.refreshInterval, 0u);
    }
  });
}

void queues() {
  add("wsi.headless.present_timing.queue", [](Gpu& gpu) {
    const TimedChain timed(gpu);
    const VkSwapchainKHR chain = timed.chain->handle;
    const TimingInfo asking = timed.asking(kQueueOperationsEnd);
    // "VkPresentTimingInfoEXT": without room presentation fails, and the application may ask for less.
    uint32_t index = timed.chain->acquire();
    EXPECT_EQ(timed.tryPresent(index, 1, asking), kTimingQueueFull) << "nobody asked for room";
    CTS_VK(timed.tryPresent(index, 1, timed.asking(0)));
    CTS_VK(timed.setSize(gpu.device, chain, 1));
    CTS_VK(timed.setSize(gpu.device, chain, 3));
    CTS_VK(timed.setSize(gpu.device, chain, 2));
    for (uint64_t id = 2; id <= 3; ++id) timed.present(id, asking);
    index = timed.chain->acquire();
    EXPECT_EQ(timed.tryPresent(index, 4, asking), kTimingQueueFull);
    EXPECT_EQ(timed.setSize(gpu.device, chain, 1), VK_NOT_READY);
    CTS_VK(timed.setSize(gpu.device, chain, 3));
    CTS_VK(timed.tryPresent(index, 4, asking));
    std::vector<Told> told = timed.wait(3);
    for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(told[i].id, i + 2);
    EXPECT_TRUE(timed.fetch().empty()) << "results are given once";
    CTS_VK(timed.setSize(gpu.device, chain, 1));
    for (uint64_t id = 5; id < 8; ++id) {
      timed.present(id, asking);
      told = timed.wait(1);
      ASSERT_EQ(told.size(), 1u);
      EXPECT_EQ(told[0].id, id);
    }
  });
  add("wsi.headless.present_timing.counting", [](Gpu& gpu) {
    const TimedChain timed(gpu);
    CTS_VK(timed.setSize(gpu.device, timed.chain->handle, 3));
    for (uint64_t id = 1; id <= 3; ++id) timed.present(id, timed.asking(kQueueOperationsEnd));
    const PastTimingInfo info{.swapchain = timed.chain->handle};
    PastTimingProperties out;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kPatience);
    do {
      out = {.propertiesCounter = ~0ull, .domainsCounter = ~0ull};
      CTS_VK(timed.getPast(gpu.device, &info, &out));
    } while (out.count < 3 && std::chrono::steady_clock::now() < patience);
    EXPECT_EQ(out.count, 3u);
    EXPECT_NE(out.propertiesCounter, ~0ull);
    EXPECT_NE(out.domainsCounter, ~0ull);
    // "vkGetPastPresentationTimingEXT": with too little room some are given, the rest later.
    for (uint64_t id = 1; id <= 3; ++id) {
      const std::vector<Told> told = timed.fetch(0, 1);
      ASSERT_EQ(told.size(), 1u);
      EXPECT_EQ(told[0].id, id);
    }
  });
}

constexpr struct {
  const char* name;
  VkPresentModeKHR mode;
  bool shownAll;  ///< no picture takes another's place
} kModes[] = {{"immediate", VK_PRESENT_MODE_IMMEDIATE_KHR, true},
              {"mailbox", VK_PRESENT_MODE_MAILBOX_KHR, false},
              {"fifo", VK_PRESENT_MODE_FIFO_KHR, true},
              {"fifo_relaxed", VK_PRESENT_MODE_FIFO_RELAXED_KHR, true},
              {"fifo_latest_ready", kLatestReady, false}};

void stages() {
  for (const auto& m : kModes)
    add(text("wsi.headless.present_timing.stages.%s", m.name), [=](Gpu& gpu) {
      const TimedChain timed(gpu, m.mode);
      CTS_VK(timed.setSize(gpu.device, timed.chain->handle, 6));
      for (uint64_t id = 1; id <= 6; ++id) timed.present(10 * id, timed.asking(kAllStages));
      const std::vector<Told> told = timed.wait(6);
      std::map<uint32_t, uint64_t> before;
      for (uint64_t i = 0; i < 6; ++i) {
        EXPECT_EQ(told[i].id, 10 * i + 10);
        // "VkPastPresentationTimingEXT": all stages that were asked for, with 0 where nothing is known.
        EXPECT_EQ(told[i].ns.size(), 4u);
        uint64_t earlier = 0;
        for (const auto& [stage, ns] : told[i].ns) {
          const bool tells = timed.can.stages & stage && (m.shownAll || stage == kQueueOperationsEnd);
          EXPECT_TRUE(ns || !tells) << "stage " << stage << " of present " << i;
          if (!ns) continue;
          EXPECT_GT(ns, before[stage]) << "presents come to stage " << stage << " one after the other";
          EXPECT_GE(ns, earlier) << "stage " << stage << " is before an earlier one";
          before[stage] = earlier = ns;
        }
      }
    });
}

void domains() {
  for (const auto& [name, domain] : {std::pair{"stage_local", kPresentStageLocal},
                                     {"swapchain_local", kSwapchainLocal},
                                     {"device", VK_TIME_DOMAIN_DEVICE_EXT},
                                     {"monotonic", VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}})
    add(text("wsi.headless.present_timing.domain.%s", name), [domain = domain](Gpu& gpu) {
      const TimedChain timed(gpu);
      gpu.requireExtension("VK_KHR_calibrated_timestamps");
      gpu.require(std::count(timed.domains.begin(), timed.domains.end(), domain), "time domain");
      const auto calibrateable = timed.surface.proc<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT>(
          "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR");
      uint32_t count = 16;
      VkTimeDomainEXT found[16];
      CTS_VK(calibrateable(gpu.physical, &count, found));
      gpu.require(std::count(found, found + count, domain), "calibration of the time domain");
      CTS_VK(timed.setSize(gpu.device, timed.chain->handle, 1));
      for (uint64_t id = 1; id <= 3; ++id) {
        std::map<uint32_t, uint64_t> before;
        for (uint32_t stage = 1; stage <= 8; stage *= 2) before[stage] = timed.now(domain, stage);
        timed.present(id, timed.asking(timed.can.stages, domain));
        const Told told = timed.wait(1)[0];
        EXPECT_EQ(told.domain, domain);
        for (const auto& [stage, ns] : told.ns) {
          EXPECT_GE(ns, before[stage]);
          EXPECT_LE(ns, timed.now(domain, stage));
        }
      }
    });
}

/// Five pictures that are wanted 60 ms apart, in times of the last stage that the surface tells.
void presentAt(Gpu& gpu, VkPresentModeKHR mode, bool relative, bool nearest) {
  constexpr uint64_t kApart = 60'000'000;
  gpu.requireFeatures("VK_EXT_present_timing", 3);
  const TimedChain timed(gpu, mode);
  gpu.require(relative ? timed.can.relative : timed.can.absolute, "target times of the surface");
  gpu.requireExtension("VK_KHR_calibrated_timestamps");
  CTS_VK(timed.setSize(gpu.device, timed.chain->handle, 8));
  const uint32_t stage = timed.lastStage();
  TimingInfo asking = timed.asking(stage);
  asking.targetStage = stage;
  timed.present(1, asking);
  const uint64_t first = timed.wait(1)[0].ns.at(stage);
  asking.flags = (relative ? kRelativeTime : 0) | (nearest ? kNearestCycle : 0);
  for (uint64_t i = 1; i <= 5; ++i) {
    asking.targetTime = relative ? kApart : first + i * kApart;
    timed.present(1 + i, asking);
  }
  const std::vector<Told> told = timed.wait(5);
  // "VkPresentTimingInfoEXT": times are those of the first visible pixel, which what is told here may precede by a
  // cycle.
  const uint64_t margin = (stage == kFirstPixelVisible ? 0 : timed.cycle()) + (nearest ? timed.cycle() / 2 : 0);
  uint64_t before = first;
  for (uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(told[i].id, i + 2);
    EXPECT_EQ(told[i].targetTime, relative ? kApart : first + (i + 1) * kApart);
    const uint64_t ns = told[i].ns.at(stage), wanted = relative ? before + kApart : told[i].targetTime;
    if (mode == kLatestReady && !ns) continue;  // its place was taken
    EXPECT_GE(ns + margin, wanted) << "picture " << i << " is " << wanted - ns << " ns early";
    before = ns;
  }
}

void targets() {
  for (const auto& m : kModes) {
    // "VkPresentTimingsInfoEXT": only these modes have target times.
    if (m.mode == VK_PRESENT_MODE_IMMEDIATE_KHR || m.mode == VK_PRESENT_MODE_MAILBOX_KHR) continue;
    for (const bool relative : {false, true})
      for (const bool nearest : {false, true})
        add(text("wsi.headless.present_timing.%s%s.%s", relative ? "relative" : "absolute", nearest ? "_nearest" : "",
                 m.name),
            [=](Gpu& gpu) { presentAt(gpu, m.mode, relative, nearest); });
  }
  add("wsi.headless.present_timing.partial", [](Gpu& gpu) {
    gpu.requireFeatures("VK_EXT_present_timing", 3);
    const TimedChain timed(gpu);
    gpu.require(timed.can.relative, "target times of the surface");
    CTS_VK(timed.setSize(gpu.device, timed.chain->handle, 4));
    timed.present(1, timed.asking(timed.can.stages));
    TimingInfo late = timed.asking(timed.can.stages);
    late.flags = kRelativeTime;
    late.targetTime = 150'000'000;
    timed.present(2, late);
    timed.present(3, timed.asking(timed.can.stages));
    std::vector<uint64_t> complete;
    std::map<uint64_t, uint64_t> parts;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kPatience);
    while (complete.size() < 3 && std::chrono::steady_clock::now() < patience) {
      for (const Told& t : timed.fetch(kPartialResults | kAnyOrder)) {
        EXPECT_GE(t.ns.size(), 1u);
        if (t.complete) complete.push_back(t.id);
        // "VkPastPresentationTimingPropertiesEXT": what is incomplete comes again until it is complete.
        EXPECT_FALSE(!t.complete && std::count(complete.begin(), complete.end(), t.id));
        EXPECT_TRUE(!t.complete || t.ns.size() == size_t(std::popcount(timed.can.stages)));
        if (t.ns.count(kQueueOperationsEnd)) {
          uint64_t& known = parts[t.id];
          EXPECT_TRUE(!known || known == t.ns.at(kQueueOperationsEnd)) << "a time that changes";
          known = t.ns.at(kQueueOperationsEnd);
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(std::set<uint64_t>(complete.begin(), complete.end()), (std::set<uint64_t>{1, 2, 3}));
  });
  add("wsi.headless.present_timing.retired", [](Gpu& gpu) {
    const TimedChain timed(gpu);
    CTS_VK(timed.setSize(gpu.device, timed.chain->handle, 4));
    for (uint64_t id = 1; id <= 4; ++id) timed.present(id, timed.asking(kQueueOperationsEnd));
    VkSwapchainCreateInfoKHR next = timed.chain->info;
    next.oldSwapchain = timed.chain->handle;
    VkSwapchainKHR successor = VK_NULL_HANDLE;
    CTS_VK(vkCreateSwapchainKHR(gpu.device, &next, nullptr, &successor));
    gpu.later([&gpu, successor] { vkDestroySwapchainKHR(gpu.device, successor, nullptr); });
    EXPECT_EQ(timed.wait(4).size(), 4u);
  });
}

}  // namespace

void registerPresentTiming() {
  capabilities();
  queues();
  stages();
  domains();
  targets();
}

}  // namespace etzel::cts
