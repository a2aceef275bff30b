// The capabilities of SPIR-V that the lowering implements. A module that declares another one is Unsupported.
#pragma once

#include <spirv/unified1/spirv.hpp11>

namespace etzel::spirv {

bool isSupported(spv::Capability c);

}  // namespace etzel::spirv
