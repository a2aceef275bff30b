// GLSL's built-in functions that need nothing but their arguments ("Built-In Functions" of its specification).
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "compiler/debug/expression.h"
#include "compiler/debug/number.h"

namespace etzel::debugger {
namespace {

using Arguments = std::vector<Number>;
using Function = Result<Number> (*)(Arguments& a);

Error wrong(const char* what) { return {ErrorCode::InvalidArgument, what}; }

/// Component `k` of an argument; scalars stand for vectors of their value.
double at(const Number& n, uint32_t k) { return n.asDouble(n.isScalar() ? 0 : k); }
int64_t intAt(const Number& n, uint32_t k) { return n.asInt(n.isScalar() ? 0 : k); }

/// The shape that the arguments have in common, in a type that holds them all; no columns where they differ.
Number shapeOf(const Arguments& a) {
  Number out;
  out.scalar = Scalar::Bool;
  for (const Number& n : a) {
    out.scalar = std::max(out.scalar, n.scalar);
    if (n.isScalar()) continue;
    if (out.count() != 1 && (out.columns != n.columns || out.rows != n.rows)) {
      out.columns = 0;
      return out;
    }
    out.columns = n.columns, out.rows = n.rows;
  }
  return out;
}

/// f(x), f(x, y), f(x, y, z) component by component, in floats.
template <size_t arity, class F>
Result<Number> each(Arguments& a, F f) {
  if (a.size() != arity) return wrong("another number of arguments is expected");
  Number out = shapeOf(a);
  if (!out.columns) return wrong("the arguments have different sizes");
  out.scalar = std::max(out.scalar, Scalar::Float);
  for (uint32_t k = 0; k < out.count(); ++k) {
    if constexpr (arity == 1) put(out, k, static_cast<double>(f(at(a[0], k))));
    if constexpr (arity == 2) put(out, k, static_cast<double>(f(at(a[0], k), at(a[1], k))));
    if constexpr (arity == 3) put(out, k, static_cast<double>(f(at(a[0], k), at(a[1], k), at(a[2], k))));
  }
  return out;
}

/// The same where integers stay integers.
template <size_t arity, class F>
Result<Number> eachNumber(Arguments& a, F f) {
  if (a.size() != arity) return wrong("another number of arguments is expected");
  Number out = shapeOf(a);
  if (!out.columns) return wrong("the arguments have different sizes");
  if (isFloating(out.scalar)) return each<arity>(a, f);
  for (Number& n : a) n = convert(n, out.scalar);
  for (uint32_t k = 0; k < out.count(); ++k) {
    if constexpr (arity == 1) put(out, k, static_cast<int64_t>(f(intAt(a[0], k))));
    if constexpr (arity == 2) put(out, k, static_cast<int64_t>(f(intAt(a[0], k), intAt(a[1], k))));
    if constexpr (arity == 3) put(out, k, static_cast<int64_t>(f(intAt(a[0], k), intAt(a[1], k), intAt(a[2], k))));
  }
  return out;
}

template <class F>
Result<Number> compare(Arguments& a, F f) {
  if (a.size() != 2) return wrong("two arguments are expected");
  Number out = shapeOf(a);
  if (!out.columns) return wrong("the arguments have different sizes");
  out.scalar = Scalar::Bool;
  for (uint32_t k = 0; k < out.count(); ++k) put(out, k, int64_t{f(at(a[0], k), at(a[1], k))});
  return out;
}

template <class F>
Result<Number> ask(Arguments& a, F f) {
  if (a.size() != 1) return wrong("one argument is expected");
  Number out = a[0];
  out.scalar = Scalar::Bool;
  for (uint32_t k = 0; k < out.count(); ++k) put(out, k, int64_t{f(at(a[0], k))});
  return out;
}

double dotOf(const Number& a, const Number& b) {
  double sum = 0;
  const bool isFloat = a.scalar != Scalar::Double && b.scalar != Scalar::Double;
  const auto round = [&](double x) { return isFloat ? static_cast<double>(static_cast<float>(x)) : x; };
  for (uint32_t k = 0; k < a.count(); ++k) sum = round(sum + round(at(a, k) * at(b, k)));
  return sum;
}

Number scalarOf(const Number& like, double value) {
  Number out;
  out.scalar = std::max(like.scalar, Scalar::Float);
  put(out, 0, value);
  return out;
}

Number scaled(const Number& n, double by) {
  Number out = convert(n, std::max(n.scalar, Scalar::Float));
  for (uint32_t k = 0; k < n.count(); ++k) put(out, k, at(n, k) * by);
  return out;
}

bool alike(const Arguments& a, size_t count) {
  if (a.size() != count) return false;
  return std::all_of(a.begin(), a.end(), [&](const Number& n) { return n.rows == a[0].rows && !n.isMatrix(); });
}

Result<Number> dot(Arguments& a) {
  if (!alike(a, 2)) return wrong("two vectors of one size are expected");
  return scalarOf(a[0], dotOf(a[0], a[1]));
}
Result<Number> length(Arguments& a) {
  if (!alike(a, 1)) return wrong("a vector is expected");
  return scalarOf(a[0], std::sqrt(dotOf(a[0], a[0])));
}
Result<Number> distance(Arguments& a) {
  auto difference = each<2>(a, [](double x, double y) { return x - y; });
  if (!difference) return difference;
  return scalarOf(*difference, std::sqrt(dotOf(*difference, *difference)));
}
Result<Number> normalize(Arguments& a) {
  if (!alike(a, 1)) return wrong("a vector is expected");
  return scaled(a[0], 1 / std::sqrt(dotOf(a[0], a[0])));
}
Result<Number> cross(Arguments& a) {
  if (!alike(a, 2) || a[0].rows != 3) return wrong("two vectors of three components are expected");
  Number out = convert(a[0], std::max({a[0].scalar, a[1].scalar, Scalar::Float}));
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
    put(out, k, at(a[0], i) * at(a[1], j) - at(a[0], j) * at(a[1], i));
  }
  return out;
}
Result<Number> reflect(Arguments& a) {
  if (!alike(a, 2)) return wrong("two vectors of one size are expected");
  Arguments both{a[0], scaled(a[1], 2 * dotOf(a[1], a[0]))};
  return each<2>(both, [](double x, double y) { return x - y; });
}
Result<Number> transpose(Arguments& a) {
  if (a.size() != 1 || !a[0].isMatrix()) return wrong("a matrix is expected");
  Number out = a[0];
  std::swap(out.columns, out.rows);
  for (uint32_t c = 0; c < out.columns; ++c)
    for (uint32_t r = 0; r < out.rows; ++r) out.cell[c * out.rows + r] = a[0].cell[r * a[0].rows + c];
  return out;
}
double determinantOf(const std::vector<std::vector<double>>& m) {
  if (m.size() == 1) return m[0][0];
  double sum = 0;
  for (size_t skipped = 0; skipped < m.size(); ++skipped) {
    std::vector<std::vector<double>> minor;
    for (size_t c = 1; c < m.size(); ++c) {
      std::vector<double>& column = minor.emplace_back();
      for (size_t r = 0; r < m.size(); ++r)
        if (r != skipped) column.push_back(m[c][r]);
    }
    sum += (skipped % 2 ? -1 : 1) * m[0][skipped] * determinantOf(minor);
  }
  return sum;
}
Result<Number> determinant(Arguments& a) {
  if (a.size() != 1 || !a[0].isMatrix() || a[0].columns != a[0].rows) return wrong("a square matrix is expected");
  std::vector<std::vector<double>> m(a[0].columns);
  for (uint32_t k = 0; k < a[0].count(); ++k) m[k / a[0].rows].push_back(at(a[0], k));
  return scalarOf(a[0], determinantOf(m));
}
Result<Number> anyOf(Arguments& a, bool all) {
  if (a.size() != 1) return wrong("a vector of bool is expected");
  uint32_t ones = 0;
  for (uint32_t k = 0; k < a[0].count(); ++k) ones += at(a[0], k) != 0;
  Number out;
  out.scalar = Scalar::Bool;
  put(out, 0, int64_t{all ? ones == a[0].count() : ones != 0});
  return out;
}
/// The bits of each component as another type.
Result<Number> bits(Arguments& a, Scalar from, Scalar to) {
  if (a.size() != 1) return wrong("one argument is expected");
  Number out = convert(a[0], from);
  out.scalar = to;
  for (uint32_t k = 0; k < out.count(); ++k) {
    if (isFloating(to))
      out.cell[k].f = std::bit_cast<float>(static_cast<uint32_t>(out.cell[k].i));
    else
      put(out, k, int64_t{std::bit_cast<uint32_t>(static_cast<float>(out.cell[k].f))});
  }
  return out;
}

#define ETZEL_EACH1(name, expression)                                                  \
  {                                                                                    \
    name, [](Arguments& a) { return each<1>(a, [](double x) { return expression; }); } \
  }
#define ETZEL_EACH2(name, expression)                                                            \
  {                                                                                              \
    name, [](Arguments& a) { return each<2>(a, [](double x, double y) { return expression; }); } \
  }
#define ETZEL_NUMBER1(name, expression)                                                    \
  {                                                                                        \
    name, [](Arguments& a) { return eachNumber<1>(a, [](auto x) { return expression; }); } \
  }
#define ETZEL_NUMBER2(name, expression)                                                            \
  {                                                                                                \
    name, [](Arguments& a) { return eachNumber<2>(a, [](auto x, auto y) { return expression; }); } \
  }
#define ETZEL_COMPARE(name, expression)                                                          \
  {                                                                                              \
    name, [](Arguments& a) { return compare(a, [](double x, double y) { return expression; }); } \
  }

using Table = std::map<std::string_view, Function>;

/// Functions of floats, component by component.
const Table& ofFloats() {
  using std::numbers::pi;
  static const Table all = {
      ETZEL_EACH1("radians", x * pi / 180),
      ETZEL_EACH1("degrees", x * 180 / pi),
      ETZEL_EACH1("sin", std::sin(x)),
      ETZEL_EACH1("cos", std::cos(x)),
      ETZEL_EACH1("tan", std::tan(x)),
      ETZEL_EACH1("asin", std::asin(x)),
      ETZEL_EACH1("acos", std::acos(x)),
      ETZEL_EACH1("sinh", std::sinh(x)),
      ETZEL_EACH1("cosh", std::cosh(x)),
      ETZEL_EACH1("tanh", std::tanh(x)),
      ETZEL_EACH1("asinh", std::asinh(x)),
      ETZEL_EACH1("acosh", std::acosh(x)),
      ETZEL_EACH1("atanh", std::atanh(x)),
      ETZEL_EACH1("exp", std::exp(x)),
      ETZEL_EACH1("log", std::log(x)),
      ETZEL_EACH1("exp2", std::exp2(x)),
      ETZEL_EACH1("log2", std::log2(x)),
      ETZEL_EACH1("sqrt", std::sqrt(x)),
      ETZEL_EACH1("inversesqrt", 1 / std::sqrt(x)),
      ETZEL_EACH1("floor", std::floor(x)),
      ETZEL_EACH1("ceil", std::ceil(x)),
      ETZEL_EACH1("trunc", std::trunc(x)),
      ETZEL_EACH1("round", std::nearbyint(x)),
      ETZEL_EACH1("roundEven", std::nearbyint(x)),
      ETZEL_EACH1("fract", x - std::floor(x)),
      ETZEL_EACH2("pow", std::pow(x, y)),
      ETZEL_EACH2("mod", x - y * std::floor(x / y)),
      ETZEL_EACH2("step", y < x ? 0.0 : 1.0),
  };
  return all;
}

/// Functions that take integers as well, and those that give bool.
const Table& ofNumbers() {
  static const Table all = {
      ETZEL_NUMBER1("abs", x < 0 ? -x : x),
      ETZEL_NUMBER1("sign", x > 0   ? 1
                            : x < 0 ? -1
                                    : 0),
      ETZEL_NUMBER1("bitCount", std::popcount(static_cast<uint32_t>(static_cast<int64_t>(x)))),
      ETZEL_NUMBER2("min", y < x ? y : x),
      ETZEL_NUMBER2("max", x < y ? y : x),
      ETZEL_COMPARE("lessThan", x < y),
      ETZEL_COMPARE("lessThanEqual", x <= y),
      ETZEL_COMPARE("greaterThan", x > y),
      ETZEL_COMPARE("greaterThanEqual", x >= y),
      ETZEL_COMPARE("equal", x == y),
      ETZEL_COMPARE("notEqual", x != y),
      {"isnan", [](Arguments& a) { return ask(a, [](double x) { return std::isnan(x); }); }},
      {"isinf", [](Arguments& a) { return ask(a, [](double x) { return std::isinf(x); }); }},
      {"not", [](Arguments& a) { return ask(a, [](double x) { return x == 0; }); }},
      {"any", [](Arguments& a) { return anyOf(a, false); }},
      {"all", [](Arguments& a) { return anyOf(a, true); }},
      {"floatBitsToInt", [](Arguments& a) { return bits(a, Scalar::Float, Scalar::Int); }},
      {"floatBitsToUint", [](Arguments& a) { return bits(a, Scalar::Float, Scalar::Uint); }},
      {"intBitsToFloat", [](Arguments& a) { return bits(a, Scalar::Int, Scalar::Float); }},
      {"uintBitsToFloat", [](Arguments& a) { return bits(a, Scalar::Uint, Scalar::Float); }},
  };
  return all;
}

/// Functions of several arguments, of vectors and of matrices.
const Table& ofMore() {
  static const Table all = {
      {"atan",
       [](Arguments& a) {
         return a.size() == 1 ? each<1>(a, [](double x) { return std::atan(x); })
                              : each<2>(a, [](double y, double x) { return std::atan2(y, x); });
       }},
      {"clamp",
       [](Arguments& a) {
         return eachNumber<3>(a, [](auto x, auto low, auto high) { return std::min(std::max(x, low), high); });
       }},
      {"mix",
       [](Arguments& a) {
         if (a.size() == 3 && a[2].scalar == Scalar::Bool)
           return eachNumber<3>(a, [](auto x, auto y, auto which) { return which != 0 ? y : x; });
         return each<3>(a, [](double x, double y, double by) { return x * (1 - by) + y * by; });
       }},
      {"smoothstep",
       [](Arguments& a) {
         return each<3>(a, [](double low, double high, double x) {
           const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
           return t * t * (3 - 2 * t);
         });
       }},
      {"fma", [](Arguments& a) { return each<3>(a, [](double x, double y, double z) { return std::fma(x, y, z); }); }},
      {"dot", dot},
      {"length", length},
      {"distance", distance},
      {"normalize", normalize},
      {"cross", cross},
      {"reflect", reflect},
      {"transpose", transpose},
      {"determinant", determinant},
  };
  return all;
}

Function find(std::string_view name) {
  for (const Table* table : {&ofFloats(), &ofNumbers(), &ofMore()})
    if (const auto found = table->find(name); found != table->end()) return found->second;
  return nullptr;
}

#undef ETZEL_EACH1
#undef ETZEL_EACH2
#undef ETZEL_NUMBER1
#undef ETZEL_NUMBER2
#undef ETZEL_COMPARE

}  // namespace

Result<Number> callBuiltIn(std::string_view name, std::vector<Number> arguments) {
  const Function found = find(name);
  if (!found) return Error{ErrorCode::InvalidArgument, "there is no function " + std::string(name)};
  auto result = found(arguments);
  if (!result) return Error{ErrorCode::InvalidArgument, std::string(name) + ": " + result.error().message};
  return result;
}

std::vector<std::string> builtInFunctions() {
  std::vector<std::string> names;
  for (const Table* table : {&ofFloats(), &ofNumbers(), &ofMore()})
    for (const auto& [name, function] : *table) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace etzel::debugger
