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
#include "cts-subset/support/runner.h"

using namespace etzel::cts;

static const char usage[] =
    "usage: etzel-cts [options] [PATTERN...]     runs the cases whose names match a glob, by default all; a glob that\n"
    "                                            begins with dEQP-VK. chooses by what the cases mirror\n"
    "  --list               print the names and stop\n"
    "  --list-mirrors       print the names, and beside each the case or group of Khronos' suite that it mirrors\n"
    "  --driver MANIFEST    the Vulkan driver, as the loader's JSON file\n"
    "  --caselist FILE      run the names in FILE, one a line\n"
    "  --jobs N             worker processes (default: one a core)\n"
    "  --timeout SECONDS    per case (default 60)\n"
    "  --expect FOLDER      where fails-<driver>.txt and flakes-<driver>.txt are\n"
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

int main(int argc, char** argv) {
  RunOptions options;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string caselist, qpa, junit, html, digests, expect = expectationFolder();
  std::vector<std::string> globs;
  bool list = false, mirrors = false, quiet = false, selftest = false;
  auto take = [&](const std::string& arg, const std::function<const char*()>& value) {
    if (arg == "--list") return list = true;
    if (arg == "--list-mirrors") return list = mirrors = true;
    if (arg == "--quiet") return quiet = true;
    if (arg == "--selftest") return selftest = true;
    if (arg == "--caselist") return caselist = value(), true;
    if (arg == "--jobs") return options.jobs = unsigned(std::max(1, atoi(value()))), true;
    if (arg == "--timeout") return options.caseSeconds = atof(value()), true;
    if (arg == "--expect") return expect = value(), true;
    if (arg == "--qpa") return qpa = value(), true;
    if (arg == "--junit") return junit = value(), true;
    if (arg == "--html") return html = value(), true;
    if (arg == "--digests") return options.digests = true, digests = value(), true;
    if (arg != "--driver") return false;
    const char* manifest = value();
    setenv("VK_DRIVER_FILES", manifest, 1);
    setenv("VK_ICD_FILENAMES", manifest, 1);  // the name that older loaders know
    return true;
  };
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    auto value = [&]() -> const char* {
      if (i + 1 < argc) return argv[++i];
      fputs(usage, stderr);
      exit(2);
    };
    if (arg == "--diff") {
      const char* a = value();
      return diff(a, value());
    }
    if (take(arg, value)) continue;
    if (arg[0] == '-') {
      fputs(usage, arg == "--help" ? stdout : stderr);
      return arg == "--help" ? 0 : 2;
    }
    globs.push_back(arg);
  }
#define CTS_CALL(name) register##name();
  if (selftest) {
    registerSelftest();
  } else {
    CTS_GROUPS(CTS_CALL)
  }
  std::set<std::string> names, unique;
  if (!caselist.empty())
    for (auto& name : readNames(caselist)) names.insert(name);
  for (auto& c : cases())
    if (!unique.insert(c.name).second) {
      fprintf(stderr, "etzel-cts: two cases are named %s\n", c.name.c_str());
      return 2;
    }
  for (auto& name : names)
    if (!unique.count(name)) fprintf(stderr, "etzel-cts: %s names no case: %s\n", caselist.c_str(), name.c_str());
  const char* total = getenv("GTEST_TOTAL_SHARDS");
  const char* index = getenv("GTEST_SHARD_INDEX");
  size_t shards = total ? std::max(1, atoi(total)) : 1, shard = index ? size_t(atoi(index)) : 0, position = 0;
  if (const char* status = getenv("GTEST_SHARD_STATUS_FILE")) std::ofstream(status).put('\n');
  std::vector<size_t> chosen;
  for (size_t i = 0; i < cases().size(); ++i) {
    const std::string& name = cases()[i].name;
    if (!caselist.empty() && !names.count(name)) continue;
    if (!globs.empty() && !matches(globs, name) && !matches(globs, mirrorOf(name))) continue;
    if (position++ % shards == shard) chosen.push_back(i);
  }
  if (list) {
    for (size_t i : chosen) {
      std::string mirrored = mirrors ? mirrorOf(cases()[i].name) : "";
      printf("%s%s%s\n", cases()[i].name.c_str(), mirrored.empty() ? "" : " # ", mirrored.c_str());
    }
    return 0;
  }
  if (chosen.empty() && position > 0) return 0;  // fewer cases than shards
  if (chosen.empty()) {
    fputs("etzel-cts: no case has such a name\n", stderr);
    return 2;
  }
  auto begin = std::chrono::steady_clock::now();
  std::string driver = "unknown";
  auto print = [&](const Result& r) {
    bool bad = r.status != Status::Pass && r.status != Status::NotSupported;
    if (quiet && !bad) return;
    printf("%-12s %s\n", statusName(r.status), r.name.c_str());
    if (bad) printf("%s\n", r.message.substr(0, 1500).c_str());
  };
  std::vector<Result> results = runCases(chosen, options, &driver, print);
  std::string key = driver;
  for (char& c : key) c = c == ' ' ? '_' : char(tolower(c));
  auto fails = readNames(expect + "/fails-" + key + ".txt"), flakes = readNames(expect + "/flakes-" + key + ".txt");
  // A case that is known to be unsteady gets two more chances.
  for (Result& r : results)
    for (int chance = 0; chance < 2 && r.status != Status::Pass && r.status != Status::NotSupported; ++chance) {
      if (!matches(flakes, r.name)) break;
      for (size_t i : chosen)
        if (cases()[i].name == r.name) r = runCases({i}, options, &driver, print)[0];
    }
  if (!qpa.empty()) writeQpa(qpa, driver, results);
  if (!junit.empty()) writeJunit(junit, driver, results);
  if (!digests.empty()) writeDigests(digests, results);
  if (!html.empty()) writeHtml(html, driver, results);
  size_t counts[5] = {}, unexpected = 0, fixed = 0;
  for (auto& r : results) {
    ++counts[int(r.status)];
    bool bad = r.status != Status::Pass && r.status != Status::NotSupported, known = matches(fails, r.name);
    unexpected += bad && !known;
    if (r.status == Status::Pass && known) printf("passes though expected to fail: %s\n", r.name.c_str()), ++fixed;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  printf("%s: %zu cases in %.1f s:", driver.c_str(), results.size(), seconds);
  for (int s = 0; s < 5; ++s)
    if (counts[s]) printf(" %zu %s", counts[s], statusName(Status(s)));
  printf("; %zu unexpected\n", unexpected);
  return unexpected != 0;
}
