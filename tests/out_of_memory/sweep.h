// All trials of a scenario: what the driver asks for without failures, then each request failing, and what became of
// it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/out_of_memory/trial.h"

namespace oom {

struct Options {
  uint64_t points = 0;  ///< at most, per scenario and kind of failure; 0: all
  int64_t at = -1;      ///< this one only
  bool explain = false;
  bool complete = false;  ///< a scenario that is not run is a failure
  unsigned jobs = 2;      ///< processes side by side
};

/// A row of the table.
struct Counts {
  uint64_t points = 0;
  uint64_t outOfMemory = 0, lost = 0, unharmed = 0;    ///< what the application was told
  uint64_t died = 0, hung = 0, wrong = 0, leaked = 0;  ///< what must not be
  void add(const Counts& o);
  bool good() const { return !died && !hung && !wrong && !leaked; }
};

class Sweep {
 public:
  explicit Sweep(const Options& options);
  /// Adds to `counts`, and says on stderr what went wrong. \returns false when the scenario fails with all memory.
  bool run(const Entry& entry, Counts& counts);

 private:
  /// What a scenario holds in the end when nothing fails.
  struct Reference {
    std::map<size_t, int64_t> held;  ///< of each size how many
    size_t bytes = 0;                ///< all of it together, at least
    int descriptors = 0, threads = 0;
    std::vector<uint64_t> points;  ///< requests of the driver's own
  };
  /// A process at work.
  struct Slot {
    Report* report = nullptr;
    pid_t child = 0;
    Trial trial;
  };

  bool refer(const Entry& entry, Fault fault, Reference& reference);
  /// Fills a folder as the cache on disk. \param requests how many the driver had of its own, compiling all of it
  bool fill(const Entry& entry, const std::string& folder, size_t& requests);
  /// All trials of an entry, whose requests with all memory are `own`. \returns false when its callbacks' run fails
  /// with all memory.
  bool runAll(const Entry& entry, Reference own, Counts& counts);
  void tryAll(const Entry& entry, Fault fault, const Reference& reference, Counts& counts);
  Slot& freeSlot(const Reference& reference, Counts& counts);
  void waitForOne(const Reference& reference, Counts& counts);
  void judge(Slot& slot, int status, const Reference& reference, Counts& counts);
  void judgeLeaks(Slot& slot, const Reference& reference, Counts& counts);
  void complain(const Slot& slot, const std::string& what);

  const Options options_;
  std::vector<Slot> slots_;
  std::string filled_;          ///< the folder that warm entries' caches are copies of
  std::set<std::string> seen_;  ///< complaints and where they are from
};

}  // namespace oom
