// The capabilities of SPIR-V that the lowering implements (capabilities.def). A module that declares another one, or
// one that the device does not offer (compiler::ShaderSource::missingFor), is Unsupported.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "compiler/spirv/shader_source.h"
#include "runtime/base/result.h"

namespace etzel::spirv {

/// Whether a module may declare the capability; the error says what is missing.
Result<void> checkCapability(spv::Capability capability, const compiler::ShaderSource& source);

}  // namespace etzel::spirv
