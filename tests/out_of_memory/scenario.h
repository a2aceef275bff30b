// What is tried without memory: one scenario per area of the driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/out_of_memory/gpu.h"

namespace oom {

/// Requests fail in act() and in what it made being destroyed; prepare() has all it asks for. Both make everything
/// through the Gpu, so that its release() finds it.
class Scenario {
 public:
  explicit Scenario(Level level = Level::Device, bool onWindows = false) : needs(level), windows(onWindows) {}
  virtual ~Scenario() = default;
  virtual VkResult prepare(Gpu&) { return VK_SUCCESS; }
  /// \returns VK_ERROR_UNKNOWN when all calls succeeded and the results are wrong.
  virtual VkResult act(Gpu& gpu) = 0;

  const Level needs;
  const bool windows;  ///< instance and device are for X windows
};

struct Entry {
  std::string name;
  std::unique_ptr<Scenario> (*make)();
  const char* environment = nullptr;  ///< "NAME=value" that the driver reads when its process begins
  bool warm = false;  ///< the cache on disk holds what an earlier process compiled; environment is "ETZEL_CACHE="
  const char* (*missing)() = nullptr;  ///< says what it needs and is not there: then it is not run
  bool segments = true;                ///< the system gives shared memory segments (shmget)
};

template <class S>
std::unique_ptr<Scenario> makeScenario() {
  return std::make_unique<S>();
}

// scenarios/
std::vector<Entry> objectScenarios();
std::vector<Entry> sparseScenarios();
std::vector<Entry> compileScenarios();
std::vector<Entry> shaderObjectScenarios();
std::vector<Entry> binaryScenarios();
std::vector<Entry> commandScenarios();
std::vector<Entry> dispatchScenarios();
std::vector<Entry> drawScenarios();
std::vector<Entry> presentScenarios();
std::vector<Entry> windowScenarios();

}  // namespace oom
