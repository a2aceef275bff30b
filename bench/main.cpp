// etzel-vkbench: the same scenarios on several Vulkan drivers, side by side in one run, beside the machine's limits.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "report.h"

namespace {

using namespace vkbench;

bool writeFile(const std::string& path, const std::string& text) {
  std::ofstream f(path, std::ios::binary);
  f << text;
  f.close();
  if (!f) fmt::print(stderr, "etzel-vkbench: cannot write {}\n", path);
  return bool(f);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Compares Vulkan drivers on this machine, in alternation, and with what the machine can do at best."};
  bool list = false, sweep = false, noLimits = false;
  std::vector<std::string> globs, drivers;
  std::string json, svg, child;
  int fd = 1;
  double start = 0;
  RunOptions options;
  app.add_flag("--list", list, "print the scenarios and stop");
  app.add_flag("--sweep", sweep, "formats and states, one varied at a time, instead of scenarios");
  app.add_option("--scenario", globs, "only scenarios that match this glob (repeatable)");
  app.add_option("--driver", drivers, "NAME=MANIFEST (repeatable); the first is compared with the others");
  app.add_option("--json", json, "write results here");
  app.add_option("--svg", svg, "write a plot here");
  app.add_option("--rounds", options.rounds, "how often every driver runs a scenario, in alternation")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "measuring time of one round")->check(CLI::PositiveNumber);
  app.add_option("--timeout", options.timeoutSeconds, "seconds until a round is killed")->check(CLI::PositiveNumber);
  app.add_flag("--no-limits", noLimits, "do not measure the machine's limits");
  app.add_option("--picture", pictureFile, "with --child: write what was drawn (PPM)");
  app.add_option("--child", child, "run one scenario in this process, on the driver that VK_DRIVER_FILES names");
  app.add_option("--fd", fd, "with --child: where its result goes")->group("");
  app.add_option("--start", start)->group("");
  app.add_option("--cache-file", cacheFile)->group("");
  app.add_flag("--fill-cache", fillsCache)->group("");
  CLI11_PARSE(app, argc, argv);
  if (!child.empty()) return runChild(child, fd, start, options.seconds);

  std::vector<Scenario> scenarios;
  for (Scenario& s : sweep ? sweepScenarios() : allScenarios())
    if (globs.empty() || std::any_of(globs.begin(), globs.end(),
                                     [&](const std::string& g) { return fnmatch(g.c_str(), s.name.c_str(), 0) == 0; }))
      scenarios.push_back(std::move(s));
  if (list) {
    for (const Scenario& s : scenarios) fmt::print("{} ({})\n", s.name, s.unit);
    return 0;
  }
  if (scenarios.empty()) {
    fmt::print(stderr, "etzel-vkbench: no scenario matches; --list prints them\n");
    return 2;
  }

  Report report;
  for (const std::string& d : drivers) {
    const size_t equals = d.find('=');
    if (equals == std::string::npos || equals == 0) {
      fmt::print(stderr, "etzel-vkbench: --driver wants NAME=MANIFEST, not {}\n", d);
      return 2;
    }
    report.drivers.push_back({d.substr(0, equals), d.substr(equals + 1)});
  }
  if (drivers.empty()) report.drivers = defaultDrivers();
  if (report.drivers.empty()) {
    fmt::print(stderr, "etzel-vkbench: no driver found; name one with --driver NAME=MANIFEST\n");
    return 2;
  }
  if (!noLimits) {
    report.limits = measureLimits();
    fmt::print("{}\n", limitsTable(report.limits));
  }
  fmt::print("{}", tableHeader(report));
  int failures = 0;
  for (const Scenario& s : scenarios) {
    report.results.push_back(runScenario(s, report.drivers, options));
    const ScenarioResult& r = report.results.back();
    fmt::print("{}", tableRow(report, r));
    std::fflush(stdout);
    const auto state = r.drivers[0].state;
    failures += r.differs || (state != DriverResult::State::Ok && state != DriverResult::State::Unsupported);
  }
  fmt::print("{}\n{}", meanLine(report), versionLines(report));
  bool written = true;
  if (!json.empty()) written &= writeFile(json, toJson(report));
  if (!svg.empty()) written &= writeFile(svg, toSvg(report));
  return failures == 0 && written ? 0 : 1;
}
