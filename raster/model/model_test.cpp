// Random draws, clears, copies, resolves, storage accesses and fetches on colour, depth and stencil together, through
// real render passes, against a plain array with every sample (operation.h says how).
//
// Environment:
//   ETZEL_MODEL_OPERATIONS  how many operations to run at least; a few thousand by default
//   ETZEL_MODEL_SEED        the first seed, 1 by default; sequences of about 170 operations have the seeds from there
//   on
// A failing sequence is named by its seed and printed after everything it does not need has been left out.
// ETZEL_MODEL_SEED=<seed> ETZEL_MODEL_OPERATIONS=1 runs it again.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "raster/model/device.h"
#include "raster/model/reference.h"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace etzel::raster::model {
namespace {

uint64_t environmentNumber(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The seed in work, for crashes.
char seedLine[64];

void noteSeed(uint32_t seed) { std::snprintf(seedLine, sizeof seedLine, "\nETZEL_MODEL_SEED=%u\n", seed); }
void printSeed() {
  if (write(STDERR_FILENO, seedLine, std::strlen(seedLine)) < 0) return;
}
void onCrash(int signal) {
  printSeed();
  raise(signal);  // with the default action again
}
void printSeedOnCrash() {
  if (__sanitizer_set_death_callback) return __sanitizer_set_death_callback(printSeed);
  struct sigaction action {};
  action.sa_handler = onCrash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

task::Pool& poolOf(uint32_t threads) {
  static task::Pool pools[] = {task::Pool(1), task::Pool(2), task::Pool(4)};
  return pools[threads == 1 ? 0 : threads == 2 ? 1 : 2];
}

struct Failure {
  size_t operation;  ///< after which it showed
  std::string what;
};

/// Runs a sequence on both sides. \returns the first difference
std::optional<Failure> run(const Sequence& sequence, uint32_t* parallelFlushes = nullptr, uint32_t* probed = nullptr) {
  const World& world = sequence.world;
  Reference reference(world);
  Device device(world, &poolOf(world.threads));
  const auto difference = [&](ImageId id, const Rect& rect) {
    return device.compare(id, rect, reference.plane(id, VK_IMAGE_ASPECT_COLOR_BIT),
                          reference.plane(id, VK_IMAGE_ASPECT_STENCIL_BIT));
  };
  for (size_t i = 0; i < sequence.operations.size(); ++i) {
    const Operation& o = sequence.operations[i];
    if (device.run(sequence, o) != reference.run(sequence, o)) return Failure{i, "observes other values"};
    const bool last = i + 1 == sequence.operations.size();
    if (o.inPass() && o.kind != Kind::Flush && !last && sequence.operations[i + 1].inPass() &&
        sequence.operations[i + 1].pass == o.pass)
      continue;
    if (last || !sequence.operations[i + 1].inPass() || sequence.operations[i + 1].pass != o.pass) device.finish();
    if (!device.ok()) return Failure{i, "a pass was cancelled"};
    if (!device.probe().failure().empty()) return Failure{i, device.probe().failure()};
    if (device.samplesPassed() != reference.samplesPassed())
      return Failure{i, "counted " + std::to_string(device.samplesPassed()) + " samples instead of " +
                            std::to_string(reference.samplesPassed())};
    const std::array<Rect, kImageCount> changes = reference.takeChanges();
    for (uint32_t id = 0; id < kImageCount; ++id) {
      std::string what = difference(static_cast<ImageId>(id), changes[id]);
      if (!what.empty()) return Failure{i, std::move(what)};
    }
  }
  for (uint32_t id = 0; id < kImageCount; ++id) {
    std::string what = difference(static_cast<ImageId>(id), {0, 0, world.width, world.height});
    if (!what.empty()) return Failure{sequence.operations.size(), "in the end: " + what};
  }
  if (parallelFlushes) *parallelFlushes += device.parallelFlushes();
  if (probed) *probed += device.probe().fragments();
  return std::nullopt;
}

/// Leaves out operations, then triangles, while something still fails.
Sequence shrink(Sequence sequence, const Failure& failure) {
  if (failure.operation < sequence.operations.size()) sequence.operations.resize(failure.operation + 1);
  for (size_t chunk = sequence.operations.size() / 2; chunk > 0; chunk /= 2) {
    for (size_t at = 0; at < sequence.operations.size();) {
      Sequence less = sequence;
      const auto begin = less.operations.begin() + static_cast<ptrdiff_t>(at);
      less.operations.erase(begin, begin + static_cast<ptrdiff_t>(std::min(chunk, less.operations.size() - at)));
      if (run(less))
        sequence = std::move(less);
      else
        at += chunk;
    }
  }
  for (Operation& o : sequence.operations) {
    for (size_t t = 0; o.draw && t < o.draw->triangles.size() && o.draw->triangles.size() > 1;) {
      const std::shared_ptr<const Draw> before = o.draw;
      auto less = std::make_shared<Draw>(*o.draw);
      less->triangles.erase(less->triangles.begin() + static_cast<ptrdiff_t>(t));
      o.draw = less;
      if (!run(sequence)) o.draw = before, ++t;
    }
  }
  return sequence;
}

std::string report(const Sequence& sequence, const Failure& failure) {
  const Sequence shorter = shrink(sequence, failure);
  const std::optional<Failure> again = run(shorter);
  std::string s = "ETZEL_MODEL_SEED=" + std::to_string(sequence.world.seed) + " ETZEL_MODEL_OPERATIONS=1\n" +
                  describe(sequence.world) + "\noperation " + std::to_string(failure.operation) + ": " + failure.what +
                  "\nshortened to:\n";
  for (const Operation& o : shorter.operations) s += "  " + describe(shorter, o) + "\n";
  return s + (again ? again->what : std::string("(not again)"));
}

TEST(Model, RandomOperationsMatchPlainSamples) {
  const uint64_t wanted = environmentNumber("ETZEL_MODEL_OPERATIONS", 15000);
  uint32_t seed = static_cast<uint32_t>(environmentNumber("ETZEL_MODEL_SEED", 1)), parallel = 0, probed = 0;
  printSeedOnCrash();
  uint64_t done = 0;
  const uint32_t first = seed;
  for (; done < wanted; ++seed) {
    noteSeed(seed);
    const Sequence sequence = generate(seed);
    if (const std::optional<Failure> failure = run(sequence, &parallel, &probed)) FAIL() << report(sequence, *failure);
    const uint64_t before = done;
    done += sequence.operations.size();
    if (done / 100000 != before / 100000) {
      std::printf("%llu operations\n", static_cast<unsigned long long>(done));
      std::fflush(stdout);
    }
  }
  std::printf("%llu operations, seeds %u to %u, %u flushes on several threads, %u fragments probed\n",
              static_cast<unsigned long long>(done), first, seed - 1, parallel, probed);
}

/// The test would notice: a reference that is wrong in one bit of one sample differs.
TEST(Model, ComparisonsSeeEverySample) {
  World world;
  world.width = 11, world.height = 9, world.samples = 4;
  world.color[0] = VK_FORMAT_R8G8B8A8_UNORM, world.color[1] = VK_FORMAT_R16_UINT;
  world.depthStencil = VK_FORMAT_D24_UNORM_S8_UINT;
  const Rect all = {0, 0, 11, 9};
  for (uint32_t i = 0; i < kImageCount; ++i) {
    const ImageId id = static_cast<ImageId>(i);
    for (VkImageAspectFlags aspect : {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
      Reference reference(world);
      Device device(world, &poolOf(1));
      PlainPlane &plane = reference.plane(id, VK_IMAGE_ASPECT_COLOR_BIT),
                 &stencil = reference.plane(id, VK_IMAGE_ASPECT_STENCIL_BIT);
      EXPECT_EQ(device.compare(id, all, plane, stencil), "");
      PlainPlane& wrong = reference.plane(id, aspect);
      if (!wrong) continue;
      *wrong.at(10, 8, 1, wrong.samples - 1) ^= std::byte{1};
      EXPECT_NE(device.compare(id, all, plane, stencil), "");
      EXPECT_EQ(device.compare(id, {0, 0, 10, 9}, plane, stencil), "");
    }
  }
}

}  // namespace
}  // namespace etzel::raster::model
