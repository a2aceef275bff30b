// Floats of other encodings: what conversions make of every code, and of what lies between two numbers.
#include <cmath>
#include <span>

#include "compiler/lower/encoded_float.h"
#include "compiler/lower/test_kernel.h"
#include "runtime/format/small_float.h"

namespace etzel::lower {
namespace {

using test::Words;

struct Format {
  FloatEncoding encoding;
  const char* type;
  uint32_t bits, infinity;  ///< the code behind the greatest number
};
constexpr Format kFormats[] = {{FloatEncoding::E4M3, "%e4m3", 8, 0x7f},
                               {FloatEncoding::E5M2, "%e5m2", 8, 0x7c},
                               {FloatEncoding::Brain, "%bf", 16, 0x7f80}};
constexpr uint32_t kAtOnce = 16;

const char* const kHead =
    "OpCapability Int8\nOpCapability Int16\nOpCapability Float64\nOpCapability !4212\nOpCapability !5116\n";
const std::string kTypes =
    "!0x00040016 %e4m3 8 4214\n!0x00040016 %e5m2 8 4215\n!0x00040016 %bf 16 0\n%byte = OpTypeInt 8 0\n"
    "%short = OpTypeInt 16 0\n%f64 = OpTypeFloat 64\n";

/// What the instructions make of words: of %x# they make %y#, where # is a number.
std::vector<uint32_t> convert(const std::vector<uint32_t>& in, const std::string& instructions,
                              const std::string& types = "", const std::string& decoration = "") {
  std::string body, decorations;
  const auto numbered = [](std::string text, uint32_t n) {
    for (size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(n));
    return text;
  };
  for (uint32_t n = 0; n < kAtOnce; ++n) {
    body += numbered("%x# = OpCopyObject %u32 %u#\n" + instructions + "OUT(#, %y#)\n", n);
    if (!decoration.empty()) decorations += numbered(decoration, n);
  }
  std::vector<uint32_t> out;
  while (out.size() < in.size()) {
    Words words{};
    for (uint32_t i = 0; i < kWarpLanes * kAtOnce && out.size() + i < in.size(); ++i)
      words[i / kAtOnce][i % kAtOnce] = in[out.size() + i];
    const Words made = test::run(body, words, kHead, kTypes + types, kAllLanes, nullptr, decorations);
    for (const auto& lane : made) out.insert(out.end(), lane.begin(), lane.end());
  }
  out.resize(in.size());
  return out;
}

std::string toWord(const Format& f) {
  return f.bits == 8 ? "%n# = OpBitcast %byte %code#\n%y# = OpUConvert %u32 %n#\n"
                     : "%n# = OpBitcast %short %code#\n%y# = OpUConvert %u32 %n#\n";
}
std::string fromWord(const Format& f) {
  return "%n# = OpUConvert " + std::string(f.bits == 8 ? "%byte" : "%short") + " %x#\n%code# = OpBitcast " + f.type +
         " %n#\n";
}

bool isNan(const Format& f, uint32_t code) { return std::isnan(format::encodedToFloat(f.encoding, code)); }

/// Numbers of 8 bits, or some of 16, what is in the middle behind each, and what is next to that. Of both signs.
std::vector<float> around(const Format& f) {
  std::vector<float> all = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-30f, 1e-42f, 3e38f, 500.0f, 70000.0f};
  for (uint32_t code = 0; code + 1 < f.infinity; code += f.bits == 8 ? 1 : 129) {
    const float low = format::encodedToFloat(f.encoding, code), high = format::encodedToFloat(f.encoding, code + 1);
    const float middle = low + (high - low) / 2;
    for (float x : {low, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, high)})
      all.insert(all.end(), {x, -x});
  }
  return all;
}
std::vector<uint32_t> bitsOf(const std::vector<float>& floats) {
  std::vector<uint32_t> all;
  for (float f : floats) all.push_back(test::bits(f));
  return all;
}

TEST(EncodedFloats, EveryCodeOf8BitsIsItsNumber) {
  std::vector<uint32_t> codes(256);
  for (uint32_t i = 0; i < 256; ++i) codes[i] = i;
  for (const Format& f : std::span(kFormats).first(2)) {
    const auto got = convert(codes, fromWord(f) + "%single# = OpFConvert %f32 %code#\n%y# = OpBitcast %u32 %single#\n");
    for (uint32_t i = 0; i < 256; ++i) {
      if (isNan(f, i))
        EXPECT_TRUE(std::isnan(test::number(got[i]))) << f.type << i;
      else
        EXPECT_EQ(got[i], test::bits(format::encodedToFloat(f.encoding, i))) << f.type << i;
    }
  }
}

TEST(EncodedFloats, FloatsAreRoundedToTheNearestOrTheEvenOne) {
  for (const Format& f : kFormats) {
    const std::vector<float> in = around(f);
    const auto got = convert(bitsOf(in), "%single# = OpBitcast %f32 %x#\n%code# = OpFConvert " + std::string(f.type) +
                                             " %single#\n" + toWord(f));
    for (size_t i = 0; i < in.size(); ++i) {
      const uint32_t want = format::doubleToEncoded(f.encoding, in[i]);
      EXPECT_TRUE(got[i] == want || (isNan(f, got[i]) && isNan(f, want))) << f.type << in[i] << " " << got[i];
    }
  }
}

/// Doubles that floats cannot tell from the middle between two numbers.
TEST(EncodedFloats, DoublesAreRoundedOnce) {
  const std::string types = "%more = OpConstant %f64 1.0000000000009095\n%less = OpConstant %f64 0.9999999999990905\n";
  for (const Format& f : kFormats)
    for (const char* scale : {"%more", "%less"}) {
      const std::vector<float> in = around(f);
      const auto got = convert(bitsOf(in),
                               "%single# = OpBitcast %f32 %x#\n%d# = OpFConvert %f64 %single#\n%e# = OpFMul %f64 %d# " +
                                   std::string(scale) + "\n%code# = OpFConvert " + f.type + " %e#\n" + toWord(f),
                               types);
      for (size_t i = 0; i < in.size(); ++i) {
        const double d = double(in[i]) * (scale[1] == 'm' ? 1.0000000000009095 : 0.9999999999990905);
        const uint32_t want = format::doubleToEncoded(f.encoding, d);
        EXPECT_TRUE(got[i] == want || (isNan(f, got[i]) && isNan(f, want))) << f.type << d << " " << got[i];
      }
    }
}

/// "SaturatedToLargestFloat8NormalConversionEXT": NaN stays what it is.
TEST(EncodedFloats, WhatIsTooLargeSaturatesWhereThatIsAsked) {
  for (const Format& f : std::span(kFormats).first(2)) {
    const std::vector<float> in = around(f);
    const auto got =
        convert(bitsOf(in),
                "%single# = OpBitcast %f32 %x#\n%code# = OpFConvert " + std::string(f.type) + " %single#\n" + toWord(f),
                "", "OpDecorate %code# !4216\n");
    for (size_t i = 0; i < in.size(); ++i) {
      const uint32_t rounded = format::doubleToEncoded(f.encoding, in[i]);
      const uint32_t want =
          !std::isnan(in[i]) && (rounded & 0x7f) >= f.infinity ? (rounded & 0x80) | (f.infinity - 1) : rounded;
      EXPECT_TRUE(got[i] == want || (isNan(f, got[i]) && isNan(f, want))) << f.type << in[i] << " " << got[i];
    }
  }
}

TEST(EncodedFloats, OneFormatBecomesTheOther) {
  std::vector<uint32_t> codes(256);
  for (uint32_t i = 0; i < 256; ++i) codes[i] = i;
  for (const Format& from : kFormats)
    for (const Format& to : kFormats) {
      if (from.encoding == to.encoding) continue;
      const auto got =
          convert(codes, fromWord(from) + "%d# = OpFConvert " + to.type + " %code#\n" +
                             (to.bits == 8 ? "%m# = OpBitcast %byte %d#\n" : "%m# = OpBitcast %short %d#\n") +
                             "%y# = OpUConvert %u32 %m#\n");
      for (uint32_t i = 0; i < 256; ++i) {
        const uint32_t want = format::doubleToEncoded(to.encoding, format::encodedToFloat(from.encoding, i));
        EXPECT_TRUE(got[i] == want || (isNan(to, got[i]) && isNan(to, want))) << from.type << to.type << i;
      }
    }
}

TEST(EncodedFloats, IntegersAreConvertedBothWays) {
  for (const Format& f : kFormats) {
    const auto got = convert({0, 17, 448, 449, 100, 0xfffffff0, 0xffffffff},
                             "%int# = OpBitcast %i32 %x#\n%code# = OpConvertSToF " + std::string(f.type) +
                                 " %int#\n%j# = OpConvertFToS %i32 %code#\n%y# = OpBitcast %u32 %j#\n");
    EXPECT_EQ(got[0], 0u);
    EXPECT_EQ(got[1], f.encoding == FloatEncoding::Brain ? 17u : 16u);
    EXPECT_EQ(got[2], 448u);
    EXPECT_EQ(got[4], f.encoding == FloatEncoding::Brain ? 100u : 96u);
    EXPECT_EQ(got[5], 0xfffffff0u);
    EXPECT_EQ(got[6], 0xffffffffu);
  }
}

/// Specialization: the same numbers as the program would make.
TEST(EncodedFloats, ConstantsAreConvertedWhenAModuleIsRead) {
  const auto wide = convert({0}, "%y# = OpBitcast %u32 %wide\n",
                            "!0x0004002B %e5m2 %k 0x35\n%wide = OpSpecConstantOp %f32 FConvert %k\n");
  EXPECT_EQ(test::number(wide[0]), format::e5m2ToFloat(0x35));
  const auto small =
      convert({0}, "%n# = OpBitcast %byte %small\n%y# = OpUConvert %u32 %n#\n",
              "%number = OpConstant %f64 17.00000001\n%small = OpSpecConstantOp %e4m3 FConvert %number\n");
  EXPECT_EQ(small[0], format::floatToE4m3(18));
}

}  // namespace
}  // namespace etzel::lower
