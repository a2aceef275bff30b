// Runs cases in worker processes, so that one that crashes or hangs costs itself only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cts-subset/support/case.h"
#include "cts-subset/support/result.h"

namespace etzel::cts {

struct RunOptions {
  unsigned jobs = 2;
  double caseSeconds = 60;  ///< after this a case is killed and counts as Timeout
  size_t batch = 150;       ///< cases of one worker process
  bool digests = false;     ///< fill Result::digest
};

/// Who ran the cases.
struct Driver {
  std::string name = "unknown";  ///< VkPhysicalDeviceDriverProperties::driverName
  std::string version;           ///< numbers with dots: the first in driverInfo, else driverVersion as Vulkan packs it
};

/// Runs `chosen` (indices of cases()); `done` is called for each result as it comes. Results are in the order of
/// `chosen`; `driver` receives who ran them.
std::vector<Result> runCases(const std::vector<size_t>& chosen, const RunOptions& options, Driver* driver,
                             const std::function<void(const Result&)>& done);

/// Registers the cases of --selftest.
void registerSelftest();

}  // namespace etzel::cts
