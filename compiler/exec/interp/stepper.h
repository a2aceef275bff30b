// Runs one warp instruction by instruction: the engine under debuggers. Between two steps everything that the warp has
// may be read: registers, scratch memory and outputs where the abi::Warp says, and here which lanes run. It executes
// what run() executes, by the same handlers. One thread at a time.
#pragma once

#include <memory>

#include "compiler/exec/interp/interp.h"

namespace etzel::interp {

class Stepper {
 public:
  /// Stops before the first instruction, or behind the barrier where the warp waits (Warp::resume). Both outlive it.
  Stepper(const Code& code, abi::Warp* warp);
  ~Stepper();
  Stepper(Stepper&&) noexcept;

  /// Whether the warp ended, waits at a barrier or was cancelled: status() says which.
  bool left() const;
  abi::WarpStatus status() const;
  /// Index of the instruction that runs next; the program's length behind the last one.
  uint32_t instruction() const;
  /// Lanes that the next instruction runs for.
  LaneMask active() const;
  abi::Warp& warp() const;
  /// Runs the next instruction. \pre !left()
  void step();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The bytes behind a buffer's descriptor as the warp's instructions reach them; empty for the null descriptor.
std::span<std::byte> bufferBytes(const abi::DispatchContext& context, abi::DescriptorHandle handle);

}  // namespace etzel::interp
