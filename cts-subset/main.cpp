// etzel-cts: lists, chooses and runs the cases, compares with what is expected of the driver, writes results.
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/gpu.h"
#include "cts-subset/support/runner.h"

using namespace etzel::cts;

static const char usage[] =
    "usage: etzel-cts [options] [PATTERN...]     runs the cases whose names match a glob, by default all; a glob that\n"
    "                                            begins with dEQP-VK. chooses by what the cases mirror\n"
    "  --list               print the names and stop\n"
    "  --list-mirrors       print the names, and beside each the case or group of Khronos' suite that it mirrors\n"
    "  --driver MANIFEST    the Vulkan driver, as the loader's JSON file\n"
    "  --caselist FILE      run the names in FILE, one a line\n"
    "  --without EXTENSION  do not use a device extension (more than once: several), for layers that do not know it\n"
    "  --jobs N             worker processes (default: one a core)\n"
    "  --timeout SECONDS    per case (default 60)\n"
    "  --expect FOLDER      where fails-, flakes- and unsupported-<driver>.txt are. Of each kind, the file is taken "
    "that\n"
    "                       has the most of the driver's version: fails-llvmpipe-25.0.7.txt, else -25.0, else -25\n"
    "  --qpa FILE --junit FILE --html FILE    write results\n"
    "  --digests FILE       write a number for each case that stands for every byte it read from the device\n"
    "  --selftest           run, instead, cases that pass, fail, crash and hang on purpose (selftest.py checks the "
    "results)\n"
    "  --quiet              print failures and the summary only\n"
    "  --diff A B           compare two .qpa files and stop\n"
    "GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX choose every n-th case. Exit status: 0 when nothing unexpected failed.\n";

/// Names (globs) of an expectation file; "#" starts a comment.
static std::vector<std::string> readNames(const std::string& path) {
  std::vector<std::string> names;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    line = line.substr(0, line.find('#'));
    size_t end = line.find_last_not_of(" \t\r");
    if (end != std::string::npos) names.push_back(line.substr(0, end + 1));
  }
  return names;
}

static bool matches(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(), [&](auto& g) { return fnmatch(g.c_str(), name.c_str(), 0) == 0; });
}

static int diff(const std::string& a, const std::string& b) {
  auto before = readQpa(a), after = readQpa(b);
  std::set<std::string> names;
  for (auto& [name, status] : before) names.insert(name);
  for (auto& [name, status] : after) names.insert(name);
  size_t changes = 0;
  for (auto& name : names) {
    std::string x = before.count(name) ? before[name] : "absent", y = after.count(name) ? after[name] : "absent";
    if (x != y) printf("%-13s -> %-13s %s\n", x.c_str(), y.c_str(), name.c_str()), ++changes;
  }
  printf("%zu of %zu cases differ\n", changes, names.size());
  return changes != 0;
}

/// Where the expectations lie: beside an installed program, else in the source tree.
static std::string expectationFolder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "share/etzel/expect";
  return std::filesystem::is_directory(installed, error) ? installed.string() : ETZEL_CTS_EXPECT;
}

namespace {

struct Arguments {
  RunOptions run;
  std::string caselist, qpa, junit, html, digests, expect = expectationFolder();
  std::vector<std::string> globs;
  std::string diff[2];
  bool list = false, mirrors = false, quiet = false, selftest = false;
};

/// Reads one option, whose value `value` fetches. \returns false for what is none
bool take(Arguments& a, const std::string& arg, const std::function<const char*()>& value) {
  if (arg == "--list") return a.list = true;
  if (arg == "--list-mirrors") return a.list = a.mirrors = true;
  if (arg == "--quiet") return a.quiet = true;
  if (arg == "--selftest") return a.selftest = true;
  if (arg == "--caselist") return a.caselist = value(), true;
  if (arg == "--without") return Gpu::withheld().insert(value()), true;
  if (arg == "--jobs") return a.run.jobs = unsigned(std::max(1, atoi(value()))), true;
  if (arg == "--timeout") return a.run.caseSeconds = atof(value()), true;
  if (arg == "--expect") return a.expect = value(), true;
  if (arg == "--qpa") return a.qpa = value(), true;
  if (arg == "--junit") return a.junit = value(), true;
  if (arg == "--html") return a.html = value(), true;
  if (arg == "--digests") return a.run.digests = true, a.digests = value(), true;
  if (arg == "--diff") return a.diff[0] = value(), a.diff[1] = value(), true;
  if (arg != "--driver") return false;
  const char* manifest = value();
  setenv("VK_DRIVER_FILES", manifest, 1);
  setenv("VK_ICD_FILENAMES", manifest, 1);  // the name that older loaders know
  return true;
}

/// Ends the process when there is nothing to run.
Arguments parse(int argc, char** argv) {
  Arguments a;
  a.run.jobs = std::max(1u, std::thread::hardware_concurrency());
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    auto value = [&]() -> const char* {
      if (i + 1 < argc) return argv[++i];
      fputs(usage, stderr);
      exit(2);
    };
    if (take(a, arg, value)) continue;
    if (arg[0] == '-') {
      fputs(usage, arg == "--help" ? stdout : stderr);
      exit(arg == "--help" ? 0 : 2);
    }
    a.globs.push_back(arg);
  }
  return a;
}

/// \returns false when two cases share a name
bool namesAreUnique() {
  std::set<std::string> unique;
  for (auto& c : cases())
    if (!unique.insert(c.name).second) {
      fprintf(stderr, "etzel-cts: two cases are named %s\n", c.name.c_str());
      return false;
    }
  return true;
}

/// Indices of the cases that were asked for, of this shard. \param asked how many there are in all shards
std::vector<size_t> choose(const Arguments& a, size_t* asked) {
  std::set<std::string> names;
  if (!a.caselist.empty())
    for (auto& name : readNames(a.caselist)) names.insert(name);
  for (auto& name : names)
    if (std::none_of(cases().begin(), cases().end(), [&](auto& c) { return c.name == name; }))
      fprintf(stderr, "etzel-cts: %s names no case: %s\n", a.caselist.c_str(), name.c_str());
  const char* total = getenv("GTEST_TOTAL_SHARDS");
  const char* index = getenv("GTEST_SHARD_INDEX");
  size_t shards = total ? std::max(1, atoi(total)) : 1, shard = index ? size_t(atoi(index)) : 0;
  if (const char* status = getenv("GTEST_SHARD_STATUS_FILE")) std::ofstream(status).put('\n');
  std::vector<size_t> chosen;
  *asked = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    const std::string& name = cases()[i].name;
    if (!a.caselist.empty() && !names.count(name)) continue;
    if (!a.globs.empty() && !matches(a.globs, name) && !matches(a.globs, mirrorOf(name))) continue;
    if ((*asked)++ % shards == shard) chosen.push_back(i);
  }
  return chosen;
}

void print(const std::vector<size_t>& chosen, bool mirrors) {
  for (size_t i : chosen) {
    std::string mirrored = mirrors ? mirrorOf(cases()[i].name) : "";
    printf("%s%s%s\n", cases()[i].name.c_str(), mirrored.empty() ? "" : " # ", mirrored.c_str());
  }
}

bool isBad(const Result& r) { return r.status != Status::Pass && r.status != Status::NotSupported; }

/// The file of one kind ("fails") for a driver: the one with the longest part of its version, else the one without.
std::string expectationFile(const std::string& folder, const std::string& kind, const Driver& driver) {
  std::string stem = folder + "/" + kind + "-";
  for (char c : driver.name) stem += c == ' ' ? '_' : char(tolower(c));
  for (std::string version = driver.version; !version.empty();) {
    const std::string path = stem + "-" + version + ".txt";
    if (std::filesystem::exists(path)) return path;
    const size_t dot = version.rfind('.');
    version.resize(dot == std::string::npos ? 0 : dot);
  }
  return stem + ".txt";
}

/// Runs the cases; one that is known to be unsteady gets two more chances.
std::vector<Result> runWithChances(const Arguments& a, const std::vector<size_t>& chosen, Driver* driver) {
  auto show = [&](const Result& r) {
    if (a.quiet && !isBad(r)) return;
    printf("%-12s %s\n", statusName(r.status), r.name.c_str());
    if (isBad(r)) printf("%s\n", r.message.substr(0, 1500).c_str());
  };
  std::vector<Result> results = runCases(chosen, a.run, driver, show);
  auto flakes = readNames(expectationFile(a.expect, "flakes", *driver));
  for (Result& r : results)
    for (int chance = 0; chance < 2 && isBad(r) && matches(flakes, r.name); ++chance)
      for (size_t i : chosen)
        if (cases()[i].name == r.name) r = runCases({i}, a.run, driver, show)[0];
  return results;
}

/// What is expected of a driver: failures, and what it is known to lack. Where the latter is written down, a case more
/// that is not supported is a feature that was lost.
struct Expected {
  std::vector<std::string> fails, unsupported;
  bool pinned;
  Expected(const std::string& folder, const Driver& driver)
      : fails(readNames(expectationFile(folder, "fails", driver))), pinned(false) {
    const std::string lacking = expectationFile(folder, "unsupported", driver);
    pinned = std::filesystem::exists(lacking);
    if (pinned) unsupported = readNames(lacking);
  }
};

/// Prints the summary. \returns how many cases failed that are not expected to
size_t summarize(const std::vector<Result>& results, const Expected& expected, const Driver& driver, double seconds) {
  size_t counts[5] = {}, unexpected = 0;
  for (auto& r : results) {
    ++counts[int(r.status)];
    bool known = matches(expected.fails, r.name);
    unexpected += isBad(r) && !known;
    if (expected.pinned && r.status == Status::NotSupported && !matches(expected.unsupported, r.name))
      printf("not supported, though it was: %s (%s)\n", r.name.c_str(), r.message.substr(0, 200).c_str()), ++unexpected;
    if (r.status == Status::Pass && known) printf("passes though expected to fail: %s\n", r.name.c_str());
  }
  printf("%s %s: %zu cases in %.1f s:", driver.name.c_str(), driver.version.c_str(), results.size(), seconds);
  for (int s = 0; s < 5; ++s)
    if (counts[s]) printf(" %zu %s", counts[s], statusName(Status(s)));
  printf("; %zu unexpected\n", unexpected);
  return unexpected;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  if (!a.diff[0].empty()) return diff(a.diff[0], a.diff[1]);
#define CTS_CALL(name) register##name();
  if (a.selftest) {
    registerSelftest();
  } else {
    CTS_GROUPS(CTS_CALL)
  }
  if (!namesAreUnique()) return 2;
  size_t asked = 0;
  const std::vector<size_t> chosen = choose(a, &asked);
  if (a.list) return print(chosen, a.mirrors), 0;
  if (chosen.empty() && asked > 0) return 0;  // fewer cases than shards
  if (chosen.empty()) {
    fputs("etzel-cts: no case has such a name\n", stderr);
    return 2;
  }
  auto begin = std::chrono::steady_clock::now();
  Driver driver;
  const std::vector<Result> results = runWithChances(a, chosen, &driver);
  if (!a.qpa.empty()) writeQpa(a.qpa, driver.name, results);
  if (!a.junit.empty()) writeJunit(a.junit, driver.name, results);
  if (!a.digests.empty()) writeDigests(a.digests, results);
  if (!a.html.empty()) writeHtml(a.html, driver.name, results);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summarize(results, Expected(a.expect, driver), driver, seconds) != 0;
}
