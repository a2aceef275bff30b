// Numbers of 16 bits (IEEE 754 binary16), which not every compiler has for every processor: kept as bits, computed with
// as floats, rounded to nearest even when made.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace etzel::cts {

class Half {
 public:
  Half() = default;
  Half(double x) {  // NOLINT: a number like the others
    bits_ = std::signbit(x) ? 0x8000 : 0;
    const double size = std::fabs(x);
    if (std::isnan(x)) {
      bits_ |= 0x7e00;
    } else if (size >= 65520) {
      bits_ |= 0x7c00;
    } else if (size > 0) {
      // In units of the last place, 2^(exponent - 10); of denormal numbers that of the least exponent.
      const int exponent = std::max(std::ilogb(size), -14);
      const auto units = uint32_t(std::nearbyint(std::ldexp(size, 10 - exponent)));
      bits_ = uint16_t(bits_ | ((uint32_t(exponent + 14) << 10) + units));  // a carry raises the exponent
    }
  }
  operator float() const {  // NOLINT
    const int exponent = bits_ >> 10 & 31, units = bits_ & 1023;
    float size = exponent == 31  ? (units ? std::nanf("") : INFINITY)
                 : exponent == 0 ? std::ldexp(float(units), -24)
                                 : std::ldexp(float(units + 1024), exponent - 25);
    return bits_ & 0x8000 ? -size : size;
  }

 private:
  uint16_t bits_;
};
static_assert(sizeof(Half) == 2);

}  // namespace etzel::cts
