// Records against the words of the lanes that they are made of.
#include "raster/front/warp/records.h"

#include <gtest/gtest.h>

#include <vector>

namespace etzel::raster {
namespace {

TEST(Records, HoldTheLanesTheyAreMadeOf) {
  abi::ProgramInfo vertex, fragment;
  vertex.stage = abi::Stage::Vertex, fragment.stage = abi::Stage::Fragment;
  vertex.outputLocations = 0b1011, fragment.inputLocations = 0b11010;
  const RecordShape shape = RecordShape::make(vertex, &fragment);
  ASSERT_EQ(shape.stride(), abi::kWordGeneric + 4 * 5);
  std::vector<LaneWords> out(abi::kRecordWords);
  shape.clear(out.data());
  const auto value = [](uint32_t word, uint32_t lane) { return 1000 * word + lane; };
  const uint32_t written[] = {abi::kWordPosition, abi::locationWord(1, 0), abi::locationWord(3, 0)};
  for (const uint32_t slot : written)
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane) out[slot + c].lane[lane] = value(slot + c, lane);

  constexpr uint32_t kUntouched = 0xABABABAB;
  for (uint32_t lanes = 1; lanes <= kWarpLanes; ++lanes) {
    const size_t pitch = shape.stride() + 4;
    std::vector<uint32_t> records(kWarpLanes * pitch, kUntouched), single(pitch, kUntouched);
    shape.store(out.data(), lanes, records.data(), pitch);
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const uint32_t* record = records.data() + lane * pitch;
      shape.storeLane(out.data(), lane, single.data());
      for (uint32_t w = 0; w < pitch; ++w) {
        uint32_t expected = w == abi::kWordPointSize ? 0x3F800000u : 0;
        for (const uint32_t slot : written)
          if (w >= slot && w < slot + 4) expected = value(w, lane);
        if (w >= shape.stride()) expected = kUntouched;
        ASSERT_EQ(single[w], expected) << w;
        ASSERT_EQ(record[w], lane < lanes ? expected : kUntouched) << w << ' ' << lane;
      }
    }
  }
  shape.clear(out.data());
  for (const uint32_t slot : written) EXPECT_EQ(out[slot + 3].lane[7], 0u);
}

}  // namespace
}  // namespace etzel::raster
