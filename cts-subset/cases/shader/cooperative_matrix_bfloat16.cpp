// Cooperative matrices of bfloat16 (VK_KHR_shader_bfloat16): products with sums of floats and of bfloat16, conversions,
// elements, and what VK_NV_cooperative_matrix2 does with matrices. Sums are whole numbers that floats hold, so every
// order of them gives the same; what is stored as bfloat16 has been rounded once.
#include <algorithm>

#include "cts-subset/cases/shader/brain_float.h"
#include "cts-subset/cases/shader/cooperative_matrix_tools.h"

namespace etzel::cts::matrices {
namespace {

using Brains = std::vector<uint16_t>;

Brains brainsOf(const std::vector<float>& floats) {
  Brains all;
  for (float f : floats) all.push_back(uint16_t(brainOf(f)));
  return all;
}

void expectBrains(const Brains& got, const Brains& want) {
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[i], want[i]) << i;
}

/// A shader whose buffers are arrays of bfloat16.
struct BrainShader : Shader {
  explicit BrainShader(const Owner& owner = {}) : Shader("%bf", owner) { useBrains(); }
};

// --- Products

struct Size {
  uint32_t rows, inner, columns;
};

/// C + A * B where all are of bfloat16.
void multiply(Gpu& gpu, const Owner& owner, Size size, uint32_t layout) {
  BrainShader s(owner);
  const auto [rows, inner, columns] = size;
  const uint32_t b = rows * inner, c = b + inner * columns;
  const std::vector<float> in = wholeNumbers<float>(c + rows * columns, rows + inner);
  const std::string ma = s.load(rows, inner, kFactorA, 0, "%bf", layout),
                    mb = s.load(inner, columns, kFactorB, b, "%bf", layout), mc = s.load(rows, columns, kSum, c);
  s.op(4459, s.matrix(rows, columns, kSum) + " %r " + ma + " " + mb + " " + mc);
  s.store("%r", columns);
  const auto at = [&](uint32_t first, uint32_t i, uint32_t j, uint32_t height, uint32_t width) {
    return in[first + (layout == kRowMajor ? i * width + j : j * height + i)];
  };
  Brains want;
  for (uint32_t i = 0; i < rows; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      float sum = in[c + i * columns + j];
      for (uint32_t k = 0; k < inner; ++k) sum += at(0, i, k, rows, inner) * at(b, k, j, inner, columns);
      want.push_back(uint16_t(brainOf(sum)));
    }
  expectBrains(s.run(gpu, brainsOf(in), rows * columns), want);
}

/// A diagonal times a matrix of numbers of many magnitudes: each sum is one product, which floats hold.
void multiplyMagnitudes(Gpu& gpu) {
  constexpr uint32_t kSize = 8, kB = 64;
  BrainShader s;
  Brains in(2 * 64);
  Random random(17);
  const auto number = [&] {
    const uint32_t signAndDigits = random.next() >> 9 & 0x807f;
    return uint16_t(signAndDigits | (97 + random.below(60)) << 7);
  };
  for (uint32_t i = 0; i < kSize; ++i) in[i * (kSize + 1)] = number();
  for (uint32_t i = 0; i < 64; ++i) in[kB + i] = number();
  const std::string a = s.load(kSize, kSize, kFactorA, 0), b = s.load(kSize, kSize, kFactorB, kB);
  s.type(43, "%bf %zero 0");
  s.type(44, s.matrix(kSize, kSize, kSum) + " %zeros %zero");
  s.op(4459, s.matrix(kSize, kSize, kSum) + " %r " + a + " " + b + " %zeros");
  s.store("%r", kSize);
  Brains want;
  for (uint32_t i = 0; i < 64; ++i)
    want.push_back(uint16_t(brainOf(fromBrain(in[i / kSize * (kSize + 1)]) * fromBrain(in[kB + i]))));
  expectBrains(s.run(gpu, in, 64), want);
}

/// Sums of floats, that become factors of another product: attention's two products, without what is between them.
void multiplyTwice(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kSize = 16, kFloats = kSize * kSize, kWords = kFloats / 2;
  Shader s("%u32", owner);
  s.useBrains();
  const std::vector<float> a = wholeNumbers<float>(kFloats, 18), b = wholeNumbers<float>(kFloats, 19);
  std::vector<uint32_t> in;
  for (const std::vector<float>& m : {a, b})
    for (size_t i = 0; i < m.size(); i += 2) in.push_back(brainOf(m[i]) | brainOf(m[i + 1]) << 16);
  const std::string ma = s.load(kSize, kSize, kFactorA, 0, "%bf"), mb = s.load(kSize, kSize, kFactorB, kWords, "%bf"),
                    sum = s.matrix(kSize, kSize, kSum, "%f32");
  s.declare("%half = OpConstant %f32 0.5\n");
  s.line("%halves = OpCompositeConstruct " + sum + " %half");
  s.op(4459, sum + " %first " + ma + " " + mb + " %halves");
  s.line("%factor = OpFConvert " + s.matrix(kSize, kSize, kFactorA, "%bf") + " %first");
  s.op(4459, sum + " %second %factor " + mb + " %first");
  s.store("%second", kSize, "%f32");
  const std::vector<uint32_t> got = s.run(gpu, in, kFloats);
  std::vector<float> first(kFloats, 0.5f);
  for (uint32_t i = 0; i < kFloats; ++i)
    for (uint32_t k = 0; k < kSize; ++k) first[i] += a[i / kSize * kSize + k] * b[k * kSize + i % kSize];
  for (uint32_t i = 0; i < kFloats; ++i) {
    float want = first[i];
    for (uint32_t k = 0; k < kSize; ++k)
      want += fromBrain(brainOf(first[i / kSize * kSize + k])) * b[k * kSize + i % kSize];
    EXPECT_EQ(std::bit_cast<float>(got[i]), want) << i;
  }
}

// --- Conversions and elements

/// Floats to bfloat16 and back: ties, numbers that round up to infinity, subnormals, what is no number.
void convertFloats(Gpu& gpu) {
  constexpr uint32_t kSize = 8;
  Shader s("%u32");
  s.useBrains();
  std::vector<uint32_t> in(64);
  Random random(20);
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t bits = random.next();
    if (i % 5 < 3) bits = (bits & 0xffff0000) | (0x7fff + i % 5);
    if (i % 8 == 3) bits = (bits & 0x80000000) | (0x7f7f0000 + (bits & 0x1ffff));
    if (i % 8 == 4) bits &= 0x807fffff;
    in[i] = bits;
  }
  const std::string m = s.load(kSize, kSize, kSum, 0, "%f32");
  s.line("%brains = OpFConvert " + s.matrix(kSize, kSize, kSum, "%bf") + " " + m);
  s.line("%r = OpFConvert " + s.matrix(kSize, kSize, kSum, "%f32") + " %brains");
  s.store("%r", kSize, "%f32");
  const std::vector<uint32_t> got = s.run(gpu, in, 64);
  for (uint32_t i = 0; i < 64; ++i) {
    const float want = fromBrain(brainOf(std::bit_cast<float>(in[i])));
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(std::bit_cast<float>(got[i]))) << i;
    else
      EXPECT_EQ(got[i], std::bit_cast<uint32_t>(want)) << i;
  }
}

/// Through integers of 32 bits, to which 1003 is added there.
void convertIntegers(Gpu& gpu) {
  constexpr uint32_t kSize = 8;
  BrainShader s;
  std::vector<float> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = float(int(i) - 32) * 1.75f;
  const std::string m = s.load(kSize, kSize, kSum, 0), integers = s.matrix(kSize, kSize, kSum, "%i32");
  s.declare("%more = OpConstant %i32 1003\n");
  s.line("%whole = OpConvertFToS " + integers + " " + m);
  s.line("%all = OpCompositeConstruct " + integers + " %more");
  s.line("%large = OpIAdd " + integers + " %whole %all");
  s.line("%r = OpConvertSToF " + s.matrix(kSize, kSize, kSum) + " %large");
  s.store("%r", kSize);
  std::vector<float> want(64);
  for (uint32_t i = 0; i < 64; ++i) want[i] = std::trunc(in[i]) + 1003;
  expectBrains(s.run(gpu, brainsOf(in), 64), brainsOf(want));
}

/// Through halves, whose sums have more digits.
void convertHalves(Gpu& gpu) {
  constexpr uint32_t kSize = 8;
  gpu.require(gpu.features12.shaderFloat16, "shaderFloat16");
  BrainShader s;
  s.needs("OpCapability Float16\n");
  std::vector<float> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = float(int(i) - 32) * 4;
  const std::string m = s.load(kSize, kSize, kSum, 0);
  s.type(22, "%f16 16");
  const std::string halves = s.matrix(kSize, kSize, kSum, "%f16");
  s.type(43, "%f16 %more 0x617a");
  s.line("%whole = OpFConvert " + halves + " " + m);
  s.line("%all = OpCompositeConstruct " + halves + " %more");
  s.line("%large = OpFAdd " + halves + " %whole %all");
  s.line("%r = OpFConvert " + s.matrix(kSize, kSize, kSum) + " %large");
  s.store("%r", kSize);
  std::vector<float> want(64);
  for (uint32_t i = 0; i < 64; ++i) want[i] = in[i] + 701;
  expectBrains(s.run(gpu, brainsOf(in), 64), brainsOf(want));
}

/// A loop over what the invocation has of a matrix in a variable: each element is doubled and rounded.
void elements(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 8;
  BrainShader s(owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 21);
  const std::string type = s.matrix(kRows, kColumns, kSum), m = s.load(kRows, kColumns, kSum, 0);
  s.declare("%matrixPtr = OpTypePointer Function " + type +
            "\n%brainPtr = OpTypePointer Function %bf\n%much = OpConstant %f32 255.0\n");
  s.variable("%v", "%matrixPtr");
  s.line("OpStore %v " + m);
  s.op(4460, "%u32 %length " + type);
  s.line("OpBranch %loop\n%loop = OpLabel\n%i = OpPhi %u32 " + s.u(0) +
         " %entry %next %step\nOpLoopMerge %done %step None\nOpBranch %head\n%head = OpLabel\n"
         "%more = OpULessThan %bool %i %length\nOpBranchConditional %more %once %done\n%once = OpLabel\n"
         "%place = OpAccessChain %brainPtr %v %i\n%brain = OpLoad %bf %place\n%x = OpFConvert %f32 %brain\n"
         "%twice = OpFAdd %f32 %x %x\n%sum = OpFAdd %f32 %twice %much\n%result = OpFConvert %bf %sum\n"
         "OpStore %place %result\nOpBranch %step\n%step = OpLabel\n%next = OpIAdd %u32 %i " +
         s.u(1) + "\nOpBranch %loop\n%done = OpLabel\n%r = OpLoad " + type + " %v");
  s.store("%r", kColumns);
  std::vector<float> want;
  for (float f : in) want.push_back(f + f + 255);
  expectBrains(s.run(gpu, brainsOf(in), in.size()), brainsOf(want));
}

/// Constants of one component, and a component that is taken out and put in elsewhere.
void constants(Gpu& gpu) {
  constexpr uint32_t kSize = 8;
  BrainShader s;
  const Brains in(64, uint16_t(brainOf(5)));
  const std::string a = s.matrix(kSize, kSize, kFactorA), c = s.load(kSize, kSize, kSum, 0);
  s.type(43, "%bf %half 0x3f00");
  s.type(44, a + " %halves %half");
  s.type(43, "%bf %three 0x4040");
  s.line("%threes = OpCompositeConstruct " + s.matrix(kSize, kSize, kFactorB) + " %three");
  s.line("%last = OpCompositeExtract %bf " + c + " 7");
  s.line("%sums = OpCompositeInsert " + s.matrix(kSize, kSize, kSum) + " %last " + c + " 0");
  s.op(4459, s.matrix(kSize, kSize, kSum) + " %r %halves %threes %sums");
  s.store("%r", kSize);
  expectBrains(s.run(gpu, in, 64), Brains(64, uint16_t(brainOf(8 * 0.5f * 3 + 5))));
}

// --- VK_NV_cooperative_matrix2

void transpose(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 24;
  BrainShader s(owner);
  const Brains in = brainsOf(wholeNumbers<float>(kRows * kColumns, 22));
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5390, s.matrix(kColumns, kRows, kFactorB) + " %r " + m);
  s.store("%r", kRows);
  Brains want;
  for (uint32_t i = 0; i < in.size(); ++i) want.push_back(in[i % kRows * kColumns + i / kRows]);
  expectBrains(s.run(gpu, in, in.size()), want);
}

/// The largest of each column, in all rows.
void reduce(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 32, kColumns = 16, kReduceColumn = 2;
  BrainShader s(owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 23);
  s.declare("%fnMost = OpTypeFunction %bf %bf %bf\n");
  s.function(
      "%most = OpFunction %bf None %fnMost\n%x = OpFunctionParameter %bf\n%y = OpFunctionParameter %bf\n"
      "%mostEntry = OpLabel\n%fx = OpFConvert %f32 %x\n%fy = OpFConvert %f32 %y\n"
      "%isMore = OpFOrdGreaterThan %bool %fx %fy\n%larger = OpSelect %bf %isMore %x %y\nOpReturnValue %larger\n"
      "OpFunctionEnd\n");
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5366, s.matrix(8, kColumns, kSum) + " %r " + m + " " + std::to_string(kReduceColumn) + " %most");
  s.store("%r", kColumns);
  std::vector<float> want;
  for (uint32_t i = 0; i < 8 * kColumns; ++i) {
    float most = in[i % kColumns];
    for (uint32_t row = 1; row < kRows; ++row) most = std::max(most, in[row * kColumns + i % kColumns]);
    want.push_back(most);
  }
  expectBrains(s.run(gpu, brainsOf(in), want.size()), brainsOf(want));
}

/// element * 3 + row * 64, rounded.
void perElement(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 16;
  BrainShader s(owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 24);
  s.declare("%fnElement = OpTypeFunction %bf %u32 %u32 %bf\n%three = OpConstant %f32 3\n");
  s.function(
      "%element = OpFunction %bf None %fnElement\n%row = OpFunctionParameter %u32\n"
      "%column = OpFunctionParameter %u32\n%x = OpFunctionParameter %bf\n%elementEntry = OpLabel\n"
      "%fx = OpFConvert %f32 %x\n%x3 = OpFMul %f32 %fx %three\n%row64 = OpIMul %u32 %row " +
      s.u(64) +
      "\n%frow = OpConvertUToF %f32 %row64\n%all = OpFAdd %f32 %x3 %frow\n%rounded = OpFConvert %bf %all\n"
      "OpReturnValue %rounded\nOpFunctionEnd\n");
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5369, s.matrix(kRows, kColumns, kSum) + " %r " + m + " %element");
  s.store("%r", kColumns);
  std::vector<float> want;
  for (uint32_t i = 0; i < in.size(); ++i) want.push_back(in[i] * 3 + float(i / kColumns * 64));
  expectBrains(s.run(gpu, brainsOf(in), in.size()), brainsOf(want));
}

/// A slice of a tensor that reaches past its last column, where elements are 0.5, stored through the same layout.
void tensor(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kSize = 16, kHeight = 20, kWidth = 12, kFirst = 3, kHalf = 0x3f00, kConstant = 1;
  BrainShader s(owner);
  const Brains in = brainsOf(wholeNumbers<float>(kHeight * kWidth, 25));
  const std::string type = s.matrix(kSize, kSize, kSum), from = s.element("in", 0), to = s.element("out", 0);
  s.type(5370, "%layoutType" + s.numbers({2, kConstant}));
  s.type(43, "%bf %zero 0");
  s.line("%zeros = OpCompositeConstruct " + type + " %zero");
  s.op(5372, "%layoutType %l0");
  s.op(5373, "%layoutType %l1 %l0" + s.numbers({kHeight, kWidth}));
  s.op(5375, "%layoutType %l2 %l1" + s.numbers({kFirst, kSize, kFirst, kSize}));
  s.op(5376, "%layoutType %layout %l2" + s.numbers({0xabcd0000 | kHalf}));
  s.op(5367, type + " %r " + from + " %zeros %layout 0 0");
  s.op(5368, to + " %r %layout 0 0");
  s.store("%r", kSize, "%bf", kHeight * kWidth);
  Brains want(kHeight * kWidth, 0xffff);
  for (uint32_t y = kFirst; y < kFirst + kSize; ++y)
    for (uint32_t x = kFirst; x < kWidth; ++x) want[y * kWidth + x] = in[y * kWidth + x];
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const uint32_t y = kFirst + i / kSize, x = kFirst + i % kSize;
    want.push_back(x < kWidth ? in[y * kWidth + x] : uint16_t(kHalf));
  }
  expectBrains(s.run(gpu, in, want.size()), want);
}

/// Blocks of two elements, each of which a function finds and doubles.
void decode(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 24, kBlock = 2;
  BrainShader s(owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 26);
  const std::string type = s.matrix(kRows, kColumns, kFactorA), place = s.element("in", 0), zero = s.u(0);
  s.annotate(
      "OpDecorate %from Aliased\nOpDecorate %two ArrayStride 2\nOpDecorate %blockOf2 Block\n"
      "OpMemberDecorate %blockOf2 0 Offset 0\n");
  s.declare("%two = OpTypeArray %bf " + s.u(kBlock) + "\n%blockOf2 = OpTypeStruct %two\n" +
            "%blockOf2Ptr = OpTypePointer PhysicalStorageBuffer %blockOf2\n"
            "%farPtr = OpTypePointer PhysicalStorageBuffer %bf\n%pair = OpTypeArray %u32 " +
            s.u(2) + "\n%fnDecode = OpTypeFunction %bf %blockOf2Ptr %pair %pair\n");
  s.function(
      "%decode = OpFunction %bf None %fnDecode\n%from = OpFunctionParameter %blockOf2Ptr\n"
      "%blockAt = OpFunctionParameter %pair\n%inBlock = OpFunctionParameter %pair\n%decodeEntry = OpLabel\n"
      "%x = OpCompositeExtract %u32 %inBlock 1\n%far = OpAccessChain %farPtr %from " +
      zero +
      " %x\n%stored = OpLoad %bf %far Aligned 2\n%wide = OpFConvert %f32 %stored\n%twice = OpFAdd %f32 %wide %wide\n"
      "%decoded = OpFConvert %bf %twice\nOpReturnValue %decoded\nOpFunctionEnd\n");
  s.type(5370, "%layoutType" + s.numbers({2, 0}));
  s.type(43, "%bf %zero 0");
  s.line("%zeros = OpCompositeConstruct " + type + " %zero");
  s.op(5372, "%layoutType %l0");
  s.op(5384, "%layoutType %l1 %l0" + s.numbers({1, kBlock}));
  s.op(5373, "%layoutType %layout %l1" + s.numbers({kRows, kColumns}));
  s.op(5367, type + " %r " + place + " %zeros %layout 0 2 %decode");
  s.store("%r", kColumns);
  std::vector<float> want;
  for (float f : in) want.push_back(f + f);
  expectBrains(s.run(gpu, brainsOf(in), in.size()), brainsOf(want));
}

// --- The API

/// "VkPhysicalDeviceShaderBfloat16FeaturesKHR": a product of nothing but bfloat16; here one with sums of floats, too.
void properties(Gpu& gpu) {
  constexpr uint32_t kFloat = 1, kBrain = 1000141000;
  gpu.requireExtension("VK_KHR_cooperative_matrix");
  gpu.requireFeatures("VK_KHR_shader_bfloat16", 3);
  std::vector<Properties> all;
  ASSERT_NO_FATAL_FAILURE(listProducts(gpu, all));
  for (uint32_t sum : {kBrain, kFloat})
    EXPECT_EQ(std::count_if(all.begin(), all.end(),
                            [&](const Properties& p) {
                              return p.a == kBrain && p.b == kBrain && p.c == sum && p.result == sum && !p.saturates;
                            }),
              1)
        << sum;
}

void registerOwner(const Owner& owner, const std::string& name) {
  const auto add = [&](const char* what, auto f) { cts::add("cooperative_matrix2.bfloat16." + name + "." + what, f); };
  add("multiply", [=](Gpu& gpu) { multiply(gpu, owner, {16, 24, 8}, kRowMajor); });
  add("multiply.columns", [=](Gpu& gpu) { multiply(gpu, owner, {16, 24, 8}, kColumnMajor); });
  add("multiply.large", [=](Gpu& gpu) { multiply(gpu, owner, {32, 16, 40}, kRowMajor); });
  add("multiply.twice", [=](Gpu& gpu) { multiplyTwice(gpu, owner); });
  add("elements", [=](Gpu& gpu) { elements(gpu, owner); });
  add("transpose", [=](Gpu& gpu) { transpose(gpu, owner); });
  add("reduce", [=](Gpu& gpu) { reduce(gpu, owner); });
  add("per_element", [=](Gpu& gpu) { perElement(gpu, owner); });
  add("tensor", [=](Gpu& gpu) { tensor(gpu, owner); });
  add("decoded", [=](Gpu& gpu) { decode(gpu, owner); });
}

}  // namespace

void registerBrains() {
  registerOwner({}, "subgroup");
  registerOwner({kWorkgroup, kWorkgroupSize}, "workgroup");
  registerOwner({kSubgroup, 4, 4}, "subgroup_of_4");
  add("cooperative_matrix2.bfloat16.magnitudes", multiplyMagnitudes);
  add("cooperative_matrix2.bfloat16.convert.floats", convertFloats);
  add("cooperative_matrix2.bfloat16.convert.integers", convertIntegers);
  add("cooperative_matrix2.bfloat16.convert.halves", convertHalves);
  add("cooperative_matrix2.bfloat16.constants", constants);
  add("cooperative_matrix.bfloat16.properties", properties);
}

}  // namespace etzel::cts::matrices
