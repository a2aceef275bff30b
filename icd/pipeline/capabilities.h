// The SPIR-V capabilities that the device offers: those that the registry allows for a version, an extension, a feature
// or a property which it has (icd/dispatch/gen_capabilities.py). What an application has enabled is not asked: kernels
// are shared between devices, and valid modules declare what was enabled only.
#pragma once

#include <cstdint>

namespace etzel::icd {

/// What a module with this capability would need and the device does not have; null for those that are offered, and for
/// those that the compiler does not know. (compiler::ShaderSource::missingFor)
const char* missingFor(uint32_t capability);

}  // namespace etzel::icd
