// Operators of every scalar type, as scalars and as vectors, against the same operation in C++.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/scalar.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

enum Operands { Any, NonZeroDivisor, NonNegative, ShiftCount, SmallFloat };

template <class T>
struct Op {
  const char* name;
  const char* glsl;  ///< of x, y, z of type V (a scalar or vector of T); T is the scalar
  T (*reference)(T, T, T);
  Operands operands = Any;
  double ulps = 0;  ///< "Precision and Operation of SPIR-V Instructions"
  double absolute = 0;
};

template <class T>
std::vector<T> operands(size_t n, uint64_t seed, bool second, Operands rule) {
  std::vector<T> v(n);
  Random random(seed);
  for (size_t i = 0; i < n; ++i) {
    if constexpr (isFloat<T>) {
      static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, 1.5f, 2.5f, -2.5f, 3.0f, 100.0f};
      double x = i < 144 ? special[second ? i / 12 % 12 : i % 12] : random.range(-30, 30);
      if (rule == NonZeroDivisor && second && x == 0) x = 0.75;
      if (rule == NonNegative) x = std::fabs(x);
      v[i] = T(x);
    } else {
      using L = std::numeric_limits<T>;
      const T special[] = {0, 1,   T(-1),   L::max(),        L::min(), T(L::max() / 2), T(L::max() - 1),
                           7, 100, T(0x55), T(L::min() + 1), 2};
      uint64_t bits = uint64_t(random.next()) << 32 | random.next();
      T x = i < 144 ? special[second ? i / 12 % 12 : i % 12] : T(bits >> random.below(60));
      if (rule == ShiftCount && second) x = T(bits % (8 * sizeof(T)));
      if (rule == NonNegative && x < 0) x = T(~x);
      // The quotient of the smallest number by -1 is undefined, like division by zero.
      if ((rule == NonZeroDivisor || rule == NonNegative) && second && (x == 0 || x == T(-1))) x = 3;
      v[i] = x;
    }
  }
  return v;
}

template <class T>
void runOp(Gpu& gpu, const Op<T>& op, unsigned width) {
  requireScalar<T>(gpu);
  const size_t n = 240;  // a multiple of every width
  auto a = operands<T>(n, 11, false, op.operands), b = operands<T>(n, 22, true, op.operands),
       c = operands<T>(n, 33, false, op.operands);
  if (std::string(op.name) == "clamp" || std::string(op.name) == "smoothstep")
    for (size_t i = 0; i < n; ++i) {
      if (c[i] < b[i]) std::swap(b[i], c[i]);
      if (isFloat<T> && b[i] == c[i]) c[i] = T(c[i] + 1);
    }
  Buffer A = gpu.buffer(a), B = gpu.buffer(b), C = gpu.buffer(c), R = gpu.buffer(n * sizeof(T));
  std::string type = Scalar<T>::glsl, vector = width == 1 ? type : Scalar<T>::vector + std::to_string(width);
  std::string source = std::string(explicitTypes) + "#define T " + type + "\n#define V " + vector + "\n";
  source += width == 1 ? "#define B bool\n" : "#define B bvec" + std::to_string(width) + "\n";
  for (const char* cmp : {"lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "equal", "notEqual"})
    if (width == 1) {
      std::string name = cmp, sign = name == "lessThan"           ? "<"
                                     : name == "lessThanEqual"    ? "<="
                                     : name == "greaterThan"      ? ">"
                                     : name == "greaterThanEqual" ? ">="
                                     : name == "equal"            ? "=="
                                                                  : "!=";
      source += "bool " + name + "(T p, T q) { return p " + sign + " q; }\n";
    }
  const char* names[] = {"a", "b", "c", "r"};
  for (int i = 0; i < 4; ++i) source += text("layout(set=0, binding=%d) buffer B%d { T %s[]; };\n", i, i, names[i]);
  source +=
      text("layout(local_size_x=60) in;\nvoid main() { uint i = gl_GlobalInvocationID.x * %u; if (i >= %zu) return;\n",
           width, n);
  for (auto [var, array] : {std::pair("x", "a"), std::pair("y", "b"), std::pair("z", "c")}) {
    source += std::string("V ") + var + " = V(";
    for (unsigned k = 0; k < width; ++k) source += text("%s%s[i+%u]", k ? ", " : "", array, k);
    source += ");\n";
  }
  source += std::string("V q = ") + op.glsl + ";\n";
  for (unsigned k = 0; k < width; ++k) source += width == 1 ? "r[i] = q;\n" : text("r[i+%u] = q[%u];\n", k, k);
  source += "}\n";
  Dispatch d{source};
  d.bindings = {storage(A), storage(B), storage(C), storage(R)};
  d.x = uint32_t(n / width + 59) / 60;
  gpu.dispatch(d);
  for (size_t i = 0; i < n; ++i) {
    T got = R.as<T>()[i], want = op.reference(a[i], b[i], c[i]);
    bool good;
    if constexpr (isFloat<T>)
      good = near<T>(got, double(want), op.ulps, op.absolute);
    else
      good = got == want;
    if (!good) {
      if constexpr (isFloat<T>)
        ADD_FAILURE() << op.glsl << " of " << double(a[i]) << ", " << double(b[i]) << ", " << double(c[i]) << " is "
                      << double(got) << " instead of " << double(want);
      else
        ADD_FAILURE() << op.glsl << " of " << +a[i] << ", " << +b[i] << ", " << +c[i] << " is " << +got
                      << " instead of " << +want;
      return;
    }
  }
}

#define R(expression)      \
  [](T x, T y, T z) -> T { \
    (void)x;               \
    (void)y;               \
    (void)z;               \
    return T(expression);  \
  }
template <class T>
std::vector<Op<T>> common() {
  return {
      {"less", "V(lessThan(x, y))", R(x < y ? 1 : 0)},
      {"less_equal", "V(lessThanEqual(x, y))", R(x <= y ? 1 : 0)},
      {"greater", "V(greaterThan(x, y))", R(x > y ? 1 : 0)},
      {"greater_equal", "V(greaterThanEqual(x, y))", R(x >= y ? 1 : 0)},
      {"equal", "V(equal(x, y))", R(x == y ? 1 : 0)},
      {"not_equal", "V(notEqual(x, y))", R(x != y ? 1 : 0)},
      {"select", "mix(y, z, lessThan(x, y))", R(x < y ? z : y)},
      {"min", "min(x, y)", R(y < x ? y : x)},
      {"max", "max(x, y)", R(x < y ? y : x)},
      {"clamp", "clamp(x, y, z)", R(std::min(std::max(x, y), z))},
      {"dynamic_choice", "(equal(x, y) == B(true)) ? x : z", nullptr},
  };
}

template <class T>
std::vector<Op<T>> integerOps() {
  using U = uint64_t;
  auto ops = common<T>();
  ops.pop_back();
  std::vector<Op<T>> more = {
      {"add", "x + y", R(U(x) + U(y))},
      {"sub", "x - y", R(U(x) - U(y))},
      {"mul", "x * y", R(U(x) * U(y))},
      {"mul_add", "x * y + z", R(U(x) * U(y) + U(z))},
      {"div", "x / y", R(x / y), NonZeroDivisor},
      {"mod", "x % y", R(x % y), NonNegative},
      {"and", "x & y", R(x & y)},
      {"or", "x | y", R(x | y)},
      {"xor", "x ^ y", R(x ^ y)},
      {"not", "~x", R(~U(x))},
      {"neg", "-x", R(U(0) - U(x))},
      {"shl", "x << y", R(U(x) << y), ShiftCount},
      {"shr", "x >> y", R(x >> y), ShiftCount},
      {"shl_const", "x << T(3)", R(U(x) << 3)},
      {"shr_const", "x >> T(5)", R(x >> 5)},
      {"div_const", "x / T(7)", R(x / T(7))},
      {"mod_const", "x % T(10)", R(x % T(10)), NonNegative},
      {"bit_select", "(x & y) | (~x & z)", R((x & y) | (~x & z))},
      {"loop_sum", "x; for (int k = 0; k < 5; ++k) q = q * T(3) + y", R(U(x) * 243 + U(y) * 121)},
  };
  if constexpr (std::is_signed_v<T>) {
    more.push_back({"abs", "abs(x)", R(x < 0 ? U(0) - U(x) : U(x))});
    more.push_back({"sign", "sign(x)", R(x < 0 ? -1 : x > 0)});
  }
  ops.insert(ops.end(), more.begin(), more.end());
  return ops;
}

template <class T>
std::vector<Op<T>> floatOps() {
  auto ops = common<T>();
  ops.pop_back();
  // min and max of zeros of different signs may give either; == treats them as equal, as near() does.
  using D = double;
  std::vector<Op<T>> more = {
      {"add", "x + y", R(x + y)},
      {"sub", "x - y", R(x - y)},
      {"mul", "x * y", R(x * y)},
      {"div", "x / y", R(x / y), NonZeroDivisor, 2.5},
      {"neg", "-x", R(-x)},
      {"abs", "abs(x)", R(x < 0 ? T(-x) : x)},
      {"sign", "sign(x)", R(x < 0 ? -1 : x > 0)},
      {"floor", "floor(x)", R(std::floor(D(x)))},
      {"ceil", "ceil(x)", R(std::ceil(D(x)))},
      {"trunc", "trunc(x)", R(std::trunc(D(x)))},
      {"round_even", "roundEven(x)", R(std::nearbyint(D(x)))},
      {"fract", "fract(x)", R(D(x) - std::floor(D(x)))},
      {"mod", "mod(x, y)", R(D(x) - D(y) * std::floor(D(T(D(x) / D(y))))), NonZeroDivisor, 0, 1e9},  // replaced below
      {"fma", "fma(x, y, z)", R(std::fma(D(x), D(y), D(z))), Any, 2, 0},
      {"mix", "mix(x, y, z)", R(D(x) * (1 - D(z)) + D(y) * D(z)), Any, 8, 0},
      {"step", "step(x, y)", R(y < x ? 0 : 1)},
      {"smoothstep", "smoothstep(y, z, x)", R(([](D t) {
         t = t < 0 ? 0 : t > 1 ? 1 : t;
         return t * t * (3 - 2 * t);
       })((D(x) - D(y)) / (D(z) - D(y)))),
       Any, 16, 0},
      {"sqrt", "sqrt(x)", R(std::sqrt(D(x))), NonNegative, 4, 0},
      {"min3", "min(min(x, y), z)", R(std::min(std::min(x, y), z))},
      {"max3", "max(max(x, y), z)", R(std::max(std::max(x, y), z))},
      {"square_sum", "x * x + y * y", R(D(x) * D(x) + D(y) * D(y)), Any, 3},
  };
  for (auto& op : more) {
    std::string name = op.name;
    double unit = std::ldexp(1.0, -significand<T>);
    if (name == "mix") op.absolute = unit * 30 * 30 * 64;
    if (name == "fma") op.absolute = unit * 10000 * 8;  // fma may be a multiplication and an addition
    if (name == "smoothstep") op.absolute = unit * 64;
  }
  std::erase_if(more, [](auto& op) { return std::string(op.name) == "mod"; });
  ops.insert(ops.end(), more.begin(), more.end());
  return ops;
}
#undef R

template <class T>
void addOps(const std::vector<Op<T>>& ops) {
  for (auto& op : ops)
    for (unsigned width : {1u, 2u, 3u, 4u}) {
      if (sizeof(T) != 4 && width % 2 == 0) continue;
      std::string type = Scalar<T>::glsl;
      if (type.size() > 2 && type.substr(type.size() - 2) == "_t") type.resize(type.size() - 2);
      add(text("spirv.arithmetic.%s.%s.%s%u", op.name, type.c_str(), width == 1 ? "scalar" : "vec", width),
          [op, width](Gpu& gpu) { runOp<T>(gpu, op, width); });
    }
}

}  // namespace

void registerArithmetic() {
  addOps<int8_t>(integerOps<int8_t>());
  addOps<uint8_t>(integerOps<uint8_t>());
  addOps<int16_t>(integerOps<int16_t>());
  addOps<uint16_t>(integerOps<uint16_t>());
  addOps<int32_t>(integerOps<int32_t>());
  addOps<uint32_t>(integerOps<uint32_t>());
  addOps<int64_t>(integerOps<int64_t>());
  addOps<uint64_t>(integerOps<uint64_t>());
  addOps<Half>(floatOps<Half>());
  addOps<float>(floatOps<float>());
  addOps<double>(floatOps<double>());
}

}  // namespace etzel::cts
