// GLSL.std.450 from SPIR-V text to results on a warp.
#include <cmath>

#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

using test::bits;
using test::number;
using test::Words;

Words floats(std::initializer_list<float> lanes, std::initializer_list<float> second = {},
             std::initializer_list<float> third = {}) {
  Words w{};
  uint32_t n = 0;
  for (const auto& list : {lanes, second, third}) {
    uint32_t lane = 0;
    for (float f : list) w[lane++][n] = bits(f);
    ++n;
  }
  return w;
}

/// out0 = GLSL function of %f0 [%f1 %f2]
Words call(const std::string& name, const Words& in, const std::string& args = "%f0") {
  return test::run("%r = OpExtInst %f32 %glsl " + name + " " + args + "\n%o = OpBitcast %u32 %r\nOUT(0, %o)", in);
}

TEST(GlslExt, UnaryFunctionsFollowTheLibrary) {
  const Words in = floats({0.1f, -0.7f, 0.45f, 0.999f, -0.03f, 0.5f, -0.001f, 0.25f});
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"Sin", std::sin},     {"Cos", std::cos},     {"Tan", std::tan},
      {"Asin", std::asin},   {"Acos", std::acos},   {"Atan", std::atan},
      {"Sinh", std::sinh},   {"Cosh", std::cosh},   {"Tanh", std::tanh},
      {"Asinh", std::asinh}, {"Atanh", std::atanh}, {"Exp", std::exp},
      {"Exp2", std::exp2},   {"Floor", std::floor}, {"Ceil", std::ceil},
      {"Trunc", std::trunc}, {"FAbs", std::fabs},   {"RoundEven", std::nearbyint}};
  for (const auto& [name, f] : functions) {
    const Words out = call(name, in);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const double want = f(number(in[l][0]));
      EXPECT_NEAR(number(out[l][0]), want, 4e-6 * std::fabs(want)) << name << " of " << number(in[l][0]);
    }
  }
}

TEST(GlslExt, HyperbolicFunctionsFarFromZero) {
  const Words in = floats({1.5f, -3, 20, -50, 87, 1e10f, 1e30f, 2});
  for (const auto& [name, f] : std::initializer_list<std::pair<const char*, double (*)(double)>>{
           {"Tanh", std::tanh}, {"Asinh", std::asinh}, {"Sinh", std::sinh}, {"Cosh", std::cosh}}) {
    const Words out = call(name, in);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const float want = float(f(number(in[l][0])));
      if (std::isinf(want))
        EXPECT_EQ(number(out[l][0]), want) << name;
      else
        EXPECT_NEAR(number(out[l][0]), want, 1e-5 * std::fabs(want)) << name << " of " << number(in[l][0]);
    }
  }
  const Words out = call("Acosh", floats({1, 1.5f, 2, 10, 1e8f, 1e12f, 1e30f, 3}));
  EXPECT_EQ(number(out[0][0]), 0);
  EXPECT_NEAR(number(out[6][0]), std::acosh(1e30), 1e-4);
}

TEST(GlslExt, MixStepClampAndFriends) {
  const Words in =
      floats({0, 1, 2, 3, -4, 5, 6, 7}, {10, 10, 1, 3, -8, 4, 9, 7.5f}, {0.5f, 0, 1, 0.25f, 2, 4.5f, 8, 0});
  Words out = call("FMix", in, "%f0 %f1 %f2");
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = number(in[l][0]), y = number(in[l][1]), a = number(in[l][2]);
    EXPECT_FLOAT_EQ(number(out[l][0]), x * (1 - a) + y * a);
  }
  out = call("Step", in, "%f0 %f1");
  for (uint32_t l = 0; l < kWarpLanes; ++l) EXPECT_EQ(number(out[l][0]), number(in[l][1]) < number(in[l][0]) ? 0 : 1);
  out = call("SmoothStep", floats({0, 0, 0, 0, 0, 0, 0, 0}, {2, 2, 2, 2, 2, 2, 2, 2}, {-1, 0, 0.5f, 1, 1.5f, 2, 3, 9}),
             "%f0 %f1 %f2");
  EXPECT_EQ(number(out[0][0]), 0);
  EXPECT_FLOAT_EQ(number(out[3][0]), 0.5f);
  EXPECT_FLOAT_EQ(number(out[2][0]), 0.15625f);
  EXPECT_EQ(number(out[7][0]), 1);
}

TEST(GlslExt, PackAndUnpackAreInverse) {
  Words in{};
  for (uint32_t l = 0; l < kWarpLanes; ++l) in[l][0] = 0x80FF017Fu * (2 * l + 1);
  for (const char* kind : {"Snorm4x8", "Unorm4x8", "Snorm2x16", "Unorm2x16", "Half2x16"}) {
    const std::string vector = std::strchr(kind, '4') ? "%v4f" : "%v2f";
    const Words out = test::run("%v = OpExtInst " + vector + " %glsl Unpack" + kind + " %u0\n" +
                                    "%r = OpExtInst %u32 %glsl Pack" + kind + " %v\nOUT(0, %r)",
                                in);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      uint32_t want = in[l][0];
      const bool narrow = !std::strcmp(kind, "Snorm4x8"), wide = !std::strcmp(kind, "Snorm2x16");
      for (uint32_t i = 0; narrow && i < 4; ++i)  // -128 and -127 are both -1
        if ((want >> 8 * i & 0xFF) == 0x80) want += 1u << 8 * i;
      for (uint32_t i = 0; wide && i < 2; ++i)
        if ((want >> 16 * i & 0xFFFF) == 0x8000) want += 1u << 16 * i;
      if (std::strcmp(kind, "Half2x16") != 0) {  // NaNs may change
        EXPECT_EQ(out[l][0], want) << kind;
      }
    }
  }
  const Words out =
      test::run("%v = OpCompositeConstruct %v2f %f0 %f1\n%r = OpExtInst %u32 %glsl PackHalf2x16 %v\nOUT(0, %r)",
                floats({1, -2, 65504, 1e9f}, {0.5f, 1, -1, 6e-8f}));
  EXPECT_EQ(out[0][0], 0x38003C00u);
  EXPECT_EQ(out[1][0], 0x3C00C000u);
  EXPECT_EQ(out[2][0], 0xBC007BFFu);
  EXPECT_EQ(out[3][0], 0x00017C00u);
}

TEST(GlslExt, BitScans) {
  Words in{};
  const uint32_t values[8] = {0, 1, 0x80000000u, 0xFFFFFFFFu, 0x00F0, 0xFFFF0000u, 2, 0x7FFFFFFF};
  for (uint32_t l = 0; l < kWarpLanes; ++l) in[l][0] = values[l];
  const Words out = test::run(
      "%a = OpExtInst %u32 %glsl FindILsb %u0\n%b = OpExtInst %u32 %glsl FindUMsb %u0\n"
      "%c = OpExtInst %i32 %glsl FindSMsb %i0\n%cc = OpBitcast %u32 %c\n"
      "%d = OpExtInst %i32 %glsl SSign %i0\n%dd = OpBitcast %u32 %d\nOUT(0, %a)\nOUT(1, %b)\nOUT(2, %cc)\nOUT(3, %dd)",
      in);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const uint32_t v = values[l];
    EXPECT_EQ(int32_t(out[l][0]), v ? std::countr_zero(v) : -1);
    EXPECT_EQ(int32_t(out[l][1]), 31 - std::countl_zero(v));
    const uint32_t s = int32_t(v) < 0 ? ~v : v;
    EXPECT_EQ(int32_t(out[l][2]), 31 - std::countl_zero(s));
    EXPECT_EQ(int32_t(out[l][3]), (int32_t(v) > 0) - (int32_t(v) < 0));
  }
}

TEST(GlslExt, MatrixInverseTimesMatrixIsIdentity) {
  Words in{};
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t n = 0; n < 16; ++n) in[l][n] = bits(std::sin(float(l * 16 + n) * 1.7f) + (n % 5 == 0 ? 3.0f : 0.0f));
  std::string columns, products;
  for (int c = 0; c < 4; ++c) {
    columns += "%col" + std::to_string(c) + " = OpCompositeConstruct %v4f";
    for (int r = 0; r < 4; ++r) columns += " %f" + std::to_string(c * 4 + r);
    columns += "\n";
  }
  for (int n = 0; n < 16; ++n) {
    const std::string k = std::to_string(n);
    products += "%e" + k + " = OpCompositeExtract %f32 %p " + std::to_string(n / 4) + " " + std::to_string(n % 4) +
                "\n%eb" + k + " = OpBitcast %u32 %e" + k + "\nOUT(" + k + ", %eb" + k + ")\n";
  }
  const Words out =
      test::run(columns +
                    "%m = OpCompositeConstruct %m4 %col0 %col1 %col2 %col3\n"
                    "%inv = OpExtInst %m4 %glsl MatrixInverse %m\n%p = OpMatrixTimesMatrix %m4 %m %inv\n" +
                    products,
                in, "", "%m4 = OpTypeMatrix %v4f 4\n");
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t n = 0; n < 16; ++n) EXPECT_NEAR(number(out[l][n]), n % 5 == 0, 1e-5);
}

TEST(GlslExt, VectorFunctions) {
  const Words in = floats({3, 1, 0, -2, 5, 0.5f, 1, 2}, {4, 2, 1, 3, -1, 0.25f, 1, 2}, {12, 2, 0, 6, 2, -1, 1, 2});
  const Words out = test::run(
      "%v = OpCompositeConstruct %v3f %f0 %f1 %f2\n%w = OpCompositeConstruct %v3f %f2 %f0 %f1\n"
      "%len = OpExtInst %f32 %glsl Length %v\n%n = OpExtInst %v3f %glsl Normalize %v\n"
      "%unit = OpExtInst %f32 %glsl Length %n\n%x = OpExtInst %v3f %glsl Cross %v %w\n%ortho = OpDot %f32 %x %v\n"
      "%refl = OpExtInst %v3f %glsl Reflect %w %n\n%rl = OpExtInst %f32 %glsl Length %refl\n"
      "%d = OpExtInst %f32 %glsl Distance %v %w\n"
      "%a = OpBitcast %u32 %len\n%b = OpBitcast %u32 %unit\n%c = OpBitcast %u32 %ortho\n%e = OpBitcast %u32 %rl\n"
      "%g = OpBitcast %u32 %d\nOUT(0, %a)\nOUT(1, %b)\nOUT(2, %c)\nOUT(3, %e)\nOUT(4, %g)",
      in);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = number(in[l][0]), y = number(in[l][1]), z = number(in[l][2]);
    EXPECT_FLOAT_EQ(number(out[l][0]), std::sqrt(x * x + y * y + z * z));
    EXPECT_NEAR(number(out[l][1]), 1, 1e-6);
    EXPECT_NEAR(number(out[l][2]), 0, 1e-4);
    EXPECT_NEAR(number(out[l][3]), number(out[l][0]), 1e-5);  // reflection keeps lengths
    EXPECT_FLOAT_EQ(number(out[l][4]), std::sqrt((x - z) * (x - z) + (y - x) * (y - x) + (z - y) * (z - y)));
  }
}

TEST(GlslExt, ModfAndFrexp) {
  const float inf = std::numeric_limits<float>::infinity();
  const Words in = floats({1.75f, -2.5f, 0, inf, 1e20f, -0.3f, 1e-40f, 8});
  const Words out = test::run(
      "%m = OpExtInst %pair %glsl ModfStruct %f0\n%mf = OpCompositeExtract %f32 %m 0\n%mw = OpCompositeExtract %f32 %m "
      "1\n"
      "%x = OpExtInst %fraction %glsl FrexpStruct %f0\n%xs = OpCompositeExtract %f32 %x 0\n"
      "%xe = OpCompositeExtract %i32 %x 1\n%back = OpExtInst %f32 %glsl Ldexp %xs %xe\n"
      "%a = OpBitcast %u32 %mf\n%b = OpBitcast %u32 %mw\n%c = OpBitcast %u32 %xs\n%d = OpBitcast %u32 %xe\n"
      "%e = OpBitcast %u32 %back\nOUT(0, %a)\nOUT(1, %b)\nOUT(2, %c)\nOUT(3, %d)\nOUT(4, %e)",
      in, "", "%pair = OpTypeStruct %f32 %f32\n%fraction = OpTypeStruct %f32 %i32\n");
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    const float x = number(in[l][0]);
    float whole;
    EXPECT_EQ(number(out[l][0]), std::modf(x, &whole)) << x;
    EXPECT_EQ(number(out[l][1]), whole);
    EXPECT_EQ(number(out[l][4]), x);
    int e = 0;
    const float s = std::frexp(x, &e);
    if (std::isfinite(x)) {
      EXPECT_EQ(number(out[l][2]), s);
      EXPECT_EQ(int32_t(out[l][3]), e);
    }
  }
}

}  // namespace
}  // namespace etzel::lower
