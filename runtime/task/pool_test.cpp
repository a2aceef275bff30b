#include "runtime/task/pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <new>
#include <thread>

namespace etzel::task {
namespace {

TEST(Pool, EveryIndexRunsOnce) {
  for (uint32_t threads : {1u, 2u, 5u}) {
    Pool pool(threads);
    for (uint32_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<uint32_t>> hits(count);
      pool.parallelFor(count, [&](uint32_t i, uint32_t worker) {
        EXPECT_LT(worker, pool.threads());
        hits[i].fetch_add(1);
      });
      for (auto& h : hits) EXPECT_EQ(h.load(), 1u);
    }
  }
}

TEST(Pool, WorkerNumbersAreUniqueAmongBodiesThatRunTogetherEvenOfTwoLoops) {
  Pool pool(3);
  std::vector<std::atomic<int>> busy(pool.threads());
  std::atomic<uint32_t> total{0};
  auto caller = [&] {
    for (int round = 0; round < 50; ++round)
      pool.parallelFor(1 + round % 20, [&](uint32_t, uint32_t worker) {
        EXPECT_EQ(busy[worker].fetch_add(1), 0);
        if (total.fetch_add(1) % 16 == 0) std::this_thread::yield();
        busy[worker].fetch_sub(1);
      });
  };
  std::thread a(caller), b(caller), c(caller);
  a.join(), b.join(), c.join();
  uint32_t expected = 0;
  for (int round = 0; round < 50; ++round) expected += 1 + round % 20;
  EXPECT_EQ(total.load(), 3 * expected);
}

TEST(Pool, WorkersWakeUpAgainAfterSleeping) {
  Pool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> n{0};
    pool.parallelFor(64, [&](uint32_t, uint32_t) { n.fetch_add(1); });
    EXPECT_EQ(n.load(), 64);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(Pool, ANestedLoopRunsOnItsThread) {
  Pool pool(2);
  std::atomic<int> n{0};
  pool.parallelFor(4, [&](uint32_t, uint32_t worker) {
    pool.parallelFor(3, [&](uint32_t, uint32_t inner) {
      EXPECT_EQ(inner, worker);
      n.fetch_add(1);
    });
  });
  EXPECT_EQ(n.load(), 12);
}

TEST(Pool, AnExceptionReachesTheCaller) {
  for (uint32_t threads : {1u, 4u}) {
    Pool pool(threads);
    std::atomic<int> ran{0};
    // The others take seconds, so that whoever throws has the time to, on busy machines too.
    EXPECT_THROW(pool.parallelFor(10'000,
                                  [&](uint32_t i, uint32_t) {
                                    ++ran;
                                    if (i == 3) throw std::bad_alloc();
                                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                  }),
                 std::bad_alloc);
    EXPECT_LT(ran.load(), 10'000);
    ran = 0;
    pool.parallelFor(1000, [&](uint32_t, uint32_t) { ++ran; });
    EXPECT_EQ(ran.load(), 1000);
  }
}

TEST(Pool, WorkersComputeAsTheDriverDoes) {
  // A thread inherits its maker's rounding, which is the application's.
  std::fesetround(FE_UPWARD);
  Pool pool(4);
  std::atomic<int> wrong{0};
  std::atomic<uint32_t> seen{0};
  pool.parallelFor(64, [&](uint32_t, uint32_t worker) {
    seen |= 1u << worker;
    if (worker != 0 && std::fegetround() != FE_TONEAREST) ++wrong;
    // Whoever comes first leaves work to another, however long that one takes to begin.
    for (int i = 0; std::popcount(seen.load()) < 2 && i < 60'000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_GT(std::popcount(seen.load()), 1);
}

TEST(Pool, AChildRunsItsLoopsItself) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends children that start threads";
#endif
  Pool pool(4);
  std::atomic<int> ran{0};
  pool.parallelFor(64, [&](uint32_t, uint32_t) { ++ran; });
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int mine = 0;
    {
      Pool own(3);
      own.parallelFor(64, [&](uint32_t, uint32_t) { __atomic_fetch_add(&mine, 1, __ATOMIC_RELAXED); });
    }
    pool.parallelFor(64, [&](uint32_t, uint32_t) { ++mine; });
    pool.~Pool();  // joins nobody
    _exit(mine == 128 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace etzel::task
