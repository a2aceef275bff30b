// Out of memory as SQLite tests it: every request of the driver for memory, a mapping or a thread fails, once, and then
// it and all behind it, in one scenario per area. Each try must end in VK_ERROR_OUT_OF_*, or with a lost device where
// commands run already; nothing may be left behind, and the driver must work afterwards.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/out_of_memory/sweep.h"

namespace oom {
namespace {

void printRow(const std::string& name, const Counts& c) {
  std::printf("| %s |", name.c_str());
  for (uint64_t n : {c.points, c.outOfMemory, c.lost, c.unharmed, c.died, c.hung, c.wrong, c.leaked})
    std::printf(" %llu |", static_cast<unsigned long long>(n));
  std::printf("\n");
  std::fflush(stdout);
}

int run(const std::string& driver, const std::string& only, const Options& options) {
  // As many workers everywhere, and no files of earlier runs.
  setenv("ETZEL_THREADS", "3", 1);
  setenv("ETZEL_CACHE", "off", 1);
  if (!openDriver(driver.c_str())) return 2;
  Sweep sweep(options);
  Counts all;
  bool whole = true;
  std::printf(
      "| scenario | points | out of memory | lost | unharmed | died | hung | wrong | leaked |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (auto list : {objectScenarios, sparseScenarios, compileScenarios, shaderObjectScenarios, binaryScenarios,
                    commandScenarios, dispatchScenarios, drawScenarios, presentScenarios, windowScenarios})
    for (const Entry& entry : list()) {
      if (entry.name.find(only) == entry.name.npos) continue;
      if (const char* why = entry.missing ? entry.missing() : nullptr) {
        std::printf("| %s | not run: %s |\n", entry.name.c_str(), why);
        whole = whole && !options.complete;
        continue;
      }
      Counts counts;
      whole = sweep.run(entry, counts) && whole;
      printRow(entry.name, counts);
      all.add(counts);
    }
  printRow("all", all);
  return whole && all.points && all.good() ? 0 : 1;
}

}  // namespace
}  // namespace oom

int main(int argc, char** argv) {
  CLI::App app("Fails every request of the driver for memory, and looks what becomes of it");
  std::string driver, only;
  oom::Options options;
  app.add_option("driver", driver, "libvulkan_etzel.so")->required();
  app.add_option("--only", only, "Scenarios whose name contains this");
  app.add_option("--points", options.points, "At most so many points of each scenario and kind of failure");
  app.add_option("--at", options.at, "This point only");
  app.add_option("--jobs", options.jobs, "Processes side by side");
  app.add_flag("--complete", options.complete, "Fail where a scenario cannot be run, for want of an X server");
  app.add_flag("--explain", options.explain, "Say where leaked memory is from");
  CLI11_PARSE(app, argc, argv);
  return oom::run(driver, only, options);
}
