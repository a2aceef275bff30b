#include "trace_text.h"

#include <algorithm>
#include <iomanip>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

namespace etzel_debug {
namespace {

using Json = nlohmann::json;

constexpr int kTextColumn = 60;  ///< where values begin

std::string numbers(const Json& list) {
  std::string out;
  for (const Json& n : list) out += (out.empty() ? "" : ", ") + n.dump();
  return "(" + out + ")";
}

std::string changes(const Json& list) {
  std::string out;
  for (const Json& c : list) out += (out.empty() ? "" : "  ") + c.value("name", "") + " = " + c.value("shown", "");
  return out;
}

void printSubject(const Json& event, std::ostream& out) {
  out << event.value("stage", "") << " invocation";
  if (!event.contains("pixel") && !event.contains("workgroup")) out << ", " << event.value("name", "");
  if (event.contains("pixel")) out << ", pixel " << numbers(event["pixel"]);
  if (event.contains("sample")) out << ", sample " << event["sample"];
  if (event.contains("workgroup")) out << ", workgroup " << numbers(event["workgroup"]);
  if (event.contains("invocation")) out << ", index " << event["invocation"];
  out << ", draw or dispatch " << event.value("draw", 0) << '\n';
}

void printLine(const Json& event, std::string& function, std::ostream& out) {
  const int depth = std::max(event.value("depth", 1), 1);
  const std::string indent(2 * static_cast<size_t>(depth - 1), ' ');
  if (const std::string now = event.value("function", ""); now != function) {
    out << indent << now << "  (" << event.value("file", "") << ")\n";
    function = now;
  }
  const std::string text = indent + event.value("text", "");
  const std::string changed = changes(event.value("changed", Json::array()));
  out << std::setw(5) << event.value("line", 0) << "  ";
  if (changed.empty())
    out << text << '\n';
  else
    out << std::left << std::setw(kTextColumn) << text << std::right << "  " << changed << '\n';
}

}  // namespace

int printTrace(std::istream& json, std::ostream& out) {
  int lines = -1;
  std::string function;
  for (std::string text; std::getline(json, text);) {
    const Json event = Json::parse(text, nullptr, false);
    if (event.is_discarded()) continue;  // the program ended in the middle of it
    const std::string kind = event.value("event", "");
    if (kind == "invocation") {
      printSubject(event, out);
      lines = 0;
    } else if (kind == "inputs") {
      for (const Json& input : event["values"])
        out << "  in " << input.value("type", "") << ' ' << input.value("name", "") << " = " << input.value("shown", "")
            << '\n';
    } else if (kind == "line") {
      printLine(event, function, out);
      ++lines;
    } else if (kind == "end" && event.value("discarded", false)) {
      out << "discarded\n";
    }
  }
  return lines;
}

}  // namespace etzel_debug
