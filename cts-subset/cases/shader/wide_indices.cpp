// Indices of 64 bits into storage buffers (VK_EXT_shader_64bit_indexing): what lies 4 GiB behind the beginning of a
// sparse buffer of which hardly anything has memory. One workgroup of eight invocations; numbers at the buffer's
// beginning and others 4 GiB further on, so that an index that loses bits finds something else.
#include "cts-subset/cases/shader/wide_indices.h"

#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/pipeline_flags.h"
#include "cts-subset/support/sparse.h"

namespace etzel::cts {
namespace {

constexpr VkDeviceSize kFar = VkDeviceSize(4) << 30;
constexpr uint32_t kLanes = 8, kWords = 64, kUntouched = 0xdeadbeef;

/// Who asks for 64 bits.
enum class Asks { Pipeline, Module };

/// A buffer with two blocks of memory: its first one, and the one at kFar. Each begins with some words.
class FarBuffer {
 public:
  explicit FarBuffer(Gpu& gpu)
      : gpu_(gpu), buffer_(made(gpu)), memory_(gpu, buffer_.needs.memoryTypeBits, 2 * block()) {
    SparseBatch batch;
    batch.buffer = &buffer_;
    batch.bufferBinds = {buffer_.blocks(0, 1, &memory_, 0), buffer_.blocks(kFar / block(), 1, &memory_, 1)};
    batch.run(gpu);
    gpu.submit([&](VkCommandBuffer cmd) {
      vkCmdUpdateBuffer(cmd, buffer_.handle, 0, kWords * 4, near.data());
      vkCmdUpdateBuffer(cmd, buffer_.handle, kFar, kWords * 4, far.data());
    });
  }
  Binding binding() const { return {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {buffer_.handle, 0, VK_WHOLE_SIZE}}; }
  VkDeviceSize bytes() const { return buffer_.bytes; }
  std::vector<uint32_t> read(VkDeviceSize from) const {
    Buffer copy = gpu_.buffer(kWords * 4);
    const VkBufferCopy region{from, 0, kWords * 4};
    gpu_.submit([&](VkCommandBuffer cmd) { vkCmdCopyBuffer(cmd, buffer_.handle, copy.handle, 1, &region); });
    return {copy.as<uint32_t>(), copy.as<uint32_t>() + kWords};
  }

  const std::vector<uint32_t> near = randomWords(kWords, 1), far = randomWords(kWords, 2);

 private:
  static SparseBuffer made(Gpu& gpu) {
    gpu.requireFeatures("VK_EXT_shader_64bit_indexing", 1);
    gpu.require(gpu.features.features.shaderInt64, "shaderInt64");
    gpu.require(gpu.features.features.sparseBinding && gpu.features.features.sparseResidencyBuffer,
                "sparseResidencyBuffer");
    gpu.require(gpu.properties.properties.limits.sparseAddressSpaceSize > 2 * kFar, "sparse buffers of so many bytes");
    const VkDeviceSize block = SparseBuffer(gpu, 1, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT).needs.alignment;
    return SparseBuffer(gpu, kFar / block + 2, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
  }
  VkDeviceSize block() const { return buffer_.needs.alignment; }

  Gpu& gpu_;
  SparseBuffer buffer_;
  SparseMemory memory_;
};

struct Shader {
  std::string body;
  std::string types{};         ///< further ones
  std::string decorations{};   ///< further ones
  std::string capabilities{};  ///< further ones
  Asks asks = Asks::Pipeline;
  bool isOlder = false;  ///< storage buffers are uniform blocks with BufferBlock, as before SPIR-V 1.3
};

/// %u32, %u64 and %i64, constants %c0 to %c16, the far buffer %a and results %out, which are blocks of words, %wordPtr;
/// %lane, and %i, the number of the far word of the invocation. `%OUT(%id)` stores a word for the invocation.
std::string module(const Shader& s) {
  const bool asks = s.asks == Asks::Module;
  std::string t = "OpCapability Shader\nOpCapability Int64\n" + s.capabilities +
                  (asks ? "OpCapability !5426\nOpExtension \"SPV_EXT_shader_64bit_indexing\"\n" : "") +
                  "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %laneVar" +
                  (s.isOlder ? "" : " %a %out") + "\nOpExecutionMode %main LocalSize 8 1 1\n" +
                  (asks ? "OpExecutionMode %main !5427\n" : "") +
                  "OpDecorate %laneVar BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\n"
                  "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
                  "OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\nOpDecorate %out DescriptorSet 0\n"
                  "OpDecorate %out Binding 1\nOpDecorate %wordPtr ArrayStride 4\n" +
                  s.decorations +
                  "%void = OpTypeVoid\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n"
                  "%i64 = OpTypeInt 64 1\n%words = OpTypeRuntimeArray %u32\n";
  for (int i = 0; i <= 16; ++i) t += text("%%c%d = OpConstant %%u32 %d\n", i, i);
  t += "%far = OpConstant %u64 1073741824\n%block = OpTypeStruct %words\n"
       "%blockPtr = OpTypePointer StorageBuffer %block\n%wordPtr = OpTypePointer StorageBuffer %u32\n"
       "%lanePtr = OpTypePointer Input %u32\n%out = OpVariable %blockPtr StorageBuffer\n";
  if (s.types.find("%a = ") == std::string::npos) t += "%a = OpVariable %blockPtr StorageBuffer\n";
  t += s.types +
       "%laneVar = OpVariable %lanePtr Input\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n"
       "%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\n%lane64 = OpUConvert %u64 %lane\n"
       "%i = OpIAdd %u64 %lane64 %far\n" +
       s.body;
  expandOutputs(t, [](const std::string& id) {
    return "%result = OpAccessChain %wordPtr %out %c0 %lane\nOpStore %result " + id;
  });
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = t.find(from, at)) != std::string::npos; at += to.size()) t.replace(at, from.size(), to);
  };
  if (s.isOlder) replace(" StorageBuffer", " Uniform"), replace("%block Block", "%block BufferBlock");
  return t + "OpReturn\nOpFunctionEnd\n";
}

/// \returns the results
std::vector<uint32_t> run(Gpu& gpu, const FarBuffer& a, const Shader& shader) {
  Buffer out = gpu.buffer(std::vector<uint32_t>(kWords, kUntouched));
  const PipelineFlags flags(kWideIndices);
  Dispatch d;
  d.module = gpu.assemble(module(shader), false, shader.isOlder ? 0x10000 : 0);
  d.bindings = {a.binding(), storage(out)};
  d.chain = shader.asks == Asks::Pipeline ? &flags : nullptr;
  gpu.dispatch(d);
  return {out.as<uint32_t>(), out.as<uint32_t>() + kWords};
}

void load(Gpu& gpu, Asks asks, bool isOlder = false) {
  const FarBuffer a(gpu);
  Shader s;
  s.body = "%p = OpAccessChain %wordPtr %a %c0 %i\n%x = OpLoad %u32 %p\n%OUT(%x)\n";
  s.asks = asks, s.isOlder = isOlder;
  const std::vector<uint32_t> r = run(gpu, a, s);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], a.far[i]) << i;
}

/// Places that are known, by indices of 32 bits and of 64; one that the first memory has, and some in a row.
void loadKnown(Gpu& gpu) {
  const FarBuffer a(gpu);
  Shader s;
  const char* const kIndices[] = {"%far", "%far32", "%far32b", "%far32c", "%c7"};
  std::string sum = "%c0";
  for (const char* index : kIndices) {
    const std::string n = std::to_string(s.body.size());
    s.body += "%p" + n + " = OpAccessChain %wordPtr %a %c0 " + index + "\n%x" + n + " = OpLoad %u32 %p" + n + "\n%s" +
              n + " = OpIAdd %u32 " + sum + " %x" + n + "\n";
    sum = "%s" + n;
  }
  s.body += "%OUT(" + sum + ")\n";
  s.types =
      "%far32 = OpConstant %u32 1073741825\n%far32b = OpConstant %u32 1073741826\n"
      "%far32c = OpConstant %u32 1073741840\n";
  const std::vector<uint32_t> r = run(gpu, a, s);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], a.far[0] + a.far[1] + a.far[2] + a.far[16] + a.near[7]) << i;
}

void store(Gpu& gpu) {
  const FarBuffer a(gpu);
  run(gpu, a, {.body = "%p = OpAccessChain %wordPtr %a %c0 %i\nOpStore %p %lane\n"});
  const std::vector<uint32_t> near = a.read(0), far = a.read(kFar);
  for (uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(far[i], i < kLanes ? i : a.far[i]) << i;
  EXPECT_EQ(near, a.near);
}

void atomics(Gpu& gpu) {
  const FarBuffer a(gpu);
  run(gpu, a,
      {.body = "%odd = OpBitwiseAnd %u32 %lane %c1\n%odd64 = OpUConvert %u64 %odd\n%j = OpIAdd %u64 %odd64 %far\n"
               "%p = OpAccessChain %wordPtr %a %c0 %j\n%x = OpAtomicIAdd %u32 %p %c1 %c0 %lane\n"});
  const std::vector<uint32_t> near = a.read(0), far = a.read(kFar);
  EXPECT_EQ(far[0], a.far[0] + 0 + 2 + 4 + 6);
  EXPECT_EQ(far[1], a.far[1] + 1 + 3 + 5 + 7);
  EXPECT_EQ(near, a.near);
}

constexpr const char* kRows =
    "%c3w = OpTypeArray %u32 %c3\n%row = OpTypeStruct %u32 %c3w\n%rows = OpTypeRuntimeArray %row\n"
    "%rowBlock = OpTypeStruct %u32 %rows\n%rowBlockPtr = OpTypePointer StorageBuffer %rowBlock\n"
    "%a = OpVariable %rowBlockPtr StorageBuffer\n";
constexpr const char* kRowLayout =
    "OpDecorate %c3w ArrayStride 4\nOpDecorate %rows ArrayStride 16\nOpMemberDecorate %row 0 Offset 0\n"
    "OpMemberDecorate %row 1 Offset 4\nOpMemberDecorate %rowBlock 0 Offset 0\nOpMemberDecorate %rowBlock 1 Offset 16\n"
    "OpDecorate %rowBlock Block\n";

/// Arrays in structures in an array that begins 16 bytes behind the buffer.
void rows(Gpu& gpu) {
  const FarBuffer a(gpu);
  const std::vector<uint32_t> r =
      run(gpu, a,
          {.body = "%n = OpShiftRightLogical %u64 %far %c2\n%m = OpIAdd %u64 %n %lane64\n%k = OpUMod %u32 %lane %c3\n"
                   "%p = OpAccessChain %wordPtr %a %c1 %m %c1 %k\n%x = OpLoad %u32 %p\n%OUT(%x)\n",
           .types = kRows,
           .decorations = kRowLayout});
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], a.far[4 + 4 * i + 1 + i % 3]) << i;
}

/// Lengths of 64 bits, one half in even invocations, one in odd ones; or of 32.
void length(Gpu& gpu, bool isLong) {
  const FarBuffer a(gpu);
  const std::vector<uint32_t> r =
      run(gpu, a,
          {.body = isLong ? "%n = OpArrayLength %u64 %a 1\n%low = OpUConvert %u32 %n\n%shifted = OpShiftRightLogical "
                            "%u64 %n %c16\n%high = OpUConvert %u32 %shifted\n%odd = OpBitwiseAnd %u32 %lane %c1\n"
                            "%isOdd = OpIEqual %bool %odd %c1\n%x = OpSelect %u32 %isOdd %high %low\n%OUT(%x)\n"
                          : "%n = OpArrayLength %u32 %a 1\n%OUT(%n)\n",
           .types = kRows,
           .decorations = kRowLayout});
  const VkDeviceSize count = (a.bytes() - 16) / 16;
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], uint32_t(isLong && i % 2 ? count >> 16 : count)) << i;
}

constexpr const char* kVariablePointers =
    "OpCapability VariablePointersStorageBuffer\nOpExtension \"SPV_KHR_variable_pointers\"\n";

/// A pointer eight words behind where one was, and back again by steps of 64 and 16 bits; how far it is from the
/// buffer's beginning.
void elements(Gpu& gpu) {
  gpu.require(gpu.features11.variablePointersStorageBuffer, "variablePointersStorageBuffer");
  gpu.require(gpu.features.features.shaderInt16, "shaderInt16");
  const FarBuffer a(gpu);
  const std::vector<uint32_t> r =
      run(gpu, a,
          {.body = "%p0 = OpAccessChain %wordPtr %a %c0 %c0\n%p = OpPtrAccessChain %wordPtr %p0 %i\n"
                   "%q = OpPtrAccessChain %wordPtr %p %eight\n%q4 = OpPtrAccessChain %wordPtr %q %minusFour\n"
                   "%r = OpPtrAccessChain %wordPtr %q4 %minusOne\n%x = OpLoad %u32 %r\n%d = OpPtrDiff %i64 %r %p0\n"
                   "%e = OpShiftRightArithmetic %i64 %d %c16\n%f = OpBitcast %u64 %e\n%g = OpUConvert %u32 %f\n"
                   "%s = OpIAdd %u32 %x %g\n%OUT(%s)\n",
           .types = "%i16 = OpTypeInt 16 1\n%eight = OpConstant %i64 8\n%minusFour = OpConstant %i64 -4\n"
                    "%minusOne = OpConstant %i16 -1\n",
           .capabilities = std::string("OpCapability Int16\n") + kVariablePointers});
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], a.far[i + 3] + (1u << 14)) << i;
}

void select(Gpu& gpu) {
  gpu.require(gpu.features11.variablePointersStorageBuffer, "variablePointersStorageBuffer");
  const FarBuffer a(gpu);
  const std::vector<uint32_t> r =
      run(gpu, a,
          {.body = "%p = OpAccessChain %wordPtr %a %c0 %i\n%q = OpAccessChain %wordPtr %a %c0 %lane\n"
                   "%odd = OpBitwiseAnd %u32 %lane %c1\n%isOdd = OpIEqual %bool %odd %c1\n"
                   "%chosen = OpSelect %wordPtr %isOdd %p %q\n%x = OpLoad %u32 %chosen\n%OUT(%x)\n",
           .capabilities = kVariablePointers});
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], i % 2 ? a.far[i] : a.near[i]) << i;
}

/// Places whose lower 32 bits lie in the buffer, and whose upper ones do not.
void robust(Gpu& gpu) {
  gpu.require(gpu.robustness2.robustBufferAccess2, "robustBufferAccess2");
  const FarBuffer a(gpu);
  const std::string beyond =
      "%up = OpShiftLeftLogical %u64 %far %c4\n%by = OpShiftLeftLogical %u64 %up %lane64\n"
      "%j = OpIAdd %u64 %by %lane64\n%p = OpAccessChain %wordPtr %a %c0 %j\n";
  const std::vector<uint32_t> r = run(gpu, a, {.body = beyond + "%x = OpLoad %u32 %p\n%OUT(%x)\n"});
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], 0u) << i;
  run(gpu, a, {.body = beyond + "OpStore %p %lane\n"});
  EXPECT_EQ(a.read(0), a.near);
  EXPECT_EQ(a.read(kFar), a.far);
}

/// A matrix whose rows are 2 GiB apart: the third one lies 4 GiB behind the first.
void matrix(Gpu& gpu) {
  constexpr uint32_t kType = 4456, kLoad = 4457, kStore = 4458;
  gpu.requireFeatures("VK_KHR_cooperative_matrix", 2);
  gpu.require(gpu.properties11.subgroupSize == kLanes, "subgroups of 8");
  const FarBuffer a(gpu);
  const std::vector<uint32_t> r =
      run(gpu, a,
          {.body = "%p = OpAccessChain %wordPtr %a %c0 %c0\n%q = OpAccessChain %wordPtr %out %c0 %c0\nOpNop\n" +
                   unknownInstruction(kLoad, "%matrix %m %p %c0 %stride") + unknownInstruction(kStore, "%q %m %c0 %c8"),
           .types = "%stride = OpConstant %u32 536870912\n%yes = OpConstantTrue %bool\n" +
                    unknownInstruction(kType, "%matrix %u32 %c3 %c8 %c8 %c2"),
           .capabilities = "OpCapability !6022\nOpExtension \"SPV_KHR_cooperative_matrix\"\n"});
  for (uint32_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(r[i], a.near[i]) << i;
    EXPECT_EQ(r[2 * kLanes + i], a.far[i]) << i;
    EXPECT_EQ(r[4 * kLanes + i], 0u) << i;  // 8 GiB: behind the buffer
  }
}

/// A vector of four words for each invocation, whose place is 64 bits of bytes.
void vector(Gpu& gpu) {
  constexpr uint32_t kType = 5288, kLoad = 5302, kStore = 5303;
  gpu.requireFeatures("VK_NV_cooperative_vector", 1);
  const FarBuffer a(gpu);
  const std::vector<uint32_t> r =
      run(gpu, a,
          {.body = "%p = OpAccessChain %wordsPtr %a %c0\n%q = OpAccessChain %wordsPtr %out %c0\n"
                   "%at = OpIMul %u32 %lane %c16\n%at64 = OpUConvert %u64 %at\n%four = OpIMul %u64 %far %bytes\n"
                   "%from = OpIAdd %u64 %at64 %four\nOpNop\n" +
                   unknownInstruction(kLoad, "%quad %v %p %from") + unknownInstruction(kStore, "%q %at %v"),
           .types = "%bytes = OpConstant %u64 4\n%wordsPtr = OpTypePointer StorageBuffer %words\n" +
                    unknownInstruction(kType, "%quad %u32 %c4"),
           .capabilities = "OpCapability !5394\nOpExtension \"SPV_NV_cooperative_vector\"\n"});
  for (uint32_t i = 0; i < 4 * kLanes; ++i) EXPECT_EQ(r[i], a.far[i]) << i;
}

}  // namespace

void addWideIndexCases() {
  add("spirv.wide_indices.load.pipeline", [](Gpu& gpu) { load(gpu, Asks::Pipeline); });
  add("spirv.wide_indices.load.module", [](Gpu& gpu) { load(gpu, Asks::Module); });
  add("spirv.wide_indices.load.older", [](Gpu& gpu) { load(gpu, Asks::Pipeline, true); });
  add("spirv.wide_indices.load.known", loadKnown);
  add("spirv.wide_indices.store", store);
  add("spirv.wide_indices.atomics", atomics);
  add("spirv.wide_indices.rows", rows);
  add("spirv.wide_indices.length.u64", [](Gpu& gpu) { length(gpu, true); });
  add("spirv.wide_indices.length.u32", [](Gpu& gpu) { length(gpu, false); });
  add("spirv.wide_indices.elements", elements);
  add("spirv.wide_indices.select", select);
  add("spirv.wide_indices.robust", robust);
  add("spirv.wide_indices.matrix", matrix);
  add("spirv.wide_indices.vector", vector);
}

}  // namespace etzel::cts
