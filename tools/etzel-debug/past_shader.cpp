// The adapter's part of what comes behind a fragment shader: the pages of an event are frames, `next` turns them.
#include "past_shader.h"

#include "adapter.h"

namespace etzel_debug {
namespace {

/// References of sources that are pages; those of shaders are smaller.
constexpr uint64_t kPageSources = uint64_t{1} << 30;
/// References of a stop that are the pixel's; those of the driver are smaller.
constexpr uint64_t kPixelReferences = uint64_t{1} << (Adapter::kReferenceBits - 1);

}  // namespace

void Adapter::past(const Json& e) {
  const auto stop = e.at("stop").get<uint64_t>();
  Past told;
  try {
    told.title = titleOf(e.at("history"));
    told.pages = pagesOf(e.at("history"));
  } catch (const Json::exception&) {
    // Nobody could let go of what cannot be shown.
    engine_.ask("continue", {std::to_string(stop)}, [](const Json&, const std::string&) {});
    throw;
  }
  Past& past = pasts_[stop] = std::move(told);
  for (const PastPage& page : past.pages) past.lists.push_back({&page.values, page.name});
  const std::string reason = e.value("reason", "step");
  stops_[stop] = {{"thread", stop << kThreadBits}, {"reason", reason}};
  if (reason == "step") return turnPage(stop, past);
  // What a breakpoint was about is opened: the page of the mask, or that of a write.
  const std::string text = e.value("text", "");
  const char* const about = text.find("mask") == std::string::npos ? "wri" : "fragment mask";
  for (size_t i = past.pages.size(); i-- > 0;)
    if (past.pages[i].name.starts_with(about)) past.page = i;
  lastThread_ = stop << kThreadBits;
  Json body = {{"reason", reason}, {"threadId", lastThread_}, {"text", text}, {"description", text}};
  if (const Json ids = e.value("breakpoints", Json::array()); !ids.empty()) body["hitBreakpointIds"] = ids;
  tellStop(std::move(body));
}

void Adapter::turnPage(uint64_t stop, const Past& past) {
  lastThread_ = stop << kThreadBits;
  tellStop({{"reason", "step"}, {"threadId", lastThread_}, {"description", past.pages[past.page].name}});
}

void Adapter::keepPixel(uint64_t stop, const Json& history) {
  Past pixel;
  pixelEvents_ = history.is_object() ? history.value("next", uint64_t{0}) : 0;
  if (history.is_object()) pixel.pages = {{"Pixel", {}, pixelOf(history.at("events"))}};
  pixels_.erase(stop);
  if (pixel.pages.empty() || pixel.pages[0].values.empty()) return;
  Past& kept = pixels_[stop] = std::move(pixel);
  kept.lists.push_back({&kept.pages[0].values, {}});
}

uint64_t Adapter::pixelScope(uint64_t stop) { return stop << kReferenceBits | kPixelReferences | 1; }

std::vector<std::string> Adapter::pixelPart(uint64_t reference, const std::string& name) const {
  const auto pixel = pixels_.find(reference >> kReferenceBits);
  const uint64_t list = reference & (kPixelReferences - 1);
  if (pixel == pixels_.end() || !(reference & kPixelReferences) || !list || list > pixel->second.lists.size())
    return {};
  const std::string& whole = pixel->second.lists[list - 1].name;
  constexpr std::string_view kSample = "sample ";
  if (whole.empty()) return {name, ""};
  if (name == "fragment mask") return {whole, "mask"};
  return {whole, name.starts_with(kSample) ? name.substr(kSample.size()) : name};
}

bool Adapter::handlePast(const Json& request, const Json& arguments) {
  const std::string command = request.at("command");
  if (const auto reference = arguments.value("variablesReference", uint64_t{0}); command == "variables") {
    const auto pixel = pixels_.find(reference >> kReferenceBits);
    if (pixel != pixels_.end() && (reference & (2 * kPixelReferences - 1)) > kPixelReferences)
      return respond(request, variablesPast(pixel->first, pixel->second, reference)), true;
  }
  if (pasts_.empty()) return false;
  uint64_t stop = 0;
  if (arguments.contains("threadId"))
    stop = arguments["threadId"].get<uint64_t>() >> kThreadBits;
  else if (arguments.contains("frameId"))
    stop = frameOf(arguments).first >> kThreadBits;
  else if (arguments.contains("variablesReference"))
    stop = arguments["variablesReference"].get<uint64_t>() >> kReferenceBits;
  else if (command == "source" && arguments.value("sourceReference", uint64_t{0}) > kPageSources)
    stop = arguments["sourceReference"].get<uint64_t>() - kPageSources;
  const auto found = pasts_.find(stop);
  if (found == pasts_.end()) return false;
  Past& past = found->second;
  if (command == "next" || command == "stepIn" || command == "stepBack" || command == "reverseContinue")
    return stepPast(request, stop, past), true;
  if (command == "stepOut") {
    relay(request, "continue", {std::to_string(stop)}, [](const Json&) { return Json::object(); });
  } else if (command == "stackTrace") {
    respond(request, framesPast(stop, past));
  } else if (command == "scopes") {
    const uint64_t page = past.page - std::min(frameOf(arguments).second, past.page);
    respond(request, {{"scopes",
                       {{{"name", past.pages[page].name},
                         {"variablesReference", stop << kReferenceBits | (page + 1)},
                         {"expensive", false}}}}});
  } else if (command == "variables") {
    respond(request, variablesPast(stop, past, arguments["variablesReference"].get<uint64_t>()));
  } else if (command == "source") {
    std::string text;
    for (const PastPage& page : past.pages) {
      text += page.name + "\n";
      for (const std::string& line : page.text) text += "  " + line + "\n";
    }
    respond(request, {{"content", text}});
  } else if (command == "continue") {
    return false;
  } else if (command != "evaluate" || !evaluateHistory(request, arguments.value("expression", ""))) {
    refuse(request, "the shader has ended; what is here comes behind it");
  }
  return true;
}

void Adapter::stepPast(const Json& request, uint64_t stop, Past& past) {
  const bool back = request.at("command") == "stepBack" || request.at("command") == "reverseContinue";
  if (!back && past.page + 1 == past.pages.size()) {
    // To the resolve of the pixel, if the pass has one.
    relay(request, "continue", {std::to_string(stop), "resolve"}, [](const Json&) { return Json::object(); });
    return;
  }
  if (!back)
    ++past.page;
  else if (past.page)
    --past.page;
  respond(request);
  turnPage(stop, past);
}

/// The page that is open, and below it those that were turned.
Json Adapter::framesPast(uint64_t stop, const Past& past) const {
  std::vector<uint64_t> lines;
  uint64_t line = linesFromOne_ ? 1 : 0;
  for (const PastPage& page : past.pages) lines.push_back(line), line += 1 + page.text.size();
  Json frames = Json::array();
  for (uint64_t i = 0; i <= past.page; ++i)
    frames.push_back({{"id", frameId(stop << kThreadBits, i)},
                      {"name", past.pages[past.page - i].name},
                      {"line", lines[past.page - i]},
                      {"column", 0},
                      {"source", {{"name", past.title}, {"sourceReference", kPageSources + stop}}}});
  return {{"stackFrames", frames}, {"totalFrames", past.page + 1}};
}

Json Adapter::variablesPast(uint64_t stop, Past& past, uint64_t reference) {
  const uint64_t base = reference & kPixelReferences, list = reference & (kPixelReferences - 1);
  Json all = Json::array();
  if (!list || list > past.lists.size()) return {{"variables", all}};
  for (const PastValue& v : *past.lists[list - 1].values) {
    uint64_t parts = 0;
    if (!v.parts.empty()) {
      past.lists.push_back({&v.parts, v.name});
      parts = stop << kReferenceBits | base | past.lists.size();
    }
    all.push_back({{"name", v.name}, {"value", v.value}, {"variablesReference", parts}});
  }
  return {{"variables", all}};
}

}  // namespace etzel_debug
