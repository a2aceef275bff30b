// What an executor made of a program for the host.
#pragma once

#include <vector>

#include "runtime/abi/kernel.h"

namespace etzel::exec {

/// Machine code and all that it refers to. Kernels share it; it must outlive every call. Gives the same bytes as the
/// interpreter, which is the reference.
class MachineCode {
 public:
  virtual ~MachineCode() = default;
  virtual const abi::Executable* executable() const = 0;
  /// Code that calls other code of its program, where what it takes for granted is not so: calls that from now on,
  /// which must live as long. Any thread, while it runs.
  virtual void setOtherwise(const abi::Executable&) {}
  /// As bytes that native::load() takes in another process. Empty where making it anew is as fast.
  virtual std::vector<std::byte> save() const { return {}; }
};

}  // namespace etzel::exec
