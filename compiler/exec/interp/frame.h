// What a decoded instruction and a running warp look like inside the interpreter. Private to this folder.
//
// A handler executes one Op over all eight lanes and returns the next one, or null to leave. Operands are byte offsets
// with the bank in the low five bits, so reading one costs an add and a load, whatever its bank.
#pragma once

#include <cstring>

#include "compiler/exec/interp/interp.h"
#include "compiler/isa/info.h"
#include "runtime/abi/kernel.h"

namespace etzel::interp {

struct Op;
struct Frame;
using Handler = const Op* (*)(const Op* op, Frame& frame);

/// Where an operand lives: index into Frame::base.
enum class Home : uint32_t { Temp, In, Out, Constant, Sys, Result };
inline constexpr uint32_t kHomes = 6;

/// word << 5 | Home
using Location = uint32_t;
constexpr Location location(Home home, uint32_t word) { return word << 5 | static_cast<uint32_t>(home); }

struct Op {
  Handler handler;
  Location dst;
  Location src[3];
  uint32_t imm;   ///< endloop: distance to the loop's first Op
  int32_t jump;   ///< in Ops, from this one: where lanes may meet again when none is left here
  uint8_t count;  ///< words or elements
  uint8_t sub, atomic;
  isa::Type type;
  uint16_t slot;   ///< control flow: own mask stack entry, br: the block's
  uint16_t depth;  ///< control flow: entries in use here
  const isa::Inst* inst;
};

/// Lanes of one open if or block. `other`: lanes waiting for else.
struct MaskEntry {
  uint8_t lanes, other;
};

/// Registers that only base instructions use.
struct BaseState {
  LaneWords address[16];  ///< a0-a3
  int64_t accumulator[4][kWarpLanes];
  LaneMask predicate[32];
  uint32_t sampleCounter;
};

struct Code {
  std::vector<Op> ops;
  std::vector<uint32_t> instOf;  ///< per Op: the instruction it belongs to; instCount for the last one
  uint32_t instCount = 0;
  std::vector<LaneWords> constants;  ///< PARAM bank, every lane the same; the last word is 0
  std::vector<uint32_t> table;       ///< Space::Table
  std::vector<isa::Inst> insts;      ///< base instructions keep their fields here
  std::vector<isa::Resource> resources;
  std::vector<abi::PrintFormat> prints;
  std::vector<abi::AbortMessagePtr> aborts;
  uint32_t maxDepth = 0;
  uint32_t sharedBytes = 0, scratchBytes = 0, tempWords = 0, outWords = 0, outputVertices = 0, paramWords = 0;
  uint32_t inRecordWords = 0;  ///< fragments: what the records of their vertices have for certain
  abi::Stage stage = abi::Stage::Compute;
  bool hasBarrier = false, usesBase = false;
};

/// What survives a barrier, at Warp::executorState; MaskEntry[maxDepth] follow, then BaseState when used.
struct SavedState {
  LaneMask exec;
};

/// Longest destination of one instruction: 8 elements of 64 bits.
inline constexpr uint32_t kMaxResultWords = 16;

struct Frame {
  std::byte* base[kHomes];
  abi::Warp* warp;
  const Code* code;
  LaneMask exec;
  abi::WarpStatus status;
  MaskEntry* stack;
  BaseState* baseState;
  LaneWords result[kMaxResultWords];  ///< masked instructions compute here; a Blend follows

  LaneWords* words(Location l) { return reinterpret_cast<LaneWords*>(base[l & 31] + (l & ~31u)); }
};

/// A buffer or other range of bytes.
struct Range {
  std::byte* data;
  uint64_t size;
};

/// The descriptor slot of a handle, or null when it is past its table's end.
inline const std::byte* resolve(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const uint32_t table = abi::tableOf(handle);
  const uint64_t at = abi::byteOffsetOf(handle);
  if (at + abi::kDescriptorBytes > context.tableBytes[table]) return nullptr;
  return context.table[table] + at;
}
inline Range bufferRange(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const std::byte* slot = resolve(context, handle);
  if (!slot) return {nullptr, 0};
  abi::BufferDescriptor d;
  std::memcpy(&d, slot, sizeof d);
  return {reinterpret_cast<std::byte*>(d.address), d.size};
}

/// What a lane's words of an address in Space::WideBuffer name.
inline Range wideBufferRange(const abi::DispatchContext& context, const LaneWords* address, uint32_t lane) {
  const uint64_t first = address[1].lane[lane] | static_cast<uint64_t>(address[2].lane[lane]) << 32;
  const Range buffer = bufferRange(context, address[0].lane[lane]);
  if (first > buffer.size) return {nullptr, 0};
  return {buffer.data + first, buffer.size - first};
}

/// Handlers that compute on vectors, for one target (vector/).
struct VectorHandlers {
  Handler (*find)(const isa::Inst& inst);  ///< null when the instruction is none of these
  Handler blend, copy;                     ///< `count` words of src[0] to dst, in the active lanes / in all
};
ETZEL_PER_TARGET(extern const VectorHandlers kHandlers;)
const VectorHandlers& vectorHandlers(simd::Target target);

/// Control flow and everything that calls out; compiled once.
Handler controlHandler(const isa::Inst& inst);
/// Transcendental functions, through compiler/math.
Handler mathHandler(const isa::Inst& inst);
Handler doneHandler();
/// ATTILA's base instructions; compiled once.
Handler baseHandler(const isa::Inst& inst);
/// Pixel queries, texture gathers and raw memory accesses; compiled once.
Handler queryHandler(const isa::Inst& inst);

}  // namespace etzel::interp
