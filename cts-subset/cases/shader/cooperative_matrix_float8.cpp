// Cooperative matrices of floats of 8 bits (VK_EXT_shader_float8): products whose factors may be of two formats, with
// sums of floats, of halves and of 8 bits, conversions, and what VK_NV_cooperative_matrix2 does with matrices. Sums are
// numbers that floats hold, so every order of them gives the same; what is stored has been rounded once.
#include <algorithm>
#include <bit>

#include "cts-subset/cases/shader/cooperative_matrix_tools.h"
#include "cts-subset/cases/shader/float8.h"

namespace etzel::cts::matrices {
namespace {

using Codes = std::vector<uint8_t>;

/// A shader whose buffers are arrays of such floats.
struct Float8Shader : Shader {
  explicit Float8Shader(const Float8& f, const Owner& owner = {}) : Shader(f.type, owner) { useFloat8(); }
};

/// Small numbers, of which each format has each.
std::vector<float> numbers(size_t count, uint32_t seed) {
  std::vector<float> all(count);
  Random random(seed);
  for (float& n : all) n = float(int(random.next() >> 8 & 7) - 4) / 2;
  return all;
}
Codes codesOf(const Float8& f, const std::vector<float>& floats) {
  Codes all;
  for (float n : floats) all.push_back(uint8_t(f.codeOf(n)));
  return all;
}
void expectCodes(const Codes& got, const Codes& want) {
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << i;
}

struct Size {
  uint32_t rows, inner, columns;
};
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, std::vector<float> sums, Size size,
                           uint32_t layout = kRowMajor) {
  const auto at = [&](const std::vector<float>& m, uint32_t i, uint32_t j, uint32_t height, uint32_t width) {
    return m[layout == kRowMajor ? i * width + j : j * height + i];
  };
  for (uint32_t i = 0; i < size.rows; ++i)
    for (uint32_t j = 0; j < size.columns; ++j)
      for (uint32_t k = 0; k < size.inner; ++k)
        sums[i * size.columns + j] += at(a, i, k, size.rows, size.inner) * at(b, k, j, size.inner, size.columns);
  return sums;
}

// --- Products

/// C + A * B where all are of one format.
void multiply(Gpu& gpu, const Float8& f, const Owner& owner, Size size, uint32_t layout) {
  Float8Shader s(f, owner);
  const auto [rows, inner, columns] = size;
  const uint32_t b = rows * inner, c = b + inner * columns;
  const std::vector<float> in = numbers(c + rows * columns, rows + inner);
  const std::string ma = s.load(rows, inner, kFactorA, 0, f.type, layout),
                    mb = s.load(inner, columns, kFactorB, b, f.type, layout), mc = s.load(rows, columns, kSum, c);
  s.op(4459, s.matrix(rows, columns, kSum) + " %r " + ma + " " + mb + " " + mc);
  s.store("%r", columns);
  const std::vector<float> want =
      product({in.begin(), in.begin() + b}, {in.begin() + b, in.begin() + c}, {in.begin() + c, in.end()}, size, layout);
  expectCodes(s.run(gpu, codesOf(f, in), rows * columns), codesOf(f, want));
}

/// Factors of two formats, whose bytes are in words, and sums of floats or halves, which begin with a constant.
void multiplyMixed(Gpu& gpu, const Float8& fa, const Float8& fb, const Owner& owner, bool halves) {
  constexpr Size kSize{16, 32, 24};
  constexpr uint32_t kA = kSize.rows * kSize.inner, kB = kSize.inner * kSize.columns,
                     kSums = kSize.rows * kSize.columns;
  if (halves) gpu.require(gpu.features12.shaderFloat16, "shaderFloat16");
  Shader s("%u32", owner);
  s.useFloat8();
  const std::vector<float> a = numbers(kA, 31), b = numbers(kB, 32);
  std::vector<uint32_t> in((kA + kB) / 4);
  for (uint32_t i = 0; i < kA; ++i) in[i / 4] |= fa.codeOf(a[i]) << i % 4 * 8;
  for (uint32_t i = 0; i < kB; ++i) in[(kA + i) / 4] |= fb.codeOf(b[i]) << i % 4 * 8;
  const std::string ma = s.load(kSize.rows, kSize.inner, kFactorA, 0, fa.type),
                    mb = s.load(kSize.inner, kSize.columns, kFactorB, kA / 4, fb.type);
  std::string sums = "%sums", number = "%f32";
  if (halves) {
    s.needs("OpCapability Float16\n");
    s.type(22, "%f16 16");
    s.type(43, "%f16 %more 0x3a00");
    number = "%f16";
  } else {
    s.declare("%more = OpConstant %f32 0.75\n");
  }
  const std::string type = s.matrix(kSize.rows, kSize.columns, kSum, number);
  s.line("%all = OpCompositeConstruct " + type + " %more");
  s.op(4459, type + " %sums " + ma + " " + mb + " %all");
  if (halves) {
    sums = "%wide";
    s.line("%wide = OpFConvert " + s.matrix(kSize.rows, kSize.columns, kSum, "%f32") + " %sums");
  }
  s.store(sums, kSize.columns, "%f32");
  const std::vector<uint32_t> got = s.run(gpu, in, kSums);
  const std::vector<float> want = product(a, b, std::vector<float>(kSums, 0.75f), kSize);
  for (uint32_t i = 0; i < kSums; ++i) EXPECT_EQ(std::bit_cast<float>(got[i]), want[i]) << i;
}

// --- Conversions and elements

/// Floats to 8 bits: what lies around the middle of two numbers, what is too large, what is no number.
void convert(Gpu& gpu, const Float8& f, bool saturates) {
  constexpr uint32_t kRows = 32, kColumns = 16, kCount = kRows * kColumns;
  Shader s("%u32");
  s.useFloat8();
  std::vector<uint32_t> in(kCount);
  Random random(33);
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t code = random.below(f.greatest + 1);
    const auto middle = float((f.magnitudeOf(code) + f.magnitudeOf(code + 1)) / 2);
    const float n = i % 4 == 0 ? middle : i % 4 == 1 ? std::nextafter(middle, 0.0f) : std::nextafter(middle, 1e9f);
    in[i] = i % 4 == 3 ? random.next() : std::bit_cast<uint32_t>(i % 8 < 4 ? n : -n);
  }
  in[3] = 0x7f800000, in[7] = 0xff800000, in[11] = 0x7fc00000;
  const std::string m = s.load(kRows, kColumns, kSum, 0, "%f32");
  if (saturates) s.annotate("OpDecorate %small !4216\n");
  s.line("%small = OpFConvert " + s.matrix(kRows, kColumns, kSum, f.type) + " " + m);
  s.line("%r = OpFConvert " + s.matrix(kRows, kColumns, kSum, "%f32") + " %small");
  s.store("%r", kColumns, "%f32");
  const std::vector<uint32_t> got = s.run(gpu, in, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const auto want = float(f.numberOf(f.codeOf(std::bit_cast<float>(in[i]), saturates)));
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(std::bit_cast<float>(got[i]))) << i;
    else
      EXPECT_EQ(got[i], std::bit_cast<uint32_t>(want)) << i;
  }
}

/// Constants of one component, and a component that is taken out and put in elsewhere.
void constants(Gpu& gpu, const Float8& f) {
  constexpr uint32_t kSize = 8;
  Float8Shader s(f);
  const Codes in(64, uint8_t(f.codeOf(5)));
  const std::string a = s.matrix(kSize, kSize, kFactorA), c = s.load(kSize, kSize, kSum, 0), type = f.type;
  s.type(43, type + text(" %%half 0x%x", f.codeOf(0.5)));
  s.type(44, a + " %halves %half");
  s.type(43, type + text(" %%three 0x%x", f.codeOf(3)));
  s.line("%threes = OpCompositeConstruct " + s.matrix(kSize, kSize, kFactorB) + " %three");
  s.line("%last = OpCompositeExtract " + type + " " + c + " 7");
  s.line("%sums = OpCompositeInsert " + s.matrix(kSize, kSize, kSum) + " %last " + c + " 0");
  s.op(4459, s.matrix(kSize, kSize, kSum) + " %r %halves %threes %sums");
  s.store("%r", kSize);
  expectCodes(s.run(gpu, in, 64), Codes(64, uint8_t(f.codeOf(8 * 0.5 * 3 + 5))));
}

// --- VK_NV_cooperative_matrix2

void transpose(Gpu& gpu, const Float8& f, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 24;
  Float8Shader s(f, owner);
  const Codes in = codesOf(f, numbers(kRows * kColumns, 34));
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5390, s.matrix(kColumns, kRows, kFactorB) + " %r " + m);
  s.store("%r", kRows);
  Codes want;
  for (uint32_t i = 0; i < in.size(); ++i) want.push_back(in[i % kRows * kColumns + i / kRows]);
  expectCodes(s.run(gpu, in, in.size()), want);
}

/// element * 3 + row, rounded.
void perElement(Gpu& gpu, const Float8& f, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 16;
  Float8Shader s(f, owner);
  const std::vector<float> in = numbers(kRows * kColumns, 35);
  const std::string type = f.type;
  s.declare("%fnElement = OpTypeFunction " + type + " %u32 %u32 " + type + "\n%three = OpConstant %f32 3\n");
  s.function("%element = OpFunction " + type +
             " None %fnElement\n%row = OpFunctionParameter %u32\n%column = OpFunctionParameter %u32\n"
             "%x = OpFunctionParameter " +
             type +
             "\n%elementEntry = OpLabel\n%fx = OpFConvert %f32 %x\n%x3 = OpFMul %f32 %fx %three\n"
             "%frow = OpConvertUToF %f32 %row\n%all = OpFAdd %f32 %x3 %frow\n%rounded = OpFConvert " +
             type + " %all\nOpReturnValue %rounded\nOpFunctionEnd\n");
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5369, s.matrix(kRows, kColumns, kSum) + " %r " + m + " %element");
  s.store("%r", kColumns);
  std::vector<float> want;
  for (uint32_t i = 0; i < in.size(); ++i) want.push_back(in[i] * 3 + float(i / kColumns));
  expectCodes(s.run(gpu, codesOf(f, in), in.size()), codesOf(f, want));
}

/// A slice of a tensor that reaches past its last column, where elements are 0.5, stored through the same layout.
void tensor(Gpu& gpu, const Float8& f, const Owner& owner) {
  constexpr uint32_t kSize = 16, kHeight = 20, kWidth = 12, kFirst = 3, kConstant = 1;
  Float8Shader s(f, owner);
  const uint32_t half = f.codeOf(0.5);
  const Codes in = codesOf(f, numbers(kHeight * kWidth, 36));
  const std::string type = s.matrix(kSize, kSize, kSum), from = s.element("in", 0), to = s.element("out", 0);
  s.type(5370, "%layoutType" + s.numbers({2, kConstant}));
  s.type(43, std::string(f.type) + " %zero 0");
  s.line("%zeros = OpCompositeConstruct " + type + " %zero");
  s.op(5372, "%layoutType %l0");
  s.op(5373, "%layoutType %l1 %l0" + s.numbers({kHeight, kWidth}));
  s.op(5375, "%layoutType %l2 %l1" + s.numbers({kFirst, kSize, kFirst, kSize}));
  s.op(5376, "%layoutType %layout %l2" + s.numbers({0xabcdef00 | half}));
  s.op(5367, type + " %r " + from + " %zeros %layout 0 0");
  s.op(5368, to + " %r %layout 0 0");
  Codes want(kHeight * kWidth, 0xff);
  for (uint32_t y = kFirst; y < kFirst + kSize; ++y)
    for (uint32_t x = kFirst; x < kWidth; ++x) want[y * kWidth + x] = in[y * kWidth + x];
  s.store("%r", kSize, f.type, kHeight * kWidth);
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const uint32_t y = kFirst + i / kSize, x = kFirst + i % kSize;
    want.push_back(x < kWidth ? in[y * kWidth + x] : uint8_t(half));
  }
  expectCodes(s.run(gpu, in, want.size()), want);
}

// --- The API

/// Products of the two formats with sums of floats, each listed once. (No product is required of a device.)
void properties(Gpu& gpu) {
  constexpr uint32_t kFloat = 1, kFormats[] = {1000491002, 1000491003};
  gpu.requireExtension("VK_KHR_cooperative_matrix");
  gpu.requireFeatures("VK_EXT_shader_float8", 2);
  std::vector<Properties> all;
  ASSERT_NO_FATAL_FAILURE(listProducts(gpu, all));
  for (uint32_t a : kFormats)
    for (uint32_t b : kFormats) {
      const auto isIt = [&](const Properties& p) {
        return p.a == a && p.b == b && p.c == kFloat && p.result == kFloat;
      };
      EXPECT_EQ(std::count_if(all.begin(), all.end(), isIt), 1) << a << " " << b;
      for (const Properties& p : all) EXPECT_FALSE(isIt(p) && p.saturates);
    }
}

void registerOwner(const Float8& f, const Owner& owner, const std::string& name) {
  const Float8& other = kFloat8s[&f == kFloat8s ? 1 : 0];
  const auto add = [&](const std::string& what, auto run) {
    cts::add("cooperative_matrix2." + std::string(f.name) + "." + name + "." + what, run);
  };
  add("multiply", [=, &f](Gpu& gpu) { multiply(gpu, f, owner, {16, 24, 8}, kRowMajor); });
  add("multiply.columns", [=, &f](Gpu& gpu) { multiply(gpu, f, owner, {16, 24, 8}, kColumnMajor); });
  add("multiply.large", [=, &f](Gpu& gpu) { multiply(gpu, f, owner, {32, 16, 40}, kRowMajor); });
  add("multiply.floats", [=, &f](Gpu& gpu) { multiplyMixed(gpu, f, f, owner, false); });
  add("multiply.halves", [=, &f](Gpu& gpu) { multiplyMixed(gpu, f, f, owner, true); });
  add("multiply.mixed", [=, &f, &other](Gpu& gpu) { multiplyMixed(gpu, f, other, owner, false); });
  add("multiply.mixed.halves", [=, &f, &other](Gpu& gpu) { multiplyMixed(gpu, f, other, owner, true); });
  add("transpose", [=, &f](Gpu& gpu) { transpose(gpu, f, owner); });
  add("per_element", [=, &f](Gpu& gpu) { perElement(gpu, f, owner); });
  add("tensor", [=, &f](Gpu& gpu) { tensor(gpu, f, owner); });
}

}  // namespace

void registerFloat8s() {
  for (const Float8& f : kFloat8s) {
    registerOwner(f, {}, "subgroup");
    registerOwner(f, {kWorkgroup, kWorkgroupSize}, "workgroup");
    registerOwner(f, {kSubgroup, 4, 4}, "subgroup_of_4");
    const std::string group = "cooperative_matrix2." + std::string(f.name) + ".";
    add(group + "convert", [&f](Gpu& gpu) { convert(gpu, f, false); });
    add(group + "saturate", [&f](Gpu& gpu) { convert(gpu, f, true); });
    add(group + "constants", [&f](Gpu& gpu) { constants(gpu, f); });
  }
  add("cooperative_matrix.float8.properties", properties);
}

}  // namespace etzel::cts::matrices
