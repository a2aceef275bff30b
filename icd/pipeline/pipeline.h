// Pipelines: kernels plus a block of fixed state. All state of raster::DrawState can be dynamic; a pipeline is the
// list of what it sets when bound, so dynamic state, pipeline libraries and shader objects share one mechanism.
#pragma once

#include <bitset>
#include <memory>

#include "icd/descriptor/descriptors.h"
#include "icd/descriptor/mappings.h"
#include "icd/pipeline/kernel_cache.h"
#include "raster/draw.h"

namespace etzel::icd {

struct ShaderModule : Object {
  using Handle = VkShaderModule;
  std::vector<uint32_t> words;
};

/// Pieces of state that a pipeline either sets or leaves to vkCmdSet*: the rows of raster/draw_state.def.
enum class StatePiece : uint8_t {
#define STATE(piece, dynamicState, setter, ...) piece,
#include "raster/draw_state.def"
  Count
};
using StateSet = std::bitset<static_cast<size_t>(StatePiece::Count)>;

/// The dynamic state that leaves a piece to a command; VK_DYNAMIC_STATE_MAX_ENUM where none does.
VkDynamicState dynamicStateOf(StatePiece piece);
/// Copies the pieces in `set` from `from` to `to`.
void copyState(raster::DrawState& to, const raster::DrawState& from, const StateSet& set);

struct Pipeline : Object {
  using Handle = VkPipeline;
  VkPipelineBindPoint bindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  std::shared_ptr<PipelineLayoutData> layout;
  std::shared_ptr<abi::Kernel> kernel[6];        ///< by abi::Stage; compute uses the last
  KernelKey key[6]{};                            ///< of the kernels
  std::shared_ptr<const MappedSlots> mapped[6];  ///< by abi::Stage; null where mappings make no slots
  VkShaderStageFlags stages = 0;
  std::shared_ptr<raster::DrawState> state;  ///< values of `fixed` (graphics)
  StateSet fixed;                            ///< pieces that binding this pipeline sets
  VkPipelineCreateFlags2 flags = 0;
  VkGraphicsPipelineLibraryFlagsEXT libraryParts = 0;
  bool fixes(StatePiece piece) const { return fixed.test(static_cast<size_t>(piece)); }
};

inline constexpr VkGraphicsPipelineLibraryFlagsEXT kAllLibraryParts =
    VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
    VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;

/// What the depth bias constant counts: VkDepthBiasRepresentationInfoEXT in a chain, or its default.
raster::DepthBiasUnit depthBiasUnit(const void* chain);
/// VK_EXT_depth_clamp_control; `range` is read in the user-defined mode only.
void setDepthClampRange(raster::DrawState& state, VkDepthClampModeEXT mode, const VkDepthClampRangeEXT* range);

/// "Pipeline Fragment Shading Rate": a fragment's size in pixels, and how it is combined with others.
void setFragmentShadingRate(raster::DrawState& state, VkExtent2D size, VkFragmentShadingRateCombinerOpKHR withPrimitive,
                            VkFragmentShadingRateCombinerOpKHR withAttachment);

raster::CoverageReduction coverageReduction(VkCoverageReductionModeNV mode);
/// VK_NV_framebuffer_mixed_samples: entry n - 1 is the factor of n covered samples.
void setCoverageTable(raster::DrawState& state, const float* table, uint32_t count);

/// Builds DrawState pieces from create info: every piece of `parts` that the info defines and does not list as dynamic.
/// Never looks at what the specification says is ignored: such pointers may be garbage.
void foldGraphicsState(const VkGraphicsPipelineCreateInfo& info, VkGraphicsPipelineLibraryFlagsEXT parts,
                       raster::DrawState& state, StateSet& fixed);

}  // namespace etzel::icd
