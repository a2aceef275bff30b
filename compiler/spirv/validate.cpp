// spirv-val through the SPIRV-Tools C API.
#include <spirv-tools/libspirv.h>

#include "compiler/spirv/module.h"

namespace etzel::spirv {

namespace {
/// Rules that spirv-val enforces more widely than the specification. The parser checks what it needs itself.
/// 04924: Component on arrays of arrays is legal where one level is the per-vertex one.
/// 04663: with VK_KHR_maintenance8 every image instruction may have an offset that is not constant.
/// 04781: with VK_KHR_maintenance9 bit fields have any width.
constexpr const char* kFalseAlarms[] = {"VUID-StandaloneSpirv-Component-04924", "VUID-StandaloneSpirv-Offset-04663",
                                        "VUID-StandaloneSpirv-Base-04781"};
}  // namespace

Result<void> validate(std::span<const uint32_t> words) {
  if (words.size() < 5) return Error{ErrorCode::InvalidShader, "the SPIR-V module is shorter than its header"};
  // The context is a set of immutable tables: one for the process, never freed.
  static const spv_const_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
  spv_validator_options options = spvValidatorOptionsCreate();
  spvValidatorOptionsSetScalarBlockLayout(options, true);
  spvValidatorOptionsSetRelaxBlockLayout(options, true);
  spvValidatorOptionsSetUniformBufferStandardLayout(options, true);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options, true);
  spvValidatorOptionsSetAllowLocalSizeId(options, true);
  spvValidatorOptionsSetSkipBlockLayout(options, true);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t status = spvValidateWithOptions(context, options, &binary, &diagnostic);
  std::string text = diagnostic && diagnostic->error ? diagnostic->error : "SPIR-V validation failed";
  spvDiagnosticDestroy(diagnostic);
  spvValidatorOptionsDestroy(options);
  if (status == SPV_SUCCESS) return {};
  for (const char* alarm : kFalseAlarms)
    if (text.find(alarm) != std::string::npos) return {};
  if (status == SPV_ERROR_OUT_OF_MEMORY) return Error{ErrorCode::OutOfHostMemory, text};
  return Error{ErrorCode::InvalidShader, text};
}

}  // namespace etzel::spirv
