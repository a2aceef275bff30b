#include "raster/smooth_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace etzel::raster {
namespace {

constexpr int32_t kPixel = 256;

/// An upright one, in 1/256 pixel.
SmoothRectangle upright(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  return {{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
}

/// One of any direction around (x, y), in pixels.
SmoothRectangle turned(double x, double y, double length, double width, double angle) {
  const double ux = std::cos(angle) * length / 2, uy = std::sin(angle) * length / 2;
  const double nx = -std::sin(angle) * width / 2, ny = std::cos(angle) * width / 2;
  const double at[4][2] = {
      {x - ux + nx, y - uy + ny}, {x + ux + nx, y + uy + ny}, {x + ux - nx, y + uy - ny}, {x - ux - nx, y - uy - ny}};
  SmoothRectangle r;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 2; ++k) r.corner[i][k] = int32_t(std::lrint(at[i][k] * kPixel));
  return r;
}

/// Twice its area, in 1/65536 pixel.
double areaOf(const SmoothRectangle& r) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const auto &a = r.corner[i], &b = r.corner[(i + 1) % 4];
    sum += double(a[0]) * b[1] - double(b[0]) * a[1];
  }
  return std::fabs(sum) / 2 / kPixel / kPixel;
}

TEST(SmoothLine, UprightRectanglesCoverProductsOfTheirSides) {
  const SmoothRectangle r = upright(64, 192, 3 * kPixel, 2 * kPixel + 128);
  EXPECT_EQ(smoothCoverage(r, 0, 0), 0.75f * 0.25f);
  EXPECT_EQ(smoothCoverage(r, 1, 0), 0.25f);
  EXPECT_EQ(smoothCoverage(r, 1, 1), 1.0f);
  EXPECT_EQ(smoothCoverage(r, 2, 2), 0.5f);
  EXPECT_EQ(smoothCoverage(r, 3, 1), 0.0f);
  EXPECT_EQ(smoothCoverage(r, -1, 1), 0.0f);
}

TEST(SmoothLine, ADiagonalEdgeHalvesPixels) {
  const SmoothRectangle r = {{{0, 0}, {4 * kPixel, 4 * kPixel}, {0, 8 * kPixel}, {-4 * kPixel, 4 * kPixel}}};
  EXPECT_EQ(smoothCoverage(r, 0, 0), 0.5f);
  EXPECT_EQ(smoothCoverage(r, 3, 3), 0.5f);
  EXPECT_EQ(smoothCoverage(r, 1, 2), 1.0f);
  EXPECT_EQ(smoothCoverage(r, 2, 1), 0.0f);
}

/// In which direction the corners go around makes no difference but of rounding.
TEST(SmoothLine, PartsOfAllPixelsAreTheWholeArea) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(10, 30), size(0.3, 12), angle(-4, 4);
  for (int round = 0; round < 500; ++round) {
    SmoothRectangle r = turned(place(random), place(random), size(random), size(random), angle(random));
    if (round % 2) std::swap(r.corner[1], r.corner[3]);
    double sum = 0;
    for (int32_t y = 0; y < 44; ++y)
      for (int32_t x = 0; x < 44; ++x) sum += double(smoothCoverage(r, x, y));
    EXPECT_NEAR(sum, areaOf(r), 1e-4) << round;
  }
}

TEST(SmoothLine, PartsAreThoseOfPointsThatLieInside) {
  constexpr int kPoints = 64;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> place(0, 1), size(0.3, 2), angle(-4, 4);
  for (int round = 0; round < 200; ++round) {
    const SmoothRectangle r = turned(place(random), place(random), size(random), size(random), angle(random));
    int inside = 0;
    for (int i = 0; i < kPoints * kPoints; ++i) {
      const double x = (i % kPoints + 0.5) / kPoints * kPixel, y = (i / kPoints + 0.5) / kPoints * kPixel;
      int left = 0, right = 0;
      for (int e = 0; e < 4; ++e) {
        const auto &a = r.corner[e], &b = r.corner[(e + 1) % 4];
        const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        left += side >= 0, right += side <= 0;
      }
      inside += left == 4 || right == 4;
    }
    EXPECT_NEAR(smoothCoverage(r, 0, 0), double(inside) / kPoints / kPoints, 0.02) << round;
  }
}

TEST(SmoothLine, RowsHaveThePixelsThatThereIsAVisiblePartOf) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-5, 5), size(0.1, 9), angle(-4, 4);
  for (int round = 0; round < 300; ++round) {
    const SmoothRectangle r = turned(place(random), place(random), size(random), size(random), angle(random));
    for (int32_t y = -14; y < 14; ++y) {
      int32_t x0 = 0, x1 = 0;
      if (!smoothRow(r, y, &x0, &x1)) x0 = x1 = 0;
      for (int32_t x = -14; x < 14; ++x) {
        EXPECT_EQ(x >= x0 && x < x1, smoothCoverage(r, x, y) >= kLeastSmoothPart) << x << "," << y;
      }
    }
  }
}

TEST(SmoothLine, BordersOnPixelsTouchNone) {
  int32_t x0 = 0, x1 = 0;
  const SmoothRectangle r = upright(kPixel, kPixel, 3 * kPixel, 2 * kPixel);
  EXPECT_FALSE(smoothRow(r, 0, &x0, &x1));
  EXPECT_FALSE(smoothRow(r, 2, &x0, &x1));
  ASSERT_TRUE(smoothRow(r, 1, &x0, &x1));
  EXPECT_EQ(x0, 1);
  EXPECT_EQ(x1, 3);
}

}  // namespace
}  // namespace etzel::raster
