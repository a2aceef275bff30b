// The graphics pipeline of the scenarios: a square of 256 little squares, all of one colour.
#pragma once

#include "tests/out_of_memory/gpu.h"

namespace oom {

inline constexpr uint32_t kPictureSize = 256;
inline constexpr VkFormat kPictureFormat = VK_FORMAT_R8G8B8A8_UNORM;
inline constexpr uint32_t kPictureTexel = 0xFFFF00FF;  ///< of all texels that are drawn

/// With depth tests (D32). `allStages`: tessellated triangles that go through a geometry shader.
VkResult makeGraphics(Gpu& gpu, VkSampleCountFlagBits samples, bool allStages, VkPipelineCache cache,
                      VkPipeline* pipeline);

}  // namespace oom
