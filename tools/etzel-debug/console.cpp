#include "console.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "adapter.h"
#include "dap_peer.h"

namespace etzel_debug {
namespace {

constexpr uint64_t kLinesAround = 5;  ///< that `list` shows before and behind

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// "a b c" as "a" and "b c".
std::pair<std::string, std::string> firstWord(const std::string& text) {
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Base64 (RFC 4648) of the adapter.
std::string bytesOf(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

/// "  (case.frag:12)"
std::string placeOf(const Json& frame) {
  const auto line = frame.value("line", uint64_t{0});
  const std::string source = frame.value("source", Json::object()).value("name", "");
  return line && !source.empty() ? "  (" + source + ":" + std::to_string(line) + ")" : "  (in no line)";
}

class Console {
 public:
  Console(int in, int out, const Debuggee& debuggee, const std::vector<std::string>& stop)
      : peer_(in, out), debuggee_(debuggee) {
    for (const std::string& word : stop) addStop(word);
  }
  int run();

 private:
  using Handler = void (Console::*)(const std::string& rest);
  struct Command {
    Handler run;
    const char* help;
  };
  static const std::map<std::string, Command>& commands();
  void command(const std::string& line);

  void say(const std::string& text) { std::cout << text << std::endl; }
  bool addStop(const std::string& word);
  bool connect();
  /// Asks, and says why where it is refused.
  std::optional<Json> ask(const std::string& command, Json arguments);
  bool needsStop();
  Json inFrame(Json arguments = Json::object());
  void goOn(const std::string& request, Json arguments = Json::object());
  void waitForStop();
  void tell(const Json& event);
  void showPlace();
  void showFrame(uint64_t number);
  std::string sourceText(const Json& source);
  void showScope(const std::string& name);
  void showVariables(uint64_t reference, const std::string& indent, int depth);

  // Commands
  void help(const std::string& rest);
  void stop(const std::string& rest);
  void breakAt(const std::string& rest);
  void watch(const std::string& rest);
  void catchFault(const std::string& rest);
  void removeAll(const std::string& rest);
  void runProgram(const std::string& rest);
  void start(const std::string& rest);
  void continueOn(const std::string& rest);
  void next(const std::string& rest) { goOn("next"); }
  void step(const std::string& rest) { goOn("stepIn"); }
  void finish(const std::string& rest) { goOn("stepOut"); }
  void stepInstruction(const std::string& rest) { goOn("stepIn", {{"granularity", "instruction"}}); }
  void stepBack(const std::string& rest) { goOn("stepBack"); }
  void instructionBack(const std::string& rest) { goOn("stepBack", {{"granularity", "instruction"}}); }
  void continueBack(const std::string& rest) { goOn("reverseContinue"); }
  void print(const std::string& rest);
  void assign(const std::string& rest);
  void info(const std::string& rest);
  void chooseThread(const std::string& rest);
  void chooseFrame(const std::string& rest);
  void up(const std::string&) { showFrame(depth_ + 1); }
  void down(const std::string&) { showFrame(depth_ - 1); }
  void compare(const std::string& rest) { print("compare " + rest); }
  void siblings(const std::string& rest);
  void backtrace(const std::string& rest);
  void list(const std::string& rest);
  void disassemble(const std::string& rest);
  void picture(const std::string& rest);
  void history(const std::string& rest) { print(rest.empty() ? "$history" : "$history " + rest); }
  void quit(const std::string& rest) { quits_ = true; }

  DapPeer peer_;
  const Debuggee& debuggee_;
  Json stop_ = Json::object();
  bool onEntry_ = false, connected_ = false, running_ = false, over_ = false, quits_ = false;
  uint64_t thread_ = 0, depth_ = 0;  ///< where commands look
  bool stopped_ = false;
  int status_ = 0;
  std::map<std::string, Json> lines_;  ///< breakpoints by source
  Json functions_ = Json::array(), data_ = Json::array();
  Json faults_ = Json::array({"break", "abort"});
};

const std::map<std::string, Console::Command>& Console::commands() {
  using C = Console;
  static const std::map<std::string, Command> all = {
      {"help", {&C::help, "this list"}},
      {"stop", {&C::stop, "KEY=VALUE: which invocations stop; before everything else"}},
      {"break", {&C::breakAt, "FILE:LINE or FUNCTION, perhaps `if CONDITION`"}},
      {"watch", {&C::watch, "a variable, a texel, or a pixel's attachment: color 0(3, 4), mask(3, 4)"}},
      {"catch",
       {&C::catchFault,
        "nan, bounds, division, discard; break (the shader's own) and abort are caught unless deleted"}},
      {"delete", {&C::removeAll, "all breakpoints"}},
      {"run", {&C::runProgram, "starts the program, or lets it go on that was attached to"}},
      {"start", {&C::start, "run, to the first line of the first invocation that comes along"}},
      {"continue", {&C::continueOn, "to the next breakpoint"}},
      {"next", {&C::next, "line, over calls; behind the shader the next page of what becomes of the fragment"}},
      {"step", {&C::step, "line, into calls"}},
      {"finish", {&C::finish, "this function"}},
      {"stepi", {&C::stepInstruction, "one instruction"}},
      {"reverse-step", {&C::stepBack, "line"}},
      {"reverse-stepi", {&C::instructionBack, "one instruction"}},
      {"reverse-continue", {&C::continueBack, "to the breakpoint or write before"}},
      {"print", {&C::print, "an expression of GLSL"}},
      {"set", {&C::assign, "NAME = EXPRESSION"}},
      {"info", {&C::info, "threads, or a scope: locals, inputs, outputs, globals, invocation, registers, pixel"}},
      {"thread", {&C::chooseThread, "NUMBER: another invocation of those that are stopped"}},
      {"frame", {&C::chooseFrame, "NUMBER: a caller"}},
      {"up", {&C::up, "to the caller"}},
      {"down", {&C::down, "to what it calls"}},
      {"compare", {&C::compare, "NUMBER: what another invocation holds otherwise"}},
      {"siblings", {&C::siblings, "the invocations of the pixel's other samples"}},
      {"backtrace", {&C::backtrace, "the calls that lead here"}},
      {"list", {&C::list, "the source around this line"}},
      {"disassemble", {&C::disassemble, "the instructions around this one, with their lines"}},
      {"picture", {&C::picture, "IMAGE FILE.png [LEVEL [LAYER [SAMPLE]]]: what is bound to a variable"}},
      {"history", {&C::history, "of the pixel; X,Y: records that one from the next pass on"}},
      {"quit", {&C::quit, "ends the program, unless it was attached to"}}};
  return all;
}

int Console::run() {
  const bool isTerminal = isatty(STDIN_FILENO);
  for (std::string line, last; !quits_;) {
    std::cout << "(etzel) " << std::flush;
    if (!std::getline(std::cin, line)) break;
    if (!isTerminal) say(line);
    if (line = trimmed(line); line.empty() && isTerminal) line = last;  // an empty line says the same once more
    if (!line.empty() && line[0] != '#') command(last = line);
  }
  if (connected_ && !over_) peer_.request("disconnect", {{"terminateDebuggee", debuggee_.address.empty()}});
  return status_;
}

void Console::command(const std::string& line) {
  static const std::map<std::string, std::string> kShort = {{"b", "break"},
                                                            {"c", "continue"},
                                                            {"n", "next"},
                                                            {"s", "step"},
                                                            {"p", "print"},
                                                            {"bt", "backtrace"},
                                                            {"rs", "reverse-step"},
                                                            {"rc", "reverse-continue"},
                                                            {"r", "run"},
                                                            {"si", "stepi"},
                                                            {"q", "quit"},
                                                            {"l", "list"},
                                                            {"h", "help"},
                                                            {"fin", "finish"},
                                                            {"i", "info"},
                                                            {"where", "backtrace"},
                                                            {"disas", "disassemble"}};
  auto [name, rest] = firstWord(line);
  if (const auto known = kShort.find(name); known != kShort.end()) name = known->second;
  const auto found = commands().find(name);
  if (found == commands().end()) return say("'" + name + "' is no command; help lists them");
  (this->*found->second.run)(rest);
}

void Console::help(const std::string&) {
  for (const auto& [name, c] : commands())
    say(name + std::string(18 - std::min<size_t>(name.size(), 17), ' ') + c.help);
}

bool Console::addStop(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  stop_[word.substr(0, equals)] = word.substr(equals + 1);
  return true;
}

void Console::stop(const std::string& rest) {
  if (connected_) return say("the program is there already: stop comes before breakpoints");
  std::istringstream words(rest);
  for (std::string word; words >> word;)
    if (!addStop(word)) say("'" + word + "' is no KEY=VALUE");
}

std::optional<Json> Console::ask(const std::string& command, Json arguments) {
  auto body = peer_.request(command, std::move(arguments));
  if (!body) say(peer_.error());
  return body;
}

bool Console::connect() {
  if (over_) return say("the program has ended"), false;
  if (connected_) return true;
  if (!ask("initialize", {{"adapterID", "etzel"}, {"linesStartAt1", true}})) return false;
  Json how = {{"stop", stop_}, {"stopOnEntry", onEntry_}};
  if (debuggee_.address.empty()) {
    const std::vector<std::string>& program = debuggee_.program;
    how["program"] = program[0], how["args"] = std::vector<std::string>(program.begin() + 1, program.end());
  } else {
    how["address"] = debuggee_.address;
  }
  if (!ask(debuggee_.address.empty() ? "launch" : "attach", std::move(how))) return false;
  for (auto e = peer_.event(); e; e = peer_.event()) {
    tell(*e);
    if ((*e)["event"] == "initialized") {
      ask("setExceptionBreakpoints", {{"filters", faults_}});
      return connected_ = true;
    }
    if (over_) return false;
  }
  return false;
}

bool Console::needsStop() {
  if (!stopped_) say(over_ ? "the program has ended" : "nothing is stopped");
  return stopped_;
}

Json Console::inFrame(Json arguments) {
  const auto stack = peer_.request("stackTrace", {{"threadId", thread_}});
  const Json frames = stack ? (*stack)["stackFrames"] : Json::array();
  if (depth_ < frames.size()) arguments["frameId"] = frames[depth_]["id"];
  return arguments;
}

void Console::tell(const Json& e) {
  const std::string name = e.value("event", "");
  const Json body = e.value("body", Json::object());
  if (name == "output") std::cout << body.value("output", "") << std::flush;
  if (name == "exited") status_ = body.value("exitCode", 0);
  if (name == "exited") say("the program has ended with status " + std::to_string(status_));
  if (name == "terminated" || name == "exited") over_ = true, stopped_ = false;
}

void Console::waitForStop() {
  stopped_ = false;
  while (!over_) {
    const auto e = peer_.event();
    if (!e) return;
    tell(*e);
    if ((*e)["event"] != "stopped") continue;
    const Json& body = (*e)["body"];
    stopped_ = true, depth_ = 0;
    thread_ = body.value("threadId", uint64_t{0});
    if (const std::string reason = body.value("reason", ""); reason != "step" || body.contains("text"))
      say(reason + (body.contains("text") ? ": " + body["text"].get<std::string>() : ""));
    return showPlace();
  }
}

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

void Console::goOn(const std::string& request, Json arguments) {
  if (!needsStop()) return;
  arguments["threadId"] = thread_;
  if (ask(request, std::move(arguments))) waitForStop();
}

void Console::runProgram(const std::string&) {
  if (running_) return say(over_ ? "the program has ended" : "the program runs already");
  if (!connect()) return;
  running_ = true;
  if (ask("configurationDone", Json::object())) waitForStop();
}

void Console::start(const std::string& rest) {
  if (connected_) return say("the program is there already: start comes before breakpoints");
  onEntry_ = true;
  runProgram(rest);
}

void Console::continueOn(const std::string& rest) { running_ ? goOn("continue") : runProgram(rest); }

void Console::breakAt(const std::string& rest) {
  const size_t condition = rest.find(" if ");
  const std::string where = trimmed(rest.substr(0, condition));
  const size_t colon = where.rfind(':');
  if (where.empty()) return say("FILE:LINE or FUNCTION is expected");
  if (!connect()) return;
  Json b = Json::object();
  if (condition != std::string::npos) b["condition"] = trimmed(rest.substr(condition + 4));
  if (colon == std::string::npos) {
    b["name"] = where;
    functions_.push_back(b);
    if (ask("setFunctionBreakpoints", {{"breakpoints", functions_}})) say("in " + where);
    return;
  }
  b["line"] = std::strtoull(where.c_str() + colon + 1, nullptr, 10);
  const std::string source = where.substr(0, colon);
  Json& all = lines_.try_emplace(source, Json::array()).first->second;
  all.push_back(b);
  const auto answer = ask("setBreakpoints", {{"source", {{"name", source}}}, {"breakpoints", all}});
  if (!answer) return;
  const Json& last = (*answer)["breakpoints"].back();
  say(last.value("verified", false) ? "at " + source + ":" + last["line"].dump() : last.value("message", "not yet"));
}

void Console::watch(const std::string& rest) {
  if (!connect()) return;
  Json what = {{"name", rest}};
  if (stopped_) what = inFrame(what);
  const auto info = ask("dataBreakpointInfo", what);
  if (!info) return;
  if ((*info)["dataId"].is_null()) return say((*info).value("description", "this cannot be watched"));
  data_.push_back({{"dataId", (*info)["dataId"]}});
  const auto answer = ask("setDataBreakpoints", {{"breakpoints", data_}});
  if (!answer) return;
  const Json& last = (*answer)["breakpoints"].back();
  say(last.value("verified", false) ? "on " + info->value("description", rest) : last.value("message", ""));
}

void Console::catchFault(const std::string& rest) {
  if (!connect()) return;
  faults_.push_back(rest);
  if (!ask("setExceptionBreakpoints", {{"filters", faults_}})) faults_.erase(faults_.size() - 1);
}

void Console::removeAll(const std::string&) {
  if (!connect()) return;
  for (const auto& [source, all] : lines_)
    ask("setBreakpoints", {{"source", {{"name", source}}}, {"breakpoints", Json::array()}});
  lines_.clear();
  functions_ = data_ = faults_ = Json::array();
  ask("setFunctionBreakpoints", {{"breakpoints", functions_}});
  ask("setDataBreakpoints", {{"breakpoints", data_}});
  ask("setExceptionBreakpoints", {{"filters", faults_}});
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

void Console::showVariables(uint64_t reference, const std::string& indent, int depth) {
  const auto answer = ask("variables", {{"variablesReference", reference}});
  if (!answer) return;
  for (const Json& v : (*answer)["variables"]) {
    say(indent + v.value("name", "") + " = " + v.value("value", ""));
    const auto parts = v.value("variablesReference", uint64_t{0});
    const bool isLong = v.value("value", "").starts_with("(");  // which has its parts in it
    if (parts && depth > 0 && !isLong) showVariables(parts, indent + "  ", depth - 1);
  }
}

void Console::showScope(const std::string& name) {
  const auto answer = ask("scopes", inFrame());
  if (!answer) return;
  for (const Json& s : (*answer)["scopes"]) {
    std::string own = s.value("name", "");
    std::transform(own.begin(), own.end(), own.begin(), [](unsigned char c) { return std::tolower(c); });
    if (own == name) return showVariables(s["variablesReference"].get<uint64_t>(), "  ", own == "registers" ? 0 : 1);
  }
  say("there is no scope '" + name + "' here");
}

void Console::info(const std::string& rest) {
  if (!needsStop()) return;
  if (rest != "threads") return showScope(rest);
  const auto answer = ask("threads", Json::object());
  if (!answer) return;
  for (const Json& t : (*answer)["threads"])
    say((t["id"] == thread_ ? "* " : "  ") + t["id"].dump() + "  " + t.value("name", ""));
}

void Console::chooseThread(const std::string& rest) {
  if (!needsStop()) return;
  const uint64_t wanted = std::strtoull(rest.c_str(), nullptr, 10);
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

}  // namespace

int runConsole(const Debuggee& debuggee, const std::vector<std::string>& stop) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return 1;
  std::thread adapter([end = ends[1]] {
    Adapter(end, end).run();
    close(end);
  });
  const int status = Console(ends[0], ends[0], debuggee, stop).run();
  close(ends[0]);  // which ends the adapter where it still serves
  adapter.join();
  return status;
}

}  // namespace etzel_debug
