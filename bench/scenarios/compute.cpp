// Compute: matrix products, reduction, prefix sums, histogram, blur, copy.
#include "../scenario.h"
#include "blur.comp.h"
#include "copy.comp.h"
#include "draws.h"
#include "histogram.comp.h"
#include "reduce.comp.h"
#include "reduce_atomic.comp.h"
#include "reduce_subgroup.comp.h"
#include "scan.comp.h"
#include "sgemm_block4.comp.h"
#include "sgemm_block4_unroll.comp.h"
#include "sgemm_block8.comp.h"
#include "sgemm_naive.comp.h"
#include "sgemm_tiled.comp.h"

namespace vkbench {
namespace {

/// A compute pipeline on three storage buffers.
struct Kernel {
  VkPipelineLayout layout{};
  VkPipeline pipeline{};
  VkDescriptorSet set{};
};

Kernel makeKernel(Gpu& gpu, Spirv code, const Buffer& b0, const Buffer& b1, const Buffer& b2) {
  const VkDescriptorType types[3] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  Kernel k;
  k.layout = gpu.makeLayout(setLayout);
  k.set = gpu.makeSet(setLayout);
  gpu.writeBuffer(k.set, 0, b0);
  gpu.writeBuffer(k.set, 1, b1);
  gpu.writeBuffer(k.set, 2, b2);
  k.pipeline = gpu.makePipeline(code, k.layout);
  return k;
}

void bind(VkCommandBuffer c, const Kernel& k) {
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &k.set, 0, nullptr);
}

void randomWords(const Buffer& b, uint64_t seed, uint32_t mask) {
  Random random(seed);
  for (uint32_t& w : b.as<uint32_t>()) w = random.word() & mask;
}

/// `tile`: rows and columns of the result that a workgroup computes.
Outcome sgemm(Gpu& gpu, Spirv code, uint32_t tile) {
  constexpr uint32_t kN = 512;
  const Buffer a = gpu.makeBuffer(kN * kN * 4), b = gpu.makeBuffer(kN * kN * 4), r = gpu.makeBuffer(kN * kN * 4);
  Random random(11);
  for (float& f : a.as<float>()) f = random.unit();
  for (float& f : b.as<float>()) f = random.unit() - 0.5f;
  const Kernel k = makeKernel(gpu, code, a, b, r);
  Outcome out = commandOutcome(gpu, 2.0 * kN * kN * kN / 1e9, [&](VkCommandBuffer c) {
    bind(c, k);
    push(gpu, c, kN, k.layout);
    vkCmdDispatch(c, kN / tile, kN / tile, 1);
  });
  digestFloats(out, r.as<float>());
  return out;
}

constexpr uint32_t kElements = 1u << 22;

Outcome reduce(Gpu& gpu) {
  const Buffer data = gpu.makeBuffer(kElements * 4), unused = gpu.makeBuffer(64),
               sums = gpu.makeBuffer(kElements / 512);
  randomWords(data, 5, 0xffff);
  const Kernel k = makeKernel(gpu, reduce_comp, data, unused, sums);
  Outcome out = commandOutcome(gpu, kElements / 1e9, [&](VkCommandBuffer c) {
    bind(c, k);
    vkCmdDispatch(c, kElements / 2048, 1, 1);
  });
  digestWords(out, sums.as<uint32_t>());
  return out;
}

/// Times `groups` workgroups that add to what begins as zeros.
Outcome addedUp(Gpu& gpu, const Kernel& k, const Buffer& sums, double work, uint32_t groups) {
  Outcome out = commandOutcome(gpu, work, [&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, sums.buffer, 0, VK_WHOLE_SIZE, 0);
    gpu.barrier(c);
    bind(c, k);
    vkCmdDispatch(c, groups, 1, 1);
  });
  digestWords(out, sums.as<uint32_t>());
  return out;
}

/// Sums of all elements, or of each workgroup's, by subgroups.
Outcome reduceBySubgroups(Gpu& gpu, Spirv code, bool one) {
  gpu.requireSubgroups(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  constexpr uint32_t kCount = 1u << 23;
  const Buffer data = gpu.makeBuffer(kCount * 4), unused = gpu.makeBuffer(64),
               sums = gpu.makeBuffer(one ? 64 : kCount / 64);
  randomWords(data, 5, 0xff);
  const Kernel k = makeKernel(gpu, code, data, unused, sums);
  return addedUp(gpu, k, sums, kCount / 1e9, kCount / 256);
}

Outcome scan(Gpu& gpu) {
  gpu.requireSubgroups(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  constexpr uint32_t kCount = 1u << 20;  // 1024 blocks of 1024
  const Buffer data = gpu.makeBuffer(kCount * 4), sums = gpu.makeBuffer(1024 * 4), result = gpu.makeBuffer(kCount * 4);
  randomWords(data, 6, 0xff);
  const Kernel k = makeKernel(gpu, scan_comp, data, sums, result);
  Outcome out = commandOutcome(gpu, kCount / 1e9, [&](VkCommandBuffer c) {
    bind(c, k);
    for (uint32_t mode = 0; mode < 3; ++mode) {
      push(gpu, c, mode, k.layout);
      vkCmdDispatch(c, mode == 1 ? 1 : 1024, 1, 1);
      gpu.barrier(c);
    }
  });
  digestWords(out, result.as<uint32_t>());
  return out;
}

Outcome histogram(Gpu& gpu) {
  const Buffer data = gpu.makeBuffer(kElements * 4), unused = gpu.makeBuffer(64), bins = gpu.makeBuffer(1024);
  randomWords(data, 8, ~0u);
  for (uint32_t& w : data.as<uint32_t>()) w = (w & 0xff) * ((w >> 8) & 0xff) >> 8;  // uneven bins
  const Kernel k = makeKernel(gpu, histogram_comp, data, unused, bins);
  return addedUp(gpu, k, bins, kElements / 1e9, kElements / 4096);
}

Outcome copy(Gpu& gpu) {
  constexpr uint32_t kBytes = 64u << 20;
  const Buffer from = gpu.makeBuffer(kBytes), unused = gpu.makeBuffer(64), to = gpu.makeBuffer(kBytes);
  Random random(9);
  for (float& f : from.as<float>()) f = random.unit();
  const Kernel k = makeKernel(gpu, copy_comp, from, unused, to);
  Outcome out = commandOutcome(gpu, kBytes / 1e9, [&](VkCommandBuffer c) {
    bind(c, k);
    vkCmdDispatch(c, kBytes / 16 / 256, 1, 1);
  });
  digestFloats(out, to.as<float>());
  return out;
}

Outcome blur(Gpu& gpu) {
  constexpr uint32_t kSize = 1024;
  const Image from = gpu.makeImage(
      {kSize, kSize, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  const Image to = gpu.makeImage(
      {kSize, kSize, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
  gpu.upload(from, noiseTexels(kSize, kSize, 21));
  const VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
  const VkDescriptorSetLayout setLayout = gpu.makeSetLayout(types);
  const VkPipelineLayout layout = gpu.makeLayout(setLayout);
  const VkDescriptorSet set = gpu.makeSet(setLayout);
  gpu.writeImage(set, 0, types[0], from, gpu.makeSampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST));
  gpu.writeImage(set, 1, types[1], to, VK_NULL_HANDLE);
  const VkPipeline pipeline = gpu.makePipeline(blur_comp, layout);
  gpu.submit(gpu.record([&](VkCommandBuffer c) { gpu.toGeneral(c, to); }));
  Outcome out = commandOutcome(gpu, kSize * kSize / 1e6, [&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, kSize / 16, kSize / 16, 1);
  });
  digestImage(out, gpu.read(to), kSize, kSize);
  return out;
}

/// Small dependent dispatches: what a barrier and a start cost.
Outcome dispatches(Gpu& gpu) {
  constexpr uint32_t kCount = 500;
  const Buffer data = gpu.makeBuffer(1 << 16), unused = gpu.makeBuffer(64), out0 = gpu.makeBuffer(1 << 16);
  randomWords(data, 10, 0xffff);
  const Kernel k = makeKernel(gpu, reduce_comp, data, unused, out0);
  Outcome out = commandOutcome(gpu, 1, [&](VkCommandBuffer c) {
    bind(c, k);
    for (uint32_t i = 0; i < kCount; ++i) {
      vkCmdDispatch(c, 1, 1, 1);
      gpu.barrier(c);
    }
  });
  out.value = out.timing.median * 1e6 / kCount;
  digestWords(out, out0.as<uint32_t>());
  return out;
}

}  // namespace

std::vector<Scenario> computeScenarios() {
  return {
      {"compute.sgemm_naive", "GFLOP/s", true, Bound::Fma, 1, 0.01,
       [](Gpu& g) { return sgemm(g, sgemm_naive_comp, 16); }},
      {"compute.sgemm_tiled", "GFLOP/s", true, Bound::Fma, 1, 0.01,
       [](Gpu& g) { return sgemm(g, sgemm_tiled_comp, 16); }},
      {"compute.sgemm_block4", "GFLOP/s", true, Bound::Fma, 1, 0.01,
       [](Gpu& g) { return sgemm(g, sgemm_block4_comp, 64); }},
      {"compute.sgemm_block4_unroll", "GFLOP/s", true, Bound::Fma, 1, 0.01,
       [](Gpu& g) { return sgemm(g, sgemm_block4_unroll_comp, 64); }},
      {"compute.sgemm_block8", "GFLOP/s", true, Bound::Fma, 1, 0.01,
       [](Gpu& g) { return sgemm(g, sgemm_block8_comp, 128); }},
      {"compute.reduce_barrier", "Gelem/s", true, Bound::Read, 4, 0, reduce},
      {"compute.reduce_subgroup", "Gelem/s", true, Bound::Read, 4, 0,
       [](Gpu& g) { return reduceBySubgroups(g, reduce_subgroup_comp, false); }},
      {"compute.reduce_atomic", "Gelem/s", true, Bound::Read, 4, 0,
       [](Gpu& g) { return reduceBySubgroups(g, reduce_atomic_comp, true); }},
      {"compute.prefix_sum_subgroup", "Gelem/s", true, Bound::CacheCopy, 8, 0, scan},
      {"compute.histogram_atomic", "Gelem/s", true, Bound::Read, 4, 0, histogram},
      {"compute.blur_5x5", "Mpix/s", true, Bound::CacheCopy, 0.004, 0.01, blur},
      {"compute.copy_vec4", "GB/s", true, Bound::Copy, 1, 0, copy},
      {"compute.dispatch_barrier", "us", false, Bound::None, 0, 0, dispatches},
  };
}

}  // namespace vkbench
