// Does what programs put off (runtime/abi/delayed_atomics.h).
#pragma once

#include "runtime/abi/delayed_atomics.h"

namespace etzel::task {

/// One thread's. What is left is done at the end.
class DelayedAtomics {
 public:
  DelayedAtomics();
  ~DelayedAtomics() { flush(); }
  DelayedAtomics(const DelayedAtomics&) = delete;
  DelayedAtomics& operator=(const DelayedAtomics&) = delete;

  abi::DelayedAtomics* slots() { return &slots_; }
  /// Does all that was put off. To be called before anybody may expect that it was done.
  void flush();

 private:
  abi::DelayedAtomics slots_;
};

}  // namespace etzel::task
