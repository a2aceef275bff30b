// Load operations and resolves of render pass instances, on real images and without draws.
#include "icd/cmd/pass/pass_instance.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/msaa/fragment_surface.h"

namespace etzel::icd {
namespace {

/// An R32_UINT or RGBA8 image with everything that an attachment needs.
struct Target {
  mem::ImageLayout layout;
  std::vector<std::byte> memory;
  ImageView view;
  Target(VkFormat format, uint32_t layers = 1, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT) {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D;
    shape.format = format;
    shape.extent = {8, 8, 1};
    shape.mipLevels = 1;
    shape.arrayLayers = layers;
    shape.samples = samples;
    layout = mem::layoutImage(shape);
    memory.resize(layout.size);
    view.format = format;
    tex::ImageView& a = view.attachment;
    a.layout = &layout;
    a.plane = &layout.plane[0];
    a.memory = memory.data();
    a.format = format;
    a.info = format::find(format);
    a.decode = format::decoder(format);
    a.encode = format::encoder(format);
    a.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    a.layerCount = layers;
    a.samples = samples;
  }
  /// What a sample shows, whatever the compression.
  uint32_t word(uint32_t x, uint32_t y, uint32_t layer = 0, uint32_t sample = 0) {
    uint32_t w;
    const msaa::FragmentSurface fragments(layout, layout.plane[0], memory.data(), layer);
    std::memcpy(&w, fragments ? fragments.sampleTexel(x, y, sample) : texel(x, y, layer), 4);
    return w;
  }
  void set(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample, uint32_t w) {
    std::byte bytes[4];
    std::memcpy(bytes, &w, 4);
    const msaa::FragmentSurface fragments(layout, layout.plane[0], memory.data(), layer);
    if (fragments)
      fragments.writeSamples(x, y, 1u << sample, bytes);
    else
      std::memcpy(texel(x, y, layer), bytes, 4);
  }
  std::byte* texel(uint32_t x, uint32_t y, uint32_t layer) {
    return memory.data() + layout.texelOffset(layout.plane[0], 0, layer, 0, x, y, 0);
  }
};

VkClearValue clearTo(uint32_t v) {
  VkClearValue c{};
  c.color.uint32[0] = v;
  return c;
}

VkAttachmentDescription2 cleared(VkFormat format) {
  VkAttachmentDescription2 d{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2};
  d.format = format;
  d.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  d.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  return d;
}

constexpr VkRect2D kArea{{2, 2}, {4, 4}};

class PassInstanceTest : public testing::Test {
 protected:
  task::Pool pool{1};
  PassInstance pass{&pool, nullptr};
};

TEST_F(PassInstanceTest, AnAttachmentIsClearedInsideTheAreaByItsFirstSubpassOnly) {
  Target a(VK_FORMAT_R32_UINT), b(VK_FORMAT_R32_UINT);
  RenderPass p;
  p.attachments = {cleared(VK_FORMAT_R32_UINT), cleared(VK_FORMAT_R32_UINT)};
  p.subpasses.resize(2);
  p.subpasses[0].colors = {{0, 0}};
  p.subpasses[1].colors = {{1, 0}};
  p.subpasses[1].inputs = {{0, 0}};
  ImageView* views[2] = {&a.view, &b.view};
  const VkClearValue values[2] = {clearTo(5), clearTo(6)};
  pass.begin(&p, views, 2, kArea, 1, values, 2);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(a.word(2, 2), 5u);
  EXPECT_EQ(a.word(1, 2), 0u);
  EXPECT_EQ(b.word(3, 3), 0u);
  a.set(3, 3, 0, 0, 9);  // what the first subpass would have drawn
  ASSERT_TRUE(pass.nextSubpass());
  ASSERT_TRUE(pass.end());
  EXPECT_EQ(a.word(3, 3), 9u);
  EXPECT_EQ(b.word(3, 3), 6u);
}

TEST_F(PassInstanceTest, AnInputOnlyAttachmentIsClearedToo) {
  Target a(VK_FORMAT_R32_UINT);
  RenderPass p;
  p.attachments = {cleared(VK_FORMAT_R32_UINT)};
  p.subpasses.resize(1);
  p.subpasses[0].inputs = {{0, VK_IMAGE_ASPECT_COLOR_BIT}};
  ImageView* views[1] = {&a.view};
  const VkClearValue value = clearTo(5);
  pass.begin(&p, views, 1, kArea, 1, &value, 1);
  ASSERT_TRUE(pass.end());
  EXPECT_EQ(a.word(5, 5), 5u);
  EXPECT_EQ(a.word(6, 6), 0u);
}

TEST_F(PassInstanceTest, TheDensityMapIsThatOfAllSubpasses) {
  Target a(VK_FORMAT_R32_UINT), map(VK_FORMAT_R8G8_UNORM);
  RenderPass p;
  p.attachments = {cleared(VK_FORMAT_R32_UINT), cleared(VK_FORMAT_R8G8_UNORM)};
  p.subpasses.resize(2);
  p.subpasses[0].colors = p.subpasses[1].colors = {{0, 0}};
  p.densityMap = {1, 0}, p.densityPerLayer = true;
  ImageView* views[2] = {&a.view, &map.view};
  const VkClearValue values[2] = {};
  const raster::DensityOffsets offsets;
  pass.begin(&p, views, 2, kArea, 1, values, 2, {nullptr, {8, 9}, false, &offsets});
  for (int i = 0; i < 2; ++i) {
    const raster::DensityAttachment& d = pass.attachments().density;
    EXPECT_EQ(d.view, &map.view.sampled);
    EXPECT_EQ(d.offsets, &offsets);
    EXPECT_EQ(d.framebuffer.height, 9u);
    EXPECT_TRUE(d.perLayer);
    EXPECT_TRUE(i ? pass.end() : pass.nextSubpass());
  }
  pass.beginRendering({});
  EXPECT_EQ(pass.attachments().density.view, nullptr);
  EXPECT_TRUE(pass.endRendering());
}

TEST_F(PassInstanceTest, WithMultiviewEachViewIsClearedByTheFirstSubpassThatHasIt) {
  Target a(VK_FORMAT_R32_UINT, 3);
  RenderPass p;
  p.attachments = {cleared(VK_FORMAT_R32_UINT)};
  p.subpasses.resize(2);
  p.subpasses[0].colors = p.subpasses[1].colors = {{0, 0}};
  p.subpasses[0].viewMask = 0b001;
  p.subpasses[1].viewMask = 0b101;
  ImageView* views[1] = {&a.view};
  const VkClearValue value = clearTo(5);
  pass.begin(&p, views, 1, kArea, 1, &value, 1);
  ASSERT_TRUE(pass.flush());
  EXPECT_EQ(a.word(3, 3, 0), 5u);
  EXPECT_EQ(a.word(3, 3, 2), 0u);
  a.set(3, 3, 0, 0, 9);
  ASSERT_TRUE(pass.nextSubpass());
  EXPECT_EQ(pass.viewCount(), 2u);
  ASSERT_TRUE(pass.end());
  EXPECT_EQ(a.word(3, 3, 0), 9u);
  EXPECT_EQ(a.word(3, 3, 1), 0u);
  EXPECT_EQ(a.word(3, 3, 2), 5u);
}

TEST_F(PassInstanceTest, ASuspendedInstanceIsClearedOnceAndResolvedAtItsRealEnd) {
  Target many(VK_FORMAT_R32_UINT, 1, VK_SAMPLE_COUNT_4_BIT), one(VK_FORMAT_R32_UINT);
  RenderingInstance info;
  info.area = kArea;
  info.colorCount = 1;
  info.color[0].view = &many.view;
  info.color[0].resolveView = &one.view;
  info.color[0].resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  info.color[0].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  info.color[0].clearValue = clearTo(5);
  info.flags = VK_RENDERING_SUSPENDING_BIT;
  pass.beginRendering(info);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(many.word(3, 3, 0, 3), 5u);
  EXPECT_EQ(one.word(3, 3), 0u);
  many.set(3, 3, 0, 0, 8);
  info.flags = VK_RENDERING_RESUMING_BIT;
  pass.beginRendering(info);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(one.word(3, 3), 8u);
  EXPECT_EQ(one.word(4, 3), 5u);
  EXPECT_EQ(one.word(6, 3), 0u);
}

TEST_F(PassInstanceTest, CustomResolvesGoOnWithTheImagesThatAreResolvedTo) {
  Target many(VK_FORMAT_R32_UINT, 1, VK_SAMPLE_COUNT_4_BIT), kept(VK_FORMAT_R32_UINT, 1, VK_SAMPLE_COUNT_4_BIT),
      one(VK_FORMAT_R32_UINT);
  RenderingInstance info;
  info.area = kArea;
  info.colorCount = 2;
  info.color[0].view = &kept.view;  // which nothing resolves
  info.color[1].view = &many.view;
  info.color[1].resolveView = &one.view;
  info.color[1].resolveMode = VK_RESOLVE_MODE_CUSTOM_BIT_EXT;
  for (RenderingAttachment* a : {&info.color[0], &info.color[1]})
    a->loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, a->clearValue = clearTo(5);
  pass.beginRendering(info);
  EXPECT_EQ(pass.attachments().samples, 4u);
  ASSERT_TRUE(pass.beginCustomResolve());
  EXPECT_EQ(many.word(3, 3, 0, 3), 5u) << "what was drawn before is there to be read";
  EXPECT_EQ(pass.attachments().samples, 1u);
  EXPECT_EQ(pass.attachments().color[0], nullptr);
  EXPECT_EQ(pass.attachments().color[1], &one.view.attachment);
  VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 1, clearTo(9)};
  const VkClearRect rect{kArea, 0, 1};
  pass.clear(clear, &rect, 1);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(one.word(3, 3), 9u);
  EXPECT_EQ(many.word(3, 3, 0, 3), 5u);
  EXPECT_EQ(kept.word(3, 3, 0, 1), 5u);
}

TEST_F(PassInstanceTest, ClearingAttachmentsTouchesTheNamedRectanglesAndLayers) {
  Target a(VK_FORMAT_R32_UINT, 2);
  RenderingInstance info;
  info.area = {{0, 0}, {8, 8}};
  info.layers = 2;
  info.colorCount = 2;  // the second one is unused
  info.color[0].view = &a.view;
  pass.beginRendering(info);
  const VkClearRect rect{{{1, 1}, {2, 1}}, 1, 1};
  pass.clear({VK_IMAGE_ASPECT_COLOR_BIT, 0, clearTo(7)}, &rect, 1);
  pass.clear({VK_IMAGE_ASPECT_COLOR_BIT, 1, clearTo(7)}, &rect, 1);
  pass.clear({VK_IMAGE_ASPECT_DEPTH_BIT, 0, clearTo(7)}, &rect, 1);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(a.word(1, 1, 1), 7u);
  EXPECT_EQ(a.word(1, 1, 0), 0u);
  EXPECT_EQ(a.word(3, 1, 1), 0u);
}

/// Changes what draws of the current subpass would have changed: one sample of the first colour attachment.
void drawSample(const PassInstance& pass, uint32_t x, uint32_t y, uint32_t sample, uint32_t w) {
  const tex::ImageView& v = *pass.attachments().color[0];
  std::byte bytes[4];
  std::memcpy(bytes, &w, 4);
  const msaa::FragmentSurface fragments(*v.layout, *v.plane, v.memory, v.baseLayer);
  fragments.writeSamples(x, y, 1u << sample, bytes);
}

RenderingInstance toSingleSampled(ImageView& view) {
  RenderingInstance info;
  info.area = kArea;
  info.implicitSamples = 4;
  info.colorCount = 1;
  info.color[0].view = &view;
  info.color[0].resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  return info;
}

TEST_F(PassInstanceTest, ImplicitSamplesStartAsTheTexelAndEndAsTheResolve) {
  Target one(VK_FORMAT_R32_UINT);
  one.set(3, 3, 0, 0, 7), one.set(4, 3, 0, 0, 7), one.set(6, 3, 0, 0, 7);
  const RenderingInstance info = toSingleSampled(one.view);
  pass.beginRendering(info);
  EXPECT_EQ(pass.attachments().samples, 4u);
  drawSample(pass, 3, 3, 0, 9);
  drawSample(pass, 4, 3, 1, 9);
  EXPECT_EQ(one.word(3, 3), 7u);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(one.word(3, 3), 9u);
  EXPECT_EQ(one.word(4, 3), 7u);
  EXPECT_EQ(one.word(6, 3), 7u);
}

TEST_F(PassInstanceTest, ImplicitSamplesThatAreNotStoredLeaveTheAttachmentAlone) {
  Target one(VK_FORMAT_R32_UINT);
  RenderingInstance info = toSingleSampled(one.view);
  info.color[0].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  info.color[0].clearValue = clearTo(5);
  info.color[0].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  pass.beginRendering(info);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(one.word(3, 3), 0u);
  info.color[0].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  pass.beginRendering(info);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(one.word(3, 3), 5u);
  EXPECT_EQ(one.word(6, 3), 0u);
}

TEST_F(PassInstanceTest, ASuspendedInstanceKeepsItsImplicitSamples) {
  Target one(VK_FORMAT_R32_UINT);
  RenderingInstance info = toSingleSampled(one.view);
  info.flags = VK_RENDERING_SUSPENDING_BIT;
  pass.beginRendering(info);
  drawSample(pass, 3, 3, 0, 9);
  ASSERT_TRUE(pass.endRendering());
  pass.abandon();  // the end of the command buffer
  EXPECT_EQ(one.word(3, 3), 0u);
  info.flags = VK_RENDERING_RESUMING_BIT;
  pass.beginRendering(info);
  drawSample(pass, 4, 3, 0, 8);
  ASSERT_TRUE(pass.endRendering());
  EXPECT_EQ(one.word(3, 3), 9u);
  EXPECT_EQ(one.word(4, 3), 8u);
}

TEST_F(PassInstanceTest, SubpassesLoadImplicitSamplesFromTheResolveOfTheFormer) {
  Target one(VK_FORMAT_R32_UINT);
  RenderPass p;
  p.attachments = {cleared(VK_FORMAT_R32_UINT)};
  p.attachments[0].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;  // of the last one only
  p.subpasses.resize(3);
  for (Subpass& s : p.subpasses) s.colors = {{0, 0}}, s.implicitSamples = 4;
  p.subpasses[1].implicitSamples = 0;
  ImageView* views[1] = {&one.view};
  const VkClearValue value = clearTo(5);
  pass.begin(&p, views, 1, kArea, 1, &value, 1);
  drawSample(pass, 3, 3, 0, 9);
  drawSample(pass, 4, 3, 3, 9);
  ASSERT_TRUE(pass.nextSubpass());
  EXPECT_EQ(pass.attachments().samples, 1u);
  EXPECT_EQ(one.word(3, 3), 9u);
  EXPECT_EQ(one.word(4, 3), 5u);
  one.set(4, 3, 0, 0, 6);
  ASSERT_TRUE(pass.nextSubpass());
  const tex::ImageView& v = *pass.attachments().color[0];
  const msaa::FragmentSurface fragments(*v.layout, *v.plane, v.memory, 0);
  uint32_t w;
  std::memcpy(&w, fragments.sampleTexel(4, 3, 3), 4);
  EXPECT_EQ(w, 6u);
  std::memcpy(&w, fragments.sampleTexel(3, 3, 3), 4);
  EXPECT_EQ(w, 9u);
  drawSample(pass, 4, 3, 0, 1);
  ASSERT_TRUE(pass.end());
  EXPECT_EQ(one.word(4, 3), 6u);
}

TEST_F(PassInstanceTest, InputAttachmentsAreReadAsSamples) {
  Target drawn(VK_FORMAT_R32_UINT), other(VK_FORMAT_R32_UINT);
  drawn.set(3, 3, 0, 0, 7), other.set(3, 3, 0, 0, 4);
  pass.beginRendering(toSingleSampled(drawn.view));
  drawSample(pass, 3, 3, 2, 9);
  const auto read = [&](const tex::ImageView& original, uint32_t sample) {
    tex::ImageView v;
    mem::PlaneLayout plane;
    pass.implicitImages().inputView(original, pass.implicitSamples(), v, plane);
    EXPECT_EQ(v.samples, 4u);
    const msaa::FragmentSurface fragments(*v.layout, *v.plane, v.memory, v.baseLayer);
    uint32_t w;
    std::memcpy(&w, fragments ? fragments.sampleTexel(3, 3, sample) : fragments.at(3, 3, sample), 4);
    return w;
  };
  EXPECT_EQ(read(drawn.view.attachment, 1), 7u);
  EXPECT_EQ(read(drawn.view.attachment, 2), 9u);
  EXPECT_EQ(read(other.view.attachment, 0), 4u);
  EXPECT_EQ(read(other.view.attachment, 3), 4u);
  ASSERT_TRUE(pass.endRendering());
}

}  // namespace
}  // namespace etzel::icd
