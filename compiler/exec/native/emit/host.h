// What native code asks of a kind of host: how LLVM knows it, and the few forms that LLVM has for that kind only. Each
// kind has a folder that defines these (x64/).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <string>

#include "runtime/base/types.h"

namespace etzel::native {

using IR = llvm::IRBuilder<>;

/// What this host is, to LLVM and to the emitter.
struct Host {
  std::string cpu, features;    ///< LLVM's names
  bool maskRegisters = false;   ///< masks are best held as a bit by lane, not as words of 0 and ~0
  uint32_t registerBytes = 16;  ///< of vectors any words of two of which one or two instructions put together
};

Host describeHost();

/// Whether a register holds what two warps have.
inline bool hasPairs(const Host& host) { return host.registerBytes >= 2 * sizeof(LaneWords); }
/// Whether one holds what a warp has. Crowds run there, two warps in a register or each in its own.
inline bool hasCrowds(const Host& host) { return host.registerBytes >= sizeof(LaneWords); }
/// Whether products of matrices take those of two first factors side by side: in one register, or in two that each have
/// a whole row.
inline bool joinsProducts(const Host& host) { return host.registerBytes >= sizeof(LaneWords); }
/// Whether there are so few registers that products are made a few columns at a time (emit_product_tile.cpp).
inline bool multipliesInTiles(const Host& host) { return joinsProducts(host) && !host.maskRegisters; }

/// Whether loads of scattered words are one instruction that is worth it.
inline bool gathersAtOnce(const Host& host) { return host.maskRegisters; }
/// Whether words of one register by number (wordsOfLanes) are an instruction, and gathers are none.
inline bool loadsWordsNearby(const Host& host) { return hasCrowds(host) && !gathersAtOnce(host); }

// --- Forms for vectors of eight lanes; those of floats also for sixteen, where registers hold as many

/// Floats to words, toward zero; what does not fit, NaN too, becomes the lowest number.
llvm::Value* truncatedToWords(IR& ir, llvm::Value* floats);
/// Words of the lanes that the low three bits of each index name.
llvm::Value* wordsOfLanes(IR& ir, llvm::Value* words, llvm::Value* index);
/// Of any shape: binary16 to floats, NaNs become quiet.
llvm::Value* floatsOfHalves(IR& ir, llvm::Value* halves);
/// Floats to binary16 in 16 bits, toward zero.
llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats);
/// floats * 2^powers, rounded once; powers are floats too. Null where the host has no instruction for it.
llvm::Value* scaledByPowers(IR& ir, llvm::Value* floats, llvm::Value* powers);

/// Words of a table that bytes of eight or sixteen `words` index: `planes` points to the planes of a simd::ByteTable,
/// `order` to the abi::BytesToWords that says which bytes. Nulls where nothing looks bytes up in registers.
bool looksBytesUp();
std::array<llvm::Value*, 3> wordsOfBytes(IR& ir, llvm::Value* words, llvm::Value* planes, llvm::Value* order);

inline constexpr uint32_t kWindowBytes = 128;
/// Whether bytesOfWindow is there.
bool hasWindow();
/// Bytes of the kWindowBytes from `p` on, which 32 bytes of `index` number.
llvm::Value* bytesOfWindow(IR& ir, llvm::Value* p, llvm::Value* index);

/// a * b + c, rounded once, of floats or doubles: single numbers or eight lanes of them.
llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c);
/// Whether the host has an instruction for that.
bool fusesAtOnce();

}  // namespace etzel::native
