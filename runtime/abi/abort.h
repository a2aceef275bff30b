// What shaders say that abort (SPIR-V's OpAbortKHR): a message belongs to its program, the `abort` instruction hands
// over the words that invocations fill in, and then ends the matter. Who listens loses the device.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "runtime/base/types.h"

namespace etzel::abi {

struct Warp;

/// One OpAbortKHR of a program.
struct AbortMessage {
  std::string bytes;  ///< as the message's type lays them out; 0 where invocations fill in theirs
  /// The first part that is declared to be text (UTFEncodedKHR); of no bytes where there is none.
  uint32_t textAt = 0, textBytes = 0;
  std::string file;  ///< of the source, where the module names it
  uint32_t line = 0;
  uint32_t words() const { return static_cast<uint32_t>((bytes.size() + 3) / 4); }
  bool operator==(const AbortMessage&) const = default;
};
/// Shared, since native code has a decoded instruction for each piece.
using AbortMessagePtr = std::shared_ptr<const AbortMessage>;

/// Who hears of it. Any thread, several at once.
class AbortListener {
 public:
  virtual ~AbortListener() = default;
  /// Words of the message that `lanes` are about to give, from word `first` on: what differs from its bytes.
  virtual void say(const Warp& warp, LaneMask lanes, uint32_t first, std::span<const LaneWords> words) = 0;
  /// The invocations of `lanes`, which are not 0, abort with what the same thread's say() got before for them.
  virtual void abort(const Warp& warp, LaneMask lanes, const AbortMessage& message) = 0;
};

}  // namespace etzel::abi
