#include "coopmat_module.h"

#include <fmt/format.h>

#include <set>
#include <spirv-tools/libspirv.hpp>
#include <sstream>

#include "../harness/gpu.h"

namespace vkbench {
namespace {

constexpr uint32_t kTypeMatrix = 4456, kLoad = 4457, kStore = 4458, kMulAdd = 4459;  // SPV_KHR_cooperative_matrix

/// An instruction that the assembler does not know.
std::string numbered(uint32_t opcode, const std::string& operands) {
  std::istringstream words(operands);
  uint32_t count = 1;
  for (std::string w; words >> w;) ++count;
  return fmt::format("!0x{:08x} {}\n", count << 16 | opcode, operands);
}

/// A module as it is written: the body of its function, and the constants that come up on the way.
class Module {
 public:
  Module(const MatrixSizes& sizes, Factor factor, uint32_t n)
      : s(sizes), n(n), down(kSubgroupTile / sizes.rows), across(kSubgroupTile / sizes.columns), factor_(factor) {}

  const MatrixSizes s;
  const uint32_t n;
  const uint32_t down, across;  ///< matrices of a subgroup's part of the result

  std::string u(uint32_t number) {
    numbers_.insert(number);
    return fmt::format("%n{}", number);
  }
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    body_ += fmt::format(format, std::forward<T>(values)...) + "\n";
  }
  /// The OpNop ends the operands of what stands before.
  void op(uint32_t opcode, const std::string& operands) { body_ += "OpNop\n" + numbered(opcode, operands); }
  /// An instruction of two words: its result.
  std::string word(const char* opcode, const std::string& a, const std::string& b) {
    const std::string result = fmt::format("%w{}", ++words_);
    line("{} = {} %u32 {} {}", result, opcode, a, b);
    return result;
  }
  std::string add(const std::string& a, const std::string& b) { return word("OpIAdd", a, b); }
  std::string times(const std::string& a, uint32_t b) { return word("OpIMul", a, u(b)); }

  void loadMatrix(const char* type, const std::string& result, const std::string& place, bool byRows, uint32_t stride) {
    op(kLoad, fmt::format("{} {} {} {} {}", type, result, place, u(byRows ? 0 : 1), u(stride)));
  }
  void beginSums() {
    for (uint32_t i = 0; i < down * across; ++i) line("OpStore %sum{} %zeros", i);
  }
  /// All products of %a0, %a1, ... and %b0, %b1, ...
  void multiply(const std::string& round) {
    for (uint32_t i = 0; i < down; ++i)
      for (uint32_t j = 0; j < across; ++j) {
        const std::string name = fmt::format("{}_{}_{}", round, i, j);
        line("%c{} = OpLoad %mC %sum{}", name, i * across + j);
        op(kMulAdd, fmt::format("%mC %r{0} %a{1}_{2} %b{1}_{3} %c{0}", name, round, i, j));
        line("OpStore %sum{} %r{}", i * across + j, name);
      }
  }
  void storeSums(const std::string& row, const std::string& column) {
    const std::string first = add(times(row, n), column);
    for (uint32_t i = 0; i < down; ++i)
      for (uint32_t j = 0; j < across; ++j) {
        const uint32_t sum = i * across + j;
        const std::string at = add(first, u(i * s.rows * n + j * s.columns));
        line("%place{} = OpAccessChain %pFloat %C %n0 {}", sum, at);
        line("%all{} = OpLoad %mC %sum{}", sum, sum);
        op(kStore, fmt::format("%place{0} %all{0} {1} {2}", sum, u(0), u(n)));
      }
  }
  /// Opens a loop of `step` from 0 to n, whose counter is %k.
  void beginLoop(uint32_t step) {
    u(0), u(n), u(step);
    line("OpBranch %head\n%head = OpLabel\n%k = OpPhi %u32 %n0 %entry %next %goOn\nOpLoopMerge %done %goOn None");
    line("OpBranch %test\n%test = OpLabel\n%more = OpULessThan %bool %k %n{}", n);
    line("OpBranchConditional %more %body %done\n%body = OpLabel");
  }
  void endLoop(uint32_t step) {
    line("OpBranch %goOn\n%goOn = OpLabel\n%next = OpIAdd %u32 %k %n{}\nOpBranch %head\n%done = OpLabel", step);
  }

  /// `tiles`: types and variables of workgroup memory; the factors' buffers are arrays of `element`.
  std::vector<uint32_t> assemble(uint32_t invocations, const char* element, uint32_t elementBytes,
                                 const std::string& tiles) {
    const char* const component = factor_ == Factor::Float ? "%f32" : factor_ == Factor::Half ? "%f16" : "%brain";
    std::string t = "OpCapability Shader\nOpCapability !6022\nOpCapability GroupNonUniform\n";
    if (factor_ == Factor::Half) t += "OpCapability Float16\n";
    if (factor_ == Factor::Brain) t += "OpCapability !5116\nOpCapability !5118\n";
    if (factor_ != Factor::Float) t += "OpCapability StorageBuffer16BitAccess\nOpExtension \"SPV_KHR_16bit_storage\"\n";
    if (factor_ == Factor::Brain) t += "OpExtension \"SPV_KHR_bfloat16\"\n";
    t += "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\" %group %subgroup %local\n";
    t += fmt::format("OpExecutionMode %main LocalSize {} 1 1\n", invocations);
    t += "OpDecorate %group BuiltIn WorkgroupId\nOpDecorate %subgroup BuiltIn SubgroupId\n"
         "OpDecorate %local BuiltIn LocalInvocationIndex\n";
    t += fmt::format("OpDecorate %elements ArrayStride {}\nOpDecorate %floats ArrayStride 4\n", elementBytes);
    t += "OpDecorate %factors Block\nOpMemberDecorate %factors 0 Offset 0\n"
         "OpDecorate %sums Block\nOpMemberDecorate %sums 0 Offset 0\n"
         "OpDecorate %A DescriptorSet 0\nOpDecorate %A Binding 0\nOpDecorate %B DescriptorSet 0\n"
         "OpDecorate %B Binding 1\nOpDecorate %C DescriptorSet 0\nOpDecorate %C Binding 2\n"
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
         "%f32 = OpTypeFloat 32\n%zero = OpConstant %f32 0\n";
    if (factor_ == Factor::Half) t += "%f16 = OpTypeFloat 16\n";
    t += "%uvec3 = OpTypeVector %u32 3\n%uvec4 = OpTypeVector %u32 4\n";
    for (const uint32_t number : {0u, 1u, 2u, 3u, s.rows, s.columns, s.inner}) u(number);
    for (const uint32_t number : numbers_) t += fmt::format("%n{0} = OpConstant %u32 {0}\n", number);
    if (factor_ == Factor::Brain) t += numbered(22, "%brain 16 0");
    const auto matrix = [&](const char* name, const char* of, uint32_t rows, uint32_t columns, uint32_t use) {
      return numbered(kTypeMatrix, fmt::format("{} {} %n3 %n{} %n{} %n{}", name, of, rows, columns, use));
    };
    t += matrix("%mA", component, s.rows, s.inner, 0) + matrix("%mB", component, s.inner, s.columns, 1) +
         matrix("%mC", "%f32", s.rows, s.columns, 2);
    t += fmt::format(
        "%zeros = OpConstantComposite %mC %zero\n%elements = OpTypeRuntimeArray {0}\n"
        "%factors = OpTypeStruct %elements\n%pElement = OpTypePointer StorageBuffer {0}\n",
        element);
    t += "%floats = OpTypeRuntimeArray %f32\n%sums = OpTypeStruct %floats\n"
         "%pFactors = OpTypePointer StorageBuffer %factors\n%pSums = OpTypePointer StorageBuffer %sums\n"
         "%pFloat = OpTypePointer StorageBuffer %f32\n%pIn3 = OpTypePointer Input %uvec3\n"
         "%pIn = OpTypePointer Input %u32\n%pSum = OpTypePointer Function %mC\n"
         "%A = OpVariable %pFactors StorageBuffer\n%B = OpVariable %pFactors StorageBuffer\n"
         "%C = OpVariable %pSums StorageBuffer\n%group = OpVariable %pIn3 Input\n%subgroup = OpVariable %pIn Input\n"
         "%local = OpVariable %pIn Input\n";
    t += tiles + "%main = OpFunction %void None %function\n%entry = OpLabel\n";
    for (uint32_t i = 0; i < down * across; ++i) t += fmt::format("%sum{} = OpVariable %pSum Function\n", i);
    t += "%groups = OpLoad %uvec3 %group\n%groupX = OpCompositeExtract %u32 %groups 0\n"
         "%groupY = OpCompositeExtract %u32 %groups 1\n" +
         body_ + "OpReturn\nOpFunctionEnd\n";
    return binary(t);
  }

 private:
  static std::vector<uint32_t> binary(const std::string& text) {
    const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
    std::vector<uint32_t> words;
    if (!tools.Assemble(text, &words)) throw Failed("a shader of cooperative matrices cannot be assembled");
    return words;
  }

  const Factor factor_;
  std::set<uint32_t> numbers_;
  std::string body_;
  uint32_t words_ = 0;
};

}  // namespace

std::vector<uint32_t> directProduct(const MatrixSizes& sizes, Factor factor, uint32_t n) {
  Module m(sizes, factor, n);
  m.beginSums();
  const std::string row = m.times("%groupY", kSubgroupTile), column = m.times("%groupX", kSubgroupTile);
  const std::string rowOfA = m.times(row, n);
  m.beginLoop(sizes.inner);
  const std::string a = m.add(rowOfA, "%k"), b = m.add(m.times("%k", n), column);
  for (uint32_t i = 0; i < m.down; ++i) {
    m.line("%pa{} = OpAccessChain %pElement %A %n0 {}", i, m.add(a, m.u(i * sizes.rows * n)));
    m.loadMatrix("%mA", fmt::format("%a_{}", i), fmt::format("%pa{}", i), true, n);
  }
  for (uint32_t j = 0; j < m.across; ++j) {
    m.line("%pb{} = OpAccessChain %pElement %B %n0 {}", j, m.add(b, m.u(j * sizes.columns)));
    m.loadMatrix("%mB", fmt::format("%b_{}", j), fmt::format("%pb{}", j), true, n);
  }
  m.multiply("");
  m.endLoop(sizes.inner);
  m.storeSums(row, column);
  const bool isFloat = factor == Factor::Float;
  return m.assemble(sizes.subgroup, isFloat ? "%f32" : factor == Factor::Half ? "%f16" : "%brain", isFloat ? 4 : 2, "");
}

std::vector<uint32_t> sharedProduct(const MatrixSizes& sizes, uint32_t n) {
  // Tiles are rows of A and columns of B, 32 halves of each, moved four words at a time; four words more keep
  // hardware's banks apart.
  constexpr uint32_t kInner = 32, kHalves = 8, kParts = kInner / kHalves, kPitch = kParts + 1;
  Module m(sizes, Factor::Half, n);
  const uint32_t invocations = 4 * sizes.subgroup;
  m.beginSums();
  m.line("%me = OpLoad %u32 %local\n%sub = OpLoad %u32 %subgroup");
  const std::string down = m.times(m.word("OpShiftRightLogical", "%sub", m.u(1)), kSubgroupTile),
                    across = m.times(m.word("OpBitwiseAnd", "%sub", m.u(1)), kSubgroupTile);
  const std::string row = m.times("%groupY", kWorkgroupTile), column = m.times("%groupX", kWorkgroupTile);
  m.beginLoop(kInner);
  const std::string k = m.word("OpShiftRightLogical", "%k", m.u(3));
  for (uint32_t i = 0; i < kWorkgroupTile * kParts / invocations; ++i) {
    const std::string at = m.add("%me", m.u(i * invocations));
    const std::string line = m.word("OpShiftRightLogical", at, m.u(2)), part = m.word("OpBitwiseAnd", at, m.u(3));
    const std::string to = m.add(m.times(line, kPitch), part), inRow = m.add(k, part);
    for (const auto& [matrix, first] : {std::pair("A", row), std::pair("B", column)}) {
      const std::string from = m.add(m.times(m.add(first, line), n / kHalves), inRow);
      m.line("%from{0}{1} = OpAccessChain %pElement %{0} %n0 {2}", matrix, i, from);
      m.line("%moved{0}{1} = OpLoad %uvec4 %from{0}{1}", matrix, i);
      m.line("%to{0}{1} = OpAccessChain %pTile %tile{0} {2}\nOpStore %to{0}{1} %moved{0}{1}", matrix, i, to);
    }
  }
  m.u(264);  // acquires and releases workgroup memory
  m.line("OpControlBarrier %n2 %n2 %n264");
  const std::string firstOfA = m.times(down, kPitch), firstOfB = m.times(across, kPitch);
  for (uint32_t inner = 0; inner < kInner; inner += sizes.inner) {
    const auto load = [&](const char* matrix, char name, const std::string& first, uint32_t i, uint32_t lines,
                          bool byRows) {
      const std::string at = m.add(first, m.u(i * lines * kPitch + inner / kHalves));
      m.line("%p{}{}_{} = OpAccessChain %pTile %tile{} {}", name, inner, i, matrix, at);
      m.loadMatrix(byRows ? "%mA" : "%mB", fmt::format("%{}{}_{}", name, inner, i),
                   fmt::format("%p{}{}_{}", name, inner, i), byRows, kPitch);
    };
    for (uint32_t i = 0; i < m.down; ++i) load("A", 'a', firstOfA, i, sizes.rows, true);
    for (uint32_t j = 0; j < m.across; ++j) load("B", 'b', firstOfB, j, sizes.columns, false);
    m.multiply(std::to_string(inner));
  }
  m.line("OpControlBarrier %n2 %n2 %n264");
  m.endLoop(kInner);
  m.storeSums(m.add(row, down), m.add(column, across));
  const std::string words = m.u(kWorkgroupTile * kPitch);
  return m.assemble(invocations, "%uvec4", 16,
                    "%tile = OpTypeArray %uvec4 " + words +
                        "\n%pTiles = OpTypePointer Workgroup %tile\n%pTile = OpTypePointer Workgroup %uvec4\n"
                        "%tileA = OpVariable %pTiles Workgroup\n%tileB = OpVariable %pTiles Workgroup\n");
}

}  // namespace vkbench
