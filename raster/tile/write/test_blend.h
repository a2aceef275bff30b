// What tests of colour output share: a rectangle of colours that are stored or blended.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "raster/tile/test_scene.h"
#include "runtime/format/convert.h"

namespace etzel::raster::testing {

/// Of colours and of alpha.
struct Equation {
  bool enable;
  VkBlendFactor source, destination;
  VkBlendOp op = VK_BLEND_OP_ADD;
  VkColorComponentFlags mask = 0xf;
  VkLogicOp logic = VK_LOGIC_OP_COPY;  ///< instead of all blending
};

/// Component `c` of the colour of a pixel.
inline float sourceOf(std::span<const float> sources, uint32_t x, uint32_t y, uint32_t c) {
  return sources[(x + y * 5 + c * 7) % sources.size()];
}

/// Draws sourceOf() to the columns of an image of `size` by `size` pixels from `firstColumn` on.
/// The second source is sourceOf() with x and y exchanged.
/// \param byGroups  the kernel reads a sample's position: it runs for a group at a time
/// \param target  how the attachment was written
inline void drawSources(TestImage& image, uint32_t size, const Equation& e, std::span<const float> sources, bool best,
                        int32_t firstColumn, bool byGroups, ColorTarget* target) {
  TestKernel kernel([&](abi::Warp& w) {
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      const auto place = [&](abi::SysValue v) {
        return static_cast<uint32_t>(std::bit_cast<float>(w.sys[static_cast<uint32_t>(v)].lane[i]));
      };
      const uint32_t x = place(abi::SysValue::PosX), y = place(abi::SysValue::PosY);
      for (uint32_t c = 0; c < 4; ++c)
        w.out[abi::kFragOutColor + c].lane[i] = format::floatToBits(sourceOf(sources, x, y, c));
      for (uint32_t c = 0; c < 4; ++c)
        w.out[abi::kFragOutColorIndex1 + c].lane[i] = format::floatToBits(sourceOf(sources, y, x, c));
    }
  });
  kernel.info.writesColorIndex1 = std::max(e.source, e.destination) >= VK_BLEND_FACTOR_SRC1_COLOR;
  if (!byGroups && firstColumn) kernel.runsTogether();
  if (byGroups) kernel.reads(abi::SysValue::SamplePosX);
  DrawRecord draw;
  DrawState& s = draw.state;
  s.fragment = &kernel;
  s.attachments.color[0] = &image.view, s.attachments.colorCount = 1;
  BlendAttachment& b = s.blend[0];
  b.enable = e.enable;
  b.srcColor = b.srcAlpha = e.source, b.dstColor = b.dstAlpha = e.destination;
  b.colorOp = b.alphaOp = e.op;
  b.writeMask = e.mask;
  s.logicOpEnable = e.logic != VK_LOGIC_OP_COPY, s.logicOp = e.logic;
  for (uint32_t c = 0; c < 4; ++c) s.blendConstants[c] = 0.3f + 0.4f * static_cast<float>(c);
  Arena arena;
  prepareDraw(draw, arena);
  *target = draw.tile->color[0];
  EXPECT_EQ(draw.tile->twoSources, target->usesSecondSource());
  BinnedPrimitive p = rectangle(draw, size, size);
  p.minX = firstColumn;
  std::vector<BinnedPrimitive> list{p};
  ASSERT_TRUE(Runner(best).run(s.attachments, list, size, size));
}

}  // namespace etzel::raster::testing
