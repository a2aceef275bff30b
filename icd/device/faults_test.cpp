// Why devices are lost: one report for whoever asks first, messages as they were given, and a limit on what is kept.
#include "icd/object/faults.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "icd/object/device.h"
#include "icd/queue/queue.h"
#include "runtime/abi/kernel.h"

namespace etzel::icd {
namespace {

class FaultsTest : public testing::Test {
 protected:
  FaultsTest() {
    device.pool = std::make_unique<task::Pool>(1);
    for (LaneWords& w : sys) w = {};
    kernel.info.stage = abi::Stage::Compute;
    warp.kernel = &kernel, warp.sys = sys.data();
  }
  ~FaultsTest() override { device.queues.clear(); }

  /// A message of `size` bytes whose second word is the lane's number.
  void abort(LaneMask lanes, size_t size = 9) {
    abi::AbortMessage m;
    m.bytes.assign(size, 'x');
    LaneWords number;
    for (uint32_t i = 0; i < kWarpLanes; ++i) number[i] = 100 + i;
    device.faults.say(warp, lanes, 1, {&number, 1});
    device.faults.abort(warp, lanes, m);
  }
  /// The message data; `room` bytes, or as many as are asked for.
  std::vector<uint8_t> data(VkResult want = VK_SUCCESS, uint64_t room = ~0ull) {
    VkDeviceFaultShaderAbortMessageInfoKHR info{VK_STRUCTURE_TYPE_DEVICE_FAULT_SHADER_ABORT_MESSAGE_INFO_KHR};
    VkDeviceFaultDebugInfoKHR debug{VK_STRUCTURE_TYPE_DEVICE_FAULT_DEBUG_INFO_KHR, &info, 5, nullptr};
    EXPECT_EQ(device.faults.debugInfo(&debug), VK_SUCCESS);
    EXPECT_EQ(debug.vendorBinarySize, 0u);
    std::vector<uint8_t> out(std::min(room, info.messageDataSize));
    info.messageDataSize = out.size(), info.pMessageData = out.data();
    EXPECT_EQ(device.faults.debugInfo(&debug), want);
    out.resize(info.messageDataSize);
    return out;
  }
  VkResult report(VkDeviceFaultInfoKHR* info = nullptr, uint64_t timeoutNs = 0) {
    uint32_t count = 1;
    return device.faults.reports(timeoutNs, &count, info);
  }

  Device device;
  abi::Kernel kernel;
  abi::Warp warp;
  std::vector<LaneWords> sys = std::vector<LaneWords>(abi::kSysValueCount);
};

TEST_F(FaultsTest, TimeoutsAreReportedOnce) {
  VkDeviceFaultInfoKHR info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_KHR};
  EXPECT_EQ(report(&info), VK_TIMEOUT);
  EXPECT_EQ(device.faults.lose(FaultCause::Timeout, 250, "too long"), VK_ERROR_DEVICE_LOST);
  EXPECT_TRUE(device.lost);
  EXPECT_EQ(device.faults.lose(FaultCause::NoMemory, 0, "later"), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(report(&info), VK_SUCCESS);
  EXPECT_EQ(info.flags, VkFlags(VK_DEVICE_FAULT_FLAG_DEVICE_LOST_KHR | VK_DEVICE_FAULT_FLAG_VENDOR_KHR |
                                VK_DEVICE_FAULT_FLAG_WATCHDOG_TIMEOUT_KHR));
  EXPECT_STREQ(info.description, "too long");
  EXPECT_EQ(info.vendorInfo.vendorFaultCode, 1u);
  EXPECT_EQ(info.vendorInfo.vendorFaultData, 250u);
  EXPECT_EQ(report(&info), VK_TIMEOUT);
  EXPECT_TRUE(data().empty());
}

TEST_F(FaultsTest, WhoWaitsIsWokenAndOneOfThemGetsIt) {
  std::atomic<int> got{0};
  std::atomic<bool> lost{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      VkDeviceFaultInfoKHR info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_KHR};
      VkResult result = VK_TIMEOUT;
      for (bool last = false; result == VK_TIMEOUT && !last;) {
        last = lost;  // however long that takes on a busy machine
        result = report(&info, 1'000'000'000);
      }
      got += result == VK_SUCCESS;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  device.faults.lose(FaultCause::NoMemory, 0, "none");
  lost = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(got, 1);
}

TEST_F(FaultsTest, AbortsAreReportedWhenTheirBatchHasEnded) {
  device.queues.push_back(std::make_unique<Queue>(&device, 0, 0));
  abort(0x24);
  EXPECT_TRUE(device.lost);
  EXPECT_EQ(report(), VK_TIMEOUT);
  device.faults.settle();
  abort(0x01);  // too late
  VkDeviceFaultInfoKHR info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_KHR};
  EXPECT_EQ(report(&info), VK_SUCCESS);
  EXPECT_EQ(info.vendorInfo.vendorFaultCode, 3u);
  EXPECT_EQ(std::string(info.description).find("compute shader, "), 0u) << info.description;
  std::vector<uint8_t> want(24 + 17, 0);
  for (const size_t at : {0, 24}) {
    want[at] = 9;
    std::fill_n(want.begin() + static_cast<std::ptrdiff_t>(at) + 8, 9, uint8_t('x'));
    want[at + 12] = at ? 105 : 102, want[at + 13] = want[at + 14] = want[at + 15] = 0;
  }
  EXPECT_EQ(data(), want);
  EXPECT_EQ(data(VK_INCOMPLETE, 40).size(), 17u);
  EXPECT_TRUE(data(VK_INCOMPLETE, 16).empty());
}

TEST_F(FaultsTest, TheFirstMessageIsKeptWhateverItsSizeAndOthersToALimit) {
  abort(1, Faults::kMessageBytes + 8);
  abort(0xFE);
  EXPECT_EQ(data().size(), Faults::kMessageBytes + 16);
}

TEST_F(FaultsTest, ManyMessagesStopAtALimit) {
  for (int i = 0; i < 400; ++i) abort(1, 8);
  EXPECT_EQ(data().size(), 16 * (Faults::kMessages + 1));
}

TEST_F(FaultsTest, TheOlderExtensionTellsTheSameAgain) {
  VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT, nullptr, 4, 4, 4};
  EXPECT_EQ(device.faults.info(&counts, nullptr), VK_SUCCESS);
  EXPECT_EQ(counts.vendorInfoCount, 0u);
  device.faults.lose(FaultCause::NoMemory, 0, "none");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(device.faults.info(&counts, nullptr), VK_SUCCESS);
    EXPECT_EQ(counts.vendorInfoCount, 1u);
    VkDeviceFaultVendorInfoEXT vendor{};
    VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
    info.pVendorInfos = &vendor;
    EXPECT_EQ(device.faults.info(&counts, &info), VK_SUCCESS);
    EXPECT_STREQ(info.description, "none");
    EXPECT_EQ(vendor.vendorFaultCode, 2u);
    counts.vendorInfoCount = 0;
    EXPECT_EQ(device.faults.info(&counts, &info), VK_INCOMPLETE);
  }
}

TEST(DescribeAbort, ShowsTextWordsAndPlace) {
  abi::AbortMessage m;
  m.textAt = 4, m.textBytes = 6, m.file = "a.comp", m.line = 12;
  const std::string bytes = std::string("\1\0\0\0test\0\xff", 10) + std::string("\0\0\7\0\0\0\2\0", 8);
  m.bytes = bytes;
  EXPECT_EQ(describeAbort("somebody", m, bytes), "somebody aborts at a.comp:12: \"test\" 00000007 00000002");
  EXPECT_EQ(describeAbort("somebody", {}, std::string(4, '\1')), "somebody aborts: 01010101");
  EXPECT_EQ(describeAbort("somebody", {}, ""), "somebody aborts");
  const std::string many = describeAbort("somebody", {}, std::string(400, '\0'));
  EXPECT_TRUE(many.ends_with(" 00000000 ...")) << many;
}

}  // namespace
}  // namespace etzel::icd
