// Attributes of every format, eight vertices at a time against one at a time: elements in any order, the last ones of
// their buffers and beyond, per vertex and per instance.
#include "raster/front/fetch/vertex_fetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace etzel::raster {
namespace {

constexpr uint32_t kLocation = 5, kElements = 40, kOffset = 3;

/// A draw with one attribute.
struct Draw {
  DrawState state;
  VertexFetch fetch;
  std::vector<std::byte> memory;

  Draw(const format::FormatInfo& info, bool perInstance, uint32_t divisor) {
    std::mt19937 random(uint32_t(info.format));
    memory.resize(kOffset + kElements * (info.blockBytes + 1) - 1);
    for (std::byte& b : memory) b = std::byte(random());
    state.attribute[kLocation] = {.enabled = true, .binding = 2, .format = info.format, .offset = kOffset};
    VertexBinding& binding = state.binding[2];
    binding.data = memory.data(), binding.size = memory.size();
    binding.stride = info.blockBytes + 1u;
    binding.perInstance = perInstance, binding.divisor = divisor;
    fetch.prepare(state, uint64_t{3} << kLocation, 7);
  }
};

/// What lanes read must be what they read alone, where only lane i asks for element[i].
void expectSame(const Draw& draw, const LaneWords& vertex, const LaneWords& instance, const LaneWords& element) {
  std::vector<LaneWords> in(abi::kAttributeWords);
  draw.fetch.fetch(vertex, instance, in.data());
  LaneWords one[4] = {};
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) draw.fetch.fetchElement(kLocation, 1u << lane, element, one);
  for (uint32_t c = 0; c < 4; ++c) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      ASSERT_EQ(in[abi::attributeWord(kLocation, c)].lane[lane], one[c].lane[lane]) << c << ' ' << lane;
  }
}

TEST(VertexFetch, EightElementsAreWhatTheyAreAlone) {
  std::mt19937 random(1);
  uint32_t formats = 0;
  for (uint32_t f = 1; f < 131; ++f) {
    const format::FormatInfo* info = format::find(VkFormat(f));
    if (!info || !(format::bufferFeatures(info->format) & VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT)) continue;
    SCOPED_TRACE(info->name);
    ++formats;
    const Draw draw(*info, false, 1);
    for (uint32_t round = 0; round < 40; ++round) {
      LaneWords vertex;
      const uint32_t first = random() % kElements;
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
        vertex.lane[lane] = round % 2 ? first + lane : random() % (round % 4 ? kElements : kElements + 2);
      expectSame(draw, vertex, {}, vertex);
    }
  }
  EXPECT_GE(formats, 80u);
}

TEST(VertexFetch, InstancesChooseElements) {
  const format::FormatInfo& info = *format::find(VK_FORMAT_R32G32B32_SFLOAT);
  const LaneWords instance = {{0, 1, 2, 3, 30, 31, 32, 33}};
  for (const uint32_t divisor : {0u, 1u, 3u}) {
    const Draw draw(info, true, divisor);
    LaneWords element;
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      element.lane[lane] = 7 + (divisor ? instance.lane[lane] / divisor : 0);
    expectSame(draw, {}, instance, element);
  }
}

}  // namespace
}  // namespace etzel::raster
