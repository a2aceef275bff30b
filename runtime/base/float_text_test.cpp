#include "runtime/base/float_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace etzel {
namespace {

template <class T>
std::string ofTheLibrary(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class T>
void expectWhatTheLibraryWrites(T value) {
  EXPECT_EQ(shortestText(value), ofTheLibrary(value));
  EXPECT_EQ(shortestText(-value), ofTheLibrary(-value));
}

TEST(FloatText, IsAsShortAsTheLibrarys) {
  for (const float f : {0.0f, 1.0f, 0.5f, 0.1f, 100.0f, 1e6f, 123456.0f, 123456792.0f, 1e-4f, 1e-5f, 0.00012345f,
                        16777216.0f, 33554433.0f, 1e10f, 1.5e38f, std::numeric_limits<float>::denorm_min(),
                        std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    expectWhatTheLibraryWrites(f);
  for (const double d : {0.1, 1.0 / 3, 1e22, 123456789012345680.0, std::numeric_limits<double>::denorm_min(),
                         std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()})
    expectWhatTheLibraryWrites(d);
}

TEST(FloatText, IsReadAsTheSameNumberAndNeverLonger) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto f = std::bit_cast<float>(uint32_t(random()));
    if (std::isnan(f)) continue;
    const std::string text = shortestText(f);
    EXPECT_EQ(std::strtof(text.c_str(), nullptr), f) << text;
    EXPECT_LE(text.size(), ofTheLibrary(f).size()) << text;
  }
}

TEST(FloatText, HasPointsInEveryLanguage) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* comma : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"})
    if (std::setlocale(LC_ALL, comma)) break;
  EXPECT_EQ(shortestText(0.5f), "0.5");
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace etzel
