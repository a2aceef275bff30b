#include "runtime/task/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "runtime/abi/groups_abreast.h"

namespace etzel::task {
namespace {

using abi::SysValue;

// A kernel in C++: pass 1 adds each invocation's index to shared memory, pass 2 (after the barrier) publishes the sum.
struct SumKernel : abi::Kernel {
  static inline std::vector<std::atomic<uint32_t>>* sums = nullptr;
  static inline std::atomic<uint64_t> globalIds{0};
  static abi::WarpStatus entry(const void*, abi::Warp* w) {
    auto sys = [&](abi::SysValue v) -> LaneWords& { return w->sys[uint32_t(v)]; };
    uint32_t* sum = reinterpret_cast<uint32_t*>(w->shared);
    if (w->resume == 0) {
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        if (!(w->active >> i & 1)) continue;
        EXPECT_EQ(sys(abi::SysValue::LocalIndex)[i],
                  sys(abi::SysValue::LocalIdX)[i] + 3 * sys(abi::SysValue::LocalIdY)[i]);
        *sum += sys(abi::SysValue::LocalIndex)[i];
        globalIds.fetch_add(sys(abi::SysValue::GlobalIdX)[i] + 1000 * sys(abi::SysValue::GlobalIdY)[i]);
      }
      w->resume = 1;
      return abi::WarpStatus::AtBarrier;
    }
    const uint32_t group = sys(abi::SysValue::WorkgroupIdX)[0] + 4 * sys(abi::SysValue::WorkgroupIdY)[0];
    if (sys(abi::SysValue::SubgroupId)[0] == 0) (*sums)[group].fetch_add(*sum);
    return abi::WarpStatus::Done;
  }
  abi::Executable exe{entry, nullptr};
  SumKernel() {
    info.localSize[0] = 3, info.localSize[1] = 5;  // 15 invocations: a full warp and one of seven
    info.usesBarrier = true;
    info.sysValues = ~0ull;
    sharedBytes = 4;
    executable = &exe;
  }
};

TEST(Dispatch, BarriersSeparateRegionsAndIdsAreRight) {
  for (uint32_t threads : {1u, 3u}) {
    Pool pool(threads);
    SumKernel kernel;
    std::vector<std::atomic<uint32_t>> sums(4 * 8);
    SumKernel::sums = &sums;
    SumKernel::globalIds = 0;
    abi::DispatchContext context;
    DispatchSize size{{0, 0, 0}, {4, 8, 1}};
    EXPECT_TRUE(dispatch(pool, kernel, context, size));
    for (auto& s : sums) EXPECT_EQ(s.load(), 105u);
    uint64_t expected = 0;
    for (uint32_t y = 0; y < 40; ++y)
      for (uint32_t x = 0; x < 12; ++x) expected += x + 1000 * y;
    EXPECT_EQ(SumKernel::globalIds.load(), expected);
    EXPECT_EQ(kernel.warpsRun.load(), 64u);
  }
}

TEST(Dispatch, TheWatchdogStopsIt) {
  Pool pool(2);
  SumKernel kernel;
  std::vector<std::atomic<uint32_t>> sums(4 * 8);
  SumKernel::sums = &sums;
  std::atomic<uint32_t> cancel{1};
  abi::DispatchContext context;
  context.cancel = &cancel;
  EXPECT_FALSE(dispatch(pool, kernel, context, {{0, 0, 0}, {4, 8, 1}}));
}

TEST(Dispatch, LanesOfWorkgroupsAbreastAreThoseSideBySide) {
  // Ten workgroups of 1 x 3 from (5, 7) on: eight and two run as one.
  static std::vector<uint32_t> seen;
  seen.clear();
  abi::Executable executable;
  executable.entry = [](const void*, abi::Warp* warp) {
    const auto of = [&](SysValue v, uint32_t lane) { return warp->sys[static_cast<uint32_t>(v)][lane]; };
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      if (!(warp->active >> lane & 1)) continue;
      EXPECT_EQ(of(SysValue::WorkgroupIdX, lane), of(SysValue::GlobalIdX, lane));
      EXPECT_EQ(of(SysValue::WorkgroupIdX, lane), of(SysValue::WorkgroupIdX, 0) + lane);
      EXPECT_EQ(of(SysValue::LocalIdX, lane), 0u);
      EXPECT_EQ(of(SysValue::LocalIdY, lane), of(SysValue::LocalIndex, lane));
      EXPECT_EQ(of(SysValue::GlobalIdY, lane), 7 * 3 + of(SysValue::LocalIdY, lane));
      EXPECT_EQ(of(SysValue::NumWorkgroupsX, lane), 10u);
      seen.push_back(of(SysValue::WorkgroupIdX, lane) * 10 + of(SysValue::LocalIdY, lane));
    }
    return abi::WarpStatus::Done;
  };
  abi::Kernel kernel;
  kernel.info.localSize[1] = 3;
  kernel.info.sysValues = ~uint64_t{0};
  kernel.info.subgroupSize = abi::kSubgroupAbreast;
  kernel.executable = &executable;
  Pool pool(1);
  EXPECT_TRUE(dispatch(pool, kernel, {}, {{5, 7, 0}, {10, 1, 1}}));
  EXPECT_EQ(kernel.warpsRun.load(), 6u);
  std::sort(seen.begin(), seen.end());
  std::vector<uint32_t> expected;
  for (uint32_t x = 5; x < 15; ++x)
    for (uint32_t y = 0; y < 3; ++y) expected.push_back(x * 10 + y);
  EXPECT_EQ(seen, expected);
}

struct Seen {
  uint32_t calls = 0;              ///< of abreast
  std::vector<uint32_t> abreast;   ///< the workgroup and the first invocation of each warp
  std::vector<uint32_t> oneByOne;  ///< likewise
};

uint32_t numberOf(const abi::Warp& warp) {
  return warp.sys[static_cast<uint32_t>(SysValue::WorkgroupIdX)][0] * 100 +
         warp.sys[static_cast<uint32_t>(SysValue::LocalIndex)][0];
}

TEST(Dispatch, WarpsSideBySideAreOfOneWorkgroup) {
  static Seen seen;
  seen = {};
  abi::Executable executable;
  executable.entry = [](const void*, abi::Warp* warp) {
    seen.oneByOne.push_back(numberOf(*warp));
    return abi::WarpStatus::Done;
  };
  executable.abreast = [](const void*, abi::Warp* warps) {
    ++seen.calls;
    for (uint32_t s = 0; s < 2; ++s) seen.abreast.push_back(numberOf(warps[s]));
    return seen.calls == 5 ? abi::WarpStatus::Cancelled : abi::WarpStatus::Done;
  };
  executable.strands = 2;
  abi::Kernel kernel;
  kernel.info.localSize[0] = 37;  // four warps and a part of one
  kernel.info.sysValues = abi::sysBit(SysValue::WorkgroupIdX) | abi::sysBit(SysValue::LocalIndex);
  kernel.executable = &executable;
  Pool pool(1);
  EXPECT_TRUE(dispatch(pool, kernel, {}, {{0, 0, 0}, {2, 1, 1}}));
  EXPECT_EQ(seen.abreast, (std::vector<uint32_t>{0, 8, 16, 24, 100, 108, 116, 124}));
  EXPECT_EQ(seen.oneByOne, (std::vector<uint32_t>{32, 132}));
  EXPECT_FALSE(dispatch(pool, kernel, {}, {{0, 0, 0}, {2, 1, 1}}));
  EXPECT_EQ(seen.calls, 5u);
}

}  // namespace
}  // namespace etzel::task
