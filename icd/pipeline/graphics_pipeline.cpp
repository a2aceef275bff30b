// Graphics pipelines and pipeline libraries ("Graphics Pipelines", "Pipeline Libraries"). Stages do not depend on each
// other (abi/shader_io.h), so linking libraries is only gathering kernels and state.

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/pipeline/create_pipelines.h"
#include "icd/pipeline/pipeline_binary.h"
#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {
namespace {

constexpr VkShaderStageFlags kPreRasterStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
                                                VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT |
                                                VK_SHADER_STAGE_GEOMETRY_BIT;

/// The parts that a create info itself defines; the rest comes from libraries.
VkGraphicsPipelineLibraryFlagsEXT ownParts(const VkGraphicsPipelineCreateInfo& info,
                                           const VkPipelineLibraryCreateInfoKHR* libraries) {
  if (const auto* parts = findNext<VkGraphicsPipelineLibraryCreateInfoEXT>(
          info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT))
    return parts->flags;
  if (pipelineFlags(info.pNext, info.flags) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR ||
      (libraries && libraries->libraryCount))
    return 0;
  return kAllLibraryParts;
}

void link(Pipeline& pipeline, const Pipeline& library) {
  for (size_t i = 0; i < std::size(pipeline.kernel); ++i)
    if (library.kernel[i]) {
      pipeline.kernel[i] = library.kernel[i], pipeline.key[i] = library.key[i];
      pipeline.mapped[i] = library.mapped[i];
    }
  pipeline.stages |= library.stages;
  pipeline.libraryParts |= library.libraryParts;
  pipeline.layout = mergeLayouts(pipeline.layout, library.layout);
  copyState(*pipeline.state, *library.state, library.fixed);
  pipeline.fixed |= library.fixed;
}

VkResult build(const VkGraphicsPipelineCreateInfo& info, PipelineCache* cache, Pipeline& pipeline) {
  const uint64_t begin = stageClockNs();
  pipeline.bindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  pipeline.flags = pipelineFlags(info.pNext, info.flags);
  pipeline.state = std::make_shared<raster::DrawState>();
  const auto* libraries =
      findNext<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  const VkGraphicsPipelineLibraryFlagsEXT parts = ownParts(info, libraries);
  if (libraries)
    for (uint32_t i = 0; i < libraries->libraryCount; ++i) link(pipeline, *cast<Pipeline>(libraries->pLibraries[i]));

  // Only the shader parts use the layout; elsewhere the handle may be anything. A link with its own layout names all
  // the sets, which those of the libraries are parts of.
  const bool shaders = parts & (VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                                VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT);
  const bool linksAll = libraries && libraries->libraryCount && !(pipeline.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  if ((shaders || linksAll) && info.layout) {
    const std::shared_ptr<PipelineLayoutData>& own = cast<PipelineLayout>(info.layout)->data;
    pipeline.layout = linksAll && !shaders ? own : mergeLayouts(own, pipeline.layout);
  }
  foldGraphicsState(info, parts, *pipeline.state, pipeline.fixed);
  pipeline.libraryParts |= parts;

  const bool discards =
      pipeline.fixed.test(static_cast<size_t>(StatePiece::RasterizerDiscard)) && pipeline.state->rasterizerDiscard;
  VkShaderStageFlags wanted = 0;
  if (parts & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) wanted |= kPreRasterStages;
  if (parts & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT && !discards) wanted |= VK_SHADER_STAGE_FRAGMENT_BIT;
  const PipelineLayoutData* own = info.layout && shaders ? cast<PipelineLayout>(info.layout)->data.get() : nullptr;
  std::vector<StageResult> results(wanted ? info.stageCount : 0);
  bool allHits = true;
  for (uint32_t i = 0; i < results.size(); ++i) {
    const VkPipelineShaderStageCreateInfo& stage = info.pStages[i];
    if (!(stage.stage & wanted)) continue;
    if (!stageFromBinary(info.pNext, stage.stage, results[i])) {
      const VkResult r = makeStage(stage, pipeline.flags, own, cache, results[i]);
      if (r != VK_SUCCESS) return r;
    }
    allHits &= results[i].applicationCacheHit;
    setStage(pipeline, stage, results[i]);
    pipeline.stages |= stage.stage;
  }
  reportFeedback(info.pNext, allHits && !results.empty(), stageClockNs() - begin, results);
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* pCreateInfos,
                                                       const VkAllocationCallbacks* pAllocator,
                                                       VkPipeline* pPipelines) {
  return createPipelines(*cast<Device>(handle), cache, count, pCreateInfos, pAllocator, pPipelines, build);
}

ETZEL_DESTROY(Pipeline)

}  // namespace etzel::icd
