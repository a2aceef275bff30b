// Compute shaders, one operation at a time: arithmetic, memory in its kinds and patterns, and what invocations say to
// each other.
#include "resources.h"

#include "arithmetic.comp.h"
#include "memory.comp.h"

namespace vkbench {
namespace {

constexpr uint32_t kInvocations = 1u << 18, kRounds = 16;

/// All invocations of a shader that does `operation` so many times.
Outcome chain(Gpu& gpu, const Resources& resources, Spirv shader, int32_t operation) {
  const VkPipeline pipeline = gpu.makePipeline(shader, resources.layout, &operation);
  return commandOutcome(gpu, double(kInvocations) * kRounds / 1e9, [&](VkCommandBuffer c) {
    resources.bind(c, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(c, kInvocations / 64, 1, 1);
  });
}

Outcome arithmetic(Gpu& gpu, int32_t operation) {
  const Buffer values = gpu.makeBuffer(kInvocations * 16);
  Random random(51);
  for (float& v : values.as<float>()) v = random.unit() + 0.25f;
  const Resources resources(gpu, {storage(values)});
  return chain(gpu, resources, arithmetic_comp, operation);
}

Outcome memory(Gpu& gpu, int32_t operation) {
  gpu.requireSubgroups(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                       VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  // As many as the shader's largest places, in elements of each buffer.
  const Buffer values = gpu.makeBuffer((0x200000 + kInvocations) * 4), vectors = gpu.makeBuffer(0x10000 * 16),
               table = gpu.makeBuffer(256 * 16), threes = gpu.makeBuffer(0x10000 * 12),
               records = gpu.makeBuffer(0x10000 * 32);
  Random random(52);
  for (const Buffer& b : {vectors, table, threes, records})
    for (float& v : b.as<float>()) v = random.unit() + 0.25f;
  const Resources resources(gpu,
                            {storage(values), storage(vectors), uniform(table), storage(threes), storage(records)});
  return chain(gpu, resources, memory_comp, operation);
}

}  // namespace

std::vector<Scenario> operationScenarios() {
  // As the shaders number them.
  const char* arithmetics[] = {
      "sin",      "exp",        "log",       "pow",        "atan",  "inversesqrt",  "sqrt",   "divide",      "tanh",
      "asin",     "mod",        "normalize", "inverse",    "idiv",  "umod",         "imul",   "reverse",     "find",
      "bitfield", "pack_unorm", "pack_half", "smoothstep", "frexp", "mul_extended", "branch", "multiply_add"};
  const char* memories[] = {
      "vector_component", "vectors",     "random",        "uniform",       "uniform_random", "threes",
      "records",          "shared",      "shared_atomic", "atomic_random", "atomic_group",   "scan",
      "shuffle",          "shuffle_xor", "ballot",        "minimum",       "broadcast",      "barrier",
      "strided",          "backwards",   "words"};
  std::vector<Scenario> all;
  const auto add = [&](const std::string& name, auto run, int32_t operation) {
    all.push_back({name, "G/s", true, Bound::None, 0, 0.01, [run, operation](Gpu& g) { return run(g, operation); }});
  };
  int32_t operation = 0;
  for (const char* name : arithmetics) add(std::string("arithmetic.") + name, arithmetic, operation++);
  operation = 0;
  for (const char* name : memories) add(std::string("memory.") + name, memory, operation++);
  return all;
}

}  // namespace vkbench
