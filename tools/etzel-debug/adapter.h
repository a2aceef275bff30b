// A debug adapter (the Debug Adapter Protocol, microsoft.github.io/debug-adapter-protocol): an editor on one side, a
// program with the driver on the other. It keeps what is said in the protocol's words; everything about shaders is
// asked of the driver. One editor, one program; single-threaded.
#pragma once

#include <set>

#include "dap_stream.h"
#include "engine.h"
#include "past_shader.h"
#include "target.h"

namespace etzel_debug {

class Adapter {
 public:
  /// `apart`: Ctrl-C is not for the programs that it starts.
  Adapter(int in, int out, bool apart = false);
  ~Adapter();

  /// Serves until the editor is gone or has said goodbye.
  void run();

  // How the driver numbers threads and references of a stop, and the protocol's addresses instructions of a shader.
  static constexpr unsigned kThreadBits = 12, kReferenceBits = 20, kInstructionBits = 20;
  /// A thread by its number, or by its number in the group of another.
  static uint64_t threadNamed(const std::string& number, uint64_t other);

 private:
  using Handler = void (Adapter::*)(const Json& request, const Json& arguments);
  enum class Needs { Nothing, Initialize, Program };
  struct Verb {
    Handler handler;
    Needs needs;
  };
  static const std::map<std::string, Verb>& verbs();

  // The editor
  void receive(const Json& message);
  void handle(const Json& message);
  void respond(const Json& request, Json body = Json::object());
  void refuse(const Json& request, const std::string& why);
  void event(const std::string& name, Json body = Json::object());
  void output(const std::string& category, const std::string& text);
  /// Asks the driver, and lets `body` make the response of its answer.
  void relay(const Json& request, const std::string& verb, const std::vector<std::string>& words,
             std::function<Json(const Json&)> body);

  // Requests
  void initialize(const Json& request, const Json& arguments);
  void launch(const Json& request, const Json& arguments);
  void attach(const Json& request, const Json& arguments);
  void configurationDone(const Json& request, const Json& arguments);
  void disconnect(const Json& request, const Json& arguments);
  void terminate(const Json& request, const Json& arguments);
  void cancel(const Json& request, const Json& arguments);
  void setBreakpoints(const Json& request, const Json& arguments);
  void setFunctionBreakpoints(const Json& request, const Json& arguments);
  void setInstructionBreakpoints(const Json& request, const Json& arguments);
  void setExceptionBreakpoints(const Json& request, const Json& arguments);
  void dataBreakpointInfo(const Json& request, const Json& arguments);
  void setDataBreakpoints(const Json& request, const Json& arguments);
  void breakpointLocations(const Json& request, const Json& arguments);
  void goOn(const Json& request, const Json& arguments);
  void step(const Json& request, const Json& arguments);
  void reverseContinue(const Json& request, const Json& arguments);
  void pause(const Json& request, const Json& arguments);
  void threads(const Json& request, const Json& arguments);
  void stackTrace(const Json& request, const Json& arguments);
  void scopes(const Json& request, const Json& arguments);
  void variables(const Json& request, const Json& arguments);
  void evaluate(const Json& request, const Json& arguments);
  void setVariable(const Json& request, const Json& arguments);
  void setExpression(const Json& request, const Json& arguments);
  void restartFrame(const Json& request, const Json& arguments);
  void gotoTargets(const Json& request, const Json& arguments);
  void goBackTo(const Json& request, const Json& arguments);
  void compare(const Json& request, const Json& arguments);
  void siblings(const Json& request, const Json& arguments);
  void picture(const Json& request, const Json& arguments);
  void compareInConsole(const Json& request, const Json& arguments, const std::string& other);
  bool evaluateThread(const Json& request, const Json& arguments, const std::string& expression);
  void writeMemory(const Json& request, const Json& arguments);
  void completions(const Json& request, const Json& arguments);
  void exceptionInfo(const Json& request, const Json& arguments);
  void readMemory(const Json& request, const Json& arguments);
  void disassemble(const Json& request, const Json& arguments);
  void source(const Json& request, const Json& arguments);
  void loadedSources(const Json& request, const Json& arguments);
  void modules(const Json& request, const Json& arguments);
  void pixelHistory(const Json& request, const Json& arguments);
  bool evaluateHistory(const Json& request, const std::string& expression);

  // Behind fragment shaders (past_shader.cpp)
  /// An event of a pixel's history that the driver waits in.
  struct Past {
    std::string title;
    std::vector<PastPage> pages;
    uint64_t page = 0;  ///< the one that is open
    struct List {
      const std::vector<PastValue>* values;
      std::string name;  ///< of the value whose parts they are
    };
    std::vector<List> lists;  ///< by reference, less one
  };
  void past(const Json& event);
  void turnPage(uint64_t stop, const Past& past);
  /// \returns whether the request was about such an event, and is answered
  bool handlePast(const Json& request, const Json& arguments);
  void stepPast(const Json& request, uint64_t stop, Past& past);
  Json framesPast(uint64_t stop, const Past& past) const;
  Json variablesPast(uint64_t stop, Past& past, uint64_t reference);
  /// What a history tells of the pixel while its shader is stopped, for the scope "Pixel".
  void keepPixel(uint64_t stop, const Json& history);
  static uint64_t pixelScope(uint64_t stop);
  /// What to ask the driver of a data breakpoint on a part of the pixel; nothing where the reference is none.
  std::vector<std::string> pixelPart(uint64_t reference, const std::string& name) const;
  void answerWatchable(const Json& request, const std::string& verb, const std::vector<std::string>& words,
                       const std::string& pixel, const std::string& otherwise = {});

  // The program
  void begin(const Json& arguments);
  void connected();
  void driverSays(const Json& event);
  /// What driverSays() does, which throws where an event is not as the driver has them.
  void hear(const Json& event);
  void stopped(const Json& event);
  void lookAtTarget();
  void over();
  void tellStop(Json body);

  Json sourceOf(const std::string& name, uint64_t shader, uint64_t file, bool embedded) const;
  std::string sourceNamed(const Json& source) const;
  Json breakpoints(const Json& answer, const std::string& path);
  void shiftLine(Json& breakpoint) const;
  Json variable(const Json& v, uint64_t stop) const;
  static Json moduleOf(const Json& m);
  static int64_t addressIn(const std::string& text);
  /// A thread of a stop; 0: it is none.
  uint64_t firstThreadOf(uint64_t stop) const;
  Json listed(const Json& stop) const;
  /// Frames of the protocol are numbered by thread and depth.
  std::pair<uint64_t, uint64_t> frameOf(const Json& arguments) const;
  static uint64_t frameId(uint64_t thread, uint64_t depth);

  DapStream stream_;
  Engine engine_;
  Target target_;
  std::string address_, folder_;  ///< folder_: made for the socket
  Json settings_;                 ///< arguments of launch or attach
  const bool apart_;
  int64_t sequence_ = 1;
  bool initialized_ = false, begun_ = false, connecting_ = false, launched_ = false, over_ = false, goodbye_ = false;
  bool linesFromOne_ = true, columnsFromOne_ = true;
  std::set<int64_t> pending_;                                   ///< requests that wait for the driver
  std::map<uint64_t, std::string> pathOf_;                      ///< by a breakpoint's number: the source it was set in
  std::map<std::string, std::string> paths_;                    ///< by a source's name: where the editor has it
  std::vector<std::pair<std::string, uint64_t>> targets_;       ///< of gotoTargets, numbered from 1: source, line
  std::map<std::string, std::pair<uint64_t, uint64_t>> files_;  ///< by a source's name: a shader that has it
  std::map<uint64_t, Json> stops_;                              ///< by number: the event that told it
  std::map<uint64_t, Past> pasts_;                              ///< by number of the stop
  std::map<uint64_t, Past> pixels_;                             ///< of stops in shaders: one page, the pixel
  uint64_t pixelEvents_ = 0;                                    ///< that there were, when they were asked for last
  uint64_t lastThread_ = 0;
  uint64_t listed_ = 0;  ///< so many threads of a group a list has that names no page; 0: all
};

}  // namespace etzel_debug
