// Products of square matrices by cooperative ones (VK_KHR_cooperative_matrix), of sizes that the device offers.
#include <bit>
#include <cmath>

#include "../harness/matrices.h"
#include "../scenario.h"
#include "coopmat_module.h"
#include "resources.h"

namespace vkbench {
namespace {

constexpr uint32_t kN = 1024;

MatrixSizes sizesOf(const Gpu& gpu, uint32_t component) {
  for (const CooperativeProduct& p : cooperativeProducts(gpu))
    if (p.factor == component && p.sum == kComponentFloat && kSubgroupTile % p.rows == 0 &&
        kSubgroupTile % p.columns == 0 && (p.inner == 8 || p.inner == 16 || p.inner == 32))
      return {p.rows, p.columns, p.inner, subgroupSize(gpu)};
  throw Unsupported("cooperative matrices of these components");
}

float valueOf(const Buffer& b, Factor factor, size_t i) {
  if (factor == Factor::Float) return b.as<float>()[i];
  const uint32_t bits = b.as<uint16_t>()[i];
  if (factor == Factor::Brain) return std::bit_cast<float>(bits << 16);
  const float magnitude = std::ldexp(float((bits & 0x3ff) | 0x400), int(bits >> 10 & 31) - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Values that all types hold, none of them 0.
void fill(const Buffer& b, Factor factor, uint64_t seed) {
  Random random(seed);
  for (size_t i = 0; i < size_t{kN} * kN; ++i) {
    const float value = float(int(random.word() >> 8 & 127) * 2 - 127) / 128;
    if (factor == Factor::Float)
      b.as<float>()[i] = value;
    else
      b.as<uint16_t>()[i] = factor == Factor::Half ? halfOf(value) : uint16_t(std::bit_cast<uint32_t>(value) >> 16);
  }
}

/// Some elements against sums that are exact.
void check(const Buffer& a, const Buffer& b, const Buffer& c, Factor factor, bool byColumns) {
  for (uint32_t at = 0; at < kN * kN; at += 4099) {
    const uint32_t row = at / kN, column = at % kN;
    double sum = 0;
    for (uint32_t k = 0; k < kN; ++k)
      sum +=
          double(valueOf(a, factor, row * kN + k)) * valueOf(b, factor, byColumns ? column * kN + k : k * kN + column);
    if (std::abs(sum - c.as<float>()[at]) > 0.01) throw Failed("an element of the product is wrong");
  }
}

Outcome product(Gpu& gpu, Factor factor, bool shared) {
  if (factor == Factor::Half) gpu.require(gpu.halfMatrices, "halves in cooperative matrices");
  if (factor == Factor::Brain) gpu.require(gpu.brainMatrices, "bfloat16 in cooperative matrices");
  gpu.require(gpu.matrices, "cooperative matrices");
  const MatrixSizes sizes = sizesOf(gpu, factor == Factor::Float  ? kComponentFloat
                                         : factor == Factor::Half ? kComponentHalf
                                                                  : kComponentBrain);
  const uint32_t bytes = kN * kN * (factor == Factor::Float ? 4 : 2);
  const Buffer a = gpu.makeBuffer(bytes), b = gpu.makeBuffer(bytes), c = gpu.makeBuffer(kN * kN * 4);
  fill(a, factor, 61), fill(b, factor, 62);
  const std::vector<uint32_t> code = shared ? sharedProduct(sizes, kN) : directProduct(sizes, factor, kN);
  const Resources resources(gpu, {storage(a), storage(b), storage(c)});
  const VkPipeline pipeline = gpu.makePipeline(code, resources.layout);
  const uint32_t groups = kN / (shared ? kWorkgroupTile : kSubgroupTile);
  Outcome out = commandOutcome(gpu, 2.0 * kN * kN * kN / 1e9, [&](VkCommandBuffer commands) {
    resources.bind(commands, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(commands, groups, groups, 1);
  });
  check(a, b, c, factor, shared);
  digestFloats(out, c.as<float>());
  return out;
}

}  // namespace

std::vector<Scenario> coopmatScenarios() {
  // Sums of 1,024 products in any order.
  const auto row = [](const char* name, Factor factor, bool shared) {
    return Scenario{name, "GFLOP/s", true, Bound::Fma, 1, 0.01, [=](Gpu& g) { return product(g, factor, shared); }};
  };
  return {row("coopmat.f32", Factor::Float, false), row("coopmat.f16", Factor::Half, false),
          row("coopmat.bf16", Factor::Brain, false), row("coopmat.f16_shared", Factor::Half, true)};
}

}  // namespace vkbench
