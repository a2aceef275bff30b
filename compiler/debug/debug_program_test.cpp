// The debug compile against the ordinary one, on the repository's shaders and on small ones that the optimizer changes
// much.
#include <filesystem>

#include "compiler/debug/test_shader.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/shadow.h"

namespace etzel::debugger::test {
namespace {

const std::pair<const char*, abi::Stage> kStages[] = {
    {".vert", abi::Stage::Vertex},   {".frag", abi::Stage::Fragment},    {".comp", abi::Stage::Compute},
    {".geom", abi::Stage::Geometry}, {".tesc", abi::Stage::TessControl}, {".tese", abi::Stage::TessEvaluation},
};

TEST(DebugCompile, IsTheOrdinaryProgramForEveryShaderOfTheRepository) {
  uint32_t count = 0, named = 0;
  for (const char* folder : {"bench", "cts-subset", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(ETZEL_SOURCE_DIR "/") + folder))
      for (const auto& [extension, stage] : kStages) {
        if (entry.path().extension() != extension) continue;
        SCOPED_TRACE(entry.path());
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const std::string include = " -I" + entry.path().parent_path().string();
        for (const char* options : {"-gVS", ""}) {
          const std::vector<uint32_t> words = compileGlsl(text, extension + 1, options + include);
          auto program = compileForDebugging(sourceOf(words, stage));
          ASSERT_TRUE(program.ok()) << program.error().message;
          ++count, named += !(*program)->variables.empty();
        }
      }
  EXPECT_GE(count, 40u);
  EXPECT_GE(named, count * 9 / 10);
}

TEST(DebugCompile, OrdinaryProgramsHaveNoShadows) {
  const auto words = compileGlsl(R"(#version 450
    layout(local_size_x = 8) in;
    layout(binding = 1) buffer B { float b[]; };
    void main() { float unused = b[3] * 2.0; b[gl_LocalInvocationIndex] = 1.0; })",
                                 "comp");
  const auto program = compiler::compileProgram(sourceOf(words, abi::Stage::Compute));
  ASSERT_TRUE(program.ok());
  for (const isa::Inst& inst : program->code) EXPECT_FALSE(isa::isShadow(inst));
  const auto debug = compileForDebugging(sourceOf(words, abi::Stage::Compute));
  ASSERT_TRUE(debug.ok()) << debug.error().message;
  EXPECT_GT((*debug)->program.code.size(), program->code.size());
  for (const isa::Inst& inst : (*debug)->program.code) EXPECT_FALSE(isa::isShadow(inst));
}

TEST(DebugCompile, InputsAreKnownThoughNobodyReadsThem) {
  const auto words = compileGlsl(R"(#version 450
    layout(location = 0) in vec4 place;
    layout(location = 3) in vec2 spare;
    void main() { gl_Position = place; })",
                                 "vert");
  const auto program = compileForDebugging(sourceOf(words, abi::Stage::Vertex));
  ASSERT_TRUE(program.ok()) << program.error().message;
  std::vector<std::string> inputs;
  for (const Variable& v : (*program)->variables)
    if (v.input) inputs.push_back(v.name);
  EXPECT_EQ(inputs, (std::vector<std::string>{"place", "spare"}));
  EXPECT_EQ((*program)->program.info.inputLocations, 1u | 1u << 3) << "so they are fetched";
}

/// Statements that the optimizer fuses, folds, unrolls and removes, put together at random.
class Generator {
 public:
  explicit Generator(uint32_t seed) : state_(seed * 2654435761u + 12345) {}

  std::string shader() {
    std::string text = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
struct Pair { vec2 v; float f; };
const float table[4] = float[](0.5, 1.5, -2.0, 8.0);
float helper(float x, inout float y) {
  float product = x * y;
  y = product + 0.25;
  if (y > 10.0) return y - product;
  return product * x + y;
}
void main() {
  uint id = gl_LocalInvocationIndex;
  float f0 = a[id], f1 = a[id + 8u], f2 = 1.0, f3 = float(id);
  int i0 = int(id), i1 = 3;
  Pair p = Pair(vec2(f0, f1), f2);
  float many[4] = float[](f0, f1, f2, f3);
  float few[3] = float[](f1, f0, f3);
  mat2 m = mat2(f0, f1, f2, f3);
)";
    for (uint32_t i = 0; i < 6; ++i) text += statement(2);
    return text + "  b[id] = f0 + f1 + f2 + f3 + p.f + p.v.x + many[1] + few[2] + m[0].y + float(i0 + i1);\n}\n";
  }

 private:
  uint32_t next(uint32_t bound) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 10) % bound;
  }
  std::string f() {
    switch (next(11)) {
      case 10: return "few[1]";
      case 0: return "p.v.y";
      case 1: return "p.f";
      case 2: return "many[i0 & 3]";
      case 3: return "m[1].x";
      case 4: return "table[i1 & 3]";
      case 5: return "0.75";
      default: return "f" + std::to_string(next(4));
    }
  }
  std::string lvalue() {
    switch (next(7)) {
      case 0: return "p.v.x";
      case 1: return "many[i0 & 3]";
      case 2: return "m[1].x";
      default: return "f" + std::to_string(next(4));
    }
  }
  std::string statement(uint32_t depth) {
    const std::string name = "t" + std::to_string(names_++);
    switch (next(depth ? 10 : 6)) {
      case 0: return lvalue() + " = " + f() + " * " + f() + " + " + f() + ";\n";
      case 1:
        return "float " + name + " = " + f() + " * " + f() + ";\n" + lvalue() + " = " + name + " - " + f() + ";\n";
      case 2: return lvalue() + " = helper(" + f() + ", f" + std::to_string(next(4)) + ");\n";
      case 3: return "float " + name + " = sqrt(abs(" + f() + ")); // unused\n";
      case 4: return "i1 = (i1 * 5 + i0) & 15; p.v *= " + f() + ";\n";
      case 5: return "m = m * " + f() + "; i0 += i1;\n";
      case 6:
        return "if (" + f() + " < " + f() + ") {\n" + statement(depth - 1) + "} else {\n" + statement(depth - 1) +
               "}\n";
      case 7:
        return "for (int " + name + " = 0; " + name + " < 3; ++" + name + ") {\n many[" + name + "] += " + f() + " * " +
               f() + ";\n few[" + name + "] -= " + f() + ";\n" + statement(depth - 1) + "}\n";
      case 8:
        return "for (int " + name + " = 0; " + name + " < (i0 & 7); ++" + name + ") {\n" + statement(depth - 1) +
               " if (f0 > 4.0) { f3 = 2.0; break; }\n" + statement(depth - 1) + "}\n";
      default:
        return "switch (i0 & 3) { case 0: " + statement(depth - 1) +
               " break; case 1: f1 += 1.0; default: " + statement(depth - 1) + " }\n";
    }
  }

  uint32_t state_, names_ = 0;
};

TEST(DebugCompile, GivesTheSameBytesForRandomShaders) {
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    Machine machine(Generator(seed).shader(), seed % 3 ? "-gVS" : "");
    ASSERT_TRUE(machine.code);
    const auto fill = [&] {
      for (uint32_t i = 0; i < 64; ++i) {
        const float f = float(int(i * 7 % 23) - 9) * 0.375f;
        std::memcpy(&machine.in[i], &f, 4), machine.out[i] = 0;
      }
    };
    fill();
    WarpRun run = machine.run(0);
    EXPECT_EQ(run.finish(), abi::WarpStatus::Done);
    const std::vector<uint32_t> debugged(machine.out, machine.out + 64);

    const auto words = compileGlsl(Generator(seed).shader(), "comp");
    auto kernel = compiler::compileKernel(sourceOf(words, abi::Stage::Compute));
    ASSERT_TRUE(kernel.ok());
    fill();
    std::vector<LaneWords> registers((*kernel)->registerWords + 1), scratch((*kernel)->scratchBytes / 4 + 1);
    machine.warp.registers = registers.data(), machine.warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
    machine.warp.resume = 0;
    EXPECT_EQ((*kernel)->run(&machine.warp), abi::WarpStatus::Done);
    EXPECT_EQ(std::vector<uint32_t>(machine.out, machine.out + 64), debugged);
  }
}

TEST(DebugCompile, KnowsFilesScopesAndTypes) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { float b[]; } result;
struct Light { vec3 direction; float power[2]; };
void main() {
  Light light;
  light.direction = vec3(1.0, 2.0, 3.0);
  light.power[0] = 4.0;
  result.b[0] = light.direction.x;
}
)");
  ASSERT_TRUE(machine.program);
  const DebugProgram& p = *machine.program;
  ASSERT_FALSE(p.info.files.empty());
  EXPECT_NE(p.info.files[0].text.find("light.direction = vec3(1.0, 2.0, 3.0);"), std::string::npos);
  const auto light = std::find_if(p.variables.begin(), p.variables.end(), [](auto& v) { return v.name == "light"; });
  ASSERT_NE(light, p.variables.end());
  const Type& type = p.types[light->type];
  EXPECT_EQ(type.name, "Light");
  ASSERT_EQ(type.members.size(), 2u);
  EXPECT_EQ(type.members[0].name, "direction");
  EXPECT_EQ(p.types[type.members[0].type].name, "vec3");
  EXPECT_EQ(type.members[1].name, "power");
  EXPECT_EQ(p.types[type.members[1].type].name, "float[2]");
}

}  // namespace
}  // namespace etzel::debugger::test
