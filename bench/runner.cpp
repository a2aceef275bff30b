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

namespace vkbench {
namespace {

using Json = nlohmann::json;
using State = DriverResult::State;

DriverResult spawn(const std::string& scenario, const Driver& driver, const RunOptions& options) {
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
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);          // "cold" is cold on every run
    execl("/proc/self/exe", "etzel-vkbench", "--child", scenario.c_str(), "--fd", std::to_string(fds[1]).c_str(),
          "--start", start.c_str(), "--seconds", fmt::format("{}", options.seconds).c_str(), nullptr);
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
    result.reason = j.value("reason", "");
    const std::string state = j.at("state");
    result.state = state == "ok" ? State::Ok : state == "unsupported" ? State::Unsupported : State::Failed;
    if (result.state == State::Ok) {
      result.value = result.best = j.at("value").is_number() ? j.at("value").get<double>() : 0;
      result.cpuSeconds = j.at("cpu");
      result.repetitions = j.at("repetitions");
      result.checksum = j.at("checksum");
      for (const Json& d : j.at("digest")) result.digest.push_back(d.is_number() ? d.get<float>() : NAN);
    }
  }
  return result;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

/// Compares every driver's digest with the first one that has one.
std::string agreement(const ScenarioResult& r, const std::vector<Driver>& drivers) {
  int reference = -1, compared = 0;
  bool equal = true;
  std::string differ;
  for (size_t i = 0; i < r.drivers.size(); ++i) {
    const DriverResult& d = r.drivers[i];
    if (d.state != State::Ok || d.digest.empty()) continue;
    if (reference < 0) {
      reference = int(i);
      continue;
    }
    ++compared;
    const DriverResult& a = r.drivers[size_t(reference)];
    equal = equal && a.checksum == d.checksum;
    double largest = a.digest.size() == d.digest.size() ? 0 : INFINITY;
    for (size_t k = 0; k < std::min(a.digest.size(), d.digest.size()); ++k) {
      const double e = std::fabs(double(a.digest[k]) - double(d.digest[k]));
      if (!(e <= largest)) largest = std::isnan(e) ? INFINITY : e;
    }
    if (largest > r.scenario.tolerance)
      differ += fmt::format("{}{} / {} by {:.3g}", differ.empty() ? "" : ", ", drivers[size_t(reference)].name,
                            drivers[i].name, largest);
  }
  if (!differ.empty()) return "DIFFERS (" + differ + ")";
  return compared == 0 ? "-" : equal ? "equal" : "close";
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
    for (size_t d = 0; d < drivers.size(); ++d) {
      if (round > 0 && r.drivers[d].state != State::Ok) continue;
      DriverResult one = spawn(scenario.name, drivers[d], options);
      if (one.state == State::Ok) values[d].push_back(one.value);
      r.drivers[d] = std::move(one);
    }
  for (size_t d = 0; d < drivers.size(); ++d) {
    if (r.drivers[d].state != State::Ok) continue;
    r.drivers[d].value = median(values[d]);
    const auto [low, high] = std::minmax_element(values[d].begin(), values[d].end());
    r.drivers[d].best = scenario.higherIsBetter ? *high : *low;
  }
  r.agreement = agreement(r, drivers);
  return r;
}

int runChild(const std::string& name, int fd, double start, double seconds) {
  processStart = start;
  Json j;
  try {
    for (const Scenario& s : allScenarios()) {
      if (s.name != name) continue;
      Gpu gpu;
      gpu.measureSeconds = seconds;
      j["device"] = gpu.properties.deviceName;
      const Outcome o = s.run(gpu);
      j["state"] = "ok";
      j["value"] = o.value;
      j["cpu"] = o.timing.cpu;
      j["repetitions"] = o.timing.repetitions;
      j["digest"] = o.digest;
      j["checksum"] = o.checksum;
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
