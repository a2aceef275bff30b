#include "runtime/base/float_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace etzel {
namespace {

locale_t plain() {
  static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
  return c;
}

float read(const char* text, float) { return std::strtof(text, nullptr); }
double read(const char* text, double) { return std::strtod(text, nullptr); }

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return std::signbit(value) ? "-inf" : "inf";
  const PlainNumbers points;
  char exponential[40];
  int decimals = 0;
  do std::snprintf(exponential, sizeof exponential, "%.*e", decimals, double(value));
  while (read(exponential, value) != value && ++decimals < std::numeric_limits<T>::max_digits10);
  const int exponent = std::atoi(std::strchr(exponential, 'e') + 1);
  // Whole numbers are written to their last digit: that of the binary number, not zeros.
  constexpr int kLongest = 24;
  if (std::abs(exponent) > kLongest) return exponential;
  char positional[64];
  std::snprintf(positional, sizeof positional, "%.*f", std::max(decimals - exponent, 0), double(value));
  return std::strlen(positional) <= std::strlen(exponential) ? positional : exponential;
}

}  // namespace

PlainNumbers::PlainNumbers() : before_(uselocale(plain())) {}
PlainNumbers::~PlainNumbers() { uselocale(before_); }

std::string shortestText(float value) { return shortest(value); }
std::string shortestText(double value) { return shortest(value); }

}  // namespace etzel
