// Formats whose channels are plain runs of bits: a table, decoding by the definitions of "Formats", and a pattern of
// values.
#pragma once

#include <array>

#include "cts-subset/support/draw.h"

namespace etzel::cts {

enum Numeric { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Sfloat, Srgb };
struct Format {
  VkFormat format;
  const char* name;
  const char* layout;  ///< channels and their bits from the lowest
  Numeric numeric;
};
extern const std::vector<Format>& formatTable();

struct Channel {
  int index;
  uint32_t bits, shift;
};
std::vector<Channel> channels(const Format& f);
/// Integers that shaders see as floats.
inline bool isScaled(const Format& f) { return f.numeric == Uscaled || f.numeric == Sscaled; }
size_t texelBytes(const Format& f);
/// The value of a texel's channels; missing ones are 0, 0, 0, 1.
std::array<double, 4> decode(const Format& f, const uint8_t* texel);
/// Texels with random bits, floats finite and small.
std::vector<uint8_t> randomTexels(const Format& f, size_t n);
/// "u", "i" or nothing: of GLSL's vector and image types.
const char* prefix(const Format& f);
/// Number i of a buffer that a shader wrote with the format's numeric type.
double read(const Format& f, const Buffer& b, size_t i);
/// How far a decoded value may be from `v`.
double tolerance(const Format& f, double v);
/// Ends the case unless the format has the features with optimal tiling (or for buffers).
void requireFeature(Gpu& gpu, const Format& f, VkFormatFeatureFlags feature, bool buffer = false);
/// Texels are what encoding `want` gives, within a step of the format and `slack`.
void expectTexels(Gpu& gpu, const Format& f, const std::vector<uint8_t>& bytes,
                  const std::function<std::array<double, 4>(int)>& want, size_t n, double slack = 0);
/// Expression (of "i") and value of the test pattern at texel i of an 8 x 8 image.
std::string patternExpression(const Format& f);
std::array<double, 4> patternValue(const Format& f, int i);

}  // namespace etzel::cts
