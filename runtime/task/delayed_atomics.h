// Does what programs put off (runtime/abi/delayed_atomics.h).
#pragma once

#include <memory>

#include "runtime/abi/delayed_atomics.h"

namespace etzel::task {

/// One thread's, of one program at a time. What is left is done at the end.
class DelayedAtomics {
 public:
  DelayedAtomics();
  ~DelayedAtomics() { flush(); }
  DelayedAtomics(const DelayedAtomics&) = delete;
  DelayedAtomics& operator=(const DelayedAtomics&) = delete;

  abi::DelayedAtomics* slots() { return &all_; }
  /// Whether lanes with places of their own may put off what they do, until few of them meet again.
  void allowPlaces(bool allow);
  /// Does all that was put off. To be called before anybody may expect that it was done, and before another program
  /// runs.
  void flush();

 private:
  using Place = abi::DelayedAtomics::Place;
  /// What abi::DelayedAtomics::replace finds again: the operation of all entries is that of the first.
  struct All : abi::DelayedAtomics {
    std::unique_ptr<Place[]> table;  ///< null: nobody has put off anything yet, or there is no memory
    Place only;                      ///< in place of a table
    abi::AtomicOp op = abi::AtomicOp::Add;
    uint32_t bytes = 4;
    uint32_t replaced = 0;  ///< entries, since they were counted last
    bool some = false;      ///< something is put off
  };
  static Place* replace(abi::DelayedAtomics* all, void* address, abi::AtomicOp op, uint32_t bytes);
  static void finish(All& all, Place& place);

  All all_;
};

}  // namespace etzel::task
