// Writes quick code: register use, the instructions that compute (values.cpp), control flow and calls
// (flow.cpp). Private to this folder.
#pragma once

#include <cstddef>

#include "compiler/exec/quick/arm64/assembler.h"
#include "compiler/exec/quick/host.h"

namespace etzel::quick::arm64 {

using interp::Code;
using interp::Frame;
using interp::Home;
using interp::kHomes;
using interp::Location;
using interp::MaskEntry;
using interp::Op;
using isa::Inst;
using isa::Opcode;
using isa::Type;

// Registers of the machine, which calls preserve: the frame, where the banks lie, and the constants.
constexpr Gpr kFrame = 19;
constexpr Gpr kFirstBank = 20;  // Home::Temp, In, Out, Constant, Sys
constexpr Gpr kLaneBits = 25;   // a word per lane: 1 << lane
constexpr Mem inFrame(size_t offset) { return {kFrame, static_cast<uint32_t>(offset)}; }
constexpr Mem kExec = inFrame(offsetof(Frame, exec));
constexpr Mem kStack = inFrame(offsetof(Frame, stack));
constexpr Mem kStatus = inFrame(offsetof(Frame, status));

/// quick::Generate
Assembled generate(const isa::Program& program, const Layout& layout);

/// Writes the code of one program.
class Generator {
 public:
  Generator(const isa::Program& program, const Layout& layout)
      : program_(program), layout_(layout), code_(*layout.code) {}

  Assembled run();

 private:
  static const std::byte* addressOf(const Op* op, const Layout* layout) {
    return layout->addresses[static_cast<size_t>(op - layout->code->ops.data())];
  }
  static Mem mem(Location l, uint32_t w = 0) {
    const uint32_t offset = (l & ~31u) + w * static_cast<uint32_t>(sizeof(LaneWords));
    if (static_cast<Home>(l & 31) == Home::Result) return inFrame(offsetof(Frame, result) + offset);
    return {static_cast<Gpr>(kFirstBank + (l & 31)), offset};
  }
  /// Whether something else than the Op before leads to Op `i`: lanes meet again there, a loop or a barrier goes on.
  bool entered(uint32_t i) const;
  static bool mayJump(const Inst& inst) {
    return isa::isExtension(inst.op) ? isa::opInfo(inst).control
                                     : inst.op == Opcode::Jmp || inst.op == Opcode::End || inst.end;
  }

  void prologue();
  void epilogue();

  // --- Registers that hold words which lie in memory too: v16 to v31, which calls don't preserve. Each way into an
  // instruction but falling through to it, and each call, forgets them. Pairs 0 to 3 are for what lies between; the
  // others belong to the caller.
  static constexpr Pair kFirstCached = 8, kCached = 8;
  static Location wordOf(Location l, uint32_t w) { return l + w * static_cast<uint32_t>(sizeof(LaneWords)); }
  void forget() {
    for (Location& l : cached_) l = kNothing;
  }
  void forget(Location l) {
    for (Location& c : cached_)
      if (c == l) c = kNothing;
  }
  /// One that holds nothing that the present word needs: since the last out().
  Pair fresh() {
    do next_ = static_cast<uint8_t>((next_ + 1) % kCached);
    while (needed_ >> next_ & 1);
    needed_ |= 1u << next_;
    cached_[next_] = kNothing;
    return static_cast<Pair>(kFirstCached + next_);
  }
  /// Registers with a word.
  Pair in(Location l, uint32_t w = 0) {
    const Location at = wordOf(l, w);
    for (uint8_t i = 0; i < kCached; ++i) {
      if (cached_[i] != at) continue;
      needed_ |= 1u << i;
      return static_cast<Pair>(kFirstCached + i);
    }
    const Pair r = fresh();
    a.load(r, mem(l, w));
    cached_[r - kFirstCached] = at;
    return r;
  }
  /// `r`, a fresh one, is the word now.
  bool out(Location l, Pair r, uint32_t w = 0) {
    a.store(mem(l, w), r);
    forget(wordOf(l, w));
    cached_[r - kFirstCached] = wordOf(l, w);
    needed_ = 0;
    return true;
  }

  /// The interpreter's handler.
  void call(const Op& op, bool jumps);
  /// The decoder's second step: result words to their place, in the active lanes or all.
  void copy(const Op& op, bool masked);
  /// Pair 3 = ~0 in active lanes.
  void laneMask();
  bool withSecond(const Op& op, VectorOp opcode);
  bool withOne(const Op& op, VectorOp opcode);
  bool shift(const Op& op, VectorOp opcode, bool right);
  void compareFloats(isa::CmpF c, Pair to, Pair x, Pair y);
  bool minOrMax(const Op& op, bool min);
  /// Instructions that compute; false: none of those here.
  bool value(const Op& op, const Inst& inst);
  bool float32(const Op& op, const Inst& inst);
  bool int32(const Op& op, const Inst& inst);
  bool compare(const Op& op, isa::CmpI c);

  uint32_t labelAt(uint32_t i, int32_t distance) const;
  Mem entryOf(uint32_t slot, uint32_t part = 0);
  /// kZeroes = lanes whose word is 0.
  void zeroLanes(Location l);
  /// The lanes of kLanes are gone from the open scopes.
  void leaveScopes(uint32_t first, uint32_t depth);
  /// exec = kLanes; goes to where lanes may meet again when it is empty.
  void setExec(uint32_t i, const Op& op);
  void endLoop(const Op& op, uint32_t i);
  bool flow(const Op& op, uint32_t i, const Inst& inst);

  const isa::Program& program_;
  const Layout& layout_;
  const Code& code_;
  Assembler a;
  uint32_t firstLabel_ = 0;  ///< of the Ops
  uint32_t enter_ = 0, leave_ = 0, dispatch_ = 0;
  static constexpr Location kNothing = ~0u;
  Location cached_[kCached];  ///< what each pair holds
  uint8_t next_ = 0;
  uint32_t needed_ = 0;  ///< bit per pair
};

}  // namespace etzel::quick::arm64
