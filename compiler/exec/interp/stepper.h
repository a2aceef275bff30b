// Runs one warp instruction by instruction: the engine under debuggers. Between two steps everything that the warp has
// may be read: registers, scratch memory and outputs where the abi::Warp says, and here which lanes run. It executes
// what run() executes, by the same handlers. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "compiler/exec/interp/interp.h"

namespace etzel::interp {

/// One element of memory that an instruction reads or writes for a lane, outside of what the warp has to itself.
struct Access {
  uint32_t lane = 0;
  std::byte* at = nullptr;  ///< null: out of bounds
  uint32_t bytes = 0;
  bool writes = false;
};

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
  /// Goes on behind the barrier where the warp waits. \pre status() == AtBarrier
  void enterAgain();

  /// What the next instruction, `inst`, accesses: buffers, addresses, workgroup memory, records of patches.
  void forEachAccess(const isa::Inst& inst, const std::function<void(const Access&)>& see) const;
  /// All that steps change in the stepper itself. Put back, with the warp and its memory, it stands where it stood.
  std::span<std::byte> control();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The image view that a descriptor names; null for the null descriptor.
const tex::ImageView* imageOf(const abi::DispatchContext& context, abi::DescriptorHandle handle);

/// The sampler that a descriptor names; null where it names none.
const tex::Sampler* samplerOf(const abi::DispatchContext& context, abi::DescriptorHandle handle);

/// The bytes behind a buffer's descriptor as the warp's instructions reach them; empty for the null descriptor.
std::span<std::byte> bufferBytes(const abi::DispatchContext& context, abi::DescriptorHandle handle);

}  // namespace etzel::interp
