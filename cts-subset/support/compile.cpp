// GLSL and SPIR-V assembly to words.
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <cstdlib>
#include <spirv-tools/libspirv.hpp>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

/// ETZEL_CTS_SOURCE: modules have their source and names for debuggers.
bool forDebuggers() {
  static const bool wanted = std::getenv("ETZEL_CTS_SOURCE") != nullptr;
  return wanted;
}

}  // namespace

std::vector<uint32_t> compileGlsl(VkShaderStageFlagBits stage, const std::string& glsl) {
  static const bool ready = glslang::InitializeProcess();
  (void)ready;
  EShLanguage language = EShLangVertex;
  const char* suffix = "vert";
  switch (stage) {
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT: language = EShLangTessControl, suffix = "tesc"; break;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT: language = EShLangTessEvaluation, suffix = "tese"; break;
    case VK_SHADER_STAGE_GEOMETRY_BIT: language = EShLangGeometry, suffix = "geom"; break;
    case VK_SHADER_STAGE_FRAGMENT_BIT: language = EShLangFragment, suffix = "frag"; break;
    case VK_SHADER_STAGE_COMPUTE_BIT: language = EShLangCompute, suffix = "comp"; break;
    default: break;
  }
  glslang::TShader shader(language);
  const char* source = glsl.c_str();
  const std::string name = std::string("case.") + suffix;
  const char* const names = name.c_str();
  shader.setStringsWithLengthsAndNames(&source, nullptr, &names, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, language, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  glslang::SpvOptions options;
  options.generateDebugInfo = options.emitNonSemanticShaderDebugInfo = options.emitNonSemanticShaderDebugSource =
      forDebuggers();
  auto messages =
      static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | (forDebuggers() ? EShMsgDebugInfo : EShMsgDefault));
  if (!shader.parse(GetDefaultResources(), 450, false, messages))
    throw Failure(std::string("glsl: ") + shader.getInfoLog() + "\n" + glsl);
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) throw Failure(std::string("glsl link: ") + program.getInfoLog() + "\n" + glsl);
  std::vector<uint32_t> words;
  glslang::GlslangToSpv(*program.getIntermediate(language), words, &options);
  return words;
}

VkShaderModule Gpu::module(const std::vector<uint32_t>& words) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  VkShaderModule result;
  CTS_VK(vkCreateShaderModule(device, &info, nullptr, &result));
  later([this, result] { vkDestroyShaderModule(device, result, nullptr); });
  return result;
}

namespace {
std::vector<uint32_t> assembled(const std::string& spirvText, bool validate) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string log;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
    log += text("line %zu: %s\n", at.line, message);
  });
  std::vector<uint32_t> words;
  if (!tools.Assemble(spirvText, &words)) throw Failure("assembly: " + log);
  if (validate && !tools.Validate(words)) throw Failure("module is not valid: " + log);
  return words;
}
}  // namespace

VkShaderModule Gpu::shader(VkShaderStageFlagBits stage, const std::string& glsl) {
  auto& words = compiled_[std::to_string(stage) + glsl];
  if (words.empty()) words = glsl.starts_with("; SPIR-V") ? assembled(glsl, false) : compileGlsl(stage, glsl);
  return module(words);
}

VkShaderModule Gpu::assemble(const std::string& spirvText, bool validate, uint32_t version) {
  std::vector<uint32_t> words = assembled(spirvText, validate);
  if (version) words[1] = version;
  return module(words);
}

}  // namespace etzel::cts
