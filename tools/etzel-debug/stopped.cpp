// What the requests of the Debug Adapter Protocol mean, where they are about what is stopped, and about shaders.
#include <algorithm>
#include <filesystem>

#include "adapter.h"

namespace etzel_debug {
namespace {

std::string word(uint64_t n) { return std::to_string(n); }
std::string word(int64_t n) { return std::to_string(n); }

constexpr uint64_t kFramesPerThread = 64;
/// A client that asks for more gets as many.
constexpr int64_t kMostInstructions = 10000;

std::string address(uint64_t shader, uint64_t instruction) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(shader << Adapter::kInstructionBits | instruction));
  return text;
}

}  // namespace

int64_t Adapter::addressIn(const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  return text.empty() || *end ? 0 : static_cast<int64_t>(value & INT64_MAX >> 1);
}

uint64_t Adapter::firstThreadOf(uint64_t stop) const {
  const auto known = stops_.find(stop);
  return known == stops_.end() ? 0 : known->second.value("thread", uint64_t{0});
}

std::pair<uint64_t, uint64_t> Adapter::frameOf(const Json& arguments) const {
  if (!arguments.contains("frameId")) return {lastThread_, 0};
  const auto id = arguments.at("frameId").get<uint64_t>();
  return {id / kFramesPerThread, id % kFramesPerThread};
}
uint64_t Adapter::frameId(uint64_t thread, uint64_t depth) { return thread * kFramesPerThread + depth; }

void Adapter::goOn(const Json& request, const Json& arguments) {
  const bool single = arguments.value("singleThread", false);
  std::vector<std::string> words;
  if (single) words.push_back(word(arguments.at("threadId").get<uint64_t>() >> kThreadBits));
  relay(request, "continue", words, [single](const Json&) { return Json{{"allThreadsContinued", !single}}; });
}

void Adapter::reverseContinue(const Json& request, const Json& arguments) {
  relay(request, "continue", {word(arguments.at("threadId").get<uint64_t>() >> kThreadBits), "back"},
        [](const Json&) { return Json::object(); });
}

void Adapter::step(const Json& request, const Json& arguments) {
  static const std::map<std::string, std::string> kWays = {
      {"next", "over"}, {"stepIn", "into"}, {"stepOut", "out"}, {"stepBack", "over"}};
  const std::string command = request.at("command");
  const bool instruction = arguments.value("granularity", "statement") == "instruction" && command != "stepOut";
  std::vector<std::string> words{word(arguments.at("threadId").get<uint64_t>()),
                                 instruction ? "instruction" : kWays.at(command)};
  if (command == "stepBack") words.emplace_back("back");
  relay(request, "step", words, [](const Json&) { return Json::object(); });
}

void Adapter::pause(const Json& request, const Json&) {
  relay(request, "pause", {}, [](const Json&) { return Json::object(); });
}

Json Adapter::sourceOf(const std::string& name, uint64_t shader, uint64_t file, bool embedded) const {
  Json source = {{"name", std::filesystem::path(name).filename().string()}, {"origin", "shader"}};
  if (const auto known = paths_.find(name); known != paths_.end())
    source["path"] = known->second;
  else if (embedded)
    source["sourceReference"] = shader * 1000 + file + 1, source["path"] = name;
  else
    source["path"] = name;
  return source;
}

void Adapter::stackTrace(const Json& request, const Json& arguments) {
  const auto thread = arguments.at("threadId").get<uint64_t>();
  const auto first = arguments.value("startFrame", uint64_t{0}), levels = arguments.value("levels", uint64_t{0});
  relay(request, "stack", {word(thread)}, [this, thread, first, levels](const Json& answer) {
    Json frames = Json::array();
    const uint64_t total = std::min<uint64_t>(answer.size(), kFramesPerThread);
    for (uint64_t i = first; i < total && (levels == 0 || i - first < levels); ++i) {
      const Json& f = answer[i];
      const auto shader = f.at("shader").get<uint64_t>();
      const auto line = f.value("line", uint64_t{0}), column = f.value("column", uint64_t{0});
      Json frame = {{"id", frameId(thread, i)},
                    {"name", f.at("name")},
                    {"line", line ? line - (linesFromOne_ ? 0 : 1) : 0},
                    {"column", column ? column - (columnsFromOne_ ? 0 : 1) : 0},
                    {"moduleId", shader}};
      if (i == 0) frame["instructionPointerReference"] = address(shader, f.at("instruction").get<uint64_t>());
      if (f.contains("file"))
        frame["source"] = sourceOf(f.at("file"), shader, f.value("fileIndex", uint64_t{0}), f.value("embedded", false));
      frames.push_back(std::move(frame));
    }
    return Json{{"stackFrames", frames}, {"totalFrames", total}};
  });
}

void Adapter::scopes(const Json& request, const Json& arguments) {
  const auto [thread, frame] = frameOf(arguments);
  constexpr uint64_t kLastEvents = 256;
  const uint64_t since = pixelEvents_ - std::min(pixelEvents_, kLastEvents);
  engine_.ask("history", {"since=" + word(since)},
              [this, stop = thread >> kThreadBits](const Json& answer, const std::string&) {
                try {
                  keepPixel(stop, answer);
                } catch (const Json::exception&) {
                  pixels_.erase(stop);  // there is nothing to show
                }
              });
  relay(request, "scopes", {word(thread), word(frame)}, [this, stop = thread >> kThreadBits](const Json& answer) {
    Json all = Json::array();
    for (const Json& s : answer) {
      Json scope = {{"name", s.at("name")},
                    {"variablesReference", s.at("ref")},
                    {"namedVariables", s.at("named")},
                    {"expensive", s.at("name") == "Registers" || s.at("name") == "Invocations"}};
      if (s.contains("indexed")) scope["indexedVariables"] = s["indexed"];
      if (s.at("name") == "Locals") scope["presentationHint"] = "locals";
      if (s.at("name") == "Registers") scope["presentationHint"] = "registers";
      all.push_back(std::move(scope));
    }
    if (pixels_.contains(stop))
      all.push_back({{"name", "Pixel"}, {"variablesReference", pixelScope(stop)}, {"expensive", false}});
    return Json{{"scopes", all}};
  });
}

Json Adapter::variable(const Json& v, uint64_t stop) const {
  Json out = {
      {"name", v.at("name")}, {"value", v.at("value")}, {"type", v.at("type")}, {"variablesReference", v.at("ref")}};
  if (v.contains("named")) out["namedVariables"] = v["named"];
  if (v.contains("indexed")) out["indexedVariables"] = v["indexed"];
  if (v.contains("expression")) out["evaluateName"] = v["expression"];
  if (v.value("image", false)) out["__vscodeVariableMenuContext"] = "etzelImage";
  if (v.contains("memory")) out["memoryReference"] = word(stop) + "/" + v["memory"].get<std::string>();
  return out;
}

void Adapter::variables(const Json& request, const Json& arguments) {
  const auto reference = arguments.at("variablesReference").get<uint64_t>();
  const auto start = arguments.value("start", uint64_t{0}), count = arguments.value("count", uint64_t{0});
  const std::string filter = arguments.value("filter", "");
  relay(request, "variables", {word(reference), word(start), word(count)},
        [this, reference, filter](const Json& answer) {
          Json all = Json::array();
          for (const Json& v : answer) {
            const bool indexed = v.at("name").get<std::string>().starts_with('[');
            if (filter == "named" && indexed) continue;
            all.push_back(variable(v, reference >> kReferenceBits));
          }
          return Json{{"variables", all}};
        });
}

void Adapter::evaluate(const Json& request, const Json& arguments) {
  constexpr std::string_view kCompare = "compare ";
  const auto text = arguments.at("expression").get<std::string>();
  if (evaluateHistory(request, text)) return;
  const size_t digits = text.find_first_not_of(' ', kCompare.size());
  const bool compares = arguments.value("context", "") == "repl" && text.starts_with(kCompare) &&
                        digits != std::string::npos &&
                        text.find_first_not_of("0123456789", digits) == std::string::npos;
  if (compares) return compareInConsole(request, arguments, text.substr(digits));
  if (evaluateThread(request, arguments, text)) return;
  const auto [thread, frame] = frameOf(arguments);
  relay(request, "evaluate", {word(thread), word(frame), text},
        [this, stop = thread >> kThreadBits](const Json& answer) {
          Json body = variable(answer, stop);
          body["result"] = body["value"];
          for (const char* name : {"name", "value", "evaluateName"}) body.erase(name);
          return body;
        });
}

void Adapter::picture(const Json& request, const Json& arguments) {
  // A frame, or any reference of the stop: images are known everywhere.
  const bool byReference = !arguments.contains("frameId") && arguments.contains("variablesReference");
  const auto [thread, frame] =
      byReference
          ? std::pair(firstThreadOf(arguments["variablesReference"].get<uint64_t>() >> kReferenceBits), uint64_t{0})
          : frameOf(arguments);
  std::vector<std::string> words = {word(thread), word(frame), arguments.at("expression").get<std::string>()};
  for (const char* name : {"level", "layer", "sample"}) words.push_back(word(arguments.value(name, uint64_t{0})));
  relay(request, "picture", words, [](const Json& answer) {
    std::string text = answer.at("image").get<std::string>();
    const Json &step = answer.at("step"), &least = answer.at("least"), &greatest = answer.at("greatest");
    if (step != 1) text += ", every " + step.dump() + " texels";
    if (least != 0 || greatest != 1) text += ", black is " + least.dump() + ", white " + greatest.dump();
    return Json{{"mimeType", "image/png"},
                {"data", answer.at("data")},
                {"width", answer.at("width")},
                {"height", answer.at("height")},
                {"text", text}};
  });
}

void Adapter::setVariable(const Json& request, const Json& arguments) {
  const auto reference = arguments.at("variablesReference").get<uint64_t>();
  const uint64_t stop = reference >> kReferenceBits;
  relay(request, "set",
        {word(firstThreadOf(stop)), "0", word(reference), arguments.at("name").get<std::string>(),
         arguments.at("value").get<std::string>()},
        [this, stop](const Json& answer) {
          Json body = variable(answer, stop);
          for (const char* name : {"name", "evaluateName"}) body.erase(name);
          return body;
        });
}

void Adapter::setExpression(const Json& request, const Json& arguments) {
  const auto [thread, frame] = frameOf(arguments);
  relay(request, "set",
        {word(thread), word(frame), "0", arguments.at("expression").get<std::string>(),
         arguments.at("value").get<std::string>()},
        [this, stop = thread >> kThreadBits](const Json& answer) {
          Json body = variable(answer, stop);
          for (const char* name : {"name", "evaluateName"}) body.erase(name);
          return body;
        });
}

void Adapter::restartFrame(const Json& request, const Json& arguments) {
  const auto [thread, frame] = frameOf(arguments);
  relay(request, "restart", {word(thread), word(frame)}, [](const Json&) { return Json::object(); });
}

// Lines that ran already: nothing can be left out of code whose values live in registers, so going to a line means
// going back to where the invocation began it.
void Adapter::gotoTargets(const Json& request, const Json& arguments) {
  const std::string source = sourceNamed(arguments.at("source"));
  const uint64_t base = linesFromOne_ ? 0 : 1, line = arguments.at("line").get<uint64_t>() + base;
  relay(request, "places", {source, word(line), word(line)}, [this, source, line, base](const Json& answer) {
    Json all = Json::array();
    if (!answer.empty()) {
      targets_.emplace_back(source, line);
      all.push_back({{"id", targets_.size()}, {"label", "back to line " + word(line)}, {"line", line - base}});
    }
    return Json{{"targets", all}};
  });
}

void Adapter::goBackTo(const Json& request, const Json& arguments) {
  const auto target = arguments.at("targetId").get<uint64_t>();
  if (target == 0 || target > targets_.size()) return refuse(request, "there is no such target");
  const auto& [source, line] = targets_[target - 1];
  relay(request, "goto", {word(arguments.at("threadId").get<uint64_t>()), source, word(line)},
        [](const Json&) { return Json::object(); });
}

// A request of our own: what differs between two invocations that are stopped together.
void Adapter::compare(const Json& request, const Json& arguments) {
  const auto thread = arguments.at("threadId").get<uint64_t>(), other = arguments.at("otherThreadId").get<uint64_t>();
  relay(request, "compare", {word(thread), word(frameOf(arguments).second), word(other)}, [](const Json& answer) {
    return Json{{"differences", answer}};
  });
}

// "compare 4107" in the console, or "compare 11" for the invocation of that number in the group.
void Adapter::compareInConsole(const Json& request, const Json& arguments, const std::string& other) {
  const auto [thread, frame] = frameOf(arguments);
  relay(request, "compare", {word(thread), word(frame), word(threadNamed(other, thread))}, [](const Json& answer) {
    std::string text;
    for (const Json& d : answer)
      text += d.at("name").get<std::string>() + " = " + d.at("value").get<std::string>() + ", there " +
              d.at("other").get<std::string>() + "\n";
    if (!text.empty()) text.pop_back();
    return Json{{"result", text.empty() ? "nothing differs" : text}, {"variablesReference", 0}};
  });
}

void Adapter::writeMemory(const Json& request, const Json& arguments) {
  const auto reference = arguments.at("memoryReference").get<std::string>();
  const size_t slash = reference.find('/');
  if (slash == std::string::npos) return refuse(request, "'" + reference + "' is no memory");
  const uint64_t stop = std::strtoull(reference.c_str(), nullptr, 10);
  relay(request, "write",
        {word(firstThreadOf(stop)), reference.substr(slash + 1), word(arguments.value("offset", int64_t{0})),
         arguments.at("data").get<std::string>()},
        [](const Json& answer) {
          return Json{{"bytesWritten", answer.at("written")}};
        });
}

void Adapter::completions(const Json& request, const Json& arguments) {
  const auto [thread, frame] = frameOf(arguments);
  const auto text = arguments.at("text").get<std::string>();
  const uint64_t column = arguments.at("column").get<uint64_t>() - (columnsFromOne_ ? 1 : 0);
  const std::string before = text.substr(0, std::min<uint64_t>(column, text.size()));
  const size_t last = before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
  const std::string prefix = last == std::string::npos ? before : before.substr(last + 1);
  relay(request, "complete", {word(thread), word(frame), prefix}, [prefix](const Json& answer) {
    Json all = Json::array();
    for (const Json& name : answer) all.push_back({{"label", name}, {"length", prefix.size()}});
    return Json{{"targets", all}};
  });
}

void Adapter::exceptionInfo(const Json& request, const Json& arguments) {
  const auto stop = stops_.find(arguments.at("threadId").get<uint64_t>() >> kThreadBits);
  if (stop == stops_.end() || stop->second.value("reason", "") != "exception")
    return refuse(request, "no exception has stopped this invocation");
  const std::string text = stop->second.value("text", "");
  respond(request, {{"exceptionId", text}, {"description", text}, {"breakMode", "always"}});
}

void Adapter::readMemory(const Json& request, const Json& arguments) {
  const auto reference = arguments.at("memoryReference").get<std::string>();
  const size_t slash = reference.find('/');
  if (slash == std::string::npos) return refuse(request, "'" + reference + "' is no memory");
  const uint64_t stop = std::strtoull(reference.c_str(), nullptr, 10);
  const uint64_t count = arguments.at("count").get<uint64_t>();
  relay(request, "read",
        {word(firstThreadOf(stop)), reference.substr(slash + 1), word(arguments.value("offset", int64_t{0})),
         word(count)},
        [](const Json& answer) {
          const auto offset = answer.at("offset").get<uint64_t>();
          return Json{
              {"address", word(offset)}, {"data", answer.at("data")}, {"unreadableBytes", answer.at("unreadable")}};
        });
}

void Adapter::disassemble(const Json& request, const Json& arguments) {
  const int64_t at = addressIn(arguments.at("memoryReference").get<std::string>());
  const auto shader = static_cast<uint64_t>(at) >> kInstructionBits;
  constexpr int64_t kFar = int64_t{1} << kInstructionBits;
  const auto offset = [&](const char* name) { return std::clamp(arguments.value(name, int64_t{0}), -kFar, kFar); };
  const int64_t first = (at & (kFar - 1)) + offset("offset") + offset("instructionOffset");
  const int64_t count = std::clamp<int64_t>(arguments.at("instructionCount").get<int64_t>(), 0, kMostInstructions);
  const int64_t from = std::max<int64_t>(first, 0), to = std::max(first + count, from);
  relay(request, "disassemble", {word(shader), word(from), word(to - from)},
        [this, shader, first, count, from](const Json& answer) {
          // As many as were asked for: what lies outside is said to be nothing.
          Json all = Json::array();
          const Json& known = answer.at("instructions");
          for (int64_t i = first; i < first + count; ++i) {
            const auto index = static_cast<size_t>(i - from);
            if (i < from || index >= known.size()) {
              all.push_back({{"address", i < 0 ? word(i) : address(shader, static_cast<uint64_t>(i))},
                             {"instruction", "-"},
                             {"presentationHint", "invalid"}});
              continue;
            }
            const Json& k = known[index];
            Json one = {{"address", address(shader, static_cast<uint64_t>(i))}, {"instruction", k.at("text")}};
            if (k.contains("line"))
              one["line"] = k["line"].get<uint64_t>() - (linesFromOne_ ? 0 : 1),
              one["location"] = sourceOf(k.at("name"), shader, k.at("file"), true);
            all.push_back(std::move(one));
          }
          return Json{{"instructions", all}};
        });
}

void Adapter::source(const Json& request, const Json& arguments) {
  auto reference = arguments.value("sourceReference", uint64_t{0});
  if (!reference) reference = arguments.value("source", Json::object()).value("sourceReference", uint64_t{0});
  if (!reference) return refuse(request, "this source lies in a file");
  relay(request, "source", {word(reference / 1000), word(reference % 1000 - 1)}, [](const Json& answer) {
    return Json{{"content", answer.at("text")}, {"mimeType", "text/x-glsl"}};
  });
}

void Adapter::loadedSources(const Json& request, const Json&) {
  relay(request, "modules", {}, [this](const Json& answer) {
    Json all = Json::array();
    std::set<std::string> seen;
    for (const Json& m : answer) {
      uint64_t index = 0;
      for (const Json& file : m.at("files")) {
        if (seen.insert(file.at("name")).second)
          all.push_back(sourceOf(file.at("name"), m.at("id"), index, file.at("embedded")));
        ++index;
      }
    }
    return Json{{"sources", all}};
  });
}

Json Adapter::moduleOf(const Json& m) {
  return {{"id", m.at("id")},
          {"name",
           m.at("stage").get<std::string>() + " shader " + m.at("id").dump() + ", " + m.at("entry").get<std::string>()},
          {"symbolStatus", m.at("files").size() <= 1 ? "no source" : "source"},
          {"warpsLookedAt", m.at("looked")}};
}

void Adapter::modules(const Json& request, const Json& arguments) {
  const auto start = arguments.value("startModule", uint64_t{0}), count = arguments.value("moduleCount", uint64_t{0});
  relay(request, "modules", {}, [start, count](const Json& answer) {
    Json all = Json::array();
    for (uint64_t i = start; i < answer.size() && (count == 0 || i - start < count); ++i)
      all.push_back(moduleOf(answer[i]));
    return Json{{"modules", all}, {"totalModules", answer.size()}};
  });
}

}  // namespace etzel_debug
