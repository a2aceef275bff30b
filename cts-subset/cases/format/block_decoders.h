// Decoders of compressed blocks, from the Khronos Data Format Specification: one texel after the other, in doubles.
#pragma once

#include <array>
#include <cstdint>

namespace etzel::cts {

/// Up to 4 x 4 texels, RGBA; a uniform block has one for any place.
struct Block {
  std::array<double, 4> texels[16];
  bool uniform = false;
  std::array<double, 4> at(uint32_t x, uint32_t y) const { return uniform ? texels[0] : texels[y * 4 + x]; }
};

Block decodeBc1Rgb(const uint8_t* b);
Block decodeBc1Rgba(const uint8_t* b);
Block decodeBc2(const uint8_t* b);
Block decodeBc3(const uint8_t* b);
Block decodeBc4(const uint8_t* b);
Block decodeBc4Snorm(const uint8_t* b);
Block decodeBc5(const uint8_t* b);
Block decodeBc5Snorm(const uint8_t* b);
Block decodeBc7Mode6(const uint8_t* b);
Block decodeEtc2Rgb(const uint8_t* b);
Block decodeEtc2Rgba1(const uint8_t* b);
Block decodeEtc2Rgba(const uint8_t* b);
Block decodeEacR11(const uint8_t* b);
Block decodeEacR11Snorm(const uint8_t* b);
Block decodeEacRg11(const uint8_t* b);
Block decodeEacRg11Snorm(const uint8_t* b);
Block decodeAstcVoid(const uint8_t* b);

}  // namespace etzel::cts
