// The packed immediates of PIXLD, TLD4 and the raw memory instructions: fields, packing, and which values are legal.
// The assembler, the verifier and the interpreter share this page. Plain data.
#pragma once

#include "runtime/base/types.h"

namespace etzel::isa {

/// PixLd. The sample index is offset alone (0 to 255), or the address register plus offset (-128 to 127).
struct PixLdImm {
  int32_t offset = 0;         // bits 0-7
  bool hasPredicate = false;  // bit 8: the boolean goes to a predicate, too
  uint8_t predicate = 0;      // bits 9-13

  uint32_t pack() const {
    return (static_cast<uint32_t>(offset) & 0xFF) | uint32_t(hasPredicate) << 8 | uint32_t(predicate) << 9;
  }
  static PixLdImm unpack(uint32_t w, bool hasAddress) {
    PixLdImm i;
    i.offset = hasAddress ? static_cast<int8_t>(w & 0xFF) : static_cast<int32_t>(w & 0xFF);
    i.hasPredicate = w >> 8 & 1, i.predicate = static_cast<uint8_t>(w >> 9 & 31);
    return i;
  }
  /// Null, or why the word is no immediate of a PixLd.
  static const char* problem(uint32_t w) {
    if (w >> 14) return "reserved bits of the immediate are set";
    if (!(w >> 8 & 1) && w >> 9) return "a predicate number without a predicate";
    return nullptr;
  }
};

/// Tld4. Inst::sub is the sampler's resource, or kSamplerOfTexture.
struct Tld4Imm {
  enum class Offsets : uint8_t { None, Aoffi, Ptp };
  enum class Param : uint8_t { D2, Cube, Array2D, ArrayCube };
  enum class Phase : uint8_t { None, T, P };
  static constexpr uint32_t kSamplerOfTexture = 31;

  uint8_t component = 0;            // bits 0-1
  Offsets offsets = Offsets::None;  // bits 2-3
  bool dref = false;                // bit 4: .DC
  bool bindless = false;            // bit 5: .B
  Param param = Param::D2;          // bits 6-7
  uint8_t mask = 0xF;               // bits 8-11: sample k is bit k
  bool hasPredicate = false;        // bit 12: Ps
  uint8_t predicate = 0;            // bits 13-17
  bool ndv = false, nodep = false;  // bits 18, 19: hints
  Phase phase = Phase::None;        // bits 20-21: hint
  uint8_t type = 0;                 // bits 22-23: what texels are: 0 float, 1 sint, 2 uint (abi::TexType)
  uint8_t texture = 0;              // bits 24-31: resource; 0 when bindless

  uint32_t pack() const {
    return uint32_t(component) | uint32_t(offsets) << 2 | uint32_t(dref) << 4 | uint32_t(bindless) << 5 |
           uint32_t(param) << 6 | uint32_t(mask) << 8 | uint32_t(hasPredicate) << 12 | uint32_t(predicate) << 13 |
           uint32_t(ndv) << 18 | uint32_t(nodep) << 19 | uint32_t(phase) << 20 | uint32_t(type) << 22 |
           uint32_t(texture) << 24;
  }
  static constexpr Tld4Imm unpack(uint32_t w) {
    Tld4Imm i;
    i.component = w & 3, i.offsets = Offsets(w >> 2 & 3), i.dref = w >> 4 & 1, i.bindless = w >> 5 & 1;
    i.param = Param(w >> 6 & 3), i.mask = w >> 8 & 15, i.hasPredicate = w >> 12 & 1, i.predicate = w >> 13 & 31;
    i.ndv = w >> 18 & 1, i.nodep = w >> 19 & 1, i.phase = Phase(w >> 20 & 3), i.type = w >> 22 & 3;
    i.texture = static_cast<uint8_t>(w >> 24);
    return i;
  }
  static const char* problem(uint32_t w, uint32_t sampler) {
    const Tld4Imm i = unpack(w);
    if (uint32_t(i.offsets) == 3 || uint32_t(i.phase) == 3 || i.type == 3) return "reserved values in the immediate";
    if (!i.hasPredicate && i.predicate) return "a predicate number without a predicate";
    if (!i.mask) return "the write mask is empty";
    if (i.bindless && (i.texture || sampler != kSamplerOfTexture))
      return "bindless accesses name no texture or sampler";
    if (i.cube() && i.offsets != Offsets::None) return "cube maps take no offsets";
    return nullptr;
  }
  constexpr bool cube() const { return param == Param::Cube || param == Param::ArrayCube; }
  constexpr bool arrayed() const { return param == Param::Array2D || param == Param::ArrayCube; }
  /// Words of the coordinate block (array, s, t, r) and of the block behind it (handle, offsets, reference).
  constexpr uint32_t coordinateWords() const { return (cube() ? 3u : 2u) + (arrayed() ? 1u : 0u); }
  constexpr uint32_t otherWords() const { return uint32_t(bindless) + uint32_t(offsets) + uint32_t(dref); }
  constexpr uint32_t resultWords() const { return static_cast<uint32_t>(__builtin_popcount(mask)); }
};

/// LdRaw and StRaw.
struct RawImm {
  uint16_t offset = 0;     // bits 0-15: bytes, added to the address
  uint8_t swizzle = 0x1B;  // bits 16-23: as base operands' (x is bits 7-6)
  uint8_t mask = 0xF;      // bits 24-27: x is bit 3

  uint32_t pack() const { return offset | uint32_t(swizzle) << 16 | uint32_t(mask) << 24; }
  static RawImm unpack(uint32_t w) {
    return {static_cast<uint16_t>(w), static_cast<uint8_t>(w >> 16), static_cast<uint8_t>(w >> 24 & 15)};
  }
  static const char* problem(uint32_t w) {
    if (w >> 28) return "reserved bits of the immediate are set";
    return w >> 24 ? nullptr : "the write mask is empty";
  }
  uint32_t selected(uint32_t component) const { return swizzle >> (6 - 2 * component) & 3u; }
};

}  // namespace etzel::isa
