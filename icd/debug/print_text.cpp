#include "icd/debug/print_text.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>

#include "runtime/base/float_text.h"
#include "runtime/simd/half.h"

namespace etzel::icd {
namespace {

using abi::PrintFormat;
using abi::PrintValue;
using Kind = PrintValue::Kind;

/// One component as it was handed over.
struct Scalar {
  Kind kind = Kind::Uint;
  uint32_t bits = 32;
  uint64_t word = 0;

  uint64_t plain() const { return bits == 64 ? word : word & ((1ull << bits) - 1); }
  double real() const {
    switch (bits) {
      case 16: return simd::halfToFloat(static_cast<uint16_t>(word));
      case 64: return std::bit_cast<double>(word);
      default: return std::bit_cast<float>(static_cast<uint32_t>(word));
    }
  }
  int64_t integer() const {
    switch (kind) {
      case Kind::Bool: return word != 0;
      case Kind::Uint: return static_cast<int64_t>(plain());
      case Kind::Int: return static_cast<int64_t>(word << (64 - bits)) >> (64 - bits);
      case Kind::Float: break;
    }
    const double v = real();
    if (std::isnan(v)) return 0;
    if (v <= -0x1p63) return std::numeric_limits<int64_t>::min();
    return v >= 0x1p63 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(v);
  }
  double asReal() const {
    if (kind == Kind::Float) return real();
    return kind == Kind::Uint ? static_cast<double>(plain()) : static_cast<double>(integer());
  }
};

/// A conversion of the format: "%-8.3v4f".
struct Conversion {
  std::string flags;        ///< with width and precision, as C wants them
  uint32_t components = 0;  ///< of v2 to v4
  char letter = 0;          ///< 0: it is none
  size_t end = 0;           ///< behind it
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr std::string_view kLetters = "diuxXocfFeEgGaAs";

/// A number of the format that cannot make a text of any length.
std::string boundedNumber(std::string_view text, size_t& at) {
  constexpr uint32_t kMost = 200;
  uint32_t n = 0;
  while (at < text.size() && isDigit(text[at])) n = std::min(kMost, n * 10 + static_cast<uint32_t>(text[at++] - '0'));
  return std::to_string(n);
}

/// Flags, width and precision, as C wants them.
std::string modifiers(std::string_view text, size_t& at) {
  const auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  std::string out;
  while (next() && std::string_view("-+ #0").find(next()) != std::string_view::npos && out.size() < 8)
    out += text[at++];
  if (isDigit(next())) out += boundedNumber(text, at);
  if (next() == '.') {
    ++at;
    out += '.' + boundedNumber(text, at);
  }
  return out;
}

/// The conversion whose '%' stands before `at`. `bits`: of the value that it will show.
Conversion read(std::string_view text, size_t at, uint32_t bits) {
  Conversion c;
  const auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  c.flags = modifiers(text, at);
  if (next() == 'v' && at + 1 < text.size() && text[at + 1] >= '2' && text[at + 1] <= '4') {
    c.components = static_cast<uint32_t>(text[at + 1] - '0');
    at += 2;
    if (c.flags.empty()) c.flags = modifiers(text, at);  // some write %v3.2f for %.2v3f
  }
  while (next() == 'l' || next() == 'h') ++at;
  if (kLetters.find(next()) == std::string_view::npos || !next()) return c;
  c.letter = text[at++];
  if (c.letter == 'u' && next() == 'l' && bits == 64) ++at;  // %ul
  c.end = at;
  return c;
}

template <class T>
std::string formatted(const Conversion& c, const char* length, char letter, T value) {
  const std::string format = '%' + c.flags + length + letter;
  char text[1024];  // 309 digits of a double, and as much as boundedNumber lets through twice
  const int n = std::snprintf(text, sizeof text, format.c_str(), value);
  return {text, static_cast<size_t>(std::clamp(n, 0, static_cast<int>(sizeof text) - 1))};
}

/// As its type is shown best.
std::string shown(const Conversion& c, const Scalar& s) {
  switch (s.kind) {
    case Kind::Bool: return formatted(c, "", 's', s.word ? "true" : "false");
    case Kind::Int: return formatted(c, "l", 'd', s.integer());
    case Kind::Uint: return formatted(c, "l", 'u', s.plain());
    case Kind::Float: break;
  }
  return formatted(c, "", 'g', s.real());
}

std::string convert(const Conversion& c, const Scalar& s) {
  switch (c.letter) {
    case 'd':
    case 'i': return formatted(c, "l", 'd', s.integer());
    case 'u': return formatted(c, "l", 'u', s.kind == Kind::Int ? s.plain() : static_cast<uint64_t>(s.integer()));
    case 'x':
    case 'X':
    case 'o': return formatted(c, "l", c.letter, s.kind == Kind::Bool ? uint64_t(s.word != 0) : s.plain());
    case 'c': return formatted(c, "", 'c', static_cast<int>(s.integer() & 0x7F));
    case 's': return shown(c, s);
    default: return formatted(c, "", c.letter, s.asReal());
  }
}

/// Values one after the other.
class Values {
 public:
  Values(const PrintFormat& format, std::span<const uint32_t> words) : format_(format), words_(words) {}
  bool any() const { return value_ < format_.values.size(); }
  const PrintValue& front() const { return format_.values[value_]; }
  std::string take(const Conversion& c) {
    const PrintValue& v = format_.values[value_++];
    const uint32_t shown = c.components ? std::min<uint32_t>(c.components, v.components) : v.components;
    std::string text;
    for (uint32_t i = 0; i < v.components; ++i) {
      Scalar s{v.kind, v.bits, next()};
      if (v.bits == 64) s.word |= uint64_t(next()) << 32;
      if (i < shown) text += (i ? ", " : "") + convert(c, s);
    }
    return text;
  }

 private:
  uint32_t next() { return at_ < words_.size() ? words_[at_++] : 0; }

  const PrintFormat& format_;
  const std::span<const uint32_t> words_;
  size_t value_ = 0, at_ = 0;
};

}  // namespace

std::string printText(const PrintFormat& format, std::span<const uint32_t> words) {
  const PlainNumbers plain;
  Values values(format, words);
  const std::string_view text = format.text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      out += text[at++];
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == '%') {
      out += '%', at += 2;
      continue;
    }
    const Conversion c = read(text, at + 1, values.any() ? values.front().bits : 0);
    if (!c.letter || !values.any()) {
      out += text[at++];
      continue;
    }
    out += values.take(c);
    at = c.end;
  }
  return out;
}

}  // namespace etzel::icd
