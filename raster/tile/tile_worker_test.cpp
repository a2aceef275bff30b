// What a worker keeps from one draw to the next.
#include "raster/tile/tile_worker.h"

#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <map>

#include "raster/tile/test_scene.h"
#include "runtime/abi/delayed_atomics.h"

namespace etzel::raster {
namespace {

constexpr uint32_t kUnwritten = abi::kFragOutColor + 4;  // of a location that no kernel here says it writes

/// A draw of each kernel and a rectangle of it for each time that it is named, over all of a tile.
void drawInTurn(std::initializer_list<testing::TestKernel*> kernels) {
  testing::TestImage target(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  Arena arena;
  std::map<testing::TestKernel*, DrawRecord> draws;
  Attachments attachments;
  attachments.color[0] = &target.view, attachments.colorCount = 1;
  std::vector<BinnedPrimitive> list;
  for (testing::TestKernel* kernel : kernels) {
    const auto [draw, isNew] = draws.try_emplace(kernel);
    if (isNew) {
      draw->second.state.fragment = kernel, draw->second.state.attachments = attachments;
      prepareDraw(draw->second, arena);
    }
    list.push_back(testing::rectangle(draw->second, 64, 64));
  }
  EXPECT_TRUE(testing::Runner().run(attachments, list, 64, 64));
}

TEST(TileWorker, KernelsFindNothingOfOtherDrawsKernels) {
  uint32_t runs = 0, found = 0;
  testing::TestKernel leaves([](abi::Warp& w) {
    std::fill(w.out, w.out + abi::kFragmentOutWords, LaneWords{{1, 2, 3}});
  });
  testing::TestKernel looks([&](abi::Warp& w) { ++runs, found |= w.out[kUnwritten][1]; });
  drawInTurn({&leaves, &looks, &leaves, &looks});
  EXPECT_GT(runs, 0u);
  EXPECT_EQ(found, 0u);
}

TEST(TileWorker, DrawsThatAreAlikeHaveContextsOfTheirOwn) {
  testing::TestImage target(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  testing::TestKernel kernel([](abi::Warp& w) {
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      w.out[abi::kFragOutColor][i] = *reinterpret_cast<const uint32_t*>(w.context->pushConstants);
  });
  Arena arena;
  const float red[2] = {1, 0.2f};
  DrawRecord draws[2];
  for (uint32_t i = 0; i < 2; ++i) {
    DrawState& s = draws[i].state;
    s.fragment = &kernel;
    s.attachments.color[0] = &target.view, s.attachments.colorCount = 1;
    s.context.pushConstants = reinterpret_cast<const std::byte*>(&red[i]);
  }
  prepareDraw(draws[0], arena);
  draws[1].tile = draws[0].tile;
  std::vector<BinnedPrimitive> list{testing::rectangle(draws[0], 64, 64), testing::rectangle(draws[1], 32, 64)};
  EXPECT_TRUE(testing::Runner().run(draws[0].state.attachments, list, 64, 64));
  EXPECT_EQ(std::bit_cast<float>(target.texel(3, 3).word[0]), 51.0f / 255);
  EXPECT_EQ(std::bit_cast<float>(target.texel(40, 3).word[0]), 1.0f);
}

TEST(TileWorker, WhatKernelsPutOffIsDoneBeforeOthersRunAndAtTheEnd) {
  uint32_t word = 0, seen = 0, seenByItself = 0;
  abi::DelayedAtomics::Place* own = nullptr;
  testing::TestKernel adds([&](abi::Warp& w) {
    seenByItself = word;
    if (!own || own->address != &word) own = w.delayed->replace(w.delayed, &word, abi::AtomicOp::Add, 4);
    own->value += std::popcount<uint32_t>(w.active & ~w.helper);
  });
  testing::TestKernel looks([&](abi::Warp&) { seen = word; });
  drawInTurn({&adds, &adds, &looks, &adds});
  EXPECT_EQ(seen, 2u * 64 * 64);
  EXPECT_EQ(seenByItself, 2u * 64 * 64);
  EXPECT_EQ(word, 3u * 64 * 64);
}

}  // namespace
}  // namespace etzel::raster
