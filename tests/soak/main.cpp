// etzel-soak: random use of the API from several threads, for as long as one likes.
//
//   etzel-soak [--seconds N] [--seed N]
//
// Threads share two devices with four queues each, and memory with a process beside this one. Every piece of work
// checks what came out. Resident memory is looked at after a quarter of the time, and when every kind of work was done
// some times, and must not have grown at the end. The driver is the loader's choice.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/soak/world.h"

namespace {

using namespace etzel::soak;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kThreads = 6;
constexpr const char* kNames[] = {"compute", "draw", "chain", "present", "objects", "instance", "shared"};
constexpr uint32_t kKinds = std::size(kNames);

struct Shared {
  World worlds[2];
  Neighbour neighbour{"/proc/self/exe"};
  std::atomic<uint64_t> done[kKinds]{};
  std::atomic<bool> failed{false}, stop{false};
};

void work(Shared& all, uint32_t seed) {
  Random random(seed);
  while (!all.stop && !all.failed) {
    World& world = all.worlds[pick(random, 2)];
    const uint32_t kind = pick(random, 40) == 0 ? 5 : (pick(random, 6) + 6) % 7;
    try {
      switch (kind) {
        case 0: compute(world, random); break;
        case 1: draw(world, random); break;
        case 2: chain(world, random); break;
        case 3: present(world, random); break;
        case 4: objects(world, random); break;
        case 5: instance(world, random); break;
        default: all.neighbour.exchange(world, random);
      }
      ++all.done[kind];
    } catch (const std::exception& e) {
      std::fprintf(stderr, "etzel-soak: %s: %s\n", kNames[kind], e.what());
      all.failed = true;
    }
  }
}

/// Memory that this process has for itself, in kilobytes.
long residentKilobytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  long total = 0, resident = 0, ofFiles = 0;
  const int read = f ? std::fscanf(f, "%ld %ld %ld", &total, &resident, &ofFiles) : 0;
  if (f) std::fclose(f);
  return read == 3 ? (resident - ofFiles) * (sysconf(_SC_PAGESIZE) / 1024) : 0;
}

/// Whether all that is made once has been made: each kind of work was done so often that its shaders are optimized, and
/// allocators have the most of all that is there at once.
bool settled(const Shared& all) {
  constexpr uint64_t kOften = 300;
  for (uint32_t i = 0; i < kKinds; ++i)
    if (all.done[i] < (kNames[i] == std::string_view("instance") ? kOften / 20 : kOften)) return false;
  return true;
}

/// The most that was seen in `seconds`, and until `enough`, or until something fails.
long mostWithin(const Shared& all, double seconds, bool (*enough)(const Shared&) = nullptr) {
  long most = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while ((Clock::now() < end || (enough && !enough(all))) && !all.failed) {
    most = std::max(most, residentKilobytes());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return most;
}

/// Sanitizers keep up to 256 MB of freed memory back, and remember more the longer a program runs.
bool grew(long before, long after) {
#ifdef ETZEL_SANITIZED
  constexpr long kMore = 384 * 1024;
#else
  constexpr long kMore = 16 * 1024;
#endif
  return after > before + before / 5 + kMore;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 10;
  uint32_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string arg = argv[i];
    if (arg == "--seconds") seconds = std::atof(argv[i + 1]);
    if (arg == "--seed") seed = uint32_t(std::atoi(argv[i + 1]));
    if (arg == "--neighbour") return neighbourMain(std::atoi(argv[i + 1]));
  }
  long before = 0, after = 0;
  bool failed = false;
  {
    Shared all;
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back([&all, i, seed] { work(all, seed * kThreads + i); });
    before = mostWithin(all, seconds / 4, settled);
    mostWithin(all, seconds / 2);
    after = mostWithin(all, seconds / 4);
    all.stop = true;
    for (std::thread& t : threads) t.join();
    failed = all.failed;
    for (uint32_t i = 0; i < kKinds; ++i)
      std::printf("%s %llu%s", kNames[i], static_cast<unsigned long long>(all.done[i]), i + 1 < kKinds ? ", " : "\n");
  }
  std::printf("%.0f seconds, resident memory at most %ld KB in the first quarter, %ld KB in the last\n", seconds,
              before, after);
  if (grew(before, after)) std::fprintf(stderr, "etzel-soak: memory grew\n");
  return failed || grew(before, after) ? 1 : 0;
}
