// The few x86-64 instructions that quick code (quick.cpp) is made of: AVX2 over 8 words, and integer ones for execution
// masks. Encodings: Intel SDM volume 2. Registers are numbers; memory is a base register and a displacement.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace etzel::quick::x64 {

enum Gpr : uint8_t { kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15 };

/// A place in memory.
struct Mem {
  uint8_t base;
  int32_t offset;
};
/// A place in the code itself: bytes from its start.
struct InCode {
  uint32_t at;
};

/// A vector instruction. `prefix`: 0 none, 1 66, 2 F3, 3 F2. `map`: 1 0F, 2 0F38, 3 0F3A.
struct VexOp {
  uint8_t prefix, map, opcode;
};
// By their mnemonics in the manual.
constexpr VexOp kVmovups = {0, 1, 0x10};
constexpr VexOp kVmovupsStore = {0, 1, 0x11};
constexpr VexOp kVmovaps = {0, 1, 0x28};
constexpr VexOp kVmovmskps = {0, 1, 0x50};
constexpr VexOp kVsqrtps = {0, 1, 0x51};
constexpr VexOp kVandps = {0, 1, 0x54};
constexpr VexOp kVorps = {0, 1, 0x56};
constexpr VexOp kVxorps = {0, 1, 0x57};
constexpr VexOp kVaddps = {0, 1, 0x58};
constexpr VexOp kVmulps = {0, 1, 0x59};
constexpr VexOp kVcvtdq2ps = {0, 1, 0x5B};
constexpr VexOp kVsubps = {0, 1, 0x5C};
constexpr VexOp kVminps = {0, 1, 0x5D};
constexpr VexOp kVdivps = {0, 1, 0x5E};
constexpr VexOp kVmaxps = {0, 1, 0x5F};
constexpr VexOp kVcmpps = {0, 1, 0xC2};
constexpr VexOp kVpcmpgtd = {1, 1, 0x66};
constexpr VexOp kVmovd = {1, 1, 0x6E};
constexpr VexOp kVpcmpeqd = {1, 1, 0x76};
constexpr VexOp kVpand = {1, 1, 0xDB};
constexpr VexOp kVpor = {1, 1, 0xEB};
constexpr VexOp kVpxor = {1, 1, 0xEF};
constexpr VexOp kVpsubd = {1, 1, 0xFA};
constexpr VexOp kVpaddd = {1, 1, 0xFE};
constexpr VexOp kVpabsd = {1, 2, 0x1E};
constexpr VexOp kVpminsd = {1, 2, 0x39};
constexpr VexOp kVpminud = {1, 2, 0x3B};
constexpr VexOp kVpmaxsd = {1, 2, 0x3D};
constexpr VexOp kVpmaxud = {1, 2, 0x3F};
constexpr VexOp kVpmulld = {1, 2, 0x40};
constexpr VexOp kVpsrlvd = {1, 2, 0x45};
constexpr VexOp kVpsravd = {1, 2, 0x46};
constexpr VexOp kVpsllvd = {1, 2, 0x47};
constexpr VexOp kVpbroadcastd = {1, 2, 0x58};
constexpr VexOp kVfmadd213ps = {1, 2, 0xA8};
constexpr VexOp kVroundps = {1, 3, 0x08};
constexpr VexOp kVblendvps = {1, 3, 0x4A};

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
      const int32_t distance = static_cast<int32_t>(labels_[j.label]) - static_cast<int32_t>(j.at + 4);
      std::memcpy(&bytes[j.at], &distance, 4);
    }
  }
  void jump(uint32_t label) { byte(0xE9), target(label); }
  void jumpIfZero(uint32_t label) { byte(0x0F), byte(0x84), target(label); }

  // --- 256-bit vectors: `reg` is the destination, `second` the first source (0 where there is only one).
  void vex(VexOp op, uint8_t reg, uint8_t second, Mem m) {
    vexPrefix(op, reg, second, m.base, true);
    byte(op.opcode);
    operand(reg, m);
  }
  void vex(VexOp op, uint8_t reg, uint8_t second, uint8_t third, bool wide = true) {
    vexPrefix(op, reg, second, third, wide);
    byte(op.opcode);
    byte(static_cast<uint8_t>(0xC0 | (reg & 7) << 3 | (third & 7)));
  }
  /// `after`: bytes of the instruction behind the operand.
  void vex(VexOp op, uint8_t reg, uint8_t second, InCode m, uint32_t after = 0) {
    vexPrefix(op, reg, second, 0, true);
    byte(op.opcode);
    byte(static_cast<uint8_t>((reg & 7) << 3 | 5));
    word(m.at - (here() + 4 + after));
  }
  template <class M>
  void load(uint8_t reg, M m) {
    vex(kVmovups, reg, 0, m);
  }
  void store(Mem m, uint8_t reg) { vex(kVmovupsStore, reg, 0, m); }
  /// to = mask's sign ? b : a
  template <class M>
  void blend(uint8_t to, uint8_t a, M b, uint8_t mask) {
    vex(kVblendvps, to, a, b), byte(static_cast<uint8_t>(mask << 4));
  }
  void zeroUpper() { byte(0xC5), byte(0xF8), byte(0x77); }

  // --- Integers, 32 bits unless said otherwise
  void load32(uint8_t reg, Mem m) { plain(0x8B, reg, m, false); }
  void store32(Mem m, uint8_t reg) { plain(0x89, reg, m, false); }
  void load64(uint8_t reg, Mem m) { plain(0x8B, reg, m, true); }
  void store8(Mem m, uint8_t reg) { plain(0x88, reg, m, false); }
  void store16(Mem m, uint8_t reg) { byte(0x66), plain(0x89, reg, m, false); }
  void and8(Mem m, uint8_t reg) { plain(0x20, reg, m, false); }
  void loadByte(uint8_t reg, Mem m) { byte(0x0F), byte(0xB6), operand(reg, m); }  // low registers only
  void store8(Mem m, int8_t value) { plain(0xC6, 0, m, false), byte(static_cast<uint8_t>(value)); }
  void store32(Mem m, uint32_t value) { plain(0xC7, 0, m, false), word(value); }
  void compare32(Mem m, int8_t value) { plain(0x83, 7, m, false), byte(static_cast<uint8_t>(value)); }
  /// `to` op= `from`, low registers only.
  void both(uint8_t opcode, uint8_t to, uint8_t from) {
    byte(opcode), byte(static_cast<uint8_t>(0xC0 | from << 3 | to));
  }
  void and32(uint8_t to, uint8_t from) { both(0x21, to, from); }
  void xor32(uint8_t to, uint8_t from) { both(0x31, to, from); }
  void test32(uint8_t a, uint8_t b) { both(0x85, a, b); }
  void compare32(uint8_t a, uint8_t b) { both(0x39, a, b); }
  void not32(uint8_t reg) { byte(0xF7), byte(static_cast<uint8_t>(0xD0 | reg)); }
  void set32(uint8_t reg, uint32_t value) { byte(static_cast<uint8_t>(0xB8 | reg)), word(value); }
  void set64(uint8_t reg, uint64_t value) {
    byte(static_cast<uint8_t>(0x48 | reg >> 3)), byte(static_cast<uint8_t>(0xB8 | (reg & 7)));
    word(static_cast<uint32_t>(value)), word(static_cast<uint32_t>(value >> 32));
  }
  void move64(uint8_t to, uint8_t from) {
    wide(to, from), byte(0x89), byte(static_cast<uint8_t>(0xC0 | (from & 7) << 3 | (to & 7)));
  }
  void sub64(uint8_t to, uint8_t from) {
    wide(to, from), byte(0x29), byte(static_cast<uint8_t>(0xC0 | (from & 7) << 3 | (to & 7)));
  }
  void test64(uint8_t a, uint8_t b) {
    wide(a, b), byte(0x85), byte(static_cast<uint8_t>(0xC0 | (b & 7) << 3 | (a & 7)));
  }
  void push(uint8_t reg) {
    if (reg >= 8) byte(0x41);
    byte(static_cast<uint8_t>(0x50 | (reg & 7)));
  }
  void pop(uint8_t reg) {
    if (reg >= 8) byte(0x41);
    byte(static_cast<uint8_t>(0x58 | (reg & 7)));
  }
  void callReg(uint8_t reg) { byte(0xFF), byte(static_cast<uint8_t>(0xD0 | reg)); }
  void jumpReg(uint8_t reg) { byte(0xFF), byte(static_cast<uint8_t>(0xE0 | reg)); }
  /// add rsp / sub rsp
  void moveStack(int8_t by) { byte(0x48), byte(0x83), byte(0xC4), byte(static_cast<uint8_t>(by)); }
  void ret() { byte(0xC3); }
  void byte(uint8_t v) { bytes.push_back(v); }
  void word(uint32_t v) {
    for (int i = 0; i < 4; ++i) byte(static_cast<uint8_t>(v >> 8 * i));
  }

 private:
  struct Jump {
    uint32_t at, label;
  };
  void target(uint32_t label) {
    jumps_.push_back({here(), label});
    word(0);
  }
  void vexPrefix(VexOp op, uint8_t reg, uint8_t second, uint8_t base, bool wide) {
    byte(0xC4);
    byte(static_cast<uint8_t>((reg < 8 ? 0x80 : 0) | 0x40 | (base < 8 ? 0x20 : 0) | op.map));
    byte(static_cast<uint8_t>((~second & 15) << 3 | (wide ? 4 : 0) | op.prefix));
  }
  void operand(uint8_t reg, Mem m) {
    byte(static_cast<uint8_t>(0x80 | (reg & 7) << 3 | (m.base & 7)));
    if ((m.base & 7) == kRsp) byte(0x24);
    word(static_cast<uint32_t>(m.offset));
  }
  void plain(uint8_t opcode, uint8_t reg, Mem m, bool is64) {
    const uint8_t rex = static_cast<uint8_t>((is64 ? 8 : 0) | reg >> 3 << 2 | m.base >> 3);
    if (rex) byte(0x40 | rex);
    byte(opcode);
    operand(reg, m);
  }
  void wide(uint8_t to, uint8_t from) { byte(static_cast<uint8_t>(0x48 | from >> 3 << 2 | to >> 3)); }

  std::vector<uint32_t> labels_;
  std::vector<Jump> jumps_;
};

}  // namespace etzel::quick::x64
