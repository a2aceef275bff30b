#include "runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/clock.h"
#include "scenarios/supersample.h"

namespace vkbench {
namespace {

using Json = nlohmann::json;
using State = DriverResult::State;

/// A folder of this process that vanishes with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/etzel-vkbench-XXXXXX";
    path_ = mkdtemp(name) ? name : "";
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What drivers keep on disk: nothing, so that "cold" is cold on every run, or in `folder`.
void setDriversCaches(const std::string& folder) {
  setenv("ETZEL_CACHE", folder.empty() ? "off" : (folder + "/etzel").c_str(), 1);
  setenv("MESA_SHADER_CACHE_DISABLE", folder.empty() ? "true" : "false", 1);
  if (!folder.empty()) setenv("MESA_SHADER_CACHE_DIR", (folder + "/mesa").c_str(), 1);
}

/// Runs one scenario in a process of its own. `folder`: what the lives of a row that is not cold share; `fill`: this is
/// the first of them.
DriverResult spawn(const std::string& scenario, const Driver& driver, const RunOptions& options,
                   const std::string& folder = "", bool fill = false) {
  int fds[2];
  DriverResult result;
  if (pipe(fds) != 0) {
    result.reason = "pipe";
    return result;
  }
  const std::string start = fmt::format("{:.9f}", now());
  const pid_t pid = fork();
  if (pid == 0) {
    close(fds[0]);
    setenv("VK_DRIVER_FILES", driver.manifest.c_str(), 1);
    setenv("VK_ICD_FILENAMES", driver.manifest.c_str(), 1);  // loaders before 1.3.207
    setDriversCaches(folder);
    const std::string cache = folder.empty() ? "" : folder + "/data";
    execl("/proc/self/exe", "etzel-vkbench", "--child", scenario.c_str(), "--fd", std::to_string(fds[1]).c_str(),
          "--start", start.c_str(), "--seconds", fmt::format("{}", options.seconds).c_str(), "--cache-file",
          cache.c_str(), fill ? "--fill-cache" : nullptr, nullptr);
    _exit(127);
  }
  close(fds[1]);
  std::string text;
  const double deadline = now() + options.timeoutSeconds;
  bool timedOut = false;
  for (;;) {
    pollfd p{fds[0], POLLIN, 0};
    const int left = int((deadline - now()) * 1000);
    if (left <= 0 || poll(&p, 1, left) == 0) {
      timedOut = true;
      kill(pid, SIGKILL);
      break;
    }
    char buffer[4096];
    const ssize_t n = read(fds[0], buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, size_t(n));
  }
  close(fds[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  const Json j = Json::parse(text, nullptr, false);
  if (timedOut) {
    result.state = State::TimedOut;
    result.reason = fmt::format("not done after {} s", options.timeoutSeconds);
  } else if (j.is_discarded()) {
    result.state = State::Crashed;
    result.reason = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                        : fmt::format("exit status {}", WEXITSTATUS(status));
  } else {
    result.device = j.value("device", "");
    result.version = j.value("version", "");
    result.reason = j.value("reason", "");
    const std::string state = j.at("state");
    result.state = state == "ok" ? State::Ok : state == "unsupported" ? State::Unsupported : State::Failed;
    if (result.state == State::Ok) {
      result.value = result.best = j.at("value").is_number() ? j.at("value").get<double>() : 0;
      result.cpuSeconds = j.at("cpu");
      result.repetitions = j.at("repetitions");
      result.checksum = j.at("checksum");
      result.strayPixels = j.at("stray");
      for (const Json& d : j.at("digest")) result.digest.push_back(d.is_number() ? d.get<float>() : NAN);
    }
  }
  return result;
}

/// VkPhysicalDeviceDriverProperties where the device has them: lavapipe's and SwiftShader's numbers say little.
std::string versionOf(const Gpu& gpu) {
  const uint32_t v = gpu.properties.driverVersion;
  const std::string number =
      fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v), VK_API_VERSION_PATCH(v));
  if (gpu.properties.apiVersion < VK_API_VERSION_1_2) return number;
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver, {}};
  vkGetPhysicalDeviceProperties2(gpu.physical, &all);
  return driver.driverInfo[0] ? driver.driverInfo : number;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

/// The largest difference of two digests; infinite where their lengths differ or one has no number.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const double e = std::fabs(double(a[k]) - double(b[k]));
    if (!(e <= largest)) largest = std::isnan(e) ? INFINITY : e;
  }
  return largest;
}

/// Compares every driver's digest with the first one that has one, and every picture with its reference.
void judge(ScenarioResult& r, const std::vector<Driver>& drivers) {
  const DriverResult* reference = nullptr;
  std::string differ;
  const auto complain = [&](const std::string& what) { differ += (differ.empty() ? "" : ", ") + what; };
  bool compared = false, equal = true, others = false;
  for (size_t i = 0; i < r.drivers.size(); ++i) {
    const DriverResult& d = r.drivers[i];
    if (d.state != State::Ok) continue;
    if (d.strayPixels > kStrayLimit)
      complain(fmt::format("{}: {:.1f} % of the pixels are not what single samples give", drivers[i].name,
                           100 * d.strayPixels));
    compared = compared || d.strayPixels >= 0;
    if (d.digest.empty()) continue;
    if (!reference) {
      reference = &d;
      continue;
    }
    compared = others = true;
    equal = equal && reference->checksum == d.checksum;
    const double e = difference(reference->digest, d.digest);
    if (e > r.scenario.tolerance)
      complain(
          fmt::format("{} / {} by {:.3g}", drivers[size_t(reference - r.drivers.data())].name, drivers[i].name, e));
  }
  r.differs = !differ.empty();
  r.agreement = r.differs ? "DIFFERS (" + differ + ")" : !compared ? "-" : others && equal ? "equal" : "close";
}

}  // namespace

std::vector<Driver> defaultDrivers() {
  namespace fs = std::filesystem;
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::vector<Driver> drivers;
  for (const Driver& d : {Driver{"etzel", (build / "lib/etzel_icd.x86_64.json").string()},
                          Driver{"lavapipe", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"},
                          Driver{"swiftshader", "/usr/lib/chromium/vk_swiftshader_icd.json"}})
    if (fs::exists(d.manifest)) drivers.push_back(d);
  return drivers;
}

ScenarioResult runScenario(const Scenario& scenario, const std::vector<Driver>& drivers, const RunOptions& options) {
  ScenarioResult r;
  r.scenario = scenario;
  r.drivers.resize(drivers.size());
  std::vector<std::vector<double>> values(drivers.size());
  for (int round = 0; round < options.rounds; ++round)
    for (size_t i = 0; i < drivers.size(); ++i) {
      const size_t d = round % 2 ? drivers.size() - 1 - i : i;  // a machine that grows slower is so for all of them
      if (round > 0 && r.drivers[d].state != State::Ok) continue;
      const TemporaryFolder folder;
      if (scenario.life != Life::Cold) spawn(scenario.name, drivers[d], options, folder.path(), true);
      DriverResult one = spawn(scenario.name, drivers[d], options, scenario.life == Life::Cold ? "" : folder.path());
      if (one.state == State::Ok) values[d].push_back(one.value);
      r.drivers[d] = std::move(one);
    }
  for (size_t d = 0; d < drivers.size(); ++d) {
    if (r.drivers[d].state != State::Ok) continue;
    r.drivers[d].value = median(values[d]);
    const auto [low, high] = std::minmax_element(values[d].begin(), values[d].end());
    r.drivers[d].best = scenario.higherIsBetter ? *high : *low;
  }
  judge(r, drivers);
  return r;
}

int runChild(const std::string& name, int fd, double start, double seconds) {
  processStart = start;
  Json j;
  try {
    std::vector<Scenario> known = allScenarios();
    for (Scenario& s : sweepScenarios()) known.push_back(std::move(s));
    for (const Scenario& s : known) {
      if (s.name != name) continue;
      Gpu gpu;
      gpu.measureSeconds = seconds;
      j["device"] = gpu.properties.deviceName;
      j["version"] = versionOf(gpu);
      const Outcome o = s.run(gpu);
      j["state"] = "ok";
      j["value"] = o.value;
      j["cpu"] = o.timing.cpu;
      j["repetitions"] = o.timing.repetitions;
      j["digest"] = o.digest;
      j["checksum"] = o.checksum;
      j["stray"] = o.strayPixels;
    }
    if (!j.contains("state")) throw Failed("no such scenario");
  } catch (const Unsupported& e) {
    j["state"] = "unsupported";
    j["reason"] = e.what();
  } catch (const std::exception& e) {
    j["state"] = "failed";
    j["reason"] = e.what();
  }
  const std::string text = j.dump();
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n <= 0) return 1;
    done += size_t(n);
  }
  return 0;
}

}  // namespace vkbench
