#include "resources.h"

#include "full.vert.h"

namespace vkbench {

FullPass::FullPass(Gpu& gpu, const Target& target, Spirv fragment, std::initializer_list<Resource> list, bool adds)
    : gpu_(gpu), target_(target), resources_(gpu, list) {
  pipeline_ =
      gpu.makePipeline({.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment}},
                        .target = &target,
                        .blend = adds,
                        .adds = adds},
                       resources_.layout);
}

}  // namespace vkbench
