// etzel-fuzz: feeds the driver with what nobody meant, through its API.
//
//   etzel-fuzz TARGET [--seconds N] [--inputs N] [--seed N]   mutations of the corpus, in an order that the seed
//   decides etzel-fuzz TARGET FILE…                                   these inputs etzel-fuzz TARGET --write-seeds
//   FOLDER                    what libFuzzer begins with
//
// The driver is the loader's choice. What goes wrong ends the program, with the input in etzel-fuzz-TARGET.input.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/core/session.h"

namespace {

using namespace etzel::fuzz;

struct Options {
  const TargetRow* target = nullptr;
  double seconds = 10;
  uint64_t inputs = UINT64_MAX;
  uint32_t seed = 1;
  bool serves = false;
  std::string seedFolder;
  std::vector<std::string> files;
};

bool parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const bool more = i + 1 < argc;
    if (arg == "--serve")
      o.serves = true;
    else if (arg == "--seconds" && more)
      o.seconds = std::atof(argv[++i]);
    else if (arg == "--inputs" && more)
      o.inputs = std::strtoull(argv[++i], nullptr, 10);
    else if (arg == "--seed" && more)
      o.seed = uint32_t(std::atoi(argv[++i]));
    else if (arg == "--write-seeds" && more)
      o.seedFolder = argv[++i];
    else if (!o.target)
      o.target = findTarget(arg);
    else
      o.files.push_back(arg);
    if (arg[0] != '-' && !o.target) return false;
  }
  return o.target != nullptr;
}

int writeSeeds(const Options& o) {
  std::filesystem::create_directories(o.seedFolder);
  int n = 0;
  for (const Bytes& seed : seedsOf(*o.target))
    std::ofstream(o.seedFolder + "/seed-" + std::to_string(n++), std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.data()), std::streamsize(seed.size()));
  return 0;
}

void runFiles(const Options& o, Session& session) {
  for (const std::string& name : o.files) {
    std::ifstream file(name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    session.run(Bytes(bytes.begin(), bytes.end()));
  }
}

/// Each input is a seed, or one that ran and came from it, changed a little. \returns false where seeds do not run
bool runMutations(const Options& o, Session& session, const std::vector<Bytes>& seeds) {
  constexpr size_t kPool = 4096;
  std::vector<Bytes> pool = seeds;
  for (const Bytes& seed : seeds) session.run(seed);
  std::printf("%zu seeds, %llu of them run\n", seeds.size(), static_cast<unsigned long long>(session.statistics().ran));
  if (session.statistics().ran * 2 < seeds.size()) {
    std::fprintf(stderr, "etzel-fuzz: less than half of the seeds run: what comes of them would say nothing\n");
    return false;
  }
  Random random(o.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(o.seconds);
  while (std::chrono::steady_clock::now() < end && session.statistics().inputs < o.inputs) {
    Bytes input = pick(random, 2) ? seeds[pick(random, seeds.size())] : pool[pick(random, pool.size())];
    session.target().mutate(input, pool[pick(random, pool.size())], random);
    const uint64_t before = session.statistics().ran;
    session.run(input);
    if (session.statistics().ran == before || input.size() > 1 << 20) continue;
    if (pool.size() < kPool)
      pool.push_back(std::move(input));
    else
      pool[seeds.size() + pick(random, pool.size() - seeds.size())] = std::move(input);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  if (!parse(argc, argv, o)) {
    std::fprintf(stderr,
                 "usage: etzel-fuzz TARGET [--seconds N] [--inputs N] [--seed N] | FILE… | --write-seeds FOLDER\n");
    for (const TargetRow& row : targets()) std::fprintf(stderr, "  %-12s %s\n", row.name, row.about);
    return 2;
  }
  setEnvironment();
  if (o.serves) {
    return serve(*o.target->make());
  }
  if (!o.seedFolder.empty()) return writeSeeds(o);
  const std::vector<Bytes> seeds = o.files.empty() ? seedsOf(*o.target) : std::vector<Bytes>{};
  Session session(*o.target, "/proc/self/exe", std::string("etzel-fuzz-") + o.target->name + ".input");
  bool fine = true;
  if (o.files.empty())
    fine = runMutations(o, session, seeds);
  else
    runFiles(o, session);
  const Statistics& s = session.statistics();
  std::printf("%s: %llu inputs, %llu ran, %llu never ended\n", o.target->name,
              static_cast<unsigned long long>(s.inputs), static_cast<unsigned long long>(s.ran),
              static_cast<unsigned long long>(s.lost));
  return fine ? 0 : 1;
}
