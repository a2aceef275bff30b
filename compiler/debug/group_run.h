// Warps that are being debugged together: one, or all of a workgroup. Steps by line and by instruction, forward and
// back, for any of their invocations, over barriers. They run the debug compile in the interpreter, one after the other
// as they would without a debugger, and leave the same bytes. One thread at a time.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "compiler/debug/extents.h"
#include "compiler/debug/places.h"
#include "compiler/debug/run.h"
#include "compiler/debug/undo_log.h"

namespace etzel::debugger {

/// A program that can be debugged, with everything that is made of it once.
struct Debuggable {
  std::shared_ptr<const DebugProgram> program;
  interp::CodePtr code;
  Places places;
  Extents extents;
  /// Whether nobody notices when a warp runs twice: fragment shaders that give colours, depth and masks, nothing else.
  bool repeatable = false;
};
Result<std::shared_ptr<const Debuggable>> makeDebuggable(const compiler::ShaderSource& source);

/// An invocation of the run: kWarpLanes times its warp's index and its lane.
using Thread = uint32_t;
constexpr uint32_t warpOf(Thread t) { return t / kWarpLanes; }
constexpr uint32_t laneOf(Thread t) { return t % kWarpLanes; }

enum class Go : uint8_t {
  On,           ///< until the watch says so
  Into,         ///< to the next line, also of a function that is called
  Over,         ///< to the next line of this function, or of its caller
  Out,          ///< to the caller
  Instruction,  ///< to the next instruction
};

enum class Halt : uint8_t {
  Step,       ///< where the step goes
  Watch,      ///< the watch wants it
  Paused,     ///< interrupt() was called
  Beginning,  ///< nothing older is known
  Left,       ///< the invocation is over; the others are not
  Apart,      ///< a warp apart is over, or others would notice its next instruction
  Ended,      ///< all warps are over
};

class GroupRun {
 public:
  /// Called when a warp stands before an instruction, after each step; true: stop here.
  using Watch = std::function<bool(GroupRun& run, uint32_t warp)>;

  /// The warps, prepared as for an executable, get memory of the run's own until it ends. `undoBytes`: how much is kept
  /// of what steps changed.
  GroupRun(std::shared_ptr<const Debuggable> what, std::span<abi::Warp> warps, size_t undoBytes);
  ~GroupRun();
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  const DebugProgram& program() const { return *what_->program; }
  const Places& places() const { return what_->places; }
  const Extents& extents() const { return what_->extents; }
  uint32_t warps() const { return static_cast<uint32_t>(warps_.size()); }
  const abi::Warp& warp(uint32_t w) const { return *warps_[w].warp; }
  const interp::Stepper& stepper(uint32_t w) const { return *warps_[w].stepper; }

  /// The one that runs next; of a warp that waits or has ended the one that did.
  uint32_t instruction(uint32_t w) const {
    const Member& m = warps_[w];
    return m.stepper->left() ? m.track.before : m.stepper->instruction();
  }
  LaneMask active(uint32_t w) const;
  bool ended(uint32_t w) const { return warps_[w].track.ended; }
  bool waits(uint32_t w) const { return !ended(w) && warps_[w].stepper->left(); }
  bool runs(Thread t) const { return active(warpOf(t)) >> laneOf(t) & 1; }
  /// Whether the invocation existed at all when the run began.
  bool exists(Thread t) const { return warps_[warpOf(t)].first >> laneOf(t) & 1; }
  /// Lanes for which a line begins where the warp stands: `middle` of them come back to it from a call.
  LaneMask began(uint32_t w) const { return warps_[w].track.began; }
  LaneMask middle(uint32_t w) const { return warps_[w].track.middle; }

  /// Takes in a warp apart: one that somebody wants to look at beside the others, such as that of another sample. It is
  /// prepared as they are, with memory of its own, stands at its beginning, and runs only where one of its threads is
  /// stepped or brought, never past what others would notice: stores to memory and images, prints. `lanes`: those that
  /// exist(). \pre none of its program's barriers is ever met. \returns its index, behind all others
  uint32_t addApart(abi::Warp* warp, LaneMask lanes);
  /// Forgets all of them, which gives their warps back.
  void dropApart();
  bool isApart(uint32_t w) const { return w >= own_; }
  /// Runs a warp apart on to where a lane stands before `instruction` for the time that follows `visits`.
  void bring(Thread t, uint32_t instruction, uint32_t visits);
  /// How often a lane has run an instruction. Of groups of one warp, and warps apart; 0 where the way is not known.
  uint32_t visits(Thread t, uint32_t instruction) const {
    const Member& m = warps_[warpOf(t)];
    return instruction < m.visits.size() ? m.visits[instruction].lane[laneOf(t)] : 0;
  }
  /// Whether others would notice the next instruction of a warp apart, which therefore does not run.
  bool wouldShow(uint32_t w) const;

  /// Warps whose turn comes before the thread's run up to where they wait or end.
  Halt forward(Go how, Thread thread, const Watch& watch);
  Halt back(Go how, Thread thread, const Watch& watch);
  /// Any thread: the run in progress stops soon.
  void interrupt() { interrupted_.store(true); }
  /// Runs everything to its end, which cannot be taken back. Done or Cancelled.
  abi::WarpStatus finish();

  std::vector<StackFrame> callStack(uint32_t w) const { return program().callStack(instruction(w)); }
  Value value(Thread t, uint32_t variable) const;
  /// Where a scalar of a variable lies: words of 4 bytes (two for 64 bits), or less in laid out memory.
  struct Leaf {
    std::byte* word[2] = {};
    uint32_t bytes = 0, type = 0;
    uint32_t home = kNone;  ///< index of the first word in the homes
  };
  /// The scalars of a part of a variable, in order; empty where it lies nowhere.
  std::vector<Leaf> locate(Thread t, uint32_t variable, std::span<const uint32_t> path) const;
  /// Stores a scalar, so that the program goes on with it. Errors: the value is nowhere but in copies.
  Result<void> store(Thread t, const Leaf& leaf, uint64_t bits);

  size_t stepsBack() const { return undo_.steps(); }
  /// Whether steps are noted for the way back. Repeatable warps run without that, some ten times as fast, until
  /// forward() stops for the first time, and then once more: unless that would be more than kMostRepeated steps, or
  /// somebody interrupts it. Then the way back begins where they have stopped.
  bool isRecorded() const { return recorded_; }
  /// Seconds, for a loop without an end that has been paused. The log would have no room for many more.
  static constexpr uint64_t kMostRepeated = 1'000'000;

 private:
  /// What is known of the way of a warp; plain, for the undo log.
  struct Track {
    struct Lane {
      uint32_t place, start;
    } lane[kWarpLanes];
    uint32_t before, round;  ///< round: barriers behind it
    LaneMask began, middle;
    bool ended;
  };
  /// Register words, + 1, that still hold what a home does.
  struct Kept {
    uint16_t at[2] = {};
  };
  struct Member {
    abi::Warp* warp = nullptr;
    LaneMask first = 0;
    std::vector<LaneWords> registers, scratch;
    std::vector<std::byte> state;
    LaneWords* savedRegisters = nullptr;
    std::byte* savedScratch = nullptr;
    void* savedState = nullptr;
    std::unique_ptr<interp::Stepper> stepper;
    WrittenWords written;
    std::vector<Kept> kept;         ///< by home word and lane
    std::vector<LaneWords> visits;  ///< by instruction
    Track track{};
    bool looked = false;            ///< the watch has seen its beginning
    std::unique_ptr<UndoLog> undo;  ///< of warps apart; those that run together have one log
  };

  void prepare(uint32_t w);
  void giveBack(Member& m);
  Halt run(Go how, Thread thread, const Watch& watch);
  void step(uint32_t w);
  void stepUnrecorded(Member& m);
  void record();
  /// \returns whether the warp has come to where it stood; not: it was too far, interrupted, or came elsewhere
  bool repeat();
  /// What stepping back has taken back did not happen.
  void unvisit(uint32_t w);
  Halt forwardApart(Go how, Thread thread);
  UndoLog& logOf(uint32_t w) { return warps_[w].undo ? *warps_[w].undo : undo_; }
  void noteStores(Member& m, uint32_t instruction);
  void noteWritten(Member& m, const isa::Inst& inst);
  void arrive(Member& m);
  /// Whether the warp may go on: it is not over, and nobody is missing at its barrier.
  bool mayRun(uint32_t w) const;
  /// The warp that runs next, in the order of an ordinary run; kNone: all ended.
  uint32_t next() const;
  bool stepEnds(Go how, Thread t, uint32_t depth, uint32_t place) const;
  uint32_t depthOf(Thread t) const;

  std::shared_ptr<const Debuggable> what_;
  std::deque<Member> warps_;  ///< the log watches them where they are
  uint32_t own_;              ///< so many run together; what lies behind them is apart
  UndoLog undo_;
  bool recorded_ = false;
  uint64_t unrecorded_ = 0;  ///< steps behind the beginning
  std::atomic<bool> interrupted_{false};
};

}  // namespace etzel::debugger
