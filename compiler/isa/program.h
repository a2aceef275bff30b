// Programs in memory: decoded instructions over virtual or real registers. The compiler's passes, the verifier and
// both executors read this form; encode.h turns it into 128-bit words and back. Plain data.
#pragma once

#include <array>
#include <string>

#include "runtime/abi/abort.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/print.h"
#include "runtime/base/types.h"

namespace etzel::isa {

enum class Opcode : uint8_t {
#define ETZEL_BASE(number, Name, ...) Name = number,
#define ETZEL_EXT(number, Name, ...) Name = number,
#include "compiler/isa/isa.def"
};
constexpr bool isExtension(Opcode op) { return static_cast<uint8_t>(op) >= 0x38; }

/// Element type of an extension instruction (types.def).
enum class Type : uint8_t {
#define ETZEL_TYPE(Name, text, bytes, isFloat) Name,
#include "compiler/isa/tables/types.def"
#undef ETZEL_TYPE
};
#define ETZEL_TYPE(Name, text, bytes, isFloat) +1
inline constexpr uint32_t kTypeCount = 0
#include "compiler/isa/tables/types.def"
    ;
#undef ETZEL_TYPE
constexpr uint32_t typeBytes(Type t) {
  switch (t) {
#define ETZEL_TYPE(Name, text, bytes, isFloat) \
  case Type::Name:                             \
    return bytes;
#include "compiler/isa/tables/types.def"
#undef ETZEL_TYPE
  }
  return 0;
}
constexpr bool isFloatType(Type t) {
  switch (t) {
#define ETZEL_TYPE(Name, text, bytes, isFloat) \
  case Type::Name:                             \
    return isFloat;
#include "compiler/isa/tables/types.def"
#undef ETZEL_TYPE
  }
  return false;
}
constexpr uint32_t typeWords(Type t) { return typeBytes(t) == 8 ? 2 : 1; }

/// Sub-operations (Inst::sub): the tables of these names, and what they say in sub_operations.h.
enum class CmpF : uint8_t {
#define ETZEL_CMP_F(Name, text, Inverse) Name,
#include "compiler/isa/tables/compare.def"
};
enum class CmpI : uint8_t {
#define ETZEL_CMP_I(Name, text, Inverse) Name,
#include "compiler/isa/tables/compare.def"
};
enum class Space : uint8_t {
#define ETZEL_SPACE(Name, ...) Name,
#include "compiler/isa/tables/spaces.def"
#undef ETZEL_SPACE
};
enum class ReduceOp : uint8_t {
#define ETZEL_REDUCE(Name, text) Name,
#include "compiler/isa/tables/reduce.def"
#undef ETZEL_REDUCE
};
enum class BaryMode : uint8_t {
#define ETZEL_BARY(Name, text, offset, perSample) Name,
#include "compiler/isa/tables/bary.def"
#undef ETZEL_BARY
  Linear  ///< a bit of its own, beside one of the others
};
enum class PixLdMode : uint8_t {
#define ETZEL_PIXEL_QUERY(Name, text, sample, predicate, Reads) Name,
#include "compiler/isa/tables/pixel_queries.def"
#undef ETZEL_PIXEL_QUERY
};

/// Register banks: ATTILA's codes. Extension operands use In, Out, Param, Temp and None.
enum class Bank : uint8_t { In = 0, Out = 1, Param = 2, Temp = 3, Addr = 4, Param2 = 5, Imm = 6, None = 7 };

/// Operand of an extension instruction: the first of its consecutive words. Word w of a bank is component w % 4 of
/// register w / 4; r5.z is word 22. Virtual registers are Temp words beyond 1023, before allocation.
struct Operand {
  Bank bank = Bank::None;
  uint32_t word = 0;
  bool present() const { return bank != Bank::None; }
  bool operator==(const Operand&) const = default;
};
constexpr Operand temp(uint32_t word) { return {Bank::Temp, word}; }

/// ATTILA base instruction fields (docs/isa.md, Base encoding), only meaningful for base opcodes.
struct BaseFields {
  uint8_t mask = 0xF;
  bool saturate = false;
  std::array<Bank, 3> bank{Bank::None, Bank::None, Bank::None};
  std::array<uint8_t, 3> reg{}, swizzle{0x1B, 0x1B, 0x1B};
  std::array<bool, 3> negate{}, absolute{};
  Bank resultBank = Bank::None;
  uint8_t resultReg = 0;
  bool relative = false;
  uint8_t relReg = 0, relComponent = 0;
  int16_t relOffset = 0;
  bool operator==(const BaseFields&) const = default;
};

/// One instruction. Guard, end and wait bits are the same in both encodings.
struct Inst {
  Opcode op = Opcode::Nop;
  bool end = false, wait = false, predicated = false, invertPredicate = false;
  uint8_t predicate = 0;
  // Extension instructions
  Type type = Type::I32;
  uint8_t sub = 0;        ///< enum named by the row's flags; memory: Space
  uint8_t atomic = 0;     ///< abi::AtomicOp of Atom
  uint8_t count = 1;      ///< 1-8 elements where the row says C
  bool masked = false;    ///< keep the destination in inactive lanes. Without it inactive lanes become undefined, which
                          ///< is right for values that are only read where they were written
  bool contract = false;  ///< FMul, FAdd, FSub: may be fused with one another (opt::contract, which clears it)
  Operand dst;
  std::array<Operand, 3> src;
  uint32_t imm = 0;
  BaseFields base;
  uint32_t line = 0;  ///< index into Program::locations + 1; 0 = none
  bool operator==(const Inst&) const = default;
};

/// A binding that Desc can name.
struct Resource {
  uint32_t set = 0, binding = 0;  ///< the application's names, for listings
  uint32_t baseHandle = 0;        ///< abi::DescriptorHandle of element 0
  uint32_t strideBytes = 32;      ///< from element to element
  uint32_t count = 1;             ///< elements; an index at or past it gives kNullHandle
  bool certain = false;           ///< its descriptors are valid whenever the program runs, read or not
  bool operator==(const Resource&) const = default;
};

struct SourceLocation {
  std::string file;
  uint32_t line = 0, column = 0;
  bool operator==(const SourceLocation&) const = default;
};

/// A run of Temp words that must stay consecutive: `words` from `first`. Every virtual word belongs to one group.
struct TempGroup {
  uint32_t first, words;
};

/// A private variable in scratch memory that may become registers (opt::promoteArrays): `bytes` from `first`.
struct PrivateArray {
  static constexpr uint32_t kNoHome = ~0u;
  uint32_t first, bytes;
  uint32_t home = kNoHome;  ///< a debug compile's place in scratch memory for what the registers hold (shadow.h)
  bool promoted = false;    ///< registers have it now
};

/// A whole shader.
struct Program {
  abi::ProgramInfo info;
  std::vector<Inst> code;
  std::vector<Resource> resources;
  std::vector<std::array<uint32_t, 4>> constants;  ///< PARAM bank
  std::vector<uint32_t> table;                     ///< Space::Table
  std::vector<SourceLocation> locations;
  std::vector<abi::PrintFormat> prints;      ///< what Print names
  std::vector<abi::AbortMessagePtr> aborts;  ///< what Abort names; none is null
  uint32_t tempWords = 0;                    ///< words used (virtual or real)
  std::vector<TempGroup> groups;             ///< before register allocation only
  std::vector<PrivateArray> arrays;          ///< likewise, in the order of their places
  uint32_t scratchBytes = 0;                 ///< per lane
  std::string name;

  /// A new virtual register of `words` consecutive words.
  Operand newTemp(uint32_t words = 1) {
    Operand t = temp(tempWords);
    groups.push_back({tempWords, words});
    tempWords += words;
    return t;
  }
};

/// Limits of the encoding.
inline constexpr uint32_t kMaxTempWords = 1024;
inline constexpr uint32_t kMaxPrints = 65536;  ///< formats
inline constexpr uint32_t kMaxAborts = 65536;  ///< messages

}  // namespace etzel::isa
