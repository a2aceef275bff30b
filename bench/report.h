// The results as a Markdown table, as JSON, and as a plot.
#pragma once

#include <string>
#include <vector>

#include "limits.h"
#include "runner.h"

namespace vkbench {

struct Report {
  std::vector<Driver> drivers;  ///< the first is compared with the others
  Limits limits;
  std::vector<ScenarioResult> results;
};

std::string limitsTable(const Limits& limits);
std::string tableHeader(const Report& report);
std::string tableRow(const Report& report, const ScenarioResult& result);
/// The geometric mean of all rows' ratioToBestPeer(); nothing where no row has one.
std::string meanLine(const Report& report);
/// A line for each driver: what its device and it itself are called, with version.
std::string versionLines(const Report& report);
std::string toJson(const Report& report);
std::string toSvg(const Report& report);

/// How much better the first driver is than the best other one; 0 when either has no result.
double ratioToBestPeer(const ScenarioResult& result, double DriverResult::*of = &DriverResult::value);

}  // namespace vkbench
