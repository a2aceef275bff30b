// What steps have changed in memory, so that they can be taken back, newest first. It watches regions (what a warp has
// to itself) by comparing them with copies, and is told of everything else before it changes. Its memory is bounded:
// the oldest steps are forgotten. One thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::debugger {

class UndoLog {
 public:
  /// Keeps at most about `maxBytes` of changes, beside the copies of the regions.
  explicit UndoLog(size_t maxBytes) : maxEntries_(maxBytes / sizeof(Entry) + 1) {}

  /// Watches `memory`, which belongs to `owner`, from now on.
  void watch(uint32_t owner, std::span<std::byte> memory);

  /// A step of `owner` begins: what it changes in its own regions is found out by end().
  void begin() { open_ = 0; }
  /// Memory outside of the regions is about to change in this step.
  void save(std::byte* at, uint32_t bytes);
  /// The step of `owner` has run.
  void end(uint32_t owner);
  /// What has happened cannot be taken back: begins anew.
  void forget();

  size_t steps() const { return steps_.size(); }
  /// Takes the last step back. \returns whose it was. \pre steps() != 0
  uint32_t back();
  /// Somebody else changed the regions of `owner`: their copies are made anew.
  void refresh(uint32_t owner);

  /// What the regions of `owner` hold, one behind the other.
  std::vector<std::byte> held(uint32_t owner) const;
  /// Has them hold that again, as refresh() does.
  void hold(uint32_t owner, std::span<const std::byte> held);
  /// Has them hold what they did when their last step ended, or when they were watched first.
  void rewind(uint32_t owner);

 private:
  static constexpr uint32_t kPiece = 32;
  struct Entry {
    std::byte* at;
    uint32_t bytes;
    std::byte old[kPiece];
  };
  struct Region {
    std::byte* at;
    size_t bytes;
    std::vector<std::byte> copy;
  };
  struct Step {
    uint32_t owner, entries;
  };

  void add(std::byte* at, const std::byte* old, uint32_t bytes);

  size_t maxEntries_;
  uint32_t open_ = 0;  ///< entries of the step that runs
  std::vector<std::vector<Region>> regions_;
  std::deque<Entry> entries_;
  std::deque<Step> steps_;
};

}  // namespace etzel::debugger
