// Where pictures land on windows, against the numbers that "Surface Presentation Scaling" gives, and what is drawn.
#include "icd/wsi/picture.h"

#include <gtest/gtest.h>

#include <vector>

namespace etzel::icd {
namespace {

constexpr VkPresentGravityFlagsEXT kMin = VK_PRESENT_GRAVITY_MIN_BIT_EXT, kMax = VK_PRESENT_GRAVITY_MAX_BIT_EXT,
                                   kCentered = VK_PRESENT_GRAVITY_CENTERED_BIT_EXT;

void expectPlace(const Placement& p, int32_t x, int32_t y, uint32_t width, uint32_t height) {
  EXPECT_EQ(p.x, x);
  EXPECT_EQ(p.y, y);
  EXPECT_EQ(p.width, width);
  EXPECT_EQ(p.height, height);
}

TEST(Picture, WithoutScalingItBeginsAtTheCorner) { expectPlace(placePicture({9, 5}, {4, 8}, {}), 0, 0, 9, 5); }

TEST(Picture, OneToOneKeepsItsSizeAndGravityPlacesIt) {
  const VkPresentScalingFlagsEXT same = VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT;
  expectPlace(placePicture({10, 10}, {30, 20}, {same, kMin, kMax}), 0, 10, 10, 10);
  expectPlace(placePicture({10, 10}, {30, 20}, {same, kMax, kCentered}), 20, 5, 10, 10);
  expectPlace(placePicture({30, 10}, {10, 20}, {same, kMax, kMin}), -20, 0, 30, 10);
  expectPlace(placePicture({30, 10}, {10, 20}, {same, kCentered, kMin}), -10, 0, 30, 10);
}

TEST(Picture, AspectStretchFillsOneSideAndKeepsTheShape) {
  const VkPresentScalingFlagsEXT aspect = VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT;
  expectPlace(placePicture({20, 10}, {40, 40}, {aspect, kMin, kMax}), 0, 20, 40, 20);
  expectPlace(placePicture({10, 20}, {40, 40}, {aspect, kCentered, kMin}), 10, 0, 20, 40);
  expectPlace(placePicture({100, 50}, {10, 10}, {aspect, kMin, kMin}), 0, 0, 10, 5);
  expectPlace(placePicture({1000, 1}, {10, 10}, {aspect, kMin, kMin}), 0, 0, 10, 1);
}

TEST(Picture, StretchFillsTheWindow) {
  expectPlace(placePicture({3, 5}, {70, 20}, {VK_PRESENT_SCALING_STRETCH_BIT_EXT, kMax, kMax}), 0, 0, 70, 20);
}

/// A picture whose pixel (x, y) is x + 16 y, in the lowest byte, on a window that was 0xEE everywhere.
std::vector<uint32_t> drawn(VkExtent2D picture, const Placement& place, VkExtent2D window, bool redIsLowest = false) {
  std::vector<uint32_t> pixels(size_t(picture.width) * picture.height);
  for (uint32_t i = 0; i < pixels.size(); ++i) pixels[i] = i % picture.width + 16 * (i / picture.width);
  std::vector<uint32_t> frame(size_t(window.width) * window.height, 0xEEEEEEEEu);
  drawPicture({reinterpret_cast<const std::byte*>(pixels.data()), picture.width * 4, picture, redIsLowest}, place,
              window, reinterpret_cast<std::byte*>(frame.data()));
  return frame;
}

TEST(Picture, TwiceTheSizeDoublesEveryPixel) {
  const std::vector<uint32_t> want = {0,  0,  1,  1,  0,  0,  1,  1,  //
                                      16, 16, 17, 17, 16, 16, 17, 17};
  EXPECT_EQ(drawn({2, 2}, {0, 0, 4, 4}, {4, 4}), want);
}

TEST(Picture, HalfTheSizeTakesTheNearestPixels) {
  const std::vector<uint32_t> want = {17, 19, 49, 51};
  EXPECT_EQ(drawn({4, 4}, {0, 0, 2, 2}, {2, 2}), want);
}

TEST(Picture, AroundItTheWindowIsBlack) {
  const std::vector<uint32_t> want = {0, 0,  0,   //
                                      0, 0,  0,   //
                                      0, 16, 0};  // the picture's pixel (0, 1), which alone has a number
  EXPECT_EQ(drawn({1, 2}, {1, 1, 1, 2}, {3, 3}), want);
}

TEST(Picture, WhatLiesBeyondTheWindowIsCutOff) {
  EXPECT_EQ(drawn({4, 4}, {-1, -2, 4, 4}, {2, 1}), (std::vector<uint32_t>{33, 34}));
  EXPECT_EQ(drawn({4, 4}, {-9, 0, 4, 4}, {2, 1}), (std::vector<uint32_t>{0, 0}));
}

TEST(Picture, RedAndBlueChangePlaces) {
  EXPECT_EQ(drawn({2, 1}, {0, 0, 2, 1}, {2, 1}, true), (std::vector<uint32_t>{0, 1u << 16}));
}

}  // namespace
}  // namespace etzel::icd
