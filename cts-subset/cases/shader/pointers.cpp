// Pointers without a type (VK_KHR_shader_untyped_pointers) and chains into rows of bytes (VK_NV_raw_access_chains),
// written as numbers. One workgroup of eight invocations and three storage buffers of words: two of numbers, the
// results.
#include "cts-subset/cases/shader/pointers.h"

#include <bit>
#include <cmath>
#include <functional>

#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kLanes = 8, kWords = 64, kUntouched = 0xdeadbeef;

constexpr uint32_t kTypeUntyped = 4417, kVariable = 4418, kChain = 4419, kElements = 4423, kLength = 4425, kRaw = 5398;

struct Shader {
  std::string capabilities = "OpCapability !4473\n";
  std::string extensions = "OpExtension \"SPV_KHR_untyped_pointers\"\n";
  std::string variables;    ///< further ones of the interface
  std::string decorations;  ///< further ones
  std::string types;        ///< further types and variables; in front stands what has no optional operands
  std::string locals;       ///< variables of the function
  std::string body;
  bool isUntyped = true;  ///< %a, %b and %out are
};

/// %u32 %i32 %f32 %bool and vectors of two to four, constants %c0 to %c40, %block (an array %words of words), %any (the
/// type of untyped pointers to storage buffers), %wordPtr; %lane. `%OUT(%id)` stores a word for the invocation.
std::string module(const Shader& s) {
  std::string t =
      "OpCapability Shader\n" + s.capabilities + s.extensions +
      "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %laneVar %a %b %out" + s.variables +
      "\nOpExecutionMode %main LocalSize 8 1 1\nOpDecorate %laneVar BuiltIn LocalInvocationIndex\n"
      "OpDecorate %words ArrayStride 4\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
      "OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\nOpDecorate %b DescriptorSet 0\n"
      "OpDecorate %b Binding 1\nOpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 2\n" +
      s.decorations +
      "%void = OpTypeVoid\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n%i32 = OpTypeInt 32 1\n"
      "%f32 = OpTypeFloat 32\n%v2 = OpTypeVector %u32 2\n%v3 = OpTypeVector %u32 3\n%v4 = OpTypeVector %u32 4\n"
      "%v3f = OpTypeVector %f32 3\n%words = OpTypeRuntimeArray %u32\n";
  for (int i = 0; i <= 40; ++i) t += text("%%c%d = OpConstant %%u32 %d\n", i, i);
  t += "%block = OpTypeStruct %words\n%blockPtr = OpTypePointer StorageBuffer %block\n"
       "%wordPtr = OpTypePointer StorageBuffer %u32\n%lanePtr = OpTypePointer Input %u32\n";
  if (s.isUntyped)
    for (const std::string name : {"%any 12", "a", "b", "out"})
      t += name[0] == '%' ? unknownInstruction(kTypeUntyped, name)
                          : unknownInstruction(kVariable, "%any %" + name + " 12 %block");
  else
    for (const char* name : {"a", "b", "out"}) t += text("%%%s = OpVariable %%blockPtr StorageBuffer\n", name);
  t += s.types +
       "%laneVar = OpVariable %lanePtr Input\n%fn = OpTypeFunction %void\n"
       "%main = OpFunction %void None %fn\n%entry = OpLabel\n" +
       s.locals + "%lane = OpLoad %u32 %laneVar\nOpNop\n" + s.body;
  expandOutputs(t, [&](const std::string& id) {
    return "OpNop\n" +
           (s.isUntyped ? unknownInstruction(kChain, "%any %result %block %out %c0 %lane")
                        : std::string("%result = OpAccessChain %wordPtr %out %c0 %lane\n")) +
           "OpStore %result " + id;
  });
  return t + "OpReturn\nOpFunctionEnd\n";
}

struct Results {
  std::vector<uint32_t> a = randomWords(kWords, 1), b = randomWords(kWords, 2);
  Buffer out;
  const uint32_t& operator[](uint32_t i) const { return out.as<uint32_t>()[i]; }
};

Results run(Gpu& gpu, const Shader& shader, const std::vector<uint8_t>& push = {},
            VkDeviceSize rangeOfA = VK_WHOLE_SIZE) {
  Results r;
  r.out = gpu.buffer(std::vector<uint32_t>(kWords, kUntouched));
  Buffer a = gpu.buffer(r.a), b = gpu.buffer(r.b);
  Dispatch d;
  d.module = gpu.assemble(module(shader), false);
  d.bindings = {storage(a), storage(b), storage(r.out)};
  d.bindings[0].buffer.range = rangeOfA;
  d.push = push;
  gpu.dispatch(d);
  return r;
}

Results untyped(Gpu& gpu, const Shader& shader, const std::vector<uint8_t>& push = {}) {
  gpu.requireExtension("VK_KHR_shader_untyped_pointers");
  return run(gpu, shader, push);
}

/// Words taken for pairs, and for floats.
void load(Gpu& gpu) {
  Shader s;
  s.decorations =
      "OpDecorate %pairs ArrayStride 8\nOpDecorate %pairBlock Block\nOpMemberDecorate %pairBlock 0 Offset 0\n";
  s.types = "%pairs = OpTypeRuntimeArray %v2\n%pairBlock = OpTypeStruct %pairs\n";
  s.body = unknownInstruction(kChain, "%any %p %pairBlock %a %c0 %lane") +
           "%pair = OpLoad %v2 %p\n%x = OpCompositeExtract %u32 %pair 0\n" +
           "%y = OpCompositeExtract %u32 %pair 1\n%f = OpLoad %f32 %p\n%n = OpFNegate %f32 %f\n%m = OpBitcast %u32 %n\n"
           "%s = OpISub %u32 %y %m\n%OUT(%s)\n";
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < kLanes; ++i) {
    const bool isNumber = !std::isnan(std::bit_cast<float>(r.a[2 * i]));
    EXPECT_TRUE(!isNumber || r[i] == r.a[2 * i + 1] - (r.a[2 * i] ^ 0x80000000u)) << i;
  }
}

void store(Gpu& gpu) {
  Shader s;
  s.decorations = "OpDecorate %triples ArrayStride 12\nOpDecorate %three Block\nOpMemberDecorate %three 0 Offset 0\n";
  s.types = "%triples = OpTypeRuntimeArray %v3\n%three = OpTypeStruct %triples\n";
  s.body = unknownInstruction(kChain, "%any %p %three %out %c0 %lane") +
           "%v = OpCompositeConstruct %v3 %lane %c7 %c11\nOpStore %p %v\n";
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < 3 * kLanes; ++i) EXPECT_EQ(r[i], i % 3 == 0 ? i / 3 : i % 3 == 1 ? 7u : 11u) << i;
}

/// Elements as far apart as the pointer's ArrayStride says.
void elements(Gpu& gpu) {
  Shader s;
  s.capabilities += "OpCapability VariablePointersStorageBuffer\n";
  s.decorations = "OpDecorate %far ArrayStride 20\n";
  s.types = unknownInstruction(kTypeUntyped, "%far 12");
  s.body = unknownInstruction(kChain, "%far %p %block %a %c0 %c1") +
           unknownInstruction(kElements, "%any %q %u32 %p %lane") + "%x = OpLoad %u32 %q\n%OUT(%x)\n";
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], r.a[1 + 5 * i]) << i;
}

/// OpCopyMemorySized of a number of bytes, the value `size` that `code` makes.
void copy(Gpu& gpu, const std::string& size, const std::string& code, const std::function<uint32_t(uint32_t)>& bytes) {
  Shader s;
  s.body = code + "%from = OpIMul %u32 %lane %c3\n%to = OpIMul %u32 %lane %c8\nOpNop\n" +
           unknownInstruction(kChain, "%any %p %block %a %c0 %from") +
           unknownInstruction(kChain, "%any %q %block %out %c0 %to") + "OpCopyMemorySized %q %p " + size +
           " Aligned 4\n";
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < kLanes; ++i)
    for (uint32_t w = 0; w < 8; ++w)
      EXPECT_EQ(r[8 * i + w], 4 * w < bytes(i) ? r.a[3 * i + w] : kUntouched) << i << " " << w;
}

/// OpCopyMemory to and from a variable that has a type.
void copyTyped(Gpu& gpu) {
  Shader s;
  s.types = "%localPtr = OpTypePointer Function %v3\n";
  s.locals = "%t = OpVariable %localPtr Function\n";
  s.body = "%to = OpIMul %u32 %lane %c3\nOpNop\n" + unknownInstruction(kChain, "%any %p %block %a %c0 %lane") +
           unknownInstruction(kChain, "%any %q %block %out %c0 %to") + "OpCopyMemory %t %p\nOpCopyMemory %q %t\n";
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < 3 * kLanes; ++i) EXPECT_EQ(r[i], r.a[i / 3 + i % 3]) << i;
}

void atomics(Gpu& gpu) {
  Shader s;
  s.body = unknownInstruction(kChain, "%any %p %block %out %c0 %c9") + "%old = OpAtomicIAdd %u32 %p %c1 %c0 %lane\n" +
           unknownInstruction(kChain, "%any %q %block %out %c0 %c10") + "OpAtomicStore %q %c1 %c0 %c7\n";
  const Results r = untyped(gpu, s);
  EXPECT_EQ(r[9], kUntouched + 28);
  EXPECT_EQ(r[10], 7u);
}

void arrayLength(Gpu& gpu) {
  Shader s;
  s.body = unknownInstruction(kLength, "%u32 %n %block %a 0") + "%OUT(%n)\n";
  EXPECT_EQ(untyped(gpu, s)[3], kWords);
}

void pushConstant(Gpu& gpu) {
  Shader s;
  s.variables = " %push";
  s.decorations =
      "OpDecorate %pushBlock Block\nOpMemberDecorate %pushBlock 0 Offset 0\nOpMemberDecorate %pushBlock 1 Offset 16\n";
  s.types = "%pushBlock = OpTypeStruct %v4 %v4\n%pushPtr = OpTypePointer PushConstant %u32\n" +
            unknownInstruction(kTypeUntyped, "%anyPush 9") +
            unknownInstruction(kVariable, "%anyPush %push 9 %pushBlock");
  s.body = unknownInstruction(kChain, "%anyPush %p %pushBlock %push %c1 %c2") +
           "%f = OpLoad %f32 %p\n%g = OpFAdd %f32 %f %f\n"
           "%w = OpBitcast %u32 %g\n%OUT(%w)\n";
  std::vector<uint8_t> push(32);
  const float value = 1.75f;
  std::memcpy(push.data() + 24, &value, 4);
  EXPECT_EQ(untyped(gpu, s, push)[5], std::bit_cast<uint32_t>(2 * value));
}

/// Two blocks of workgroup memory: one place where they are Aliased, two where they are not.
void shared(Gpu& gpu, bool isAliased) {
  Shader s;
  s.capabilities += "OpCapability WorkgroupMemoryExplicitLayoutKHR\n";
  s.extensions += "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
  s.variables = " %s0 %s1";
  s.decorations =
      "OpDecorate %eight ArrayStride 4\nOpDecorate %sharedBlock Block\nOpMemberDecorate %sharedBlock 0 Offset 0\n";
  if (isAliased) s.decorations += "OpDecorate %s0 Aliased\nOpDecorate %s1 Aliased\n";
  s.types =
      "%eight = OpTypeArray %u32 %c8\n%sharedBlock = OpTypeStruct %eight\n%sharedPtr = OpTypePointer Workgroup %u32\n" +
      unknownInstruction(kTypeUntyped, "%anyShared 4") +
      unknownInstruction(kVariable, "%anyShared %s0 4 %sharedBlock") +
      unknownInstruction(kVariable, "%anyShared %s1 4 %sharedBlock");
  s.body = unknownInstruction(kChain, "%anyShared %p %sharedBlock %s0 %c0 %lane") +
           unknownInstruction(kChain, "%anyShared %q %sharedBlock %s1 %c0 %lane") +
           "%x = OpIAdd %u32 %lane %c20\nOpStore %p %lane\nOpControlBarrier %c2 %c2 %c264\nOpStore %q %x\n"
           "OpControlBarrier %c2 %c2 %c264\n%y = OpLoad %u32 %p\n%OUT(%y)\n";
  s.types += "%c264 = OpConstant %u32 264\n";
  gpu.requireExtension("VK_KHR_workgroup_memory_explicit_layout");
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], isAliased ? i + 20 : i) << i;
}

/// A pointer into either buffer, and the distance of two in bytes.
void select(Gpu& gpu) {
  Shader s;
  s.capabilities += "OpCapability VariablePointersStorageBuffer\n";
  s.body =
      unknownInstruction(kChain, "%any %p %block %a %c0 %lane") +
      unknownInstruction(kChain, "%any %q %block %b %c0 %lane") +
      unknownInstruction(kChain, "%any %p0 %block %a %c0 %c0") +
      "%odd = OpBitwiseAnd %u32 %lane %c1\n%isOdd = OpIEqual %bool %odd %c1\n%chosen = OpSelect %any %isOdd %p %q\n"
      "%x = OpLoad %u32 %chosen\n%d = OpPtrDiff %i32 %p %p0\n%e = OpBitcast %u32 %d\n%z = OpIAdd %u32 %x "
      "%e\n%OUT(%z)\n";
  const Results r = untyped(gpu, s);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], (i % 2 ? r.a[i] : r.b[i]) + 4 * i) << i;
}

Results raw(Gpu& gpu, Shader s, VkDeviceSize rangeOfA = VK_WHOLE_SIZE) {
  gpu.requireExtension("VK_NV_raw_access_chains");
  s.capabilities = "OpCapability !5414\n", s.extensions = "OpExtension \"SPV_NV_raw_access_chains\"\n";
  s.isUntyped = false;
  return run(gpu, s, {}, rangeOfA);
}

constexpr const char* kTriplePtr = "%triplePtr = OpTypePointer StorageBuffer %v3\n";

/// The components of a triple 4 bytes behind the beginning of each row of 20, as far as they lie in the buffer.
void rawLoad(Gpu& gpu, const std::string& robustness, VkDeviceSize bytes) {
  Shader s;
  s.types = kTriplePtr;
  s.body = unknownInstruction(kRaw, "%triplePtr %p %a %c20 %lane %c4" + robustness) +
           "%v = OpLoad %v3 %p Aligned 4\n%x = OpCompositeExtract %u32 %v 0\n%y = OpCompositeExtract %u32 %v 1\n"
           "%z = OpCompositeExtract %u32 %v 2\n%xy = OpISub %u32 %x %y\n%xyz = OpISub %u32 %xy %z\n%OUT(%xyz)\n";
  const Results r = raw(gpu, s, bytes);
  const auto at = [&](uint32_t word) { return 4 * word < bytes ? r.a[word] : 0u; };
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(r[i], at(5 * i + 1) - at(5 * i + 2) - at(5 * i + 3)) << i;
}

/// Rows of 12 bytes, and an offset that only the invocation knows.
void rawStore(Gpu& gpu) {
  Shader s;
  s.body = "%odd = OpBitwiseAnd %u32 %lane %c1\n%o = OpIMul %u32 %odd %c8\nOpNop\n" +
           unknownInstruction(kRaw, "%wordPtr %p %out %c12 %lane %o") + "OpStore %p %lane Aligned 4\n";
  const Results r = raw(gpu, s);
  for (uint32_t i = 0; i < 3 * kLanes; ++i) EXPECT_EQ(r[i], i % 3 == i / 3 % 2 * 2 ? i / 3 : kUntouched) << i;
}

}  // namespace

void addPointerCases() {
  add("spirv.untyped.load", load);
  add("spirv.untyped.store", store);
  add("spirv.untyped.elements", elements);
  add("spirv.untyped.copy.typed", copyTyped);
  add("spirv.untyped.copy.known", [](Gpu& gpu) { copy(gpu, "%c12", "", [](uint32_t) { return 12; }); });
  add("spirv.untyped.copy.dynamic",
      [](Gpu& gpu) { copy(gpu, "%size", "%size = OpIMul %u32 %lane %c4\n", [](uint32_t i) { return 4 * i; }); });
  add("spirv.untyped.atomics", atomics);
  add("spirv.untyped.array_length", arrayLength);
  add("spirv.untyped.push_constant", pushConstant);
  add("spirv.untyped.shared_aliased", [](Gpu& gpu) { shared(gpu, true); });
  add("spirv.untyped.shared_not_aliased", [](Gpu& gpu) { shared(gpu, false); });
  add("spirv.untyped.select", select);
  add("spirv.raw_access.load.v3", [](Gpu& gpu) { rawLoad(gpu, "", 4 * kWords); });
  add("spirv.raw_access.load.per_component", [](Gpu& gpu) { rawLoad(gpu, " 1", 128); });
  add("spirv.raw_access.load.per_element", [](Gpu& gpu) { rawLoad(gpu, " 2", 120); });
  add("spirv.raw_access.store", rawStore);
}

}  // namespace etzel::cts
