// Modules that say what things are called in HLSL: a part of the cases of SPIR-V modules.
#pragma once

namespace etzel::cts {

void addHlslStrings();

}  // namespace etzel::cts
