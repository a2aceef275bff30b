// The console's state, and its commands: console.cpp reads them, the other console_*.cpp are what they do.
// Single-threaded.
#pragma once

#include <unistd.h>

#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "console_breakpoints.h"
#include "dap_peer.h"
#include "interrupts.h"

namespace etzel_debug {

class Console {
 public:
  Console(int in, int out, const Debuggee& debuggee, const std::vector<std::string>& stop)
      : interrupts_(isatty(STDIN_FILENO)), peer_(in, out, interrupts_), debuggee_(debuggee) {
    for (const std::string& word : stop) addStop(word);
  }
  /// Takes commands up to the end of the input. \returns the program's exit status
  int run();

 private:
  using OnInterrupt = DapPeer::OnInterrupt;
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

  // The adapter and the program (console_run.cpp)
  bool connect();
  bool giveUp();
  /// Asks, and says why where it is refused.
  std::optional<Json> ask(const std::string& command, Json arguments, OnInterrupt first = OnInterrupt::Cancel);
  bool needsStop();
  /// `arguments` with the frame that commands look at.
  Json inFrame(Json arguments = Json::object());
  /// Has the thread that commands look at go on.
  void goOn(const std::string& request, Json arguments = Json::object());
  /// Asks for what lets the program run, and waits for what stops next.
  void letGo(const std::string& request, Json arguments);
  void waitForStop();
  void tell(const Json& event);

  // Breakpoints (console_break.cpp)
  /// A breakpoint of a number that begins `text`, and what is behind it; says what is wrong.
  std::optional<std::pair<Breakpoint, std::string>> breakpointIn(const std::string& text);
  void replace(const Breakpoint& b);
  void sayAdded(Breakpoint b);

  // What is shown (console_look.cpp)
  void showPlace();
  void showFrame(uint64_t number);
  std::string sourceText(const Json& source);
  void showScope(const std::string& name);
  /// \returns false where Ctrl-C has ended it
  bool showVariables(uint64_t reference, const std::string& indent, int depth);
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

  Interrupts interrupts_;
  DapPeer peer_;
  const Debuggee& debuggee_;
  Json stop_ = Json::object();
  bool onEntry_ = false, initialized_ = false, connected_ = false, running_ = false, over_ = false, quits_ = false;
  std::string ended_ = "the program has ended";  ///< once it is over_
  uint64_t thread_ = 0, depth_ = 0;              ///< where commands look
  bool stopped_ = false;
  int status_ = 0;  ///< the program's
  Breakpoints breakpoints_{[this](const std::string& command, Json arguments) { return ask(command, arguments); }};
};

}  // namespace etzel_debug
