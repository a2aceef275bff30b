// Products of matrices whose rows are lanes: alone, together where they share a second factor, and with what stands
// between them and may not move.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/products.h"
#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

std::string reg(uint32_t r) { return "r" + std::to_string(r) + ".x"; }

/// Eight words of a buffer into registers `r` and `r` + 1, as numbers of the type.
std::string load(uint32_t r, const char* buffer, uint32_t at, bool isFloat) {
  std::string text = "ld.buffer.i32.x8 " + reg(r) + ", " + buffer + ", r0.x, #" + std::to_string(4 * at) + "\n";
  for (uint32_t w = 0; isFloat && w < 8; ++w) {
    const std::string name = "r" + std::to_string(r + w / 4) + "." + "xyzw"[w % 4];
    text += "cvtuf.i32.f32 " + name + ", " + name + "\n";
  }
  return text;
}
std::string product(const char* form, uint32_t to, uint32_t a, uint32_t b, uint32_t c) {
  return std::string("sgproduct") + form + " " + reg(to) + ", " + reg(a) + ", " + reg(b) + ", " + reg(c) + "\n";
}
/// The xor of eight words goes to word `at` of the invocation.
std::string store(uint32_t r, uint32_t at) {
  std::string text = "xmov r7.x, " + reg(r) + "\n";
  for (uint32_t w = 1; w < 8; ++w)
    text += "xor.i32 r7.x, r7.x, r" + std::to_string(r + w / 4) + "." + "xyzw"[w % 4] + "\n";
  return text + "st.buffer.i32 c1." + "zw"[at] + ", r0.x, r7.x, #0\n";
}

/// Whether native code leaves what the interpreter does.
void expectSameBytes(const std::string& body) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto kernel = exec::test::assembled(".temps 40\n" + body, Shape::Rows);
  ASSERT_TRUE(kernel);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  Group expected(*kernel), actual(*kernel);
  ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
  ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
  bool isAnythingThere = false;
  for (const uint32_t buffer : {2, 3})
    for (uint32_t i = 0; i < 64; ++i) {
      ASSERT_EQ(actual.memory[buffer][i], expected.memory[buffer][i]) << buffer << " " << i;
      isAnythingThere |= expected.memory[buffer][i] > 1023;  // what was there before is less
    }
  EXPECT_TRUE(isAnythingThere);
}

/// Registers of four first factors, of a second one and of four sums.
constexpr uint32_t kA[4] = {8, 10, 12, 14}, kB = 16, kC[4] = {18, 20, 22, 24}, kD = 26;

std::string operands(bool isFloat) {
  std::string text = load(kB, "c1.y", 3, isFloat);
  for (uint32_t i = 0; i < 4; ++i) text += load(kA[i], "c1.x", 5 * i, isFloat) + load(kC[i], "c1.y", 7 * i, isFloat);
  return text;
}

TEST(Products, OfOneToFourFirstFactorsGiveTheInterpretersBytes) {
  for (const bool isFloat : {false, true})
    for (uint32_t count = 1; count <= 4; ++count) {
      std::string text = operands(isFloat);
      for (uint32_t i = 0; i < count; ++i) text += product(isFloat ? ".f32.x8" : ".i32.x8", kC[i], kA[i], kB, kC[i]);
      expectSameBytes(text + store(kC[0], 0) + store(kC[count - 1], 1));
    }
}

TEST(Products, OfFewerColumnsGiveTheInterpretersBytes) {
  for (const char* form : {".f32.x3", ".i32", ".f32.x5"}) {
    std::string text = operands(true);
    for (uint32_t i = 0; i < 3; ++i) text += product(form, kC[i], kA[i], kB, kC[i]);
    expectSameBytes(text + store(kC[1], 0) + store(kC[2], 1));
  }
}

TEST(Products, MayLieInTheirOperands) {
  for (const uint32_t to : {kA[0], kA[0] + 1, kB, kB - 1})
    expectSameBytes(operands(true) + product(".f32.x8", to, kA[0], kB, kC[0]) + store(to, 0) + store(kB, 1));
}

TEST(Products, OfSomeLanesSeeTheOthersRows) {
  expectSameBytes(operands(true) + "and.i32 r6.x, r0.x, c0.w\nif r6.x\n" +
                  product(".f32.x8.m", kC[0], kA[0], kB, kC[0]) + product(".f32.x8.m", kC[1], kA[1], kB, kC[1]) +
                  "endif\n" + store(kC[0], 0) + store(kC[1], 1));
}

/// Whether a program's code has a loop over tiles.
bool hasTiles(const std::string& body) {
  const auto kernel = exec::test::assembled(".temps 40\n" + body, Shape::Rows);
  const std::unique_ptr<Compiler> jit = Compiler::create();
  EXPECT_TRUE(kernel && jit);
  const auto text = jit->listing(compiler::programOf(*kernel));
  return text.ok() && text->find("\ntiles") != std::string::npos;
}

TEST(Products, OfOneGroupAreOneLoopWhereRegistersAreFew) {
  const simd::Cpu& cpu = simd::cpu();
  if (!Compiler::create() || !cpu.avx2 || cpu.avx512vl) GTEST_SKIP() << "registers are many, or hold less than a row";
  const auto all = [](uint32_t count, const char* form) {
    std::string text = operands(true);
    for (uint32_t i = 0; i < count; ++i) text += product(form, kC[i], kA[i], kB, kC[i]);
    return text + store(kC[0], 0) + store(kC[1], 1);
  };
  const std::tuple<const char*, std::string, bool> cases[] = {
      {"four", all(4, ".f32.x8"), true},
      {"two", all(2, ".i32.x8"), true},
      {"three", all(3, ".f32.x8"), false},
      {"five columns", all(2, ".f32.x5"), false},
  };
  for (const auto& [what, text, tiles] : cases) {
    SCOPED_TRACE(what);
    expectSameBytes(text);
    EXPECT_EQ(hasTiles(text), tiles);
  }
}

/// The groups of a program, and the number of its first product.
struct Found {
  isa::Program program;
  std::map<uint32_t, ProductGroup> groups;
  uint32_t first = 0;

  explicit Found(const std::string& text, uint32_t most = 4, uint32_t fixed = ~0u) {
    auto made = isa::assemble(exec::test::around(".temps 40\n" + text, Shape::Rows));
    EXPECT_TRUE(made.ok()) << made.error().message;
    if (!made.ok()) return;
    program = std::move(*made);
    while (program.code[first].op != isa::Opcode::SgProduct) ++first;
    std::vector<bool> stays(program.code.size());
    if (fixed != ~0u) stays[first + fixed] = true;
    groups = findProducts(findWebs(program), most, stays);
  }
  const ProductGroup& group() const { return groups.at(first); }
};

struct Case {
  const char* what;
  std::string between;        ///< two products
  uint32_t products, before;  ///< of the group that the first one begins
};

/// The second product has what the first one has but for the first factor and the sum.
std::vector<Case> cases() {
  const std::string copied = "xmov.x8 " + reg(kA[1]) + ", " + reg(kA[0]) + "\n";
  return {
      {"a load and conversions", load(kA[1], "c1.x", 9, true), 2, 9},
      {"a store", "st.buffer.i32 c1.w, r0.x, r0.x, #0\n", 1, 0},
      {"a fence", "membar\n", 1, 0},
      {"control flow", "if r0.x\nendif\n", 1, 0},
      {"the second factor written", load(kB, "c1.x", 2, true), 1, 0},
      {"a sum that the first one made", "xmov.x8 " + reg(kC[1]) + ", " + reg(kC[0]) + "\n", 1, 0},
      {"a factor that is copied, then written",
       "xmov.x8 " + reg(kC[2]) + ", " + reg(kA[1]) + "\n" + load(kA[1], "c1.x", 9, true), 2, 9},
      {"the first one's factor written", load(kA[0], "c1.x", 9, true), 2, 0},
      {"the first one's factor written for the second", load(kA[0], "c1.x", 9, true) + copied, 2, 10},
      {"another product", product(".f32.x8", kD, kA[2], kC[2], kC[3]), 2, 0},
  };
}

TEST(Products, AreMadeTogetherWhereNothingBetweenThemMinds) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const std::string text = operands(true) + product(".f32.x8", kC[0], kA[0], kB, kC[0]) + c.between +
                             product(".f32.x8", kC[1], kA[1], kB, kC[1]) + store(kC[0], 0) + store(kC[1], 1);
    expectSameBytes(text);
    const Found found(text);
    EXPECT_EQ(found.group().products.size(), c.products);
    EXPECT_EQ(found.group().before.size(), c.before);
  }
}

TEST(Products, OfOneSecondFactorAreAtMostAsManyAsAskedFor) {
  std::string text = operands(true);
  for (uint32_t i = 0; i < 4; ++i) text += product(".f32.x8", kC[i], kA[i], kB, kC[i]);
  const Found found(text, 3);
  const uint32_t first = found.first;
  EXPECT_EQ(found.group().products, (std::vector{first, first + 1, first + 2}));
  EXPECT_EQ(found.groups.at(first + 3).products, std::vector{first + 3});
}

TEST(Products, StayWhereWhatTheyNeedIsFixed) {
  const std::string text = operands(true) + product(".f32.x8", kC[0], kA[0], kB, kC[0]) + "xmov.x8 " + reg(kA[1]) +
                           ", " + reg(kA[2]) + "\n" + product(".f32.x8", kC[1], kA[1], kB, kC[1]);
  EXPECT_EQ(Found(text).group().products.size(), 2u);
  EXPECT_EQ(Found(text, 4, 1).group().products.size(), 1u);
}

/// Two rounds of two rows of two products each, as programs have them: a sum is made, then moved to its variable.
std::string tile(const std::string& between) {
  std::string text = operands(true) + load(28, "c1.x", 11, true) + "xmov.m r6.y, c0.x\nblock\nloop\n";
  const uint32_t second[2] = {kB, 28};
  for (uint32_t i = 0; i < 2; ++i)
    for (uint32_t j = 0; j < 2; ++j) {
      text += product(".f32.x8", kD, kA[i], second[j], kC[2 * i + j]) + "xmov.x8.m " + reg(kC[2 * i + j]) + ", " +
              reg(kD) + "\n";
      if (i == 0 && j == 0) text += between;
    }
  return text +
         "iadd.i32 r6.w, r6.y, c0.y\nxmov.m r6.y, r6.w\nicmp.uge.i32 r6.z, r6.y, c0.z\nbrc r6.z, #0\nendloop\n"
         "endblock\n" +
         store(kC[0], 0) + store(kC[3], 1);
}

TEST(Products, OfSeveralSecondFactorsFindTheirPartnersAndVariables) {
  expectSameBytes(tile(""));
  const Found found(tile(""));
  const uint32_t first = found.first;
  EXPECT_EQ(found.group().products, (std::vector{first, first + 4}));
  EXPECT_EQ(found.group().results, (std::vector{first + 1, first + 5}));
  EXPECT_EQ(found.groups.at(first + 2).products, (std::vector{first + 2, first + 6}));
}

TEST(Products, AreMovedToVariablesWhenOthersHaveReadThem) {
  const std::string read = "xmov.x8 " + reg(30) + ", " + reg(kC[2]) + "\n";
  expectSameBytes(tile(read) + store(30, 1));
  const Found found(tile(read) + store(30, 1));
  ASSERT_EQ(found.group().products.size(), 2u);
  EXPECT_EQ(found.group().results[1], found.group().products[1]);
  // What is read is written for the second product then.
  const std::string written = read + "xmov.x8 " + reg(kC[2]) + ", " + reg(kC[1]) + "\n";
  expectSameBytes(tile(written) + store(30, 1));
  EXPECT_EQ(Found(tile(written)).group().products.size(), 1u);
}

/// Two sums of two products each, one behind the other; `between` stands behind the first product.
std::string chains(const std::string& between = "", const char* second = ".f32.x8") {
  std::string text = operands(true) + load(28, "c1.y", 11, true);
  for (uint32_t i = 0; i < 2; ++i)
    text += product(".f32.x8", kD + 4 * i, kA[i], kB, kC[i]) + (i ? "" : between) +
            product(second, kC[2 + i], kA[2 + i], 28, kD + 4 * i);
  return text + store(kC[2], 0) + store(kC[3], 1);
}

TEST(Products, OfGroupsThatAddToOthersAreMadeWithThem) {
  expectSameBytes(chains());
  const Found found(chains());
  ASSERT_EQ(found.group().products, (std::vector{found.first, found.first + 2}));
  EXPECT_EQ(found.group().next, found.first + 1);
  EXPECT_EQ(found.groups.at(found.first + 1).next, std::nullopt) << "it is one itself";
}

TEST(Products, AreNotMadeWithOthersWhereSomebodySeesWhatTheyGive) {
  const std::pair<const char*, std::string> cases[] = {
      {"another reader", chains() + store(kD, 0)},
      {"something between them", chains("xmov r6.z, r6.y\n")},
      {"fewer columns", chains("", ".f32.x4")},
      {"one chain, not two", operands(true) + product(".f32.x8", kD, kA[0], kB, kC[0]) +
                                 product(".f32.x8", 30, kA[1], kB, kC[1]) +
                                 product(".f32.x8", kC[2], kA[2], kC[0], kD) + store(kC[2], 0) + store(30, 1)},
  };
  for (const auto& [what, text] : cases) {
    SCOPED_TRACE(what);
    expectSameBytes(text);
    EXPECT_EQ(Found(text).group().next, std::nullopt);
  }
}

}  // namespace
}  // namespace etzel::native
