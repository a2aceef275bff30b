// GLSL.std.450 and the arithmetic operators, from SPIR-V, against long double: the worst error of each function over
// its whole range, and each error against "Precision and Operation of SPIR-V Instructions". Prints the table of
// docs/isa.md. 32-bit inputs are a stride through all bit patterns, ETZEL_PRECISION_STEP patterns wide (odd; default
// 16381); 16-bit inputs are all of them.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

using Real = long double;
constexpr Real kPi = 3.14159265358979323846264338327950288L;

/// A compiled body that runs on any number of inputs: words 0-5 of a lane in, words 0-1 out.
class Kernel {
 public:
  Kernel(const std::string& body, const std::string& head, const std::string& types) {
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
    std::vector<uint32_t> words;
    const std::string text = test::moduleText(body, head, types, "");
    if (!tools.Assemble(text, &words)) {
      ADD_FAILURE() << text;
      return;
    }
    compiler::ShaderSource source;
    source.spirv = words;
    source.bindings[{0, 0}] = {0, 0}, source.bindings[{0, 1}] = {0, 32};
    auto kernel = compiler::compileKernel(source);
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    if (!kernel.ok()) return;
    kernel_ = *kernel;
    table_[0] = {reinterpret_cast<uint64_t>(in.data()), sizeof in, {}};
    table_[1] = {reinterpret_cast<uint64_t>(out.data()), sizeof out, {}};
    context_.table[0] = reinterpret_cast<const std::byte*>(table_), context_.tableBytes[0] = sizeof table_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = 64;
    context_.pushConstants = zeros_;
    registers_.resize(kernel_->registerWords + 1), scratch_.resize(kernel_->scratchBytes * kWarpLanes / 32 + 1);
    sys_.resize(abi::kSysValueCount);
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      sys_[uint32_t(abi::SysValue::LocalIndex)][i] = sys_[uint32_t(abi::SysValue::LaneId)][i] = i;
  }
  bool ok() const { return kernel_ != nullptr; }
  void run() {
    abi::Warp warp;
    warp.context = &context_, warp.kernel = kernel_.get(), warp.active = kAllLanes;
    warp.sys = sys_.data(), warp.registers = registers_.data();
    warp.scratch = reinterpret_cast<std::byte*>(scratch_.data());
    kernel_->run(&warp);
  }
  test::Words in{}, out{};

 private:
  std::shared_ptr<abi::Kernel> kernel_;
  abi::BufferDescriptor table_[2];
  abi::DispatchContext context_;
  std::vector<LaneWords> registers_, scratch_, sys_;
  std::byte zeros_[abi::kNullBytes] = {};
};

enum class Width { F16, F32, F64 };

/// How numbers of a width are written, read and counted in units of the last place.
struct Format {
  Width width;
  int mantissa, minExponent;  ///< bits with the implied one; exponent of the smallest denormal
  Real largest;
};
constexpr Format kFormats[] = {{Width::F16, 11, -24, 65504.0L},
                               {Width::F32, 24, -149, 0x1.fffffep127L},
                               {Width::F64, 53, -1074, 0x1.fffffffffffffp1023L}};

Real decode(const Format& f, uint64_t bits) {
  if (f.width == Width::F32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (f.width == Width::F64) return std::bit_cast<double>(bits);
  const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
  const Real sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(Real(1024 + mantissa), exponent - 25) : std::ldexp(Real(mantissa), -24));
}

Real ulp(const Format& f, Real want) {
  int e = 0;
  std::frexp(want, &e);
  return std::ldexp(Real(1), std::max(e - f.mantissa, f.minExponent));
}

/// The error in ULP. An infinity where the result rounds to none of the finite numbers is right.
Real errorUlp(const Format& f, Real got, Real want) {
  if (std::isnan(want)) return 0;  // undefined, or NaN: nothing to measure
  const Real limit = f.largest + std::ldexp(f.largest, -f.mantissa - 1);
  if (std::fabs(want) >= limit)  // a finite maximum within a few ULP counts as well
    return std::isinf(got) && (got > 0) == (want > 0) ? 0 : std::fabs(got) >= f.largest ? 1 : 1e30L;
  if (std::isinf(got) && (got > 0) == (want > 0))  // overflowed early: as far as the next number beyond the largest
    return (limit - std::fabs(want)) / ulp(f, want);
  return std::fabs(got - want) / ulp(f, want);
}

struct Function {
  const char* name;  ///< of GLSL.std.450, or an instruction that begins with Op
  int arity;
  Real (*reference)(Real, Real, Real);
  Real low = -INFINITY, high = INFINITY;  ///< of all operands
  Real worst32, worst16;                  ///< regression bounds in ULP, at or below the specification's
  Real worst64 = -1;                      ///< -1: not in 64 bits
};

#define F1(expression) [](Real x, Real, Real) -> Real { return expression; }
#define F2(expression) [](Real x, Real y, Real) -> Real { return expression; }
#define F3(expression) [](Real x, Real y, Real z) -> Real { return expression; }

// 32 and 16 bit bounds: exp and exp2 3 + 2|x| and 1 + 2|x|; log, log2 3 and 3 (in [0.5, 2] 2^-21 and 2^-7 absolute);
// sin, cos 2^-11 and 2^-7 absolute in [-pi, pi]; atan, atan2, asin, acos 4096 and 5; inversesqrt 2; division 2.5.
const Function kFunctions[] = {
    {"OpFAdd", 2, F2(x + y), -INFINITY, INFINITY, 0.5L, 0.5L, 0.501L},
    {"OpFSub", 2, F2(x - y), -INFINITY, INFINITY, 0.5L, 0.5L, 0.501L},
    {"OpFMul", 2, F2(x* y), -INFINITY, INFINITY, 0.5L, 0.5L, 0.501L},
    {"OpFDiv", 2, F2(x / y), -INFINITY, INFINITY, 0.5001L, 0.5L, 0.501L},
    {"Sqrt", 1, F1(std::sqrt(x)), 0, INFINITY, 0.5001L, 0.5L, 0.501L},
    {"InverseSqrt", 1, F1(1 / std::sqrt(x)), 1e-45L, INFINITY, 1.5L, 0.51L, 1.5L},
    {"Floor", 1, F1(std::floor(x)), -INFINITY, INFINITY, 0, 0, 0},
    {"Ceil", 1, F1(std::ceil(x)), -INFINITY, INFINITY, 0, 0, 0},
    {"Trunc", 1, F1(std::trunc(x)), -INFINITY, INFINITY, 0, 0, 0},
    {"RoundEven", 1, F1(std::nearbyint(x)), -INFINITY, INFINITY, 0, 0, 0},
    {"Fract", 1, F1(x - std::floor(x)), -1e6L, 1e6L, 0.5L, 0.5L, 0.501L},
    {"FMin", 2, F2(std::fmin(x, y)), -INFINITY, INFINITY, 0, 0, 0},
    {"FMax", 2, F2(std::fmax(x, y)), -INFINITY, INFINITY, 0, 0, 0},
    {"Fma", 3, F3(x* y + z), -1e15L, 1e15L, 0.5001L, 0.51L},
    {"Radians", 1, F1(x* kPi / 180), -INFINITY, INFINITY, 1.5L, 2.0L},
    {"Degrees", 1, F1(x * 180 / kPi), -INFINITY, INFINITY, 1.5L, 2.0L},
    {"Exp", 1, F1(std::exp(x)), -INFINITY, INFINITY, 1.3L, 0.6L},
    {"Exp2", 1, F1(std::exp2(x)), -INFINITY, INFINITY, 1.3L, 0.6L},
    {"Log", 1, F1(std::log(x)), 0, INFINITY, 1.1L, 0.6L},
    {"Log2", 1, F1(std::log2(x)), 0, INFINITY, 1.1L, 0.6L},
    {"Sin", 1, F1(std::sin(x)), -kPi, kPi, 1.5L, 0.6L},
    {"Cos", 1, F1(std::cos(x)), -kPi, kPi, 1.5L, 0.6L},
    {"Tan", 1, F1(std::tan(x)), -1.57L, 1.57L, 4, 0.6L},
    {"Asin", 1, F1(std::asin(x)), -1, 1, 3, 0.6L},
    {"Acos", 1, F1(std::acos(x)), -1, 1, 3, 0.6L},
    {"Atan", 1, F1(std::atan(x)), -INFINITY, INFINITY, 3, 0.6L},
    {"Atan2", 2, F2(std::atan2(x, y)), -1e18L, 1e18L, 3, 0.6L},
    {"Pow", 2, F2(std::pow(x, y)), 1e-30L, 1e30L, 37, 0.6L},  // 1.2 + 0.6 |y|: compiler/math/math_test.cpp
    {"Sinh", 1, F1(std::sinh(x)), -88.7L, 88.7L, 4, 0.7L},
    {"Cosh", 1, F1(std::cosh(x)), -88.7L, 88.7L, 4, 0.7L},
    {"Tanh", 1, F1(std::tanh(x)), -INFINITY, INFINITY, 4, 0.7L},
    {"Asinh", 1, F1(std::asinh(x)), -INFINITY, INFINITY, 5, 0.7L},
    {"Acosh", 1, F1(std::acosh(x)), 1, INFINITY, 5, 0.7L},
    {"Atanh", 1, F1(std::atanh(x)), -0.9999999L, 0.9999999L, 5, 0.7L},
};

std::string bodyOf(const Function& f, Width width) {
  std::string body;
  const std::string type = width == Width::F16 ? "%f16" : width == Width::F64 ? "%f64" : "%f32";
  std::string arguments;
  for (int i = 0; i < f.arity; ++i) {
    const std::string n = std::to_string(i), a = "%a" + n;
    if (width == Width::F32) {
      arguments += " %f" + n;
    } else if (width == Width::F16) {
      body += "%h" + n + " = OpUConvert %u16 %u" + n + "\n" + a + " = OpBitcast %f16 %h" + n + "\n";
      arguments += " " + a;
    } else {
      body += "%h" + n + " = OpCompositeConstruct %v2u %u" + std::to_string(2 * i) + " %u" + std::to_string(2 * i + 1) +
              "\n" + a + " = OpBitcast %f64 %h" + n + "\n";
      arguments += " " + a;
    }
  }
  const std::string name = f.name;
  body += "%r = " + (name.starts_with("Op") ? name + " " + type : "OpExtInst " + type + " %glsl " + name) + arguments +
          "\n";
  if (width == Width::F32) body += "%o = OpBitcast %u32 %r\nOUT(0, %o)";
  if (width == Width::F16) body += "%b = OpBitcast %u16 %r\n%o = OpUConvert %u32 %b\nOUT(0, %o)";
  if (width == Width::F64)
    body +=
        "%b = OpBitcast %v2u %r\n%o = OpCompositeExtract %u32 %b 0\n%p = OpCompositeExtract %u32 %b 1\n"
        "OUT(0, %o)\nOUT(1, %p)";
  return body;
}

struct Worst {
  Real ulp = 0, at = 0, absolute = 0;
  uint64_t inputs = 0;
};

/// Runs over `count` inputs; next(i, operand) gives bit patterns.
template <class Next>
Worst measure(const Function& f, const Format& format, Kernel& kernel, uint64_t count, Next next) {
  Worst worst;
  Real x[kWarpLanes][3];
  for (uint64_t i = 0; i < count; i += kWarpLanes) {
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      for (int operand = 0; operand < f.arity; ++operand) {
        uint64_t bits = next(i + l, operand);
        if (!(decode(format, bits) >= f.low &&
              decode(format, bits) <= f.high)) {  // NaN, or outside: 1 is inside of all
          bits = format.width == Width::F16 ? 0x3C00 : format.width == Width::F32 ? 0x3F800000 : 0x3FF0000000000000;
          if (std::string_view(f.name) == "Atanh") bits = format.width == Width::F16 ? 0x3800 : 0x3F000000;
        }
        x[l][operand] = decode(format, bits);
        if (format.width == Width::F64)
          kernel.in[l][2 * operand] = uint32_t(bits), kernel.in[l][2 * operand + 1] = uint32_t(bits >> 32);
        else
          kernel.in[l][operand] = uint32_t(bits);
      }
    kernel.run();
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      uint64_t bits = kernel.out[l][0];
      if (format.width == Width::F64) bits |= uint64_t{kernel.out[l][1]} << 32;
      const Real got = decode(format, bits), want = f.reference(x[l][0], x[l][1], x[l][2]);
      const Real error = errorUlp(format, got, want);
      ++worst.inputs;
      if (std::isfinite(want) && std::isfinite(got)) worst.absolute = std::max(worst.absolute, std::fabs(got - want));
      if (error > worst.ulp || std::isnan(error)) worst.ulp = error, worst.at = x[l][0];
    }
  }
  return worst;
}

void print(const char* name, const char* width, const Worst& w) {
  std::printf("| %s | %s | %.3Lf | %.9Lg | %llu |\n", name, width, w.ulp, w.at,
              static_cast<unsigned long long>(w.inputs));
}

uint64_t step() {
  const char* text = std::getenv("ETZEL_PRECISION_STEP");
  return std::max<uint64_t>(1, text ? std::strtoull(text, nullptr, 0) : 16381) | 1;
}
/// A hash, for operands that go along with the strided one.
uint64_t mixed(uint64_t i) {
  i *= 0x9E3779B97F4A7C15, i ^= i >> 29, i *= 0xBF58476D1CE4E5B9;
  return i ^ i >> 32;
}

TEST(Precision, SingleOverTheWholeRange) {
  const uint64_t stride = step(), count = (uint64_t{1} << 32) / stride;
  for (const Function& f : kFunctions) {
    Kernel kernel(bodyOf(f, Width::F32), "", "");
    ASSERT_TRUE(kernel.ok()) << f.name;
    // Half of the second operands lie near the first, where sums cancel and quotients are moderate.
    const Worst w = measure(f, kFormats[1], kernel, count, [&](uint64_t i, int operand) {
      const uint64_t bits = i * stride & 0xFFFFFFFF;
      if (operand == 0) return bits;
      const uint64_t h = mixed(i + uint64_t(operand) * count);
      return i & 1 ? h & 0xFFFFFFFF : (bits ^ (h & 0x80FFFFFF)) & 0xFFFFFFFF;
    });
    print(f.name, "32", w);
    EXPECT_LE(w.ulp, f.worst32) << f.name << " at " << double(w.at);
  }
}

TEST(Precision, HalfExhaustively) {
  for (const Function& f : kFunctions) {
    Kernel kernel(bodyOf(f, Width::F16), "OpCapability Float16\nOpCapability Int16\n",
                  "%f16 = OpTypeFloat 16\n%u16 = OpTypeInt 16 0\n");
    ASSERT_TRUE(kernel.ok()) << f.name;
    const uint64_t count = f.arity == 1 ? 1 << 16 : (uint64_t{1} << 32) / step();
    const Worst w = measure(f, kFormats[0], kernel, count, [&](uint64_t i, int operand) {
      const uint64_t h = mixed(i + uint64_t(operand) * count);
      return (operand == 0 ? i : i & 0x10000 ? h : i ^ (h & 0x83FF)) & 0xFFFF;
    });
    print(f.name, "16", w);
    EXPECT_LE(w.ulp, f.worst16) << f.name << " at " << double(w.at);
  }
}

TEST(Precision, DoubleWhereItIsBounded) {
  const uint64_t count = (uint64_t{1} << 32) / step();
  for (const Function& f : kFunctions) {
    if (f.worst64 < 0) continue;
    Kernel kernel(bodyOf(f, Width::F64), "OpCapability Float64\n", "%f64 = OpTypeFloat 64\n");
    ASSERT_TRUE(kernel.ok()) << f.name;
    const Worst w = measure(f, kFormats[2], kernel, count, [&](uint64_t i, int operand) {
      const uint64_t h = mixed(2 * i);  // sums of numbers that are far apart need more than long double has
      if (operand == 0) return h;
      return (h ^ (mixed(2 * i + 1) & 0x801FFFFFFFFFFFFF));
    });
    print(f.name, "64", w);
    EXPECT_LE(w.ulp, f.worst64) << f.name << " at " << double(w.at);
  }
}

}  // namespace
}  // namespace etzel::lower
