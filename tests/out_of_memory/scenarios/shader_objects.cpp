// VK_EXT_shader_object: shaders without pipelines, and their binaries.
#include "tests/out_of_memory/scenario.h"

#include "draw.frag.h"
#include "draw.vert.h"

#ifndef VK_EXT_shader_object
// Headers before 1.3.246.
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkShaderEXT)
inline constexpr auto VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT = static_cast<VkStructureType>(1000482002);
enum VkShaderCodeTypeEXT { VK_SHADER_CODE_TYPE_BINARY_EXT, VK_SHADER_CODE_TYPE_SPIRV_EXT };
struct VkShaderCreateInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkFlags flags;
  VkShaderStageFlagBits stage;
  VkShaderStageFlags nextStage;
  VkShaderCodeTypeEXT codeType;
  size_t codeSize;
  const void* pCode;
  const char* pName;
  uint32_t setLayoutCount;
  const VkDescriptorSetLayout* pSetLayouts;
  uint32_t pushConstantRangeCount;
  const VkPushConstantRange* pPushConstantRanges;
  const VkSpecializationInfo* pSpecializationInfo;
};
using PFN_vkCreateShadersEXT = VkResult (*)(VkDevice, uint32_t, const VkShaderCreateInfoEXT*,
                                            const VkAllocationCallbacks*, VkShaderEXT*);
using PFN_vkDestroyShaderEXT = void (*)(VkDevice, VkShaderEXT, const VkAllocationCallbacks*);
using PFN_vkGetShaderBinaryDataEXT = VkResult (*)(VkDevice, VkShaderEXT, size_t*, void*);
#endif

namespace oom {
namespace {

class ShaderObjects : public Scenario {
 public:
  VkResult act(Gpu& gpu) override {
    const auto create = reinterpret_cast<PFN_vkCreateShadersEXT>(gpu.find("vkCreateShadersEXT"));
    const auto read = reinterpret_cast<PFN_vkGetShaderBinaryDataEXT>(gpu.find("vkGetShaderBinaryDataEXT"));
    VkShaderCreateInfoEXT infos[2] = {{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT},
                                      {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT}};
    for (VkShaderCreateInfoEXT& info : infos) info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT, info.pName = "main";
    infos[0].stage = VK_SHADER_STAGE_VERTEX_BIT, infos[0].nextStage = VK_SHADER_STAGE_FRAGMENT_BIT;
    infos[0].codeSize = sizeof draw_vert, infos[0].pCode = draw_vert;
    infos[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    infos[1].codeSize = sizeof draw_frag, infos[1].pCode = draw_frag;
    VkShaderEXT shaders[2]{};
    OOM_TRY(keep(gpu, create(gpu.device, 2, infos, gpu.callbacks, shaders), shaders, 2));
    std::vector<char> data;
    OOM_TRY(read(gpu.device, shaders[0], &infos[0].codeSize, nullptr));
    data.resize(infos[0].codeSize);
    OOM_TRY(read(gpu.device, shaders[0], &infos[0].codeSize, data.data()));
    infos[0].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT, infos[0].pCode = data.data();
    VkShaderEXT loaded{};
    return keep(gpu, create(gpu.device, 1, infos, gpu.callbacks, &loaded), &loaded, 1);
  }

 private:
  /// What was made is destroyed, also where the others of the call were not.
  static VkResult keep(Gpu& gpu, VkResult result, const VkShaderEXT* shaders, uint32_t count) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyShaderEXT>(gpu.find("vkDestroyShaderEXT"));
    for (uint32_t i = 0; i < count; ++i)
      if (shaders[i]) gpu.later([&gpu, destroy, shader = shaders[i]] { destroy(gpu.device, shader, gpu.callbacks); });
    return result;
  }
};

}  // namespace

std::vector<Entry> shaderObjectScenarios() { return {{"shader objects", makeScenario<ShaderObjects>}}; }

}  // namespace oom
