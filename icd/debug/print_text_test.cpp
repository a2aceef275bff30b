#include "icd/debug/print_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>

namespace etzel::icd {
namespace {

using Kind = abi::PrintValue::Kind;
using abi::PrintFormat;

constexpr abi::PrintValue kFloat{Kind::Float, 32, 1}, kInt{Kind::Int, 32, 1}, kUint{Kind::Uint, 32, 1};
uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

std::string text(const char* format, std::vector<abi::PrintValue> values = {}, std::vector<uint32_t> words = {}) {
  return printText(PrintFormat{format, std::move(values)}, words);
}

TEST(PrintText, WhatIsNoConversionStaysAsItIs) {
  EXPECT_EQ(text("plain"), "plain");
  EXPECT_EQ(text("100%% of %"), "100% of %");
  EXPECT_EQ(text("%q %n %5", {kInt}, {1}), "%q %n %5");
  EXPECT_EQ(text("%d %d", {kInt}, {7}), "7 %d");
  EXPECT_EQ(text("%v5d %v", {kInt}, {7}), "%v5d %v");
}

TEST(PrintText, FlagsWidthAndPrecisionAreThoseOfC) {
  EXPECT_EQ(text("[%5d|%-5d|%05d|%+d|% d]", {kInt, kInt, kInt, kInt, kInt}, {3, 3, 3, 3, 3}),
            "[    3|3    |00003|+3| 3]");
  EXPECT_EQ(text("%#x %X %o", {kUint, kUint, kUint}, {255, 255, 8}), "0xff FF 10");
  EXPECT_EQ(text("%.2f %8.3e %G %c", {kFloat, kFloat, kFloat, kUint}, {bits(1.5f), bits(1.5f), bits(1e-9f), 'x'}),
            "1.50 1.500e+00 1E-09 x");
}

TEST(PrintText, AWidthIsNoWayToMakeALongText) {
  EXPECT_EQ(text("%99999999999d", {kInt}, {1}).size(), 200u);
  EXPECT_EQ(text("%.99999999999f", {kFloat}, {bits(0.5f)}).size(), 202u);
  EXPECT_EQ(text("%999.999f", {{Kind::Float, 64, 1}}, {0xffffffff, 0x7fefffff}).size(), 309u + 1 + 200);
}

TEST(PrintText, VectorsShowTheirComponents) {
  EXPECT_EQ(text("(%1.2v3f)", {{Kind::Float, 32, 3}}, {bits(1), bits(2.5f), bits(-3)}), "(1.00, 2.50, -3.00)");
  EXPECT_EQ(text("(%v3.2f)", {{Kind::Float, 32, 3}}, {bits(1), bits(2.5f), bits(-3)}), "(1.00, 2.50, -3.00)");
  EXPECT_EQ(text("%v2d %v4x", {{Kind::Int, 32, 2}, {Kind::Uint, 32, 4}}, {~0u, 2, 10, 11, 12, 13}), "-1, 2 a, b, c, d");
  EXPECT_EQ(text("%f|%v2f", {{Kind::Float, 32, 2}, kFloat}, {bits(1), bits(2), bits(3)}),
            "1.000000, 2.000000|3.000000");
}

TEST(PrintText, SixtyFourBitsHaveManySpellings) {
  const std::vector<abi::PrintValue> wide(4, {Kind::Uint, 64, 1});
  EXPECT_EQ(text("%ul %lu %lx %u", wide, {0, 1, 0, 1, 0x89abcdef, 0x1234567, 5, 0}),
            "4294967296 4294967296 123456789abcdef 5");
  EXPECT_EQ(text("%ld %v2ul", {{Kind::Int, 64, 1}, {Kind::Uint, 64, 2}}, {~0u, ~0u, 1, 0, 0, 2}), "-1 1, 8589934592");
  // Behind 32 bits the letter belongs to the text.
  EXPECT_EQ(text("%ulumens", {kUint}, {800}), "800lumens");
}

TEST(PrintText, NarrowTypesAreExtendedAsTheyAreSigned) {
  EXPECT_EQ(text("%d %d %u", {{Kind::Int, 8, 1}, {Kind::Int, 16, 1}, {Kind::Uint, 8, 1}}, {0xff, 0x8000, 0xff}),
            "-1 -32768 255");
  EXPECT_EQ(text("%x %u", {{Kind::Int, 16, 1}, {Kind::Int, 16, 1}}, {0xffff, 0xfffe}), "ffff 65534");
  EXPECT_EQ(text("%f %v2f", {{Kind::Float, 16, 1}, {Kind::Float, 16, 2}}, {0x3400, 0x3e00, 0xc000}),
            "0.250000 1.500000, -2.000000");
}

TEST(PrintText, AValueIsWhatItsTypeSays) {
  EXPECT_EQ(text("%d %f %x", {kFloat, kUint, kFloat}, {bits(2.75f), 3, bits(1)}), "2 3.000000 3f800000");
  EXPECT_EQ(text("%d %d %d", {kFloat, kFloat, kFloat}, {bits(NAN), bits(1e30f), bits(-1e30f)}),
            "0 9223372036854775807 -9223372036854775808");
  const abi::PrintValue kBool{Kind::Bool, 32, 1};
  EXPECT_EQ(text("%d %u %x %s %s %f", {kBool, kBool, kBool, kBool, kBool, kBool}, {~0u, ~0u, ~0u, ~0u, 0, ~0u}),
            "1 1 1 true false 1.000000");
  EXPECT_EQ(text("%s %s %s", {kInt, kUint, kFloat}, {~0u, ~0u, bits(0.5f)}), "-1 4294967295 0.5");
}

TEST(PrintText, MissingWordsAreZeros) {
  EXPECT_EQ(text("%d %v2f", {kInt, {Kind::Float, 32, 2}}, {7}), "7 0.000000, 0.000000");
}

TEST(PrintText, NumbersHavePointsInEveryLanguage) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* comma : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"})
    if (std::setlocale(LC_ALL, comma)) break;
  EXPECT_EQ(text("%.1f", {kFloat}, {bits(0.5f)}), "0.5");
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace etzel::icd
