// OpAbortKHR and OpConstantDataKHR: what messages hold, who gives them, that nothing follows, and what is refused.
#include "compiler/compiler.h"
#include "compiler/isa/verify.h"
#include "compiler/lower/test_kernel.h"
#include "runtime/abi/invocation_place.h"
#include "runtime/abi/limits.h"

namespace etzel::lower {
namespace {

const char* const kHead = "OpCapability Int8\nOpCapability !5120\nOpCapability !5146\n";
const std::string kDecorations =
    "OpDecorate %chars !5145\nOpDecorate %charsAt !5145\nOpDecorate %charsAt ArrayStride 1\n"
    "OpMemberDecorate %shape 0 Offset 0\nOpMemberDecorate %shape 1 Offset 5\nOpMemberDecorate %shape 2 Offset 7\n"
    "OpMemberDecorate %shape 3 Offset 12\n";
const std::string kTypes =
    "%byte = OpTypeInt 8 0\n%chars = OpTypeArray %byte %c5\n%charsAt = OpTypeArray %byte %c5\n"
    "!0x0005141B %chars %hello !0x6C6C6568 !0xFFFFFF6F\n"
    "%given = OpTypeStruct %chars %byte %u32 %u32\n%shape = OpTypeStruct %charsAt %byte %u32 %u32\n";
/// Lanes from 5 on abort; a word of the message lies across two of the result.
const std::string kBody =
    "%is = OpUGreaterThanEqual %bool %lane %c5\nOpSelectionMerge %behind None\n"
    "OpBranchConditional %is %then %behind\n%then = OpLabel\n%small = OpUConvert %byte %lane\n"
    "%message = OpCompositeConstruct %given %hello %small %u1 %c9\nOpNop\n!0x00031401 %shape %message\n"
    "%behind = OpLabel\nOUT(0, %c1)";

struct Listener final : abi::AbortListener {
  struct Heard {
    LaneMask lanes;
    uint32_t lane;
    std::string bytes;
    abi::AbortMessage message;
  };
  void say(const abi::Warp&, LaneMask, uint32_t first, std::span<const LaneWords> words) override {
    for (const LaneWords& w : words) said.emplace_back(first++, w);
  }
  void abort(const abi::Warp&, LaneMask lanes, const abi::AbortMessage& message) override {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      std::string bytes = message.bytes;
      bytes.resize(4 * message.words());
      for (const auto& [word, value] : said) std::memcpy(bytes.data() + 4 * word, &value.lane[lane], 4);
      bytes.resize(message.bytes.size());
      heard.push_back({lanes, lane, bytes, message});
    }
    said.clear();
  }
  std::vector<std::pair<uint32_t, LaneWords>> said;
  std::vector<Heard> heard;
};

std::vector<uint32_t> assembled(const std::string& text) {
  std::vector<uint32_t> words;
  EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_1).Assemble(text, &words)) << text;
  return words;
}

TEST(Abort, MessagesHoldWhatTheirTypesSay) {
  const std::vector<uint32_t> words = assembled(test::moduleText(kBody, kHead, kTypes, kDecorations));
  auto program = compiler::compileProgram(test::sourceOf(words));
  ASSERT_TRUE(program.ok()) << program.error().message;
  ASSERT_EQ(program->aborts.size(), 1u);
  EXPECT_EQ(program->aborts[0]->textAt, 0u);
  EXPECT_EQ(program->aborts[0]->textBytes, 5u);
  auto kernel = compiler::makeKernel(std::move(*program));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  test::Words in{}, out{};
  for (uint32_t l = 0; l < kWarpLanes; ++l) in[l][1] = 0xA0B0C0D0 + l;
  abi::BufferDescriptor table[2] = {{reinterpret_cast<uint64_t>(in.data()), sizeof in, {}},
                                    {reinterpret_cast<uint64_t>(out.data()), sizeof out, {}}};
  Listener listener;
  abi::DispatchContext context;
  static const std::byte zeros[abi::kNullBytes] = {};
  context.table[0] = reinterpret_cast<const std::byte*>(table), context.tableBytes[0] = sizeof table;
  context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = 64;
  context.pushConstants = zeros, context.aborts = &listener;
  const abi::Kernel& k = **kernel;
  std::vector<LaneWords> sys(abi::kSysValueCount), registers(k.registerWords + 1), state(k.stateBytes / 32 + 1),
      scratch(k.scratchBytes * kWarpLanes / 32 + 1);
  for (uint32_t i = 0; i < kWarpLanes; ++i) sys[uint32_t(abi::SysValue::LocalIndex)][i] = i;
  abi::Warp warp;
  warp.context = &context, warp.kernel = &k, warp.active = kAllLanes, warp.helper = 0x40;
  warp.sys = sys.data(), warp.registers = registers.data(), warp.executorState = state.data();
  warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
  EXPECT_EQ(k.run(&warp), abi::WarpStatus::Done);
  ASSERT_EQ(listener.heard.size(), 2u);  // lane 6 is a helper
  for (size_t i = 0; i < 2; ++i) {
    const Listener::Heard& h = listener.heard[i];
    EXPECT_EQ(h.lanes, 0xA0u);
    const uint32_t lane = i ? 7 : 5;
    const std::string want = std::string("hello") + static_cast<char>(lane) + '\0' + static_cast<char>(0xD0 + lane) +
                             "\xC0\xB0\xA0" + '\0' + "\x09" + std::string(3, '\0');
    EXPECT_EQ(h.bytes, want);
  }
  for (uint32_t l = 0; l < kWarpLanes; ++l) EXPECT_EQ(out[l][0], l < 5 ? 1u : 0u) << l;
}

// Or tests in front of fragments that do nothing else, and what is drawn over them, would take the abort away.
TEST(Abort, IsAnEffectAndNamesItsPlace) {
  const std::string alone = kBody.substr(0, kBody.rfind("OUT("));
  const auto program =
      compiler::compileProgram(test::sourceOf(assembled(test::moduleText(alone, kHead, kTypes, kDecorations))));
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(program->info.hasSideEffects);
  const uint64_t place = abi::placeSysValues(abi::Stage::Compute);
  EXPECT_EQ(program->info.sysValues & place, place);
}

TEST(Abort, TheVerifierKnowsWhatMessagesHold) {
  const std::vector<uint32_t> words = assembled(test::moduleText(kBody, kHead, kTypes, kDecorations));
  auto good = compiler::compileProgram(test::sourceOf(words));
  ASSERT_TRUE(good.ok()) << good.error().message;
  const auto bent = [&](auto change) {
    isa::Program p = *good;
    abi::AbortMessage m = *p.aborts[0];
    for (isa::Inst& inst : p.code)
      if (inst.op == isa::Opcode::Abort) change(m, inst);
    p.aborts[0] = std::make_shared<const abi::AbortMessage>(std::move(m));
    return isa::verify(p, isa::VerifyMode::RealRegisters).ok();
  };
  EXPECT_TRUE(bent([](auto&, auto&) {}));
  EXPECT_FALSE(bent([](auto&, auto& inst) { inst.imm += 1; }));
  EXPECT_FALSE(bent([](auto&, auto& inst) { inst.imm += 5 << 16; }));
  EXPECT_FALSE(bent([](auto& m, auto&) { m.bytes.resize(4); }));
  EXPECT_FALSE(bent([](auto& m, auto&) { m.bytes.resize(abi::kMaxAbortBytes + 1); }));
  EXPECT_FALSE(bent([](auto& m, auto&) { m.textAt = 17; }));
  EXPECT_FALSE(bent([](auto& m, auto&) { m.textBytes = 17; }));
}

/// Whether a module compiles whose first lanes abort.
bool aborts(const std::string& types, const std::string& message, const std::string& decorations = "") {
  const std::string body =
      "%is = OpIEqual %bool %lane %c5\nOpSelectionMerge %behind None\nOpBranchConditional %is %then %behind\n"
      "%then = OpLabel\n" +
      message + "\n%behind = OpLabel\n";
  return test::compiles(test::moduleText(body, kHead, types, decorations));
}

TEST(Abort, MessagesOfOtherTypesAreRefused) {
  const std::string types =
      "%a = OpTypeStruct %u32 %u32\n%b = OpTypeStruct %u32 %f32\n%c = OpTypeStruct %u32 %bool\n%d = OpTypeStruct %b "
      "%b\n"
      "%e = OpTypeStruct %a %b\n%a4 = OpTypeArray %u32 %c4\n%a5 = OpTypeArray %u32 %c5\n%a5too = OpTypeArray %u32 %c5\n"
      "%big = OpConstant %u32 16385\n%huge = OpTypeArray %u32 %big\n%na = OpConstantNull %a\n%nc = OpConstantNull %c\n"
      "%ne = OpConstantNull %e\n%n5 = OpConstantNull %a5\n%nh = OpConstantNull %huge\n";
  const std::string offsets =
      "OpMemberDecorate %a 0 Offset 0\nOpMemberDecorate %a 1 Offset 4\nOpMemberDecorate %b 0 Offset 0\n"
      "OpMemberDecorate %b 1 Offset 4\nOpDecorate %a5 ArrayStride 4\n";
  EXPECT_TRUE(aborts(types, "!0x00031401 %a %na", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %b %na", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %c %nc", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %d %ne", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %a4 %n5", offsets));
  EXPECT_TRUE(aborts(types, "!0x00031401 %a5too %n5", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %huge %nh", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %a %c1", offsets));
  EXPECT_FALSE(aborts(types, "!0x00031401 %na %na", offsets));
  EXPECT_FALSE(aborts(types, "!0x00021401 %a", offsets));
}

/// abortEXT of GLSL_EXT_abort: lengths that may be specialized, and no strides.
TEST(Abort, MessagesMayHaveTextsOfSpecializedLength) {
  const std::string types =
      "%byte = OpTypeInt 8 1\n%n = OpSpecConstant %u32 12\n%a = OpTypeArray %byte %n\n%b = OpTypeArray %byte %n\n"
      "!0x0006141C %a %x !0x726F6261 !0x656E4F74 !0x0064253A\n%given = OpTypeStruct %a %u32\n"
      "%shape = OpTypeStruct %b %u32\n";
  const std::string offsets =
      "OpDecorate %a !5145\nOpDecorate %b !5145\nOpMemberDecorate %shape 0 Offset 0\n"
      "OpMemberDecorate %shape 1 Offset 12\n";
  EXPECT_TRUE(aborts(types, "%m = OpCompositeConstruct %given %x %lane\nOpNop\n!0x00031401 %shape %m", offsets));
}

TEST(ConstantData, MustHaveTheSizeOfTheirArray) {
  const auto compiles = [](const std::string& types, const std::string& decorations = "") {
    return test::compiles(test::moduleText("OUT(0, %c1)", kHead, "%byte = OpTypeInt 8 0\n" + types, decorations));
  };
  EXPECT_TRUE(compiles("%t = OpTypeArray %byte %c5\n!0x0005141B %t %x !1 !2\n"));
  EXPECT_TRUE(compiles("%t = OpTypeArray %u32 %c2\n!0x0005141C %t %x !1 !2\n", "OpDecorate %x SpecId 3\n"));
  EXPECT_FALSE(compiles("%t = OpTypeArray %byte %c5\n!0x0004141B %t %x !1\n"));
  EXPECT_FALSE(compiles("%t = OpTypeArray %byte %c4\n!0x0005141B %t %x !1 !2\n"));
  EXPECT_FALSE(compiles("%t = OpTypeArray %f32 %c2\n!0x0005141B %t %x !1 !2\n"));
  EXPECT_FALSE(compiles("!0x0004141B %v2u %x !1\n"));
  EXPECT_FALSE(compiles("%t = OpTypeArray %u32 %c1\n!0x0004141B %t %x !1\n", "OpDecorate %t ArrayStride 4\n"));
  EXPECT_FALSE(compiles("%t = OpTypeArray %u32 %c1\n!0x0004141B %t %x !1\n", "OpDecorate %t !5145\n"));
  EXPECT_FALSE(compiles("%n = OpSpecConstant %u32 2\n%t = OpTypeArray %u32 %n\n!0x0004141C %t %x !1\n"));
}

}  // namespace
}  // namespace etzel::lower
