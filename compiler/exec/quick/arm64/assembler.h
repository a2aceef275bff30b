// The few AArch64 instructions that quick code (quick.cpp) is made of: NEON over 8 words in two registers, and integer
// ones for execution masks. Encodings: Arm Architecture Reference Manual, A64. Memory is a base register and an offset.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace etzel::quick::arm64 {

/// x0 to x30; 31 is the stack pointer, or zero.
using Gpr = uint8_t;
constexpr Gpr kScratch = 16, kLink = 30, kStackPointer = 31, kZero = 31;

/// Two vector registers with eight words: v(2n) and v(2n + 1).
using Pair = uint8_t;

/// A place in memory.
struct Mem {
  Gpr base;
  uint32_t offset;
};

// Instructions on .4S, by their mnemonics in the manual; registers are zero.
enum VectorOp : uint32_t {
  kFadd = 0x4E20D400,
  kFsub = 0x4EA0D400,
  kFmul = 0x6E20DC00,
  kFdiv = 0x6E20FC00,
  kFmla = 0x4E20CC00,
  kFsqrt = 0x6EA1F800,
  kFneg = 0x6EA0F800,
  kFabs = 0x4EA0F800,
  kFrintn = 0x4E218800,
  kFrintm = 0x4E219800,
  kFrintp = 0x4EA18800,
  kFrintz = 0x4EA19800,
  kFcmeq = 0x4E20E400,
  kFcmge = 0x6E20E400,
  kFcmgt = 0x6EA0E400,
  kScvtf = 0x4E21D800,
  kAdd = 0x4EA08400,
  kSub = 0x6EA08400,
  kMul = 0x4EA09C00,
  kAnd = 0x4E201C00,
  kOrr = 0x4EA01C00,
  kEor = 0x6E201C00,
  kMvn = 0x6E205800,
  kBsl = 0x6E601C00,
  kBit = 0x6EA01C00,
  kBif = 0x6EE01C00,
  kSmin = 0x4EA06C00,
  kSmax = 0x4EA06400,
  kUmin = 0x6EA06C00,
  kUmax = 0x6EA06400,
  kAbs = 0x4EA0B800,
  kNeg = 0x6EA0B800,
  kSshl = 0x4EA04400,
  kUshl = 0x6EA04400,
  kCmeq = 0x6EA08C00,
  kCmgt = 0x4EA03400,
  kCmge = 0x4EA03C00,
  kCmhi = 0x6EA03400,
  kCmhs = 0x6EA03C00,
  kCmtst = 0x4EA08C00,
  kCmeqZero = 0x4EA09800,
  kMoviShiftMask = 0x4F0007E0,  ///< movi v, #31
  kFmovOne = 0x4F03F600,        ///< fmov v, #1.0
};

/// Appends to `bytes`. Jumps are to labels, which are set at any time before resolve().
class Assembler {
 public:
  std::vector<uint8_t> bytes;

  // --- Labels
  uint32_t newLabels(uint32_t n) {
    labels_.resize(labels_.size() + n, ~0u);
    return static_cast<uint32_t>(labels_.size()) - n;
  }
  void bind(uint32_t label) { labels_[label] = here(); }
  uint32_t addressOf(uint32_t label) const { return labels_[label]; }
  uint32_t here() const { return static_cast<uint32_t>(bytes.size()); }
  void resolve() {
    for (const Jump& j : jumps_) {
      const uint32_t distance = (labels_[j.label] - j.at) / 4 & 0x3FFFFFF, jump = 0x14000000 | distance;
      std::memcpy(&bytes[j.at], &jump, sizeof jump);
    }
  }
  void jump(uint32_t label) {
    jumps_.push_back({here(), label});
    word(0);
  }
  // Conditional branches reach less far, so they pass over one that reaches everything.
  void jumpIfZero(uint32_t label, Gpr reg) { word(0xB5000040 | reg), jump(label); }
  void jumpIfZero32(uint32_t label, Gpr reg) { word(0x35000040 | reg), jump(label); }

  // --- Vectors
  void both(VectorOp op, Pair to, Pair first, Pair second) {
    for (uint32_t half = 0; half < 2; ++half)
      word(op | (2u * second + half) << 16 | (2u * first + half) << 5 | (2u * to + half));
  }
  void both(VectorOp op, Pair to, Pair from) {
    for (uint32_t half = 0; half < 2; ++half) word(op | (2u * from + half) << 5 | (2u * to + half));
  }
  void both(VectorOp op, Pair to) {
    for (uint32_t half = 0; half < 2; ++half) word(op | (2u * to + half));
  }
  void move(Pair to, Pair from) { both(kOrr, to, from, from); }
  /// Op on single registers: to = op(first, second).
  void one(VectorOp op, uint32_t to, uint32_t first, uint32_t second) { word(op | second << 16 | first << 5 | to); }
  void broadcast(Pair to, Gpr from) {
    for (uint32_t half = 0; half < 2; ++half) word(0x4E040C00 | from << 5 | (2u * to + half));
  }
  /// to = sum of the lanes of one register
  void sumOfLanes(Gpr to, uint32_t vector) {
    word(0x4EB1B800 | vector << 5 | vector);  // addv s, v.4s
    word(0x1E260000 | vector << 5 | to);      // fmov w, s
  }
  void load(Pair to, Mem m) { pairInMemory(0xAD400000, 0x3DC00000, to, m); }
  void store(Mem m, Pair from) { pairInMemory(0xAD000000, 0x3D800000, from, m); }

  // --- Integers, 32 bits unless said otherwise
  void load32(Gpr reg, Mem m) { word(0xB9400000 | m.offset / 4 << 10 | m.base << 5 | reg); }
  void store32(Mem m, Gpr reg) { word(0xB9000000 | m.offset / 4 << 10 | m.base << 5 | reg); }
  void load64(Gpr reg, Mem m) { word(0xF9400000 | m.offset / 8 << 10 | m.base << 5 | reg); }
  void loadByte(Gpr reg, Mem m) { word(0x39400000 | m.offset << 10 | m.base << 5 | reg); }
  void store8(Mem m, Gpr reg) { word(0x39000000 | m.offset << 10 | m.base << 5 | reg); }
  void store16(Mem m, Gpr reg) { word(0x79000000 | m.offset / 2 << 10 | m.base << 5 | reg); }
  void and32(Gpr to, Gpr a, Gpr b) { word(0x0A000000 | b << 16 | a << 5 | to); }
  void andNot32(Gpr to, Gpr a, Gpr b) { word(0x0A200000 | b << 16 | a << 5 | to); }
  void xor32(Gpr to, Gpr a, Gpr b) { word(0x4A000000 | b << 16 | a << 5 | to); }
  void set(Gpr reg, uint64_t value) {
    word(0xD2800000 | static_cast<uint32_t>(value & 0xFFFF) << 5 | reg);  // movz
    for (uint32_t part = 1; part < 4; ++part)
      if (const auto bits = static_cast<uint32_t>(value >> 16 * part & 0xFFFF))
        word(0xF2800000 | part << 21 | bits << 5 | reg);  // movk
  }
  void move64(Gpr to, Gpr from) { word(0xAA0003E0 | from << 16 | to); }
  void addAddress(Gpr to, Gpr base, uint32_t offset) {
    set(to, offset);
    word(0x8B000000 | to << 16 | base << 5 | to);
  }
  /// The address of a place in the code, at most 1 MB away.
  void codeAddress(Gpr to, uint32_t at) {
    const uint32_t distance = at - here();
    word(0x10000000 | (distance & 3) << 29 | (distance >> 2 & 0x7FFFF) << 5 | to);
  }
  /// Two registers at a place on the stack; the first of all makes room for all of them, the last takes it back.
  void saveTwo(Gpr a, Gpr b, uint32_t offset) {
    word(0xA9000000 | offset / 8 << 15 | b << 10 | kStackPointer << 5 | a);
  }
  void restoreTwo(Gpr a, Gpr b, uint32_t offset) {
    word(0xA9400000 | offset / 8 << 15 | b << 10 | kStackPointer << 5 | a);
  }
  void makeRoom(uint32_t bytes) { word(0xD1000000 | bytes << 10 | kStackPointer << 5 | kStackPointer); }
  void takeBack(uint32_t bytes) { word(0x91000000 | bytes << 10 | kStackPointer << 5 | kStackPointer); }
  void callReg(Gpr reg) { word(0xD63F0000 | reg << 5); }
  void jumpReg(Gpr reg) { word(0xD61F0000 | reg << 5); }
  void ret() { word(0xD65F03C0); }
  void word(uint32_t v) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(v >> 8 * i));
  }

 private:
  struct Jump {
    uint32_t at, label;
  };
  /// Near places take one instruction (LDP, STP), most others two; the rest need their address first.
  void pairInMemory(uint32_t two, uint32_t single, Pair pair, Mem m) {
    constexpr uint32_t kNear = 63 * 16, kFar = 4094 * 16;
    if (m.offset > kFar) {
      addAddress(kScratch, m.base, m.offset);
      m = {kScratch, 0};
    }
    const uint32_t low = 2u * pair, units = m.offset / 16;
    if (m.offset <= kNear) return word(two | units << 15 | (low + 1) << 10 | m.base << 5 | low);
    word(single | units << 10 | m.base << 5 | low);
    word(single | (units + 1) << 10 | m.base << 5 | (low + 1));
  }

  std::vector<uint32_t> labels_;
  std::vector<Jump> jumps_;
};

}  // namespace etzel::quick::arm64
