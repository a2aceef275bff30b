// Matrices that are kept as their transposes: where that is done, and that nobody can tell.
#include "compiler/exec/native/analysis/turned_matrices.h"

#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/wide_loads.h"
#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

std::string reg(uint32_t r, uint32_t w = 0) { return "r" + std::to_string(r + w / 4) + "." + "xyzw"[w % 4]; }

/// r6.x and r6.y are where an invocation's eight words begin, and its eight halves; a bit further on, so that the end
/// of the buffers is in some lane's row.
const std::string kPlaces = "shl.i32 r6.x, r7.x, c3.x\nshl.i32 r6.y, r7.x, c0.w\n";

std::string load(uint32_t r, const char* buffer, const char* form = ".i32.x8", const char* place = "r6.x") {
  return "ld.buffer" + std::string(form) + " " + reg(r) + ", " + buffer + ", " + place + ", #20\n";
}
std::string product(uint32_t to, uint32_t a, uint32_t b, uint32_t c, const char* form = ".i32.x8") {
  return "sgproduct" + std::string(form) + " " + reg(to) + ", " + reg(a) + ", " + reg(b) + ", " + reg(c) + "\n";
}
std::string store(uint32_t r, const char* form = ".i32.x8", const char* place = "r6.x") {
  return "st.buffer" + std::string(form) + " c1.z, " + place + ", " + reg(r) + ", #12\n";
}
/// An instruction for each word: "mnemonic to, from`rest`".
std::string each(const std::string& mnemonic, uint32_t to, uint32_t from, const std::string& rest = "",
                 uint32_t first = 0, uint32_t last = 8) {
  std::string text;
  for (uint32_t w = first; w < last; ++w) text += mnemonic + " " + reg(to, w) + ", " + reg(from, w) + rest + "\n";
  return text;
}

constexpr uint32_t kA = 8, kB = 10, kC = 12, kD = 14, kE = 16;
const std::string kLoads = kPlaces + load(kA, "c1.x") + load(kB, "c1.y") + load(kC, "c1.x");

/// The loads and stores that move turned rows.
std::vector<uint32_t> turnedIn(const std::string& body, Shape shape = Shape::Rows) {
  auto program = isa::assemble(exec::test::around(".temps 40\n" + body, shape));
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << body;
  if (!program.ok()) return {};
  Webs webs = findWebs(*program);
  const std::vector<isa::Inst> before = webs.program.code;
  const std::vector<bool> turned = turnMatrices(webs, analyzeDivergence(webs));
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < before.size(); ++i) {
    if (!turned.empty() && turned[i]) found.push_back(i);
    isa::Inst expected = before[i];
    if (!turned.empty() && expected.op == isa::Opcode::SgProduct) std::swap(expected.src[0], expected.src[1]);
    EXPECT_EQ(webs.program.code[i], expected) << i;
  }
  return found;
}

void expectSameBytes(const std::string& body) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto kernel = exec::test::assembled(".temps 40\n" + body, Shape::Rows);
  ASSERT_TRUE(kernel);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  Group expected(*kernel), actual(*kernel), untouched(*kernel);
  ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
  ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
  uint32_t written = 0;
  for (uint32_t i = 0; i < kWords; ++i) {
    ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << i;
    written += expected.memory[2][i] != untouched.memory[2][i];
  }
  EXPECT_GT(written, 100u);  // half of the warps find the end of their buffer
}

struct Case {
  const char* what;
  std::string body;
  size_t moves;  ///< loads and stores of turned rows
};

std::vector<Case> turnedCases() {
  const std::string floats =
      each("cvtuf.i32.f32", kA, kA) + each("cvtuf.i32.f32", kB, kB) + each("cvtuf.i32.f32", kC, kC);
  const std::string halves = load(kD, "c1.x", ".i16.x8", "r6.y") + load(kE, "c1.y", ".i16.x8", "r6.y");
  return {
      {"integers", kLoads + product(kD, kA, kB, kC) + store(kD), 4},
      {"floats", kLoads + floats + product(kD, kA, kB, kC, ".f32.x8") + store(kD), 4},
      {"halves, and a result of halves",
       kPlaces + halves + load(kC, "c1.x") + each("cvtff.f16.f32", kA, kD) + each("cvtff.f16.f32", kB, kE) +
           each("cvtuf.i32.f32", kC, kC) + product(kC, kA, kB, kC, ".f32.x8") + each("cvtff.f32.f16", kA, kC) +
           store(kA, ".i16.x8", "r6.y"),
       4},
      {"a product of a product", kLoads + product(kD, kA, kB, kC) + product(kE, kD, kA, kB) + store(kE), 4},
      {"sums that begin with one number",
       kLoads +
           [] {
             std::string text;
             for (uint32_t w = 0; w < 8; ++w) text += "xmov " + reg(kC, w) + ", c2.w\n";
             return text;
           }() +
           product(kD, kA, kB, kC) + store(kD),
       3},
      {"numbers times what all lanes have",
       kLoads + product(kD, kA, kB, kC) + each("imul.i32", kD, kD, ", r0.z") + store(kD), 4},
      {"sums of matrices word by word",
       kLoads + product(kD, kA, kB, kC) +
           [] {
             std::string text;
             for (uint32_t w = 0; w < 8; ++w)
               text += "iadd.i32 " + reg(kE, w) + ", " + reg(kD, w) + ", " + reg(kA, w) + "\n";
             return text;
           }() +
           store(kE),
       4},
      {"copies", kLoads + "xmov.x8 r16.x, r8.x\n" + product(kD, kE, kB, kC) + store(kD), 4},
      {"a loop",
       kLoads + "xmov r20.x, c0.x\nblock\nloop\nicmp.uge.i32 r20.y, r20.x, c0.w\nbrc r20.y, #0\n" +
           product(kD, kA, kB, kC) + "xmov.x8.m r12.x, r14.x\niadd.i32 r20.x, r20.x, c0.y\nendloop\nendblock\n" +
           store(kC),
       4},
  };
}

TEST(TurnedMatrices, AreWhereNobodySeesThemInAnotherWay) {
  for (const Case& c : turnedCases()) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(turnedIn(c.body).size(), c.moves);
    expectSameBytes(c.body);
  }
}

TEST(TurnedMatrices, AreNotWhereSomeoneDoes) {
  const std::string made = product(kD, kA, kB, kC);
  const Case cases[] = {
      {"a word is read alone", kLoads + made + "xmov r14.y, r14.x\n" + store(kD), 0},
      {"a word is stored alone", kLoads + made + "st.buffer.i32 c1.w, r0.x, r14.z, #0\n" + store(kD), 0},
      {"words are changed each in its way",
       kLoads + made + each("imul.i32", kD, kD, ", c0.z", 0, 7) + "imul.i32 " + reg(kD, 7) + ", " + reg(kD, 7) +
           ", c0.w\n" + store(kD),
       0},
      {"some words are not changed", kLoads + made + each("imul.i32", kD, kD, ", c0.z", 0, 7) + store(kD), 0},
      {"words are multiplied by what each lane has", kLoads + made + each("imul.i32", kD, kD, ", r7.x") + store(kD), 0},
      {"words change their places",
       kLoads + made + "xmov r16.x, r15.w\n" + each("xmov", kE, kD, "", 1, 7) + "xmov r17.w, r14.x\n" + store(kE), 0},
      {"sums begin with many numbers", kLoads + "xmov.x4 r12.x, c2.x\nxmov.x4 r13.x, c2.x\n" + made + store(kD), 0},
      {"a copy is made while words change",
       kLoads + made + each("imul.i32", kD, kD, ", c0.z", 0, 4) + "xmov.x8 r16.x, r14.x\n" +
           each("imul.i32", kD, kD, ", c0.z", 4, 8) + store(kE),
       0},
      {"lanes exchange rows", kLoads + made + "sgshuffle.x8 r16.x, r14.x, c0.y\n" + store(kE), 0},
      {"lanes may be missing",
       kLoads + "and.i32 r20.x, r7.x, c0.z\nif r20.x\n" + product(kC, kA, kB, kC) + "endif\n" + store(kC), 0},
      {"all lanes read one row",
       kPlaces + load(kA, "c1.x", ".i32.x8", "c3.w") + load(kB, "c1.y") + load(kC, "c1.x") + made + store(kD), 0},
      {"fewer columns", kLoads + product(kD, kA, kB, kC, ".i32.x4") + "st.buffer.i32.x4 c1.z, r6.x, r14.x, #0\n", 0},
      {"four words are loaded", kLoads + "ld.buffer.i32.x4 r8.x, c1.y, r6.x, #0\n" + made + store(kD), 0},
      {"two matrices share words", kLoads + product(kD, kA, kA + 1, kC) + store(kD), 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(turnedIn(c.body).size(), c.moves);
    expectSameBytes(c.body);
  }
  EXPECT_TRUE(turnedIn(kLoads + made + store(kD), Shape::Line).empty()) << "the last warp lacks lanes";
}

/// How many loads of two matrices side by side there are.
size_t pairsIn(const std::string& body) {
  auto program = isa::assemble(exec::test::around(".temps 40\n" + body, Shape::Rows));
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << body;
  if (!program.ok()) return 0;
  Webs webs = findWebs(*program);
  const Divergence divergence = analyzeDivergence(webs);
  const std::vector<bool> turned = turnMatrices(webs, divergence);
  return findWideLoads(webs, divergence, Bounds(webs), {}, turned).size();
}

/// Six matrices at multiples of `apart` bytes: two first factors and two times two second ones, whose products are
/// summed up in two chains. `widen` makes numbers of what is loaded, `between` stands in front of the last load.
std::string chains(const char* form, const char* place, uint32_t apart, const std::string& widen, const char* type,
                   const std::string& between = "") {
  std::string text;
  for (uint32_t i = 0; i < 6; ++i) {
    const uint32_t at = 4 + apart * (i < 2 ? i : i - 2);
    text += (i == 5 ? between : "") + "ld.buffer" + form + " " + reg(8 + 2 * i) + ", " + (i < 2 ? "c1.x" : "c1.y") +
            ", " + place + ", #" + std::to_string(at) + "\n";
  }
  const uint32_t to = widen.empty() ? 8 : 20;
  for (uint32_t i = 0; i < 6 && !widen.empty(); ++i)
    text += each(widen.substr(0, widen.find(',')), 20 + 2 * i, 8 + 2 * i,
                 widen.find(',') < widen.size() ? widen.substr(widen.find(',')) : "");
  text += load(32, "c1.x");
  for (uint32_t j = 0; j < 2; ++j)
    text += product(34 + 2 * j, to, to + 4 + 2 * j, 32, type) +
            product(34 + 2 * j, to + 2, to + 8 + 2 * j, 34 + 2 * j, type);
  for (uint32_t w = 0; w < 8; ++w) text += "iadd.i32 " + reg(38, w) + ", " + reg(34, w) + ", " + reg(36, w) + "\n";
  return text + store(38);
}

TEST(TurnedMatrices, SideBySideAreLoadedTogether) {
  const std::string far = kPlaces + "shl.i32 r6.z, r6.x, c0.y\n", some = kPlaces + "ld.push.i32 r6.w, -, -, #0\n";
  const Case cases[] = {
      {"halves", kPlaces + chains(".i16.x8", "r6.x", 16, "cvtff.f16.f32", ".f32.x8"), 3},
      {"numbers shifted up", kPlaces + chains(".i16.x8", "r6.x", 16, "shl.i32, c2.w", ".i32.x8"), 3},
      {"words", far + chains(".i32.x8", "r6.z", 32, "", ".i32.x8"), 3},
      {"places that nobody knows",
       some + "iadd.i32 r6.x, r6.x, r6.w\n" + chains(".i16.x8", "r6.x", 16, "cvtff.f16.f32", ".f32.x8"), 3},
      {"rows without anything between them", kPlaces + chains(".i16.x8", "r6.y", 16, "cvtff.f16.f32", ".f32.x8"), 0},
      {"matrices that overlap", kPlaces + chains(".i16.x8", "r6.x", 14, "cvtff.f16.f32", ".f32.x8"), 0},
      {"a store before the last one",
       kPlaces + chains(".i16.x8", "r6.x", 16, "cvtff.f16.f32", ".f32.x8", "st.buffer.i32 c1.w, r0.x, r7.x, #0\n"), 2},
      {"a branch before the last one",
       kPlaces + chains(".i16.x8", "r6.x", 16, "cvtff.f16.f32", ".f32.x8", "block\nendblock\n"), 2},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(pairsIn(c.body), c.moves);
    expectSameBytes(c.body);
  }
}

TEST(TurnedMatrices, SideBySideOfWhichOneIsChangedAreConvertedAsTheyAre) {
  const std::string halves = kPlaces + chains(".i16.x8", "r6.x", 16, "cvtff.f16.f32", ".f32.x8");
  // One half of a pair is negated, and one is read by others.
  const size_t at = halves.find("cvtff.f16.f32 " + reg(26));
  ASSERT_NE(at, std::string::npos);
  expectSameBytes(halves.substr(0, at) + each("fneg.f16", 14, 14) + halves.substr(at));
  expectSameBytes(halves.substr(0, at) + each("iadd.i32", 14, 14, ", r0.z") + halves.substr(at));
}

}  // namespace
}  // namespace etzel::native
