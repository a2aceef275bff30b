// VK_NV_cooperative_matrix2: matrices of other sizes than 8 by 8 and of a workgroup, functions on their elements, and
// tensors in memory. Instructions that assemblers of Debian 12 do not know are written as numbers. One workgroup reads
// one buffer and writes another; the values are whole numbers, so every order of sums gives the same.
#include "cts-subset/cases/shader/cooperative_matrix.h"

#include <algorithm>

#include "cts-subset/cases/shader/cooperative_matrix_tools.h"

namespace etzel::cts {
namespace matrices {
namespace {

// --- Products

void multiply(Gpu& gpu, const Owner& owner, uint32_t rows, uint32_t inner, uint32_t columns) {
  Shader s("%f32", owner);
  const uint32_t b = rows * inner, c = b + inner * columns;
  const std::vector<float> in = wholeNumbers<float>(c + rows * columns, rows + inner);
  const std::string ma = s.load(rows, inner, kFactorA, 0), mb = s.load(inner, columns, kFactorB, b),
                    mc = s.load(rows, columns, kSum, c);
  s.op(4459, s.matrix(rows, columns, kSum) + " %r " + ma + " " + mb + " " + mc);
  s.store("%r", columns);
  expectMatrix(s.run(gpu, in, rows * columns), rows, columns, [&](uint32_t i, uint32_t j) {
    double sum = in[c + i * columns + j];
    for (uint32_t k = 0; k < inner; ++k) sum += double(in[i * inner + k]) * in[b + k * columns + j];
    return sum;
  });
}

/// Two subgroups have a product each, eight columns of A and rows of B at a time, and wait for each other between.
void multiplyBetweenBarriers(Gpu& gpu) {
  constexpr uint32_t kRows = 16, kColumns = 16, kInner = 32, kStep = 8, kA = kRows * kInner, kB = 2 * kA;
  Shader s("%f32", {kSubgroup, 16});
  const std::vector<float> in = wholeNumbers<float>(kB + kInner * kColumns, 6);
  s.numberSubgroups();
  const std::string a = s.matrix(kRows, kStep, kFactorA), c = s.matrix(kRows, kColumns, kSum);
  s.type(43, "%f32 %zero 0");
  s.type(44, c + " %sum0 %zero");
  const auto place = [&](const std::string& name, const std::string& buffer, uint32_t each, uint32_t first) {
    s.line(name + "Own = OpIMul %u32 %subgroup " + s.u(each));
    s.line(name + "At = OpIAdd %u32 " + name + "Own " + s.u(first));
    s.line(name + " = OpAccessChain %elemPtr " + buffer + " " + s.u(0) + " " + name + "At");
  };
  for (uint32_t k = 0; k < kInner; k += kStep) {
    const std::string number = std::to_string(k), next = std::to_string(k + kStep);
    place("%pa" + number, "%in", kA, k);
    s.op(4457, a + " %a" + number + " %pa" + number + s.numbers({kRowMajor, kInner}));
    const std::string b = s.load(kStep, kColumns, kFactorB, kB + k * kColumns);
    s.op(4459, c + " %sum" + next + " %a" + number + " " + b + " %sum" + number);
    s.line("OpControlBarrier " + s.u(2) + " " + s.u(2) + " " + s.u(264));
  }
  place("%pc", "%out", kRows * kColumns, 0);
  s.op(4458, "%pc %sum32" + s.numbers({kRowMajor, kColumns}));
  const std::vector<float> got = s.run(gpu, in, 2 * kRows * kColumns);
  expectMatrix(got, 2 * kRows, kColumns, [&](uint32_t i, uint32_t j) {
    double sum = 0;
    for (uint32_t k = 0; k < kInner; ++k) sum += double(in[i * kInner + k]) * in[kB + k * kColumns + j];
    return sum;
  });
}

/// Sums that C takes past both ends.
void multiplySaturating(Gpu& gpu) {
  constexpr uint32_t kSize = 8, kB = 64, kC = 128;
  Shader s("%i32");
  std::vector<int32_t> in = wholeNumbers<int32_t>(3 * 64, 5);
  for (uint32_t i = 0; i < 64; ++i) in[kC + i] = i % 3 == 0 ? INT32_MAX - 9 : i % 3 == 1 ? INT32_MIN + 9 : in[kC + i];
  const std::string a = s.load(kSize, kSize, kFactorA, 0), b = s.load(kSize, kSize, kFactorB, kB),
                    c = s.load(kSize, kSize, kSum, kC);
  s.op(4459, s.matrix(kSize, kSize, kSum) + " %r " + a + " " + b + " " + c + " 31");
  s.store("%r", kSize);
  expectMatrix(s.run(gpu, in, 64), kSize, kSize, [&](uint32_t i, uint32_t j) {
    int64_t sum = in[kC + i * kSize + j];
    for (uint32_t k = 0; k < kSize; ++k) sum += int64_t(in[i * kSize + k]) * in[kB + k * kSize + j];
    return double(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  });
}

// --- Other shapes, and functions on elements

void transpose(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 24;
  Shader s("%f32", owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 1);
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5390, s.matrix(kColumns, kRows, kFactorB) + " %r " + m);
  s.store("%r", kRows);
  expectMatrix(s.run(gpu, in, in.size()), kColumns, kRows,
               [&](uint32_t i, uint32_t j) { return in[j * kColumns + i]; });
}

void convertUse(Gpu& gpu) {
  constexpr uint32_t kRows = 16, kColumns = 8;
  Shader s;
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 2);
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5293, s.matrix(kRows, kColumns, kFactorA) + " %r " + m);
  s.store("%r", kColumns);
  expectMatrix(s.run(gpu, in, in.size()), kRows, kColumns,
               [&](uint32_t i, uint32_t j) { return in[i * kColumns + j]; });
}

constexpr uint32_t kReduceRow = 1, kReduceColumn = 2, kReduceSquare = 4;

/// The sum of rows, columns, both or squares, as a matrix of `rows` and `columns`.
void reduce(Gpu& gpu, const Owner& owner, uint32_t mode, uint32_t rows, uint32_t columns) {
  constexpr uint32_t kRows = 32, kColumns = 16;
  Shader s("%f32", owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 3);
  s.declare("%fnAdd = OpTypeFunction %f32 %f32 %f32\n");
  s.function(
      "%add = OpFunction %f32 None %fnAdd\n%x = OpFunctionParameter %f32\n%y = OpFunctionParameter %f32\n"
      "%addEntry = OpLabel\n%sum = OpFAdd %f32 %x %y\nOpReturnValue %sum\nOpFunctionEnd\n");
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.op(5366, s.matrix(rows, columns, kSum) + " %r " + m + " " + std::to_string(mode) + " %add");
  s.store("%r", columns);
  expectMatrix(s.run(gpu, in, rows * columns), rows, columns, [&](uint32_t i, uint32_t j) {
    double sum = 0;
    for (uint32_t row = 0; row < kRows; ++row)
      for (uint32_t column = 0; column < kColumns; ++column) {
        const bool isIn = mode == kReduceSquare
                              ? row / 2 == i && column / 2 == j
                              : (mode & kReduceColumn || row == i) && (mode & kReduceRow || column == j);
        if (isIn) sum += in[row * kColumns + column];
      }
    return sum;
  });
}

/// f(row, column, element, other matrix's element, number), with a branch that lanes disagree about.
void perElement(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 16, kOther = kRows * kColumns;
  Shader s("%f32", owner);
  const std::vector<float> in = wholeNumbers<float>(2 * kOther, 4);
  s.declare("%fnElement = OpTypeFunction %f32 %u32 %u32 %f32 %f32 %f32\n%seven = OpConstant %f32 7\n");
  s.function(
      "%element = OpFunction %f32 None %fnElement\n%row = OpFunctionParameter %u32\n%column = OpFunctionParameter "
      "%u32\n"
      "%x = OpFunctionParameter %f32\n%y = OpFunctionParameter %f32\n%z = OpFunctionParameter %f32\n"
      "%elementEntry = OpLabel\n%isUpper = OpUGreaterThan %bool %column %row\nOpSelectionMerge %elementEnd None\n"
      "OpBranchConditional %isUpper %upper %elementEnd\n%upper = OpLabel\nOpReturnValue %z\n%elementEnd = OpLabel\n"
      "%place = OpIMul %u32 %row " +
      s.u(3) +
      "\n%at = OpIAdd %u32 %place %column\n%wide = OpConvertUToF %f32 %at\n"
      "%xy = OpFMul %f32 %x %y\n%all = OpFAdd %f32 %xy %wide\nOpReturnValue %all\nOpFunctionEnd\n");
  const std::string m = s.load(kRows, kColumns, kSum, 0), other = s.load(kRows, kColumns, kSum, kOther);
  s.op(5369, s.matrix(kRows, kColumns, kSum) + " %r " + m + " %element " + other + " %seven");
  s.store("%r", kColumns);
  expectMatrix(s.run(gpu, in, kOther), kRows, kColumns, [&](uint32_t i, uint32_t j) {
    const uint32_t at = i * kColumns + j;
    return j > i ? 7.0 : double(in[at]) * in[kOther + at] + i * 3 + j;
  });
}

/// Every lane adds 1 to what it has; the lengths of all invocations are those of one matrix.
void components(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 24, kColumns = 16;
  Shader s("%u32", owner);
  const std::vector<uint32_t> in(kRows * kColumns, 3);
  const std::string type = s.matrix(kRows, kColumns, kSum);
  s.op(4460, "%u32 %length " + type);
  s.line("%count = OpAccessChain %elemPtr %out " + s.u(0) + " " + s.u(kRows * kColumns));
  s.line("%before = OpAtomicIAdd %u32 %count " + s.u(1) + " " + s.u(0) + " %length");
  const std::string m = s.load(kRows, kColumns, kSum, 0);
  s.line("%ones = OpCompositeConstruct " + type + " " + s.u(1));
  s.line("%r = OpIAdd " + type + " " + m + " %ones");
  s.store("%r", kColumns);
  const std::vector<uint32_t> got = s.run(gpu, in, kRows * kColumns + 1);
  expectMatrix(got, kRows, kColumns, [](uint32_t, uint32_t) { return 4.0; });
  EXPECT_EQ(got[kRows * kColumns], kRows * kColumns - 1);  // -1 was there
}

// --- Tensors

enum Clamp : uint32_t { kUndefined, kConstant, kToEdge, kRepeat, kMirror };
constexpr float kClampValue = 0.5f;

/// "Tensor Layout and View", as the specification words it.
struct Tensor {
  std::vector<int> dimension, offset, span, blockSize, stride;
  Clamp clamp = kUndefined;
  bool hasView = false, viewHasDimensions = false;
  std::vector<int> viewDimension, viewStride, permutation;
  std::array<uint32_t, 4> clip{0, ~0u, 0, ~0u};

  enum class Fate { Access, Clamped, Skipped };
  Fate find(uint32_t row, uint32_t column, uint32_t columns, bool isStore, int* index, int* inBlock) const {
    int at = int(row * columns + column);
    if (hasView) {
      if (row < clip[0] || row - clip[0] >= clip[1] || column < clip[2] || column - clip[2] >= clip[3])
        return Fate::Skipped;
      at = int((row - clip[0]) * std::min(columns, clip[3]) + column - clip[2]);
      const std::vector<int>& sizes = viewHasDimensions ? viewDimension : span;
      std::vector<int> coord(sizes.size());
      for (size_t d = sizes.size(); d-- > 0;) {
        const size_t i = size_t(permutation[d]);
        coord[i] = at % sizes[i], at /= sizes[i];
      }
      at = 0;
      for (size_t d = sizes.size(), step = 1; d-- > 0; step *= size_t(sizes[d]))
        at += coord[d] * (viewHasDimensions ? viewStride[d] : int(step));
    }
    *index = *inBlock = 0;
    std::vector<int> c(dimension.size());
    for (size_t d = dimension.size(); d-- > 0;) c[d] = at % span[d], at /= span[d];
    for (size_t d = 0; d < dimension.size(); ++d) {
      int x = c[d] + offset[d];
      const int size = dimension[d];
      if (x < 0 || x >= size) {
        if (isStore || clamp == kConstant) return Fate::Clamped;
        const int period = clamp == kMirror ? 2 * size - 2 : size;
        if (clamp == kToEdge)
          x = std::clamp(x, 0, size - 1);
        else
          x = (x % period + period) % period;
        if (x >= size) x = period - x;
      }
      *index += x / blockSize[d] * stride[d];
      *inBlock = *inBlock * blockSize[d] + x % blockSize[d];
    }
    return Fate::Access;
  }

  static std::vector<uint32_t> bits(const std::vector<int>& numbers) { return {numbers.begin(), numbers.end()}; }

  /// Writes instructions that make %layout and %view; ids of types end with `name`.
  void write(Shader& s) const {
    const uint32_t n = uint32_t(dimension.size());
    s.type(5370, "%layoutType" + s.numbers({n, clamp}));
    s.op(5372, "%layoutType %l0");
    s.op(5384, "%layoutType %l1 %l0" + s.numbers(bits(blockSize)));
    s.op(5373, "%layoutType %l2 %l1" + s.numbers(bits(dimension)));
    s.op(5374, "%layoutType %l3 %l2" + s.numbers(bits(stride)));
    std::vector<uint32_t> slice;
    for (uint32_t d = 0; d < n; ++d) slice.insert(slice.end(), {uint32_t(offset[d]), uint32_t(span[d])});
    s.op(5375, "%layoutType %l4 %l3" + s.numbers(slice));
    s.op(5376, "%layoutType %layout %l4" + s.numbers({0x3f000000}));  // kClampValue
    if (!hasView) return;
    s.type(5371, "%viewType" + s.numbers({uint32_t(permutation.size())}) + (viewHasDimensions ? " %true" : " %false") +
                     s.numbers(bits(permutation)));
    s.op(5377, "%viewType %v0");
    if (viewHasDimensions) {
      s.op(5378, "%viewType %v1 %v0" + s.numbers(bits(viewDimension)));
      s.op(5379, "%viewType %v2 %v1" + s.numbers(bits(viewStride)));
    }
    s.op(5382, std::string("%viewType %view ") + (viewHasDimensions ? "%v2" : "%v0") +
                   s.numbers({clip[0], clip[1], clip[2], clip[3]}));
  }
  std::string operands() const { return hasView ? " 0 1 %view" : " 0 0"; }
};

/// A region of a tensor of two dimensions that reaches past its ends.
Tensor slice(Clamp clamp) {
  Tensor t;
  t.dimension = {20, 11}, t.stride = {13, 1}, t.blockSize = {1, 1}, t.clamp = clamp;
  t.offset = {-5, 3}, t.span = {24, 16};
  return t;
}
/// Space to depth: 8 by 12 squares of 2 by 2 pixels and 4 channels become rows of 16.
Tensor spaceToDepth() {
  Tensor t;
  t.dimension = t.span = {16, 12, 4}, t.stride = {48, 4, 1}, t.blockSize = {1, 1, 1}, t.offset = {0, 0, 0};
  t.hasView = t.viewHasDimensions = true;
  t.viewDimension = {8, 2, 6, 2, 4}, t.viewStride = {96, 48, 8, 4, 1}, t.permutation = {0, 2, 1, 3, 4};
  return t;
}
Tensor columnsOf(Tensor t) {
  t.hasView = true, t.permutation = {1, 0};
  return t;
}
Tensor clipped(Tensor t) {
  t.hasView = true, t.permutation = {0, 1}, t.clip = {3, 9, 2, 13};
  t.span = {9, 13};
  return t;
}

void loadTensor(Gpu& gpu, const Owner& owner, const Tensor& t, uint32_t rows, uint32_t columns) {
  Shader s("%f32", owner);
  const std::vector<float> in = wholeNumbers<float>(1024, 6);
  const std::string type = s.matrix(rows, columns, kSum), place = s.element("in", 0);
  s.declare("%nine = OpConstant %f32 9\n");
  s.line("%nines = OpCompositeConstruct " + type + " %nine");
  t.write(s);
  s.op(5367, type + " %r " + place + " %nines %layout" + t.operands());
  s.store("%r", columns);
  expectMatrix(s.run(gpu, in, rows * columns), rows, columns, [&](uint32_t i, uint32_t j) {
    int index = 0, inBlock = 0;
    const Tensor::Fate fate = t.find(i, j, columns, false, &index, &inBlock);
    return fate == Tensor::Fate::Skipped ? 9 : fate == Tensor::Fate::Clamped ? kClampValue : in[size_t(index)];
  });
}

void storeTensor(Gpu& gpu, const Owner& owner, const Tensor& t, uint32_t rows, uint32_t columns) {
  constexpr size_t kOut = 1024;
  Shader s("%f32", owner);
  const std::vector<float> in = wholeNumbers<float>(rows * columns, 7);
  const std::string m = s.load(rows, columns, kSum, 0), place = s.element("out", 0);
  t.write(s);
  s.op(5368, place + " " + m + " %layout" + t.operands());
  std::vector<float> want(kOut, -1.0f);
  for (uint32_t i = 0; i < rows; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      int index = 0, inBlock = 0;
      if (t.find(i, j, columns, true, &index, &inBlock) == Tensor::Fate::Access)
        want[size_t(index)] = in[i * columns + j];
    }
  EXPECT_EQ(s.run(gpu, in, kOut) == want, true);
}

/// Blocks of 2 by 4 elements, each of which a function finds; it adds where the block is.
void decodeTensor(Gpu& gpu, const Owner& owner) {
  constexpr uint32_t kRows = 16, kColumns = 24, kBlock = 8;
  Tensor t;
  t.dimension = t.span = {int(kRows), int(kColumns)}, t.blockSize = {2, 4}, t.stride = {6, 1}, t.offset = {0, 0};
  Shader s("%f32", owner);
  const std::vector<float> in = wholeNumbers<float>(kRows * kColumns, 8);
  const std::string type = s.matrix(kRows, kColumns, kSum), place = s.element("in", 0);
  s.annotate(
      "OpDecorate %from Aliased\nOpDecorate %eight ArrayStride 4\nOpDecorate %blockOf8 Block\nOpMemberDecorate "
      "%blockOf8 0 Offset 0\n");
  s.declare("%eight = OpTypeArray %f32 " + s.u(kBlock) + "\n%blockOf8 = OpTypeStruct %eight\n" +
            "%blockOf8Ptr = OpTypePointer PhysicalStorageBuffer %blockOf8\n"
            "%farPtr = OpTypePointer PhysicalStorageBuffer %f32\n%pair = OpTypeArray %u32 " +
            s.u(2) + "\n%fnDecode = OpTypeFunction %f32 %blockOf8Ptr %pair %pair\n%zero = OpConstant %f32 0\n");
  s.function(
      "%decode = OpFunction %f32 None %fnDecode\n%from = OpFunctionParameter %blockOf8Ptr\n"
      "%blockAt = OpFunctionParameter %pair\n%inBlock = OpFunctionParameter %pair\n%decodeEntry = OpLabel\n"
      "%y = OpCompositeExtract %u32 %inBlock 0\n%x = OpCompositeExtract %u32 %inBlock 1\n"
      "%y4 = OpIMul %u32 %y " +
      s.u(4) +
      "\n%number = OpIAdd %u32 %y4 %x\n"
      "%far = OpAccessChain %farPtr %from " +
      s.u(0) +
      " %number\n%stored = OpLoad %f32 %far Aligned 4\n"
      "%by = OpCompositeExtract %u32 %blockAt 0\n%bx = OpCompositeExtract %u32 %blockAt 1\n"
      "%by9 = OpIMul %u32 %by " +
      s.u(9) +
      "\n%bxy = OpIAdd %u32 %by9 %bx\n%added = OpConvertUToF %f32 %bxy\n"
      "%decoded = OpFAdd %f32 %stored %added\nOpReturnValue %decoded\nOpFunctionEnd\n");
  s.line("%zeros = OpCompositeConstruct " + type + " %zero");
  t.write(s);
  s.op(5367, type + " %r " + place + " %zeros %layout 0 2 %decode");
  s.store("%r", kColumns);
  expectMatrix(s.run(gpu, in, in.size()), kRows, kColumns, [&](uint32_t i, uint32_t j) {
    int index = 0, inBlock = 0;
    t.find(i, j, kColumns, false, &index, &inBlock);
    return in[size_t(index) * kBlock + size_t(inBlock)] + i / 2 * 9 + j / 4;
  });
}

void registerOwner(const Owner& owner, const std::string& name) {
  const auto add = [&](const char* what, auto f) { cts::add("cooperative_matrix2." + name + "." + what, f); };
  add("multiply", [=](Gpu& gpu) { multiply(gpu, owner, 16, 24, 8); });
  add("multiply.large", [=](Gpu& gpu) { multiply(gpu, owner, 32, 16, 40); });
  add("transpose", [=](Gpu& gpu) { transpose(gpu, owner); });
  add("reduce.rows", [=](Gpu& gpu) { reduce(gpu, owner, kReduceRow, 32, 48); });
  add("reduce.columns", [=](Gpu& gpu) { reduce(gpu, owner, kReduceColumn, 8, 16); });
  add("reduce.both", [=](Gpu& gpu) { reduce(gpu, owner, kReduceRow | kReduceColumn, 16, 8); });
  add("reduce.squares", [=](Gpu& gpu) { reduce(gpu, owner, kReduceSquare, 16, 8); });
  add("per_element", [=](Gpu& gpu) { perElement(gpu, owner); });
  if (owner.scope == kWorkgroup || owner.invocations == owner.subgroupSize)
    add("components", [=](Gpu& gpu) { components(gpu, owner); });
  const std::pair<const char*, Clamp> clamps[] = {
      {"constant", kConstant}, {"to_edge", kToEdge}, {"repeat", kRepeat}, {"mirror", kMirror}};
  for (const auto& [mode, clamp] : clamps) {
    const std::string load = std::string("load.") + mode, store = std::string("store.") + mode;
    add(load.c_str(), [=, c = clamp](Gpu& gpu) { loadTensor(gpu, owner, slice(c), 24, 16); });
    add(store.c_str(), [=, c = clamp](Gpu& gpu) { storeTensor(gpu, owner, slice(c), 24, 16); });
  }
  add("load.columns", [=](Gpu& gpu) { loadTensor(gpu, owner, columnsOf(slice(kConstant)), 16, 24); });
  add("store.columns", [=](Gpu& gpu) { storeTensor(gpu, owner, columnsOf(slice(kConstant)), 16, 24); });
  add("load.clipped", [=](Gpu& gpu) { loadTensor(gpu, owner, clipped(slice(kConstant)), 16, 16); });
  add("store.clipped", [=](Gpu& gpu) { storeTensor(gpu, owner, clipped(slice(kConstant)), 16, 16); });
  add("load.space_to_depth", [=](Gpu& gpu) { loadTensor(gpu, owner, spaceToDepth(), 48, 16); });
  add("store.space_to_depth", [=](Gpu& gpu) { storeTensor(gpu, owner, spaceToDepth(), 48, 16); });
  add("load.decoded", [=](Gpu& gpu) { decodeTensor(gpu, owner); });
}

}  // namespace
}  // namespace matrices

void registerCooperativeMatrices() {
  using namespace matrices;
  registerOwner({}, "subgroup");
  registerOwner({kWorkgroup, kWorkgroupSize}, "workgroup");
  registerOwner({kSubgroup, 4, 4}, "subgroup_of_4");
  registerOwner({kSubgroup, 8, 4}, "subgroups_of_4");
  registerOwner({kWorkgroup, kWorkgroupSize, 4}, "workgroup_of_4s");
  add("cooperative_matrix2.multiply.saturating", multiplySaturating);
  add("cooperative_matrix2.multiply.between_barriers", multiplyBetweenBarriers);
  add("cooperative_matrix2.convert_use", convertUse);
  registerBrains();
  registerFloat8s();
}

}  // namespace etzel::cts
