#include "icd/debug/memory_place.h"

#include <gtest/gtest.h>

#include "runtime/format/format.h"

namespace etzel::icd {
namespace {

using Texel = MemoryPlace::Texel;

TEST(MemoryPlace, ReadsBackFromItsName) {
  const MemoryPlace bytes{{{0x7f0012345678, 12}, {16, 4}}, {}};
  const MemoryPlace any{{}, Texel{0x1000, 0x2000, 1, 2, 3, 4, {}}};
  const MemoryPlace sample{{}, Texel{0x1000, 0x2000, 1, 2, 3, 4, 5u}};
  for (const MemoryPlace& place : {bytes, any, sample}) EXPECT_EQ(MemoryPlace::read(place.id()), place) << place.id();
  for (const char* text : {"", "bytes", "bytes:", "bytes:1", "bytes:x:1", "texel:1:2", "1048576:3:4", "other:1:2"})
    EXPECT_FALSE(MemoryPlace::read(text)) << text;
  EXPECT_EQ(MemoryPlace::read("bytes:fffffffffffffff0:ffff")->bytes[0].count, 15u) << "the end is an address too";
}

TEST(MemoryPlace, TexelsAreThoseOfTheImage) {
  const mem::ImageLayout layout;
  const mem::PlaneLayout plane;
  tex::ImageView v;
  std::byte memory[4];
  v.layout = &layout, v.plane = &plane, v.memory = memory;
  v.baseMip = 2, v.baseLayer = 3;
  const auto texel = [&](std::vector<uint32_t> at) {
    const auto place = placeOfTexel(v, at);
    return place ? place->texel : std::nullopt;
  };
  ASSERT_TRUE(texel({5, 6}));
  EXPECT_EQ(texel({5, 6})->level, 2u);
  EXPECT_EQ(texel({5, 6})->layer, 3u);
  EXPECT_FALSE(texel({5})) << "two coordinates";
  EXPECT_FALSE(texel({5, 6, 7})) << "one sample has no number";
  v.samples = 4;
  EXPECT_EQ(texel({5, 6, 3})->sample, 3u);
  EXPECT_FALSE(texel({5, 6})->sample);
  v.samples = 1, v.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  EXPECT_EQ(texel({5, 6, 7})->layer, 10u);
  v.type = VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  EXPECT_EQ(texel({5, 6})->layer, 9u);
  EXPECT_EQ(texel({5, 6})->y, 0u);
  v.type = VK_IMAGE_VIEW_TYPE_2D, v.depthCount = 8, v.baseDepth = 4;
  EXPECT_EQ(texel({5, 6})->layer, 4u) << "a slice of a 3D image";
  v.type = VK_IMAGE_VIEW_TYPE_3D;
  EXPECT_EQ(texel({5, 6, 2})->layer, 6u) << "a slice of some of a 3D image";
}

TEST(MemoryPlace, TexelBuffersAreBytes) {
  tex::ImageView v;
  std::byte memory[64];
  v.memory = memory, v.info = format::find(VK_FORMAT_R32G32_SFLOAT);
  const auto place = placeOfTexel(v, {3});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->bytes, (std::vector<MemoryPlace::Bytes>{{reinterpret_cast<uint64_t>(memory + 24), 8}}));
}

}  // namespace
}  // namespace etzel::icd
