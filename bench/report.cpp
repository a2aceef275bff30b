#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace vkbench {
namespace {

using State = DriverResult::State;

std::string number(double v) {
  if (v == 0) return "0";
  const double a = std::fabs(v);
  return fmt::format("{:.{}f}", v, a >= 100 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : 3);
}

const char* word(State s) {
  switch (s) {
    case State::Ok: return "ok";
    case State::Unsupported: return "unsupported";
    case State::Failed: return "failed";
    case State::Crashed: return "crashed";
    case State::TimedOut: return "timeout";
  }
  return "";
}

std::string cell(const DriverResult& d) { return d.state == State::Ok ? number(d.value) : word(d.state); }

}  // namespace

double ratioToBestPeer(const ScenarioResult& r, double DriverResult::*of) {
  if (r.drivers.empty() || r.drivers[0].state != State::Ok || r.drivers[0].*of <= 0) return 0;
  double best = 0;
  for (size_t i = 1; i < r.drivers.size(); ++i) {
    const DriverResult& d = r.drivers[i];
    if (d.state != State::Ok || d.*of <= 0) continue;
    const double ratio = r.scenario.higherIsBetter ? r.drivers[0].*of / d.*of : d.*of / r.drivers[0].*of;
    best = best == 0 ? ratio : std::min(best, ratio);
  }
  return best;
}

std::string limitsTable(const Limits& l) {
  std::string t = fmt::format("{}, {} cores, {}\n\n| limit | 1 thread | {} threads |\n|---|---:|---:|\n", l.cpu,
                              l.threads, l.features, l.threads);
  const auto row = [&](const char* what, double Limits::Set::*m) {
    t += fmt::format("| {} | {} | {} |\n", what, number(l.one.*m), number(l.all.*m));
  };
  row("memory read, GB/s", &Limits::Set::read);
  row("memory write, GB/s", &Limits::Set::write);
  row("memory copy, GB/s copied", &Limits::Set::copy);
  row("cache read (8 MiB), GB/s", &Limits::Set::cacheRead);
  row("cache write (8 MiB), GB/s", &Limits::Set::cacheWrite);
  row("cache copy (8 MiB), GB/s copied", &Limits::Set::cacheCopy);
  row("multiply-add, widest vectors, GFLOP/s", &Limits::Set::fma);
  row("multiply-add, 256 bits, GFLOP/s", &Limits::Set::fma256);
  return t;
}

std::string tableHeader(const Report& r) {
  std::string a = "| scenario | unit |", b = "|---|---|";
  for (const Driver& d : r.drivers) {
    a += " " + d.name + " |";
    b += "---:|";
  }
  return a + " to best peer | limit | of limit | results |\n" + b + "---:|---:|---:|---|\n";
}

std::string meanLine(const Report& r) {
  size_t rows = 0;
  const auto mean = [&](double DriverResult::*of) {
    double logarithms = 0;
    rows = 0;
    for (const ScenarioResult& s : r.results)
      if (const double ratio = ratioToBestPeer(s, of); ratio > 0) logarithms += std::log(ratio), ++rows;
    return std::exp(logarithms / static_cast<double>(std::max<size_t>(rows, 1)));
  };
  const double best = mean(&DriverResult::best), medians = mean(&DriverResult::value);
  if (rows == 0) return {};
  return fmt::format("\ngeometric mean of {} rows to the best peer: {:.4f}× by medians, {:.4f}× by best rounds\n", rows,
                     medians, best);
}

std::string tableRow(const Report& r, const ScenarioResult& s) {
  std::string row =
      fmt::format("| {} | {}{} |", s.scenario.name, s.scenario.unit, s.scenario.higherIsBetter ? "" : " ↓");
  for (const DriverResult& d : s.drivers) row += " " + cell(d) + " |";
  const double ratio = ratioToBestPeer(s), limit = r.limits.of(s.scenario);
  row += ratio > 0 ? fmt::format(" {}× |", number(ratio)) : " – |";
  if (limit > 0 && !s.drivers.empty() && s.drivers[0].state == State::Ok)
    row += fmt::format(" {} | {:.1f} % |", number(limit), 100 * s.drivers[0].value / limit);
  else
    row += limit > 0 ? fmt::format(" {} | – |", number(limit)) : " – | – |";
  return row + " " + s.agreement + " |\n";
}

namespace {

/// Device and version of driver `d`, from the first scenario that got so far.
std::pair<std::string, std::string> identity(const Report& r, size_t d) {
  for (const ScenarioResult& s : r.results)
    if (!s.drivers[d].device.empty()) return {s.drivers[d].device, s.drivers[d].version};
  return {"", ""};
}

}  // namespace

std::string versionLines(const Report& r) {
  std::string t;
  for (size_t d = 0; d < r.drivers.size(); ++d) {
    const auto [device, version] = identity(r, d);
    t += fmt::format("{}: {}, {}\n", r.drivers[d].name, device, version);
  }
  return t;
}

std::string toJson(const Report& r) {
  nlohmann::ordered_json j;
  const auto set = [](const Limits::Set& s) {
    return nlohmann::ordered_json{{"read_gb_s", s.read},
                                  {"write_gb_s", s.write},
                                  {"copy_gb_s", s.copy},
                                  {"cache_read_gb_s", s.cacheRead},
                                  {"cache_write_gb_s", s.cacheWrite},
                                  {"cache_copy_gb_s", s.cacheCopy},
                                  {"fma_gflop_s", s.fma},
                                  {"fma256_gflop_s", s.fma256}};
  };
  j["machine"] = {{"cpu", r.limits.cpu}, {"threads", r.limits.threads}, {"features", r.limits.features}};
  j["limits"] = {{"one_thread", set(r.limits.one)}, {"all_threads", set(r.limits.all)}};
  j["drivers"] = nlohmann::ordered_json::array();
  for (size_t d = 0; d < r.drivers.size(); ++d) {
    const auto [device, version] = identity(r, d);
    j["drivers"].push_back({{"name", r.drivers[d].name}, {"device", device}, {"version", version}});
  }
  j["scenarios"] = nlohmann::ordered_json::array();
  for (const ScenarioResult& s : r.results) {
    nlohmann::ordered_json o;
    o["name"] = s.scenario.name;
    o["unit"] = s.scenario.unit;
    o["higher_is_better"] = s.scenario.higherIsBetter;
    o["limit"] = r.limits.of(s.scenario);
    o["ratio_to_best_peer"] = ratioToBestPeer(s);
    o["results"] = s.agreement;
    for (size_t i = 0; i < s.drivers.size(); ++i) {
      const DriverResult& d = s.drivers[i];
      auto& e = o["drivers"][r.drivers[i].name];
      e["state"] = word(d.state);
      if (!d.reason.empty()) e["reason"] = d.reason;
      e["device"] = d.device;
      if (d.state != State::Ok) continue;
      e["median"] = d.value;
      e["best"] = d.best;
      e["cpu_seconds"] = d.cpuSeconds;
      e["repetitions"] = d.repetitions;
      if (d.strayPixels >= 0) e["stray_pixels"] = d.strayPixels;
      e["checksum"] = fmt::format("{:016x}", d.checksum);
    }
    j["scenarios"].push_back(o);
  }
  return j.dump(1) + "\n";
}

std::string toSvg(const Report& r) {
  // One row a scenario, a bar a driver: speed relative to the best peer, on a logarithmic axis from 1/16 to 64.
  constexpr double kLeft = 230, kWidthOfPlot = 560, kRow = 20, kTop = 50, kLow = -4, kHigh = 6;
  static constexpr const char* kColors[] = {"#1b6ca8", "#d98324", "#5b8c3e", "#8d5a97", "#777777"};
  const auto x = [&](double ratio) {
    const double l = std::clamp(std::log2(std::max(ratio, 1e-9)), kLow, kHigh);
    return kLeft + (l - kLow) / (kHigh - kLow) * kWidthOfPlot;
  };
  const double height = kTop + kRow * double(r.results.size()) + 20;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"{0}\" viewBox=\"0 0 860 {0}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"860\" height=\"{0}\" fill=\"white\"/>\n",
      height);
  svg += fmt::format("<text x=\"10\" y=\"18\" font-size=\"13\">Speed relative to the best peer, {} ({} cores)</text>\n",
                     r.limits.cpu, r.limits.threads);
  for (size_t d = 0; d < r.drivers.size(); ++d)
    svg += fmt::format(
        "<rect x=\"{0}\" y=\"26\" width=\"10\" height=\"10\" fill=\"{1}\"/><text x=\"{2}\" y=\"35\">{3}</text>\n",
        10 + 110 * d, kColors[d % 5], 24 + 110 * d, r.drivers[d].name);
  for (int e = int(kLow); e <= int(kHigh); e += 2) {
    const double at = x(std::exp2(e));
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\"/><text x=\"{0:.1f}\" y=\"{4}\" "
        "text-anchor=\"middle\">{5}</text>\n",
        at, kTop, height - 16, e == 0 ? "#000" : "#ddd", height - 4,
        e < 0 ? fmt::format("1/{}", 1 << -e) : fmt::format("{}×", 1 << e));
  }
  for (size_t i = 0; i < r.results.size(); ++i) {
    const ScenarioResult& s = r.results[i];
    const double y = kTop + kRow * double(i);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 13, s.scenario.name);
    double best = 0;  // the best peer, as a speed; this driver itself where there is none
    const auto speed = [&](const DriverResult& d) {
      return d.state != State::Ok || d.value <= 0 ? 0 : s.scenario.higherIsBetter ? d.value : 1 / d.value;
    };
    for (size_t d = 1; d < s.drivers.size(); ++d) best = std::max(best, speed(s.drivers[d]));
    if (best == 0 && !s.drivers.empty()) best = speed(s.drivers[0]);
    const double bar = 16.0 / double(std::max<size_t>(1, s.drivers.size()));
    for (size_t d = 0; d < s.drivers.size() && best > 0; ++d) {
      const double v = speed(s.drivers[d]);
      if (v <= 0) continue;
      const double a = std::min(x(1), x(v / best)), b = std::max(x(1), x(v / best));
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", a,
                         y + 2 + bar * double(d), std::max(1.0, b - a), bar, kColors[d % 5]);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace vkbench
