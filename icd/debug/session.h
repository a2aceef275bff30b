// A debugger's session with this process: its breakpoints, the shaders that there are, the groups of warps that are
// stopped. Worker threads run warps through it and sleep here while they are stopped; the wire's thread brings
// requests. Of each queue one group is stopped at a time, others that would stop wait for their turn; queues do not
// wait for each other. The watchdog of a queue is told that all is well meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <unordered_map>

#include "icd/debug/group_watch.h"
#include "icd/debug/past_shader.h"
#include "icd/debug/wire.h"

namespace etzel::icd {

struct WrittenTexels;

class Session {
 public:
  /// The process's; it is never destroyed, since workers may outlive static objects.
  static Session& get();

  void listen(const std::string& address);
  void waitForGo();

  void offer(const std::shared_ptr<abi::Kernel>& kernel, const compiler::ShaderSource& source);
  const abi::Kernel* watched(const abi::Kernel* kernel, const CommandPlace& command);
  std::optional<raster::WatchedPlace> watchedPlace() const;

  /// Runs warps of a shader, looking whether they stop: one, or all of a workgroup.
  abi::WarpStatus run(DebugShader& shader, std::span<abi::Warp> warps);

  /// Shows an event of a pixel's history and sleeps until the debugger lets go. `why`: none is a step.
  PastShader showPast(const std::string& event, std::atomic<uint32_t>* progress, const Reason* why = nullptr);
  /// The same where a breakpoint is on what an event has written.
  PastShader showWrite(const std::string& event, std::span<const TouchedImage> images, std::atomic<uint32_t>* progress);
  void showMemoryWrite(const char* command, uint64_t at, uint64_t bytes, std::atomic<uint32_t>* progress);
  void showTexelWrite(const char* command, const WrittenTexels& texels, std::atomic<uint32_t>* progress);
  /// A line of output for the debugger that is attached.
  void log(const std::string& text);

 private:
  struct Stop;
  struct Past;
  using Words = std::vector<std::string>;
  using Body = Result<std::string>;

  Session();

  // Requests (session_requests.cpp); those of a stop run in the thread that is stopped.
  void request(WireRequest r);
  void detach();
  Body hello(const Words& words);
  Body setFilter(const Words& words);
  Body setLines(const Words& words);
  Body setFunctions(const Words& words);
  Body setInstructions(const Words& words);
  Body setFaults(const Words& words);
  Body setData(const Words& words);
  Body watchablePixel(const Words& words);  // session_watch.cpp
  /// Why a pixel cannot be watched; empty: it is recorded from the next pass on, or is already.
  std::string recordFor(const PixelPlace& place);
  Body pause(const Words& words);
  Body modules(const Words& words);
  Body source(const Words& words);
  Body places(const Words& words);
  Body disassemble(const Words& words);
  Body threads(const Words& words);
  Body history(const Words& words);  // session_history.cpp
  void stopHistory();
  void go(const WireRequest& r);
  void resumeAll(const WireRequest& r);

  // Stops (session_stop.cpp)
  /// Where the breakpoints stop in a shader, found once for each list of them; none where it cannot be debugged.
  std::shared_ptr<const Traps> trapsFor(DebugShader& shader, const Wanted& wanted);
  abi::WarpStatus debug(DebugShader& shader, std::span<abi::Warp> warps,
                        std::shared_ptr<const debugger::Debuggable> what);
  void takeTurn(Stop& stop);
  void giveTurn(Stop& stop);
  void announce(Stop& stop);
  /// Sleeps and serves requests until one lets the group go on, which it is told in stop.go.
  void serve(Stop& stop);
  Body inspect(Stop& stop, const WireRequest& r);
  Body siblings(Stop& stop, debugger::Thread t);
  bool readRestart(Stop& stop, const WireRequest& r);
  bool readGoto(Stop& stop, const WireRequest& r);
  bool readStep(Stop& stop, const WireRequest& r);
  /// Goes on as stop.go says; stop.reason is why it stopped again. \returns false when nothing is left to stop in
  bool goOn(Stop& stop);
  bool look(Stop& stop, uint32_t warp, bool back);

  // Behind fragment shaders (past_shader.cpp); with the mutex.
  bool answerPast(const WireRequest& r, uint32_t number);
  void resumePasts();

  const Wanted* wanted() const { return wanted_.load(std::memory_order_acquire); }
  /// Puts a changed copy in the place of what is wanted.
  template <class F>
  void want(F&& change);
  /// {"id","verified",...} of a rule that stops there.
  static std::string describe(const Rule& rule, const Verified& where);
  static std::string describeModule(DebugShader& shader);
  std::vector<DebugShader*> shaders();
  DebugShader* shader(const std::string& number);

  Wire wire_;
  std::map<std::string, Body (Session::*)(const Words&)> verbs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<const Wanted*> wanted_{nullptr};
  std::vector<std::unique_ptr<const Wanted>> kept_;  ///< workers may still look at older ones
  std::atomic<bool> attached_{false}, pause_{false}, entry_{false}, recordsHistory_{false};
  std::atomic<bool> taken_{false};  ///< Filter::Which::First: one has stopped
  bool mayGo_ = false;
  uint32_t nextRule_ = 1, nextStop_ = 1;
  std::unordered_map<const abi::Kernel*, std::unique_ptr<DebugShader>> byKernel_;
  std::vector<DebugShader*> shaders_;
  struct Found {
    uint64_t generation = 0;
    std::shared_ptr<const Traps> traps;
  };
  std::map<const DebugShader*, Found> traps_;
  std::map<uint32_t, Stop*> stops_;           ///< groups that are stopped
  std::map<uint32_t, Past*> pasts_;           ///< the same behind shaders, numbered alike
  std::vector<debugger::GroupRun*> running_;  ///< groups that a debugger has stopped and let go on
  std::map<const void*, const Stop*> turns_;
  task::ForkHandler fork_;
};

}  // namespace etzel::icd
