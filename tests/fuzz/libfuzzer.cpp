// etzel-libfuzzer: the same targets driven by libFuzzer (preset "fuzz"), which ETZEL_FUZZ_TARGET names. Its own
// mutations are one of eight: the target's know more.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fuzz/core/session.h"

using namespace etzel::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

namespace {

Session* session = nullptr;
std::vector<Bytes> seeds;
std::string target;
std::chrono::steady_clock::time_point began;

/// A line in the file that ETZEL_FUZZ_RUNS names: target, seconds, processor seconds, inputs, inputs that ran.
void keepFigures(const Statistics& s) {
  const char* path = std::getenv("ETZEL_FUZZ_RUNS");
  FILE* file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
  std::fprintf(file, "%s\t%lld\t%llu\t%llu\t%llu\n", target.c_str(), static_cast<long long>(seconds.count()),
               static_cast<unsigned long long>(session->computedMs() / 1000), static_cast<unsigned long long>(s.inputs),
               static_cast<unsigned long long>(s.ran));
  std::fclose(file);
}

void report() {
  const Statistics& s = session->statistics();
  std::fprintf(stderr, "%llu inputs, %llu ran, %llu never ended\n", static_cast<unsigned long long>(s.inputs),
               static_cast<unsigned long long>(s.ran), static_cast<unsigned long long>(s.lost));
  keepFigures(s);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  const char* name = std::getenv("ETZEL_FUZZ_TARGET");
  const TargetRow* row = name ? findTarget(name) : nullptr;
  if (!row) {
    std::fprintf(stderr, "ETZEL_FUZZ_TARGET names no target\n");
    std::exit(2);
  }
  setEnvironment();
  seeds = seedsOf(*row);
  const std::string self = (*argv)[0];
  const std::string folder = self.substr(0, self.rfind('/') + 1);
  session = new Session(*row, folder + "etzel-fuzz", std::string("etzel-fuzz-") + name + ".input");
  target = name;
  began = std::chrono::steady_clock::now();
  std::atexit(report);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  session->run({data, size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  Random random(seed);
  if (pick(random, 8) == 0) return LLVMFuzzerMutate(data, size, maxSize);
  Bytes input(data, data + size);
  session->target().mutate(input, seeds[pick(random, seeds.size())], random);
  const size_t bytes = std::min(input.size(), maxSize);
  std::copy_n(input.begin(), bytes, data);
  return bytes;
}
