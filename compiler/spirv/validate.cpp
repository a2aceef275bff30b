// spirv-val through the SPIRV-Tools C API, on the whole module, whatever is in it. What spirv-val refuses more widely
// than the specification is written in another way that means the same to it, in a copy that nobody else sees
// (understate.h, sized_uniforms.h), and so is what it is too old to read (typed.h, older.h); everything else it says is
// taken at its word.
#include <spirv-tools/libspirv.h>

#include <cstdlib>
#include <memory>

#include "compiler/spirv/effort.h"
#include "compiler/spirv/module.h"
#include "compiler/spirv/older.h"
#include "compiler/spirv/sized_uniforms.h"
#include "compiler/spirv/typed.h"
#include "compiler/spirv/understate.h"
#include "compiler/spirv/valid_modules.h"
#include "compiler/spirv/words.h"
#include "runtime/base/room.h"

namespace etzel::spirv {
namespace {

/// spirv-val is built without exceptions: one that passes through it leaves behind what it had. So it only begins where
/// there is room for what it may need.
bool roomToValidate(std::span<const uint32_t> words) {
  constexpr size_t kOwnBytes = 1 << 20, kWordBytes = 512;
  return systemHasRoomFor(kOwnBytes + words.size() * kWordBytes);
}

/// ETZEL_VALIDATION_LIMIT_MS: how long validation may take; 0: as long as it takes.
uint64_t limitNs() {
  static const uint64_t limit = [] {
    constexpr uint64_t kDefaultMs = 30'000, kNsPerMs = 1'000'000;
    const char* text = secure_getenv("ETZEL_VALIDATION_LIMIT_MS");
    const uint64_t ms = text ? std::strtoull(text, nullptr, 10) : kDefaultMs;
    return ms == 0 || ms > UINT64_MAX / kNsPerMs ? UINT64_MAX : ms * kNsPerMs;
  }();
  return limit;
}

struct Destroy {
  void operator()(spv_validator_options options) const { spvValidatorOptionsDestroy(options); }
  void operator()(spv_diagnostic diagnostic) const { spvDiagnosticDestroy(diagnostic); }
};

}  // namespace

Result<void> validate(std::span<const uint32_t> words) {
  if (words.size() < 5) return Error{ErrorCode::InvalidShader, "the SPIR-V module is shorter than its header"};
  const std::span<const uint32_t> given = words;
  if (validModules().knows(given)) return {};
  if (!roomToValidate(words)) return Error{ErrorCode::OutOfHostMemory, "no memory to validate a module"};
  std::vector<uint32_t> swapped;
  if (isSwapped(words)) {
    for (const uint32_t w : words) swapped.push_back(__builtin_bswap32(w));
    words = swapped;
  }
  if (validationNs(words, limitNs()) > limitNs())
    return Error{ErrorCode::InvalidShader,
                 "constructs lie so deep in one another that validating the module would take longer than "
                 "ETZEL_VALIDATION_LIMIT_MS says"};
  // The context is a set of immutable tables: one for the process, never freed.
  static const spv_const_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
  const auto typed = withTypedPointers(words);
  if (!typed) return typed.error();
  if (!typed->empty()) words = *typed;
  const auto older = inOlderWords(words);
  if (!older) return older.error();
  if (!older->empty()) words = *older;
  const auto understated = understate(words);
  if (!understated) return understated.error();
  if (!understated->empty()) words = *understated;
  const auto sized = withSizedUniforms(words);
  if (!sized) return sized.error();
  if (!sized->empty()) words = *sized;
  const std::unique_ptr<spv_validator_options_t, Destroy> options(spvValidatorOptionsCreate());
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetRelaxBlockLayout(options.get(), true);
  spvValidatorOptionsSetUniformBufferStandardLayout(options.get(), true);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetAllowLocalSizeId(options.get(), true);
  spvValidatorOptionsSetSkipBlockLayout(options.get(), true);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic said = nullptr;
  const spv_result_t status = spvValidateWithOptions(context, options.get(), &binary, &said);
  const std::unique_ptr<spv_diagnostic_t, Destroy> diagnostic(said);
  if (status == SPV_SUCCESS) {
    validModules().add(given);
    return {};
  }
  std::string text = diagnostic && diagnostic->error ? diagnostic->error : "SPIR-V validation failed";
  if (status == SPV_ERROR_OUT_OF_MEMORY) return Error{ErrorCode::OutOfHostMemory, text};
  return Error{ErrorCode::InvalidShader, text};
}

}  // namespace etzel::spirv
