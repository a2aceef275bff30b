// What a history is of, and what it writes down; the way of fragments is tested where it is told (raster/tile/probe),
// the whole through the loader (tests/inspect/check_history.py).
#include "icd/debug/history.h"

#include <gtest/gtest.h>

#include "icd/debug/history_text.h"
#include "icd/debug/transfer_history.h"

namespace etzel::icd {
namespace {

TEST(HistorySubject, TakesItsWords) {
  HistorySubject s;
  EXPECT_TRUE(s.add("pixel=338,171"));
  EXPECT_TRUE(s.add("sample=3"));
  EXPECT_TRUE(s.add("layer=2"));
  EXPECT_TRUE(s.add("image=image 2"));
  EXPECT_EQ(s.frame, 0u);
  EXPECT_TRUE(s.add("frame=7"));
  EXPECT_EQ(s.x, 338u);
  EXPECT_EQ(s.y, 171u);
  EXPECT_EQ(s.sample, 3u);
  EXPECT_EQ(s.layer, 2u);
  EXPECT_EQ(s.image, "image 2");
  EXPECT_EQ(s.frame, 7u);
  EXPECT_TRUE(s.add("frame=all"));
  EXPECT_FALSE(s.frame);
  for (const char* word : {"", "pixel", "pixel=3", "pixel=3,", "pixel=3,4,5", "pixel=-1,2", "sample=16", "sample=x",
                           "image=", "frame=", "draw=2", "layer=1x"})
    EXPECT_FALSE(s.add(word)) << word;
}

TEST(HistorySubject, AdmitsImagesByNameNumberOrAttachment) {
  Image image;
  const auto admits = [&](const char* wanted, VkImageUsageFlags usage, const char* attachment) {
    image.usage = usage;
    const ListedImage listed{&image, 4, "shadows"};
    HistorySubject s;
    if (*wanted) s.image = wanted;
    return s.admits(&listed, attachment);
  };
  EXPECT_TRUE(admits("", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, ""));
  EXPECT_FALSE(admits("", VK_IMAGE_USAGE_SAMPLED_BIT, ""));  // a texture
  EXPECT_TRUE(admits("shadows", VK_IMAGE_USAGE_SAMPLED_BIT, ""));
  EXPECT_TRUE(admits("image 4", 0, "depth"));
  EXPECT_FALSE(admits("image 5", 0, "depth"));
  EXPECT_TRUE(admits("depth", 0, "depth"));
  EXPECT_FALSE(admits("depth", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, "color 0"));
  EXPECT_FALSE(HistorySubject{.image = "shadows"}.admits(nullptr, "resolve"));
}

TEST(History, ToldNumbersAreJson) {
  EXPECT_EQ(numberText(0.1f), "0.1");
  EXPECT_EQ(numberText(1.0f / 0.0f), "\"inf\"");
  EXPECT_EQ(numberText(-1.0f / 0.0f), "\"-inf\"");
  EXPECT_EQ(numberText(__builtin_nanf("")), "\"nan\"");
  raster::PixelContents p;
  p.samples = 2, p.texelBytes = 4;
  p.texel[0][0] = p.texel[0][3] = std::byte{255};
  p.texel[1][1] = std::byte{51};
  EXPECT_EQ(contentsText(p, VK_FORMAT_R8G8B8A8_UNORM), "[[1,0,0,1],[0,0.2,0,0]]");
  EXPECT_EQ(contentsText(p, VK_FORMAT_R8G8B8A8_UINT), "[[255,0,0,255],[0,51,0,0]]");
  EXPECT_EQ(contentsText(p, VK_FORMAT_R32_SINT), "[[-16776961],[13056]]");
  EXPECT_EQ(contentsText(p, VK_FORMAT_S8_UINT), "[[255],[0]]");
}

TEST(History, RegionsOfTransfersAreThoseOfTheirDestination) {
  VkImageCopy2 copy{};
  copy.srcOffset = {10, 20, 0}, copy.dstOffset = {1, 2, 0}, copy.extent = {3, 4, 1};
  copy.dstSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 1, 2, 3};
  const WrittenRegion c = writtenBy(copy);
  EXPECT_EQ(c.mip, 1u);
  EXPECT_EQ(c.layer, 2u);
  EXPECT_EQ(c.layers, 3u);
  EXPECT_EQ((std::array<int64_t, 6>{c.x0, c.y0, c.x1, c.y1, c.fromX, c.fromY}),
            (std::array<int64_t, 6>{1, 2, 4, 6, 9, 18}));
  VkImageBlit2 blit{};  // mirrored
  blit.dstOffsets[0] = {8, 1, 0}, blit.dstOffsets[1] = {2, 5, 1};
  const WrittenRegion b = writtenBy(blit);
  EXPECT_EQ((std::array<int64_t, 4>{b.x0, b.y0, b.x1, b.y1}), (std::array<int64_t, 4>{2, 1, 8, 5}));
  EXPECT_FALSE(b.hasSource);
}

}  // namespace
}  // namespace etzel::icd
