// The history of a pixel: the request "etzel/pixelHistory", and "$history" in the console.
#include "adapter.h"
#include "tools/common/history_text.h"

namespace etzel_debug {
namespace {

/// Events for people.
std::string textOf(const Json& events) {
  std::string text;
  for (const Json& event : events) text += etzel_tools::eventText(event, {});
  return text.empty() ? "nothing has happened to the pixel yet" : text;
}

}  // namespace

/// {x, y, sample?, image?, layer?} begins to record that pixel from the next pass on; without x and y the events so far
/// come back, from `since` on.
void Adapter::pixelHistory(const Json& request, const Json& arguments) {
  std::vector<std::string> words;
  if (arguments.contains("x")) {
    words.push_back("pixel=" + arguments.at("x").dump() + "," + arguments.at("y").dump());
    for (const char* name : {"sample", "layer"})
      if (arguments.contains(name)) words.push_back(std::string(name) + "=" + arguments.at(name).dump());
    if (arguments.contains("image")) words.push_back("image=" + arguments.at("image").get<std::string>());
  } else {
    words.push_back("since=" + std::to_string(arguments.value("since", uint64_t{0})));
  }
  relay(request, "history", words, [](const Json& answer) {
    return Json{{"events", answer.at("events")}, {"next", answer.at("next")}, {"text", textOf(answer.at("events"))}};
  });
}

/// "$history" tells what has happened, "$history X,Y" begins to record a pixel.
bool Adapter::evaluateHistory(const Json& request, const std::string& expression) {
  constexpr std::string_view kName = "$history";
  if (!expression.starts_with(kName)) return false;
  const std::string rest = expression.substr(kName.size());
  if (!rest.empty() && rest[0] != ' ') return false;
  const size_t first = rest.find_first_not_of(' ');
  if (first == std::string::npos) {
    relay(request, "history", {"since=0"}, [](const Json& answer) {
      return Json{{"result", textOf(answer.at("events"))}, {"variablesReference", 0}};
    });
    return true;
  }
  const std::string pixel = rest.substr(first);
  relay(request, "history", {pixel == "off" ? pixel : "pixel=" + pixel}, [pixel](const Json&) {
    const std::string told =
        pixel == "off" ? "nothing is recorded" : "pixel " + pixel + " is recorded from the next pass on";
    return Json{{"result", told}, {"variablesReference", 0}};
  });
  return true;
}

}  // namespace etzel_debug
