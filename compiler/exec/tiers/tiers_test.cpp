// Tiers: what kernels start as, with and without an optimizing compiler, and that they become native code in the
// background while devices come and go in several threads.
#include "compiler/exec/tiers/tiers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/exec/quick/quick.h"
#include "compiler/exec/test/program_generator.h"
#include "runtime/simd/cpu.h"

namespace etzel::tiers {
namespace {

std::shared_ptr<abi::Kernel> makeKernel() {
  auto kernel = compiler::makeKernel(exec::test::ProgramGenerator(1, abi::Stage::Vertex, 8).make());
  EXPECT_TRUE(kernel.ok());
  return *kernel;
}

std::shared_ptr<abi::Kernel> watchedKernel() {
  const auto kernel = makeKernel();
  Tiers::process().watch(kernel, Policy::WhenHot);
  return kernel;
}

// As a build without LLVM has it, or a host that LLVM makes no code for.
TEST(Tiers, KernelsAreQuickCodeWithoutAnOptimizingCompiler) {
  if (!quick::available()) GTEST_SKIP() << "no quick code for this host";
  Tiers tiers([]() -> std::unique_ptr<native::Compiler> { return nullptr; });
  for (const Policy policy : {Policy::WhenHot, Policy::AtOnce}) {
    const auto kernel = makeKernel();
    const abi::Executable* interpreted = kernel->executable.load();
    tiers.watch(kernel, policy);
    EXPECT_NE(kernel->executable.load(), interpreted);
  }
}

TEST(Tiers, ThisBuildHasQuickCodeForThisHost) {
#ifdef __x86_64__
  EXPECT_EQ(quick::available(), simd::cpu().avx2 && simd::cpu().fma);
#else
  EXPECT_TRUE(quick::available());
#endif
  const auto kernel = makeKernel();
  const abi::Executable* interpreted = kernel->executable.load();
  Tiers::process().watch(kernel, Policy::WhenHot);
  EXPECT_EQ(kernel->executable.load() != interpreted, quick::available());
}

TEST(Tiers, AChildCompilesWithAThreadOfItsOwn) {
  if (!native::Compiler::create()) GTEST_SKIP() << "no native executor on this host";
  const auto becomesNative = [] {
    const auto kernel = watchedKernel();
    const abi::Executable* before = kernel->executable.load();
    kernel->countWarps(kernel->hotWarps);
    for (int i = 0; i < 20'000 && kernel->executable.load() == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return kernel->executable.load() != before;
  };
  Tiers& tiers = Tiers::process();
  tiers.retain();
  EXPECT_TRUE(becomesNative());  // there is a thread that the child has not
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    tiers.retain();
    const bool native = becomesNative();
    tiers.release();
    tiers.release();  // the parent's device as well: joins the child's thread alone
    _exit(native ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(becomesNative());
  tiers.release();
}

TEST(Tiers, AHotKernelChangesItsExecutable) {
  if (!native::Compiler::create()) GTEST_SKIP() << "no native executor on this host";
  Tiers& tiers = Tiers::process();
  tiers.retain();
  const auto kernel = watchedKernel();
  const abi::Executable* before = kernel->executable.load();
  kernel->countWarps(kernel->hotWarps);
  while (kernel->executable.load() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  tiers.release();
}

// As a cache does it: code of an earlier life is there from the first warp, and nobody is told of it again.
TEST(Tiers, SavedCodeRunsAtOnce) {
  const auto compiler = native::Compiler::create();
  if (!compiler) GTEST_SKIP() << "no native executor on this host";
  Tiers tiers([]() -> std::unique_ptr<native::Compiler> { return nullptr; });  // LLVM is not asked
  const auto kernel = makeKernel();
  const isa::Program& program = compiler::programOf(*kernel);
  const auto code = compiler->compile(program);
  ASSERT_TRUE(code.ok());
  auto saved = native::load(program, (*code)->save());
  ASSERT_TRUE(saved.ok());
  const exec::MachineCode* loaded = saved->get();
  uint32_t told = 0;
  tiers.watch(kernel, Policy::WhenHot, {std::move(*saved), [&](const auto&) { ++told; }});
  EXPECT_EQ(Tiers::optimizedCode(*kernel), loaded);
  EXPECT_EQ(kernel->executable.load(), loaded->executable());
  kernel->countWarps(1'000'000);
  EXPECT_EQ(told, 0u);
}

TEST(Tiers, ProgramsThatComeBackAreOptimizedSooner) {
  Tiers tiers([]() -> std::unique_ptr<native::Compiler> { return nullptr; });
  const auto first = makeKernel(), again = makeKernel();
  tiers.watch(first, Policy::WhenHot);
  tiers.watch(again, Policy::WhenHot, {.comesBack = true});
  EXPECT_LT(again->hotWarps, first->hotWarps / 4);
}

TEST(Tiers, CodeThatIsMadeIsToldOfOnce) {
  if (!native::Compiler::create()) GTEST_SKIP() << "no native executor on this host";
  const auto kernel = makeKernel();
  EXPECT_EQ(Tiers::optimizedCode(*kernel), nullptr);
  uint32_t told = 0;
  Tiers::process().watch(kernel, Policy::AtOnce, {nullptr, [&](const auto& k) {
                                                    ++told;
                                                    EXPECT_NE(Tiers::optimizedCode(*k), nullptr);
                                                  }});
  EXPECT_EQ(told, 1u);
}

/// Makes nothing, but says in which order it was asked. The first request waits until the gate opens.
class Recorder final : public native::Compiler {
 public:
  Result<std::shared_ptr<exec::MachineCode>> compile(const isa::Program& program) override {
    std::unique_lock lock(mutex);
    asked.push_back(&program);
    changed.notify_all();
    changed.wait(lock, [] { return open; });
    return Error{ErrorCode::Unsupported, "a recorder"};
  }
  Result<std::shared_ptr<exec::MachineCode>> compileBound(const isa::Program& program, const native::BoundKinds&,
                                                          const abi::Executable&) override {
    return compile(program);
  }
  Result<std::string> listing(const isa::Program&) override { return Error{ErrorCode::Unsupported, "a recorder"}; }

  static void waitFor(size_t requests) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return asked.size() >= requests; });
  }
  static void openGate() {
    std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  static inline std::mutex mutex;
  static inline std::condition_variable changed;
  static inline std::vector<const isa::Program*> asked;
  static inline bool open = false;
};

TEST(Tiers, OfThoseThatWaitTheHottestIsCompiledFirst) {
  Tiers tiers([]() -> std::unique_ptr<native::Compiler> { return std::make_unique<Recorder>(); });
  tiers.retain();
  const std::shared_ptr<abi::Kernel> kernels[] = {makeKernel(), makeKernel(), makeKernel()};
  for (const auto& kernel : kernels) tiers.watch(kernel, Policy::WhenHot);
  const auto run = [](const abi::Kernel& kernel, uint64_t times) { kernel.countWarps(kernel.hotWarps * times); };
  run(*kernels[0], 1);
  Recorder::waitFor(1);
  run(*kernels[1], 1), run(*kernels[2], 10);
  Recorder::openGate();
  Recorder::waitFor(3);
  tiers.release();
  const auto program = [&](int i) { return &compiler::programOf(*kernels[i]); };
  EXPECT_EQ(Recorder::asked, (std::vector<const isa::Program*>{program(0), program(2), program(1)}));
}

// Several last devices at once: each release waits for its thread, and none misses that it is to end.
TEST(Tiers, DevicesMayComeAndGoInSeveralThreads) {
  Tiers& tiers = Tiers::process();
  const auto work = [&] {
    const auto kernel = watchedKernel();
    for (int round = 0; round < 500; ++round) {
      tiers.retain();
      kernel->onHot(kernel.get(), kernel->onHotUser);
      tiers.release();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace etzel::tiers
