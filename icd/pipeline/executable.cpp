// VK_KHR_pipeline_executable_properties: each stage is one executable, with its listing in the instruction set.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/disassemble.h"
#include "icd/entry_points.h"
#include "icd/object/enumerate.h"
#include "icd/pipeline/pipeline.h"
#include "runtime/abi/limits.h"

namespace etzel::icd {
namespace {

struct StageName {
  abi::Stage stage;
  VkShaderStageFlagBits bit;
  const char* name;
};
constexpr StageName kStages[] = {
    {abi::Stage::Vertex, VK_SHADER_STAGE_VERTEX_BIT, "vertex"},
    {abi::Stage::TessControl, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tessellation control"},
    {abi::Stage::TessEvaluation, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tessellation evaluation"},
    {abi::Stage::Geometry, VK_SHADER_STAGE_GEOMETRY_BIT, "geometry"},
    {abi::Stage::Fragment, VK_SHADER_STAGE_FRAGMENT_BIT, "fragment"},
    {abi::Stage::Compute, VK_SHADER_STAGE_COMPUTE_BIT, "compute"},
};

struct Executable {
  const StageName* stage;
  const abi::Kernel* kernel;
};
std::vector<Executable> executablesOf(VkPipeline handle) {
  std::vector<Executable> all;
  const Pipeline& pipeline = *cast<Pipeline>(handle);
  for (const StageName& s : kStages)
    if (const auto& k = pipeline.kernel[static_cast<size_t>(s.stage)]) all.push_back({&s, k.get()});
  return all;
}

template <size_t N>
void setText(char (&out)[N], const char* text) {
  std::snprintf(out, N, "%s", text);
}

struct Statistic {
  const char* name;
  const char* description;
  uint64_t value;
};

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableProperties(VkDevice, const VkPipelineInfoKHR* pPipelineInfo,
                                                               uint32_t* pCount,
                                                               VkPipelineExecutablePropertiesKHR* pProperties) {
  return enumerate(executablesOf(pPipelineInfo->pipeline), pCount, pProperties,
                   [](const Executable& e, VkPipelineExecutablePropertiesKHR& p) {
                     p.stages = e.stage->bit;
                     setText(p.name, e.stage->name);
                     std::snprintf(p.description, sizeof p.description, "Etzel program of the %s stage", e.stage->name);
                     const bool isHalf = e.kernel->info.subgroupSize == abi::kMinSubgroupSize;
                     p.subgroupSize = isHalf ? abi::kMinSubgroupSize : kWarpLanes;
                   });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableStatistics(VkDevice, const VkPipelineExecutableInfoKHR* pInfo,
                                                               uint32_t* pCount,
                                                               VkPipelineExecutableStatisticKHR* pStatistics) {
  const std::vector<Executable> all = executablesOf(pInfo->pipeline);
  std::vector<Statistic> list;
  if (pInfo->executableIndex < all.size()) {
    const abi::Kernel& kernel = *all[pInfo->executableIndex].kernel;
    const isa::Program& program = compiler::programOf(kernel);
    list = {
        {"Instructions", "128-bit instruction words", program.code.size()},
        {"Registers", "32-bit temporary registers of an invocation", program.tempWords},
        {"Scratch", "Bytes of private memory of an invocation", kernel.scratchBytes},
        {"Shared memory", "Bytes of workgroup memory", kernel.sharedBytes},
        {"Optimized", "1 when optimized machine code runs, 0 before", tiers::Tiers::optimizedCode(kernel) != nullptr}};
  }
  return enumerate(list, pCount, pStatistics, [](const Statistic& s, VkPipelineExecutableStatisticKHR& out) {
    setText(out.name, s.name);
    setText(out.description, s.description);
    out.format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
    out.value.u64 = s.value;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL
GetPipelineExecutableInternalRepresentations(VkDevice, const VkPipelineExecutableInfoKHR* pInfo, uint32_t* pCount,
                                             VkPipelineExecutableInternalRepresentationKHR* pRepresentations) {
  const std::vector<Executable> all = executablesOf(pInfo->pipeline);
  std::vector<const abi::Kernel*> list;
  if (pInfo->executableIndex < all.size()) list.push_back(all[pInfo->executableIndex].kernel);
  bool truncated = false;
  const VkResult result =
      enumerate(list, pCount, pRepresentations,
                [&](const abi::Kernel* kernel, VkPipelineExecutableInternalRepresentationKHR& out) {
                  const std::string text = isa::disassemble(compiler::programOf(*kernel));
                  setText(out.name, "Etzel ISA");
                  setText(out.description, "Final program in the instruction set, before machine code");
                  out.isText = VK_TRUE;
                  if (out.pData) {
                    const size_t fits = std::min(out.dataSize, text.size() + 1);
                    truncated |= fits < text.size() + 1;
                    std::memcpy(out.pData, text.c_str(), fits);
                    if (fits) static_cast<char*>(out.pData)[fits - 1] = 0;
                    out.dataSize = fits;
                  } else {
                    out.dataSize = text.size() + 1;
                  }
                });
  return truncated ? VK_INCOMPLETE : result;
}

}  // namespace etzel::icd
