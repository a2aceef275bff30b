// What calls cost: submission, small draws, descriptors, recording, start-up, memory.
#include <sys/resource.h>

#include "../harness/clock.h"
#include "../scenario.h"
#include "color.frag.h"
#include "copy.comp.h"
#include "draws.h"
#include "mesh.vert.h"

namespace vkbench {
namespace {

constexpr uint32_t kDraws = 10000;

Outcome emptySubmit(Gpu& gpu) {
  Outcome out;
  out.timing = gpu.time([&] { gpu.submit(VK_NULL_HANDLE); });
  out.value = out.timing.median * 1e6;
  return out;
}

/// A command buffer that does next to nothing, so that a driver cannot answer from vkQueueSubmit alone.
Outcome fillSubmit(Gpu& gpu) {
  const Buffer b = gpu.makeBuffer(64);
  Outcome out;
  out.timing = gpu.time(gpu.record([&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, b.buffer, 0, 64, 0xabcdef);
    gpu.barrier(c);
  }));
  out.value = out.timing.median * 1e6;
  digestWords(out, b.as<uint32_t>());
  return out;
}

/// One dispatch of one workgroup, and one draw of one triangle: what a frame's last submission is waited for.
Outcome dispatchSubmit(Gpu& gpu) {
  const std::vector<VkDescriptorType> types(3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  std::vector<uint32_t> words(1024);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i * 2654435761u;
  const Buffer from = bufferOf<uint32_t>(gpu, words), unused = gpu.makeBuffer(64), to = gpu.makeBuffer(from.bytes);
  gpu.writeBuffer(set, 0, from);
  gpu.writeBuffer(set, 1, unused);
  gpu.writeBuffer(set, 2, to);
  const VkPipeline pipeline = gpu.makePipeline(copy_comp, layout);
  Outcome out;
  out.timing = gpu.time(gpu.record([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
    gpu.barrier(c);
  }));
  out.value = out.timing.median * 1e6;
  digestWords(out, to.as<uint32_t>());
  return out;
}

Outcome drawSubmit(Gpu& gpu) {
  const Target target = gpu.makeTarget({.width = 64, .height = 64});
  const std::vector<Vertex> v = {
      {-0.5f, -0.5f, 0.5f, 0xffffffff}, {0.5f, -0.5f, 0.5f, 0xff80ffff}, {0, 0.5f, 0.5f, 0xffff80ff}};
  const Buffer vertices = bufferOf<Vertex>(gpu, v);
  const VkPipeline pipeline =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
                        .target = &target,
                        .vertices = true},
                       gpu.layout);
  Outcome out = drawOutcome(gpu, target, 1, [&](VkCommandBuffer c) {
    bindMesh(gpu, c, pipeline, vertices, {});
    vkCmdDraw(c, 3, 1, 0, 0);
  });
  out.value = out.timing.median * 1e6;
  return out;
}

/// 10,000 draws of one triangle each with its own push constants, into a target of 256 x 256.
struct SmallDraws {
  Target target;
  Buffer vertices;
  VkPipeline pipeline{};

  explicit SmallDraws(Gpu& gpu) {
    target = gpu.makeTarget({.width = 256, .height = 256});
    std::vector<Vertex> v = {
        {-0.02f, -0.02f, 0.5f, 0xffffffff}, {0.02f, -0.02f, 0.5f, 0xff80ffff}, {0, 0.02f, 0.5f, 0xffff80ff}};
    vertices = bufferOf<Vertex>(gpu, v);
    pipeline = gpu.makePipeline(
        {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, mesh_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, color_frag}},
         .target = &target,
         .vertices = true},
        gpu.layout);
  }
  void record(Gpu& gpu, VkCommandBuffer c) const {
    gpu.begin(c, target);
    bindMesh(gpu, c, pipeline, vertices, {});
    for (uint32_t i = 0; i < kDraws; ++i) {
      const float x = float(i % 100) / 50 - 0.99f, y = float(i / 100) / 50 - 0.99f;
      push(gpu, c, MeshPush{.offset = {x, y, 0, 0}, .tint = {1, float(i & 15) / 15, 1, 1}});
      vkCmdDraw(c, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(c);
  }
};

Outcome smallDraws(Gpu& gpu) {
  const SmallDraws draws(gpu);
  Outcome out;
  out.timing = gpu.time(gpu.record([&](VkCommandBuffer c) { draws.record(gpu, c); }));
  out.value = out.timing.median * 1e6 / kDraws;
  digestImage(out, gpu.read(draws.target.picture()), 256, 256);
  return out;
}

Outcome recordDraws(Gpu& gpu) {
  const SmallDraws draws(gpu);
  const VkCommandBuffer c = gpu.record([](VkCommandBuffer) {});
  const VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  Outcome out;
  out.timing = gpu.time([&] {
    VK_CHECK(vkBeginCommandBuffer(c, &bi));
    draws.record(gpu, c);
    VK_CHECK(vkEndCommandBuffer(c));
  });
  out.value = out.timing.median * 1e9 / kDraws;
  gpu.submit(c);
  digestImage(out, gpu.read(draws.target.picture()), 256, 256);
  return out;
}

Outcome updateDescriptors(Gpu& gpu) {
  constexpr uint32_t kSets = 1000;
  const VkDescriptorType types[4] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  std::vector<VkDescriptorSet> sets(kSets);
  gpu.makeSet(setLayout, kSets, sets.data());
  const Buffer buffer = gpu.makeBuffer(65536);
  const Image image = gpu.makeImage({64, 64, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT});
  const VkSampler sampler = gpu.makeSampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR);
  Outcome out;
  out.timing = gpu.time([&] {
    for (const VkDescriptorSet set : sets) {
      gpu.writeBuffer(set, 0, buffer);
      gpu.writeBuffer(set, 1, buffer);
      gpu.writeImage(set, 2, types[2], image, sampler);
      gpu.writeImage(set, 3, types[3], image, sampler);
    }
  });
  out.value = out.timing.median * 1e9 / (kSets * 4);
  return out;
}

/// From the start of the process, through instance, device, pipeline and one frame, to the fence.
Outcome firstFrame(Gpu& gpu) {
  const Target target = gpu.makeTarget({.width = 640, .height = 480, .depth = true});
  const GridDraw grid(gpu, target, 20, 20, mesh_vert, color_frag);
  gpu.submit(gpu.record([&](VkCommandBuffer c) { grid.record(c); }));
  Outcome out;
  out.timing.median = out.timing.best = now() - processStart;
  out.timing.repetitions = 1;
  out.value = out.timing.median * 1e3;
  digestImage(out, gpu.read(target.picture()), 640, 480);
  return out;
}

Outcome peakMemory(Gpu& gpu) {
  Outcome out = firstFrame(gpu);
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  out.value = double(u.ru_maxrss) / 1024;
  return out;
}

}  // namespace

std::vector<Scenario> apiScenarios() {
  return {
      {"api.empty_submit_wait", "us", false, Bound::None, 0, 0, emptySubmit},
      {"api.fill_submit_wait", "us", false, Bound::None, 0, 0, fillSubmit},
      {"api.dispatch_submit_wait", "us", false, Bound::None, 0, 0, dispatchSubmit},
      {"api.draw_submit_wait", "us", false, Bound::None, 0, 0.02, drawSubmit},
      {"api.small_draw", "us", false, Bound::None, 0, 0.02, smallDraws},
      {"api.record_draw", "ns", false, Bound::None, 0, 0.02, recordDraws},
      {"api.update_descriptor", "ns", false, Bound::None, 0, 0, updateDescriptors},
      {"api.start_to_first_frame", "ms", false, Bound::None, 0, 0.02, firstFrame},
      {"api.peak_memory", "MiB", false, Bound::None, 0, 0.02, peakMemory},
  };
}

}  // namespace vkbench
