// Numbers as text, the same in every language that the application has set. The library's std::to_chars of
// floating-point numbers brings 135 KB of tables; text for people does not need its speed.
#pragma once

#include <clocale>
#include <string>

namespace etzel {

/// While this lives, the C library writes and reads numbers of this thread with points, whatever the application's
/// language is.
class PlainNumbers {
 public:
  PlainNumbers();
  ~PlainNumbers();
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  const locale_t before_;
};

/// The fewest decimal digits that are read as `value` again, with or without an exponent, whichever is shorter; "nan",
/// "inf" and their negatives.
std::string shortestText(float value);
std::string shortestText(double value);

}  // namespace etzel
