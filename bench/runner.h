// Runs scenarios in child processes, one per driver and scenario, and gathers what they say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario.h"

namespace vkbench {

struct Driver {
  std::string name;
  std::string manifest;
};

/// Etzel beside this build, lavapipe and SwiftShader where their packages put them; only what exists.
std::vector<Driver> defaultDrivers();

struct DriverResult {
  enum class State { Ok, Unsupported, Failed, Crashed, TimedOut } state = State::Failed;
  std::string reason;     ///< unless Ok
  std::string device;     ///< what the driver calls it
  std::string version;    ///< VkPhysicalDeviceDriverProperties::driverInfo, else the number
  double value = 0;       ///< median over rounds, in the scenario's unit
  double best = 0;        ///< best round
  double cpuSeconds = 0;  ///< processor time of one repetition, all threads
  int repetitions = 0;
  std::vector<float> digest;
  uint64_t checksum = 0;
  double strayPixels = -1;  ///< see Outcome
};

struct ScenarioResult {
  Scenario scenario;
  std::vector<DriverResult> drivers;  ///< in the drivers' order
  std::string agreement;              ///< "equal", "close", "DIFFERS (…)" or "-"
  bool differs = false;               ///< the agreement is DIFFERS
};

struct RunOptions {
  int rounds = 3;
  double seconds = 0.15;  ///< measuring time of one child
  int timeoutSeconds = 30;
};

ScenarioResult runScenario(const Scenario& scenario, const std::vector<Driver>& drivers, const RunOptions& options);

/// The child's side: runs one scenario on the driver that the environment names and writes JSON to `fd`.
int runChild(const std::string& scenario, int fd, double start, double seconds);

}  // namespace vkbench
