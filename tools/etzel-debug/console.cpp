#include "console.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "adapter.h"
#include "console_breakpoints.h"
#include "dap_peer.h"
#include "interrupts.h"

namespace etzel_debug {
namespace {

constexpr uint64_t kLinesAround = 5;    ///< that `list` shows before and behind
constexpr uint64_t kThreadsAPage = 32;  ///< that `info threads` shows

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// "a b c" as "a" and "b c".
std::pair<std::string, std::string> firstWord(const std::string& text) {
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

/// A number and nothing else.
std::optional<uint64_t> numberIn(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
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
      : peer_(in, out), debuggee_(debuggee), interrupts_(isatty(STDIN_FILENO)) {
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
  /// \returns false at the end of the input
  bool readLine(std::string& line);

  void say(const std::string& text) { std::cout << text << std::endl; }
  bool addStop(const std::string& word);
  bool connect();
  /// Asks, and says why where it is refused.
  std::optional<Json> ask(const std::string& command, Json arguments);
  bool needsStop();
  /// A breakpoint of a number that begins `text`, and what is behind it; says what is wrong.
  std::optional<std::pair<Breakpoint, std::string>> breakpointIn(const std::string& text);
  void replace(const Breakpoint& b);
  void sayAdded(Breakpoint b);
  Json inFrame(Json arguments = Json::object());
  void goOn(const std::string& request, Json arguments = Json::object());
  void waitForStop();
  void tell(const Json& event);
  void showPlace();
  void showFrame(uint64_t number);
  std::string sourceText(const Json& source);
  void showScope(const std::string& name);
  void showVariables(uint64_t reference, const std::string& indent, int depth);
  void showThreads(const std::string& which);

  // Commands
  void help(const std::string& rest);
  void stop(const std::string& rest);
  void breakAt(const std::string& rest);
  void logAt(const std::string& rest);
  void condition(const std::string& rest);
  void hits(const std::string& rest);
  void ignore(const std::string& rest);
  void watch(const std::string& rest);
  void catchFault(const std::string& rest);
  void remove(const std::string& rest);
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
  Breakpoints breakpoints_{[this](const std::string& command, Json arguments) { return ask(command, arguments); }};
  Interrupts interrupts_;
};

const std::map<std::string, Console::Command>& Console::commands() {
  using C = Console;
  static const std::map<std::string, Command> all = {
      {"help", {&C::help, "this list"}},
      {"stop", {&C::stop, "KEY=VALUE: which invocations stop; before everything else"}},
      {"break", {&C::breakAt, "FILE:LINE or FUNCTION, perhaps `if CONDITION`"}},
      {"log", {&C::logAt, "FILE:LINE TEXT: says the text, with {EXPRESSION} in it, and goes on"}},
      {"condition", {&C::condition, "NUMBER [CONDITION]: when a breakpoint stops"}},
      {"hits", {&C::hits, "NUMBER [HOW]: at which of its hits it stops: 5, >= 5, % 5"}},
      {"ignore", {&C::ignore, "NUMBER COUNT: lets so many hits go by"}},
      {"watch", {&C::watch, "a variable, a texel, or a pixel's attachment: color 0(3, 4), mask(3, 4)"}},
      {"catch",
       {&C::catchFault,
        "nan, bounds, division, discard; break (the shader's own) and abort are caught unless deleted"}},
      {"delete", {&C::remove, "[NUMBER...]: breakpoints; all without a number"}},
      {"run", {&C::runProgram, "starts the program, or lets it go on that was attached to"}},
      {"start", {&C::start, "run, to the first line of the first invocation that comes along"}},
      {"continue", {&C::continueOn, "to the next breakpoint; Ctrl-C stops the next invocation that comes along"}},
      {"next", {&C::next, "line, over calls; behind the shader the next page of what becomes of the fragment"}},
      {"step", {&C::step, "line, into calls"}},
      {"finish", {&C::finish, "this function"}},
      {"stepi", {&C::stepInstruction, "one instruction"}},
      {"reverse-step", {&C::stepBack, "line"}},
      {"reverse-stepi", {&C::instructionBack, "one instruction"}},
      {"reverse-continue", {&C::continueBack, "to the breakpoint or write before"}},
      {"print", {&C::print, "an expression of GLSL"}},
      {"set", {&C::assign, "NAME = EXPRESSION"}},
      {"info",
       {&C::info,
        "breakpoints; threads [FIRST[-LAST]]; or a scope: locals, inputs, outputs, globals, invocation, registers, "
        "invocations, pixel"}},
      {"thread", {&C::chooseThread, "NUMBER: another invocation of those that are stopped, or of the group"}},
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
    if (!readLine(line)) break;
    if (!isTerminal) say(line);
    if (line = trimmed(line); line.empty() && isTerminal) line = last;  // an empty line says the same once more
    if (!line.empty() && line[0] != '#') command(last = line);
  }
  if (connected_ && !over_) peer_.request("disconnect", {{"terminateDebuggee", debuggee_.address.empty()}});
  return status_;
}

bool Console::readLine(std::string& line) {
  std::cout << "(etzel) " << std::flush;
  // A terminal gives a line at a time, so nothing waits in std::cin.
  for (pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {interrupts_.descriptor(), POLLIN, 0}};
       fds[1].fd >= 0 && (poll(fds, 2, -1) < 0 || fds[1].revents); fds[1].revents = 0) {
    if (!fds[1].revents) continue;
    interrupts_.clear();
    std::cout << "\n(etzel) " << std::flush;
  }
  return static_cast<bool>(std::getline(std::cin, line));
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
  while (!over_) {
    if (!peer_.wait(interrupts_.descriptor())) {  // it may be none that ever makes a device
      interrupts_.clear();
      ask("terminate", Json::object());
      continue;
    }
    const auto e = peer_.event();
    if (!e) break;
    tell(*e);
    if ((*e)["event"] != "initialized") continue;
    breakpoints_.begin();
    return connected_ = true;
  }
  return false;
}

bool Console::needsStop() {
  if (!stopped_)
    say(over_ ? "the program has ended" : running_ ? "nothing is stopped; the program runs" : "nothing is stopped");
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
  if (name == "breakpoint") breakpoints_.changed(body.value("breakpoint", Json::object()));
  if (name == "exited") status_ = body.value("exitCode", 0);
  if (name == "exited") say("the program has ended with status " + std::to_string(status_));
  if (name == "terminated" || name == "exited") over_ = true, stopped_ = false;
}

void Console::waitForStop() {
  stopped_ = false;
  interrupts_.clear();
  for (bool paused = false; !over_;) {
    if (!peer_.wait(interrupts_.descriptor())) {
      interrupts_.clear();
      if (paused) return say("the program runs on; `continue` waits for what stops next");
      say("\nthe next invocation that comes along stops; Ctrl-C again leads to the prompt");
      paused = ask("pause", {{"threadId", thread_}}).has_value();
      continue;
    }
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

void Console::continueOn(const std::string& rest) {
  if (!running_) return runProgram(rest);
  stopped_ || over_ ? goOn("continue") : waitForStop();
}

void Console::sayAdded(Breakpoint b) {
  if (const auto told = breakpoints_.add(std::move(b))) say(*told);
}

void Console::breakAt(const std::string& rest) {
  const size_t condition = rest.find(" if ");
  Breakpoint b;
  b.where = trimmed(rest.substr(0, condition));
  if (b.where.empty()) return say("FILE:LINE or FUNCTION is expected");
  if (!connect()) return;
  if (condition != std::string::npos) b.condition = trimmed(rest.substr(condition + 4));
  if (const size_t colon = b.where.rfind(':'); colon == std::string::npos) {
    b.kind = Breakpoint::Kind::Function, b.told = "in " + b.where;
  } else {
    b.told = "at " + b.where;
    b.line = std::strtoull(b.where.c_str() + colon + 1, nullptr, 10), b.where.resize(colon);
  }
  sayAdded(std::move(b));
}

void Console::logAt(const std::string& rest) {
  const auto [place, text] = firstWord(rest);
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos || text.empty()) return say("FILE:LINE TEXT is expected");
  if (!connect()) return;
  Breakpoint b;
  b.where = place.substr(0, colon), b.line = std::strtoull(place.c_str() + colon + 1, nullptr, 10);
  b.log = text, b.told = "at " + place;
  sayAdded(std::move(b));
}

std::optional<std::pair<Breakpoint, std::string>> Console::breakpointIn(const std::string& text) {
  const auto [number, rest] = firstWord(text);
  const auto n = numberIn(number);
  const Breakpoint* const known = n ? breakpoints_.find(*n) : nullptr;
  if (!known) return say("there is no breakpoint '" + number + "'; `info breakpoints` lists them"), std::nullopt;
  if (known->kind == Breakpoint::Kind::Fault) return say("every fault of a kind stops"), std::nullopt;
  return std::pair(*known, rest);
}

void Console::replace(const Breakpoint& b) {
  if (const auto told = breakpoints_.replace(b)) say(*told);
}

void Console::condition(const std::string& rest) {
  auto found = breakpointIn(rest);
  if (!found) return;
  found->first.condition = found->second;
  replace(found->first);
}

void Console::hits(const std::string& rest) {
  auto found = breakpointIn(rest);
  if (!found) return;
  found->first.hits = found->second;
  replace(found->first);
}

void Console::ignore(const std::string& rest) {
  auto found = breakpointIn(rest);
  if (!found) return;
  const auto count = numberIn(found->second);
  if (!count) return say("NUMBER COUNT is expected");
  found->first.hits = *count ? "> " + std::to_string(*count) : "";
  replace(found->first);
}

void Console::watch(const std::string& rest) {
  if (!connect()) return;
  Json what = {{"name", rest}};
  if (stopped_) what = inFrame(what);
  const auto info = ask("dataBreakpointInfo", what);
  if (!info) return;
  if ((*info)["dataId"].is_null()) return say((*info).value("description", "this cannot be watched"));
  Breakpoint b;
  b.kind = Breakpoint::Kind::Data, b.where = (*info)["dataId"].get<std::string>();
  b.told = "on " + info->value("description", rest);
  sayAdded(std::move(b));
}

void Console::catchFault(const std::string& rest) {
  if (!connect()) return;
  Breakpoint b;
  b.kind = Breakpoint::Kind::Fault, b.where = rest, b.told = "of " + rest;
  sayAdded(std::move(b));
}

void Console::remove(const std::string& rest) {
  if (!connect()) return;
  if (rest.empty()) return breakpoints_.removeAll();
  std::istringstream words(rest);
  for (std::string word; words >> word;) {
    const auto n = numberIn(word);
    if (n && breakpoints_.find(*n))
      breakpoints_.remove(*n);
    else
      say("there is no breakpoint '" + word + "'; `info breakpoints` lists them");
  }
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
  if (rest == "breakpoints") {
    const std::vector<std::string> all = breakpoints_.list();
    for (const std::string& one : all) say(one);
    return all.empty() ? say("there are none") : void();
  }
  if (!needsStop()) return;
  const auto [what, which] = firstWord(rest);
  what == "threads" ? showThreads(which) : showScope(rest);
}

/// A page of them: the one that the thread is on, or what is asked for, counted from 0 in their order.
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

}  // namespace

int runConsole(const Debuggee& debuggee, const std::vector<std::string>& stop) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return 1;
  // Ctrl-C in a terminal is the console's.
  std::thread adapter([end = ends[1], apart = isatty(STDIN_FILENO) != 0] {
    Adapter(end, end, apart).run();
    close(end);
  });
  const int status = Console(ends[0], ends[0], debuggee, stop).run();
  close(ends[0]);  // which ends the adapter where it still serves
  adapter.join();
  return status;
}

}  // namespace etzel_debug
