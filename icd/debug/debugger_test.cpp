// Parts of the debugger that need no device: requests as they are read, filters, hit counts, paths, base64.
#include <gtest/gtest.h>

#include <bit>

#include "icd/debug/base64.h"
#include "icd/debug/json.h"
#include "icd/debug/rules.h"
#include "icd/debug/wire.h"
#include "icd/object/object.h"

namespace etzel::icd {
namespace {

TEST(DebuggerRequests, AreANumberAVerbAndWords) {
  WireRequest r;
  ASSERT_TRUE(readRequest("7 lines a%20b.frag 3 % %25x", r));
  EXPECT_EQ(r.id, 7u);
  EXPECT_EQ(r.verb, "lines");
  EXPECT_EQ(r.words, (std::vector<std::string>{"a b.frag", "3", "", "%x"}));
  ASSERT_TRUE(readRequest("  8   go  ", r));
  EXPECT_TRUE(r.words.empty());
  ASSERT_TRUE(readRequest("9 x %zz %2", r)) << "what is no escape stands for itself";
  EXPECT_EQ(r.words, (std::vector<std::string>{"%zz", "%2"}));
  for (const char* line : {"", "7", "seven lines", "-1 go", "99999999999999999999 go"})
    EXPECT_FALSE(readRequest(line, r)) << line;
}

TEST(DebuggerFilter, ReadsWhatNamesInvocations) {
  Filter f;
  for (const char* word : {"pixel=3,4", "sample=1", "draw=2", "vertex=5", "instance=6", "primitive=7", "invocation=8",
                           "workgroup=1,2,3", "stage=fragment", "layer=1", "view=2", "patch=3", "covered=partly",
                           "label=shadows = on", "pipeline=p", "which=each"})
    EXPECT_TRUE(f.add(word)) << word;
  EXPECT_EQ(f.pixel, std::pair(3u, 4u));
  EXPECT_TRUE(f.admitsStage(abi::Stage::Fragment));
  EXPECT_FALSE(f.admitsStage(abi::Stage::Vertex));
  Filter number;
  ASSERT_TRUE(number.add("draw=2"));
  EXPECT_TRUE(number.admits({2}));
  EXPECT_FALSE(number.admits({3}));
  for (const char* word :
       {"", "pixel", "pixel=", "pixel=1", "pixel=1,2,3", "pixel=1,x", "draw=-1", "stage=ray", "x=1",
        "sample=4294967296", "workgroup=1,2", "covered=fully", "which=all", "label=", "pipeline=", "layer=x"})
    EXPECT_FALSE(f.add(word)) << word;
}

TEST(DebuggerFilter, AsksForLabelsAndPipelines) {
  Object named, other, nameless;
  named.notes = std::make_unique<ObjectNotes>();
  named.notes->debugName = "lighting";
  other.notes = std::make_unique<ObjectNotes>();
  const char* const labels[] = {"frame", "shadows"};
  Filter f;
  EXPECT_TRUE(f.admits({0, {}, &nameless}));
  ASSERT_TRUE(f.add("label=shadows"));
  EXPECT_TRUE(f.admits({0, labels, nullptr}));
  EXPECT_FALSE(f.admits({0, std::span(labels).first(1), nullptr}));
  ASSERT_TRUE(f.add("pipeline=lighting"));
  EXPECT_TRUE(f.admits({0, labels, &named}));
  EXPECT_FALSE(f.admits({0, labels, &other}));
  EXPECT_FALSE(f.admits({0, labels, &nameless}));
  EXPECT_FALSE(f.admits({0, labels, nullptr}));
}

TEST(DebuggerFilter, LetsLanesThroughByLayerViewPatchAndCoverage) {
  std::vector<LaneWords> sys(abi::kSysValueCount);
  abi::DispatchContext context;
  abi::Warp warp;
  warp.context = &context, warp.sys = sys.data(), warp.active = kAllLanes;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    sys[uint32_t(abi::SysValue::Layer)].lane[i] = i % 2;
    sys[uint32_t(abi::SysValue::ViewIndex)].lane[i] = i / 4;
    sys[uint32_t(abi::SysValue::PrimitiveId)].lane[i] = i;
    sys[uint32_t(abi::SysValue::FullyCovered)].lane[i] = i < 6 ? ~0u : 0;
  }
  const auto lanes = [&](const char* word, abi::Stage stage) {
    Filter f;
    EXPECT_TRUE(f.add(word)) << word;
    return f.lanes(stage, warp);
  };
  using abi::Stage;
  EXPECT_EQ(lanes("layer=1", Stage::Fragment), LaneMask(0xAA));
  EXPECT_EQ(lanes("layer=1", Stage::Vertex), LaneMask(0xFF)) << "layers are a fragment's";
  for (const Stage stage : {Stage::Vertex, Stage::TessControl, Stage::TessEvaluation, Stage::Geometry, Stage::Fragment})
    EXPECT_EQ(lanes("view=1", stage), LaneMask(0xF0));
  EXPECT_EQ(lanes("view=1", Stage::Compute), LaneMask(0xFF));
  EXPECT_EQ(lanes("patch=2", Stage::TessControl), LaneMask(0x04));
  EXPECT_EQ(lanes("patch=2", Stage::TessEvaluation), LaneMask(0x04));
  EXPECT_EQ(lanes("patch=2", Stage::Geometry), LaneMask(0xFF)) << "primitives are no patches";
  EXPECT_EQ(lanes("covered=partly", Stage::Fragment), LaneMask(0xC0));
}

TEST(DebuggerFilter, LetsLanesThroughByWhatTheirStageHas) {
  std::vector<LaneWords> sys(abi::kSysValueCount);
  abi::DispatchContext context;
  abi::Warp warp;
  warp.context = &context, warp.sys = sys.data(), warp.active = kAllLanes, warp.helper = 0x02;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    sys[uint32_t(abi::SysValue::PosX)].lane[i] = std::bit_cast<uint32_t>(10.5f + float(i % 4));
    sys[uint32_t(abi::SysValue::PosY)].lane[i] = std::bit_cast<uint32_t>(20.5f + float(i / 4));
    sys[uint32_t(abi::SysValue::SampleMaskIn)].lane[i] = i;
    sys[uint32_t(abi::SysValue::VertexIndex)].lane[i] = 100 + i;
  }
  Filter f;
  EXPECT_EQ(f.lanes(abi::Stage::Fragment, warp), LaneMask(0xFD)) << "helper invocations are none";
  ASSERT_TRUE(f.add("pixel=12,21"));
  EXPECT_EQ(f.lanes(abi::Stage::Fragment, warp), LaneMask(0x40));
  EXPECT_EQ(f.lanes(abi::Stage::Vertex, warp), LaneMask(0xFD)) << "vertices have no pixel";
  ASSERT_TRUE(f.add("sample=0"));
  EXPECT_EQ(f.lanes(abi::Stage::Fragment, warp), LaneMask(0)) << "lane 6 covers samples 1 and 2";
  ASSERT_TRUE(f.add("vertex=103"));
  EXPECT_EQ(f.lanes(abi::Stage::Vertex, warp), LaneMask(0x08));
}

TEST(DebuggerRules, HitCountsCompare) {
  const auto stops = [](const char* hits) {
    std::string out;
    for (uint64_t n = 1; n <= 6; ++n) out += hitStops(hits, n) ? '1' : '0';
    return out;
  };
  EXPECT_EQ(stops("3"), "001000");
  EXPECT_EQ(stops("== 3"), "001000");
  EXPECT_EQ(stops(">3"), "000111");
  EXPECT_EQ(stops(">=3"), "001111");
  EXPECT_EQ(stops("<3"), "110000");
  EXPECT_EQ(stops("<=3"), "111000");
  EXPECT_EQ(stops("%2"), "010101");
  EXPECT_EQ(stops("%0"), "000000");
  EXPECT_EQ(stops(""), "111111");
  for (const char* text : {"x", "3 x", "=>3", ">"}) EXPECT_FALSE(isHitCondition(text)) << text;
}

TEST(DebuggerRules, SourcesAreTheSameByTheEndOfTheirPaths) {
  EXPECT_TRUE(isSameSource("/home/me/app/common/light.glsl", "demo/../common/light.glsl"));
  EXPECT_TRUE(isSameSource("light.glsl", "common/light.glsl"));
  EXPECT_TRUE(isSameSource("/a/b.frag", "/a/b.frag"));
  EXPECT_FALSE(isSameSource("/a/moonlight.glsl", "light.glsl"));
  EXPECT_FALSE(isSameSource("/a/light.glsl", "b/light.glsl"));
  EXPECT_FALSE(isSameSource("", "light.glsl"));
}

TEST(DebuggerMemory, Base64GoesThereAndBack) {
  std::vector<std::byte> bytes;
  for (uint32_t size = 0; size < 20; ++size) {
    const auto back = fromBase64(toBase64(bytes));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, bytes);
    bytes.push_back(static_cast<std::byte>(37 * size + 200));
  }
  EXPECT_EQ(toBase64(std::as_bytes(std::span("light w", 7))), "bGlnaHQgdw==");
  for (const char* text : {"A", "AAA", "A*AA", "AA==AA=="}) EXPECT_FALSE(fromBase64(text)) << text;
}

TEST(DebuggerJson, QuotesWhatItWrites) {
  EXPECT_EQ(JsonObject().number("id", 7).text("text", "a\"b\n").truth("ok", false).done(),
            "{\"id\":7,\"text\":\"a\\\"b\\u000a\",\"ok\":false}");
  EXPECT_EQ(JsonArray().add("1").add("{}").done(), "[1,{}]");
  EXPECT_EQ(JsonObject().done() + JsonArray().done(), "{}[]");
}

}  // namespace
}  // namespace etzel::icd
