// What the requests of the Debug Adapter Protocol mean, where they are about the session and its breakpoints.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "adapter.h"

namespace etzel_debug {
namespace {

/// A number as a word.
std::string word(uint64_t n) { return std::to_string(n); }

struct Filter {
  const char *id, *label;
  bool usual;  ///< unless the user says otherwise
};
/// So many threads of a group VS Code gets, which shows all of them above one another.
constexpr uint64_t kListedInCode = 64;
constexpr Filter kFilters[] = {
    {"nan", "NaN and infinity", false},      {"bounds", "Access out of bounds", false},
    {"division", "Division by zero", false}, {"discard", "Discard", false},
    {"break", "Breaks of the shader", true}, {"abort", "Abort", true},
};

/// "stop": {"pixel": [3, 4], "draw": 2} as pixel=3,4 and draw=2. A list has such words already.
std::vector<std::string> filterOf(const Json& stop) {
  if (stop.is_array()) return stop.get<std::vector<std::string>>();
  std::vector<std::string> filter;
  for (const auto& [name, value] : stop.items()) {
    std::string text;
    if (value.is_array())
      for (const Json& n : value) text += (text.empty() ? "" : ",") + n.dump();
    else
      text = value.is_string() ? value.get<std::string>() : value.dump();
    filter.push_back(name + "=" + text);
  }
  return filter;
}

}  // namespace

const std::map<std::string, Adapter::Verb>& Adapter::verbs() {
  using A = Adapter;
  static const std::map<std::string, Verb> all = {
      {"initialize", {&A::initialize, Needs::Nothing}},
      {"launch", {&A::launch, Needs::Initialize}},
      {"attach", {&A::attach, Needs::Initialize}},
      {"configurationDone", {&A::configurationDone, Needs::Program}},
      {"disconnect", {&A::disconnect, Needs::Nothing}},
      {"terminate", {&A::terminate, Needs::Initialize}},
      {"cancel", {&A::cancel, Needs::Initialize}},
      {"setBreakpoints", {&A::setBreakpoints, Needs::Program}},
      {"setFunctionBreakpoints", {&A::setFunctionBreakpoints, Needs::Program}},
      {"setInstructionBreakpoints", {&A::setInstructionBreakpoints, Needs::Program}},
      {"setExceptionBreakpoints", {&A::setExceptionBreakpoints, Needs::Program}},
      {"dataBreakpointInfo", {&A::dataBreakpointInfo, Needs::Program}},
      {"setDataBreakpoints", {&A::setDataBreakpoints, Needs::Program}},
      {"breakpointLocations", {&A::breakpointLocations, Needs::Program}},
      {"continue", {&A::goOn, Needs::Program}},
      {"next", {&A::step, Needs::Program}},
      {"stepIn", {&A::step, Needs::Program}},
      {"stepOut", {&A::step, Needs::Program}},
      {"stepBack", {&A::step, Needs::Program}},
      {"reverseContinue", {&A::reverseContinue, Needs::Program}},
      {"pause", {&A::pause, Needs::Program}},
      {"threads", {&A::threads, Needs::Initialize}},
      {"stackTrace", {&A::stackTrace, Needs::Program}},
      {"scopes", {&A::scopes, Needs::Program}},
      {"variables", {&A::variables, Needs::Program}},
      {"evaluate", {&A::evaluate, Needs::Program}},
      {"setVariable", {&A::setVariable, Needs::Program}},
      {"setExpression", {&A::setExpression, Needs::Program}},
      {"restartFrame", {&A::restartFrame, Needs::Program}},
      {"gotoTargets", {&A::gotoTargets, Needs::Program}},
      {"goto", {&A::goBackTo, Needs::Program}},
      {"compare", {&A::compare, Needs::Program}},
      {"writeMemory", {&A::writeMemory, Needs::Program}},
      {"completions", {&A::completions, Needs::Program}},
      {"exceptionInfo", {&A::exceptionInfo, Needs::Program}},
      {"readMemory", {&A::readMemory, Needs::Program}},
      {"disassemble", {&A::disassemble, Needs::Program}},
      {"source", {&A::source, Needs::Program}},
      {"loadedSources", {&A::loadedSources, Needs::Program}},
      {"modules", {&A::modules, Needs::Program}},
      {"etzel/picture", {&A::picture, Needs::Program}},
      {"etzel/siblings", {&A::siblings, Needs::Program}},
      {"etzel/pixelHistory", {&A::pixelHistory, Needs::Program}},
  };
  return all;
}

void Adapter::initialize(const Json& request, const Json& arguments) {
  if (initialized_) return refuse(request, "the session is initialized already");
  initialized_ = true;
  linesFromOne_ = arguments.value("linesStartAt1", true), columnsFromOne_ = arguments.value("columnsStartAt1", true);
  if (arguments.value("clientID", "") == "vscode") listed_ = kListedInCode;
  Json filters = Json::array();
  for (const Filter& f : kFilters) filters.push_back({{"filter", f.id}, {"label", f.label}, {"default", f.usual}});
  Json capabilities = {{"exceptionBreakpointFilters", filters}};
  for (const char* what : {"supportsConfigurationDoneRequest",
                           "supportsFunctionBreakpoints",
                           "supportsConditionalBreakpoints",
                           "supportsHitConditionalBreakpoints",
                           "supportsEvaluateForHovers",
                           "supportsStepBack",
                           "supportsSetVariable",
                           "supportsCompletionsRequest",
                           "supportsModulesRequest",
                           "supportsTerminateRequest",
                           "supportTerminateDebuggee",
                           "supportsLogPoints",
                           "supportsLoadedSourcesRequest",
                           "supportsDataBreakpoints",
                           "supportsDataBreakpointBytes",
                           "supportsReadMemoryRequest",
                           "supportsDisassembleRequest",
                           "supportsCancelRequest",
                           "supportsBreakpointLocationsRequest",
                           "supportsSteppingGranularity",
                           "supportsInstructionBreakpoints",
                           "supportsExceptionInfoRequest",
                           "supportsSetExpression",
                           "supportsRestartFrame",
                           "supportsGotoTargetsRequest",
                           "supportsWriteMemoryRequest"})
    capabilities[what] = true;
  capabilities["breakpointModes"] = {
      {{"mode", "source"}, {"label", "Lines of the source"}, {"appliesTo", {"source"}}},
      {{"mode", "spirv"}, {"label", "Instructions of SPIR-V, in a module's listing"}, {"appliesTo", {"source"}}},
      {{"mode", "isa"}, {"label", "Instructions of the driver's own set"}, {"appliesTo", {"instruction"}}}};
  respond(request, capabilities);
}

void Adapter::begin(const Json& arguments) {
  listed_ = arguments.value("threads", listed_);
  begun_ = true;
  settings_ = arguments;
}

void Adapter::launch(const Json& request, const Json& arguments) {
  if (begun_) return refuse(request, "a program is being debugged already");
  Target::Launch what;
  what.command.push_back(arguments.at("program").get<std::string>());
  for (const Json& argument : arguments.value("args", Json::array()))
    what.command.push_back(argument.get<std::string>());
  what.folder = arguments.value("cwd", "");
  what.apart = apart_;
  const Json environment = arguments.value("env", Json::object());
  for (const auto& [name, value] : environment.items()) what.environment.emplace_back(name, value.get<std::string>());
  if (const std::string driver = arguments.value("driver", ""); !driver.empty())
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) what.environment.emplace_back(name, driver);
  std::string folder = (std::filesystem::temp_directory_path() / "etzel-debug-XXXXXX").string();
  if (!mkdtemp(folder.data())) return refuse(request, "no folder for a socket can be made in " + folder);
  folder_ = folder;
  address_ = "unix:" + folder + "/socket";
  what.environment.emplace_back("ETZEL_DEBUGGER", address_ + ";wait");
  if (const std::string why = target_.start(what); !why.empty())
    return refuse(request, "cannot run " + what.command[0] + ": " + why);
  begin(arguments);
  connecting_ = launched_ = true;
  respond(request);
}

void Adapter::attach(const Json& request, const Json& arguments) {
  if (begun_) return refuse(request, "a program is being debugged already");
  address_ = arguments.contains("port") ? "port:" + std::to_string(arguments.at("port").get<uint16_t>())
                                        : arguments.at("address").get<std::string>();
  if (!engine_.connect(address_)) return refuse(request, "nobody listens at " + address_);
  begin(arguments);
  respond(request);
  connected();
}

void Adapter::connected() {
  const Json nothing = Json::array();
  engine_.ask("modules", {}, [this](const Json& answer, const std::string&) {
    if (!answer.is_array()) return;
    for (const Json& m : answer) driverSays({{"event", "module"}, {"module", m}});
  });
  event("initialized");
}

void Adapter::configurationDone(const Json& request, const Json&) {
  const std::vector<std::string> filter = filterOf(settings_.value("stop", Json::object()));
  engine_.ask("filter", filter, [this](const Json&, const std::string& error) {
    if (!error.empty()) output("important", "stop: " + error + "\n");
  });
  // The pixel to stop at is recorded as well.
  if (const auto pixel =
          std::find_if(filter.begin(), filter.end(), [](const auto& f) { return f.starts_with("pixel="); });
      pixel != filter.end())
    engine_.ask("history", {*pixel}, [](const Json&, const std::string&) {});
  std::vector<std::string> entry;
  if (settings_.value("stopOnEntry", false)) entry.emplace_back("entry");
  relay(request, "go", entry, [](const Json&) { return Json::object(); });
}

void Adapter::disconnect(const Json& request, const Json& arguments) {
  const bool ends = arguments.value("terminateDebuggee", launched_);
  respond(request);
  engine_.close();
  if (!ends) target_.forget();
  launched_ = ends;
  goodbye_ = true;
}

void Adapter::terminate(const Json& request, const Json&) {
  if (!target_.running()) return refuse(request, "only a program that was launched can be ended");
  respond(request);
  target_.signal(SIGTERM);
}

/// From the driver's lines, which count from 1, to the editor's.
void Adapter::shiftLine(Json& breakpoint) const {
  if (!linesFromOne_ && breakpoint.contains("line")) breakpoint["line"] = breakpoint["line"].get<uint64_t>() - 1;
}

Json Adapter::breakpoints(const Json& answer, const std::string& path) {
  Json all = Json::array();
  for (Json b : answer) {
    shiftLine(b);
    if (!path.empty()) pathOf_[b.value("id", uint64_t{0})] = path;
    if (const std::string name = b.value("name", ""); !name.empty()) {
      if (!path.empty()) paths_[name] = path;
      b.erase("name");
    }
    all.push_back(std::move(b));
  }
  return {{"breakpoints", all}};
}

std::string Adapter::sourceNamed(const Json& source) const {
  const auto reference = source.value("sourceReference", int64_t{0});
  for (const auto& [name, file] : files_)
    if (reference && file.first * 1000 + file.second + 1 == static_cast<uint64_t>(reference)) return name;
  const std::string path = source.value("path", "");
  return path.empty() ? source.value("name", "") : path;
}

void Adapter::setBreakpoints(const Json& request, const Json& arguments) {
  const Json source = arguments.at("source");
  const std::string path = source.value("path", "");
  std::vector<std::string> words{sourceNamed(source)};
  if (words[0].empty()) return refuse(request, "the source has neither a path nor a name");
  for (const Json& b : arguments.value("breakpoints", Json::array())) {
    const std::string mode = b.value("mode", "source");
    const bool isListing = words[0].ends_with(".spvasm");
    if (mode != "source" && !(mode == "spirv" && isListing))
      return refuse(request, "lines of " + words[0] + " have no mode '" + mode + "'");
    words.push_back(word(b.at("line").get<uint64_t>() + (linesFromOne_ ? 0 : 1)));
    for (const char* what : {"condition", "hitCondition", "logMessage"}) words.push_back(b.value(what, ""));
  }
  relay(request, "lines", words, [this, path](const Json& answer) { return breakpoints(answer, path); });
}

void Adapter::setFunctionBreakpoints(const Json& request, const Json& arguments) {
  std::vector<std::string> words;
  for (const Json& b : arguments.value("breakpoints", Json::array())) {
    words.push_back(b.at("name").get<std::string>());
    for (const char* what : {"condition", "hitCondition"}) words.push_back(b.value(what, ""));
  }
  relay(request, "functions", words, [this](const Json& answer) {
    Json body = breakpoints(answer, "");
    for (Json& b : body["breakpoints"]) b.erase("line");
    return body;
  });
}

void Adapter::setInstructionBreakpoints(const Json& request, const Json& arguments) {
  std::vector<std::string> words;
  for (const Json& b : arguments.value("breakpoints", Json::array())) {
    constexpr int64_t kFar = int64_t{1} << kInstructionBits;
    const int64_t at = std::max<int64_t>(addressIn(b.at("instructionReference").get<std::string>()) +
                                             std::clamp(b.value("offset", int64_t{0}), -kFar, kFar),
                                         0);
    words.push_back(word(static_cast<uint64_t>(at >> kInstructionBits)));
    words.push_back(word(static_cast<uint64_t>(at & (kFar - 1))));
    for (const char* what : {"condition", "hitCondition"}) words.push_back(b.value(what, ""));
  }
  relay(request, "instructions", words, [this](const Json& answer) {
    Json body = breakpoints(answer, "");
    for (Json& b : body["breakpoints"]) b.erase("line");
    return body;
  });
}

void Adapter::setExceptionBreakpoints(const Json& request, const Json& arguments) {
  const auto filters = arguments.at("filters").get<std::vector<std::string>>();
  relay(request, "faults", filters, [filters](const Json&) {
    Json all = Json::array();
    for (size_t i = 0; i < filters.size(); ++i) all.push_back({{"verified", true}});
    return Json{{"breakpoints", all}};
  });
}

void Adapter::dataBreakpointInfo(const Json& request, const Json& arguments) {
  const auto reference = arguments.value("variablesReference", uint64_t{0});
  const auto name = arguments.at("name").get<std::string>();
  const std::string bytes = word(arguments.value("bytes", uint64_t{0}));
  if (const auto words = pixelPart(reference, name); !words.empty())
    return answerWatchable(request, "watchablepixel", words, "");
  auto [thread, frame] = frameOf(arguments);
  std::string verb = "watchable";
  std::vector<std::string> words;
  // A name with a place in brackets may be that of an image of the shader, or of an attachment of the pixel.
  const std::string pixel = name.ends_with(')') ? name : "";
  if (arguments.value("asAddress", false)) {
    // A memory reference, perhaps with an offset behind it, or an address.
    const size_t slash = name.find('/');
    if (slash != std::string::npos) thread = firstThreadOf(std::strtoull(name.c_str(), nullptr, 10));
    verb = "watchablebytes";
    words = {word(thread), slash == std::string::npos ? name : name.substr(slash + 1), bytes};
  } else {
    const uint64_t any = reference ? firstThreadOf(reference >> kReferenceBits) : thread;
    words = {word(any), word(frame), word(reference), name, bytes};
  }
  answerWatchable(request, verb, words, pixel);
}

/// `pixel`: asked about where the rest is refused; then `otherwise`, where it is not empty, says why nothing is
/// watched.
void Adapter::answerWatchable(const Json& request, const std::string& verb, const std::vector<std::string>& words,
                              const std::string& pixel, const std::string& otherwise) {
  const auto seq = request.value("seq", int64_t{0});
  pending_.insert(seq);
  engine_.ask(verb, words, [this, request, seq, pixel, otherwise](const Json& answer, const std::string& error) {
    if (!pending_.erase(seq)) return;
    // Of a shader that is stopped its own images are what people mean, if it has one of that name.
    const bool inShader = request.value("arguments", Json::object()).contains("frameId");
    if (!error.empty() && !pixel.empty() && (!inShader || error.starts_with("there is no ")))
      return answerWatchable(request, "watchablepixel", {pixel}, "", inShader ? error : "");
    Json body = {{"dataId", nullptr}, {"description", otherwise.empty() ? error : otherwise}};
    if (error.empty() && answer.is_object())
      body = {{"dataId", answer.value("id", Json())},
              {"description", answer.value("description", Json(""))},
              {"accessTypes", {"write"}},
              {"canPersist", false}};
    respond(request, body);
  });
}

void Adapter::setDataBreakpoints(const Json& request, const Json& arguments) {
  std::vector<std::string> words;
  for (const Json& b : arguments.value("breakpoints", Json::array())) {
    if (b.value("accessType", "write") != "write") return refuse(request, "only writes are watched");
    words.push_back(b.at("dataId").get<std::string>());
    for (const char* what : {"condition", "hitCondition"}) words.push_back(b.value(what, ""));
  }
  relay(request, "data", words, [this](const Json& answer) { return breakpoints(answer, ""); });
}

void Adapter::breakpointLocations(const Json& request, const Json& arguments) {
  const uint64_t base = linesFromOne_ ? 0 : 1, first = arguments.at("line").get<uint64_t>() + base;
  const uint64_t last = arguments.value("endLine", first - base) + base;
  relay(request, "places", {sourceNamed(arguments.at("source")), word(first), word(last)}, [base](const Json& answer) {
    Json all = Json::array();
    for (const Json& line : answer) all.push_back({{"line", line.get<uint64_t>() - base}});
    return Json{{"breakpoints", all}};
  });
}

}  // namespace etzel_debug
