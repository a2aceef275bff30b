// Depth and stencil by blocks, planes and bounds give what a plain loop over samples gives: random draws, clears and
// copies against such a model, for both variants of the tile code, with and without tile states.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "raster/attachment/clear.h"
#include "raster/tile/test_scene.h"
#include "runtime/transfer/transfer.h"

namespace etzel::raster {
namespace {

using testing::edgeThrough;
using testing::Runner;
using testing::TestImage;
using testing::TestKernel;

constexpr int32_t kWidth = 77, kHeight = 70;

/// Every sample's word, and the tests as the specification has them ("Fragment Operations").
struct Model {
  DepthFormat format;
  uint32_t samples;
  std::vector<uint32_t> depth, stencil;
  Model(DepthFormat f, uint32_t n)
      : format(f), samples(n), depth(size_t{kWidth} * kHeight * n), stencil(size_t{kWidth} * kHeight * n) {}

  size_t at(int32_t x, int32_t y, uint32_t s) const { return (size_t(y) * kWidth + x) * samples + s; }

  uint32_t wordOf(float z) const {
    if (format == DepthFormat::D32F) return std::bit_cast<uint32_t>(z);
    const double unit = z > 0 ? (z < 1 ? double{z} : 1.0) : 0.0;
    return static_cast<uint32_t>(std::nearbyint(unit * (format == DepthFormat::D16 ? 65535.0 : 16777215.0)));
  }
  double valueOf(uint32_t word) const {
    return format == DepthFormat::D32F ? std::bit_cast<float>(word) : double(word);
  }

  static bool passes(VkCompareOp op, double a, double b) {
    switch (op) {
      case VK_COMPARE_OP_NEVER: return false;
      case VK_COMPARE_OP_LESS: return a < b;
      case VK_COMPARE_OP_EQUAL: return a == b;
      case VK_COMPARE_OP_LESS_OR_EQUAL: return a <= b;
      case VK_COMPARE_OP_GREATER: return a > b;
      case VK_COMPARE_OP_NOT_EQUAL: return a != b;
      case VK_COMPARE_OP_GREATER_OR_EQUAL: return a >= b;
      default: return true;
    }
  }
  static uint32_t after(const StencilFace& f, VkStencilOp op, uint32_t old) {
    uint32_t v = old;
    switch (op) {
      case VK_STENCIL_OP_ZERO: v = 0; break;
      case VK_STENCIL_OP_REPLACE: v = f.reference & 255; break;
      case VK_STENCIL_OP_INCREMENT_AND_CLAMP: v = old < 255 ? old + 1 : 255; break;
      case VK_STENCIL_OP_DECREMENT_AND_CLAMP: v = old > 0 ? old - 1 : 0; break;
      case VK_STENCIL_OP_INVERT: v = ~old & 255; break;
      case VK_STENCIL_OP_INCREMENT_AND_WRAP: v = (old + 1) & 255; break;
      case VK_STENCIL_OP_DECREMENT_AND_WRAP: v = (old - 1) & 255; break;
      default: break;
    }
    return (old & ~f.writeMask & 255) | (v & f.writeMask & 255);
  }

  /// \returns the samples that pass
  uint64_t draw(const BinnedPrimitive& p, const DrawState& s, bool discards) {
    const SamplePositions positions = samplePositions(s);
    const StencilFace& face = p.setup.frontFacing ? s.front : s.back;
    uint64_t passed = 0;
    for (int32_t y = p.minY; y < p.maxY; ++y) {
      for (int32_t x = p.minX; x < p.maxX; ++x) {
        if (discards && killed(x, y)) continue;
        for (uint32_t k = 0; k < samples; ++k) {
          const int64_t sx = int64_t{x} * 256 + positions.x[k] * 16, sy = int64_t{y} * 256 + positions.y[k] * 16;
          bool inside = s.sampleMask >> k & 1;
          for (uint32_t i = 0; i < p.edgeCount; ++i) inside &= p.edge[i].a * sx + p.edge[i].b * sy + p.edge[i].c >= 0;
          if (!inside) continue;
          uint32_t& d = depth[at(x, y, k)];
          if (s.depthBoundsTest &&
              !(valueOf(d) >= valueOf(wordOf(s.depthBoundsMin)) && valueOf(d) <= valueOf(wordOf(s.depthBoundsMax))))
            continue;
          const float px = float(x) + float(positions.x[k]) / 16, py = float(y) + float(positions.y[k]) / 16;
          float z = ((px - p.setup.x0) * p.dzdx + p.z0) + (py - p.setup.y0) * p.dzdy;
          if (s.depthClamp) {
            z = z > p.minDepth ? z : p.minDepth;
            z = z < p.maxDepth ? z : p.maxDepth;
          }
          const uint32_t word = wordOf(z);
          const bool depthPasses = !s.depthTest || passes(s.depthCompare, valueOf(word), valueOf(d));
          bool pass = depthPasses;
          if (s.stencilTest) {
            uint32_t& old = stencil[at(x, y, k)];
            const bool stencilPasses =
                passes(face.compare, face.reference & face.compareMask & 255, old & face.compareMask & 255);
            old = after(face, !stencilPasses ? face.fail : depthPasses ? face.pass : face.depthFail, old);
            pass &= stencilPasses;
          }
          if (!pass) continue;
          ++passed;
          if (s.depthTest && s.depthWrite) d = word;
        }
      }
    }
    return passed;
  }
  void fill(std::vector<uint32_t>& plane, int32_t x0, int32_t y0, int32_t x1, int32_t y1, uint32_t word) const {
    for (int32_t y = std::max(y0, 0); y < std::min(y1, kHeight); ++y)
      for (int32_t x = std::max(x0, 0); x < std::min(x1, kWidth); ++x)
        for (uint32_t k = 0; k < samples; ++k) plane[at(x, y, k)] = word;
  }
  static bool killed(int32_t x, int32_t y) { return (uint32_t(x) * 7 + uint32_t(y) * 13) % 5 == 0; }
};

/// The images of one configuration; `other` is what copies go through.
struct Side {
  TestImage depth, stencil, otherDepth;
  Runner runner;
  Statistics statistics;
  Side(VkFormat format, uint32_t samples, bool best, bool tiles)
      : depth(format, kWidth, kHeight, samples),
        stencil(VK_FORMAT_S8_UINT, kWidth, kHeight, samples),
        otherDepth(format, kWidth, kHeight, samples),
        runner(best) {
    if (!tiles) depth.dropCompression(), stencil.dropCompression(), otherDepth.dropCompression();
  }
};

class RandomScene {
 public:
  explicit RandomScene(uint32_t seed) : random_(seed) {}
  uint32_t below(uint32_t n) { return random_() % n; }

  BinnedPrimitive primitive() {
    BinnedPrimitive p{};
    p.maxX = kWidth, p.maxY = kHeight;
    p.setup.frontFacing = below(2) ? ~0u : 0u;
    p.setup.w[0] = p.setup.w[1] = p.setup.w[2] = 1;
    p.minDepth = 0.25f * float(below(3)), p.maxDepth = p.minDepth + 0.25f + 0.25f * float(below(2));
    plane(p);
    const uint32_t shape = below(8);
    if (shape == 0) return p;
    if (shape == 1) {  // a rectangle, often of whole blocks
      const uint32_t unit = below(2) ? 8 : 1;
      p.minX = int32_t(below(kWidth / unit) * unit), p.minY = int32_t(below(kHeight / unit) * unit);
      p.maxX = std::min(kWidth, p.minX + int32_t((1 + below(40 / unit)) * unit));
      p.maxY = std::min(kHeight, p.minY + int32_t((1 + below(40 / unit)) * unit));
      return p;
    }
    const int64_t size = below(2) ? 12 : 120;
    const int64_t cx = below(kWidth), cy = below(kHeight);
    int64_t x[3], y[3];
    for (int i = 0; i < 3; ++i) {
      x[i] = (cx - size / 2) * 256 + int64_t(below(uint32_t(size * 256)));
      y[i] = (cy - size / 2) * 256 + int64_t(below(uint32_t(size * 256)));
    }
    if ((x[1] - x[0]) * (y[2] - y[0]) < (x[2] - x[0]) * (y[1] - y[0])) std::swap(x[1], x[2]), std::swap(y[1], y[2]);
    p.edgeCount = 3;
    for (int i = 0; i < 3; ++i) p.edge[i] = edgeThrough(x[i], y[i], x[(i + 1) % 3], y[(i + 1) % 3]);
    const auto [left, right] = std::minmax({x[0], x[1], x[2]});
    const auto [top, bottom] = std::minmax({y[0], y[1], y[2]});
    p.minX = std::max(int32_t(left >> 8), 0), p.maxX = std::min(int32_t((right + 255) >> 8), kWidth);
    p.minY = std::max(int32_t(top >> 8), 0), p.maxY = std::min(int32_t((bottom + 255) >> 8), kHeight);
    return p;
  }

  VkCompareOp compare() {
    constexpr VkCompareOp common[] = {VK_COMPARE_OP_LESS, VK_COMPARE_OP_LESS_OR_EQUAL, VK_COMPARE_OP_EQUAL,
                                      VK_COMPARE_OP_GREATER};
    return below(3) ? common[below(4)] : static_cast<VkCompareOp>(below(8));
  }
  StencilFace face() {
    StencilFace f;
    const bool quiet = below(3) == 0;
    f.fail = quiet ? VK_STENCIL_OP_KEEP : static_cast<VkStencilOp>(below(8));
    f.pass = quiet ? VK_STENCIL_OP_KEEP : static_cast<VkStencilOp>(below(8));
    f.depthFail = quiet ? VK_STENCIL_OP_KEEP : static_cast<VkStencilOp>(below(8));
    f.compare = static_cast<VkCompareOp>(below(8));
    f.compareMask = below(2) ? 0xFFFFFFFF : below(256), f.writeMask = below(2) ? 0xFFFFFFFF : below(256);
    f.reference = below(2) ? below(3) : below(300);
    return f;
  }

 private:
  /// Depth of all sorts: constant, sloped, steep, as before, beside what was before, beyond [0, 1], not finite.
  void plane(BinnedPrimitive& p) {
    const uint32_t kind = below(16);
    if (kind < 3 && hasLast_) {
      p.setup.x0 = last_.setup.x0, p.setup.y0 = last_.setup.y0, p.z0 = last_.z0;
      p.dzdx = last_.dzdx, p.dzdy = last_.dzdy;
      constexpr float apart[] = {0, 0.125f, 1e-6f, -1e-7f, 3e-5f};
      p.z0 += apart[below(5)];
      return;
    }
    p.setup.x0 = float(below(kWidth)) + 0.37f, p.setup.y0 = float(below(kHeight)) + 0.81f;
    p.z0 = float(below(17)) / 16;
    const float slope = kind < 5 ? 0 : kind < 10 ? 1.0f / 512 : kind < 14 ? 1.0f / 32 : 0.7f;
    p.dzdx = slope * (float(below(201)) - 100) / 100, p.dzdy = slope * (float(below(201)) - 100) / 100;
    if (kind == 15 && below(4) == 0) {
      constexpr float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -0.0f, 1e-40f};
      (below(2) ? p.z0 : p.dzdx) = odd[below(6)];
    }
    last_ = p, hasLast_ = true;
  }

  std::mt19937 random_;
  BinnedPrimitive last_{};
  bool hasLast_ = false;
};

uint32_t wordAt(const TestImage& image, int32_t x, int32_t y, uint32_t sample) {
  return surfaceOf(&image.view).depth(0).sampleWord(uint32_t(x), uint32_t(y), sample);
}

/// Compares through both ways to read: single samples and rows.
void expectEqual(const TestImage& image, const Model& model, const std::vector<uint32_t>& want, const char* what) {
  const uint32_t bytes = image.view.plane->blockBytes;
  const uint32_t mask = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
  const msaa::DepthSurface s = surfaceOf(&image.view).depth(0);
  std::vector<std::byte> row(size_t{kWidth} * bytes);
  for (int32_t y = 0; y < kHeight; ++y) {
    for (uint32_t k = 0; k < model.samples; ++k) {
      s.readRow(0, uint32_t(y), kWidth, k, row.data());
      for (int32_t x = 0; x < kWidth; ++x) {
        uint32_t got = 0;
        std::memcpy(&got, &row[size_t(x) * bytes], bytes);
        uint32_t expected = want[model.at(x, y, k)];
        // Not-a-numbers are alike.
        if (model.format == DepthFormat::D32F && bytes == 4 && std::isnan(std::bit_cast<float>(got)) &&
            std::isnan(std::bit_cast<float>(expected)))
          continue;
        ASSERT_EQ(got, expected) << what << ' ' << x << ' ' << y << " sample " << k << " state "
                                 << (s ? uint32_t{s.state(s.tileOf(uint32_t(x), uint32_t(y)))} : 99u);
        ASSERT_EQ(wordAt(image, x, y, k) & mask, got);
      }
    }
  }
}

struct Config {
  VkFormat format;
  uint32_t samples;
};

/// A draw or a clear.
struct Step {
  DrawState state;
  bool discards = false;
  ClearRecord clear;
  std::vector<BinnedPrimitive> list;
};

void randomClear(RandomScene& scene, Step& step) {
  BinnedPrimitive p{};
  p.kind = PrimitiveKind::Clear;
  const bool everything = scene.below(2);
  p.minX = everything ? 0 : int32_t(scene.below(kWidth)), p.minY = everything ? 0 : int32_t(scene.below(kHeight));
  p.maxX = everything ? kWidth : std::min(kWidth, p.minX + 1 + int32_t(scene.below(40)));
  p.maxY = everything ? kHeight : std::min(kHeight, p.minY + 1 + int32_t(scene.below(40)));
  step.clear.aspects = (1 + scene.below(3)) << 1;  // depth, stencil or both
  step.clear.value.depthStencil = {float(scene.below(17)) / 16, scene.below(4)};
  step.list.push_back(p);
}

/// \param kernel one that discards
void randomDraw(RandomScene& scene, const TestKernel& kernel, uint32_t samples, Step& step) {
  DrawState& s = step.state;
  step.discards = scene.below(4) == 0;
  s.fragment = step.discards ? &kernel : nullptr;
  s.samples = samples;
  if (scene.below(8) == 0) s.sampleMask = scene.below(1u << samples);
  s.depthTest = scene.below(8) != 0, s.depthWrite = scene.below(4) != 0;
  s.depthCompare = scene.compare();
  s.depthClamp = scene.below(4) == 0;
  s.stencilTest = scene.below(3) == 0;
  s.front = scene.face(), s.back = scene.face();
  if (scene.below(16) == 0) s.depthBoundsTest = true, s.depthBoundsMin = 0.25f, s.depthBoundsMax = 0.75f;
  if (scene.below(8) == 0) {
    s.customSampleLocations = true;
    for (VkSampleLocationEXT& l : s.sampleLocation) l = {float(scene.below(16)) / 16, float(scene.below(16)) / 16};
  }
  for (uint32_t i = 0; i < 1 + scene.below(10); ++i) step.list.push_back(scene.primitive());
}

/// \returns the samples that pass
uint64_t runSteps(Model& model, const std::vector<Step>& steps) {
  uint64_t passed = 0;
  for (const Step& step : steps) {
    for (const BinnedPrimitive& p : step.list) {
      if (p.kind != PrimitiveKind::Clear) {
        passed += model.draw(p, step.state, step.discards);
        continue;
      }
      if (step.clear.aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
        model.fill(model.depth, p.minX, p.minY, p.maxX, p.maxY, model.wordOf(step.clear.value.depthStencil.depth));
      if (step.clear.aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
        model.fill(model.stencil, p.minX, p.minY, p.maxX, p.maxY, step.clear.value.depthStencil.stencil);
    }
  }
  return passed;
}

void runSteps(Side& side, const std::vector<Step>& steps, uint32_t samples, uint64_t passed) {
  Arena arena;
  Attachments attachments;
  attachments.depth = &side.depth.view, attachments.stencil = &side.stencil.view;
  attachments.samples = samples;
  side.statistics = {};
  std::vector<DrawRecord> records(steps.size());
  std::vector<BinnedPrimitive> all;
  for (size_t i = 0; i < steps.size(); ++i) {
    records[i].state = steps[i].state;
    records[i].state.attachments = attachments;
    records[i].state.statistics = &side.statistics;
    records[i].state.countSamples = true;
    if (steps[i].list[0].kind != PrimitiveKind::Clear) prepareDraw(records[i], arena);
    for (BinnedPrimitive p : steps[i].list) {
      p.draw = &records[i], p.clear = &steps[i].clear;
      all.push_back(p);
    }
  }
  ASSERT_TRUE(side.runner.run(attachments, all, kWidth, kHeight));
  ASSERT_EQ(side.statistics.samplesPassed, passed);
}

/// There and back from (x, y) on: to other places, or to the same.
void copyDepth(Side& side, int32_t x, int32_t y) {
  VkImageCopy2 region{};
  region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1};
  region.srcOffset = {x, y, 0};
  region.extent = {uint32_t(kWidth - x), uint32_t(kHeight - y), 1};
  const transfer::Image from{&side.depth.layout, side.depth.memory.data()};
  const transfer::Image to{&side.otherDepth.layout, side.otherDepth.memory.data()};
  transfer::copyImage(nullptr, from, to, region);
  transfer::clearDepthStencil(nullptr, from, {0.125f, 0}, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
  std::swap(region.srcOffset, region.dstOffset);
  transfer::copyImage(nullptr, to, from, region);
}

void randomDraws(VkFormat format, uint32_t samples, uint32_t seed) {
  RandomScene scene(seed);
  Model model(msaa::depthFormatOf(format), samples);
  std::unique_ptr<Side> sides[3] = {std::make_unique<Side>(format, samples, true, true),
                                    std::make_unique<Side>(format, samples, false, true),
                                    std::make_unique<Side>(format, samples, true, false)};
  TestKernel kernel([](abi::Warp& w) {
    auto place = [&](abi::SysValue v, uint32_t i) {
      return int32_t(std::floor(std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)].lane[i])));
    };
    w.killed = 0;
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      if (Model::killed(place(abi::SysValue::PosX, i), place(abi::SysValue::PosY, i))) w.killed |= 1u << i;
  });
  kernel.info.outputLocations = 0;
  kernel.info.discards = true;

  for (int round = 0; round < 60; ++round) {
    // One run of the tiles: several draws and clears in a row, so that bounds are carried from one to the next.
    std::vector<Step> steps(1 + scene.below(6));
    for (Step& step : steps) {
      if (scene.below(6) == 0)
        randomClear(scene, step);
      else
        randomDraw(scene, kernel, samples, step);
    }
    const uint64_t passed = runSteps(model, steps);
    const uint32_t copy = scene.below(10);
    const int32_t cx = copy == 1 ? int32_t(scene.below(kWidth)) : 0, cy = copy == 1 ? int32_t(scene.below(kHeight)) : 0;
    for (int i = 0; i < 3; ++i) {
      SCOPED_TRACE(::testing::Message() << "round " << round << " side " << i);
      runSteps(*sides[i], steps, samples, passed);
      if (::testing::Test::HasFatalFailure()) return;
      if (copy < 2) copyDepth(*sides[i], cx, cy);
    }
    if (copy < 2) {
      for (int32_t y = 0; y < kHeight; ++y)
        for (int32_t x = 0; x < kWidth; ++x)
          for (uint32_t k = 0; k < samples; ++k)
            if (x < cx || y < cy) model.depth[model.at(x, y, k)] = model.wordOf(0.125f);
    }
    for (int i = 0; i < 3; ++i) {
      SCOPED_TRACE(::testing::Message() << "round " << round << " side " << i);
      expectEqual(sides[i]->depth, model, model.depth, "depth");
      expectEqual(sides[i]->stencil, model, model.stencil, "stencil");
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

class DepthBlock : public ::testing::TestWithParam<Config> {};
TEST_P(DepthBlock, RandomDrawsMatchTheModel) {
  for (uint32_t seed = 1; seed <= 2 && !HasFatalFailure(); ++seed)
    randomDraws(GetParam().format, GetParam().samples, seed);
}
INSTANTIATE_TEST_SUITE_P(Formats, DepthBlock,
                         ::testing::Values(Config{VK_FORMAT_D32_SFLOAT, 1}, Config{VK_FORMAT_D32_SFLOAT, 2},
                                           Config{VK_FORMAT_D32_SFLOAT, 4}, Config{VK_FORMAT_D32_SFLOAT, 8},
                                           Config{VK_FORMAT_D32_SFLOAT, 16}, Config{VK_FORMAT_D16_UNORM, 1},
                                           Config{VK_FORMAT_D16_UNORM, 4}, Config{VK_FORMAT_X8_D24_UNORM_PACK32, 1},
                                           Config{VK_FORMAT_X8_D24_UNORM_PACK32, 8}),
                         [](const auto& info) {
                           return std::to_string(info.param.format) + "x" + std::to_string(info.param.samples);
                         });

}  // namespace
}  // namespace etzel::raster
