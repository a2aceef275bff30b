#include "icd/debug/print_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace etzel::icd {
namespace {

struct Fragments {
  abi::Kernel kernel;
  abi::DispatchContext context;
  std::vector<LaneWords> sys{abi::kSysValueCount};
  abi::Warp warp;
  explicit Fragments(abi::Stage stage = abi::Stage::Fragment) {
    kernel.info.stage = stage;
    warp.kernel = &kernel, warp.context = &context, warp.sys = sys.data();
  }
  void at(abi::SysValue v, uint32_t lane, uint32_t word) { sys[uint32_t(v)].lane[lane] = word; }
  void pixel(uint32_t lane, uint32_t x, uint32_t y) {
    at(abi::SysValue::PosX, lane, std::bit_cast<uint32_t>(static_cast<float>(x) + 0.5f));
    at(abi::SysValue::PosY, lane, std::bit_cast<uint32_t>(static_cast<float>(y) + 0.5f));
  }
};

const abi::PrintFormat kNumber{"%u", {{abi::PrintValue::Kind::Uint, 32, 1}}};

LaneWords all(uint32_t word) {
  LaneWords words;
  std::fill(std::begin(words.lane), std::end(words.lane), word);
  return words;
}

TEST(PrintLog, PixelsComeRowByRowAndAsTheyAreDrawnThere) {
  PrintLog log;
  Fragments f;
  f.pixel(0, 4, 7), f.pixel(1, 5, 7), f.pixel(2, 4, 6);
  const LaneWords first = all(1), second = all(2);
  log.add(3, f.warp, kNumber, 0, 7, {&first, 1});
  log.add(2, f.warp, kNumber, 0, 1, {&first, 1});
  log.add(3, f.warp, kNumber, 0, 1, {&second, 1});
  EXPECT_EQ(log.take(), (std::vector<std::string>{
                            "draw 2, fragment shader, pixel (4, 7): 1",
                            "draw 3, fragment shader, pixel (4, 6): 1",
                            "draw 3, fragment shader, pixel (4, 7): 1",
                            "draw 3, fragment shader, pixel (4, 7): 2",
                            "draw 3, fragment shader, pixel (5, 7): 1",
                        }));
  EXPECT_TRUE(log.take().empty());
}

TEST(PrintLog, PiecesOfAMessageAreJoinedLaneByLane) {
  PrintLog log;
  Fragments f;
  f.pixel(0, 1, 1), f.pixel(5, 1, 1);  // two samples of one pixel, say
  const abi::PrintFormat pair{"%v2u", {{abi::PrintValue::Kind::Uint, 32, 2}}};
  LaneWords low = all(0), high = all(0);
  low.lane[0] = 10, high.lane[0] = 11, low.lane[5] = 50, high.lane[5] = 51;
  log.add(0, f.warp, pair, 0, 0x21, {&low, 1});
  log.add(0, f.warp, pair, 1, 0x21, {&high, 1});
  EXPECT_EQ(log.take(), (std::vector<std::string>{
                            "draw 0, fragment shader, pixel (1, 1): 10, 11",
                            "draw 0, fragment shader, pixel (1, 1): 50, 51",
                        }));
}

TEST(PrintLog, VerticesComeAsTheApiOrdersThem) {
  PrintLog log;
  Fragments v(abi::Stage::Vertex);
  const LaneWords word = all(0);
  for (const uint32_t order : {2u, 0u, 1u}) {
    v.warp.order = order;
    v.at(abi::SysValue::VertexIndex, 0, 10 - order);
    log.add(0, v.warp, kNumber, 0, 1, {&word, 1});
  }
  const auto texts = log.take();
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0], "draw 0, vertex shader, vertex 10, instance 0: 0");
  EXPECT_EQ(texts[2], "draw 0, vertex shader, vertex 8, instance 0: 0");
}

TEST(PrintLog, OfTooManyTheFirstAreKeptWhicheverCameFirst) {
  Fragments c(abi::Stage::Compute);
  constexpr uint32_t kAll = 5 * PrintLog::kMessages;
  std::vector<uint32_t> order(kAll);
  for (uint32_t i = 0; i < kAll; ++i) order[i] = i;
  std::vector<std::string> texts[2];
  for (auto& t : texts) {
    PrintLog log;
    for (const uint32_t i : order) {
      c.at(abi::SysValue::WorkgroupIdX, 0, i);
      const LaneWords word = all(i);
      log.add(0, c.warp, kNumber, 0, 1, {&word, 1});
    }
    t = log.take();
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
  }
  EXPECT_EQ(texts[0], texts[1]);
  ASSERT_EQ(texts[0].size(), PrintLog::kMessages + 1);
  EXPECT_EQ(texts[0][PrintLog::kMessages - 1],
            "dispatch 0, compute shader, workgroup (32767, 0, 0), invocation 0: 32767");
  EXPECT_TRUE(texts[0].back().starts_with("131072 further messages of shaders were dropped")) << texts[0].back();
}

}  // namespace
}  // namespace etzel::icd
