// The console's commands that show something, and set values.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "adapter.h"
#include "console_impl.h"
#include "console_text.h"

namespace etzel_debug {
namespace {

constexpr uint64_t kLinesAround = 5;    ///< that `list` shows before and behind
constexpr uint64_t kThreadsAPage = 32;  ///< that `info threads` shows

}  // namespace

std::string Console::sourceText(const Json& source) {
  if (const auto reference = source.value("sourceReference", uint64_t{0})) {
    const auto answer = peer_.request("source", {{"sourceReference", reference}});
    return answer ? answer->value("content", "") : "";
  }
  std::ifstream file(source.value("path", ""));
  return {std::istreambuf_iterator<char>(file), {}};
}

void Console::showPlace() {
  const auto stack = peer_.request("stackTrace", {{"threadId", thread_}});
  if (!stack || depth_ >= (*stack)["stackFrames"].size()) return;
  const Json& frame = (*stack)["stackFrames"][depth_];
  const Json source = frame.value("source", Json::object());
  const auto line = frame.value("line", uint64_t{0});
  say(frame["name"].get<std::string>() + placeOf(frame));
  const std::vector<std::string> lines = linesOf(sourceText(source));
  if (line == 0 || line > lines.size()) return;
  // A page is its title and what is indented below it.
  if (lines[line - 1] != frame["name"]) return say(std::to_string(line) + "\t" + lines[line - 1]);
  for (uint64_t i = line; i < lines.size() && lines[i].starts_with("  "); ++i) say(lines[i]);
}

void Console::print(const std::string& rest) {
  if (!needsStop()) return;
  const auto value = ask("evaluate", inFrame({{"expression", rest}, {"context", "repl"}}));
  if (value) say(value->value("result", ""));
}

void Console::assign(const std::string& rest) {
  const size_t equals = rest.find('=');
  if (!needsStop()) return;
  if (equals == std::string::npos) return say("NAME = EXPRESSION is expected");
  const std::string name = trimmed(rest.substr(0, equals));
  const auto value = ask("setExpression", inFrame({{"expression", name}, {"value", trimmed(rest.substr(equals + 1))}}));
  if (value) say(name + " = " + value->value("value", ""));
}

bool Console::showVariables(uint64_t reference, const std::string& indent, int depth) {
  const auto answer = ask("variables", {{"variablesReference", reference}});
  if (!answer) return !peer_.interrupted();
  for (const Json& v : (*answer)["variables"]) {
    say(indent + v.value("name", "") + " = " + v.value("value", ""));
    const auto parts = v.value("variablesReference", uint64_t{0});
    const bool isLong = v.value("value", "").starts_with("(");  // which has its parts in it
    if (parts && depth > 0 && !isLong && !showVariables(parts, indent + "  ", depth - 1)) return false;
  }
  return true;
}

void Console::showScope(const std::string& name) {
  const auto answer = ask("scopes", inFrame());
  if (!answer) return;
  for (const Json& s : (*answer)["scopes"]) {
    std::string own = s.value("name", "");
    std::transform(own.begin(), own.end(), own.begin(), [](unsigned char c) { return std::tolower(c); });
    if (own != name) continue;
    showVariables(s["variablesReference"].get<uint64_t>(), "  ", own == "registers" ? 0 : 1);
    return;
  }
  say("there is no scope '" + name + "' here");
}

void Console::info(const std::string& rest) {
  if (rest == "breakpoints") {
    const std::vector<std::string> all = breakpoints_.list();
    for (const std::string& one : all) say(one);
    return all.empty() ? say("there are none") : void();
  }
  if (!needsStop()) return;
  const auto [what, which] = firstWord(rest);
  what == "threads" ? showThreads(which) : showScope(rest);
}

/// A page of threads: the one that the thread is on, or what is asked for, counted from 0 in their order.
void Console::showThreads(const std::string& which) {
  const auto answer = ask("threads", Json::object());
  if (!answer) return;
  const Json& all = (*answer)["threads"];
  uint64_t first = 0, last = 0;
  if (which.empty()) {
    while (first + 1 < all.size() && all[first]["id"] != thread_) ++first;
    first = first / kThreadsAPage * kThreadsAPage, last = first + kThreadsAPage - 1;
  } else {
    const size_t dash = which.find('-');
    const auto from = numberIn(which.substr(0, dash));
    const auto to = dash == std::string::npos ? from : numberIn(which.substr(dash + 1));
    if (!from || !to || *to < *from) return say("threads, threads FIRST or threads FIRST-LAST is expected");
    first = *from, last = dash == std::string::npos ? first + kThreadsAPage - 1 : *to;
  }
  if (first >= all.size()) return say("there are " + std::to_string(all.size()) + ", counted from 0");
  last = std::min<uint64_t>(last, all.size() - 1);
  for (uint64_t i = first; i <= last; ++i)
    say((all[i]["id"] == thread_ ? "* " : "  ") + all[i]["id"].dump() + "  " + all[i].value("name", ""));
  if (last - first + 1 == all.size()) return;
  say("these are " + std::to_string(first) + "-" + std::to_string(last) + " of " + std::to_string(all.size()) +
      (last + 1 < all.size() ? "; `info threads " + std::to_string(last + 1) + "` shows the next" : ""));
}

void Console::chooseThread(const std::string& rest) {
  if (!needsStop()) return;
  const auto number = numberIn(rest);
  if (!number) return say("NUMBER is expected");
  const uint64_t wanted = Adapter::threadNamed(rest, thread_);
  if (!ask("stackTrace", {{"threadId", wanted}})) return;
  thread_ = wanted, depth_ = 0;
  showPlace();
}

void Console::chooseFrame(const std::string& rest) {
  if (!needsStop()) return;
  showFrame(std::strtoull(rest.c_str(), nullptr, 10));
}

void Console::showFrame(uint64_t number) {
  if (!needsStop()) return;
  const auto stack = ask("stackTrace", {{"threadId", thread_}});
  if (!stack) return;
  if (number >= (*stack)["stackFrames"].size()) return say("there is no such frame");
  depth_ = number;
  showPlace();
}

void Console::siblings(const std::string&) {
  if (!needsStop()) return;
  const auto answer = ask("etzel/siblings", {{"threadId", thread_}});
  if (answer) say(answer->value("text", ""));
}

void Console::backtrace(const std::string&) {
  if (!needsStop()) return;
  const auto answer = ask("stackTrace", {{"threadId", thread_}});
  if (!answer) return;
  uint64_t number = 0;
  for (const Json& f : (*answer)["stackFrames"])
    say("#" + std::to_string(number++) + "  " + f.value("name", "") + placeOf(f));
}

void Console::list(const std::string&) {
  if (!needsStop()) return;
  const auto stack = ask("stackTrace", {{"threadId", thread_}});
  if (!stack || depth_ >= (*stack)["stackFrames"].size()) return;
  const Json& frame = (*stack)["stackFrames"][depth_];
  const auto line = frame.value("line", uint64_t{0});
  const std::vector<std::string> lines = linesOf(sourceText(frame.value("source", Json::object())));
  const uint64_t first = line > kLinesAround ? line - kLinesAround : 1;
  for (uint64_t i = first; i <= lines.size() && i <= line + kLinesAround; ++i)
    say((i == line ? "> " : "  ") + std::to_string(i) + "\t" + lines[i - 1]);
}

void Console::disassemble(const std::string&) {
  if (!needsStop()) return;
  const auto stack = ask("stackTrace", {{"threadId", thread_}});
  if (!stack || (*stack)["stackFrames"].empty()) return;
  const std::string at = (*stack)["stackFrames"][0].value("instructionPointerReference", "");
  if (at.empty()) return say("no instruction stands here");
  const auto around = static_cast<int64_t>(kLinesAround);
  const auto answer = ask(
      "disassemble", {{"memoryReference", at}, {"instructionOffset", -around}, {"instructionCount", 2 * around + 1}});
  if (!answer) return;
  for (const Json& i : (*answer)["instructions"])
    if (!i.contains("presentationHint"))
      say((i["address"] == at ? "> " : "  ") + (i.contains("line") ? i["line"].dump() : "") + "\t" +
          i["instruction"].get<std::string>());
}

void Console::picture(const std::string& rest) {
  if (!needsStop()) return;
  std::istringstream words(rest);
  std::string image, file;
  Json arguments = Json::object();
  words >> image >> file;
  for (const char* name : {"level", "layer", "sample"})
    if (uint64_t value; words >> value) arguments[name] = value;
  if (file.empty()) return say("IMAGE FILE.png is expected");
  arguments["expression"] = image;
  const auto answer = ask("etzel/picture", inFrame(arguments));
  if (!answer) return;
  const std::string data = bytesOf((*answer)["data"].get<std::string>());
  std::ofstream out(file, std::ios::binary);
  if (!out.write(data.data(), static_cast<std::streamsize>(data.size())).flush()) return say("cannot write " + file);
  say(file + ": " + (*answer)["text"].get<std::string>());
}

}  // namespace etzel_debug
