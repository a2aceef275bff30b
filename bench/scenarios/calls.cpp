// Calls as programs make them by the thousand: small draws between which one thing changes, small passes, dispatches
// and copies, queries, and objects that come and go. Microseconds for each.
#include <array>

#include "resources.h"

#include "color.frag.h"
#include "mesh.vert.h"
#include "small.frag.h"
#include "store.comp.h"

namespace vkbench {
namespace {

constexpr uint32_t kCalls = 2000, kSide = 256;

/// What a command is given: something of each kind, small.
struct Things {
  explicit Things(Gpu& g) : gpu(g) {
    target = gpu.makeTarget({.width = kSide, .height = kSide, .depth = true});
    const std::vector<Vertex> corners = {
        {-0.02f, -0.02f, 0.5f, 0xffffffff}, {0.02f, -0.02f, 0.5f, 0xff80ffff}, {0, 0.02f, 0.5f, 0xffff80ff}};
    const std::vector<uint32_t> list = {0, 1, 2};
    for (Buffer& b : vertices) b = bufferOf<Vertex>(gpu, corners);
    indices = bufferOf<uint32_t>(gpu, list);
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const VkDescriptorSetLayout setLayout = gpu.makeSetLayout({&type, 1});
    layout = gpu.makeLayout(setLayout);
    gpu.makeSet(setLayout, 2, sets.data());
    for (int i = 0; i < 2; ++i) {
      images[i] = gpu.makeImage({.width = kSide, .height = kSide, .usage = kOutput | kTexture});
      gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, images[i]); }));
      gpu.writeImage(sets[i], 0, type, images[i], VK_NULL_HANDLE);
      buffers[i] = gpu.makeBuffer(1 << 20);
      pipelines[i] = gpu.makePipeline(
          {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
           .target = &target,
           .vertices = true,
           .blend = i == 1},
          layout);
    }
    const std::array<uint32_t, 4> draw = {3, 1, 0, 0}, dispatch = {1, 1, 1, 0};
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < kCalls; ++i) all.insert(all.end(), draw.begin(), draw.end());
    draws = bufferOf<uint32_t>(gpu, all);
    groups = bufferOf<uint32_t>(gpu, dispatch);
    compute = gpu.makePipeline(store_comp, layout);
  }
  void bindDraw(VkCommandBuffer c) const {
    bindMesh(gpu, c, pipelines[0], vertices[0], {}, &indices);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, sets.data(), 0, nullptr);
  }
  void bindDispatch(VkCommandBuffer c) const {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, sets.data(), 0, nullptr);
  }
  static VkImageSubresourceLayers whole() { return {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}; }

  Gpu& gpu;
  Target target;
  std::array<Buffer, 2> vertices, buffers;
  std::array<Image, 2> images;
  std::array<VkPipeline, 2> pipelines{};
  std::array<VkDescriptorSet, 2> sets{};
  Buffer indices, draws, groups;
  VkPipelineLayout layout{};
  VkPipeline compute{};
};

using Body = void (*)(const Things&, VkCommandBuffer, uint32_t);

/// `kCalls` times `body`, in a render pass with `inPass`.
Outcome commands(Gpu& gpu, Body body, bool inPass) {
  const Things t(gpu);
  Outcome out = commandOutcome(gpu, 1, [&](VkCommandBuffer c) {
    if (inPass) gpu.begin(c, t.target);
    t.bindDraw(c), t.bindDispatch(c);
    for (uint32_t i = 0; i < kCalls; ++i) body(t, c, i);
    if (inPass) vkCmdEndRenderPass(c);
  });
  out.value = out.timing.median * 1e6 / kCalls;
  return out;
}

void draw(VkCommandBuffer c) { vkCmdDraw(c, 3, 1, 0, 0); }

void drawSets(const Things& t, VkCommandBuffer c, uint32_t i) {
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, t.layout, 0, 1, &t.sets[i & 1], 0, nullptr);
  draw(c);
}
void drawPipelines(const Things& t, VkCommandBuffer c, uint32_t i) {
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, t.pipelines[i & 1]);
  draw(c);
}
void drawBuffers(const Things& t, VkCommandBuffer c, uint32_t i) {
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(c, 0, 1, &t.vertices[i & 1].buffer, &zero);
  draw(c);
}
void drawIndexed(const Things&, VkCommandBuffer c, uint32_t) { vkCmdDrawIndexed(c, 3, 1, 0, 0, 0); }
void drawIndirect(const Things& t, VkCommandBuffer c, uint32_t) { vkCmdDrawIndirect(c, t.draws.buffer, 0, 1, 16); }
void drawManyIndirect(const Things& t, VkCommandBuffer c, uint32_t i) {
  if (i == 0) vkCmdDrawIndirect(c, t.draws.buffer, 0, kCalls, 16);
}
void drawNothing(const Things& t, VkCommandBuffer c, uint32_t) {
  push(t.gpu, c, MeshPush{.offset = {5, 0, 0, 0}});
  draw(c);
}
void clearRectangle(const Things&, VkCommandBuffer c, uint32_t i) {
  const VkClearAttachment a{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {{0.5f, 0.25f, 0, 1}}}};
  const VkClearRect r{{{int32_t(i & 15) * 8, 0}, {8, 8}}, 0, 1};
  vkCmdClearAttachments(c, 1, &a, 1, &r);
}
void smallPass(const Things& t, VkCommandBuffer c, uint32_t) {
  t.gpu.begin(c, t.target);
  draw(c);
  vkCmdEndRenderPass(c);
}
void dispatch(const Things&, VkCommandBuffer c, uint32_t) { vkCmdDispatch(c, 1, 1, 1); }
void dispatchIndirect(const Things& t, VkCommandBuffer c, uint32_t) { vkCmdDispatchIndirect(c, t.groups.buffer, 0); }
void dispatchBarrier(const Things& t, VkCommandBuffer c, uint32_t) {
  vkCmdDispatch(c, 1, 1, 1);
  t.gpu.barrier(c);
}
void dispatchSets(const Things& t, VkCommandBuffer c, uint32_t i) {
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 1, &t.sets[i & 1], 0, nullptr);
  vkCmdDispatch(c, 1, 1, 1);
}
void barrier(const Things& t, VkCommandBuffer c, uint32_t) { t.gpu.barrier(c); }
void copyBuffer(const Things& t, VkCommandBuffer c, uint32_t i) {
  const VkBufferCopy r{i * 256, i * 256, 256};
  vkCmdCopyBuffer(c, t.buffers[0].buffer, t.buffers[1].buffer, 1, &r);
}
void fillBuffer(const Things& t, VkCommandBuffer c, uint32_t i) {
  vkCmdFillBuffer(c, t.buffers[0].buffer, i * 256, 256, i);
}
void updateBuffer(const Things& t, VkCommandBuffer c, uint32_t i) {
  const std::array<uint32_t, 16> data{i};
  vkCmdUpdateBuffer(c, t.buffers[0].buffer, i * 64, 64, data.data());
}
void copyImage(const Things& t, VkCommandBuffer c, uint32_t) {
  const VkImageCopy r{Things::whole(), {8, 8, 0}, Things::whole(), {32, 16, 0}, {16, 16, 1}};
  vkCmdCopyImage(c, t.images[0].image, VK_IMAGE_LAYOUT_GENERAL, t.images[1].image, VK_IMAGE_LAYOUT_GENERAL, 1, &r);
}
void toImage(const Things& t, VkCommandBuffer c, uint32_t) {
  const VkBufferImageCopy r{0, 0, 0, Things::whole(), {32, 16, 0}, {16, 16, 1}};
  vkCmdCopyBufferToImage(c, t.buffers[0].buffer, t.images[0].image, VK_IMAGE_LAYOUT_GENERAL, 1, &r);
}
void fromImage(const Things& t, VkCommandBuffer c, uint32_t) {
  const VkBufferImageCopy r{0, 0, 0, Things::whole(), {32, 16, 0}, {16, 16, 1}};
  vkCmdCopyImageToBuffer(c, t.images[0].image, VK_IMAGE_LAYOUT_GENERAL, t.buffers[0].buffer, 1, &r);
}
void blitImage(const Things& t, VkCommandBuffer c, uint32_t) {
  const VkImageBlit r{Things::whole(), {{0, 0, 0}, {32, 32, 1}}, Things::whole(), {{32, 16, 0}, {48, 32, 1}}};
  vkCmdBlitImage(c, t.images[0].image, VK_IMAGE_LAYOUT_GENERAL, t.images[1].image, VK_IMAGE_LAYOUT_GENERAL, 1, &r,
                 VK_FILTER_LINEAR);
}

/// `call` so many times, on the host.
template <class F>
Outcome calls(Gpu& gpu, F call) {
  Outcome out;
  out.timing = gpu.time([&] {
    for (uint32_t i = 0; i < kCalls; ++i) call();
  });
  out.value = out.timing.median * 1e6 / kCalls;
  return out;
}

/// An object that comes and goes.
template <class Object, class Info>
Outcome made(Gpu& gpu, const Info& info,
             VkResult (*create)(VkDevice, const Info*, const VkAllocationCallbacks*, Object*),
             void (*destroy)(VkDevice, Object, const VkAllocationCallbacks*)) {
  return calls(gpu, [&] {
    Object object;
    VK_CHECK(create(gpu.device, &info, nullptr, &object));
    destroy(gpu.device, object, nullptr);
  });
}

Outcome makeBuffers(Gpu& gpu) {
  VkBufferCreateInfo ci{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  ci.size = 65536, ci.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  return made<VkBuffer>(gpu, ci, vkCreateBuffer, vkDestroyBuffer);
}

Outcome makeImages(Gpu& gpu) {
  VkImageCreateInfo ci{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  ci.imageType = VK_IMAGE_TYPE_2D, ci.format = VK_FORMAT_R8G8B8A8_UNORM, ci.extent = {256, 256, 1};
  ci.mipLevels = 9, ci.arrayLayers = 1, ci.samples = VK_SAMPLE_COUNT_1_BIT, ci.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  return made<VkImage>(gpu, ci, vkCreateImage, vkDestroyImage);
}

Outcome makeMemory(Gpu& gpu) {
  const VkMemoryAllocateInfo ai{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 1 << 20, 0};
  return made<VkDeviceMemory>(gpu, ai, vkAllocateMemory, vkFreeMemory);
}

Outcome makeViews(Gpu& gpu) {
  const Image image = gpu.makeImage({.width = 64, .height = 64, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  VkImageViewCreateInfo ci{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  ci.image = image.image, ci.viewType = VK_IMAGE_VIEW_TYPE_2D, ci.format = VK_FORMAT_R8G8B8A8_UNORM;
  ci.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  return made<VkImageView>(gpu, ci, vkCreateImageView, vkDestroyImageView);
}

Outcome makeSamplers(Gpu& gpu) {
  VkSamplerCreateInfo ci{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  ci.magFilter = VK_FILTER_LINEAR;
  return made<VkSampler>(gpu, ci, vkCreateSampler, vkDestroySampler);
}

Outcome makeSets(Gpu& gpu) {
  const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  const std::array sizes = {VkDescriptorPoolSize{types[0], 1}, VkDescriptorPoolSize{types[1], 1}};
  VkDescriptorPoolCreateInfo ci{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  ci.maxSets = 1, ci.poolSizeCount = sizes.size(), ci.pPoolSizes = sizes.data();
  const VkDescriptorPool pool = gpu.make(ci);
  const VkDescriptorSetAllocateInfo ai{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &setLayout};
  return calls(gpu, [&] {
    VkDescriptorSet s;
    VK_CHECK(vkAllocateDescriptorSets(gpu.device, &ai, &s));
    VK_CHECK(vkResetDescriptorPool(gpu.device, pool, 0));
  });
}

Outcome makeFences(Gpu& gpu) {
  const VkFenceCreateInfo ci{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  return made<VkFence>(gpu, ci, vkCreateFence, vkDestroyFence);
}

Outcome makeCommands(Gpu& gpu) {
  const VkCommandBufferAllocateInfo ai{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, gpu.pool,
                                       VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  const VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  return calls(gpu, [&] {
    VkCommandBuffer c;
    VK_CHECK(vkAllocateCommandBuffers(gpu.device, &ai, &c));
    VK_CHECK(vkBeginCommandBuffer(c, &bi));
    VK_CHECK(vkEndCommandBuffer(c));
    vkFreeCommandBuffers(gpu.device, gpu.pool, 1, &c);
  });
}

/// Submits that nothing waits for but the last.
Outcome submits(Gpu& gpu) {
  const Things t(gpu);
  VkCommandBuffer c;
  const VkCommandBufferAllocateInfo ai{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, gpu.pool,
                                       VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VK_CHECK(vkAllocateCommandBuffers(gpu.device, &ai, &c));
  const VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                    VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, nullptr};
  VK_CHECK(vkBeginCommandBuffer(c, &bi));
  vkCmdFillBuffer(c, t.buffers[0].buffer, 0, 256, 1);
  VK_CHECK(vkEndCommandBuffer(c));
  VkSubmitInfo si{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  si.commandBufferCount = 1, si.pCommandBuffers = &c;
  Outcome out;
  out.timing = gpu.time([&] {
    for (uint32_t i = 0; i < kCalls; ++i) VK_CHECK(vkQueueSubmit(gpu.queue, 1, &si, VK_NULL_HANDLE));
    VK_CHECK(vkQueueWaitIdle(gpu.queue));
  });
  out.value = out.timing.median * 1e6 / kCalls;
  return out;
}

}  // namespace

std::vector<Scenario> callScenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, std::function<Outcome(Gpu&)> run) {
    all.push_back({"call." + name, "us", false, Bound::None, 0, 0.01, std::move(run)});
  };
  const std::pair<const char*, Body> inPass[] = {
      {"draw_sets", drawSets},       {"draw_pipelines", drawPipelines},  {"draw_buffers", drawBuffers},
      {"draw_indexed", drawIndexed}, {"draw_indirect", drawIndirect},    {"draw_many_indirect", drawManyIndirect},
      {"draw_nothing", drawNothing}, {"clear_rectangle", clearRectangle}};
  for (const auto& [name, body] : inPass) add(name, [body = body](Gpu& g) { return commands(g, body, true); });
  const std::pair<const char*, Body> outside[] = {{"pass", smallPass},
                                                  {"dispatch", dispatch},
                                                  {"dispatch_indirect", dispatchIndirect},
                                                  {"dispatch_sets", dispatchSets},
                                                  {"dispatch_barrier", dispatchBarrier},
                                                  {"barrier", barrier},
                                                  {"copy_buffer", copyBuffer},
                                                  {"fill_buffer", fillBuffer},
                                                  {"update_buffer", updateBuffer},
                                                  {"copy_image", copyImage},
                                                  {"to_image", toImage},
                                                  {"from_image", fromImage},
                                                  {"blit_image", blitImage}};
  for (const auto& [name, body] : outside) add(name, [body = body](Gpu& g) { return commands(g, body, false); });
  const std::pair<const char*, Outcome (*)(Gpu&)> objects[] = {
      {"buffer", makeBuffers}, {"image", makeImages},      {"memory", makeMemory},
      {"view", makeViews},     {"sampler", makeSamplers},  {"set", makeSets},
      {"fence", makeFences},   {"commands", makeCommands}, {"submit", submits}};
  for (const auto& [name, run] : objects) add(name, run);
  return all;
}

}  // namespace vkbench
