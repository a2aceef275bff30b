#include "compiler/spirv/capabilities.h"

namespace etzel::spirv {
namespace {

/// Null where the lowering does not implement it.
const char* nameOf(spv::Capability capability) {
  switch (static_cast<uint32_t>(capability)) {
#define ETZEL_NEWER_CAPABILITY(Name, number) \
  case number:                               \
    return #Name;
#define ETZEL_CAPABILITY(Name) ETZEL_NEWER_CAPABILITY(Name, static_cast<uint32_t>(spv::Capability::Name))
#include "compiler/spirv/capabilities.def"
#undef ETZEL_CAPABILITY
#undef ETZEL_NEWER_CAPABILITY
    default: return nullptr;
  }
}

}  // namespace

Result<void> checkCapability(spv::Capability capability, const compiler::ShaderSource& source) {
  const uint32_t number = static_cast<uint32_t>(capability);
  const char* name = nameOf(capability);
  if (!name) return Error{ErrorCode::Unsupported, "SPIR-V capability " + std::to_string(number) + " is not supported"};
  if (const char* missing = source.missingFor ? source.missingFor(number) : nullptr)
    return Error{ErrorCode::Unsupported,
                 "SPIR-V capability " + std::string(name) + " needs " + missing + ", which the device does not offer"};
  return {};
}

}  // namespace etzel::spirv
