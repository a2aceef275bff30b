// Pipeline layouts and bind points as the commands that bind descriptors name them.
#pragma once

#include <memory>

#include "icd/cmd/entry/record.h"
#include "icd/descriptor/descriptors.h"

namespace etzel::icd {

/// The layout that a command names, or chains where it names none (dynamicPipelineLayout).
inline std::shared_ptr<PipelineLayoutData> layoutOf(VkPipelineLayout handle, const void* chain) {
  if (handle) return cast<PipelineLayout>(handle)->data;
  const auto* info = findNext<VkPipelineLayoutCreateInfo>(chain, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  if (!info) return std::make_shared<PipelineLayoutData>();
  return makePipelineLayoutData(info->setLayoutCount, info->pSetLayouts, info->pushConstantRangeCount,
                                info->pPushConstantRanges, false);
}

/// The layout, which the command buffer keeps alive from now on.
inline const PipelineLayoutData* keepLayout(VkCommandBuffer c, const std::shared_ptr<PipelineLayoutData>& layout) {
  auto& alive = buf(c).keepAlive;
  if (alive.empty() || alive.back() != layout) alive.push_back(layout);
  return layout.get();
}

/// `visit(point)` for each bind point that has one of the stages.
template <class Visit>
void forBindPoints(VkShaderStageFlags stages, Visit visit) {
  if (stages & VK_SHADER_STAGE_ALL_GRAPHICS) visit(VK_PIPELINE_BIND_POINT_GRAPHICS);
  if (stages & VK_SHADER_STAGE_COMPUTE_BIT) visit(VK_PIPELINE_BIND_POINT_COMPUTE);
}

}  // namespace etzel::icd
