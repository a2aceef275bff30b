// Drawing with dynamic rendering, and comparing pictures.
#pragma once

#include "cts-subset/support/gpu.h"

namespace etzel::cts {

/// A vertex attribute of binding 0.
struct Attribute {
  VkFormat format;
  uint32_t offset;
};

/// A pipeline with one draw. Defaults: a triangle list without vertex input into one colour attachment, no depth test,
/// no blending, viewport and scissor as large as the target.
struct DrawState {
  std::string vert, tesc, tese, geom, frag;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkBool32 restart = VK_FALSE;
  uint32_t patchPoints = 0;
  std::vector<Attribute> attributes;
  uint32_t stride = 0;
  VkVertexInputRate rate = VK_VERTEX_INPUT_RATE_VERTEX;
  Buffer vertices;
  std::vector<Image> colors;
  std::vector<Image> resolves;
  VkResolveModeFlagBits resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  const Image* depth = nullptr;
  const Image* depthResolve = nullptr;
  VkResolveModeFlagBits depthResolveMode = VK_RESOLVE_MODE_NONE, stencilResolveMode = VK_RESOLVE_MODE_NONE;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  VkPipelineDepthStencilStateCreateInfo depthStencil{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  VkPipelineColorBlendAttachmentState attachment{};
  std::vector<VkColorComponentFlags> writeMasks;  ///< of each attachment; empty: `attachment` has that of all
  std::vector<VkViewport> viewports;
  std::vector<VkRect2D> scissors;
  std::vector<Binding> bindings;
  std::vector<uint8_t> push;
  uint32_t vertexCount = 3, instanceCount = 1, firstVertex = 0, firstInstance = 0;
  uint32_t layers = 1, viewMask = 0;
  std::function<void(VkCommandBuffer)> commands;       ///< instead of vkCmdDraw
  std::function<void(VkCommandBuffer)> before, after;  ///< outside of the rendering
  VkRenderingFlags flags = 0;
  VkImageAspectFlags undeclared = 0;                    ///< attachments that the pipeline gives no format
  std::optional<VkClearValue> clearColors, clearDepth;  ///< instead of loading what the attachments hold
  VkAttachmentStoreOp storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  const VkPipelineDynamicStateCreateInfo* dynamic = nullptr;
  const void *pipelineNext = nullptr, *tessellationNext = nullptr, *vertexInputNext = nullptr, *renderingNext = nullptr;
  VkPipelineCreateFlags pipelineFlags = 0;
  uint32_t subgroupSize = 0;  ///< that every stage requires; 0: none

  DrawState() {
    raster.polygonMode = VK_POLYGON_MODE_FILL;
    raster.cullMode = VK_CULL_MODE_NONE;
    raster.lineWidth = 1;
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    attachment.colorWriteMask = 15;
    blend.logicOp = VK_LOGIC_OP_COPY;
    depthStencil.maxDepthBounds = 1;
  }
};

/// Draws onto what the attachments hold, or onto clear values, and waits.
void draw(Gpu& gpu, const DrawState& state);

struct Subpass {
  VkRenderPass pass;
  uint32_t index, colors;  ///< the second: how many attachments it has
};
/// The pipeline of `state`, for rendering onto its attachments or for a subpass. Lives until the end of the case.
VkPipeline makePipeline(Gpu& gpu, const DrawState& state, VkPipelineLayout layout, VkExtent2D extent,
                        const Subpass* subpass = nullptr);

/// A vertex shader with a triangle that covers the whole target at depth `z`.
std::string coverAll(const std::string& z = "0.0");
/// A fragment shader that writes `expression` (of type `type`) to location 0.
std::string writes(const std::string& expression, const std::string& type = "vec4");

/// Two RGBA8 pictures agree within `tolerance` per channel; shows them when not.
void expectPicture(const std::vector<uint8_t>& rendered, const std::vector<uint8_t>& expected, uint32_t width,
                   uint32_t height, int tolerance = 0);

/// A small fixed generator: the same cases on every machine.
struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed * 2862933555777941757ull + 3037000493ull) { next(), next(); }
  uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = uint32_t((state >> 18 ^ state) >> 27), r = uint32_t(state >> 59);
    return x >> r | x << (-r & 31);
  }
  uint32_t below(uint32_t n) { return next() % n; }
  float unit() { return float(next() >> 8) / 16777216.0f; }
  float range(float a, float b) { return a + (b - a) * unit(); }
};

}  // namespace etzel::cts
