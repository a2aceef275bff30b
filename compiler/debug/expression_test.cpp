// Expressions of GLSL: every kind of operand and operator, and what is said of nonsense.
#include "compiler/debug/expression.h"

#include <random>

#include "compiler/debug/test_shader.h"

namespace etzel::debugger::test {
namespace {

/// Evaluates where the shader's variables have their values.
class Expressions : public testing::Test {
 protected:
  Expressions()
      : machine_(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { float b[]; } result;
struct Lamp { vec3 color; float power; };
void main() {
  float f = 2.5;
  int i = -7;
  uint u = 4000000000u;
  bool yes = true;
  vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
  ivec2 pair = ivec2(3, -4);
  mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
  Lamp lamps[2];
  lamps[0].power = 10.0;
  lamps[1].color = vec3(0.5, 0.25, 0.125);
  lamps[1].power = 20.0;
  result.b[0] = f + float(i) + float(u) + v.x + m[0].x + lamps[i & 1].power + float(pair.y) + float(yes);
}
)"),
        run_(machine_.run(0)) {
    const std::vector<Breakpoint> last = {{0, 17, {}}};
    EXPECT_EQ(run_.resume(last), 0);
  }

  std::string operator()(const std::string& text) {
    auto value = evaluate(*machine_.program, text, [&](std::string_view name) -> std::optional<Value> {
      const uint32_t v = run_.find(name);
      if (v == kNone) return {};
      return run_.value(v);
    });
    return value ? machine_.program->types[value->type].name + " " + toText(*machine_.program, *value)
                 : value.error().message;
  }

  Machine machine_;
  WarpRun run_;
};

TEST_F(Expressions, NamesMembersIndicesAndSwizzles) {
  auto& e = *this;
  EXPECT_EQ(e("f"), "float 2.5");
  EXPECT_EQ(e("v.zyx"), "vec3 (3, 2, 1)");
  EXPECT_EQ(e("v.rgba.ss"), "vec2 (1, 1)");
  EXPECT_EQ(e("v[2]"), "float 3");
  EXPECT_EQ(e("m[1]"), "vec2 (3, 4)");
  EXPECT_EQ(e("m[1].y"), "float 4");
  EXPECT_EQ(e("lamps[1].color.gb"), "vec2 (0.25, 0.125)");
  EXPECT_EQ(e("lamps[pair.x - 2].power"), "float 20");
}

TEST_F(Expressions, ArithmeticAsGlslHasIt) {
  auto& e = *this;
  EXPECT_EQ(e("1 + 2 * 3 - 4"), "int 3");
  EXPECT_EQ(e("(1 + 2) * 3"), "int 9");
  EXPECT_EQ(e("i / 2"), "int -3");
  EXPECT_EQ(e("i % 4"), "int -3");
  EXPECT_EQ(e("u + 1000000000u"), "uint 705032704") << "wraps";
  EXPECT_EQ(e("-i << 2"), "int 28");
  EXPECT_EQ(e("0xff & ~0x0f | 1"), "int 241");
  EXPECT_EQ(e("v * 2"), "vec4 (2, 4, 6, 8)");
  EXPECT_EQ(e("m * vec2(1, 1)"), "vec2 (4, 6)");
  EXPECT_EQ(e("vec2(1, 1) * m"), "vec2 (3, 7)");
  EXPECT_EQ(e("m * m"), "mat2 ((7, 10), (15, 22))");
  EXPECT_EQ(e("0.1 + 0.2"), "float 0.3") << "in floats";
  EXPECT_EQ(e("0.1lf + 0.2lf"), "double 0.30000000000000004");
  EXPECT_EQ(e("i < 0 && f >= 2.5 ? v.x : v.y"), "float 1");
  EXPECT_EQ(e("!yes ^^ true"), "bool true");
  EXPECT_EQ(e("v == vec4(1, 2, 3, 4)"), "bool true");
}

TEST_F(Expressions, ConstructorsCastsAndFunctions) {
  auto& e = *this;
  EXPECT_EQ(e("int(2.9)"), "int 2");
  EXPECT_EQ(e("uint(-1)"), "uint 4294967295");
  EXPECT_EQ(e("int64_t(-1e30lf)"), "int64_t 0") << "undefined in GLSL, and here no number that does not fit";
  EXPECT_EQ(e("bvec2(0, 2)"), "bvec2 (false, true)");
  EXPECT_EQ(e("vec3(pair, 1)"), "vec3 (3, -4, 1)");
  EXPECT_EQ(e("mat2(3)"), "mat2 ((3, 0), (0, 3))");
  EXPECT_EQ(e("max(pair.x, 5)"), "int 5");
  EXPECT_EQ(e("clamp(v, 2.0, 3.0)"), "vec4 (2, 2, 3, 3)");
  EXPECT_EQ(e("dot(v.xyz, vec3(1))"), "float 6");
  EXPECT_EQ(e("length(vec2(3, 4))"), "float 5");
  EXPECT_EQ(e("cross(vec3(1, 0, 0), vec3(0, 1, 0))"), "vec3 (0, 0, 1)");
  EXPECT_EQ(e("any(lessThan(v, vec4(2)))"), "bool true");
  EXPECT_EQ(e("mix(1.0, 3.0, 0.5)"), "float 2");
  EXPECT_EQ(e("determinant(m)"), "float -2");
  EXPECT_EQ(e("transpose(m)"), "mat2 ((1, 3), (2, 4))");
  EXPECT_EQ(e("floatBitsToInt(1.0)"), "int 1065353216");
  EXPECT_EQ(e("isnan(0.0 / 0.0)"), "bool true");
}

TEST_F(Expressions, NonsenseIsExplained) {
  auto& e = *this;
  EXPECT_EQ(e(""), "the expression ends too early");
  EXPECT_EQ(e("nobody"), "there is no nobody here");
  EXPECT_EQ(e("v.q1"), "vec4 has no component 1");
  EXPECT_EQ(e("lamps[2]"), "there is no element 2 of 2");
  EXPECT_EQ(e("lamps[0] + 1"), "a Lamp is no number");
  EXPECT_EQ(e("vec2(1) + vec3(1)"), "the operands have different sizes");
  EXPECT_EQ(e("1 / 0"), "division by zero");
  EXPECT_EQ(e("(1"), "')' is missing");
  EXPECT_EQ(e("1 1"), "'1' is not understood here");
  EXPECT_EQ(e("f & 1"), "'&' is for integers");
  EXPECT_EQ(e("noise(1)"), "there is no function noise");
  EXPECT_EQ(e(std::string(5000, '(')), "the expression nests too deeply");
}

TEST_F(Expressions, NoTextMakesTheParserFall) {
  std::mt19937 random(3);
  const std::string letters = "fiuvm.xyzw[]()+-*/%<>=!&|^?:,0123456789e$ \t#\"lamps";
  for (int n = 0; n < 20000; ++n) {
    std::string text;
    for (size_t k = random() % 24; k-- > 0;) text += letters[random() % letters.size()];
    (void)(*this)(text);
  }
}

}  // namespace
}  // namespace etzel::debugger::test
