// How linear numbers are made of sRGB codes: by a table (kSrgbToLinear), and with the same bytes by arithmetic, where
// multiply-adds that are rounded once are instructions. The sRGB transfer function (Khronos Data Format Specification,
// "sRGB EOTF") is a straight line for small codes; a polynomial of the code stands for its power of 2.4, off by less
// than 1/270 of a code, and by less than halves round. Direct3D asks for half a code.
#pragma once

#include <cstdint>

namespace etzel::format {

/// The last code on the line, and what codes there are multiplied by.
inline constexpr uint32_t kSrgbLineEnd = 10;
inline constexpr float kSrgbSlope = static_cast<float>(1 / (12.92 * 255));
/// Coefficients of the powers of the other codes, the constant first; Horner's scheme, each step rounded once. Of all
/// such polynomials the largest error is least, counted in codes, with 1 exactly for code 255.
inline constexpr uint32_t kSrgbDegree = 6;
inline constexpr float kSrgbCurve[kSrgbDegree + 1] = {0x1.cb86b0p-11f, 0x1.1a75acp-13f,  0x1.01e486p-17f,
                                                      0x1.8bf73cp-25f, -0x1.10e618p-33f, 0x1.4054d4p-42f,
                                                      -0x1.553548p-52f};

}  // namespace etzel::format
