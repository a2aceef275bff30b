// VK_KHR_shader_abort and the fault reports of VK_KHR_device_fault: shaders of several stages lose the device and say
// why. The assembler of Debian 12 does not know the instructions, so they are written as numbers, an OpNop before such
// a one where the one before it could have more operands. Each case loses its device.
#include "cts-subset/cases/shader/aborts.h"

#include <bit>
#include <chrono>

#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

// What not all headers have.
constexpr auto kFaultInfo = VkStructureType(1000573002), kDebugInfo = VkStructureType(1000573003);
constexpr auto kMessageInfo = VkStructureType(1000233001);
constexpr VkFlags kDeviceLost = 1, kWatchdog = 16;
struct FaultInfo {
  VkStructureType sType = kFaultInfo;
  void* pNext = nullptr;
  VkFlags flags = 0;
  uint64_t groupId = 0;
  char description[VK_MAX_DESCRIPTION_SIZE] = {};
  VkDeviceFaultAddressInfoEXT faultAddress{}, instructionAddress{};
  VkDeviceFaultVendorInfoEXT vendor{};
};
struct MessageInfo {
  VkStructureType sType = kMessageInfo;
  void* pNext = nullptr;
  uint64_t size = 0;
  void* data = nullptr;
};
struct DebugInfo {
  VkStructureType sType = kDebugInfo;
  void* pNext = nullptr;
  uint32_t vendorBinarySize = 7;
  void* vendorBinary = nullptr;
};
using GetReports = VkResult(VKAPI_PTR*)(VkDevice, uint64_t, uint32_t*, FaultInfo*);
using GetDebugInfo = VkResult(VKAPI_PTR*)(VkDevice, DebugInfo*);

/// Bytes of a message; negative: anything.
using Bytes = std::vector<int>;

void append(Bytes& to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to.push_back(int(value >> 8 * i & 255));
}
void append(Bytes& to, const std::string& text) {
  for (const char c : text) to.push_back(uint8_t(c));
}

/// The messages that the driver has, by the two calls that ask for their size and for them.
std::vector<std::string> messages(Gpu& gpu) {
  const auto get = gpu.proc<GetDebugInfo>("vkGetDeviceFaultDebugInfoKHR");
  MessageInfo info;
  DebugInfo debug;
  debug.pNext = &info;
  EXPECT_EQ(get(gpu.device, &debug), VK_SUCCESS);
  std::vector<uint64_t> data(info.size / 8 + 1, ~0ull);
  const uint64_t size = info.size;
  info.data = data.data();
  EXPECT_EQ(get(gpu.device, &debug), VK_SUCCESS);
  EXPECT_EQ(info.size, size);
  std::vector<std::string> all;
  for (uint64_t at = 0; at + 8 <= size;) {
    const uint64_t bytes = data[at / 8];
    if (bytes > size - at - 8) throw Failure("a message is larger than what there is of them");
    all.emplace_back(reinterpret_cast<const char*>(data.data()) + at + 8, bytes);
    at = (at + 8 + bytes + 7) / 8 * 8;
  }
  // Less room than one message needs is no success, and nothing is written there.
  if (size > 8) {
    info.size = 8, data[0] = 77;
    EXPECT_EQ(get(gpu.device, &debug), VK_INCOMPLETE);
    EXPECT_EQ(info.size, 0u);
    EXPECT_EQ(data[0], 77u);
  }
  return all;
}

void expectMessage(const std::string& message, const Bytes& want) {
  ASSERT_EQ(message.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(uint8_t(message[i]), want[i] < 0 ? uint8_t(message[i]) : want[i]) << i;
}

/// Runs what must lose the device.
template <class Run>
void losesDevice(Gpu& gpu, Run run) {
  bool failed = false;
  try {
    run();
  } catch (const Failure&) {
    failed = true;
  }
  EXPECT_TRUE(failed);
  EXPECT_TRUE(gpu.lost);
}

const char* const kHead =
    "; SPIR-V\nOpCapability Shader\nOpCapability Int8\nOpCapability Int16\nOpCapability !5120\nOpCapability !5146\n"
    "OpExtension \"SPV_KHR_abort\"\nOpExtension \"SPV_KHR_constant_data\"\n"
    "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n";
const char* const kTypes =
    "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u8 = OpTypeInt 8 0\n%u16 = OpTypeInt 16 0\n"
    "%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n%v3f = OpTypeVector %f32 3\n%v4f = OpTypeVector %f32 4\n"
    "%u0 = OpConstant %u32 0\n%u1 = OpConstant %u32 1\n%u5 = OpConstant %u32 5\n%u6 = OpConstant %u32 6\n"
    "%u8c = OpConstant %u32 8\n%true = OpConstantTrue %bool\n";

/// A compute shader with a buffer of words at binding 0. The body sees %lane, %group and %word, what the buffer has for
/// the invocation, and ends its last block.
std::string compute(const std::string& decorations, const std::string& types, const std::string& body,
                    uint32_t size = 8) {
  return kHead +
         text(
             "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%main \"main\" %%laneVar %%groupVar %%in\n"
             "OpExecutionMode %%main LocalSize %u 1 1\n",
             size) +
         "OpDecorate %laneVar BuiltIn LocalInvocationIndex\nOpDecorate %groupVar BuiltIn WorkgroupId\n"
         "OpDecorate %words ArrayStride 4\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
         "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n" +
         decorations + kTypes +
         "%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n%v3u = OpTypeVector %u32 3\n"
         "%blockPtr = OpTypePointer StorageBuffer %block\n%wordPtr = OpTypePointer StorageBuffer %u32\n"
         "%in = OpVariable %blockPtr StorageBuffer\n%lanePtr = OpTypePointer Input %u32\n"
         "%groupPtr = OpTypePointer Input %v3u\n%laneVar = OpVariable %lanePtr Input\n"
         "%groupVar = OpVariable %groupPtr Input\n" +
         types +
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\n"
         "%groups = OpLoad %v3u %groupVar\n%group = OpCompositeExtract %u32 %groups 0\n"
         "%at = OpAccessChain %wordPtr %in %u0 %lane\n%word = OpLoad %u32 %at\n" +
         body + "OpFunctionEnd\n";
}

/// Aborts with %message of type %shape where the lane is 5.
std::string inLane5(const std::string& makesMessage) {
  return "%is = OpIEqual %bool %lane %u5\nOpSelectionMerge %behind None\nOpBranchConditional %is %then %behind\n"
         "%then = OpLabel\n" +
         makesMessage + "OpNop\n!0x00031401 %shape %message\n%behind = OpLabel\nOpStore %at %u1\nOpReturn\n";
}

std::vector<uint32_t> inputs(uint32_t count = 64) {
  std::vector<uint32_t> in(count);
  for (uint32_t i = 0; i < count; ++i) in[i] = i * 0x01030507u + 0x80;
  return in;
}

void runCompute(Gpu& gpu, const std::string& module, uint32_t groups = 1) {
  gpu.requireExtension("VK_KHR_shader_abort");
  Buffer in = gpu.buffer(inputs());
  Dispatch d;
  d.module = gpu.assemble(module, false);
  d.bindings = {storage(in)};
  d.x = groups;
  losesDevice(gpu, [&] { gpu.dispatch(d); });
}

/// Text, integers of three widths, a vector and a matrix of rows, some of them known and some not.
void layout(Gpu& gpu) {
  const std::string decorations =
      "OpDecorate %chars !5145\nOpDecorate %charsAt !5145\nOpDecorate %charsAt ArrayStride 1\n"
      "OpMemberDecorate %shape 0 Offset 0\nOpMemberDecorate %shape 1 Offset 6\nOpMemberDecorate %shape 2 Offset 8\n"
      "OpMemberDecorate %shape 3 Offset 9\nOpMemberDecorate %shape 4 Offset 12\nOpMemberDecorate %shape 5 Offset 24\n"
      "OpMemberDecorate %shape 6 Offset 32\nOpMemberDecorate %shape 6 RowMajor\n"
      "OpMemberDecorate %shape 6 MatrixStride 16\nOpMemberDecorate %shape 7 Offset 64\n";
  const std::string types =
      "%chars = OpTypeArray %u8 %u6\n%charsAt = OpTypeArray %u8 %u6\n%v2f = OpTypeVector %f32 2\n"
      "%m2 = OpTypeMatrix %v2f 2\n%given = OpTypeStruct %chars %u16 %u8 %u8 %v3f %u32 %m2 %u32\n"
      "%shape = OpTypeStruct %charsAt %u16 %u8 %u8 %v3f %u32 %m2 %u32\n"
      "%byte = OpConstant %u8 0xA5\n%known = OpConstant %u32 0x12345678\n%two = OpConstant %f32 2\n"
      "!0x0005141B %chars %hello !0x6C6C6568 !0x216F\n";
  const std::string body =
      "%half = OpUConvert %u16 %word\n%small = OpUConvert %u8 %lane\n%f = OpConvertUToF %f32 %lane\n"
      "%v = OpCompositeConstruct %v3f %f %two %f\n%g = OpFAdd %f32 %f %two\n%c0 = OpCompositeConstruct %v2f %f %two\n"
      "%c1 = OpCompositeConstruct %v2f %g %f\n%m = OpCompositeConstruct %m2 %c0 %c1\n"
      "%message = OpCompositeConstruct %given %hello %half %byte %small %v %known %m %word\n";
  runCompute(gpu, compute(decorations, types, inLane5(body)));
  const uint32_t word = inputs()[5];
  const auto number = [](float f) { return std::bit_cast<uint32_t>(f); };
  Bytes want;
  append(want, "hello!"), append(want, word, 2), append(want, 0xA5, 1), append(want, 5, 1);
  want.resize(12, -1);
  append(want, number(5), 4), append(want, number(2), 4), append(want, number(5), 4);
  append(want, 0x12345678, 4);
  want.resize(32, -1);
  append(want, number(5), 4), append(want, number(7), 4);  // the first row
  want.resize(48, -1);
  append(want, number(2), 4), append(want, number(5), 4);
  want.resize(64, -1);
  append(want, word, 4);
  const std::vector<std::string> got = messages(gpu);
  ASSERT_EQ(got.size(), 1u);
  expectMessage(got[0], want);
}

/// The largest message that a driver must take: all of it from memory, or all of it constant data.
void large(Gpu& gpu, bool constant) {
  constexpr uint32_t kWords = 65536 / 4;
  std::string types = text(
      "%%count = OpConstant %%u32 %u\n%%given = OpTypeArray %%u32 %%count\n"
      "%%shape = OpTypeArray %%u32 %%count\n",
      kWords);
  std::string body;
  if (constant) {
    types += text("!0x%04x141B %%given %%message", kWords + 3);
    for (uint32_t i = 0; i < kWords; ++i) types += text(" !%u", i * 77);
    types += "\n";
  } else {
    types += "%fillPtr = OpTypePointer Function %given\n%elementPtr = OpTypePointer Function %u32\n";
    body = "%fill = OpVariable %fillPtr Function\n";
  }
  std::string code = inLane5("");
  if (!constant) {
    // The variable stands first in its function; the loop fills it with what lane and index say.
    code =
        "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %u0 %entry %next %again\n"
        "%more = OpULessThan %bool %i %count\nOpLoopMerge %out %again None\n"
        "OpBranchConditional %more %inside %out\n%inside = OpLabel\n"
        "%e = OpAccessChain %elementPtr %fill %i\n%x = OpIAdd %u32 %i %lane\nOpStore %e %x\nOpBranch %again\n"
        "%again = OpLabel\n%next = OpIAdd %u32 %i %u1\nOpBranch %head\n%out = OpLabel\n" +
        inLane5("%message = OpLoad %given %fill\n");
  }
  std::string module = compute("OpDecorate %shape ArrayStride 4\n", types, code);
  if (!constant) module.insert(module.find("%lane = OpLoad"), body);
  runCompute(gpu, module);
  const std::vector<std::string> got = messages(gpu);
  ASSERT_EQ(got.size(), 1u);
  ASSERT_EQ(got[0].size(), 4 * kWords);
  for (uint32_t i = 0; i < kWords; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, got[0].data() + 4 * i, 4);
    ASSERT_EQ(word, constant ? i * 77 : i + 5) << i;
  }
}

/// All invocations of a subgroup say five bytes: every message is that of one of them, and none comes twice.
void several(Gpu& gpu) {
  const std::string decorations = "OpMemberDecorate %shape 0 Offset 0\nOpMemberDecorate %shape 1 Offset 4\n";
  const std::string types = "%shape = OpTypeStruct %u32 %u8\n";
  runCompute(gpu, compute(decorations, types,
                          "%low = OpUConvert %u8 %lane\n%message = OpCompositeConstruct %shape %word %low\n"
                          "OpNop\n!0x00031401 %shape %message\n"));
  const std::vector<std::string> got = messages(gpu);
  ASSERT_GE(got.size(), 1u);
  ASSERT_LE(got.size(), 8u);
  std::set<int> lanes;
  for (const std::string& m : got) {
    ASSERT_EQ(m.size(), 5u);
    const int lane = m[4];
    ASSERT_TRUE(lane >= 0 && lane < 8 && lanes.insert(lane).second) << lane;
    Bytes want;
    append(want, inputs()[size_t(lane)], 4), append(want, uint64_t(lane), 1);
    expectMessage(m, want);
  }
}

const std::string kWordMessage = "%shape = OpTypeStruct %u32\n";
const std::string kWordDecoration = "OpMemberDecorate %shape 0 Offset 0\n";
const std::string kMakesWord = "%message = OpCompositeConstruct %shape %word\n";

void expectWord(Gpu& gpu, uint32_t word) {
  const std::vector<std::string> got = messages(gpu);
  ASSERT_GE(got.size(), 1u);
  Bytes want;
  append(want, word, 4);
  expectMessage(got[0], want);
}

/// Everybody else runs for ever, or waits at a barrier that the first subgroup never comes to.
void others(Gpu& gpu, bool barrier) {
  const std::string loop =
      "OpBranch %head\n%head = OpLabel\nOpLoopMerge %out %again None\nOpBranchConditional %true %again %out\n"
      "%again = OpLabel\nOpBranch %head\n%out = OpLabel\nOpReturn\n";
  const std::string is = barrier ? "%less = OpULessThan %bool %lane %u8c\n"
                                 : "%lane5 = OpIEqual %bool %lane %u5\n%group0 = OpIEqual %bool %group %u0\n"
                                   "%less = OpLogicalAnd %bool %lane5 %group0\n";
  const std::string body = is +
                           "OpSelectionMerge %behind None\nOpBranchConditional %less %then %behind\n%then = OpLabel\n" +
                           kMakesWord + "OpNop\n!0x00031401 %shape %message\n%behind = OpLabel\n" +
                           (barrier ? "OpControlBarrier %u2 %u2 %sem\nOpStore %at %u1\nOpReturn\n" : loop);
  const std::string types = kWordMessage + "%u2 = OpConstant %u32 2\n%sem = OpConstant %u32 264\n";
  runCompute(gpu, compute(kWordDecoration, types, body, barrier ? 64 : 8), barrier ? 1 : 8);
  expectWord(gpu, inputs()[barrier ? 0 : 5]);
}

/// A function calls another one, which aborts: nothing behind the calls runs.
void called(Gpu& gpu) {
  std::string module = compute(kWordDecoration, kWordMessage + "%takes = OpTypeFunction %u32 %u32\n",
                               "%is = OpIEqual %bool %lane %u5\nOpSelectionMerge %behind None\n"
                               "OpBranchConditional %is %then %behind\n%then = OpLabel\n"
                               "%got = OpFunctionCall %u32 %fails %word\nOpStore %at %got\nOpBranch %behind\n"
                               "%behind = OpLabel\nOpReturn\n");
  module +=
      "%fails = OpFunction %u32 None %takes\n%given = OpFunctionParameter %u32\n%start = OpLabel\n"
      "%message = OpCompositeConstruct %shape %given\nOpNop\n!0x00031401 %shape %message\nOpFunctionEnd\n";
  runCompute(gpu, module);
  expectWord(gpu, inputs()[5]);
}

/// A vertex or fragment shader that aborts where its number, or the pixel's column, is `where`.
std::string graphics(bool fragment, uint32_t where) {
  const std::string model = fragment ? "Fragment" : "Vertex";
  std::string out = kHead;
  out += "OpMemoryModel Logical GLSL450\nOpEntryPoint " + model + " %main \"main\" %inVar %outVar\n";
  if (fragment) out += "OpExecutionMode %main OriginUpperLeft\nOpDecorate %outVar Location 0\n";
  out += fragment ? "OpDecorate %inVar BuiltIn FragCoord\n"
                  : "OpDecorate %inVar BuiltIn VertexIndex\nOpDecorate %outVar BuiltIn Position\n";
  out += kWordDecoration + kTypes + kWordMessage + text("%%where = OpConstant %%u32 %u\n", where) +
         "%fives = OpConstant %f32 0.5\n%filled = OpConstantComposite %v4f %fives %fives %fives %fives\n";
  out += fragment ? "%inPtr = OpTypePointer Input %v4f\n" : "%inPtr = OpTypePointer Input %u32\n";
  out +=
      "%outPtr = OpTypePointer Output %v4f\n%inVar = OpVariable %inPtr Input\n%outVar = OpVariable %outPtr Output\n"
      "%main = OpFunction %void None %fn\n%entry = OpLabel\n";
  out += fragment ? "%coord = OpLoad %v4f %inVar\n%x = OpCompositeExtract %f32 %coord 0\n%n = OpConvertFToU %u32 %x\n"
                  : "%n = OpLoad %u32 %inVar\n";
  return out +
         "%is = OpIEqual %bool %n %where\nOpSelectionMerge %behind None\nOpBranchConditional %is %then %behind\n"
         "%then = OpLabel\n%word = OpIMul %u32 %n %u5\n" +
         kMakesWord +
         "OpNop\n!0x00031401 %shape %message\n%behind = OpLabel\nOpStore %outVar %filled\nOpReturn\nOpFunctionEnd\n";
}

void stage(Gpu& gpu, bool fragment) {
  gpu.requireExtension("VK_KHR_shader_abort");
  ImageDesc desc;
  desc.width = desc.height = 32;
  desc.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  DrawState d;
  d.vert = fragment ? coverAll() : graphics(false, 2);
  d.frag = fragment ? graphics(true, 17) : writes("vec4(1)");
  d.colors = {gpu.image(desc)};
  losesDevice(gpu, [&] { draw(gpu, d); });
  expectWord(gpu, 5 * (fragment ? 17 : 2));
}

// --- Reports

/// Nothing has happened: the calls wait as long as they are told to, and find nothing.
void noFault(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_device_fault");
  const auto get = gpu.proc<GetReports>("vkGetDeviceFaultReportsKHR");
  uint32_t count = 3;
  FaultInfo info;
  EXPECT_EQ(get(gpu.device, 0, &count, nullptr), VK_TIMEOUT);
  EXPECT_EQ(count, 0u);
  count = 1;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(get(gpu.device, 20'000'000, &count, &info), VK_TIMEOUT);
  EXPECT_GE(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 0.019);
  EXPECT_EQ(count, 0u);
}

/// A fault is reported once, whatever was asked before; it says that the device is lost and that no watchdog did it.
void once(Gpu& gpu) {
  runCompute(gpu, compute(kWordDecoration, kWordMessage, inLane5(kMakesWord)));
  const auto get = gpu.proc<GetReports>("vkGetDeviceFaultReportsKHR");
  uint32_t count = 0;
  FaultInfo infos[2];
  EXPECT_EQ(get(gpu.device, ~0ull, &count, nullptr), VK_SUCCESS);
  EXPECT_GE(count, 1u);
  count = 0;
  EXPECT_EQ(get(gpu.device, 0, &count, infos), VK_INCOMPLETE);
  uint32_t all = 0;
  for (VkResult r = VK_INCOMPLETE; r == VK_INCOMPLETE; ++all) {
    count = 1;
    r = get(gpu.device, 0, &count, &infos[all % 2]);
    ASSERT_TRUE(r == VK_SUCCESS || r == VK_INCOMPLETE) << r;
    ASSERT_EQ(count, 1u);
  }
  const FaultInfo& last = infos[(all + 1) % 2];
  EXPECT_TRUE(last.flags & kDeviceLost);
  EXPECT_FALSE(last.flags & kWatchdog);
  EXPECT_NE(std::memchr(last.description, 0, sizeof last.description), nullptr);
  EXPECT_EQ(get(gpu.device, 0, &count, nullptr), VK_TIMEOUT);
  EXPECT_EQ(count, 0u);
}

/// VK_EXT_device_fault tells the same as often as it is asked.
void older(Gpu& gpu) {
  gpu.requireExtension("VK_EXT_device_fault");
  runCompute(gpu, compute(kWordDecoration, kWordMessage, inLane5(kMakesWord)));
  const auto get = gpu.proc<PFN_vkGetDeviceFaultInfoEXT>("vkGetDeviceFaultInfoEXT");
  std::string first;
  for (int round = 0; round < 2; ++round) {
    VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
    EXPECT_EQ(get(gpu.device, &counts, nullptr), VK_SUCCESS);
    EXPECT_EQ(counts.vendorBinarySize, 0u);
    std::vector<VkDeviceFaultVendorInfoEXT> vendor(counts.vendorInfoCount + 1);
    std::vector<VkDeviceFaultAddressInfoEXT> addresses(counts.addressInfoCount + 1);
    VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
    info.pVendorInfos = vendor.data(), info.pAddressInfos = addresses.data();
    const VkDeviceFaultCountsEXT had = counts;
    EXPECT_EQ(get(gpu.device, &counts, &info), VK_SUCCESS);
    EXPECT_EQ(counts.vendorInfoCount, had.vendorInfoCount);
    if (round == 0) first = info.description;
    EXPECT_EQ(first, info.description);
    if (had.vendorInfoCount) {
      counts = {VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT, nullptr, had.addressInfoCount, 0, 0};
      EXPECT_EQ(get(gpu.device, &counts, &info), VK_INCOMPLETE);
    }
  }
}

}  // namespace

void registerAborts() {
  add("abort.message.layout", layout);
  add("abort.message.large.memory", [](Gpu& gpu) { large(gpu, false); });
  add("abort.message.large.constant", [](Gpu& gpu) { large(gpu, true); });
  add("abort.message.several", several);
  add("abort.others.loop", [](Gpu& gpu) { others(gpu, false); });
  add("abort.others.barrier", [](Gpu& gpu) { others(gpu, true); });
  add("abort.called", called);
  add("abort.stage.vertex", [](Gpu& gpu) { stage(gpu, false); });
  add("abort.stage.fragment", [](Gpu& gpu) { stage(gpu, true); });
  add("abort.report.none", noFault);
  add("abort.report.once", once);
  add("abort.report.older", older);
}

}  // namespace etzel::cts
