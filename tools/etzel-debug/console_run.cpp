// The console's program: how it comes, goes on, stops and ends.
#include "console_impl.h"

namespace etzel_debug {

std::optional<Json> Console::ask(const std::string& command, Json arguments, OnInterrupt first) {
  auto body = peer_.request(command, std::move(arguments), first);
  if (!body) say(peer_.error());
  return body;
}

bool Console::connect() {
  if (over_) return say(ended_), false;
  if (connected_) return true;
  if (!initialized_ && !ask("initialize", {{"adapterID", "etzel"}, {"linesStartAt1", true}})) return false;
  initialized_ = true;
  Json how = {{"stop", stop_}, {"stopOnEntry", onEntry_}};
  if (debuggee_.address.empty()) {
    const std::vector<std::string>& program = debuggee_.program;
    how["program"] = program[0], how["args"] = std::vector<std::string>(program.begin() + 1, program.end());
  } else {
    how["address"] = debuggee_.address;
  }
  if (!ask(debuggee_.address.empty() ? "launch" : "attach", std::move(how))) return false;
  while (!over_) {
    if (!peer_.wait()) {  // it may be none that ever makes a device
      if (!debuggee_.address.empty()) return giveUp();
      ask("terminate", Json::object());
      continue;
    }
    const auto e = peer_.event();
    if (!e) break;
    tell(*e);
    if ((*e)["event"] != "initialized") continue;
    breakpoints_.begin();
    if (peer_.interrupted()) return giveUp();  // somebody listens who does not answer
    return connected_ = true;
  }
  return false;
}

/// Lets go of a program that does not answer. \returns false
bool Console::giveUp() {
  const bool isOwn = debuggee_.address.empty();
  peer_.request("disconnect", {{"terminateDebuggee", isOwn}});
  over_ = true;
  ended_ = isOwn ? "the program did not answer, and was ended" : "nobody answers at " + debuggee_.address;
  say(ended_);
  return false;
}

bool Console::needsStop() {
  if (!stopped_) say(over_ ? ended_ : running_ ? "nothing is stopped; the program runs" : "nothing is stopped");
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
  for (bool paused = false; !over_;) {
    if (!peer_.wait()) {
      if (!paused) {
        say("\nthe next invocation that comes along stops; Ctrl-C again leads to the prompt");
        paused = ask("pause", {{"threadId", thread_}}).has_value();
        if (!peer_.interrupted()) continue;
      }
      return say("the program runs on; `continue` waits for what stops next");
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

void Console::goOn(const std::string& request, Json arguments) {
  if (!needsStop()) return;
  arguments["threadId"] = thread_;
  letGo(request, std::move(arguments));
}

void Console::letGo(const std::string& request, Json arguments) {
  if (ask(request, std::move(arguments), OnInterrupt::Wait)) return waitForStop();
  if (!peer_.interrupted()) return;
  stopped_ = false;
  say("it may go on nevertheless; `continue` waits for what stops next");
}

void Console::runProgram(const std::string&) {
  if (running_) return say(over_ ? ended_ : "the program runs already");
  if (!connect()) return;
  running_ = true;
  letGo("configurationDone", Json::object());
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

}  // namespace etzel_debug
