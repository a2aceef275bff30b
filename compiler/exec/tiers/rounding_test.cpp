// What hosts without an instruction for it make of several: products and sums that are rounded once, halves as floats.
// In LLVM's code and in the interpreter.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::tiers {
namespace {

using exec::test::Group;

constexpr auto kShape = exec::test::Shape::Rows;
constexpr uint32_t kInvocations = exec::test::widthOf(kShape) * exec::test::heightOf(kShape);

/// Runs `body`, which reads A, B and D into r1.x, r1.y and r1.z, and stores r2.x, for as many workgroups as are asked
/// for. `expected`: of an invocation's three words.
void compare(const std::string& body, uint32_t groups, const std::function<void(Group&, uint32_t group)>& fill,
             const std::function<uint32_t(uint32_t, uint32_t, uint32_t)>& expected) {
  const auto kernel = exec::test::assembled(
      "ld.buffer.i32 r1.x, c1.x, r0.x, #0\nld.buffer.i32 r1.y, c1.y, r0.x, #0\n"
      "ld.buffer.i32 r1.z, c1.w, r0.x, #0\n" +
          body + "st.buffer.i32 c1.z, r0.x, r2.x, #0\n",
      kShape);
  ASSERT_TRUE(kernel);
  const std::unique_ptr<native::Compiler> jit = native::Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  for (uint32_t group = 0; group < groups; ++group) {
    Group interpreted(*kernel, kShape), compiled(*kernel, kShape);
    for (Group* g : {&interpreted, &compiled}) fill(*g, group);
    ASSERT_EQ(interpreted.run(*kernel->executable.load()), abi::WarpStatus::Done);
    ASSERT_EQ(compiled.run(*(*native)->executable()), abi::WarpStatus::Done);
    for (uint32_t i = 0; i < kInvocations; ++i) {
      const uint32_t a = compiled.memory[0][i], b = compiled.memory[1][i], c = compiled.memory[3][i];
      ASSERT_EQ(compiled.memory[2][i], expected(a, b, c)) << std::hex << a << ' ' << b << ' ' << c;
      ASSERT_EQ(interpreted.memory[2][i], compiled.memory[2][i]) << std::hex << a << ' ' << b << ' ' << c;
    }
  }
}

/// NaNs are all one.
uint32_t bitsOf(float f) { return std::isnan(f) ? 0x7FC00000 : std::bit_cast<uint32_t>(f); }

uint32_t fused(uint32_t a, uint32_t b, uint32_t c) {
  return bitsOf(std::fma(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c)));
}

void compareFused(const std::function<std::array<float, 3>(std::mt19937&)>& numbers) {
  std::mt19937 random(7);
  compare(
      "ffma.f32 r2.x, r1.x, r1.y, r1.z\n", 400,
      [&](Group& g, uint32_t group) {
        random.seed(group);
        for (uint32_t i = 0; i < kInvocations; ++i) {
          const std::array<float, 3> n = numbers(random);
          for (const uint32_t b : {0, 1, 2}) g.memory[b == 2 ? 3 : b][i] = std::bit_cast<uint32_t>(n[b]);
        }
      },
      fused);
}

float anyFloat(std::mt19937& random) {
  float f = 0;
  do f = std::bit_cast<float>(uint32_t(random()));
  while (std::isnan(f));
  return f;
}

TEST(Rounding, ProductsAndSumsAreRoundedOnce) {
  compareFused([](std::mt19937& r) { return std::array{anyFloat(r), anyFloat(r), anyFloat(r)}; });
  compareFused([](std::mt19937& r) {  // of like exponents
    const auto number = [&] { return std::ldexp(float(int32_t(r())), -31); };
    return std::array{number(), number(), number()};
  });
}

TEST(Rounding, SumsInTheMiddleOfTwoFloatsGoWhereTheExactOnesDo) {
  compareFused([](std::mt19937& r) {
    // c has all of its 24 bits, and `half` is half of its last one. (1 + x)(1 - x) = 1 - x^2 is a little less than 1.
    const int e = int(r() % 200) - 100;
    const float c = std::ldexp(float((r() & 0xFFFFFF) | 0x800000), e + 1), half = std::ldexp(1.0f, e);
    const float x = r() % 3 ? std::ldexp(1.0f, -1 - int(r() % 22)) : 0.0f, sign = r() % 2 ? 1.0f : -1.0f;
    return std::array{sign * half * (1 + x), 1 - x, c};
  });
}

TEST(Rounding, SumsThatAreDenormalAreRoundedOnce) {
  compareFused([](std::mt19937& r) {  // the same, about half of the smallest number
    const float c = std::ldexp(float(r() & 0x7FFFFF), -149), root = std::ldexp(1.0f, -75);
    const float x = r() % 3 ? std::ldexp(1.0f, -1 - int(r() % 22)) : 0.0f, sign = r() % 2 ? 1.0f : -1.0f;
    return std::array{sign * root * (1 + x), root * (1 - x), r() % 8 ? c : 0.0f};
  });
}

TEST(Rounding, AllHalvesBecomeFloats) {
  compare(
      "cvtff.f16.f32 r2.x, r1.x\n", 65536 / kInvocations,
      [](Group& g, uint32_t group) {
        for (uint32_t i = 0; i < kInvocations; ++i) g.memory[0][i] = group * kInvocations + i;
      },
      [](uint32_t half, uint32_t, uint32_t) {
        const uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3FF, sign = half << 16 & 0x80000000;
        if (exponent == 31) return mantissa ? sign | 0x7FC00000 | mantissa << 13 : sign | 0x7F800000;
        const float f =
            exponent ? std::ldexp(float(mantissa + 1024), int(exponent) - 25) : std::ldexp(float(mantissa), -24);
        return sign | std::bit_cast<uint32_t>(f);
      });
}

}  // namespace
}  // namespace etzel::tiers
