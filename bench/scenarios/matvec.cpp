// Matrix-vector products of language models: weights of halves and of quantized blocks, as files in GGML's formats have
// them, sums by subgroups.
#include <array>

#include "../scenario.h"
#include "matvec_batches.comp.h"
#include "matvec_f16.comp.h"
#include "matvec_q4_0.comp.h"
#include "matvec_q8_0.comp.h"
#include "resources.h"

namespace vkbench {
namespace {

constexpr uint32_t kRows = 8192, kColumns = 4096;

/// `blockBytes` for `blockColumns` columns, in which the first two bytes are a scale where the block has one.
Outcome product(Gpu& gpu, Spirv code, uint32_t blockBytes, uint32_t blockColumns) {
  gpu.require(gpu.halfStorage, "storageBuffer16BitAccess");
  gpu.requireSubgroups(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  gpu.require(gpu.features.shaderInt16, "shaderInt16");

  const uint64_t bytes = uint64_t{kRows} * kColumns / blockColumns * blockBytes;
  const Buffer weights = gpu.makeBuffer(bytes), values = gpu.makeBuffer(kColumns * 4), sums = gpu.makeBuffer(kRows * 4);
  Random random(51);
  if (blockColumns == 1) {
    for (uint16_t& h : weights.as<uint16_t>()) h = halfOf(float(int(random.word() & 0x3ff) - 512) / 512);
  } else {
    for (uint32_t& w : weights.as<uint32_t>()) w = random.word();
    for (size_t at = 0; at < bytes; at += blockBytes)
      weights.as<uint16_t>()[at / 2] = halfOf((random.unit() + 0.5f) / (blockBytes == 34 ? 128 : 8));
  }
  for (float& f : values.as<float>()) f = random.unit() - 0.5f;

  const Resources resources(gpu, {storage(weights), storage(values), storage(sums)});
  const VkPipeline pipeline = gpu.makePipeline(code, resources.layout);
  Outcome out = commandOutcome(gpu, double(bytes) / 1e9, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
    // Columns, and what kernels for batches ask for: of how many this is one, and how far they are apart.
    resources.push(c, std::array{kColumns, 1u, kRows * kColumns, kColumns});
    vkCmdDispatch(c, kRows / 2, 1, 1);
  });
  digestFloats(out, sums.as<float>());
  return out;
}

}  // namespace

std::vector<Scenario> matvecScenarios() {
  // Of weights; sums of 4,096 products in any order.
  return {
      {"matvec.f16", "GB/s", true, Bound::Read, 1, 0.002, [](Gpu& g) { return product(g, matvec_f16_comp, 2, 1); }},
      {"matvec.q8_0", "GB/s", true, Bound::Read, 1, 0.002, [](Gpu& g) { return product(g, matvec_q8_0_comp, 34, 32); }},
      {"matvec.q8_0_batches", "GB/s", true, Bound::Read, 1, 0.002,
       [](Gpu& g) { return product(g, matvec_batches_comp, 34, 32); }},
      {"matvec.q4_0", "GB/s", true, Bound::Read, 1, 0.002, [](Gpu& g) { return product(g, matvec_q4_0_comp, 18, 32); }},
  };
}

}  // namespace vkbench
