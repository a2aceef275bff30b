#include "console.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "adapter.h"
#include "console_impl.h"
#include "console_text.h"

namespace etzel_debug {

const std::map<std::string, Console::Command>& Console::commands() {
  using C = Console;
  static const std::map<std::string, Command> all = {
      {"help", {&C::help, "this list"}},
      {"stop", {&C::stop, "KEY=VALUE: which invocations stop; before everything else"}},
      {"break", {&C::breakAt, "FILE:LINE or FUNCTION, perhaps with `if CONDITION`"}},
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
